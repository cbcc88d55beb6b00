// Package structure recovers structured control flow, as the IR has it, from a control-flow graph.
// It is Ramsey's translation by the dominator tree ("Beyond Relooper", 2022), with loops from a
// loop nesting forest. Graphs and results name blocks by index, so the package knows neither the
// code of the blocks nor the IR. The front end for Go runs it on go/ssa.
//
//	for ; one(); four() {                Code 0
//	    if two() {                       Loop 1
//	        three()                        Code 1
//	    }                                  If 1          falls through, or leaves the loop
//	}                                        Exit the if
//	five()                                 Arm 1
//	                                         Exit the loop
//	   0                                   End
//	   ▼                                   Code 2
//	┌─►1───┐                               If 2          2 branches to 3, or past it to 4
//	│  ▼   │                                 Code 3
//	│  2─┐ │                                 Exit the if
//	│  ▼ │ │                               Arm 1
//	│  3 │ │                                 Exit the if
//	│  ▼ │ │                               End
//	└──4◄┘ │                               Continue the loop
//	       ▼                             Continuing 4
//	       5                               Code 4
//	                                       Next iteration of the loop
//	                                     End
//	                                     Code 5
//	                                     Return 5
//
// # Guarantees
//
// Each reachable block is emitted once. No code is duplicated, and no variable encodes where
// control comes from or goes to: an exit may leave several constructs at once.
//
// Each edge is either a fall-through to the code that follows, or one leaf, which names the edge
// (Node.Block and Node.Succ; NextOrExit is both edges of its block). So the copies for the phis of
// an edge have a position. A leaf that names no edge continues after the end of a construct.
//
// A block comes after the blocks that dominate it, in their list or in one nested there, so that
// their definitions are visible. The exception is a loop: its body's definitions are not visible
// after it, nor in its continuing list.
//
// # Merge blocks
//
// A block that several successors of a branch lead to is emitted outside the arms of its if. If all
// of them reach a common block, the branch's immediate postdominator comes directly after the
// if, so that divergent invocations reconverge there. This holds within one iteration of the loops
// around the branch. Paths that continue a loop merge at its next iteration, and paths that return
// merge nowhere.
//
// A block outside a natural loop is emitted after the loop. That includes the code before a break
// or a return in Go, which the graph cannot tell from code after the loop. The mark EarlyReturn
// makes an exception for returns. If edges leave a loop to several blocks, all but one of the
// blocks get a scope around the loop. If nothing follows a loop, its end leads to the target of its
// first exit, so that a break exits one construct.
//
// The iterations of a loop merge at its continuing list or, without one, at the target of Continue,
// the next iteration. The only latch becomes the continuing list if several edges lead
// to it, and its only control flow is a branch that leaves or repeats the loop. Examples
// are the post statement of a for with continues, and the test of a range over an integer. A latch
// that one edge leads to stays at the end of the body.
//
// If only one arm of an if falls through, it is emitted after the if. So the result is
// `if a { return }; x()`, not `if a { return } else { x() }`. The two have one graph.
//
// # Complexity
//
// All steps are linear in blocks and edges but the search for ancestors, which is logarithmic in
// the depth for each edge. The nodes and all working memory are reused for the next graph. Emission
// recurses by the nesting depth of constructs, not by their number.
package structure
