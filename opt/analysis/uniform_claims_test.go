package analysis

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Random kernels with control, calls and subgroup operations record what they do. Each invocation
// leaves a trace of the instructions about which something is claimed, with their values, and of
// the loops and calls it goes through. Read back, a trace says at which point of the execution an
// invocation had a value. The claims are compared with what the invocations of a scope did at each
// point. This knows the structure of functions and nothing of uniformity.

// eventKind is what an entry of a trace says.
type eventKind uint8

const (
	executed eventKind = iota // an instruction, perhaps with a value
	entered                   // a loop, not yet its body
	iterated                  // a loop's body begins
	called                    // a function
	cameBack                  // from a function
)

// eventSize is the bytes of an entry: the number of the event, and a hash of the value.
const eventSize = 8

// event is a point in the program that writes to traces.
type event struct {
	kind  eventKind
	f     *ir.Func
	at    ir.Inst // that it records; of a block's parameters the instruction that owns the block
	value ir.Value
	// whole and uniform are what is claimed, by scope: that all invocations come here,
	// and that they have one value.
	whole, uniform [scopeCount]bool
}

// tracer adds the writing of traces to a module.
type tracer struct {
	m      *ir.Module
	facts  *[scopeCount]Uniform // of the function that is being changed
	f      *ir.Func
	b      *ir.Builder
	trace  ir.Value // an entry of each invocation, then the next of each
	cursor ir.Value // the invocation's next entry
	events []event  // by number; none has the number 0
}

// traceLength is how many entries a trace has. Longer ones are not looked at.
const traceLength = 6000

const lastEntry = (traceLength - 1) * irgen.Invocations

func newTracer(m *ir.Module) *tracer {
	t := &tracer{m: m, events: make([]event, 1)}
	entries := m.ArrayOf(m.VectorOf(ir.U32, 2), 0)
	t.trace = m.AddGlobal(ir.Global{Name: "trace", Type: m.PointerTo(ir.Storage, entries, ir.ReadWrite), Group: 1, Bound: true})
	t.cursor = m.AddGlobal(ir.Global{Name: "cursor", Type: m.PointerTo(ir.Private, ir.U32, ir.ReadWrite)})
	return t
}

// function adds the writing to a function that was analysed in each scope.
func (t *tracer) function(f *ir.Func, facts *[scopeCount]Uniform) {
	t.f, t.facts, t.b = f, facts, ir.NewBuilder(f)
	params := f.Params(f.Entry)
	first := f.First(f.Entry)
	for f.Op(first) == op.Var {
		first = f.Next(first)
	}
	if f.Kernel {
		f.Builtins = append(f.Builtins, ir.GlobalInvocationIndex)
		t.b.SetBefore(first)
		t.b.Store(t.cursor, f.AddParam(f.Entry, ir.U32))
	}
	t.params(params, 0, first)
	t.block(f.Entry, first)
}

// block adds the writing to a block from an instruction on.
func (t *tracer) block(b ir.Block, first ir.Inst) {
	f := t.f
	for i, next := first, ir.Inst(0); i != 0; i = next {
		next = f.Next(i)
		e := event{f: f, at: i}
		for s := range scopeCount {
			e.whole[s] = !t.facts[s].Partial(i)
		}
		o := f.Op(i)
		if r := ir.NoValue; !o.Is(op.Control) && f.Result(i) != r && t.claims(&e, f.Result(i)) {
			t.record(next, e)
		} else if e.whole != [scopeCount]bool{} {
			t.record(i, e)
		}
		switch {
		case o == op.Call:
			t.record(i, event{kind: called, f: f, at: i})
			t.record(f.Next(i), event{kind: cameBack})
		case o == op.Loop:
			t.record(i, event{kind: entered, f: f, at: i})
		}
		if !o.Is(op.Control) {
			continue
		}
		for n, inner := range f.Blocks(i) {
			params, start := f.Params(ir.Block(inner)), f.First(ir.Block(inner))
			t.block(ir.Block(inner), start)
			if o == op.Loop && n == 0 {
				// ahead of everything that was put before the first instruction
				start = f.First(ir.Block(inner))
				t.record(start, event{kind: iterated, f: f, at: i})
			}
			t.params(params, i, start)
		}
		for _, r := range f.Results(i) {
			if e := (event{f: f, at: i}); t.claims(&e, r) {
				t.record(next, e)
			}
		}
	}
}

// params records the parameters of a block of which something is claimed.
func (t *tracer) params(params []ir.Value, owner, before ir.Inst) {
	for _, p := range params {
		if e := (event{f: t.f, at: owner}); t.claims(&e, p) {
			t.record(before, e)
		}
	}
}

// claims notes in which scopes a value is uniform, and reports whether there is one.
func (t *tracer) claims(e *event, v ir.Value) bool {
	for s := range scopeCount {
		e.uniform[s] = !t.facts[s].Varies(v)
	}
	if e.uniform == [scopeCount]bool{} {
		return false
	}
	e.value = v
	return true
}

// record writes an event to the trace before an instruction.
func (t *tracer) record(before ir.Inst, e event) {
	b := t.b
	b.SetBefore(before)
	hash := t.m.ConstU32(0)
	if e.value != ir.NoValue {
		hash = t.hash(e.value)
	}
	number := t.m.ConstU32(uint32(len(t.events)))
	t.events = append(t.events, e)
	at := b.Load(t.cursor)
	b.Store(b.Access(t.trace, at), b.Construct(t.m.VectorOf(ir.U32, 2), number, hash))
	b.Store(t.cursor, b.Op(op.Min, b.Op(op.Add, at, t.m.ConstU32(irgen.Invocations)), t.m.ConstU32(lastEntry)))
}

// hash computes a word of a value.
func (t *tracer) hash(v ir.Value) ir.Value {
	typ := t.f.TypeOf(v)
	switch {
	case t.m.IsPointer(typ):
		return t.m.ConstU32(0)
	case typ == ir.Bool:
		return t.b.Op(op.Select, v, t.m.ConstU32(1), t.m.ConstU32(0))
	case typ == ir.U32:
		return v
	case t.m.IsScalar(typ):
		return t.b.Bitcast(ir.U32, v)
	}
	sum := t.m.ConstU32(0)
	n, _ := t.m.Count(typ)
	for k := range n {
		part := t.hash(t.b.Extract(v, uint32(k)))
		sum = t.b.Op(op.Add, t.b.Op(op.Mul, sum, t.m.ConstU32(16777619)), part)
	}
	return sum
}

// point is a point in the execution of a program, for the invocations of a unit: a subgroup or a
// workgroup.
type point struct {
	unit, event uint32
	when        uint64
}

// seen is what invocations did at a point.
type seen struct {
	count  int
	last   int // the invocation that was there last
	hash   uint32
	differ bool
}

// reader reads the trace of an invocation.
type reader struct {
	events []event
	// frames are the calls that the invocation is in, the last one the function's.
	frames []frame
}

type frame struct {
	called     uint64 // the point of the call
	iterations map[ir.Inst]uint64
}

func mix(when, x uint64) uint64 {
	when = (when ^ x) * 0x9E3779B97F4A7C15
	return when ^ when>>29
}

// read follows an event, and returns when it was. That is the same number for invocations that are
// in the same call, and in the same iteration of each loop around the instruction.
func (r *reader) read(number uint32) uint64 {
	e := &r.events[number]
	if e.kind == cameBack {
		r.frames = r.frames[:len(r.frames)-1]
		return 0
	}
	top := &r.frames[len(r.frames)-1]
	when := mix(top.called, uint64(number))
	if e.kind == executed && e.value != ir.NoValue { // a parameter of a loop is within it
		if _, ok := e.f.Def(e.value); !ok && e.at != 0 {
			when = mix(when, top.iterations[e.at])
		}
	}
	if e.at != 0 {
		for at := e.f.Parent(e.f.BlockOf(e.at)); at != 0; at = e.f.Parent(e.f.BlockOf(at)) {
			when = mix(when, top.iterations[at])
		}
	}
	switch e.kind {
	case entered:
		top.iterations[e.at] = 0
	case iterated:
		top.iterations[e.at]++
	case called:
		r.frames = append(r.frames, frame{when, map[ir.Inst]uint64{}})
	}
	return when
}

// tally compares claims with traces.
type tally struct {
	t          *testing.T
	events     []event
	seen       [scopeCount]map[point]seen
	local      uint32 // invocations of a workgroup
	values     [scopeCount]int
	executions [scopeCount]int
}

// testSubgroup is the number of invocations of a subgroup.
const testSubgroup = 4

// invocation reads the trace of one.
func (c *tally) invocation(traces []byte, global uint32) {
	r := reader{events: c.events, frames: []frame{{iterations: map[ir.Inst]uint64{}}}}
	group, local := global/c.local, global%c.local
	units := [scopeCount]uint32{Subgroup: group*irgen.GroupSize + local/testSubgroup, Workgroup: group}
	for n := range uint32(traceLength) {
		entry := traces[eventSize*(n*irgen.Invocations+global):]
		number, hash := binary.LittleEndian.Uint32(entry), binary.LittleEndian.Uint32(entry[4:])
		if number == 0 {
			return
		}
		when := r.read(number)
		if c.events[number].kind != executed {
			continue
		}
		for s := range scopeCount {
			at := point{units[s], number, when}
			was := c.seen[s][at]
			if was.count > 0 && was.last == int(global) {
				c.t.Fatalf("invocation %d comes to one point twice", global)
			}
			if was.count == 0 {
				was.hash = hash
			}
			was.differ = was.differ || was.hash != hash
			was.last = int(global)
			was.count++
			c.seen[s][at] = was
		}
	}
}

// compare returns the first claim that is not true, or "".
func (c *tally) compare() (wrong string, at *event) {
	for s := range scopeCount {
		for p, was := range c.seen[s] {
			e := &c.events[p.event]
			want := int(c.local)
			if s == Subgroup {
				want = min(testSubgroup, want-int(p.unit%irgen.GroupSize)*testSubgroup)
			}
			if e.whole[s] {
				c.executions[s]++
				if was.count != want {
					return [...]string{"a part of a subgroup executes", "a part of a workgroup executes"}[s], e
				}
			}
			if e.uniform[s] && was.count > 1 {
				c.values[s]++
				if was.differ {
					return [...]string{"a subgroup has several values of", "a workgroup has several values of"}[s], e
				}
			}
		}
	}
	return "", nil
}

// uniformOptions are those of the kernels, which have returns where they have no barriers.
var uniformOptions = []irgen.Options{
	{Instructions: 150, Subgroups: true},
	{Instructions: 150, Subgroups: true, NoBarriers: true},
	{Instructions: 80, Subgroups: true, NoBarriers: true, NoCalls: true},
}

// TestUniformClaims runs random kernels, some of workgroups whose last subgroup is not full.
func TestUniformClaims(t *testing.T) {
	programs := uint64(300)
	if exhaustive() {
		programs = 20_000
	}
	c := tally{t: t}
	tooLong := 0
	for seed := range programs {
		m := irgen.Generate(seed, uniformOptions[seed%uint64(len(uniformOptions))])
		kernel := m.Func("main")
		c.local = irgen.GroupSize - 2*uint32(seed/3%2)
		kernel.Workgroup[0] = m.ConstU32(c.local)
		var facts [scopeCount]Uniform
		if seed%4 == 0 {
			kernel.SubgroupSize = m.ConstU32(testSubgroup)
		} else if seed%4 == 1 {
			facts[Subgroup].SubgroupSize = testSubgroup
		}
		before := m.Text()
		tracer := newTracer(m)
		for _, f := range m.Funcs {
			for s := range scopeCount {
				facts[s].Analyse(f, s)
			}
			tracer.function(f, &facts)
		}
		traces := runTraced(t, m, kernel, seed)
		if binary.LittleEndian.Uint32(traces[eventSize*lastEntry:]) != 0 {
			tooLong++
			continue
		}
		c.events = tracer.events
		for s := range scopeCount {
			c.seen[s] = map[point]seen{}
		}
		for n := range c.local * irgen.Groups {
			c.invocation(traces, n)
		}
		if wrong, e := c.compare(); e != nil {
			name := ""
			if e.value != ir.NoValue {
				name = "%" + e.f.ValueName(e.value)
			}
			t.Fatalf("seed %d: %s %s (value %d, %s) of @%s:\n%s", seed, wrong, name, e.value, e.f.Op(e.at), e.f.Name, before)
		}
	}
	t.Logf("%d values and %d executions in subgroups, %d and %d in workgroups; %d traces were too long",
		c.values[Subgroup], c.executions[Subgroup], c.values[Workgroup], c.executions[Workgroup], tooLong)
	for s := range scopeCount {
		if c.values[s] < 10_000 || c.executions[s] < 10_000 {
			t.Errorf("only %d values and %d executions were checked in scope %d", c.values[s], c.executions[s], s)
		}
	}
	if tooLong > int(programs/20) {
		t.Errorf("%d traces of %d programs were too long", tooLong, programs)
	}
}

// runTraced runs a kernel and returns its traces.
func runTraced(t *testing.T, m *ir.Module, kernel *ir.Func, seed uint64) []byte {
	irtest.Verify(t, m, 0)
	p, err := interp.Compile(m, kernel)
	if err != nil {
		t.Fatal(err)
	}
	var buffers [][]byte
	var traces []byte
	random := rand.New(rand.NewPCG(seed, 3))
	for _, b := range p.Bindings() {
		if b.Group == 1 {
			traces = make([]byte, eventSize*traceLength*irgen.Invocations)
			buffers = append(buffers, traces)
			continue
		}
		data := make([]byte, irgen.BufferSizes()[b.Binding])
		for at := 0; at < len(data); at += 4 {
			x := uint64(random.IntN(9))
			if b.Binding == irgen.InputFloats {
				x = scalar.FromFloat64(scalar.F32, float64(x)/2-2)
			}
			binary.LittleEndian.PutUint32(data[at:], uint32(x))
		}
		buffers = append(buffers, data)
	}
	launch := interp.Launch{Buffers: buffers, Grid: [3]uint32{irgen.Groups, 1, 1}, SubgroupSize: testSubgroup, Workers: 1, Fuel: 1 << 24}
	items, err := p.Run(&launch)
	if err != nil || len(items) > 0 {
		t.Fatal(err, items)
	}
	return traces
}
