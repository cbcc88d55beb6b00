package nvidia

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// ScalarizeVectorPhi is workaround nv-vector-phi. It scalarises negations and subtractions of
// vectors that a loop carries:
//
//	loop ^l (%v = %a) {              loop ^l (%v = %a) {
//	  %w = sub %c, %v : vec2<f32>      %w = construct (sub %c.x, %v.x), (sub %c.y, %v.y)
//	  next ^l(%w)              ─►      next ^l(%w)
//
// NVIDIA's Vulkan driver (580) confuses c - v with v - c, and -v with v, if the loop sums up only
// one component of such a vector. The type, and whether v is a phi or a variable, do not matter.
var ScalarizeVectorPhi = opt.Pass{
	Name: "nv-vector-phi",
	Doc:  "scalarise negations and subtractions of vectors that loops carry",
	Run: func(c *opt.Context, m *ir.Module) {
		v := opt.Scratch[carriedVectors](c, "nv-vector-phi")
		v.r = rewrite.New(c, m)
		for _, f := range m.Funcs {
			if f.Had(&rewrite.Loops) && f.Had(&signOps) {
				v.function(f)
			}
		}
	},
}

// signOps are the operations that may negate a value that a loop carries.
var signOps = op.SetOf(op.Neg, op.Sub, op.Mul, op.Div)

type carriedVectors struct {
	r rewrite.Rewriter
	// carried says, by local value, that a vector depends on one of an earlier iteration.
	carried []bool
	found   []ir.Inst
}

func (v *carriedVectors) function(f *ir.Func) {
	v.carried = ir.Zeroed(v.carried, f.ValueCount())
	v.found = v.found[:0]
	inside, end := false, ir.Inst(0) // of an outermost loop, and the instruction after it
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if inside && i == end {
			inside = false
		}
		if f.Op(i) == op.Loop {
			if !inside {
				inside, end = true, f.AfterRegions(i, f.Entry)
			}
			for n := range f.Blocks(i) {
				for _, p := range f.Params(f.Region(i, n)) {
					v.mark(f, p)
				}
			}
		}
		if inside {
			v.visit(f, i)
		}
	}
	v.r.F, v.r.B.F = f, f
	for _, i := range v.found {
		v.r.At(i)
		f.Replace(f.Result(i), rewrite.Componentwise(&v.r))
		f.Remove(i)
	}
	f.ApplyReplacements()
}

func (v *carriedVectors) mark(f *ir.Func, value ir.Value) {
	v.carried[value.Index()] = f.Module.IsVector(f.TypeOf(value))
}

// visit propagates carried through an instruction in a loop, and notes the instruction if it is to
// be replaced.
func (v *carriedVectors) visit(f *ir.Func, i ir.Inst) {
	switch o := f.Op(i); {
	case o == op.Exit:
		for n, a := range f.Args(i) {
			if v.depends(a) {
				v.mark(f, f.Results(f.Target(i))[n])
			}
		}
	case o.Is(op.Control), o.Is(op.Terminator), f.Result(i) == ir.NoValue:
	case o == op.Load: // an earlier iteration may have stored the value
		if s := f.Module.SpaceOf(f.TypeOf(f.Arg(i, 0))); s == ir.Function || s == ir.Private {
			v.mark(f, f.Result(i))
		}
	default:
		some, constant := false, false
		for _, a := range f.Args(i) {
			some = some || v.depends(a)
			constant = constant || a.IsConst()
		}
		if !some {
			return
		}
		v.mark(f, f.Result(i))
		if v.depends(f.Result(i)) && (o == op.Neg || o == op.Sub || constant && signOps.Has(o)) {
			v.found = append(v.found, i)
		}
	}
}

func (v *carriedVectors) depends(a ir.Value) bool { return a.IsLocal() && v.carried[a.Index()] }
