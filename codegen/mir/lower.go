package mir

import (
	"fmt"
	"io"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file lowers functions: the interface of a machine, and the walk over instructions.
// Composites are runs of operands, so that extracts and constructions cost nothing (value.go).
// Structured control becomes branches (control.go), and pointers become memory operands
// (memory.go). Values of the kernel that called functions need become parameters (call.go).

// Machine lowers what depends on the machine.
type Machine interface {
	// Native lowers an instruction for which the machine has other operations than those of
	// the IR, and returns false for all others.
	Native(b *Builder, i ir.Inst) bool
	// Builtin returns a component of a builtin value. What computes it is emitted at the builder's
	// position, in the prologue. It is called once for each (see Builder.Builtin).
	Builtin(b *Builder, x ir.Builtin, component int) Operand
}

// Traits are the properties of a machine, the same for all kernels.
type Traits struct {
	// LowOffset and HighOffset bound the constant in a memory operand.
	LowOffset, HighOffset int64
	// Indexed says that memory operands have an index.
	Indexed bool
	// WorkgroupBases says that accesses to workgroup memory name a register with the variable's
	// address, and no symbol.
	WorkgroupBases bool
	// Lanes is the maximum number of elements that a load or store moves, and at most 16 bytes in
	// all: 16, 8, 4, 2 or 1. 0 means 1.
	Lanes int
	// Names are those of the machine's own operations, from MachineOps on.
	Names []string
}

// Builder lowers the functions of one module. Its slices are indexed by the dense
// indices of the IR and are reused from one compilation to the next.
type Builder struct {
	M   *ir.Module
	F   *ir.Func // the function that is lowered
	Out *Func    // the result

	settings Settings
	machine  Machine
	traits   *Traits
	bindings []ir.Value
	byValue  []bool     // by binding: the kernel has the contents as a parameter
	handles  []ir.Value // textures and samplers
	// immediateBytes is the size of the copy of the immediates that called functions read.
	immediateBytes uint32

	span, callerSpan source.Span // of instructions, and of the code that entered the prologue
	at, prologue     Block       // the current block, and the first one, which has shared values
	entered          int         // nesting depth of entries to the prologue

	values   []run // slots by local value
	slots    []Operand
	pointers []pointer // by local value of pointer type
	uses     []uint32  // by local value
	globals  []pointer // by module variable; not known until first used
	control  []control // by control instruction
	builtins [ir.BuiltinCount][3]Operand
	lengths  []Operand // by binding
	leaves   []leaf
	scratch  []Operand
	passed   []Operand
	cases    []Block // of the switches around
	bases    []base
	sums     []sum // of the block in sumsIn
	sumsIn   Block
	inherits map[*ir.Func][]inherited
	returned map[*ir.Func][]Operand // the constants among a function's results
	used     []usage                // by module variable, in one function
	copied   uint32                 // the symbol of the immediates' copy, once there is one
	clean    cleaner
}

// Stage is the name under which -dump shows the machine level.
const Stage = "mir"

// run is a run of slots.
type run struct{ first, count uint32 }

// Settings say what is done with functions besides lowering them.
type Settings struct {
	Verify bool
	Dump   io.Writer // gets the text of functions, unless it is nil
	// Stage, if not nil, measures a stage of the work: it begins one, and the function that it
	// returns ends it (opt.Context.Stage).
	Stage func(name string) (end func())
}

// Begin prepares for the functions of a kernel's module; reach has those that are used. The
// bindings are the resources' variables in the order of the description.
func (b *Builder) Begin(settings Settings, m *ir.Module, machine Machine, traits *Traits, reach *ir.Reach, bindings []ir.Value, immediateBytes uint32) {
	b.settings, b.M, b.machine, b.traits, b.bindings, b.immediateBytes = settings, m, machine, traits, bindings, immediateBytes
	if b.Out == nil {
		b.Out = new(Func)
	}
	b.handles = Handles(m)
	b.byValue = ir.Zeroed(b.byValue, len(bindings))
	b.inherits, b.returned = nil, nil
	if len(reach.Funcs) > 1 {
		b.inheritance(reach)
		b.returned = make(map[*ir.Func][]Operand, len(reach.Funcs))
	}
}

// PassValue makes the contents of a uniform buffer, the n-th binding, a parameter of the kernel,
// like the immediates. Only the kernel itself reads it, and only by loads.
func (b *Builder) PassValue(n int) { b.byValue[n] = true }

// End lets go of the module.
func (b *Builder) End() {
	b.settings, b.M, b.F, b.machine, b.traits, b.bindings, b.handles, b.inherits, b.returned = Settings{}, nil, nil, nil, nil, nil, nil, nil, nil
	b.Out.Module, b.Out.Source = nil, nil
}

// Needs are the properties that a kernel has for Lower. No aggregate is a value, every address is a
// variable of one space with an offset in bytes, and vectors are scalars. The target decides
// whether accesses stay within their variables, whether memory is zero at the start, and what
// operations do outside of their domains.
const Needs = ir.Bound | ir.Rooted | ir.Addressed | ir.Spilled | ir.Scalar

// Lower lowers a function. The functions that it calls are lowered first. The result is valid until
// the next call of Lower.
func (b *Builder) Lower(f *ir.Func) *Func {
	if stage := b.settings.Stage; stage != nil {
		defer stage("lower to the machine level")()
	}
	b.F = f
	b.Out.reset(b.M, f, b.traits.Names)
	b.values = ir.Zeroed(b.values, f.ValueCount())
	b.pointers = ir.Zeroed(b.pointers, f.ValueCount())
	b.control = ir.Zeroed(b.control, f.InstCount())
	b.globals = ir.Zeroed(b.globals, len(b.M.Globals))
	b.lengths = ir.Zeroed(b.lengths, len(b.bindings))
	b.slots = append(b.slots[:0], NoOperand)
	b.uses = f.CountUses(b.uses)
	b.builtins = [ir.BuiltinCount][3]Operand{}
	b.bases, b.sums, b.sumsIn = b.bases[:0], b.sums[:0], 0
	b.copied, b.span = 0, source.Span{}

	b.entered = 1
	b.StartBlock(b.Out.NewBlock())
	if f.Kernel {
		b.builtinParams()
		b.privates()
	} else {
		b.formalParams()
	}
	b.prologue, b.entered = b.at, 0
	body := b.Out.NewBlock()
	b.StartBlock(body)
	b.countUses(f.Entry)
	b.block(f.Entry)
	b.at = b.prologue
	b.Jump(body)
	if stage := b.settings.Stage; stage != nil {
		end := stage("clean the machine level")
		b.clean.run(b.Out)
		end()
	} else {
		b.clean.run(b.Out)
	}
	if !f.Kernel {
		b.noteReturned()
	}
	if b.settings.Verify {
		if err := b.Out.Verify(); err != nil {
			panic(err)
		}
	}
	if to := b.settings.Dump; to != nil {
		fmt.Fprintf(to, "// after %s\n%s\n", Stage, b.Out.Text())
	}
	return b.Out
}

// StartBlock appends a block to the order. Instructions are appended to it from now on.
func (b *Builder) StartBlock(block Block) {
	b.Out.Order = append(b.Out.Order, block)
	b.at = block
}

// EnterPrologue moves the builder to the prologue, which the function executes first, until
// LeavePrologue. The two may be nested. Instructions of the prologue belong to no line of the
// source.
func (b *Builder) EnterPrologue() {
	if b.entered == 0 {
		b.at, b.prologue = b.prologue, b.at
		b.callerSpan, b.span = b.span, source.Span{}
	}
	b.entered++
}

// LeavePrologue ends what EnterPrologue began.
func (b *Builder) LeavePrologue() {
	b.entered--
	if b.entered == 0 {
		b.at, b.prologue = b.prologue, b.at
		b.span = b.callerSpan
	}
}

// Fresh returns a register that nothing uses yet.
func (b *Builder) Fresh(c Class) Operand { return b.Out.Fresh(c) }

// Emit appends an instruction at the builder's position. Its results are registers that nothing has
// assigned, and the kind is that of the operands.
func (b *Builder) Emit(o Op, k scalar.Kind, results []Operand, args ...Operand) Inst {
	return b.Out.append(b.at, inst{op: o, kind: k, results: b.Out.list(results), args: b.Out.list(args)}, b.span)
}

// Compute emits an operation of the IR with one result, which it returns.
func (b *Builder) Compute(o op.Op, k scalar.Kind, args ...Operand) Operand {
	c := ClassOf(k)
	switch o {
	case op.Eq, op.Ne, op.Lt, op.Le, op.Gt, op.Ge:
		c = Predicate
	}
	r := b.Fresh(c)
	b.Emit(Op(o), k, []Operand{r}, args...)
	return r
}

// EmitMachine emits an operation of the machine level or the machine with one result.
func (b *Builder) EmitMachine(o Op, k scalar.Kind, c Class, aux uint32, args ...Operand) Operand {
	r := b.Fresh(c)
	i := b.Emit(o, k, []Operand{r}, args...)
	b.Out.insts[i].aux = aux
	return r
}

// SetAux gives an instruction the number that belongs to it besides its operands.
func (b *Builder) SetAux(i Inst, aux uint32) { b.Out.SetAux(i, aux) }

// U32 returns the operand of a constant.
func (b *Builder) U32(x uint32) Operand { return Const(b.M.ConstU32(x)) }

// Int returns the operand of an integer constant of a kind, or of a float that is one.
func (b *Builder) Int(k scalar.Kind, x int64) Operand { return Const(b.M.ConstInt(ir.Type(k), x)) }

// Convert returns a scalar in another kind.
func (b *Builder) Convert(to, from scalar.Kind, x Operand) Operand {
	r := b.Fresh(ClassOf(to))
	i := b.Emit(Op(op.Convert), from, []Operand{r}, x)
	b.Out.insts[i].to = to
	return r
}

// block lowers a block of the IR.
func (b *Builder) block(block ir.Block) {
	for i := b.F.First(block); i != 0; i = b.F.Next(i) {
		b.one(i)
	}
}

// one lowers an instruction, if its result is used.
func (b *Builder) one(i ir.Inst) {
	f := b.F
	o := f.Op(i)
	if r := f.Result(i); r != 0 && b.uses[r] == 0 && (o.Pure() || o == op.Load) {
		return
	}
	b.span = f.SpanOf(i)
	switch {
	case o.Is(op.Terminator):
		b.terminator(i)
	case o.Is(op.Control):
		b.structured(i)
	case o == op.Load && b.M.SpaceOf(b.typeOf(f.Arg(i, 0))) == ir.Handle:
		// instructions on it name the variable (texture.go)
	case b.machine.Native(b, i):
	default:
		b.instruction(i)
	}
}

// instruction lowers an instruction without blocks.
func (b *Builder) instruction(i ir.Inst) {
	f := b.F
	if IsTexture(Op(f.Op(i))) {
		b.texture(i)
		return
	}
	switch o := f.Op(i); o {
	case op.Abs:
		b.absolute(i)
	case op.Mul:
		b.multiply(i)
	case op.Select:
		b.selection(i)
	case op.Convert:
		b.conversion(i)
	case op.Bitcast:
		b.bitcast(i)
	case op.Construct:
		b.construct(i)
	case op.Extract:
		b.extract(i)
	case op.Insert:
		b.insert(i)
	case op.Var:
		b.variable(i)
	case op.Address:
		b.address(i)
	case op.Load:
		b.load(i)
	case op.Store:
		b.store(f.Arg(i, 0), f.Arg(i, 1), b.alignment(i, f.TypeOf(f.Arg(i, 1))))
	case op.ArrayLength:
		b.Alias(f.Result(i), b.length(b.bindingOf(variableOf(f, f.Arg(i, 0)))))
	case op.AtomicLoad, op.AtomicStore, op.AtomicReadModifyWrite, op.AtomicCompareExchange:
		b.atomic(i)
	case op.Call:
		b.call(i)
	default:
		b.scratch = b.scratch[:0]
		for _, a := range f.Args(i) {
			b.scratch = append(b.scratch, b.Slots(a)...)
		}
		var results []Operand
		if r := f.Result(i); r != 0 {
			results = b.Define(r)
		}
		k := scalar.None
		if args := f.Args(i); len(args) > 0 {
			k = b.M.ScalarOf(f.TypeOf(args[0]))
		}
		at := b.Emit(Op(o), k, results, b.scratch...)
		b.Out.insts[at].aux = f.Aux(i)
	}
}

// privates allocates the kernel's private variables in the invocation's memory and stores their
// initial values.
func (b *Builder) privates() {
	for n := range b.M.Globals {
		g := &b.M.Globals[n]
		if b.M.SpaceOf(g.Type) != ir.Private {
			continue
		}
		v := ir.GlobalValue(n)
		t := b.M.Element(g.Type)
		init := g.Init
		if init == 0 {
			init = b.M.Zero(t)
		}
		switch large := b.M.Size(t) > maxUnrolledZero; {
		case large && b.M.IsZero(init):
			b.zero(v)
		case large && b.mostlyZero(init):
			b.zero(v)
			b.storeParts(v, init, b.M.Align(t), true)
		default:
			b.store(v, init, b.M.Align(t))
		}
	}
}

// maxUnrolledZero is the size of private variables up to which zeros are stored
// without a loop.
const maxUnrolledZero = 1024

// mostlyZero reports whether parts of a constant that are zero have half of its bytes, or more.
func (b *Builder) mostlyZero(v ir.Value) bool {
	return 2*b.zeroBytes(v) >= b.M.Size(b.M.TypeOf(v))
}

// zeroBytes returns how many bytes the parts of a constant have that are zero.
func (b *Builder) zeroBytes(v ir.Value) (bytes uint32) {
	t := b.M.TypeOf(v)
	switch {
	case b.M.IsZero(v):
		return b.M.Size(t)
	case b.M.IsScalar(t):
		return 0
	}
	n, _ := b.M.Count(t)
	for i := range n {
		bytes += b.zeroBytes(b.M.ConstPart(v, i))
	}
	return bytes
}

// isZero reports whether a slot is a constant whose bits are all zero.
func (b *Builder) isZero(s Operand) bool { return s.IsConst() && b.Out.Bits(s) == 0 }

// zero clears a large variable of the invocation by a loop. Variables of such a
// size are aligned for it (ir.Module.VariableAlign).
func (b *Builder) zero(v ir.Value) {
	const step = 16
	bytes := b.M.Size(b.M.Element(b.M.TypeOf(v)))
	class := addresses[ir.Private]
	k := class.Kind()
	p := b.pointer(v)
	start := b.Register(p)
	end := b.Compute(op.Add, k, start, b.Int(k, int64(bytes&^(step-1))))
	loop, done := b.Out.NewBlock(), b.Out.NewBlock()
	at := b.Fresh(class)
	b.Out.SetParams(loop, []Operand{at})
	b.Jump(loop, start)
	b.StartBlock(loop)
	none := b.U32(0)
	b.access(Op(op.Store), Memory{Space: ir.Private, Base: at, Kind: scalar.U32, Align: step}, nil, none, none, none, none)
	next := b.Compute(op.Add, k, at, b.Int(k, step))
	more := b.Compute(op.Lt, k, next, end)
	b.Branch(more, loop, []Operand{next}, done, nil)
	b.StartBlock(done)
	for n := bytes &^ (step - 1); n < bytes; n += 2 { // f16 is the smallest that memory holds
		m := b.memory(b.advance(p, int64(n)), ir.Private)
		m.Kind, m.Align = scalar.F16, 2
		b.access(Op(op.Store), m, nil, b.Int(scalar.F16, 0))
	}
}

// Builtin returns a component of a builtin value. It is computed in the prologue, on
// first use.
func (b *Builder) Builtin(x ir.Builtin, component int) Operand {
	if b.builtins[x][component] == NoOperand {
		b.EnterPrologue()
		o := b.machine.Builtin(b, x, component)
		b.LeavePrologue()
		b.builtins[x][component] = o
	}
	return b.builtins[x][component]
}

// builtinParams finds which components of the kernel's parameters are used and
// emits those.
func (b *Builder) builtinParams() {
	params := b.F.Params(b.F.Entry)
	if len(params) == 0 {
		return
	}
	used := make([]uint8, len(params)) // bits by component
	b.usedComponents(params, used)
	for n, p := range params {
		components := max(b.M.Components(b.F.TypeOf(p)), 1)
		var slots [3]Operand
		for c := range components {
			if slots[c] = b.U32(0); used[n]>>c&1 == 1 {
				slots[c] = b.Builtin(b.F.Builtins[n], c)
			}
		}
		b.Alias(p, slots[:components]...)
	}
}

func (b *Builder) usedComponents(params []ir.Value, used []uint8) {
	f := b.F
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n, a := range f.Args(i) {
			if !a.IsLocal() || f.DefBlock(a) != f.Entry {
				continue
			}
			for k, p := range params {
				if a != p {
					continue
				}
				if f.Op(i) != op.Extract || n != 0 {
					used[k] = 7
				} else if at, ok := b.M.ConstIndex(f.TypeOf(p), f.Arg(i, 1)); !ok {
					used[k] = 7
				} else if b.uses[f.Result(i)] > 0 {
					used[k] |= 1 << at
				}
			}
		}
	}
}
