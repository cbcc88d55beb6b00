package structure

import "fmt"

// This file has what goes in, a graph, and what comes out, nodes.

// Block is a number of a block of a graph, or None.
type Block int32

// None is no block.
const None Block = -1

// Mark says what else is allowed of a block.
type Mark uint8

const (
	// Early lets a block that ends by a return, and that one edge leads to, stand within
	// the loops that this edge leaves, as an early return does. It is for blocks of
	// which it does not matter who runs them together. Without it they stand
	// behind those loops.
	Early Mark = 1 << iota
	// InBody keeps a block from becoming a loop's continuing block.
	InBody
)

// Graph is a control-flow graph. Block 0 is where control enters; blocks that it does not
// lead to have no place in the result.
type Graph struct {
	ends       []int32 // by block: where its successors end in successors
	successors []Block
	marks      []Mark
}

// Reset takes all blocks from the graph and keeps its memory.
func (g *Graph) Reset() {
	g.ends, g.successors, g.marks = g.ends[:0], g.successors[:0], g.marks[:0]
}

// Add appends the next block. Without successors it ends by a return, with one by a jump,
// with two by a branch, with more by a switch; the same successor may stand there
// several times. Successors may be added later than those that lead to them.
func (g *Graph) Add(mark Mark, successors ...Block) Block {
	g.successors = append(g.successors, successors...)
	g.ends = append(g.ends, int32(len(g.successors)))
	g.marks = append(g.marks, mark)
	return Block(len(g.ends) - 1)
}

// Blocks returns how many blocks there are.
func (g *Graph) Blocks() int { return len(g.ends) }

// Successors returns where a block leads to, by the ways out of it.
func (g *Graph) Successors(b Block) []Block {
	if b == 0 {
		return g.successors[:g.ends[0]]
	}
	return g.successors[g.ends[b-1]:g.ends[b]]
}

// check reports what no graph can be.
func (g *Graph) check() error {
	if g.Blocks() == 0 {
		return fmt.Errorf("a graph needs at least one block")
	}
	for b := range Block(g.Blocks()) {
		for _, to := range g.Successors(b) {
			if to < 0 || int(to) >= g.Blocks() {
				return fmt.Errorf("block %d leads to block %d, but there are %d blocks", b, to, g.Blocks())
			}
		}
	}
	return nil
}

// Irreducible is the error for a graph with a cycle that control can enter at more than one
// block, which no structure of loops has. In Go only goto makes one.
type Irreducible struct {
	// From and To are an edge of that cycle: it leads back to To, which control need
	// not pass on its way to From.
	From, To Block
}

func (e *Irreducible) Error() string {
	return fmt.Sprintf("the edge from block %d back to block %d closes a cycle that control can also enter elsewhere", e.From, e.To)
}

// Kind is what a node is.
type Kind uint8

// Code, and what opens, divides and closes the constructs.
const (
	// Code is the code of Block, without its terminator.
	Code Kind = iota
	// If chooses by the terminator of Block, whose code is the node before, one of as many
	// lists as that has ways out. The first list follows.
	If
	// Arm ends a list of the if Label and begins that of Way.
	Arm
	// Loop repeats the list that follows. Block is its header.
	Loop
	// Continuing ends the body of the loop Label and begins its continuing list: the code of
	// Block, and Next or NextOrExit.
	Continuing
	// Scope is a list that can be left to its end.
	Scope
	// End closes the construct Label.
	End
)

// Leaves: one ends each list. Those for an edge say which: Block and Way out of it.
// Others have None there: control that several edges may have brought to the end of a
// construct goes on from there.
const (
	// Exit goes on behind the construct Label, one of those around it.
	Exit Kind = iota + 16
	// Continue goes to the continuing list of the loop Label, or to its next iteration if
	// it has none.
	Continue
	// Next ends a continuing list: the next iteration of the loop Label.
	Next
	// NextOrExit ends a continuing list by a branch: Way out of Block goes on behind
	// the loop Label, the other way is its next iteration.
	NextOrExit
	// Return is what Block ends by: it has no successors.
	Return
	// Unreachable stands where control cannot come: behind a loop that nothing leaves, or a
	// switch of which no arm goes on.
	Unreachable
)

var kindNames = [...]string{
	Code: "Code", If: "If", Arm: "Arm", Loop: "Loop", Continuing: "Continuing", Scope: "Scope", End: "End",
	Exit: "Exit", Continue: "Continue", Next: "Next", NextOrExit: "NextOrExit", Return: "Return", Unreachable: "Unreachable",
}

func (k Kind) String() string { return kindNames[k] }

// Leaf reports whether nodes of the kind end a list.
func (k Kind) Leaf() bool { return k >= Exit }

// Node is one step of the structured form of a graph, a list of nodes in the order of
// the text.
type Node struct {
	Kind Kind
	Way  int32
	// Block is the block that the node is about, or None.
	Block Block
	// Label is the construct that the node is about: the index of the node that opens
	// it. Of such a node, it is the index of its End.
	Label int32
}
