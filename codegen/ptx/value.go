package ptx

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file prints operations on values whose instructions depend on more than
// an operand's kind: choices, conversions, and what joins and splits bits.

// choose prints r = c ? x : y of the operands c, x, y.
func (e *emitter) choose(r mir.Operand, args []mir.Operand) {
	x, y := args[1], args[2]
	k := r.Class().Kind()
	if r.Class() != mir.Predicate {
		e.expand("selp.$B $d, #b, #c, $a", of(k, []mir.Operand{r}, args...))
		return
	}
	text := "and.pred $p0, $a, $b; not.pred $p1, $a; and.pred $p1, $p1, $c; or.pred $d, $p0, $p1"
	switch {
	case x.IsConst() && e.f.Bits(x) != 0:
		text = "or.pred $d, $a, $c"
	case x.IsConst():
		text = "not.pred $p0, $a; and.pred $d, $p0, $c"
	case y.IsConst() && e.f.Bits(y) != 0:
		text = "not.pred $p0, $a; or.pred $d, $p0, $b"
	case y.IsConst():
		text = "and.pred $d, $a, $b"
	}
	e.expand(text, of(k, []mir.Operand{r}, args...))
}

// join prints r = the parts' bits, the first lowest.
func (e *emitter) join(r mir.Operand, parts []mir.Operand) {
	var in [4]mir.Operand
	for n, p := range parts {
		in[n] = e.register(p)
	}
	e.text("\tmov.", kinds[r.Class().Kind()].bits, " ")
	e.name(r)
	e.text(", ")
	e.tuple(in[:len(parts)])
	e.text(";\n")
}

// split prints parts = the bits of s, the first lowest.
func (e *emitter) split(parts []mir.Operand, s mir.Operand) {
	s = e.register(s)
	e.text("\tmov.", kinds[s.Class().Kind()].bits, " ")
	e.tuple(parts)
	e.text(", ")
	e.name(s)
	e.text(";\n")
}

// tuple prints registers in braces.
func (e *emitter) tuple(parts []mir.Operand) {
	for n, p := range parts {
		separator := ", "
		if n == 0 {
			separator = "{"
		}
		e.text(separator)
		e.bits(p)
	}
	e.text("}")
}

// convert prints a conversion of scalar kinds.
func (e *emitter) convert(i mir.Inst) {
	from, to := e.f.Kind(i), e.f.To(i)
	text := conversions[to][from]
	if text == "" {
		panic("ptx has no conversion from " + from.String() + " to " + to.String())
	}
	e.expand(text, e.arguments(i))
}

// conversions are templates by destination and source. Floats saturate to the highest integer that
// the float's kind represents. The instruction saturates at the integer's own range and gives 0 for
// a NaN. The result is the lesser of that and the bound.
var conversions = [scalar.Count][scalar.Count]string{
	scalar.Bool: {
		scalar.I32: "setp.ne.s32 $d, $a, 0", scalar.U32: "setp.ne.u32 $d, $a, 0",
		scalar.I64: "setp.ne.s64 $d, $a, 0", scalar.U64: "setp.ne.u64 $d, $a, 0",
		scalar.F32: "setp.neu.f32 $d, $a, 0f00000000",
		scalar.F16: "cvt.f32.f16 $r0, $a; setp.neu.f32 $d, $r0, 0f00000000",
		scalar.F64: "setp.neu.f64 $d, $a, 0d0000000000000000",
	},
	scalar.I32: {
		scalar.Bool: "selp.b32 $d, 1, 0, $a",
		scalar.F32:  "cvt.rzi.s32.f32 $r0, $a; min.s32 $d, $r0, 2147483520",
		scalar.F16:  "cvt.rzi.s32.f16 $r0, $a; min.s32 $r0, $r0, 65504; max.s32 $d, $r0, -65504",
		scalar.F64:  "cvt.rzi.s32.f64 $r0, $a; setp.nan.f64 $p0, $a, $a; selp.b32 $d, 0, $r0, $p0",
		scalar.I64:  "cvt.u32.u64 $d, $a", scalar.U64: "cvt.u32.u64 $d, $a",
	},
	scalar.U32: {
		scalar.Bool: "selp.b32 $d, 1, 0, $a",
		scalar.F32:  "cvt.rzi.u32.f32 $r0, $a; min.u32 $d, $r0, 4294967040",
		scalar.F16:  "cvt.rzi.u32.f16 $r0, $a; min.u32 $d, $r0, 65504",
		scalar.F64:  "cvt.rzi.u32.f64 $r0, $a; setp.nan.f64 $p0, $a, $a; selp.b32 $d, 0, $r0, $p0",
		scalar.I64:  "cvt.u32.u64 $d, $a", scalar.U64: "cvt.u32.u64 $d, $a",
	},
	scalar.I64: {
		scalar.Bool: "selp.b64 $d, 1, 0, $a",
		scalar.I32:  "cvt.s64.s32 $d, $a", scalar.U32: "cvt.u64.u32 $d, $a",
		scalar.F32: "cvt.rzi.s64.f32 $l0, $a; setp.nan.f32 $p0, $a, $a; selp.b64 $l0, 0, $l0, $p0; min.s64 $d, $l0, 0x7FFFFF8000000000",
		scalar.F16: "cvt.f32.f16 $r0, $a; cvt.rzi.s32.f32 $r0, $r0; min.s32 $r0, $r0, 65504; max.s32 $r0, $r0, -65504; cvt.s64.s32 $d, $r0",
		scalar.F64: "cvt.rzi.s64.f64 $l0, $a; setp.nan.f64 $p0, $a, $a; selp.b64 $l0, 0, $l0, $p0; min.s64 $d, $l0, 0x7FFFFFFFFFFFFC00",
	},
	scalar.U64: {
		scalar.Bool: "selp.b64 $d, 1, 0, $a",
		scalar.I32:  "cvt.s64.s32 $d, $a", scalar.U32: "cvt.u64.u32 $d, $a",
		scalar.F32: "cvt.rzi.u64.f32 $l0, $a; setp.nan.f32 $p0, $a, $a; selp.b64 $l0, 0, $l0, $p0; min.u64 $d, $l0, 0xFFFFFF0000000000U",
		scalar.F16: "cvt.f32.f16 $r0, $a; cvt.rzi.u32.f32 $r0, $r0; min.u32 $r0, $r0, 65504; cvt.u64.u32 $d, $r0",
		scalar.F64: "cvt.rzi.u64.f64 $l0, $a; setp.nan.f64 $p0, $a, $a; selp.b64 $l0, 0, $l0, $p0; min.u64 $d, $l0, 0xFFFFFFFFFFFFF800U",
	},
	scalar.F32: {
		scalar.Bool: "selp.f32 $d, 0f3F800000, 0f00000000, $a",
		scalar.I32:  "cvt.rn.f32.s32 $d, $a", scalar.U32: "cvt.rn.f32.u32 $d, $a",
		scalar.I64: "cvt.rn.f32.s64 $d, $a", scalar.U64: "cvt.rn.f32.u64 $d, $a",
		scalar.F16: "cvt.f32.f16 $d, $a", scalar.F64: "cvt.rn.f32.f64 $d, $a",
	},
	scalar.F64: {
		scalar.Bool: "selp.f64 $d, 0d3FF0000000000000, 0d0000000000000000, $a",
		scalar.I32:  "cvt.rn.f64.s32 $d, $a", scalar.U32: "cvt.rn.f64.u32 $d, $a",
		scalar.I64: "cvt.rn.f64.s64 $d, $a", scalar.U64: "cvt.rn.f64.u64 $d, $a",
		scalar.F16: "cvt.f64.f16 $d, $a", scalar.F32: "cvt.f64.f32 $d, $a",
	},
	scalar.F16: {
		scalar.Bool: "selp.b16 $d, 0x3C00, 0, $a",
		scalar.I32:  "cvt.rn.f16.s32 $d, $a", scalar.U32: "cvt.rn.f16.u32 $d, $a",
		scalar.I64: "cvt.rn.f16.s64 $d, $a", scalar.U64: "cvt.rn.f16.u64 $d, $a",
		scalar.F32: "cvt.rn.f16.f32 $d, $a", scalar.F64: "cvt.rn.f16.f64 $d, $a",
	},
}
