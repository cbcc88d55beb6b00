package legalize

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is the trap mode of robust access. Where an index is out of range,
// the first invocation to come there, of all in the launches since the record was
// last empty, describes the fault in a storage buffer:
//
//	%in = lt %i, %n : bool
//	if ^f %in {
//	  exit ^f()
//	} else {
//	  %old = atomic_compare_exchange @fault.record.site, 0u, SITE : u32
//	  %first = eq %old, 0u : bool
//	  if ^g %first { … store the index, the length and the invocation … }
//	  exit ^f()
//	}
//
// Then everything goes on as in the robust mode: an invocation that left early
// would be missing at the next barrier.
//
// What is checked are uses of pointers, not accesses: those are pure, so that
// passes move them to where the source would not have gone. For the same reason
// licm holds loads and indices into values back in this mode.

// Trap is the trap mode alone, for targets that keep accesses within their
// variables without help. In the other modes it does nothing.
var Trap = opt.Pass{
	Name:  "trap",
	Doc:   "in trap mode, record the first access outside of its variable",
	Needs: ir.Bound,
	Run: func(c *opt.Context, m *ir.Module) {
		if c.Bounds == opt.BoundsTrap {
			Robust.Run(c, m)
		}
	},
}

// Names that no WGSL identifier equals.
const (
	recordName     = "fault.record"
	invocationName = "fault.invocation"
)

// trap is what the protector keeps for its checks.
type trap struct {
	on     bool
	faults *opt.Faults
	// tests are those of the guard that is being built.
	tests []indexTest
	// invocation is the global_invocation_id: the kernel's parameter, or a
	// private variable that functions read. It is NoValue until it is needed.
	invocation, copied ir.Value
	inKernel           bool
}

// indexTest is a test that an index is less than a count.
type indexTest struct {
	index, count, test ir.Value
	signed             bool
}

// begin starts a module.
func (t *trap) begin(c *opt.Context, m *ir.Module) {
	*t = trap{on: c.Bounds == opt.BoundsTrap, faults: &c.Faults, tests: t.tests[:0]}
}

// enter starts a function.
func (t *trap) enter(f *ir.Func) { t.invocation, t.inKernel = ir.NoValue, f.Kernel }

// note remembers a test in trap mode; original is the index before its bits were
// taken as unsigned.
func (t *trap) note(f *ir.Func, original, index, count, test ir.Value) {
	if t.on {
		k := f.Module.ScalarOf(f.TypeOf(original))
		t.tests = append(t.tests, indexTest{index, count, test, k == scalar.I32 || k == scalar.I64})
	}
}

// watch builds the checks of an instruction's pointers, but for the first one of
// an instruction that writes, whose guard has a place for it; and of an index
// into a value.
func (p *protector) watch(i ir.Inst, writes bool) {
	f := p.f
	switch o := f.Op(i); {
	case o == op.Access, o.Is(op.Control), o.Is(op.Terminator):
		return
	case o == op.Extract, o == op.Insert:
		p.watchIndex(i)
		return
	}
	for n := range f.Args(i) {
		if v := f.Arg(i, n); n == 0 && writes || !v.IsLocal() || !p.m.IsPointer(f.TypeOf(v)) {
			continue
		}
		if p.follow(f.Arg(i, n)) {
			p.check(i, p.test(i))
		}
	}
}

// watchIndex checks an index into a vector, array or matrix value, and clamps it.
func (p *protector) watchIndex(i ir.Inst) {
	f := p.f
	args := f.Args(i)
	original := args[len(args)-1]
	count, ok := p.m.Count(f.TypeOf(args[0]))
	if !ok || original.IsConst() || p.ranges.proves(i, 0) {
		return
	}
	p.chain, p.trap.tests = p.chain[:0], p.trap.tests[:0]
	p.b.SetBefore(i)
	p.b.Span, p.b.Flags = f.SpanOf(i), 0
	index := p.unsigned(original)
	length := p.integer(f.TypeOf(index), int64(count))
	test := p.op(op.Lt, index, length)
	p.trap.note(f, original, index, length, test)
	f.SetArg(i, len(args)-1, p.op(op.Min, index, p.integer(f.TypeOf(index), int64(count)-1)))
	p.check(i, test)
}

// check builds the record of a fault where the condition does not hold.
func (p *protector) check(i ir.Inst, condition ir.Value) {
	test := p.b.If(condition)
	p.b.SetBlock(p.f.Region(test, 0))
	p.b.Exit(test)
	p.b.SetBlock(p.f.Region(test, 1))
	p.record(i)
	p.b.Exit(test)
}

// record builds, where the builder stands, what an invocation does whose access
// is out of range, by the tests noted last. Outside of trap mode that is nothing.
func (p *protector) record(i ir.Inst) {
	t := &p.trap
	if !t.on {
		return
	}
	f, m := p.f, p.m
	invocation := p.invocation()
	record := p.recordVariable()
	last := len(t.tests) - 1
	index, count, signed := t.tests[last].index, t.tests[last].count, t.tests[last].signed
	index, count = p.convert(scalar.U32, index), p.convert(scalar.U32, count)
	for n := last - 1; n >= 0; n-- { // the first test that fails says which index it was
		e := &t.tests[n]
		index = p.choose(e.test, index, p.convert(scalar.U32, e.index))
		count = p.choose(e.test, count, p.convert(scalar.U32, e.count))
		signed = signed && e.signed
	}
	t.faults.Sites = append(t.faults.Sites, p.site(i, signed))
	site := m.ConstU32(uint32(len(t.faults.Sites))) // 0 in the record means none

	old := p.b.Emit(op.AtomicCompareExchange, ir.U32, 0, p.b.Access(record, m.ConstU32(0)), m.ConstU32(0), site)
	test := p.b.If(p.b.Op(op.Eq, old, m.ConstU32(0)))
	p.b.SetBlock(f.Region(test, 0))
	for n, v := range [...]ir.Value{index, count, invocation} {
		p.b.Store(p.b.Access(record, m.ConstU32(uint32(n+1))), v)
	}
	outer := f.BlockOf(test)
	p.b.Exit(test)
	p.b.SetBlock(f.Region(test, 1))
	p.b.Exit(test)
	p.b.SetBlock(outer)
}

// site describes the place of an instruction whose accesses are in the chain.
func (p *protector) site(i ir.Inst, signed bool) opt.FaultSite {
	f := p.f
	s := opt.FaultSite{Span: f.SpanOf(i), Signed: signed}
	if len(p.chain) == 0 {
		return s
	}
	// The left side of an assignment says more than all of it; an access that a
	// pass found in several places may be that of another line.
	if a := f.SpanOf(p.chain[0]); a.Valid() && (!s.Span.Valid() || s.Span.Start <= a.Start && a.End <= s.Span.End) {
		s.Span = a
	}
	base := f.Arg(p.chain[len(p.chain)-1], 0)
	if base.IsGlobal() {
		s.Variable = p.m.Global(base).Name
	} else {
		s.Variable = f.ValueName(base)
	}
	return s
}

// recordVariable returns the address of the record, which the first fault of a
// module declares behind all other bindings. Its layout is abi.FaultRecord's.
func (p *protector) recordVariable() ir.Value {
	m, faults := p.m, p.trap.faults
	if faults.Record != ir.NoValue {
		return faults.Record
	}
	g := ir.Global{Name: recordName, Bound: true}
	placeLast(m, &g)
	t := m.NewStruct(recordName, []ir.Member{
		{Name: "site", Type: m.AtomicOf(ir.U32), Offset: abi.FaultSiteOffset},
		{Name: "index", Type: ir.U32, Offset: abi.FaultIndexOffset},
		{Name: "length", Type: ir.U32, Offset: abi.FaultLengthOffset},
		{Name: "invocation", Type: m.VectorOf(ir.U32, 3), Offset: abi.FaultInvocationOffset},
	}, abi.FaultRecordBytes, 16)
	g.Type = m.PointerTo(ir.Storage, t, ir.ReadWrite)
	faults.Record = m.AddGlobal(g)
	return faults.Record
}

// invocation returns the global_invocation_id where the builder stands.
func (p *protector) invocation() ir.Value {
	t := &p.trap
	if !t.inKernel {
		return p.b.Load(p.copiedInvocation())
	}
	if t.invocation == ir.NoValue {
		t.invocation = globalInvocation(p.f)
	}
	return t.invocation
}

// globalInvocation returns a kernel's parameter, which is added if it is missing.
func globalInvocation(f *ir.Func) ir.Value {
	for n, b := range f.Builtins {
		if b == ir.GlobalInvocationID {
			return f.Params(f.Entry)[n]
		}
	}
	f.Builtins = append(f.Builtins, ir.GlobalInvocationID)
	v := f.AddParam(f.Entry, f.Module.VectorOf(ir.U32, 3))
	f.SetName(v, invocationName)
	return v
}

// copiedInvocation returns the private variable in which kernels leave their
// global_invocation_id for the functions they call.
func (p *protector) copiedInvocation() ir.Value {
	t, m := &p.trap, p.m
	if t.copied == ir.NoValue {
		pointer := m.PointerTo(ir.Private, m.VectorOf(ir.U32, 3), ir.ReadWrite)
		t.copied = m.AddGlobal(ir.Global{Name: invocationName, Type: pointer})
		for _, f := range m.Funcs {
			if f.Kernel {
				b := ir.Builder{F: f, Span: f.Span}
				b.SetBefore(behindVariables(f))
				b.Store(t.copied, globalInvocation(f))
			}
		}
	}
	return t.copied
}
