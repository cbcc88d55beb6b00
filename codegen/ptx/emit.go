package ptx

import (
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt/analysis"
	"github.com/gpuc/gpuc/runtime/abi"
)

// emitter writes the functions of one module. Package mir lowers each to the machine level, with
// PTX's additional operations (machine.go). Then it is printed.
type emitter struct {
	*codegen.Emission
	m      *ir.Module
	f      *mir.Func
	source *ir.Func // what f was
	forms  *forms

	builder mir.Builder
	live    mir.Liveness
	copies  mir.Copies

	out  []byte // the module so far
	body []byte // the function's instructions

	labels uint32      // of the functions before
	extra  uint32      // of this function, besides those of its blocks
	order  []mir.Block // those that are printed
	jumped []bool      // by block: something jumps there
	marked []span      // by block: its label
	// current is the block that is printed. acts says by block whether it does something that
	// others see, and quiet whether the kernel has done nothing since a branch. lateExit is the
	// label where those leave, if any do (exits.go).
	current     mir.Block
	acts, quiet []bool
	lateExit    label
	// uses and defs are, by register, how often it is read, and where it is assigned in the text so
	// far; read is what one instruction reads (fuse.go)
	uses   []uint32
	defs   []definition
	read   []mir.Operand
	summed []bool // by register: see findSummed
	// entries are, by block, how many edges lead there
	entries  []uint32
	guarding bool // the function has guards
	// guard is what stores are executed under, or none: a predicate that has the value guardHolds
	guard      mir.Operand
	guardHolds bool
	// addresses and lengths are, by binding, what the function reads of them
	addresses, lengths []bool
	addressed          []bool  // by binding: see addressedBindings
	roots              []int32 // by local value: the binding that a pointer leads to, from 1
	// passedTextures are the parameters of textures that the function reads, as often as it reads
	// them
	passedTextures []abi.Parameter
	// registered says by symbol whether it is a variable in registers, and maps are the tensor maps
	// that the kernel uses (intrinsic.go).
	registered []bool
	maps       []bool
	// factors are constants that products of a warpgroup have in registers, with these.
	factors [][2]mir.Operand
	// setsRegisters says that the kernel has setmaxnreg.
	setsRegisters bool
	// resident is how many workgroups of the kernel a multiprocessor is to have at least, or 0.
	resident uint64
	refused  *ir.Func // the last function that uses textures and is no kernel

	uniform analysis.Uniform // of functions with subgroup operations
	mask    mir.Operand      // of the lanes that the warp has
	line    int
	file    int

	sharedRoot ir.Value // the symbol of dynamic workgroup memory, or 0
	tableSpace string   // where tables of constants are
}

// grown returns a cleared slice of n elements in the memory of s if that is
// large enough.
func grown[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// instruction prints an instruction that is no terminator.
func (e *emitter) instruction(i mir.Inst) {
	o := e.f.Op(i)
	switch {
	case o == intrinsic:
		e.intrinsicInstruction(i)
		return
	case mir.IsTexture(o), o >= textureChannels:
		e.texture(i)
		return
	case o == logic3:
		e.text("\tlop3.b32 ")
		e.name(e.f.Result(i))
		for _, x := range e.f.Args(i) {
			e.text(", ")
			e.name(x)
		}
		e.text(", ")
		e.number(int64(e.f.Aux(i)))
		e.text(";\n")
		return
	case o == compareAnd, o == compareOr:
		e.expand(joinedForms()[o-compareAnd][e.f.Aux(i)][e.f.Kind(i)], e.arguments(i))
		return
	case o >= mir.MachineOps:
		x := e.arguments(i)
		row := &machineRows[o-mir.MachineOps]
		if row.register {
			x.args[0] = e.register(x.args[0])
		}
		e.expand(row.text, x)
		return
	case o >= mir.Join:
		e.machineOperation(i)
		return
	}
	switch op.Op(o) {
	case op.Select:
		e.choose(e.f.Result(i), e.f.Args(i))
	case op.Convert:
		e.convert(i)
	case op.Load:
		e.load(i)
	case op.Store:
		e.store(i)
	case op.AtomicLoad:
		e.atomicLoad(i)
	case op.AtomicStore:
		e.atomicStore(i, e.f.Arg(i, 0))
	case op.AtomicReadModifyWrite:
		e.atomicReadModifyWrite(i)
	case op.AtomicCompareExchange:
		e.atomicCompareExchange(i)
	case op.ControlBarrier:
		// it orders all memory between the invocations (PTX ISA, bar), which covers each
		// memory that a barrier of WGSL names
		// but that of surfaces, which is another proxy
		if op.Memory(e.f.Aux(i))&op.TextureMemory != 0 {
			e.text("\tmembar.cta;\n")
		}
		e.text("\tbar.sync 0;\n")
	case op.Call:
		e.call(i)
	default:
		e.compute(op.Op(o), e.arguments(i))
	}
}

// arguments are what the template of an instruction refers to.
func (e *emitter) arguments(i mir.Inst) arguments {
	x := arguments{kind: e.f.Kind(i), results: e.f.Results(i)}
	x.count = copy(x.args[:], e.f.Args(i))
	return x
}

// machineOperation prints an operation of the machine level.
func (e *emitter) machineOperation(i mir.Inst) {
	f := e.f
	switch f.Op(i) {
	case mir.Join:
		e.join(f.Result(i), f.Args(i))
	case mir.Split:
		e.split(f.Results(i), f.Arg(i, 0))
	case mir.MulWide:
		e.expand("mul.wide.$T $d, $a, $b", e.arguments(i))
	case mir.Builtin:
		e.special(f.Result(i), ir.Builtin(f.Aux(i)/4), f.Aux(i)%4)
	case mir.BindingAddress:
		r := f.Result(i)
		e.addresses[f.Aux(i)] = true
		e.text("\tld.param.b64 ")
		e.name(r)
		e.text(", [binding_")
		e.number(int64(f.Aux(i)))
		e.text("];\n\tcvta.to.global.u64 ")
		e.name(r)
		e.text(", ")
		e.name(r)
		e.text(";\n")
	case mir.BindingLength:
		e.lengths[f.Aux(i)] = true
		e.text("\tld.param.b32 ")
		e.name(f.Result(i))
		e.text(", [length_")
		e.number(int64(f.Aux(i)))
		e.text("];\n")
	case mir.SymbolAddress:
		r := f.Result(i)
		e.text("\tmov.", kinds[r.Class().Kind()].bits, " ")
		e.name(r)
		e.text(", ")
		offset := e.symbol(f.Aux(i))
		e.text(";\n")
		if offset != 0 {
			e.expand("add.$T $d, $d, $a", of(r.Class().Kind(), []mir.Operand{r}, mir.Const(e.m.ConstInt(ir.U32, offset))))
		}
	}
}

// compute expands the template of an operation on a kind. One that f16 has none of is
// computed in f32.
func (e *emitter) compute(o op.Op, x arguments) {
	if text := e.forms[o][x.kind]; text != "" {
		e.expand(text, x)
		return
	}
	text := e.forms[o][scalar.F32]
	if x.kind != scalar.F16 || text == "" {
		panic("ptx has no form for " + o.String() + " on " + x.kind.String())
	}
	x.kind = scalar.F32
	for n, a := range x.args[:x.count] {
		if a = e.register(a); a.Class() == mir.Half {
			wide := e.f.Fresh(mir.Word)
			e.expand("cvt.f32.f16 $d, $a", of(scalar.F32, []mir.Operand{wide}, a))
			a = wide
		}
		x.args[n] = a
	}
	results := x.results
	if results[0].Class() != mir.Half {
		e.expand(text, x)
		return
	}
	wide := e.f.Fresh(mir.Word)
	x.results = []mir.Operand{wide}
	e.expand(text, x)
	e.expand("cvt.rn.f16.f32 $d, $a", of(scalar.F32, results, wide))
}
