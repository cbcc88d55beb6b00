package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// ScopeToIf makes ifs of scopes, where the code is to be read. A function that was inlined
// is a scope that its returns leave; written as it is, it takes a switch with nothing but a
// default. Where an exit ends a branch, what follows the if belongs to the other branch:
//
//	%r = scope ^s : f32 {           %r = if ^i %c : f32 {
//	  if ^i %c {                      exit ^i(%a)
//	    exit ^s(%a)                 } else {
//	  } else {              ─►        %b = …
//	    exit ^i()                     exit ^i(%b)
//	  }                             }
//	  %b = …
//	  exit ^s(%b)
//	}
//
// A scope stays if an exit leaves it from inside a loop, a switch or another scope, if both
// branches go on, or if it has many exits: they would nest the code too deep.
var ScopeToIf = opt.Pass{
	Name: "scope-to-if",
	Doc:  "make ifs of scopes whose exits end branches",
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			t := tails{f: f}
			if f.Had(&scopes) && t.block(f.Entry) {
				f.ApplyReplacements()
			}
		}
	},
}

var scopes = op.SetOf(op.Scope)

// maxTails is how many exits a scope may have.
const maxTails = 6

type tails struct {
	f       *ir.Func
	scope   ir.Inst
	results []ir.Value // of the scope
}

// block looks at the scopes in a block, the inner ones first, and reports whether it
// changed any.
func (t *tails) block(b ir.Block) (changed bool) {
	f := t.f
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		if f.Op(i).Is(op.Control) {
			for _, inner := range f.Blocks(i) {
				changed = t.block(ir.Block(inner)) || changed
			}
		}
		if f.Op(i) == op.Scope {
			t.scope, t.results = i, f.Results(i)
			if t.count() <= maxTails && t.fits(f.First(f.Region(i, 0))) {
				t.convert(f.Region(i, 0), i)
				t.dissolve()
				changed = true
			}
		}
		i = next
	}
	return changed
}

// count returns how many exits the scope has.
func (t *tails) count() (n int) {
	f := t.f
	b := f.Region(t.scope, 0)
	for i := f.First(b); i != 0; i = f.After(i, b) {
		if f.Op(i) == op.Exit && f.Target(i) == t.scope {
			n++
		}
	}
	return n
}

// leaves reports whether an exit inside an instruction leaves the scope.
func (t *tails) leaves(i ir.Inst) bool {
	f := t.f
	b := f.BlockOf(i)
	for at, end := f.After(i, b), f.AfterRegions(i, b); at != end; at = f.After(at, b) {
		if f.Op(at) == op.Exit && f.Target(at) == t.scope {
			return true
		}
	}
	return false
}

// branches returns the branch of an if that goes on behind it, 0 if none does; ok is false if
// both do, or exits lead there from further inside.
func (t *tails) branches(i ir.Inst) (on ir.Block, ok bool) {
	f := t.f
	exits := 0
	for n := range 2 {
		b := f.Region(i, n)
		if last := f.Last(b); f.Op(last) == op.Exit && f.Target(last) == i {
			exits++
			on = b
		}
	}
	b := f.BlockOf(i)
	for at, end := f.After(i, b), f.AfterRegions(i, b); at != end; at = f.After(at, b) {
		if f.Op(at) == op.Exit && f.Target(at) == i {
			exits--
		}
	}
	return on, exits == 0 && !(f.Op(f.Last(f.Region(i, 0))) == op.Exit && f.Target(f.Last(f.Region(i, 0))) == i && on == f.Region(i, 1))
}

// fits reports whether all exits of the scope, from an instruction on, end branches.
func (t *tails) fits(i ir.Inst) bool {
	f := t.f
	for ; i != 0; i = f.Next(i) {
		if !f.Op(i).Is(op.Control) || !t.leaves(i) {
			continue
		}
		if f.Op(i) != op.If {
			return false
		}
		if _, ok := t.branches(i); !ok || !t.fits(f.First(f.Region(i, 0))) || !t.fits(f.First(f.Region(i, 1))) {
			return false
		}
	}
	return true
}

// convert turns the exits of the scope at the ends of a block into exits of another
// instruction around it.
func (t *tails) convert(b ir.Block, to ir.Inst) {
	f := t.f
	i := f.First(b)
	for ; i != 0 && !(f.Op(i).Is(op.Control) && t.leaves(i)); i = f.Next(i) {
	}
	if i == 0 {
		if last := f.Last(b); f.Op(last) == op.Exit && f.Target(last) == t.scope {
			f.SetAux(last, uint32(to))
		}
		return
	}
	on, _ := t.branches(i)
	rest := f.Next(i)
	if on != 0 {
		last := f.Last(on)
		for n, r := range f.Results(i) {
			f.Replace(r, f.Arg(last, n))
		}
		f.Remove(last)
	}
	f.SetResults(i, nil)
	for rest != 0 {
		next := f.Next(rest)
		if on != 0 {
			f.Unlink(rest)
			f.Append(on, rest)
		} else {
			f.Remove(rest)
		}
		rest = next
	}
	var results []ir.Value
	for _, r := range t.results {
		results = append(results, f.AddResult(i, f.TypeOf(r)))
	}
	t.convert(f.Region(i, 0), i)
	t.convert(f.Region(i, 1), i)
	f.Append(b, f.NewInst(op.Exit, ir.Void, uint32(to), f.SpanOf(i), results...))
}

// dissolve puts what a scope runs instead; only its last instruction may leave it.
func (t *tails) dissolve() {
	f := t.f
	body := f.Region(t.scope, 0)
	last := f.Last(body)
	if f.Op(last) != op.Exit || f.Target(last) != t.scope {
		return
	}
	for n, r := range t.results {
		f.Replace(r, f.Arg(last, n))
	}
	f.Remove(last)
	f.MoveBlockBefore(body, t.scope)
	f.Remove(t.scope)
}
