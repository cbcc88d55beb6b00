// Package structure makes structured control of a control-flow graph: ifs, loops and scopes, as
// the IR has them. It knows neither what the graph was made of nor what is made of the
// result; both are numbers of blocks. A front end for Go uses it on go/ssa.
//
//	for ; one(); four() {                Code 0
//	    if two() {                       Loop 1
//	        three()                        Code 1
//	    }                                  If 1          1 goes on, or leaves the loop
//	}                                        Exit the if
//	five()                                 Arm 1
//	                                         Exit the loop
//	   0                                   End
//	   ▼                                   Code 2
//	┌─►1───┐                               If 2          2 leads to 3 or, past it, to 4
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
// # What is guaranteed
//
// The code of each block that the entry leads to stands in the nodes once; nothing is duplicated,
// and no variable says where control came from or goes to, since an exit may
// leave several constructs at once.
//
// Each edge is kept: it either leads to code that stands where the edge comes from, or it is one
// leaf, which names it (Node.Block and Node.Way; NextOrExit is both edges of its block). So what
// belongs to an edge, such as the values of phis, has a place. A leaf that names none goes on from
// the end of a construct.
//
// A block stands behind the code of each block that dominates it, in the same list or in one nested
// there, so that what is defined there is visible; except that a block behind a loop, or in a
// continuing list, does not see what the loop's body defines.
//
// # Where paths meet
//
// What several ways out of a branch lead to stands outside of the arms of its if. So if all of them
// come to a block at last, the nearest such block, the branch's immediate postdominator, stands
// behind the if, and the invocations that parted are together again there: what leads to it are
// exits from constructs that end right before it. This is meant within an iteration of the loops
// around the branch: ways that continue one meet where its next iteration begins, and not at a
// block that only the others come to before. Ways that return meet nowhere.
//
// A block that is not part of a loop, for it leads back to the loop's header no more, stands behind
// the loop. That holds for what Go has in a loop before a break or a return, too: in the
// graph it is no different from what stands behind. The mark Early makes an
// exception for returns. Where edges leave a loop to several blocks, all but one of
// these get a scope around the loop. Of a loop behind which nothing stands the end leads where
// the first exit does, so that a break is an exit of one construct.
//
// The iterations of a loop meet at its continuing list, if it has one, and otherwise where Continue
// leads, to the next iteration: making an empty continuing block of that is left to the consumer. A
// block becomes the continuing list if it alone leads back to the header, if several edges lead to
// it, and if it has no control flow but a branch that leaves the loop or repeats it: the post
// statement of a for with continues, the test of a range over an integer. If one edge leads to such
// a block, it stands at the end of the body, where nothing meets.
//
// An arm that goes on behind its if only because the other never does stands behind the if:
// `if a { return }; x()`, not `if a { return } else { x() }`. In a graph these are one.
//
// # What it costs
//
// All steps but the search for ancestors are linear in blocks and edges; that one takes the
// logarithm of a depth, in theory for each edge. The nodes, and all that it takes to make them, are
// slices that the next graph uses again. Writing nodes recurs by the depth of their nesting; what
// stands in a row is no depth.
package structure
