package amdgpu

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file prints operations on values whose instructions depend on more than an operand's kind:
// choices, conversions, and what joins and splits bits.

// choose prints r = c ? x : y of the operands c, x, y.
func (e *emitter) choose(i mir.Inst) {
	r, args := e.f.Result(i), e.f.Args(i)
	to := e.formOf(r)
	c, x, y := e.cast(args[0], predicate), e.cast(args[1], to), e.cast(args[2], to)
	e.text("  ")
	e.name(r)
	e.text(" = select i1 ")
	e.print(c, predicate)
	e.text(", ", formTypes[to], " ")
	e.print(x, to)
	e.text(", ", formTypes[to], " ")
	e.print(y, to)
	e.text("\n")
}

// inSingle prints an operation on f16 as the template of f32 has it, and rounds the result.
func (e *emitter) inSingle(text string, x *arguments) {
	var wide [4]uint32
	for n, a := range x.args[:x.count] {
		if e.formOf(a) != half {
			continue
		}
		wide[n] = e.temporary()
		e.text("  ")
		e.printTemporary(wide[n])
		e.text(" = fpext half ")
		e.print(value{o: a}, half)
		e.text(" to float\n")
	}
	r := e.temporary()
	inner := &arguments{kind: scalar.F32, result: value{temporary: r}, args: x.args, count: x.count}
	e.expandOf(text, inner, &wide)
	e.text("  ")
	e.name(x.result.o)
	e.text(" = fptrunc float ")
	e.printTemporary(r)
	e.text(" to half\n")
}

// join prints r = the parts' bits, the first lowest.
func (e *emitter) join(i mir.Inst) {
	r, parts := e.f.Result(i), e.f.Args(i)
	to, width := "i32", e.f.Kind(i).Bits()/len(parts)
	if r.Class() == mir.Long {
		to = "i64"
	}
	var wide uint32
	for n, p := range parts {
		part := e.partBits(p, width)
		t := e.temporary()
		e.text("  ")
		e.printTemporary(t)
		e.text(" = zext ", bitsOf(width), " ")
		e.print(part, word)
		e.text(" to ", to, "\n")
		if n == 0 {
			wide = t
			continue
		}
		shifted, sum := e.temporary(), value{temporary: e.temporary()}
		if n == len(parts)-1 {
			sum = value{o: r}
		}
		e.text("  ")
		e.printTemporary(shifted)
		e.text(" = shl ", to, " ")
		e.printTemporary(t)
		e.text(", ")
		e.number(int64(n * width))
		e.text("\n  ")
		e.print(sum, word)
		e.text(" = or ", to, " ")
		e.printTemporary(wide)
		e.text(", ")
		e.printTemporary(shifted)
		e.text("\n")
		wide = sum.temporary
	}
}

// bitsOf spells an integer type by its width.
func bitsOf(width int) string {
	switch width {
	case 8:
		return "i8"
	case 16:
		return "i16"
	}
	return "i32"
}

// partBits returns a scalar as an integer of a width, of a constant too.
func (e *emitter) partBits(p mir.Operand, width int) value {
	f := e.formOf(p)
	if f == word && width == 32 || p.IsConst() && width == 32 {
		return value{o: p}
	}
	t := e.temporary()
	e.text("  ")
	e.printTemporary(t)
	if f == word { // a narrow integer in a word
		e.text(" = trunc i32 ")
	} else {
		e.text(" = bitcast ", formTypes[f], " ")
	}
	e.print(value{o: p}, f)
	e.text(" to ", bitsOf(width), "\n")
	return value{temporary: t}
}

// split prints parts = the bits of s, the first lowest.
func (e *emitter) split(i mir.Inst) {
	s, parts := e.f.Arg(i, 0), e.f.Results(i)
	from := plain[mir.ClassOf(e.f.KindOf(s))]
	v := e.cast(s, from)
	width := e.f.Kind(i).Bits() / len(parts)
	for n, p := range parts {
		high := v
		if n > 0 {
			high = value{temporary: e.temporary()}
			e.text("  ")
			e.printTemporary(high.temporary)
			e.text(" = lshr ", formTypes[from], " ")
			e.print(v, from)
			e.text(", ")
			e.number(int64(n * width))
			e.text("\n")
		}
		if p.Class() == mir.Word {
			e.lowBits(p, high, from, width)
			continue
		}
		low := e.temporary()
		e.text("  ")
		e.printTemporary(low)
		e.text(" = trunc ", formTypes[from], " ")
		e.print(high, from)
		e.text(" to i16\n  ")
		e.name(p)
		e.text(" = bitcast i16 ")
		e.printTemporary(low)
		e.text(" to half\n")
	}
}

// lowBits prints a word that is the low bits of an integer; those of narrow integers are
// zero-extended.
func (e *emitter) lowBits(p mir.Operand, v value, from form, width int) {
	if from == long {
		t := value{o: p}
		if width < 32 {
			t = value{temporary: e.temporary()}
		}
		e.text("  ")
		e.print(t, word)
		e.text(" = trunc i64 ")
		e.print(v, from)
		e.text(" to i32\n")
		v = t
	}
	if width < 32 {
		e.text("  ")
		e.name(p)
		e.text(" = and i32 ")
		e.print(v, word)
		e.text(", ")
		e.number(1<<width - 1)
		e.text("\n")
	}
}

// convert prints a conversion of scalar kinds.
func (e *emitter) convert(i mir.Inst) {
	from, to := e.f.Kind(i), e.f.To(i)
	text := conversions[to][from]
	if text == "" {
		panic("amdgpu has no conversion from " + from.String() + " to " + to.String())
	}
	x := e.arguments(i)
	e.expand(text, &x)
}

const (
	boolOfInteger = "$d = icmp ne $T $a, 0"
	boolOfFloat   = "$d = fcmp une $T $a, 0.0"
)

// conversions are templates by destination and source. Floats saturate to the nearest integer that
// both kinds have, and a NaN is 0: the intrinsics saturate at the integer's own range, and the
// lesser of that and the bound is the answer.
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
