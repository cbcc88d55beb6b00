package lower

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// ScheduleOperandReuse orders independent fused products so that neighbours share a factor in the
// operand reuse cache:
//
//	s00 = fma a0, b0, s00                 s00 = fma a0, b0, s00
//	s01 = fma a0, b1, s01                 s01 = fma a0, b1, s01
//	s10 = fma a1, b0, s10        ─►       s11 = fma a1, b1, s11
//	s11 = fma a1, b1, s11                 s10 = fma a1, b0, s10
//
// A multiprocessor reads registers from two banks, one of each in a cycle. Three operands in
// different registers therefore need two cycles, unless one is cached from the instruction before,
// in the same operand slot. The assembler chooses slots and banks, and mostly keeps the order of
// the text.
//
// It is the last pass, since it only changes the order.
var ScheduleOperandReuse = opt.Pass{
	Name: "schedule-operand-reuse",
	Doc:  "reorder independent fused products so that consecutive ones share a factor",
	Run: func(c *opt.Context, m *ir.Module) {
		n := opt.Scratch[reuseScheduler](c, "schedule-operand-reuse")
		for _, f := range m.Funcs {
			if f.Had(&fused) {
				n.function(f)
			}
		}
	},
}

var fused = op.SetOf(op.Fma)

const (
	// minProducts is the least number of products that are worth an order. maxProducts bounds the
	// work, which grows with the square.
	minProducts = 8
	maxProducts = 256
)

type reuseScheduler struct {
	f   *ir.Func
	run []ir.Inst // products in the order of the text that are not scheduled yet
	// used is, by local value, the clock of its last use as a factor. Clocks up to before belong to
	// earlier runs.
	used          []uint32
	clock, before uint32
}

func (n *reuseScheduler) function(f *ir.Func) {
	n.f = f
	n.run = n.run[:0]
	n.used, n.clock = ir.Zeroed(n.used, f.ValueCount()), 0
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if !n.continues(i) {
			n.schedule()
			if f.Op(i) == op.Fma {
				n.run = append(n.run, i)
			}
		} else {
			n.run = append(n.run, i)
		}
		i = next
	}
	n.schedule()
}

// continues reports whether an instruction is a product right after those of the run, and uses
// none of their results.
func (n *reuseScheduler) continues(i ir.Inst) bool {
	f := n.f
	if f.Op(i) != op.Fma || len(n.run) == 0 || len(n.run) == maxProducts || f.Prev(i) != n.run[len(n.run)-1] {
		return false
	}
	for _, a := range f.Args(i) {
		if d, ok := f.Def(a); ok && slices.Contains(n.run, d) {
			return false
		}
	}
	return true
}

// schedule orders the products of the run, and starts another one.
func (n *reuseScheduler) schedule() {
	f := n.f
	if len(n.run) < minProducts {
		n.run = n.run[:0]
		return
	}
	end := f.Next(n.run[len(n.run)-1]) // a terminator at least
	n.before = n.clock
	last := n.pop(0)
	row := f.Arg(last, 0) // the common factor of the current products
	if n.findFactor(row) < 0 {
		row = f.Arg(last, 1)
	}
	for len(n.run) > 0 {
		k := n.findFactor(row)
		// the row is complete: start another one with a product that shares the other factor
		if k < 0 {
			shared := n.other(last, row)
			k = max(n.findFactor(shared), 0)
			row = n.other(n.run[k], shared)
		}
		last = n.pop(k)
		f.Unlink(last)
		f.InsertBefore(end, last)
	}
}

// other returns the factor of a product that is not the one given.
func (n *reuseScheduler) other(i ir.Inst, factor ir.Value) ir.Value {
	args := n.f.Args(i)
	if args[0] == factor {
		return args[1]
	}
	return args[0]
}

// pop removes the k-th product from the run.
func (n *reuseScheduler) pop(k int) ir.Inst {
	i := n.run[k]
	n.run = slices.Delete(n.run, k, k+1)
	n.clock++
	for _, a := range n.f.Args(i)[:2] {
		if a.IsLocal() {
			n.used[a] = n.clock
		}
	}
	return i
}

// findFactor returns the index of a product of the run with a factor, or -1. It prefers the product
// whose other factor was used last, so that a row is traversed in the reverse order of the one
// before.
func (n *reuseScheduler) findFactor(factor ir.Value) int {
	best, latest := -1, n.before
	for k, i := range n.run {
		if args := n.f.Args(i); args[0] != factor && args[1] != factor {
			continue
		}
		at := n.before
		if x := n.other(i, factor); x.IsLocal() {
			at = max(at, n.used[x])
		}
		if best < 0 || at > latest {
			best, latest = k, at
		}
	}
	return best
}
