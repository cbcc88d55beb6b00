package structure

import "fmt"

// Block is the index of a block of a graph, or None.
type Block int32

// None is no block.
const None Block = -1

// Mark is a set of flags of a block.
type Mark uint8

const (
	// EarlyReturn allows a block that returns and has one predecessor to stay inside the loops that
	// the edge leaves. It is for blocks whose effect does not depend on which invocations run them
	// convergently. Without it they come after those loops.
	EarlyReturn Mark = 1 << iota
	// InBody keeps a block from becoming the continuing block of a loop.
	InBody
)

// Graph is a control-flow graph with the entry block 0. Unreachable blocks are left out of the
// result. The zero Graph is empty.
type Graph struct {
	ends       []int32 // by block: where its successors end in successors
	successors []Block
	marks      []Mark
}

// Reset removes all blocks and keeps their memory.
func (g *Graph) Reset() {
	g.ends, g.successors, g.marks = g.ends[:0], g.successors[:0], g.marks[:0]
}

// Add appends a block. Without successors it returns, with one it jumps, with two it branches, with
// more it switches. A successor may occur several times, and may be added later.
func (g *Graph) Add(mark Mark, successors ...Block) Block {
	g.successors = append(g.successors, successors...)
	g.ends = append(g.ends, int32(len(g.successors)))
	g.marks = append(g.marks, mark)
	return Block(len(g.ends) - 1)
}

// Blocks returns the number of blocks.
func (g *Graph) Blocks() int { return len(g.ends) }

// Successors returns the successors of a block.
func (g *Graph) Successors(b Block) []Block {
	if b == 0 {
		return g.successors[:g.ends[0]]
	}
	return g.successors[g.ends[b-1]:g.ends[b]]
}

// check returns an error for a malformed graph.
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

// Irreducible is the error for an irreducible graph: one with a cycle that has several entries. In
// Go only goto makes one.
type Irreducible struct {
	// From and To are the ends of a back edge whose target does not dominate its source.
	From, To Block
}

func (e *Irreducible) Error() string {
	return fmt.Sprintf("the edge from block %d back to block %d closes a cycle that control can also enter elsewhere", e.From, e.To)
}

// Kind is the kind of a node.
type Kind uint8

// Code, and the kinds that open, divide and close constructs.
const (
	// Code is the code of Block, without its terminator.
	Code Kind = iota
	// If selects one of its lists by the terminator of Block, whose code is the node before. It has
	// a list for each successor; the first follows.
	If
	// Arm ends a list of the if Label and begins the list of successor Succ.
	Arm
	// Loop repeats the list that follows. Block is its header.
	Loop
	// Continuing ends the body of the loop Label and begins its continuing list: the code of
	// Block, and Next or NextOrExit.
	Continuing
	// Scope is a list that an exit can leave.
	Scope
	// End closes the construct Label.
	End
)

// The leaves: each list ends with one. A leaf for an edge names it by Block and Succ. Others have
// None there: they continue control that several edges may have brought to the end of a construct.
const (
	// Exit continues after the construct Label, one of those around it.
	Exit Kind = iota + 16
	// Continue goes to the continuing list of the loop Label or, without one, to its next
	// iteration.
	Continue
	// Next ends a continuing list: it begins the next iteration of the loop Label.
	Next
	// NextOrExit ends a continuing list with a branch: successor Succ of Block leaves the loop
	// Label, the other one is its next iteration.
	NextOrExit
	// Return ends Block, which has no successors.
	Return
	// Unreachable is where control cannot come: after a loop without exits, or after an if none of
	// whose lists falls through.
	Unreachable
)

var kindNames = [...]string{
	Code: "Code", If: "If", Arm: "Arm", Loop: "Loop", Continuing: "Continuing", Scope: "Scope", End: "End",
	Exit: "Exit", Continue: "Continue", Next: "Next", NextOrExit: "NextOrExit", Return: "Return", Unreachable: "Unreachable",
}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// Leaf reports whether nodes of the kind end a list.
func (k Kind) Leaf() bool { return k >= Exit }

// Node is an element of the structured form of a graph, a flat list in textual order.
type Node struct {
	Kind Kind
	Succ int32 // the index of a successor of Block
	// Block is the block that the node belongs to, or None.
	Block Block
	// Label is the index of the node that opens the construct which the node names. For a node that
	// opens a construct it is the index of its End.
	Label int32
}
