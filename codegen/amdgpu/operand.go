package amdgpu

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file spells operands. A register is an LLVM value with one type, which form.go chooses;
// where an operation wants another one of the same width, a cast comes before it, which costs
// nothing on the machine.

// letters begin the names of registers, by class.
var letters = [mir.ClassCount]byte{mir.Predicate: 'p', mir.Half: 'h', mir.Word: 'r', mir.Long: 'd'}

// types are LLVM's names of the scalar kinds as operations have them, of integers of the same
// width, what overloaded intrinsics are called by, and the width. Narrow integers are words in
// registers.
var types = [scalar.Count]struct{ typ, bits, suffix, width, last string }{
	scalar.Bool: {"i1", "i1", "i1", "1", "0"},
	scalar.I32:  {"i32", "i32", "i32", "32", "31"},
	scalar.U32:  {"i32", "i32", "i32", "32", "31"},
	scalar.F32:  {"float", "i32", "f32", "32", "31"},
	scalar.F16:  {"half", "i16", "f16", "16", "15"},
	scalar.I64:  {"i64", "i64", "i64", "64", "63"},
	scalar.U64:  {"i64", "i64", "i64", "64", "63"},
	scalar.F64:  {"double", "i64", "f64", "64", "63"},
	scalar.I8:   {"i32", "i32", "i32", "32", "31"},
	scalar.U8:   {"i32", "i32", "i32", "32", "31"},
	scalar.I16:  {"i32", "i32", "i32", "32", "31"},
	scalar.U16:  {"i32", "i32", "i32", "32", "31"},
}

// value is what an instruction names: an operand as it is, or a temporary that a cast has made.
type value struct {
	o         mir.Operand
	temporary uint32 // from 1, or 0
}

func (e *emitter) text(parts ...string) {
	for _, s := range parts {
		e.body = append(e.body, s...)
	}
}

func (e *emitter) number(n int64) { e.body = strconv.AppendInt(e.body, n, 10) }

// temporary returns the number of a value of the printer's own, which is unique in the function.
func (e *emitter) temporary() uint32 {
	e.temporaries++
	return e.temporaries
}

func (e *emitter) printTemporary(n uint32) {
	e.text("%t")
	e.number(int64(n))
}

// name prints a register.
func (e *emitter) name(o mir.Operand) {
	e.body = append(e.body, '%', letters[o.Class()])
	e.number(int64(o.Number()))
}

// print prints a value in a form.
func (e *emitter) print(v value, f form) {
	switch {
	case v.temporary != 0:
		e.printTemporary(v.temporary)
	case v.o.IsConst():
		e.body = appendConstant(e.body, f, e.f.KindOf(v.o), e.f.Bits(v.o))
	default:
		e.name(v.o)
	}
}

// appendConstant appends bits as a constant of a form. Floats are written by their bits, those of
// float as the double of the same value (LangRef, "Simple Constants").
func appendConstant(b []byte, f form, k scalar.Kind, x uint64) []byte {
	switch f {
	case predicate:
		return strconv.AppendBool(b, x != 0)
	case half:
		return appendHex(append(b, "0xH"...), x, 4)
	case single:
		return appendHex(append(b, "0x"...), doubleOf(uint32(x)), 16)
	case double:
		return appendHex(append(b, "0x"...), x, 16)
	case word:
		return strconv.AppendInt(b, int64(int32(uint32(x))), 10)
	}
	return strconv.AppendInt(b, int64(x), 10)
}

// doubleOf widens the bits of a float, a NaN's too, as they are.
func doubleOf(x uint32) uint64 {
	if x&0x7F800000 == 0x7F800000 && x&0x007FFFFF != 0 {
		return uint64(x>>31)<<63 | 0x7FF<<52 | uint64(x&0x007FFFFF)<<29
	}
	return math.Float64bits(float64(math.Float32frombits(x)))
}

// appendHex appends a number with the given count of digits.
func appendHex(b []byte, x uint64, digits int) []byte {
	for n := digits - 1; n >= 0; n-- {
		b = append(b, "0123456789ABCDEF"[x>>(4*n)&15])
	}
	return b
}

// cast returns an operand in a form: as it is, or by an instruction.
func (e *emitter) cast(o mir.Operand, to form) value {
	if o.IsConst() {
		return value{o: o}
	}
	from := e.formOf(o)
	if from == to {
		return value{o: o}
	}
	t := e.temporary()
	e.text("  ")
	e.printTemporary(t)
	e.castTo(value{o: o}, from, to)
	return value{temporary: t}
}

// castTo prints the cast of a value from one form to another behind the name of its result.
func (e *emitter) castTo(v value, from, to form) {
	how := " = bitcast "
	switch {
	case from.pointer():
		how = " = ptrtoint "
	case to.pointer():
		how = " = inttoptr "
	}
	e.text(how, formTypes[from], " ")
	e.print(v, from)
	e.text(" to ", formTypes[to], "\n")
}

// kernelName returns the entry point's name: another byte than LLVM's identifiers and those of ELF
// tools allow becomes $ and two hexadecimal digits. WGSL has no $, so names stay apart.
func kernelName(name string) string { return string(appendIdentifier(nil, name)) }

func appendIdentifier(b []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b = append(b, c)
			continue
		}
		b = append(b, '$', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	}
	return b
}

// symbolPrefixes begin the names of variables by space. Those of the module have a dot, which no
// name of a kernel has.
var symbolPrefixes = [...]string{
	ir.Function: "%local_", ir.Private: "%private_", ir.Workgroup: "@.shared_", ir.Constant: "@.table_",
	ir.Uniform: "", ir.Storage: "", ir.Handle: "", ir.Immediate: "%immediates",
}

// immediateCopyName is that of the only variable that is the emitter's own.
const immediateCopyName = "%immediate_copy"

// appendVariable appends the name of a variable; that of none is the copy of the immediates.
func (e *emitter) appendVariable(b []byte, v ir.Value) []byte {
	if v == ir.NoValue {
		return append(b, immediateCopyName...)
	}
	space := ir.Function
	if !v.IsLocal() {
		if space = e.m.SpaceOf(e.m.TypeOf(v)); space == ir.Immediate {
			return append(b, symbolPrefixes[space]...)
		}
	}
	b = append(b, symbolPrefixes[space]...)
	b = strconv.AppendUint(b, uint64(v.Index()), 10)
	if v.IsGlobal() && e.m.Global(v).Name != "" {
		b = append(b, '_')
		b = appendIdentifier(b, e.m.Global(v).Name)
	}
	return b
}

// appendFunctionName appends the name of function n of the module, which is no kernel.
func (e *emitter) appendFunctionName(b []byte, n int) []byte {
	b = append(b, "@.function_"...)
	b = strconv.AppendUint(b, uint64(n), 10)
	if name := e.m.Funcs[n].Name; name != "" {
		b = append(b, '_')
		b = appendIdentifier(b, name)
	}
	return b
}

// log2 is the binary logarithm of a power of two.
func log2(n uint32) uint32 { return uint32(bits.TrailingZeros32(n)) }
