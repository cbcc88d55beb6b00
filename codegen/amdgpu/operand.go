package amdgpu

import (
	"math"
	"math/bits"
	"strconv"

	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
)

// This file makes operands and names. A register is an LLVM value with one type, which types.go
// chooses. Where an instruction needs another type of the same width, a cast precedes it, which
// costs nothing on the machine.

// registerPrefixes begin the names of registers, by class.
var registerPrefixes = [mir.ClassCount]string{mir.Predicate: "%p", mir.Half: "%h", mir.Word: "%r", mir.Long: "%d"}

// register returns a register as an operand.
func (e *emitter) register(r mir.Operand) *operand {
	o := &e.registers[e.f.Index(r)]
	if *o == nil {
		*o = newOperand(e.typeOf(r), registerPrefixes[r.Class()]+strconv.FormatUint(uint64(r.Number()), 10))
	}
	return *o
}

// constant returns a constant operand as one of a type that is as wide. Floats are spelled by their
// bits, those of type float by the bits of the double of the same value (LangRef, "Simple
// Constants"). The constants of llir do not keep the bits of a NaN.
func (e *emitter) constant(o mir.Operand, t types.Type) *operand {
	x, text := e.f.Bits(o), ""
	switch t {
	case types.I1:
		text = strconv.FormatBool(x != 0)
	case types.Half:
		text = hex("0xH", x, 4)
	case types.Float:
		text = hex("0x", doubleBits(uint32(x)), 16)
	case types.Double:
		text = hex("0x", x, 16)
	case types.I32:
		text = strconv.FormatInt(int64(int32(uint32(x))), 10)
	default:
		text = strconv.FormatInt(int64(x), 10)
	}
	return newOperand(t, text)
}

// doubleBits widens the bits of a float to those of a double, and keeps those of a NaN.
func doubleBits(x uint32) uint64 {
	if x&0x7F800000 == 0x7F800000 && x&0x007FFFFF != 0 {
		return uint64(x>>31)<<63 | 0x7FF<<52 | uint64(x&0x007FFFFF)<<29
	}
	return math.Float64bits(float64(math.Float32frombits(x)))
}

// hex spells x with the given number of digits.
func hex(prefix string, x uint64, digits int) string {
	b := append(make([]byte, 0, 20), prefix...)
	for n := digits - 1; n >= 0; n-- {
		b = append(b, "0123456789ABCDEF"[x>>(4*n)&15])
	}
	return string(b)
}

// cast returns an operand as a value of a type that is as wide: as it is, or the result of a cast.
func (e *emitter) cast(o mir.Operand, to types.Type) value.Value {
	if o.IsConst() {
		return e.constant(o, to)
	}
	if v := e.register(o); v.typ == to {
		return v
	} else {
		return e.temp(castTo(v, to))
	}
}

// castTo returns the instruction that casts a value to another type that is as wide.
func castTo(v value.Value, to types.Type) instruction {
	switch {
	case isPointer(v.Type()):
		return llvm.NewPtrToInt(v, to)
	case isPointer(to):
		return llvm.NewIntToPtr(v, to)
	}
	return llvm.NewBitCast(v, to)
}

// kernelName returns the entry point's name. A byte that LLVM's identifiers or ELF tools do not
// allow becomes $ and two hexadecimal digits. WGSL has no $, so names stay distinct.
func kernelName(name string) string { return string(mir.AppendIdentifier(nil, name)) }

// symbolPrefixes begin the names of variables, by address space. Those of the module have a dot,
// which no kernel's name has.
var symbolPrefixes = [...]string{
	ir.Function: "%local_", ir.Private: "%private_", ir.Workgroup: "@.shared_", ir.Constant: "@.table_", ir.Immediate: "%immediates",
}

// variable returns a variable's address. Without a variable it is that of the copy of the
// immediates, the only variable that the emitter adds.
func (e *emitter) variable(v ir.Value) *operand {
	if v == ir.NoValue {
		return newOperand(privatePointer, "%immediate_copy")
	}
	space := ir.Function
	if !v.IsLocal() {
		space = e.m.SpaceOf(e.m.TypeOf(v))
	}
	name := symbolPrefixes[space]
	if space != ir.Immediate {
		name = string(e.appendName([]byte(name), v))
	}
	return newOperand(spaceTypes[space], name)
}

// appendName appends a variable's number, and its name if it has one.
func (e *emitter) appendName(b []byte, v ir.Value) []byte {
	b = strconv.AppendUint(b, uint64(v.Index()), 10)
	if v.IsGlobal() && e.m.Global(v).Name != "" {
		b = mir.AppendIdentifier(append(b, '_'), e.m.Global(v).Name)
	}
	return b
}

// functionName returns the name of function n of the module, which is not the kernel.
func (e *emitter) functionName(n int) string {
	b := strconv.AppendUint([]byte(".function_"), uint64(n), 10)
	if name := e.m.Funcs[n].Name; name != "" {
		b = mir.AppendIdentifier(append(b, '_'), name)
	}
	return string(b)
}

// log2 is the binary logarithm of a power of two.
func log2(n uint32) uint32 { return uint32(bits.TrailingZeros32(n)) }
