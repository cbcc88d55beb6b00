package amdgpu

import (
	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file translates selects, conversions, and operations that join and split bits.

// choose translates r = c ? x : y with the operands c, x, y.
func (e *emitter) choose(i mir.Inst) {
	r, args := e.f.Result(i), e.f.Args(i)
	t := e.typeOf(r)
	e.set(r, llvm.NewSelect(e.cast(args[0], types.I1), e.cast(args[1], t), e.cast(args[2], t)))
}

// expandWidened computes an operation on f16 by the template for f32, and rounds the result.
func (e *emitter) expandWidened(template string, x *arguments) {
	wide := arguments{kind: scalar.F32, args: x.args}
	for n, a := range x.args {
		if t := e.typeOf(a); t == types.Half {
			wide.define("$"+letters[n:n+1], e.temp(llvm.NewFPExt(e.cast(a, t), types.Float)))
		}
	}
	e.expand(template, &wide)
	e.set(x.result, llvm.NewFPTrunc(e.operandNamed("$d", types.Float, &wide), types.Half))
}

// join translates r = the bits of the parts, the first part lowest.
func (e *emitter) join(i mir.Inst) {
	r, parts := e.f.Result(i), e.f.Args(i)
	t, width := classTypes[r.Class()], e.f.Kind(i).Bits()/len(parts)
	var bits value.Value
	for n, p := range parts {
		part := e.temp(llvm.NewZExt(e.partBits(p, width), t))
		if n == 0 {
			bits = part
			continue
		}
		or := llvm.NewOr(bits, e.temp(llvm.NewShl(part, integer(t, int64(n*width)))))
		if n == len(parts)-1 {
			e.set(r, or)
		} else {
			bits = e.temp(or)
		}
	}
}

// partBits returns a scalar as an integer of a width.
func (e *emitter) partBits(p mir.Operand, width int) value.Value {
	t := e.typeOf(p)
	if width == 32 && (t == types.I32 || p.IsConst()) {
		return e.cast(p, types.I32)
	}
	v, bits := e.cast(p, t), types.NewInt(uint64(width))
	if t == types.I32 { // a narrow integer in a word
		return e.temp(llvm.NewTrunc(v, bits))
	}
	return e.temp(llvm.NewBitCast(v, bits))
}

// split translates parts = the bits of s, the first part lowest. The bits of narrow integers are
// zero-extended.
func (e *emitter) split(i mir.Inst) {
	s, parts := e.f.Arg(i, 0), e.f.Results(i)
	t := e.classType(s)
	v := e.cast(s, t)
	width := e.f.Kind(i).Bits() / len(parts)
	for n, p := range parts {
		bits := v
		if n > 0 {
			bits = e.temp(llvm.NewLShr(v, integer(t, int64(n*width))))
		}
		switch mask := integer(types.I32, 1<<width-1); {
		case p.Class() == mir.Half:
			e.set(p, llvm.NewBitCast(e.temp(llvm.NewTrunc(bits, types.I16)), types.Half))
		case width == 32:
			e.set(p, llvm.NewTrunc(bits, types.I32))
		case t == types.I64:
			e.set(p, llvm.NewAnd(e.temp(llvm.NewTrunc(bits, types.I32)), mask))
		default:
			e.set(p, llvm.NewAnd(bits, mask))
		}
	}
}

// convert translates a conversion of scalar kinds.
func (e *emitter) convert(i mir.Inst) {
	from, to := e.f.Kind(i), e.f.To(i)
	text := conversions[to][from]
	if text == "" {
		panic("amdgpu has no conversion from " + from.String() + " to " + to.String())
	}
	e.expand(text, e.arguments(i))
}

const (
	boolOfInteger = "$d = icmp ne $T $a, 0"
	boolOfFloat   = "$d = fcmp une $T $a, 0.0"
)

// conversions are templates by destination and source. Floats saturate to the nearest integer that
// both kinds can represent, and a NaN becomes 0. The intrinsics saturate to the range of the
// integer; min and max then clamp to the range of the float.
var conversions = [scalar.Count][scalar.Count]string{
	scalar.Bool: {
		scalar.I32: boolOfInteger, scalar.U32: boolOfInteger, scalar.I64: boolOfInteger, scalar.U64: boolOfInteger,
		scalar.F32: boolOfFloat, scalar.F16: boolOfFloat, scalar.F64: boolOfFloat,
	},
	scalar.I32: {
		scalar.Bool: "$d = zext i1 $a to i32",
		scalar.F32:  "$0 = call i32 @llvm.fptosi.sat.i32.f32(float $a); $d = call i32 @llvm.smin.i32(i32 $0, i32 2147483520)",
		scalar.F16: "$0 = call i32 @llvm.fptosi.sat.i32.f16(half $a); $1 = call i32 @llvm.smin.i32(i32 $0, i32 65504); " +
			"$d = call i32 @llvm.smax.i32(i32 $1, i32 -65504)",
		scalar.F64: "$d = call i32 @llvm.fptosi.sat.i32.f64(double $a)",
		scalar.I64: "$d = trunc i64 $a to i32", scalar.U64: "$d = trunc i64 $a to i32",
	},
	scalar.U32: {
		scalar.Bool: "$d = zext i1 $a to i32",
		scalar.F32:  "$0 = call i32 @llvm.fptoui.sat.i32.f32(float $a); $d = call i32 @llvm.umin.i32(i32 $0, i32 -256)",
		scalar.F16:  "$0 = call i32 @llvm.fptoui.sat.i32.f16(half $a); $d = call i32 @llvm.umin.i32(i32 $0, i32 65504)",
		scalar.F64:  "$d = call i32 @llvm.fptoui.sat.i32.f64(double $a)",
		scalar.I64:  "$d = trunc i64 $a to i32", scalar.U64: "$d = trunc i64 $a to i32",
	},
	scalar.I64: {
		scalar.Bool: "$d = zext i1 $a to i64",
		scalar.I32:  "$d = sext i32 $a to i64", scalar.U32: "$d = zext i32 $a to i64",
		scalar.F32: "$0 = call i64 @llvm.fptosi.sat.i64.f32(float $a); $d = call i64 @llvm.smin.i64(i64 $0, i64 9223371487098961920)",
		scalar.F16: "$0 = call i32 @llvm.fptosi.sat.i32.f16(half $a); $1 = call i32 @llvm.smin.i32(i32 $0, i32 65504); " +
			"$2 = call i32 @llvm.smax.i32(i32 $1, i32 -65504); $d = sext i32 $2 to i64",
		scalar.F64: "$0 = call i64 @llvm.fptosi.sat.i64.f64(double $a); $d = call i64 @llvm.smin.i64(i64 $0, i64 9223372036854774784)",
	},
	scalar.U64: {
		scalar.Bool: "$d = zext i1 $a to i64",
		scalar.I32:  "$d = sext i32 $a to i64", scalar.U32: "$d = zext i32 $a to i64",
		scalar.F32: "$0 = call i64 @llvm.fptoui.sat.i64.f32(float $a); $d = call i64 @llvm.umin.i64(i64 $0, i64 -1099511627776)",
		scalar.F16: "$0 = call i32 @llvm.fptoui.sat.i32.f16(half $a); $1 = call i32 @llvm.umin.i32(i32 $0, i32 65504); $d = zext i32 $1 to i64",
		scalar.F64: "$0 = call i64 @llvm.fptoui.sat.i64.f64(double $a); $d = call i64 @llvm.umin.i64(i64 $0, i64 -2048)",
	},
	scalar.F32: {
		scalar.Bool: "$d = uitofp i1 $a to float",
		scalar.I32:  "$d = sitofp i32 $a to float", scalar.U32: "$d = uitofp i32 $a to float",
		scalar.I64: "$d = sitofp i64 $a to float", scalar.U64: "$d = uitofp i64 $a to float",
		scalar.F16: "$d = fpext half $a to float", scalar.F64: "$d = fptrunc double $a to float",
	},
	scalar.F64: {
		scalar.Bool: "$d = uitofp i1 $a to double",
		scalar.I32:  "$d = sitofp i32 $a to double", scalar.U32: "$d = uitofp i32 $a to double",
		scalar.I64: "$d = sitofp i64 $a to double", scalar.U64: "$d = uitofp i64 $a to double",
		scalar.F16: "$d = fpext half $a to double", scalar.F32: "$d = fpext float $a to double",
	},
	scalar.F16: {
		scalar.Bool: "$d = uitofp i1 $a to half",
		scalar.I32:  "$d = sitofp i32 $a to half", scalar.U32: "$d = uitofp i32 $a to half",
		scalar.I64: "$d = sitofp i64 $a to half", scalar.U64: "$d = uitofp i64 $a to half",
		scalar.F32: "$d = fptrunc float $a to half", scalar.F64: "$d = fptrunc double $a to half",
	},
}
