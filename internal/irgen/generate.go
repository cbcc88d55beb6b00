// Package irgen generates random modules for tests: verified kernels with structured control flow,
// variables, functions, loads and stores, and operations of the op table. Their results are
// meaningless but defined. Loops terminate, indices into memory are in bounds (extract and insert
// clamp theirs), and variables are stored before they are loaded. Invocations write to separate
// memory, and barriers are uniform. So all ways to run a module must agree.
package irgen

import (
	"math/rand/v2"
	"strconv"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// Options select what a module has. The zero value gives a module of moderate size with everything
// that all targets support.
type Options struct {
	// Instructions is the approximate number of instructions; 0 means 200.
	Instructions int
	// Kinds are the scalar kinds beside bool and u32; nil means i32 and f32.
	Kinds []scalar.Kind
	// Exact omits float operations whose results WGSL only bounds, and the conversions and
	// divisions that depend on them.
	Exact bool
	// NoCalls, NoBarriers and NoMultiLevelExits omit these.
	NoCalls, NoBarriers, NoMultiLevelExits bool
	// Subgroups adds subgroup operations and their builtin values. Exchanges may read inactive
	// invocations, whose values are indeterminate, so the ways to run such a module may differ.
	Subgroups bool
}

// Invocations is the number of invocations of a launch: Groups workgroups of GroupSize.
const (
	GroupSize   = 8
	Groups      = 3
	Invocations = GroupSize * Groups
	// ownWords is the number of words of a writable buffer for each invocation.
	ownWords = 8
	// inputWords is the length of the read-only buffers.
	inputWords = 64
)

// The bindings of group 0.
const (
	InputWords  = iota // array<u32>, read
	InputFloats        // array<f32>, read
	Uniform            // a structure of 32 bytes
	OutputWords        // array<u32>, each invocation has ownWords of it
	OutputFloats
	Counters // array<atomic<u32>, 8>
	bindings
)

// BufferSizes returns the sizes in bytes of the buffers, by binding.
func BufferSizes() [bindings]int {
	return [bindings]int{4 * inputWords, 4 * inputWords, 32, 4 * ownWords * Invocations, 4 * ownWords * Invocations, 32}
}

// Generate returns a module with one kernel, @main, which depends only on the seed and the options.
func Generate(seed uint64, options Options) *ir.Module {
	if options.Instructions == 0 {
		options.Instructions = 200
	}
	if options.Kinds == nil {
		options.Kinds = []scalar.Kind{scalar.I32, scalar.F32}
	}
	g := &generator{options: options, random: rand.New(rand.NewPCG(seed, 0x9E3779B97F4A7C15))}
	g.m = ir.NewModule(new(source.Set))
	g.kinds = append([]scalar.Kind{scalar.Bool, scalar.U32}, options.Kinds...)
	g.collectOps()
	g.globals()
	budget := options.Instructions
	if !options.NoCalls {
		for n := range g.random.IntN(3) {
			g.function(n, budget/5)
			budget -= budget / 5
		}
	}
	g.kernel(budget)
	return g.m
}

type generator struct {
	options Options
	random  *rand.Rand
	m       *ir.Module
	kinds   []scalar.Kind
	ops     []op.Op

	global    [bindings]ir.Value
	tile      ir.Value // workgroup
	private   ir.Value
	table     ir.Value
	callables []*ir.Func

	// of the function being made
	f       *ir.Func
	b       *ir.Builder
	budget  int
	depth   int
	loops   int
	visible []ir.Value
	vars    []ir.Value // pointers to function variables
	targets []target
	lane    ir.Value // index of the invocation, in a kernel
	local   ir.Value
}

// target is an enclosing control instruction.
type target struct {
	inst ir.Inst
	// inContinuing: what is further out cannot be reached.
	inContinuing bool
	results      []ir.Type
	next         []ir.Type // of a loop: the continuing block's parameters
}

// collectOps collects the operations of the table.
func (g *generator) collectOps() {
	for o := op.Invalid + 1; o < op.Count; o++ {
		s := op.SignatureOf(o)
		if !o.Pure() || s.Special != "" || o == op.ArrayLength {
			continue
		}
		if g.options.Exact && (s.Class == op.FloatClass || s.Class == op.ShaderClass) && !exact[o] {
			continue
		}
		if g.options.Exact && (o >= op.Dot && o <= op.Unpack2x16Float || o == op.QuantizeF16) {
			continue
		}
		g.ops = append(g.ops, o)
	}
	g.ops = append(g.ops, op.Select, op.Convert, op.Bitcast, op.Splat, op.Construct, op.Extract, op.Insert, op.Shuffle)
}

// exact are the float operations with a single correct result.
var exact = map[op.Op]bool{op.Floor: true, op.Ceil: true, op.Trunc: true}

func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

func (g *generator) globals() {
	m := g.m
	u32s, f32s := m.ArrayOf(ir.U32, 0), m.ArrayOf(ir.F32, 0)
	members := []ir.Member{{Name: "n", Type: ir.U32}, {Name: "x", Type: ir.F32}, {Name: "k", Type: ir.I32}, {Name: "v", Type: m.VectorOf(ir.F32, 4)}}
	size, align := m.LayoutStruct(members, nil, nil)
	params := m.NewStruct("Params", members, size, align)
	add := func(binding uint32, name string, space ir.Space, t ir.Type, access ir.Access) {
		g.global[binding] = m.AddGlobal(ir.Global{Name: name, Type: m.PointerTo(space, t, access), Binding: binding, Bound: true})
	}
	add(InputWords, "words", ir.Storage, u32s, ir.Read)
	add(InputFloats, "floats", ir.Storage, f32s, ir.Read)
	add(Uniform, "params", ir.Uniform, params, ir.Read)
	add(OutputWords, "out", ir.Storage, u32s, ir.ReadWrite)
	add(OutputFloats, "outf", ir.Storage, f32s, ir.ReadWrite)
	add(Counters, "counters", ir.Storage, m.ArrayOf(m.AtomicOf(ir.U32), m.ConstU32(8)), ir.ReadWrite)
	g.tile = m.AddGlobal(ir.Global{Name: "tile", Type: m.PointerTo(ir.Workgroup, m.ArrayOf(ir.U32, m.ConstU32(GroupSize)), ir.ReadWrite)})
	g.private = m.AddGlobal(ir.Global{Name: "state", Type: m.PointerTo(ir.Private, m.VectorOf(ir.U32, 2), ir.ReadWrite)})
	entries := make([]ir.Value, 8)
	for n := range entries {
		entries[n] = m.ConstU32(uint32(g.random.IntN(100)))
	}
	t := m.ArrayOf(ir.U32, m.ConstU32(8))
	g.table = m.AddGlobal(ir.Global{Name: "table", Type: m.PointerTo(ir.Constant, t, ir.Read), Init: m.ConstComposite(t, entries)})
}

// begin starts a function.
func (g *generator) begin(f *ir.Func, budget int) {
	g.f, g.b, g.budget = f, ir.NewBuilder(f), budget
	g.visible, g.vars, g.targets = g.visible[:0], g.vars[:0], g.targets[:0]
	g.depth, g.loops, g.lane, g.local = 0, 0, 0, 0
}

func (g *generator) function(n, budget int) {
	result := g.valueType()
	f := g.m.NewFunc("f"+strconv.Itoa(n), result)
	g.begin(f, budget)
	for range 1 + g.random.IntN(3) {
		g.visible = append(g.visible, f.AddParam(f.Entry, g.valueType()))
	}
	if g.chance(60) { // a pointer to the caller's variable
		g.vars = append(g.vars, f.AddParam(f.Entry, g.m.PointerTo(ir.Function, g.varType(), ir.ReadWrite)))
	}
	g.variables(1 + g.random.IntN(3))
	g.statements()
	if !g.b.Terminated() {
		g.b.Return(g.value(result))
	}
	g.callables = append(g.callables, f)
}

func (g *generator) kernel(budget int) {
	f := g.m.NewFunc("main", ir.Void)
	f.Kernel = true
	f.Workgroup = [3]ir.Value{g.m.ConstU32(GroupSize), g.m.ConstU32(1), g.m.ConstU32(1)}
	f.Builtins = []ir.Builtin{ir.GlobalInvocationID, ir.LocalInvocationIndex}
	g.begin(f, budget)
	id := f.AddParam(f.Entry, g.m.BuiltinType(ir.GlobalInvocationID))
	g.local = f.AddParam(f.Entry, ir.U32)
	g.lane = g.b.Extract(id, 0)
	if g.options.Subgroups {
		g.coordinates()
	}
	g.visible = append(g.visible, g.lane, g.local, g.load(g.global[InputWords]), g.load(g.global[InputFloats]))
	for n := range uint32(4) {
		g.visible = append(g.visible, g.b.Load(g.b.Access(g.global[Uniform], g.m.ConstU32(n))))
	}
	g.variables(2 + g.random.IntN(5))
	g.b.Store(g.private, g.m.Zero(g.m.VectorOf(ir.U32, 2)))
	for g.budget > 0 && !g.b.Terminated() {
		before := g.budget
		g.statements()
		if g.b.Terminated() {
			break
		}
		if !g.options.NoBarriers && g.chance(60) {
			g.exchange()
		}
		if g.budget == before {
			break
		}
	}
	if !g.b.Terminated() {
		// show what the variables and the last values came to
		for _, v := range g.vars {
			g.output(g.loadVar(v))
		}
		for n := len(g.visible) - 1; n >= max(len(g.visible)-6, 0); n-- {
			g.output(g.visible[n])
		}
		g.b.Return(0)
	}
}

// exchange passes a value to another invocation of the workgroup.
func (g *generator) exchange() {
	g.b.Store(g.b.Access(g.tile, g.local), g.value(ir.U32))
	g.b.Barrier(op.WorkgroupMemory)
	neighbour := g.b.Op(op.Xor, g.local, g.m.ConstU32(uint32(g.random.IntN(GroupSize))))
	g.add(g.b.Load(g.b.Access(g.tile, neighbour)))
	g.b.Barrier(op.WorkgroupMemory)
}

// variables declares variables and stores to each.
func (g *generator) variables(n int) {
	for k := range n {
		t := g.varType()
		v := g.b.Var(t, "v"+strconv.Itoa(k))
		g.vars = append(g.vars, v)
	}
	for _, v := range g.vars[len(g.vars)-n:] {
		g.b.Store(v, g.value(g.m.Element(g.f.TypeOf(v))))
	}
}

// statements fills the current block until its budget is exhausted or a control instruction ends
// it.
func (g *generator) statements() {
	for range 3 + g.random.IntN(12) {
		if g.budget <= 0 || g.b.Terminated() {
			return
		}
		g.budget--
		if g.options.Subgroups && g.chance(15) {
			g.subgroup()
			continue
		}
		switch n := g.random.IntN(100); {
		case n < 50:
			g.operation()
		case n < 58:
			g.storeVar()
		case n < 66 && len(g.vars) > 0:
			g.add(g.loadVar(g.vars[g.random.IntN(len(g.vars))]))
		case n < 70 && g.lane != 0:
			g.memory()
		case n < 73 && len(g.callables) > 0:
			g.call()
		case n < 75 && len(g.vars) > 1:
			g.copyVar()
		case g.depth < 5:
			g.control()
		default:
			g.operation()
		}
	}
}

// call calls a function; a pointer parameter gets a variable of its type, which may be new.
func (g *generator) call() {
	f := g.callables[g.random.IntN(len(g.callables))]
	var args []ir.Value
	for _, p := range f.Params(f.Entry) {
		t := f.TypeOf(p)
		if !g.m.IsPointer(t) {
			args = append(args, g.value(t))
			continue
		}
		var found ir.Value
		for _, v := range g.vars {
			if g.f.TypeOf(v) == t {
				found = v
			}
		}
		if found == 0 {
			found = g.b.Var(g.m.Element(t), "arg")
			g.b.Store(found, g.value(g.m.Element(t)))
		}
		args = append(args, found)
	}
	g.add(g.b.Call(f, args...))
}

// memory reads and writes buffers, module variables and counters.
func (g *generator) memory() {
	switch g.random.IntN(6) {
	case 0:
		g.add(g.load(g.global[InputWords]))
	case 1:
		g.add(g.load(g.global[InputFloats]))
	case 2:
		g.add(g.b.Load(g.own(g.global[OutputWords])))
	case 3:
		g.output(g.visible[g.random.IntN(len(g.visible))])
	case 4:
		slot := g.b.Access(g.global[Counters], g.index(8))
		g.b.Emit(op.AtomicReadModifyWrite, ir.U32, uint32(op.AtomicAdd), slot, g.value(ir.U32))
	case 5:
		component := g.b.Access(g.private, g.m.ConstU32(uint32(g.random.IntN(2))))
		g.b.Store(component, g.value(ir.U32))
		g.add(g.b.Load(g.private))
		g.add(g.b.Load(g.b.Access(g.table, g.index(8))))
	}
}

// load reads an element of an input.
func (g *generator) load(input ir.Value) ir.Value {
	return g.b.Load(g.b.Access(input, g.index(inputWords)))
}

// index returns an index below n, a power of two.
func (g *generator) index(n uint32) ir.Value {
	if g.chance(30) {
		return g.m.ConstU32(uint32(g.random.IntN(int(n))))
	}
	return g.b.Op(op.And, g.value(ir.U32), g.m.ConstU32(n-1))
}

// own returns the address of a word that only this invocation uses.
func (g *generator) own(array ir.Value) ir.Value {
	base := g.b.Op(op.Mul, g.lane, g.m.ConstU32(ownWords))
	return g.b.Access(array, g.b.Op(op.Add, base, g.index(ownWords)))
}

// output stores a scalar of a value in an output buffer.
func (g *generator) output(v ir.Value) {
	v = g.scalarOf(v)
	switch k := g.m.ScalarOf(g.f.TypeOf(v)); k {
	case scalar.F32:
		g.b.Store(g.own(g.global[OutputFloats]), v)
	case scalar.U32:
		g.b.Store(g.own(g.global[OutputWords]), v)
	default:
		g.b.Store(g.own(g.global[OutputWords]), g.b.Convert(scalar.U32, v))
	}
}

// scalarOf extracts components until a scalar remains.
func (g *generator) scalarOf(v ir.Value) ir.Value {
	for {
		t := g.f.TypeOf(v)
		if g.m.IsScalar(t) {
			return v
		}
		n, _ := g.m.Count(t)
		v = g.b.Extract(v, uint32(g.random.IntN(int(n))))
	}
}
