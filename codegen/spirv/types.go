package spirv

import (
	"fmt"

	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Every type has up to three SPIR-V types. As a value, and in function, private
// and workgroup memory, it carries no layout. In buffers and immediates its
// arrays and structures are decorated with strides and offsets, and a bool is a
// u32. As a whole binding a structure is once more its own type, because a
// Block may not be nested in anything. Loads and stores convert member by
// member, which drivers see through.
//
// A matrix is an array of its columns in all of them: no operation of the IR
// works on matrices, and so no MatrixStride with its extra rules is needed.

// storageClasses says where each address space lies.
var storageClasses = [...]uint32{
	ir.Function:  grammar.StorageClassFunction,
	ir.Private:   grammar.StorageClassPrivate,
	ir.Workgroup: grammar.StorageClassWorkgroup,
	ir.Uniform:   grammar.StorageClassUniform,
	ir.Storage:   grammar.StorageClassStorageBuffer,
	ir.Constant:  grammar.StorageClassPrivate,
	ir.Handle:    grammar.StorageClassUniformConstant,
	ir.Immediate: grammar.StorageClassPushConstant,
}

// explicit reports whether memory of a space needs layout decorations.
func explicit(s ir.Space) bool { return s == ir.Uniform || s == ir.Storage || s == ir.Immediate }

// valueType returns the type of values of a type.
func (w *emitter) valueType(t ir.Type) uint32 {
	p := slot(&w.valueTypes, uint32(t))
	if *p != 0 {
		return *p
	}
	id := w.makeType(t, false)
	*slot(&w.valueTypes, uint32(t)) = id
	return id
}

// memoryType returns the type of storage and uniform memory that holds t.
func (w *emitter) memoryType(t ir.Type) uint32 {
	p := slot(&w.memoryTypes, uint32(t))
	if *p != 0 {
		return *p
	}
	var id uint32
	switch {
	case w.m.ScalarOf(t) == scalar.Bool && w.m.KindOf(t) != ir.MatrixType:
		id = w.valueType(w.m.WithScalar(t, scalar.U32))
	case w.m.Components(t) > 0 || w.m.KindOf(t) == ir.AtomicType:
		id = w.valueType(t)
	default:
		id = w.makeType(t, true)
	}
	*slot(&w.memoryTypes, uint32(t)) = id
	return id
}

// pointee returns the type of what lies in a space's memory as t.
func (w *emitter) pointee(s ir.Space, t ir.Type) uint32 {
	if explicit(s) {
		return w.memoryType(t)
	}
	return w.valueType(t)
}

// makeType declares a type; decorated says whether with layout.
func (w *emitter) makeType(t ir.Type, decorated bool) uint32 {
	m := w.m
	part := w.valueType
	if decorated {
		part = w.memoryType
	}
	switch m.KindOf(t) {
	case ir.VoidType:
		id := w.id()
		w.globals.op(grammar.OpTypeVoid, id)
		return id
	case ir.ScalarType:
		return w.scalarType(scalar.Kind(t))
	case ir.VectorType:
		element, id := w.valueType(m.Element(t)), w.id()
		w.globals.op(grammar.OpTypeVector, id, element, uint32(m.Components(t)))
		return id
	case ir.MatrixType, ir.ArrayType:
		element := part(m.Element(t))
		var id uint32
		if m.IsRuntimeArray(t) {
			id = w.id()
			w.globals.op(grammar.OpTypeRuntimeArray, id, element)
		} else {
			n, _ := m.Count(t)
			length := w.constant(m.ConstU32(n))
			id = w.id()
			w.globals.op(grammar.OpTypeArray, id, element, length)
		}
		if decorated {
			w.decorate(id, grammar.DecorationArrayStride, m.Stride(t))
		}
		return id
	case ir.StructType:
		return w.structType(t, decorated)
	case ir.PointerType:
		return w.pointerType(m.SpaceOf(t), w.pointee(m.SpaceOf(t), m.Element(t)))
	case ir.AtomicType:
		return w.valueType(m.Element(t))
	case ir.FragmentType:
		return w.fragmentType(t)
	case ir.SamplerType:
		return w.samplerType()
	case ir.TextureType:
		return w.image(t).id
	}
	panic("spirv: no such type")
}

func (w *emitter) scalarType(k scalar.Kind) uint32 {
	switch k {
	case scalar.F16:
		w.capability(grammar.CapabilityFloat16)
		w.requires(abi.Float16)
	case scalar.BF16:
		w.useBrain()
	case scalar.F64:
		w.capability(grammar.CapabilityFloat64)
		w.requires(abi.Float64)
	case scalar.I64, scalar.U64:
		w.capability(grammar.CapabilityInt64)
		w.requires(abi.Int64)
	case scalar.I16, scalar.U16:
		w.capability(grammar.CapabilityInt16)
		w.requires(abi.Int16)
	case scalar.I8, scalar.U8:
		w.capability(grammar.CapabilityInt8)
		w.requires(abi.Int8)
	}
	id := w.id()
	switch {
	case k == scalar.Bool:
		w.globals.op(grammar.OpTypeBool, id)
	case k == scalar.BF16:
		w.globals.op(grammar.OpTypeFloat, id, uint32(k.Bits()), grammar.FPEncodingBFloat16KHR)
	case k.IsFloat():
		w.globals.op(grammar.OpTypeFloat, id, uint32(k.Bits()))
	default:
		signed := uint32(0)
		if k.IsSigned() {
			signed = 1
		}
		w.globals.op(grammar.OpTypeInt, id, uint32(k.Bits()), signed)
	}
	return id
}

// structType declares a structure.
func (w *emitter) structType(t ir.Type, decorated bool) uint32 {
	members := w.m.Members(t)
	mark := len(w.edgeIDs) // nested declarations put their own ids after
	for _, member := range members {
		id := uint32(0)
		if decorated {
			id = w.memoryType(member.Type)
		} else {
			id = w.valueType(member.Type)
		}
		w.edgeIDs = append(w.edgeIDs, id)
	}
	id := w.id()
	start := w.globals.begin(grammar.OpTypeStruct, id)
	w.globals.add(w.edgeIDs[mark:]...)
	w.globals.end(start)
	w.edgeIDs = w.edgeIDs[:mark]
	w.name(id, w.m.StructName(t))
	for n, member := range members {
		if member.Name != "" && !w.e.Strip {
			start := w.names.begin(grammar.OpMemberName, id, uint32(n))
			w.names.text(member.Name)
			w.names.end(start)
		}
		if decorated {
			w.decorations.op(grammar.OpMemberDecorate, id, uint32(n), grammar.DecorationOffset, member.Offset)
		}
	}
	return id
}

// blockType makes the type of one binding that holds t: a Block structure with t's
// members, or with t as its only member. With NVBlockType no two variables share one.
func (w *emitter) blockType(t ir.Type) (id uint32, wrapped bool) {
	wrapped = w.m.KindOf(t) != ir.StructType
	if !w.e.Workarounds.Has(workaround.NVBlockType) {
		for _, b := range w.blocks {
			if b.of == t {
				return b.id, wrapped
			}
		}
		defer func() { w.blocks = append(w.blocks, blockRecord{t, id}) }()
	}
	if wrapped {
		inner := w.memoryType(t)
		id = w.id()
		w.globals.op(grammar.OpTypeStruct, id, inner)
		w.decorations.op(grammar.OpMemberDecorate, id, 0, grammar.DecorationOffset, 0)
	} else {
		id = w.structType(t, true)
	}
	w.decorate(id, grammar.DecorationBlock)
	return id, wrapped
}

// blockRecord is a declared Block type.
type blockRecord struct {
	of ir.Type
	id uint32
}

// pointerRecord is a declared pointer type.
type pointerRecord struct{ class, pointee, id uint32 }

// pairType returns the type of structures of two values of a type.
func (w *emitter) pairType(t uint32) uint32 {
	for _, p := range w.pairs {
		if p.of == t {
			return p.id
		}
	}
	id := w.id()
	w.globals.op(grammar.OpTypeStruct, id, t, t)
	w.pairs = append(w.pairs, pairRecord{t, id})
	return id
}

// pairRecord is a declared structure of two values.
type pairRecord struct{ of, id uint32 }

// pointerType returns the type of pointers into a space.
func (w *emitter) pointerType(s ir.Space, pointee uint32) uint32 {
	return w.pointerTo(storageClasses[s], pointee)
}

// pointerTo returns the type of pointers into a storage class. A module has few,
// so a short search is good enough.
func (w *emitter) pointerTo(class, pointee uint32) uint32 {
	for n := range w.pointers {
		if p := &w.pointers[n]; p.pointee == pointee && p.class == class {
			return p.id
		}
	}
	id := w.id()
	w.globals.op(grammar.OpTypePointer, id, class, pointee)
	w.pointers = append(w.pointers, pointerRecord{class, pointee, id})
	return id
}

// maxConstituents is how many parts a constant's instruction lists: it has three
// words besides, and counts its words with 16 bits (SPIR-V §2.3).
const maxConstituents = 1<<16 - 1 - 3

// constant returns the id of a constant.
func (w *emitter) constant(v ir.Value) uint32 {
	p := slot(&w.consts, v.Index())
	if *p != 0 {
		return *p
	}
	id := w.makeConstant(v)
	*slot(&w.consts, v.Index()) = id
	return id
}

// u32 returns the id of a u32 constant.
func (w *emitter) u32(x uint32) uint32 { return w.constant(w.m.ConstU32(x)) }

func (w *emitter) makeConstant(v ir.Value) uint32 {
	m := w.m
	t := m.TypeOf(v)
	typeID := w.valueType(t)
	if m.IsScalar(t) {
		bits := m.ConstBits(v)
		id := w.id()
		switch k := scalar.Kind(t); {
		case k == scalar.Bool && bits != 0:
			w.globals.op(grammar.OpConstantTrue, typeID, id)
		case k == scalar.Bool:
			w.globals.op(grammar.OpConstantFalse, typeID, id)
		case k.Bits() == 64:
			w.globals.op(grammar.OpConstant, typeID, id, uint32(bits), uint32(bits>>32))
		case k.IsNarrow(): // of signed ones the sign fills the word
			w.globals.op(grammar.OpConstant, typeID, id, uint32(scalar.ToInt64(k, bits)))
		default:
			w.globals.op(grammar.OpConstant, typeID, id, uint32(bits))
		}
		return id
	}
	if m.IsZero(v) {
		if m.IsFragment(t) {
			return w.zeroFragment(t)
		}
		return w.null(typeID)
	}
	n, _ := m.Count(t)
	if n > maxConstituents {
		w.unsupported(w.e.Kernel.Span, fmt.Sprintf("a constant of %d parts as a value; at most %d fit an instruction", n, maxConstituents))
		return w.null(typeID)
	}
	mark := len(w.edgeIDs)
	for i := range n {
		part := w.constant(m.ConstPart(v, i))
		w.edgeIDs = append(w.edgeIDs, part)
	}
	id := w.id()
	start := w.globals.begin(grammar.OpConstantComposite, typeID, id)
	w.globals.add(w.edgeIDs[mark:]...)
	w.globals.end(start)
	w.edgeIDs = w.edgeIDs[:mark]
	return id
}

// null returns the zero constant of a type.
func (w *emitter) null(typeID uint32) uint32 {
	p := slot(&w.nulls, typeID)
	if *p == 0 {
		*p = w.id()
		w.globals.op(grammar.OpConstantNull, typeID, *p)
	}
	return *p
}

// undefined returns a value of a type where none is ever used.
func (w *emitter) undefined(t ir.Type) uint32 { return w.constant(w.m.Zero(t)) }
