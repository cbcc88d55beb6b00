package analysis

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// What comparisons tell of two values that are not constant: their difference does not go below
// zero, and what is below a value is below the lengths that this is below. Intervals alone know neither:
// after `d > row`, d - row is 1 at least, and d - row - 1 does not wrap.

// order says that greatest is least values greater than lesser, or more.
type order struct {
	lesser, greatest ir.Value
	least            int64
}

// orderMark is the slot of refinements that stand for an order. It is that of no value.
const orderMark = 0

// maxOrders bounds how many comparisons are looked at, the latest ones: a function that returns early ten thousand times has as many.
const maxOrders = 32

func (a *Ranges) latest() []order { return a.orders[max(len(a.orders)-maxOrders, 0):] }

// noteOrder notes a comparison of two local values until forget.
func (a *Ranges) noteOrder(o op.Op, x, y ir.Value) {
	if o == op.Gt || o == op.Ge {
		o, x, y = Mirrored[o], y, x
	}
	if o != op.Lt && o != op.Le || !x.IsLocal() || !y.IsLocal() || Whole(a.f.TypeOf(x)).Empty() {
		return
	}
	known := order{x, y, 0}
	if o == op.Lt {
		known.least = 1
	}
	a.orders = append(a.orders, known)
	a.undo = append(a.undo, refinement{slot: orderMark})
}

// transfer returns where the result of an operation on numbers of 32 bits lies, which may exceed the type (transfers).
func (a *Ranges) transfer(o op.Op, all Interval, args []ir.Value, x [3]Interval) Interval {
	v := transfers[o](all, x)
	if o == op.Sub {
		for _, known := range a.latest() {
			if known.greatest == args[0] && known.lesser == args[1] {
				v = v.meet(Interval{known.least, math.MaxInt64})
			}
		}
	}
	return v
}

// passBelow notes of what is not greater than a value that it is below the same length.
func (a *Ranges) passBelow(x ir.Value, length ArrayKey) {
	for _, known := range a.latest() {
		if s := a.slot(known.lesser); known.greatest == x && a.below[s] == (ArrayKey{}) {
			a.undo = append(a.undo, refinement{s, a.current[s], a.below[s]})
			a.below[s] = length
		}
	}
}
