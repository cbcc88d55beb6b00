package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// ScopeToIf converts scopes to ifs, for text that people read. An inlined function is a scope that
// its returns exit, and a scope is printed as a switch with a default only. If an exit ends a
// branch, the code after the if moves into the other branch:
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
// A scope stays if an exit leaves it from inside a loop, a switch or another scope. It also stays
// if both branches reach the code after the if, or if it has many exits, which would nest the code
// too deeply.
var ScopeToIf = opt.Pass{
	Name: "scope-to-if",
	Doc:  "convert scopes whose exits end branches to ifs",
	Run: func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			t := scopeConverter{f: f}
			if f.Had(&scopes) && t.block(f.Entry) {
				f.ApplyReplacements()
			}
		}
	},
}

var scopes = op.SetOf(op.Scope)

// maxExits is the greatest number of exits of a scope that is converted.
const maxExits = 6

type scopeConverter struct {
	f       *ir.Func
	scope   ir.Inst
	results []ir.Value // of the scope
}

// block converts the scopes in a block, the inner ones first, and reports whether it changed any.
func (t *scopeConverter) block(b ir.Block) (changed bool) {
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
			if t.count() <= maxExits && t.isConvertible(f.First(f.Region(i, 0))) {
				t.convert(f.Region(i, 0), i)
				t.inlineScope()
				changed = true
			}
		}
		i = next
	}
	return changed
}

// count returns the number of exits of the scope.
func (t *scopeConverter) count() (n int) {
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
func (t *scopeConverter) leaves(i ir.Inst) bool {
	f := t.f
	b := f.BlockOf(i)
	for at, end := f.After(i, b), f.AfterRegions(i, b); at != end; at = f.After(at, b) {
		if f.Op(at) == op.Exit && f.Target(at) == t.scope {
			return true
		}
	}
	return false
}

// branches returns the branch of an if that reaches the code after it, or 0 if none does. ok is
// false if both do, or if nested exits do.
func (t *scopeConverter) branches(i ir.Inst) (falls ir.Block, ok bool) {
	f := t.f
	exits := 0
	for n := range 2 {
		b := f.Region(i, n)
		if last := f.Last(b); f.Op(last) == op.Exit && f.Target(last) == i {
			exits++
			falls = b
		}
	}
	b := f.BlockOf(i)
	for at, end := f.After(i, b), f.AfterRegions(i, b); at != end; at = f.After(at, b) {
		if f.Op(at) == op.Exit && f.Target(at) == i {
			exits--
		}
	}
	return falls, exits == 0 && !(f.Op(f.Last(f.Region(i, 0))) == op.Exit && f.Target(f.Last(f.Region(i, 0))) == i && falls == f.Region(i, 1))
}

// isConvertible reports whether all exits of the scope, from an instruction on, end branches.
func (t *scopeConverter) isConvertible(i ir.Inst) bool {
	f := t.f
	for ; i != 0; i = f.Next(i) {
		if !f.Op(i).Is(op.Control) || !t.leaves(i) {
			continue
		}
		if f.Op(i) != op.If {
			return false
		}
		if _, ok := t.branches(i); !ok || !t.isConvertible(f.First(f.Region(i, 0))) || !t.isConvertible(f.First(f.Region(i, 1))) {
			return false
		}
	}
	return true
}

// convert retargets the exits of the scope at the ends of a block to an instruction around the
// block.
func (t *scopeConverter) convert(b ir.Block, to ir.Inst) {
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
	falls, _ := t.branches(i)
	following := f.Next(i)
	if falls != 0 {
		last := f.Last(falls)
		for n, r := range f.Results(i) {
			f.Replace(r, f.Arg(last, n))
		}
		f.Remove(last)
	}
	f.SetResults(i, nil)
	for following != 0 {
		next := f.Next(following)
		if falls != 0 {
			f.Unlink(following)
			f.Append(falls, following)
		} else {
			f.Remove(following)
		}
		following = next
	}
	var results []ir.Value
	for _, r := range t.results {
		results = append(results, f.AddResult(i, f.TypeOf(r)))
	}
	t.convert(f.Region(i, 0), i)
	t.convert(f.Region(i, 1), i)
	f.Append(b, f.NewInst(op.Exit, ir.Void, uint32(to), f.SpanOf(i), results...))
}

// inlineScope replaces a scope by its body, if only the last instruction leaves it.
func (t *scopeConverter) inlineScope() {
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
