package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// StripMine strip-mines a loop that fills a tile of workgroup memory together with the loop that
// uses it (Allen and Kennedy, Optimizing Compilers for Modern Architectures, §5.4). It does so
// where the tile needs so much memory that few workgroups run at once:
//
//	for j < 64 { tile[j] = a[base+j]; }       for s < 8 {
//	barrier;                                    for j < 8 { tile[j] = a[base+8*s+j]; }
//	for j < 64 { use(base+j, tile[j]); }  ─►    barrier;
//	barrier;                                    for j < 8 { use(base+8*s+j, tile[j]); }
//	                                            barrier;
//	                                          }
//
// The tile has a row for each iteration, of which iteration j of the first loop stores all, and
// iteration j of both loops accesses no other. The order of all iterations of the second loop
// stays. Those of the first now follow some of the second, so the second may store only in
// variables of the invocation, and the first only in the tile.
//
// A few iterations of the second loop become one, so that their sums overlap.
var StripMine = Pass{
	Name:  "strip-mine",
	Doc:   "strip-mine loops that fill and use large tiles of workgroup memory",
	Needs: ir.Structured,
	Run: func(c *Context, m *ir.Module) {
		s := Scratch[stripMiner](c, "strip-mine")
		for _, f := range m.Funcs {
			if f.Kernel && f.Had(&barriers) && f.Had(&indexingLoops) {
				s.run(m, f)
			}
		}
	},
}

const (
	// stripBytes is how much workgroup memory an invocation may have: of 32 KiB, 128 of them run.
	stripBytes = 256
	// minStrip is the smallest number of rows of a strip. There are targets whose compilers fully
	// unroll loops of 16 iterations, however much they do, and the code of such strips exceeds the
	// instruction cache.
	minStrip = 32
	// rowsAtOnce is how many iterations of the second loop become one, so that their sums overlap.
	rowsAtOnce = 4
)

type stripMiner struct {
	m         *ir.Module
	f         *ir.Func
	continued analysis.Continued
	uses      []uint32
	tiles     []ir.Value
	items     int64 // invocations of a workgroup
	unrolled  unroller
}

// stripLoop is a loop that counts by one from zero to a constant.
type stripLoop struct {
	loop    ir.Inst
	index   int // the index of the count among the parameters
	count   ir.Value
	compare ir.Inst // of the first test
	step    ir.Inst
	exit    ir.Inst
	end     uint64
}

func (s *stripMiner) run(m *ir.Module, f *ir.Func) {
	s.m, s.f = m, f
	s.items = 1
	for _, v := range f.Workgroup {
		x, ok := m.ConstUint(v)
		if !ok {
			return
		}
		s.items *= int64(x)
	}
	bytes := s.workgroupBytes()
	if bytes <= stripBytes*s.items {
		return
	}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Loop || !s.isBarrier(f.Next(i)) {
			continue
		}
		second := f.Next(f.Next(i))
		if second == 0 || f.Op(second) != op.Loop || !s.isBarrier(f.Next(second)) {
			continue
		}
		if s.stripMine(i, second, bytes, stripBytes*s.items) {
			return
		}
	}
}

// workgroupBytes returns how much workgroup memory the kernel, and what it may call, uses.
func (s *stripMiner) workgroupBytes() (bytes int64) {
	s.tiles = s.tiles[:0]
	for _, f := range s.m.Funcs {
		if f.Kernel && f != s.f {
			continue
		}
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			for _, v := range f.Args(i) {
				if s.isWorkgroup(v) && !slices.Contains(s.tiles, v) {
					s.tiles = append(s.tiles, v)
				}
			}
		}
	}
	return s.bytes()
}

// bytes returns how large the variables in tiles are.
func (s *stripMiner) bytes() (bytes int64) {
	for _, v := range s.tiles {
		bytes += int64(s.m.Size(s.m.Element(s.m.Globals[v.Index()].Type)))
	}
	return bytes
}

// isWorkgroup reports whether a value is a variable of the workgroup.
func (s *stripMiner) isWorkgroup(v ir.Value) bool {
	return v.IsGlobal() && s.m.SpaceOf(s.m.Globals[v.Index()].Type) == ir.Workgroup
}

// isBarrier reports whether an instruction is a barrier that orders workgroup memory.
func (s *stripMiner) isBarrier(i ir.Inst) bool {
	return i != 0 && s.f.Op(i) == op.ControlBarrier && op.Memory(s.f.Aux(i)) == op.WorkgroupMemory
}

// stripMine strip-mines two loops with barriers after both, so that the kernel's workgroup memory
// shrinks from some bytes to at most others. It reports whether it could.
func (s *stripMiner) stripMine(first, second ir.Inst, bytes, most int64) bool {
	s.continued.Enter(s.f)
	s.uses = s.f.CountUses(s.uses)
	a, ok := s.counted(first)
	if !ok || len(s.f.Args(first)) != 1 || s.f.ResultCount(first) != 0 {
		return false
	}
	b, ok := s.counted(second)
	if !ok || a.end != b.end || s.f.TypeOf(a.count) != s.f.TypeOf(b.count) || !s.fills(&a) || !s.consumes(&b) || !s.findTiles(&a, &b) || !s.fillsRows(&a) || !s.resultsAreKnown(&b) {
		return false
	}
	tile := s.bytes()
	for size := a.end / 2; size >= minStrip; size-- {
		if a.end%size == 0 && bytes-tile+tile/int64(a.end)*int64(size) <= most {
			s.rewrite(&a, &b, size)
			return true
		}
	}
	return false
}

// counted recognises a loop that counts by one from zero to a constant. Its first test is its only
// exit, and its continuing block only adds one to the count.
func (s *stripMiner) counted(loop ir.Inst) (l stripLoop, ok bool) {
	f, m := s.f, s.m
	test, leave := exitTest(f, loop)
	next := f.Terminator(f.Region(loop, 1))
	if test == 0 || leave != 1 || next == 0 || f.Op(next) != op.Next {
		return l, false
	}
	compare, ok := f.Def(f.Arg(test, 0))
	if !ok || f.Op(compare) != op.Lt || s.uses[f.Result(compare)] != 1 {
		return l, false
	}
	count := f.Arg(compare, 0)
	index := slices.Index(f.Params(f.Region(loop, 0)), count)
	end, isConst := m.ConstUint(f.Arg(compare, 1))
	if t := f.TypeOf(count); index < 0 || !isConst || t != ir.I32 && t != ir.U32 || f.Arg(loop, index) != m.ConstInt(t, 0) {
		return l, false
	}
	after, breaks, _ := f.NextArgs(next)
	step, ok := f.Def(after[index])
	if !ok || breaks != ir.NoValue || f.Op(step) != op.Add || f.Arg(step, 0) != count || f.Arg(step, 1) != m.ConstInt(f.TypeOf(count), 1) ||
		s.uses[f.Result(step)] != 1 || f.BlockOf(step) != f.Region(loop, 1) {
		return l, false
	}
	for i := f.First(f.Region(loop, 1)); i != 0; i = f.After(i, f.Region(loop, 1)) {
		if i != step && slices.Contains(f.Args(i), count) {
			return l, false
		}
	}
	// Code in front of the test, or where it leaves, runs once more than the body, and once more
	// for each strip then: it must have no effects.
	for i := f.First(f.Region(loop, 0)); i != test; i = f.Next(i) {
		if o := f.Op(i); !o.Pure() && o != op.Access && o != op.Load {
			return l, false
		}
	}
	u := unroller{f: f, steps: maxFollowed}
	exit := u.onlyExit(loop)
	if exit == 0 || f.First(f.Region(test, 1)) != exit {
		return l, false
	}
	return stripLoop{loop: loop, index: index, count: count, compare: compare, step: step, exit: exit, end: end}, true
}

// fills reports whether a loop loads only from buffers, and stores only in workgroup memory.
func (s *stripMiner) fills(l *stripLoop) bool {
	return s.hasOnlyAccesses(l, func(space ir.Space) bool { return space == ir.Storage || space == ir.Uniform },
		func(space ir.Space) bool { return space == ir.Workgroup })
}

// consumes reports whether a loop stores only in variables of the invocation.
func (s *stripMiner) consumes(l *stripLoop) bool {
	return s.hasOnlyAccesses(l, func(space ir.Space) bool {
		return space == ir.Storage || space == ir.Uniform || space == ir.Workgroup || space == ir.Function
	}, func(space ir.Space) bool { return space == ir.Function })
}

// hasOnlyAccesses reports whether a loop has no effects but loads and stores in given address
// spaces, and nothing in it leaves it but its test.
func (s *stripMiner) hasOnlyAccesses(l *stripLoop, loads, stores func(ir.Space) bool) bool {
	f := s.f
	b := f.BlockOf(l.loop)
	for i, end := f.After(l.loop, b), f.AfterRegions(l.loop, b); i != end; i = f.After(i, b) {
		switch o := f.Op(i); {
		case o == op.Load:
			if !loads(s.m.SpaceOf(f.TypeOf(f.Arg(i, 0)))) {
				return false
			}
		case o == op.Store:
			if !stores(s.m.SpaceOf(f.TypeOf(f.Arg(i, 0)))) {
				return false
			}
		case o == op.Exit, o == op.Continue, o == op.Next:
			if target := f.Target(i); target != l.loop && !isInsideOf(f, target, l.loop) {
				return false
			}
		case o.Is(op.Terminator), !o.Pure() && o != op.Access && !o.Is(op.Control):
			return false
		}
	}
	return true
}

// findTiles finds the workgroup variables that the loops access. It reports whether each has a row
// for each iteration, and iteration j accesses row j, and nothing outside of the loops uses them.
func (s *stripMiner) findTiles(a, b *stripLoop) bool {
	s.tiles = s.tiles[:0]
	for _, f := range s.m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			for n, v := range f.Args(i) {
				if !s.isWorkgroup(v) {
					continue
				}
				l := a
				if f == s.f && isInsideOf(f, i, b.loop) {
					l = b
				} else if f != s.f || !isInsideOf(f, i, a.loop) {
					continue
				}
				t := s.m.Element(s.m.Globals[v.Index()].Type)
				if count, ok := s.m.Count(t); n != 0 || f.Op(i) != op.Access || f.Arg(i, 1) != l.count || !ok || s.m.KindOf(t) != ir.ArrayType || uint64(count) != l.end {
					return false
				}
				if !slices.Contains(s.tiles, v) {
					s.tiles = append(s.tiles, v)
				}
			}
		}
	}
	for _, f := range s.m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			if (f != s.f || !isInsideOf(f, i, a.loop) && !isInsideOf(f, i, b.loop)) && slices.ContainsFunc(f.Args(i), func(v ir.Value) bool { return slices.Contains(s.tiles, v) }) {
				return false
			}
		}
	}
	return len(s.tiles) > 0
}

// fillsRows reports whether each iteration of the first loop stores a whole row of each tile. Else
// the second loop could read zeros, or what was stored before, and strips share that memory.
func (s *stripMiner) fillsRows(l *stripLoop) bool {
	f := s.f
	if !continuesAtEnd(f, l.loop) {
		return false
	}
	full := func(tile ir.Value) bool {
		for i := f.First(f.Region(l.loop, 0)); i != 0; i = f.Next(i) {
			if f.Op(i) != op.Store {
				continue
			}
			if access, ok := f.Def(f.Arg(i, 0)); ok && f.Op(access) == op.Access && f.Arg(access, 0) == tile && s.coversRow(access) {
				return true
			}
		}
		return false
	}
	return !slices.ContainsFunc(s.tiles, func(tile ir.Value) bool { return !full(tile) })
}

// coversRow reports whether the invocations of a workgroup together access a whole row of a tile.
func (s *stripMiner) coversRow(access ir.Inst) bool {
	f, m := s.f, s.m
	switch args := f.Args(access); len(args) {
	case 2:
		return true
	case 3:
		row := m.Element(m.Element(f.TypeOf(args[0])))
		width, ok := m.Count(row)
		return ok && m.KindOf(row) == ir.ArrayType && int64(width) <= s.items && s.isInvocation(args[2])
	}
	return false
}

// isInvocation reports whether a value is the index of the invocation in its workgroup.
func (s *stripMiner) isInvocation(v ir.Value) bool {
	f, m := s.f, s.m
	if n := slices.Index(f.Params(f.Entry), v); n >= 0 {
		return f.Builtins[n] == ir.LocalInvocationIndex
	}
	i, ok := f.Def(v)
	if !ok || f.Op(i) != op.Extract || f.Workgroup[1] != m.ConstU32(1) || f.Workgroup[2] != m.ConstU32(1) {
		return false
	}
	n := slices.Index(f.Params(f.Entry), f.Arg(i, 0))
	c, ok := m.ConstUint(f.Arg(i, 1))
	return n >= 0 && f.Builtins[n] == ir.LocalInvocationID && ok && c == 0
}

// resultsAreKnown reports whether a loop's results are its parameters, or defined in front of it.
func (s *stripMiner) resultsAreKnown(l *stripLoop) bool {
	f := s.f
	for _, v := range f.Args(l.exit) {
		if v == l.count {
			return false
		}
		if !v.IsLocal() || slices.Contains(f.Params(f.Region(l.loop, 0)), v) {
			continue
		}
		b := f.DefBlock(v)
		for p := b; p != f.Entry; p = f.BlockOf(f.Parent(p)) {
			if f.Parent(p) == l.loop {
				return false
			}
		}
	}
	return true
}

// rewrite puts a loop over strips around two loops and the barriers after them. size is the number
// of iterations, and rows, of a strip.
func (s *stripMiner) rewrite(a, b *stripLoop, size uint64) {
	f, m := s.f, s.m
	base := s.nest(b, size, a.loop, f.Next(a.loop), b.loop, f.Next(b.loop))
	s.shorten(a, base, size, s.tiles)
	s.shorten(b, base, size, s.tiles)
	for _, v := range s.tiles {
		g := &m.Globals[v.Index()]
		g.Type = m.PointerTo(ir.Workgroup, m.ArrayOf(m.Element(m.Element(g.Type)), m.ConstU32(uint32(size))), ir.ReadWrite)
	}
	if size%rowsAtOnce == 0 {
		s.shorten(b, s.nest(b, rowsAtOnce, b.loop), rowsAtOnce, nil)
		s.unrolled.enterFunction(m, f)
		if l, ok := s.unrolled.count(b.loop, rowsAtOnce); ok {
			s.unrolled.unroll(&l)
			f.ApplyReplacements()
		}
	}
}

// nest puts a new loop around l and the instructions beside it, those given: of l's iterations,
// each iteration of the new loop has so many. It returns the first of them. l still counts to its
// end; shorten changes that.
func (s *stripMiner) nest(l *stripLoop, size uint64, inside ...ir.Inst) (base ir.Value) {
	f, m := s.f, s.m
	span, t := f.SpanOf(inside[0]), f.TypeOf(l.count)
	outer := f.NewLoop(span)
	f.InsertBefore(inside[0], outer)
	count := f.AddLoopParam(outer, m.ConstInt(t, 0))
	params := slices.Clone(f.Params(f.Region(l.loop, 0)))
	carried := map[ir.Value]ir.Value{}
	var inner []ir.Value // the parameters of l but for its count
	for n, p := range params {
		if n == l.index {
			continue
		}
		carried[p] = f.AddLoopParam(outer, f.Arg(l.loop, n))
		f.SetName(carried[p], f.ValueName(p))
		inner = append(inner, p)
	}
	body, continuing := f.Region(outer, 0), f.Region(outer, 1)

	less := f.NewInst(op.Lt, ir.Bool, 0, span, count, m.ConstInt(t, int64(l.end/size)))
	f.Append(body, less)
	test := f.NewIf(f.Result(less), span)
	f.Append(body, test)
	f.Append(f.Region(test, 0), f.NewInst(op.Exit, ir.Void, uint32(test), span))
	product := f.NewInst(op.Mul, t, 0, span, count, m.ConstInt(t, int64(size)))
	f.Append(body, product)
	for _, i := range inside {
		f.Unlink(i)
		f.Append(body, i)
	}

	// The new loop has the results of l, which now yields its parameters.
	for _, r := range f.Results(l.loop) {
		v := f.AddResult(outer, f.TypeOf(r))
		f.SetName(v, f.ValueName(r))
		f.Replace(r, v)
	}
	results := slices.Clone(f.Args(l.exit))
	for n, v := range results {
		if c, ok := carried[v]; ok {
			results[n] = c
		}
	}
	f.Append(f.Region(test, 1), f.NewInst(op.Exit, ir.Void, uint32(outer), span, results...))
	f.SetResults(l.loop, nil)
	f.SetArgs(l.exit, inner...)
	var passed, next []ir.Value
	for n, p := range params {
		if n == l.index {
			continue
		}
		f.SetArg(l.loop, n, carried[p])
		passed = append(passed, f.AddResult(l.loop, f.TypeOf(p)))
	}
	f.Append(body, f.NewInst(op.Continue, ir.Void, uint32(outer), span, passed...))
	step := f.NewInst(op.Add, t, 0, span, count, m.ConstInt(t, 1))
	f.Append(continuing, step)
	next = append(next, f.Result(step))
	for _, v := range passed {
		next = append(next, f.AddParam(continuing, f.TypeOf(v)))
	}
	f.Append(continuing, f.NewInst(op.Next, ir.Void, uint32(outer), span, next...))
	f.ApplyReplacements()
	return f.Result(product)
}

// shorten lets a loop count to a size. Some tiles are indexed by that count, and everything else
// uses the sum of it and base, the first iteration.
func (s *stripMiner) shorten(l *stripLoop, base ir.Value, size uint64, tiles []ir.Value) {
	f, t := s.f, s.f.TypeOf(l.count)
	body := f.Region(l.loop, 0)
	sum := f.NewInst(op.Add, t, 0, f.SpanOf(l.loop), base, l.count)
	f.Replace(l.count, f.Result(sum))
	f.ApplyReplacements()
	f.InsertBefore(f.First(body), sum)
	f.SetArg(sum, 1, l.count)
	f.SetArg(l.compare, 0, l.count)
	f.SetArg(l.compare, 1, s.m.ConstInt(t, int64(size)))
	f.SetArg(l.step, 0, l.count)
	l.end = size
	for i, end := f.First(body), f.AfterRegions(l.loop, f.BlockOf(l.loop)); i != end; i = f.After(i, f.BlockOf(l.loop)) {
		if f.Op(i) == op.Access && slices.Contains(tiles, f.Arg(i, 0)) {
			f.SetArg(i, 1, l.count)
		}
	}
}
