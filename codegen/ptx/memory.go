package ptx

import (
	"math"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file prints loads, stores and atomics.

// traits are those of PTX as a machine. The constant in a memory operand is a signed integer of 32
// bits (PTX ISA, "Addresses as Operands"). Accesses to workgroup memory name a register with the
// variable's address. With a symbol, ptxas computes the address again in each conditional block.
var traits = mir.Traits{LowOffset: math.MinInt32, HighOffset: math.MaxInt32, WorkgroupBases: true, Lanes: 16, Names: machineNames()}

// space returns the state space that a memory instruction names.
func (e *emitter) space(m *mir.Memory) string {
	switch m.Space {
	case ir.Private:
		return ".local"
	case ir.Workgroup:
		return ".shared"
	case ir.Constant:
		return e.tableSpace
	case ir.Immediate:
		return ".param"
	}
	return ".global"
}

// memoryOperand prints a memory operand.
func (e *emitter) memoryOperand(m *mir.Memory) {
	offset := m.Offset
	e.text("[")
	if m.Base != mir.NoOperand {
		e.name(m.Base)
	} else {
		offset += e.symbol(m.Symbol)
	}
	e.offset(offset)
	e.text("]")
}

// offset prints what is added to an address.
func (e *emitter) offset(n int64) {
	if n != 0 {
		e.text("+")
		e.number(n)
	}
}

// shape prints how many elements of which width a memory instruction moves.
func (e *emitter) shape(count int, k scalar.Kind) {
	switch count {
	case 2:
		e.text(".v2")
	case 4:
		e.text(".v4")
	}
	e.text(".", kinds[k].bits, " ")
}

func (e *emitter) operands(list []mir.Operand) {
	if len(list) == 1 {
		e.bits(list[0])
		return
	}
	e.tuple(list)
}

// maxVector is how many elements PTX's vectors have at most (PTX ISA, "Vectors as Operands"). What
// more lanes share is moved by words, which are taken apart and put together.
const maxVector = 4

// lanesOfWords are how a word becomes its lanes, and lanes a word: halves, and narrow integers,
// whose registers hold them with zeros above.
var lanesOfWords = [scalar.Count]struct{ unpack, pack string }{
	scalar.F16: {"mov.b32 {$d0, $d1}, $a", "mov.b32 $d, {$a, $b}"},
	scalar.I16: {unpackPair, packPair},
	scalar.U16: {unpackPair, packPair},
	scalar.I8:  {unpackBytes, packBytes},
	scalar.U8:  {unpackBytes, packBytes},
}

const (
	unpackPair  = "and.b32 $d0, $a, 0xFFFF; shr.u32 $d1, $a, 16"
	packPair    = "prmt.b32 $d, $a, $b, 0x5410"
	unpackBytes = "and.b32 $d0, $a, 255; bfe.u32 $d1, $a, 8, 8; bfe.u32 $d2, $a, 16, 8; shr.u32 $d3, $a, 24"
	packBytes   = "prmt.b32 $r0, $a, $b, 0x0040; prmt.b32 $r1, $c, $e, 0x0040; prmt.b32 $d, $r0, $r1, 0x5410"
)

// words makes registers for what the given number of lanes of a kind take.
func (e *emitter) words(lanes int, k scalar.Kind) (words [maxVector]mir.Operand, count int) {
	count = lanes * k.Bytes() / 4
	for n := range count {
		words[n] = e.f.Fresh(mir.Word)
	}
	return words, count
}

// load prints a load. What nothing writes while the kernel runs may go around the coherent
// cache (PTX ISA, ld.global.nc).
func (e *emitter) load(i mir.Inst) {
	m, results := e.f.Memory(i), e.f.Results(i)
	if e.isRegistered(m) {
		e.moveParts(m, results, true)
		return
	}
	if len(results) <= maxVector {
		e.loadVector(m, m.Kind, results)
		return
	}
	words, count := e.words(len(results), m.Kind)
	e.loadVector(m, scalar.U32, words[:count])
	each := len(results) / count
	for n, w := range words[:count] {
		e.expand(lanesOfWords[m.Kind].unpack, of(m.Kind, results[n*each:][:each], w))
	}
}

func (e *emitter) loadVector(m *mir.Memory, k scalar.Kind, results []mir.Operand) {
	space := e.space(m)
	if m.Unchanged && (m.Space == ir.Storage || m.Space == ir.Uniform) {
		space = ".global.nc"
	}
	e.text("\tld", space)
	e.shape(len(results), k)
	e.operands(results)
	e.text(", ")
	e.memoryOperand(m)
	e.text(";\n")
}

func (e *emitter) store(i mir.Inst) {
	m, args := e.f.Memory(i), e.f.Args(i)
	if e.isRegistered(m) {
		e.moveParts(m, args, false)
		return
	}
	if len(args) <= maxVector {
		e.storeVector(m, m.Kind, args)
		return
	}
	words, count := e.words(len(args), m.Kind)
	each := len(args) / count
	for n := range count {
		e.expand(lanesOfWords[m.Kind].pack, of(m.Kind, words[n:n+1], args[n*each:][:each]...))
	}
	e.storeVector(m, scalar.U32, words[:count])
}

func (e *emitter) storeVector(m *mir.Memory, k scalar.Kind, args []mir.Operand) {
	e.guarded()
	e.text("st", e.space(m))
	e.shape(len(args), k)
	e.memoryOperand(m)
	e.text(", ")
	e.operands(args)
	e.text(";\n")
}

// WGSL's atomics are relaxed; their scope is the device for storage and the workgroup, which
// is all that can see it, for workgroup memory (PTX ISA, memory consistency model).

// atomicForms are the operation and type of atom and red for each operation and
// kind of integer; "" where PTX names another type of the same effect.
var atomicForms = [op.AtomicOperations]struct{ signed, unsigned, signed64, unsigned64, half, single, double string }{
	op.AtomicAdd: {"add.s32", "add.u32", "add.u64", "add.u64", "add.noftz.f16", "add.f32", "add.f64"},
	// of the negated operand
	op.AtomicSub:      {"add.s32", "add.u32", "add.u64", "add.u64", "add.noftz.f16", "add.f32", "add.f64"},
	op.AtomicMax:      {signed: "max.s32", unsigned: "max.u32", signed64: "max.s64", unsigned64: "max.u64"},
	op.AtomicMin:      {signed: "min.s32", unsigned: "min.u32", signed64: "min.s64", unsigned64: "min.u64"},
	op.AtomicAnd:      {signed: "and.b32", unsigned: "and.b32", signed64: "and.b64", unsigned64: "and.b64"},
	op.AtomicOr:       {signed: "or.b32", unsigned: "or.b32", signed64: "or.b64", unsigned64: "or.b64"},
	op.AtomicXor:      {signed: "xor.b32", unsigned: "xor.b32", signed64: "xor.b64", unsigned64: "xor.b64"},
	op.AtomicExchange: {"exch.b32", "exch.b32", "exch.b64", "exch.b64", "", "exch.b32", "exch.b64"},
}

func atomicForm(o op.AtomicOperation, k scalar.Kind) string {
	row := &atomicForms[o]
	switch k {
	case scalar.I32:
		return row.signed
	case scalar.U32:
		return row.unsigned
	case scalar.I64:
		return row.signed64
	case scalar.U64:
		return row.unsigned64
	case scalar.F16:
		return row.half
	case scalar.F32:
		return row.single
	case scalar.F64:
		return row.double
	}
	return ""
}

// scope prints an instruction with the qualifiers of an atomic.
func (e *emitter) scope(instruction string, m *mir.Memory) {
	e.text("\t", instruction, ".relaxed")
	if m.Space == ir.Workgroup {
		e.text(".cta")
	} else {
		e.text(".gpu")
	}
	e.text(e.space(m))
}

func (e *emitter) atomicLoad(i mir.Inst) {
	if len(e.f.Results(i)) == 0 {
		return
	}
	m := e.f.Memory(i)
	e.scope("ld", m)
	e.shape(1, m.Kind)
	e.name(e.f.Result(i))
	e.text(", ")
	e.memoryOperand(m)
	e.text(";\n")
}

func (e *emitter) atomicStore(i mir.Inst, x mir.Operand) {
	m := e.f.Memory(i)
	e.scope("st", m)
	e.shape(1, m.Kind)
	e.memoryOperand(m)
	e.text(", ")
	e.bits(x)
	e.text(";\n")
}

// atomicReadModifyWrite prints a reduction, which returns nothing, where the old
// value is not used.
func (e *emitter) atomicReadModifyWrite(i mir.Inst) {
	m, x := e.f.Memory(i), e.f.Arg(i, 0)
	o := op.AtomicOperation(e.f.Aux(i))
	form := atomicForm(o, m.Kind)
	if form == "" {
		panic("ptx has no atomic " + o.String() + " on " + m.Kind.String())
	}
	unused := len(e.f.Results(i)) == 0
	if o == op.AtomicSub {
		negated := e.f.Fresh(mir.ClassOf(m.Kind))
		e.expand("neg.$T $d, $a", of(signedKind(m.Kind), []mir.Operand{negated}, x))
		x = negated
	}
	if unused && o == op.AtomicExchange {
		e.atomicStore(i, x)
		return
	}
	if unused {
		e.scope("red", m)
		e.text(".", form, " ")
	} else {
		e.scope("atom", m)
		e.text(".", form, " ")
		e.name(e.f.Result(i))
		e.text(", ")
	}
	e.memoryOperand(m)
	e.text(", ")
	if m.Kind.IsFloat() && o != op.AtomicExchange {
		e.typed(x)
	} else {
		e.bits(x)
	}
	e.text(";\n")
}

// signedKind returns the kind in which PTX negates a kind.
func signedKind(k scalar.Kind) scalar.Kind {
	switch k {
	case scalar.U32:
		return scalar.I32
	case scalar.U64:
		return scalar.I64
	}
	return k
}

func (e *emitter) atomicCompareExchange(i mir.Inst) {
	m := e.f.Memory(i)
	var result mir.Operand
	if len(e.f.Results(i)) > 0 {
		result = e.f.Result(i)
	} else {
		result = e.f.Fresh(mir.ClassOf(m.Kind))
	}
	e.scope("atom", m)
	e.text(".cas")
	e.shape(1, m.Kind)
	e.name(result)
	e.text(", ")
	e.memoryOperand(m)
	e.text(", ")
	e.bits(e.f.Arg(i, 0))
	e.text(", ")
	e.bits(e.f.Arg(i, 1))
	e.text(";\n")
}
