package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// MergeBranches merges ifs with the same condition, as LLVM's jump threading does:
//
//	%a = if %c { … exit(%x) }             %a, %b = if %c { …; %z = f(%x); exit(%x, %z) }
//	     else { exit(%y) }                          else { exit(%y, %y) }
//	%s = g(%a)                       ─►   %s = g(%a)
//	%b = if %c { %z = f(%a); exit(%z) }
//	     else { exit(%a) }
//
// The sides of the later if only compute. Their operands are constants, values from before the
// earlier if, or its results, which are known on each side. Unrolled iterations (UnrollByPeriod)
// test the same condition again and again: each of 16 unrolled rounds of SHA-256 tests whether
// there is a word to be made. Each branch separates what is before it from what is after it.
var MergeBranches = Pass{
	Name:  "merge-branches",
	Doc:   "merge ifs with the same condition",
	Needs: ir.Structured,
	Run: func(c *Context, m *ir.Module) {
		g := Scratch[merger](c, "merge-branches")
		for _, f := range m.Funcs {
			if f.Had(&branching) {
				g.run(f)
			}
		}
	},
}

var branching = op.SetOf(op.If)

type merger struct {
	f *ir.Func
	// The index of each instruction in its block, in program order.
	order []uint32
	// open are the ifs of the current block that others may be merged into, the last of each
	// condition.
	open []ir.Inst
	args []ir.Value
}

func (g *merger) run(f *ir.Func) {
	g.f = f
	g.order = ir.Zeroed(g.order, f.InstCount())
	changed := g.block(f.Entry)
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if !f.Op(i).Is(op.Control) {
			continue
		}
		for n := range f.Blocks(i) {
			changed = g.block(f.Region(i, n)) || changed
		}
	}
	if changed {
		f.ApplyReplacements()
	}
}

// block merges the ifs of a block, and reports whether there were any.
func (g *merger) block(b ir.Block) (changed bool) {
	f := g.f
	g.open = g.open[:0]
	n := uint32(0)
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		n++
		g.order[i] = n
		if f.Op(i) == op.If && g.passes(i, 0) && g.passes(i, 1) {
			if earlier := g.earlier(i); earlier == 0 {
				if g.endsOnly(i) {
					g.open = append(g.open, i)
				}
			} else if g.computes(i, earlier) {
				g.merge(i, earlier)
				changed = true
			}
		}
		i = next
	}
	return changed
}

// passes reports whether the n-th side of an if ends after it.
func (g *merger) passes(i ir.Inst, n int) bool {
	last := g.f.Last(g.f.Region(i, n))
	return last != 0 && g.f.Op(last) == op.Exit && g.f.Target(last) == i
}

// endsOnly reports whether the ends of its sides are the only exits of an if.
func (g *merger) endsOnly(i ir.Inst) bool {
	f := g.f
	b := f.BlockOf(i)
	exits := 0
	for k, end := f.After(i, b), f.AfterRegions(i, b); k != end; k = f.After(k, b) {
		if f.Op(k) == op.Exit && f.Target(k) == i {
			exits++
		}
	}
	return exits == 2
}

// earlier returns the if of the same condition that another one may be merged into, or 0.
func (g *merger) earlier(i ir.Inst) ir.Inst {
	f := g.f
	for _, e := range g.open {
		if f.Resolve(f.Arg(e, 0)) == f.Resolve(f.Arg(i, 0)) {
			return e
		}
	}
	return 0
}

// computes reports whether an if only computes from what there is at an earlier one, and leaves
// each side at its end.
func (g *merger) computes(i, earlier ir.Inst) bool {
	f := g.f
	for n := range 2 {
		side := f.Region(i, n)
		last := f.Last(side)
		for k := f.First(side); k != 0; k = f.Next(k) {
			if k != last && (!f.Op(k).Pure() || f.Op(k).Is(op.Control) || f.Op(k) == op.Var) {
				return false
			}
			for _, v := range f.Args(k) {
				if !g.isAvailable(f.Resolve(v), side, earlier) {
					return false
				}
			}
		}
	}
	return true
}

// isAvailable reports whether a value is defined in the current side, or known at an earlier if of
// the block around: one of its results, or defined before it.
func (g *merger) isAvailable(v ir.Value, side ir.Block, earlier ir.Inst) bool {
	f := g.f
	if !v.IsLocal() {
		return true
	}
	b := f.DefBlock(v)
	if b == side {
		return true
	}
	i, ok := f.Def(v)
	if !ok || b != f.BlockOf(earlier) {
		return true // a parameter, or of a block around
	}
	return i == earlier || g.order[i] < g.order[earlier]
}

// merge moves the sides of an if to the ends of those of an earlier one.
func (g *merger) merge(i, earlier ir.Inst) {
	f := g.f
	for n := range 2 {
		side, to := f.Region(i, n), f.Region(earlier, n)
		end := f.Last(to)
		last := f.Last(side)
		for k := f.First(side); k != last; {
			next := f.Next(k)
			g.args = g.args[:0]
			for _, v := range f.Args(k) {
				g.args = append(g.args, g.valueOnSide(f.Resolve(v), earlier, end))
			}
			f.SetArgs(k, g.args...)
			f.Unlink(k)
			f.InsertBefore(end, k)
			k = next
		}
		g.args = append(g.args[:0], f.Args(end)...)
		for _, v := range f.Args(last) {
			g.args = append(g.args, g.valueOnSide(f.Resolve(v), earlier, end))
		}
		f.SetArgs(end, g.args...)
	}
	for _, r := range f.Results(i) {
		v := f.AddResult(earlier, f.TypeOf(r))
		f.SetName(v, f.ValueName(r))
		f.Replace(r, v)
	}
	f.Remove(i)
}

// valueOnSide returns what a value is on the side of an earlier if that ends at end.
func (g *merger) valueOnSide(v ir.Value, earlier, end ir.Inst) ir.Value {
	f := g.f
	for n, r := range f.Results(earlier) {
		if r == v {
			return f.Resolve(f.Arg(end, n))
		}
	}
	return v
}
