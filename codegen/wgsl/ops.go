package wgsl

import (
	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the table of pure operations, with the semantics of ir/op/table.go. As in the IR,
// x / 0 is x and x % 0 is 0 in WGSL, shift amounts are modulo the width, and conversions saturate
// (WGSL §8.7, §8.9, §17.1.2). WGSL refuses invalid constant operands, such as a divisor of 0. They
// are hidden in a variable.

// row says how an operation is spelled: as a builtin function, or between its operands.
type row struct {
	function string
	operator string
	level    printer.Level
	emit     func(w *emitter, i ir.Inst) printer.Expr
}

var table = [op.Count]row{
	op.Neg: {operator: "-", level: printer.Unary},
	op.Add: {operator: "+", level: printer.Additive},
	op.Sub: {operator: "-", level: printer.Additive},
	op.Mul: {operator: "*", level: printer.Multiplicative},
	op.Div: {operator: "/", level: printer.Multiplicative},
	op.Rem: {operator: "%", level: printer.Multiplicative},
	op.Abs: {function: "abs"}, op.Min: {function: "min"}, op.Max: {function: "max"},
	op.Clamp: {function: "clamp"}, op.Sign: {function: "sign"}, op.Fma: {function: "fma"},

	op.Not: {emit: complement},
	op.And: {operator: "&", level: printer.Bitwise}, op.Or: {operator: "|", level: printer.Bitwise}, op.Xor: {emit: exclusiveOr},
	op.Shl: {operator: "<<", level: printer.Shift}, op.Shr: {operator: ">>", level: printer.Shift},
	op.CountOneBits: {function: "countOneBits"}, op.CountLeadingZeros: {function: "countLeadingZeros"},
	op.CountTrailingZeros: {function: "countTrailingZeros"}, op.FirstLeadingBit: {function: "firstLeadingBit"},
	op.FirstTrailingBit: {function: "firstTrailingBit"}, op.ReverseBits: {function: "reverseBits"},
	op.ExtractBits: {function: "extractBits"}, op.InsertBits: {function: "insertBits"},

	op.Eq: {operator: "==", level: printer.Relational}, op.Ne: {operator: "!=", level: printer.Relational},
	op.Lt: {operator: "<", level: printer.Relational}, op.Le: {operator: "<=", level: printer.Relational},
	op.Gt: {operator: ">", level: printer.Relational}, op.Ge: {operator: ">=", level: printer.Relational},
	op.Select: {emit: choose}, op.All: {function: "all"}, op.Any: {function: "any"},

	op.Floor: {function: "floor"}, op.Ceil: {function: "ceil"}, op.Trunc: {function: "trunc"}, op.Round: {function: "round"},
	op.Fract: {function: "fract"}, op.Sqrt: {function: "sqrt"}, op.InverseSqrt: {function: "inverseSqrt"},
	op.Sin: {function: "sin"}, op.Cos: {function: "cos"}, op.Tan: {function: "tan"}, op.Asin: {function: "asin"},
	op.Acos: {function: "acos"}, op.Atan: {function: "atan"}, op.Atan2: {function: "atan2"}, op.Sinh: {function: "sinh"},
	op.Cosh: {function: "cosh"}, op.Tanh: {function: "tanh"}, op.Asinh: {function: "asinh"}, op.Acosh: {function: "acosh"},
	op.Atanh: {function: "atanh"}, op.Exp: {function: "exp"}, op.Exp2: {function: "exp2"}, op.Log: {function: "log"},
	op.Log2: {function: "log2"}, op.Pow: {function: "pow"}, op.Ldexp: {function: "ldexp"},
	op.FrexpSignificand: {emit: significand}, op.FrexpExponent: {emit: exponent},
	op.QuantizeF16: {function: "quantizeToF16"},

	op.Dot: {function: "dot"}, op.Dot4I8: {function: "dot4I8Packed"}, op.Dot4U8: {function: "dot4U8Packed"},
	op.Pack4x8Snorm: {function: "pack4x8snorm"}, op.Pack4x8Unorm: {function: "pack4x8unorm"}, op.Pack4xI8: {function: "pack4xI8"},
	op.Pack4xU8: {function: "pack4xU8"}, op.Pack4xI8Clamp: {function: "pack4xI8Clamp"}, op.Pack4xU8Clamp: {function: "pack4xU8Clamp"},
	op.Pack2x16Snorm: {function: "pack2x16snorm"}, op.Pack2x16Unorm: {function: "pack2x16unorm"}, op.Pack2x16Float: {function: "pack2x16float"},
	op.Unpack4x8Snorm: {function: "unpack4x8snorm"}, op.Unpack4x8Unorm: {function: "unpack4x8unorm"}, op.Unpack4xI8: {function: "unpack4xI8"},
	op.Unpack4xU8: {function: "unpack4xU8"}, op.Unpack2x16Snorm: {function: "unpack2x16snorm"}, op.Unpack2x16Unorm: {function: "unpack2x16unorm"},
	op.Unpack2x16Float: {function: "unpack2x16float"},

	op.Convert: {emit: ofType}, op.Bitcast: {emit: bitcast}, op.Splat: {emit: ofType}, op.Construct: {emit: ofType},
	op.Extract: {emit: extract}, op.Shuffle: {emit: shuffle},

	op.SubgroupElect: {function: "subgroupElect"}, op.SubgroupAll: {function: "subgroupAll"}, op.SubgroupAny: {function: "subgroupAny"},
	op.SubgroupBallot: {function: "subgroupBallot"}, op.SubgroupBroadcast: {function: "subgroupBroadcast"},
	op.SubgroupBroadcastFirst: {function: "subgroupBroadcastFirst"}, op.SubgroupShuffle: {function: "subgroupShuffle"},
	op.SubgroupShuffleXor: {function: "subgroupShuffleXor"}, op.SubgroupShuffleUp: {function: "subgroupShuffleUp"},
	op.SubgroupShuffleDown: {function: "subgroupShuffleDown"}, op.SubgroupAdd: {function: "subgroupAdd"}, op.SubgroupMul: {function: "subgroupMul"},
	op.SubgroupMin: {function: "subgroupMin"}, op.SubgroupMax: {function: "subgroupMax"}, op.SubgroupAnd: {function: "subgroupAnd"},
	op.SubgroupOr: {function: "subgroupOr"}, op.SubgroupXor: {function: "subgroupXor"}, op.SubgroupInclusiveAdd: {function: "subgroupInclusiveAdd"},
	op.SubgroupInclusiveMul: {function: "subgroupInclusiveMul"}, op.SubgroupExclusiveAdd: {function: "subgroupExclusiveAdd"},
	op.SubgroupExclusiveMul: {function: "subgroupExclusiveMul"}, op.QuadBroadcast: {function: "quadBroadcast"},
	op.QuadSwapX: {function: "quadSwapX"}, op.QuadSwapY: {function: "quadSwapY"}, op.QuadSwapDiagonal: {function: "quadSwapDiagonal"},
}

// refusals match operands that WGSL refuses although not all are constants, and say which one has
// to be hidden in a variable.
var refusals = [op.Count]func(w *emitter, args []ir.Value) (n int, refused bool){
	op.Div:                 zeroDivisor,
	op.Rem:                 zeroDivisor,
	op.Clamp:               emptyRange,
	op.Shl:                 wideShift,
	op.Shr:                 wideShift,
	op.ExtractBits:         wideField,
	op.InsertBits:          wideField,
	op.Ldexp:               largeExponent,
	op.SubgroupShuffle:     farLane,
	op.SubgroupShuffleXor:  farLane,
	op.SubgroupShuffleUp:   farLane,
	op.SubgroupShuffleDown: farLane,
}

// composes are the operations whose constant evaluation in WGSL is exact and without errors.
func composes(o op.Op) bool {
	return o == op.Splat || o == op.Construct || o == op.Extract || o == op.Shuffle || o == op.Select
}

// operands returns the texts of an instruction's operands, of which WGSL refuses none.
func (w *emitter) operands(i ir.Inst) []printer.Expr {
	args := w.F.Args(i)
	o := w.F.Op(i)
	texts := make([]printer.Expr, len(args))
	for n, a := range args {
		texts[n] = w.Take(a)
	}
	if composes(o) || o.Is(op.Convergent) && refusals[o] == nil {
		return texts
	}
	constants := len(args) > 0
	for n, a := range args {
		constants = constants && texts[n].Constant
		if texts[n].Constant && !a.IsConst() { // made of constants
			texts[n] = w.unknown(texts[n])
		}
	}
	hidden := -1
	if constants && !o.Is(op.Convergent) {
		hidden = 0
	}
	if wrong := refusals[o]; wrong != nil {
		if n, refused := wrong(w, args); refused {
			hidden = n
		}
	}
	if hidden >= 0 && args[hidden].IsConst() {
		texts[hidden] = w.unknown(texts[hidden])
	}
	return texts
}

// composed marks an expression as constant if all its parts are.
func composed(x printer.Expr, parts []printer.Expr) printer.Expr {
	x.Constant = true
	for _, part := range parts {
		x.Constant = x.Constant && part.Constant
	}
	return x
}

// some reports whether a component of a constant has a property.
func (w *emitter) some(v ir.Value, has func(bits uint64) bool) bool {
	if !v.IsConst() {
		return false
	}
	if w.M.IsScalar(w.M.TypeOf(v)) {
		return has(w.M.ConstBits(v))
	}
	n, _ := w.M.Count(w.M.TypeOf(v))
	for i := range n {
		if has(w.M.ConstBits(w.M.ConstPart(v, i))) {
			return true
		}
	}
	return false
}

func zeroDivisor(w *emitter, args []ir.Value) (int, bool) {
	if w.M.ScalarOf(w.F.TypeOf(args[1])).IsFloat() {
		return 0, false
	}
	return 1, w.some(args[1], func(bits uint64) bool { return bits == 0 })
}

func wideShift(w *emitter, args []ir.Value) (int, bool) {
	return 1, w.some(args[1], func(bits uint64) bool { return bits >= 32 })
}

func farLane(w *emitter, args []ir.Value) (int, bool) {
	return 1, w.some(args[1], func(bits uint64) bool { return bits >= 128 })
}

func emptyRange(w *emitter, args []ir.Value) (int, bool) {
	low, high := args[1], args[2]
	if !low.IsConst() || !high.IsConst() {
		return 0, false
	}
	k := w.M.ScalarOf(w.F.TypeOf(low))
	for n := range max(w.M.Components(w.F.TypeOf(low)), 1) {
		a, b := w.component(low, n), w.component(high, n)
		switch {
		case k.IsFloat() && !(scalar.ToFloat64(k, a) <= scalar.ToFloat64(k, b)),
			k.IsInteger() && k.IsSigned() && scalar.ToInt64(k, a) > scalar.ToInt64(k, b),
			k.IsInteger() && !k.IsSigned() && a > b:
			return 1, true
		}
	}
	return 0, false
}

// component returns a component of a constant, or the constant itself.
func (w *emitter) component(v ir.Value, n int) uint64 {
	if w.M.IsVector(w.M.TypeOf(v)) {
		v = w.M.ConstPart(v, uint32(n))
	}
	return w.M.ConstBits(v)
}

func wideField(w *emitter, args []ir.Value) (int, bool) {
	offset, count := args[len(args)-2], args[len(args)-1]
	if offset.IsConst() && w.M.ConstBits(offset) > 32 || offset.IsConst() && count.IsConst() && w.M.ConstBits(offset)+w.M.ConstBits(count) > 32 {
		return len(args) - 2, true
	}
	return len(args) - 1, count.IsConst() && w.M.ConstBits(count) > 32
}

func largeExponent(w *emitter, args []ir.Value) (int, bool) {
	return 1, w.some(args[1], func(bits uint64) bool { return int32(bits) > 16 || int32(bits) < -16 })
}

// significand and exponent are members of frexp's result.
func significand(w *emitter, i ir.Inst) printer.Expr { return w.frexp(i, ".fract") }
func exponent(w *emitter, i ir.Inst) printer.Expr    { return w.frexp(i, ".exp") }

func (w *emitter) frexp(i ir.Inst, member string) printer.Expr {
	x := printer.Call("frexp", w.operands(i))
	x.Text += member
	return x
}

func complement(w *emitter, i ir.Inst) printer.Expr {
	if w.M.ScalarOf(w.F.Type(i)) == scalar.Bool {
		return printer.Prefix("!", w.operands(i)[0])
	}
	return printer.Prefix("~", w.operands(i)[0])
}

func exclusiveOr(w *emitter, i ir.Inst) printer.Expr {
	args := w.operands(i)
	if w.M.ScalarOf(w.F.Type(i)) == scalar.Bool {
		return printer.Binary(args[0], "!=", args[1], printer.Relational)
	}
	return printer.Binary(args[0], "^", args[1], printer.Bitwise)
}

func choose(w *emitter, i ir.Inst) printer.Expr {
	args := w.operands(i)
	return composed(printer.Call("select", []printer.Expr{args[2], args[1], args[0]}), args)
}

func ofType(w *emitter, i ir.Inst) printer.Expr {
	args := w.operands(i)
	x := printer.Call(w.typeName(w.F.Type(i)), args)
	if w.F.Op(i) == op.Convert {
		return x
	}
	if w.F.Op(i) == op.Splat {
		x.Scalar = &args[0]
	}
	return composed(x, args)
}

func bitcast(w *emitter, i ir.Inst) printer.Expr {
	if w.M.ScalarOf(w.F.Type(i)) == scalar.Bool {
		return w.operands(i)[0] // of a bool, which WGSL does not cast
	}
	return printer.Call("bitcast<"+w.typeName(w.F.Type(i))+">", w.operands(i))
}

func extract(w *emitter, i ir.Inst) printer.Expr {
	t := w.F.TypeOf(w.F.Arg(i, 0))
	x := w.Take(w.F.Arg(i, 0))
	part := w.part(x, t, w.F.Arg(i, 1), true)
	part.Constant = x.Constant && w.F.Arg(i, 1).IsConst()
	return part
}

func shuffle(w *emitter, i ir.Inst) printer.Expr {
	x := w.operands(i)[0].Within(printer.Primary)
	x.Text += "."
	for n := range w.M.Components(w.F.Type(i)) {
		x.Text += "xyzw"[op.SwizzleComponent(w.F.Aux(i), n):][:1]
	}
	return x
}
