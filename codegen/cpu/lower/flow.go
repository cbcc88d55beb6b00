package lower

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/mir"
)

// This file finds how lanes diverge and reconverge. Executors run blocks in the order of the
// function. Lanes that a branch sends elsewhere wait at their target. A block runs for all lanes
// that wait there or come from the block before. The last block of a loop returns to the header as
// long as lanes wait there. As the order comes from structured control, lanes that diverge at a
// branch have reconverged at its immediate post-dominator.

// Flow is what is known of the blocks, by their positions in Func.Order.
type Flow struct {
	mir.Loops
	preds            [][]edge
	succs            [][]int32 // where it leads
	immediatePostdom []int32   // post-dominator; the count of blocks is the end
}

type edge struct {
	from int32
	edge mir.Edge
}

// analyseFlow finds loops and post-dominators. It reports false for a function with a loop that is
// entered in the middle (irreducible control flow). Cleaning can make such loops of ones that lead
// nowhere but into each other.
func (p *Program) analyseFlow(f *mir.Func) bool {
	w := &p.Flow
	if !w.Loops.Analyse(f) {
		return false
	}
	count := len(f.Order)
	w.preds, w.succs = make([][]edge, count+1), make([][]int32, count)
	var succs []int32
	for n, b := range f.Order {
		edges := f.Edges(f.Last(b))
		first := len(succs)
		for _, e := range edges {
			to := w.At[e.To]
			w.preds[to] = append(w.preds[to], edge{int32(n), e})
			succs = append(succs, to)
		}
		if len(edges) == 0 {
			w.preds[count] = append(w.preds[count], edge{from: int32(n)})
			succs = append(succs, int32(count))
		}
		w.succs[n] = succs[first:len(succs):len(succs)]
	}
	w.postdominators()
	return true
}

// postdominators finds the closest one of each block (Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm", 2001, on the reversed graph). From where the end cannot be reached,
// there is none but the end.
func (w *Flow) postdominators() {
	count := len(w.succs)
	end := int32(count)
	number := make([]int32, count+1) // in the post-order of a walk from the end, from 1
	var order []int32
	type visit struct {
		at   int32
		next int
	}
	seen := make([]bool, count+1)
	stack := []visit{{at: end}}
	seen[end] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next < len(w.preds[top.at]) {
			from := w.preds[top.at][top.next].from
			if top.next++; !seen[from] {
				seen[from] = true
				stack = append(stack, visit{at: from})
			}
			continue
		}
		order = append(order, top.at)
		number[top.at] = int32(len(order))
		stack = stack[:len(stack)-1]
	}
	slices.Reverse(order)
	w.immediatePostdom = slices.Repeat([]int32{-1}, count+1)
	w.immediatePostdom[end] = end
	for changed := true; changed; {
		changed = false
		for _, at := range order[1:] {
			closest := int32(-1)
			for _, to := range w.succs[at] {
				switch {
				case w.immediatePostdom[to] < 0:
				case closest < 0:
					closest = to
				default:
					for closest != to {
						if number[closest] < number[to] {
							closest = w.immediatePostdom[closest]
						} else {
							to = w.immediatePostdom[to]
						}
					}
				}
			}
			if w.immediatePostdom[at] != closest {
				w.immediatePostdom[at], changed = closest, true
			}
		}
	}
	for at, closest := range w.immediatePostdom {
		if closest < 0 {
			w.immediatePostdom[at] = end
		}
	}
}

// PostDominator returns the position of the immediate post-dominator of a block, or the count of
// blocks if lanes only come together at the end.
func (w *Flow) PostDominator(position int) int { return int(w.immediatePostdom[position]) }
