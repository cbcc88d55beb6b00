package opt

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// SoftwarePipeline is software pipelining (Lam, PLDI 1988) of loads from global memory. It loads
// what the next iteration of a loop puts into workgroup memory while this iteration works with what
// is there:
//
//	                                     if (0 < n) { x = a[f(0)]; }
//	for (var k = 0; k < n; k++) {  ─►  for (var k = 0; k < n; k++) {
//	  tile[t] = a[f(k)];                   tile[t] = x;
//	  workgroupBarrier();                  workgroupBarrier();
//	                                       if (k + 1 < n) { x = a[f(k+1)]; }
//	  …work with tile…                     …work with tile…
//	  workgroupBarrier();                  workgroupBarrier();
//	}                                    }
//
// Most of the time of such an iteration is the latency of global memory, for which all
// invocations wait before the barrier. Here the loads are in flight while they work. Targets'
// compilers do not do that: they move no load across a barrier.
//
// The loads are of memory that no invocation writes while the kernel runs, so it does not matter
// when they happen. Each load is one that the loop would do. It is executed only where the loop's
// own test holds for the next iteration's values, and the loop is left nowhere else. The test and
// the addresses are computed from the loop's parameters by pure operations, which are copied for
// the next iteration. The price is registers, whose count is bounded.
var SoftwarePipeline = Pass{
	Name:  "software-pipeline",
	Doc:   "software pipelining: load the next iteration's tile of workgroup memory during the work on the current one",
	Needs: ir.Structured,
	Run: func(c *Context, m *ir.Module) {
		p := Scratch[pipeliner](c, "software-pipeline")
		for _, f := range m.Funcs {
			if f.Had(&indexingLoops) && f.Had(&barriers) {
				p.run(f)
			}
		}
	},
}

var barriers = op.SetOf(op.ControlBarrier)

const (
	// maxInFlightWords bounds the words that an invocation has in flight: registers that the work
	// does not have.
	maxInFlightWords = 16
	// maxCopied bounds the instructions that are copied for the next iteration's test and
	// addresses.
	maxCopied = 256
	// maxCopyDepth bounds how far an operand is followed.
	maxCopyDepth = 32
)

type pipeliner struct {
	f         *ir.Func
	memory    analysis.Memory
	continued analysis.Continued
	// loop is the current loop. It is left by test alone, in the region leave. The
	// work begins after barrier.
	loop, test, barrier ir.Inst
	leave               int
	// stored says, by local value, that it gets into workgroup memory before the barrier.
	stored []bool
	// loads are those that move.
	loads []ir.Inst
	// next is the iteration of which copies are made, current the one in which they are.
	next, current iteration
	copies        int
	build         ir.Builder
	passed        []ir.Value
	args          []ir.Value
}

func (p *pipeliner) run(f *ir.Func) {
	p.f = f
	analysed := false
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Loop || !p.isStaged(i) {
			continue
		}
		if !analysed {
			p.memory.Analyse(f) // stays true of what this pass does
			analysed = true
		}
		p.continued.Enter(f)
		if p.collect() && p.canCopyAll() {
			p.rewrite()
		}
	}
}

// isStaged finds the test and the barrier of a loop, and reports whether it is one of those
// described. Such a loop is left by the test alone, and continues at its end alone.
func (p *pipeliner) isStaged(loop ir.Inst) bool {
	f := p.f
	p.loop, p.barrier = loop, 0
	if p.test, p.leave = exitTest(f, loop); p.test == 0 {
		return false
	}
	body := f.Region(loop, 0)
	last := f.Terminator(body)
	next := f.Terminator(f.Region(loop, 1))
	if last == 0 || f.Op(last) != op.Continue || f.Target(last) != loop || next == 0 || f.Op(next) != op.Next || f.Target(next) != loop {
		return false
	}
	if _, condition, _ := f.NextArgs(next); condition != ir.NoValue {
		return false
	}
	for i := f.Next(p.test); i != 0; i = f.Next(i) {
		switch o := f.Op(i); {
		case o.Is(op.Control):
			if _, further := f.Leaves(i); further {
				return false
			}
		case o == op.ControlBarrier && op.Memory(f.Aux(i))&op.SubgroupScope != 0:
			return false
		case o == op.ControlBarrier && p.barrier == 0 && op.Memory(f.Aux(i))&op.WorkgroupMemory != 0:
			p.barrier = i
		}
	}
	if _, further := f.Leaves(p.test); p.barrier == 0 || !further {
		return false
	}
	return p.hasWork()
}

// hasWork reports whether there is a loop after the barrier, or as much as a short loop comes to,
// during which loads may be in flight.
func (p *pipeliner) hasWork() bool {
	f := p.f
	size := 0
	body := f.Region(p.loop, 0)
	for i := f.Next(p.barrier); i != 0; i = f.After(i, body) {
		if size++; f.Op(i) == op.Loop || size > minOverlap {
			return true
		}
	}
	return false
}

// minOverlap is how many instructions without a loop are worth loading ahead for.
const minOverlap = 64

// collect finds the loads that move: of memory that is never written, before the barrier, into
// workgroup memory. It reports whether there are any, and not more than registers can hold.
func (p *pipeliner) collect() bool {
	f, m := p.f, p.f.Module
	p.stored = ir.Zeroed(p.stored, f.ValueCount())
	p.loads = p.loads[:0]
	words := uint32(0)
	for i := f.Prev(p.barrier); i != p.test; i = f.Prev(i) {
		switch o := f.Op(i); {
		case o == op.Store && m.SpaceOf(f.TypeOf(f.Arg(i, 0))) == ir.Workgroup:
			p.mark(f.Arg(i, 1))
		case o == op.Load && p.stored[f.Result(i)] && p.isConstant(f.Arg(i, 0)):
			n, ok := m.Slots(f.Type(i))
			if words += n; !ok || words > maxInFlightWords {
				return false
			}
			p.loads = append(p.loads, i)
		case o.Pure() && !o.Is(op.Control) && f.Result(i) != 0 && p.stored[f.Result(i)]:
			for _, a := range f.Args(i) {
				p.mark(a)
			}
		}
	}
	slices.Reverse(p.loads) // into program order
	return len(p.loads) > 0
}

func (p *pipeliner) mark(v ir.Value) {
	if v.IsLocal() {
		p.stored[v] = true
	}
}

// isConstant reports whether a pointer leads to memory of a buffer that is not written while the
// kernel runs.
func (p *pipeliner) isConstant(pointer ir.Value) bool {
	space := p.f.Module.SpaceOf(p.f.TypeOf(pointer))
	return (space == ir.Storage || space == ir.Uniform) && p.memory.Class(pointer) == 0
}

// canCopyAll reports whether the test and the addresses of the loads can be computed for the first
// iteration and for the next one.
func (p *pipeliner) canCopyAll() bool {
	f := p.f
	p.next.begin(f)
	p.copies = 0
	ok := p.canCopy(f.Arg(p.test, 0), maxCopyDepth)
	for _, i := range p.loads {
		ok = ok && p.canCopy(f.Arg(i, 0), maxCopyDepth)
	}
	return ok
}

// canCopy reports whether a value of an iteration is made of the loop's parameters by pure
// operations, and these of those of the iteration before.
func (p *pipeliner) canCopy(v ir.Value, depth int) bool {
	f := p.f
	v = p.continued.Through(p.loop, v)
	if !isInside(f, v, p.loop) || p.next.of[v] != ir.NoValue {
		return true
	}
	if depth == 0 || p.copies > maxCopied {
		return false
	}
	p.next.set(v, v)
	i, ok := f.Def(v)
	if !ok {
		n := slices.Index(f.Params(f.Region(p.loop, 0)), v)
		return n >= 0 && p.canCopy(p.after(n), depth-1)
	}
	if !f.Op(i).Pure() || f.Op(i).Is(op.Control) {
		return false
	}
	p.copies++
	for _, a := range f.Args(i) {
		if !p.canCopy(a, depth-1) {
			return false
		}
	}
	return true
}

// after returns what the n-th parameter of the loop is in the next iteration, by values of this
// one.
func (p *pipeliner) after(n int) ir.Value {
	f := p.f
	after, _, _ := f.NextArgs(f.Terminator(f.Region(p.loop, 1)))
	return after[n]
}

// rewrite moves the loads: to before the loop for its first iteration, and to after the barrier
// for the next one.
func (p *pipeliner) rewrite() {
	f, m := p.f, p.f.Module
	p.build.F = f
	p.passed = p.passed[:0]
	for _, i := range p.loads {
		p.passed = append(p.passed, m.Zero(f.Type(i)))
	}
	p.next.begin(f)
	for n, x := range f.Params(f.Region(p.loop, 0)) {
		p.next.set(x, f.Arg(p.loop, n))
	}
	p.build.SetBefore(p.loop)
	p.load()
	for n, i := range p.loads {
		x := f.AddLoopParam(p.loop, p.passed[n])
		f.SetName(x, f.ValueName(f.Result(i)))
		f.Replace(f.Result(i), x)
		p.passed[n] = x
	}

	p.next.begin(f)
	p.current.begin(f)
	p.build.SetBefore(f.Next(p.barrier))
	p.load()
	body, continuing := f.Region(p.loop, 0), f.Region(p.loop, 1)
	for n, i := range p.loads {
		f.AppendArg(f.Terminator(body), p.passed[n])
		f.AppendArg(f.Terminator(continuing), f.AddParam(continuing, f.Type(i)))
		f.Remove(i)
	}
	f.ApplyReplacements()
}

// load builds the loads of the iteration then, under the test that there is one, and leaves their
// results in passed. If there is none, the results are what was in passed before.
func (p *pipeliner) load() {
	f, b := p.f, &p.build
	b.Span = f.SpanOf(p.loop)
	test := b.If(p.copy(&p.next, f.Arg(p.test, 0)))
	b.SetBlock(f.Region(test, p.leave))
	b.Exit(test, p.passed...)
	b.SetBlock(f.Region(test, 1-p.leave))
	for n, i := range p.loads {
		p.passed[n] = p.clone(&p.next, i)
	}
	b.Span = f.SpanOf(p.loop)
	b.Exit(test, p.passed...)
	for n, x := range p.passed {
		p.passed[n] = f.AddResult(test, f.TypeOf(x))
	}
}

// copy returns what a value of the loop is in an iteration, computed at the builder's position.
func (p *pipeliner) copy(in *iteration, v ir.Value) ir.Value {
	f := p.f
	v = p.continued.Through(p.loop, v)
	if !isInside(f, v, p.loop) {
		return v
	}
	if x := in.of[v]; x != ir.NoValue {
		return x
	}
	i, ok := f.Def(v)
	switch {
	case ok:
		return in.set(v, p.clone(in, i))
	case in == &p.current: // a parameter of the loop, which is visible
		return v
	}
	return in.set(v, p.copy(&p.current, p.after(slices.Index(f.Params(f.Region(p.loop, 0)), v))))
}

// clone makes an instruction of the loop again, of what its operands are in an iteration, and
// returns its result.
func (p *pipeliner) clone(in *iteration, i ir.Inst) ir.Value {
	f := p.f
	n := len(p.args)
	for _, a := range f.Args(i) {
		p.args = append(p.args, p.copy(in, a))
	}
	made := f.NewInst(f.Op(i), f.Type(i), f.Aux(i), f.SpanOf(i), p.args[n:]...)
	p.args = p.args[:n]
	f.SetFlags(made, f.Flags(i))
	p.build.Insert(made)
	return f.Result(made)
}

// iteration says what the values of a loop are in one of its iterations, as far as they were
// copied.
type iteration struct {
	of    []ir.Value // by local value, or NoValue
	known []ir.Value // those that are not NoValue
}

// begin forgets everything.
func (t *iteration) begin(f *ir.Func) {
	for _, v := range t.known {
		t.of[v] = ir.NoValue
	}
	t.known = t.known[:0]
	if n := f.ValueCount(); len(t.of) < n {
		t.of = ir.Zeroed(t.of, n)
	}
}

func (t *iteration) set(v, x ir.Value) ir.Value {
	t.of[v] = x
	t.known = append(t.known, v)
	return x
}
