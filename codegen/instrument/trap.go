package instrument

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file has the trap mode. The first invocation whose index is out of range records the fault
// in a storage buffer. First means among all launches since the record was last empty.
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
// Execution then continues as in the robust mode: an invocation that returned would be missing at
// the next barrier.
//
// The checks are inserted before any pass moves, merges or removes an access (property as-written).
// They are conditional atomics, which no pass adds or removes. So the record describes the source
// on every target and with every pipeline. The accesses themselves are optimised and guarded as
// without checks.

// Trap inserts the checks of the trap mode. An access is checked where its pointer is used: an
// unused pointer out of range is no fault (WGSL, "Valid and Invalid Memory References"). No call
// passes pointers to parts of variables, since opt.Specialize has run.
var Trap = opt.Pass{
	Name:  "trap",
	Doc:   "in trap mode, before the portable passes: record the first access outside of its variable or value",
	Needs: ir.Bound | ir.Structured | ir.Rooted | ir.AsWritten,
	Keeps: ir.AsWritten,
	Run: func(c *opt.Context, m *ir.Module) {
		if m.WithRole(ir.FaultRecord) != ir.NoValue { // the module has its checks
			return
		}
		t := opt.Scratch[trap](c, "trap")
		t.variable, t.invocation = ir.NoValue, invocationID{name: invocationName}
		for _, f := range m.Funcs {
			t.Enter(c, f)
			t.Ranges.Indices = true
			t.Ranges.Analyse(f)
			t.Ranges.Indices = false
			t.seen = ir.Zeroed(t.seen, f.ValueCount())
			t.checked = t.checked[:0]
			t.invocation.parameter = ir.NoValue
			t.discardable, t.held = nil, map[ir.Inst][]heldCheck{}
			if c.Bounds != opt.BoundsTrapAll {
				t.discardable = f.Discardable()
			}
			t.block(f.Entry)
		}
	},
}

// Names that no WGSL identifier equals.
const (
	RecordName     = "fault.record"
	invocationName = "fault.invocation"
)

// trap makes the checks of one function at a time.
type trap struct {
	guard.Protector
	variable ir.Value // the record, NoValue until it is needed
	// seen marks, by value, the pointers that an earlier check covers. checked lists them in order.
	seen       []bool
	checked    []ir.Value
	invocation invocationID
	// discardable are the reads whose values selects may drop. Their checks come after the last
	// select on each path, and are held until the walk reaches it.
	discardable map[ir.Inst][]ir.ChoicePath
	held        map[ir.Inst][]heldCheck
}

// heldCheck is the check of a read whose value passes through a path of selects.
type heldCheck struct {
	read      ir.Inst
	condition ir.Value
	tests     []guard.IndexTest
	chain     []ir.Inst
	path      ir.ChoicePath
}

// block checks the accesses of a block. A check covers the rest of its block, and the blocks
// inside.
func (t *trap) block(b ir.Block) {
	f := t.F
	mark := len(t.checked)
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		switch o := f.Op(i); {
		case o.Is(op.Control):
			for n := range f.Blocks(i) {
				t.block(f.Region(i, n))
			}
		case o == op.Extract, o == op.Insert:
			t.checkIndex(i)
		case o != op.Access && !o.Is(op.Terminator):
			t.checkPointers(i)
		}
		for _, h := range t.held[i] {
			t.chosen(next, &h)
		}
		i = next
	}
	for _, v := range t.checked[mark:] {
		t.seen[v] = false
	}
	t.checked = t.checked[:mark]
}

// checkPointers checks the accesses after an instruction's pointers. If there are two pointers,
// the last operand is the one that is read, and is checked first.
func (t *trap) checkPointers(i ir.Inst) {
	f := t.F
	for n := len(f.Args(i)) - 1; n >= 0; n-- {
		v := f.Arg(i, n)
		if v.IsLocal() && t.M.IsPointer(f.TypeOf(v)) && !t.seen[v] && t.Follow(v) {
			condition := t.Test(i)
			if t.hold(i, condition) {
				continue // other accesses by the pointer are checked by themselves
			}
			t.check(i, condition)
			t.seen[v] = true
			t.checked = append(t.checked, v)
		}
	}
}

// checkIndex checks an index into a vector, array or matrix value.
func (t *trap) checkIndex(i ir.Inst) {
	f := t.F
	args := f.Args(i)
	given := args[len(args)-1]
	count, ok := t.M.Count(f.TypeOf(args[0]))
	if !ok || t.Ranges.Proves(i, 0) {
		return
	}
	t.B.At(i)
	index := lower.Unsigned(&t.Protector.Rewriter, given)
	length := t.Integer(f.TypeOf(index), int64(count))
	test := t.Op(op.Lt, index, length)
	t.Tests = append(t.Tests[:0], guard.IndexTest{Given: given, Index: index, Count: length, Test: test})
	if !t.hold(i, test) {
		t.check(i, test)
	}
}

// hold delays the check of a read that selects may drop, and reports whether it does.
func (t *trap) hold(i ir.Inst, condition ir.Value) bool {
	paths := t.discardable[i]
	for _, p := range paths {
		last := p[len(p)-1].At
		t.held[last] = append(t.held[last], heldCheck{i, condition, slices.Clone(t.Tests), slices.Clone(t.Chain), p})
	}
	return len(paths) > 0
}

// chosen builds the check of a held read before an instruction, after the last select on its path.
// The read is a fault if all selects on the path use its value.
func (t *trap) chosen(before ir.Inst, h *heldCheck) {
	f := t.F
	t.B.SetBefore(before)
	t.B.Span, t.B.Flags = f.SpanOf(h.read), 0
	condition := h.condition
	for _, c := range h.path {
		by, negated := f.Taken(c)
		switch isVector := t.M.IsVector(f.TypeOf(by)); {
		case isVector && negated:
			by = t.Op(op.All, by)
		case isVector:
			by = t.Op(op.Any, by)
		}
		if !negated {
			by = t.Op(op.Not, by)
		}
		condition = t.Op(op.Or, condition, by)
	}
	t.Tests, t.Chain = append(t.Tests[:0], h.tests...), append(t.Chain[:0], h.chain...)
	t.check(h.read, condition)
}

// check builds the record of a fault where the condition does not hold.
func (t *trap) check(i ir.Inst, condition ir.Value) {
	test := t.B.If(condition)
	t.B.SetBlock(t.F.Region(test, 0))
	t.B.Exit(test)
	t.B.SetBlock(t.F.Region(test, 1))
	t.record(i)
	t.B.Exit(test)
}

// record builds, at the builder, the record of an access out of range. The single tests of the
// condition determine the index.
func (t *trap) record(i ir.Inst) {
	f, m := t.F, t.M
	invocation := t.invocation.load(&t.B)
	record := t.recordVariable()
	last := len(t.Tests) - 1
	e := &t.Tests[last]
	site, index, count := t.site(i, e), t.B.Convert(scalar.U32, e.Index), t.B.Convert(scalar.U32, e.Count)
	for n := last - 1; n >= 0; n-- { // the first test that fails says which index it was
		e := &t.Tests[n]
		site = t.either(e.Test, site, t.site(i, e))
		index = t.either(e.Test, index, t.B.Convert(scalar.U32, e.Index))
		count = t.either(e.Test, count, t.B.Convert(scalar.U32, e.Count))
	}
	old := t.B.Emit(op.AtomicCompareExchange, ir.U32, 0, t.B.Access(record, m.ConstU32(0)), m.ConstU32(0), site)
	test := t.B.If(t.B.Op(op.Eq, old, m.ConstU32(0)))
	t.B.SetBlock(f.Region(test, 0))
	for n, v := range [...]ir.Value{index, count, invocation} {
		t.B.Store(t.B.Access(record, m.ConstU32(uint32(n+1))), v)
	}
	outer := f.BlockOf(test)
	t.B.Exit(test)
	t.B.SetBlock(f.Region(test, 1))
	t.B.Exit(test)
	t.B.SetBlock(outer)
}

// either builds a select, unless both values are the same.
func (t *trap) either(condition, x, y ir.Value) ir.Value {
	if x == y {
		return x
	}
	return t.Select(condition, x, y)
}

// site returns the number of the fault site of a test; 0 in the record means none. Its source
// location is that of the access with the index, although the pointer may be used elsewhere.
func (t *trap) site(i ir.Inst, e *guard.IndexTest) ir.Value {
	f := t.F
	k := t.M.ScalarOf(f.TypeOf(e.Given))
	s := ir.FaultSite{Span: f.SpanOf(i), Signed: k == scalar.I32 || k == scalar.I64}
	if e.Access != 0 {
		if span := f.SpanOf(e.Access); span.Valid() {
			s.Span = span
		}
		if base := f.Arg(t.Chain[len(t.Chain)-1], 0); base.IsGlobal() {
			s.Variable = t.M.Global(base).Name
		} else {
			s.Variable = f.ValueName(base)
		}
	}
	sites := t.M.FaultSites
	if len(sites) == 0 || sites[len(sites)-1] != s { // two indices of one access are one site
		t.M.FaultSites = append(sites, s)
	}
	return t.M.ConstU32(uint32(len(t.M.FaultSites)))
}

// recordVariable returns the address of the record, whose layout is abi.FaultRecord's. The first
// check of a module declares it, with a binding after all others.
func (t *trap) recordVariable() ir.Value {
	m := t.M
	if t.variable != ir.NoValue {
		return t.variable
	}
	g := ir.Global{Name: RecordName, Bound: true, Role: ir.FaultRecord}
	lower.BindLast(m, &g)
	record := m.NewStruct(RecordName, []ir.Member{
		{Name: "site", Type: m.AtomicOf(ir.U32), Offset: abi.FaultSiteOffset},
		{Name: "index", Type: ir.U32, Offset: abi.FaultIndexOffset},
		{Name: "length", Type: ir.U32, Offset: abi.FaultLengthOffset},
		{Name: "invocation", Type: m.VectorOf(ir.U32, 3), Offset: abi.FaultInvocationOffset},
	}, abi.FaultRecordBytes, 16)
	g.Type = m.PointerTo(ir.Storage, record, ir.ReadWrite)
	t.variable = m.AddGlobal(g)
	return t.variable
}
