package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// IndVarNormalize normalizes induction variables, as LLVM's IndVarSimplify does. A loop may start
// at a value that differs between invocations and still have the same trip count for all of them.
// Loops in which a workgroup shares the elements of a tile are such. They are made to count from
// zero:
//
//	for (var e = t; e < 1024; e += 256) {  ─►  for (var q = 0; q < 1024; q += 256) {
//	  tile[e] = a[e];                            let e = t + q;
//	}                                            tile[e] = a[e];
//	                                           }
//
// with 0 ≤ t < 256. Then the trip count is known, and Unroll unrolls the loop: its loads are in
// flight at once, and SoftwarePipeline finds them. Targets whose compilers unroll such a loop keep
// tests between its iterations. A loop that moves nothing from or to a buffer, or has loops in it,
// gains nothing and may be large.
//
// The trip count is ⌈(end - start) / step⌉. It is the same for all starts if it is the same for the
// least and the greatest, which analysis.Ranges knows. Only loops with few enough iterations to be
// unrolled are changed.
var IndVarNormalize = Pass{
	Name:  "indvar-normalize",
	Doc:   "normalise induction variables to start at zero, where the trip count is the same for all starts",
	Needs: ir.Structured,
	Run: func(c *Context, m *ir.Module) {
		z := Scratch[indVarNormalizer](c, "indvar-normalize")
		for _, f := range m.Funcs {
			if f.Had(&indexingLoops) {
				z.run(f)
			}
		}
	},
}

type indVarNormalizer struct {
	f         *ir.Func
	continued analysis.Continued
	ranges    analysis.Ranges
}

// inductionVar is the count of a loop that counts up from a start that is not constant.
type inductionVar struct {
	loop  ir.Inst
	index int // the index of the count among the parameters
	test  ir.Inst
	leave int      // the region of the test that leaves the loop
	step  ir.Inst  // adds to the count
	by    uint64   // what it adds
	end   uint64   // the loop goes on while the count is less
	limit uint64   // the greatest value of the count's type
	start ir.Value // what it begins with
}

func (z *indVarNormalizer) run(f *ir.Func) {
	z.f = f
	z.continued.Enter(f)
	analysed := false
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Loop || !z.moves(i) {
			continue
		}
		for n := range f.Args(i) {
			s, ok := z.recognize(i, n)
			if !ok {
				continue
			}
			if !analysed {
				z.ranges.Analyse(f)
				analysed = true
			}
			if tripCount := z.tripCount(&s); tripCount > 0 {
				z.rewrite(&s, tripCount)
				z.continued.Enter(f)
				analysed = false
			}
			break // the test is of this parameter
		}
	}
}

// moves reports whether a loop without loops in it loads from a buffer or stores there.
func (z *indVarNormalizer) moves(loop ir.Inst) (some bool) {
	f := z.f
	b := f.BlockOf(loop)
	for i, end := f.After(loop, b), f.AfterRegions(loop, b); i != end; i = f.After(i, b) {
		switch f.Op(i) {
		case op.Loop:
			return false
		case op.Load, op.Store:
			space := f.Module.SpaceOf(f.TypeOf(f.Arg(i, 0)))
			some = some || space == ir.Storage || space == ir.Uniform
		}
	}
	return some
}

// recognize tells whether the n-th parameter of a loop counts as described, from whatever start.
func (z *indVarNormalizer) recognize(loop ir.Inst, n int) (s inductionVar, ok bool) {
	f, m := z.f, z.f.Module
	s = inductionVar{loop: loop, index: n, start: f.Args(loop)[n]}
	body, continuing := f.Region(loop, 0), f.Region(loop, 1)
	p := f.Params(body)[n]
	switch f.TypeOf(p) {
	case ir.U32:
		s.limit = 1<<32 - 1
	case ir.I32:
		s.limit = 1<<31 - 1
	default:
		return s, false
	}
	next := f.Terminator(continuing)
	if !s.start.IsLocal() || next == 0 || f.Op(next) != op.Next {
		return s, false
	}
	if s.test, s.leave = exitTest(f, loop); s.test == 0 {
		return s, false
	}
	compare, isInst := f.Def(f.Arg(s.test, 0))
	if !isInst || f.Op(compare) != op.Lt || s.leave != 1 || f.Arg(compare, 0) != p {
		return s, false
	}
	if s.end, ok = m.ConstUint(f.Arg(compare, 1)); !ok || s.end > s.limit {
		return s, false
	}
	step, by := increment(f, &z.continued, loop, n)
	if step == 0 {
		return s, false
	}
	s.step = step
	s.by, ok = m.ConstUint(by)
	// The block that makes the next count does not see what the body defines, so nothing else may
	// be made of the count there.
	for i := f.First(continuing); i != 0; i = f.After(i, continuing) {
		for _, a := range f.Args(i) {
			if a == p && i != s.step || a == f.Result(s.step) && i != next {
				return s, false
			}
		}
	}
	return s, ok && s.by > 0 && s.by <= s.limit && s.end > 0 && s.end-1 <= s.limit-s.by
}

// tripCount returns the trip count of a loop, or 0 if it is not known or greater than
// maxShortTripCount.
func (z *indVarNormalizer) tripCount(s *inductionVar) uint64 {
	start := z.ranges.Of(s.start)
	if start.Empty() || start.Low < 0 || uint64(start.End)-1 >= s.end {
		return 0
	}
	most, least := s.count(uint64(start.Low)), s.count(uint64(start.End)-1)
	if most != least || most > maxShortTripCount || most*s.by > s.limit {
		return 0
	}
	return most
}

// count returns the trip count of the loop from a start below its end.
func (s *inductionVar) count(start uint64) uint64 { return (s.end - start + s.by - 1) / s.by }

// rewrite lets the loop count from zero.
func (z *indVarNormalizer) rewrite(s *inductionVar, tripCount uint64) {
	f, m := z.f, z.f.Module
	body, continuing := f.Region(s.loop, 0), f.Region(s.loop, 1)
	p := f.Params(body)[s.index]
	t := f.TypeOf(p)
	sum := f.NewInst(op.Add, t, 0, f.SpanOf(s.loop), s.start, p)
	f.SetName(f.Result(sum), f.ValueName(p))
	f.SetName(p, "")
	f.Replace(p, f.Result(sum))
	f.ApplyReplacements()
	f.InsertBefore(f.First(body), sum)
	f.SetArg(sum, 1, p)
	f.SetArg(s.loop, s.index, m.ConstInt(t, 0))

	less := f.NewInst(op.Lt, ir.Bool, 0, f.SpanOf(s.test), p, m.ConstInt(t, int64(tripCount*s.by)))
	f.InsertBefore(s.test, less)
	f.SetArg(s.test, 0, f.Result(less))

	next := f.Terminator(continuing)
	step := f.NewInst(op.Add, t, 0, f.SpanOf(s.step), p, m.ConstInt(t, int64(s.by)))
	f.InsertBefore(next, step)
	f.SetArg(next, s.index, f.Result(step))
	if f.BlockOf(s.step) == continuing {
		f.Remove(s.step)
	}
}
