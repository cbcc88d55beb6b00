package msl

import (
	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// This file has the table of pure operations. Their semantics are those of ir/op/table.go, and of
// Metal's library (MSL 6) or C++.

// row says how an operation is spelled: as a function of the library, between its operands, or as a
// function that the text brings along.
type row struct {
	function string
	operator string
	level    printer.Level
	// wraps says that signed integers are converted to unsigned ones and back, since C++ leaves
	// their overflow undefined ([expr.pre]); of a shift the left operand alone.
	wraps bool
	// helper is the name of a function for one scalar, with the formula that it returns; see
	// operationHelper.
	helper, formula string
	formulaOf       func(k scalar.Kind) string
	operands        int
	// helps limits helper to vectors or to signed integers, other operands being left to the rest
	// of the row; nil: all.
	helps func(w *emitter, t ir.Type) bool
	// polyfill says that lower.Polyfill expands the operation.
	polyfill bool
	emit     func(w *emitter, i ir.Inst) printer.Expr
}

// polyfilled are the operations that lower.Polyfill replaces. Metal packs, but with another
// rounding (MSL 6.12), and frexp takes an address.
var polyfilled = [...]op.Op{op.Ldexp, op.FrexpSignificand, op.FrexpExponent, op.Dot4I8, op.Dot4U8, op.Pack4x8Snorm, op.Pack4x8Unorm,
	op.Pack4xI8, op.Pack4xU8, op.Pack4xI8Clamp, op.Pack4xU8Clamp, op.Pack2x16Snorm, op.Pack2x16Unorm,
	op.Unpack4x8Snorm, op.Unpack4x8Unorm, op.Unpack4xI8, op.Unpack4xU8, op.Unpack2x16Snorm, op.Unpack2x16Unorm}

var expanded = row{polyfill: true}

// comparison is the row of a comparison: C++'s operator of scalars, component by component of
// vectors.
func comparison(operator, helper string) row {
	return row{operator: operator, level: printer.Relational, helper: helper, formula: "x " + operator + " y", operands: 2, helps: onVectors}
}

// logical is the row of an operation on bits and bools.
func logical(operator, ofBools, helper string) row {
	return row{emit: func(w *emitter, i ir.Inst) printer.Expr {
		t := w.F.Type(i)
		switch args := w.operands(i); {
		case w.holdsBool(t) && w.M.IsVector(t):
			r := row{helper: helper, formula: "x " + ofBools + " y", operands: 2}
			return printer.Call(w.operationHelper(w.F.Op(i), t, t, &r), args)
		case w.holdsBool(t):
			return printer.Binary(args[0], ofBools, args[1], printer.Relational)
		default:
			return printer.Binary(args[0], operator, args[1], printer.Bitwise)
		}
	}}
}

func onVectors(w *emitter, t ir.Type) bool { return w.M.IsVector(t) }
func onSigned(w *emitter, t ir.Type) bool {
	k := w.M.ScalarOf(t)
	return k.IsInteger() && k.IsSigned()
}
func always(*emitter, ir.Type) bool { return true }

var table = [op.Count]row{
	op.Neg:     {emit: negate},
	op.Add:     {operator: "+", level: printer.Additive, wraps: true},
	op.Sub:     {operator: "-", level: printer.Additive, wraps: true},
	op.Mul:     {operator: "*", level: printer.Multiplicative, wraps: true},
	op.MulHigh: {function: "mulhi"},
	op.Div:     {operator: "/", level: printer.Multiplicative},
	op.Rem:     {emit: remainder},
	op.Abs:     {function: "abs", helper: "absolute", formula: "x < 0 ? $T($U(0) - $U(x)) : x", operands: 1, helps: onSigned},
	op.Min:     {function: "min"}, op.Max: {function: "max"},
	op.Clamp: {emit: clamp},
	op.Sign:  {function: "sign", helper: "sign_of", formula: "$T(x > 0) - $T(x < 0)", operands: 1, helps: onSigned},
	op.Fma:   {function: "fma"},

	op.Not: {emit: complement},
	op.And: logical("&", "&&", "both"), op.Or: logical("|", "||", "either"), op.Xor: logical("^", "!=", "differ"),
	op.Shl: {operator: "<<", level: printer.Shift, wraps: true}, op.Shr: {operator: ">>", level: printer.Shift},
	op.CountOneBits: {function: "popcount"}, op.CountLeadingZeros: {function: "clz"}, op.CountTrailingZeros: {function: "ctz"},
	op.FirstLeadingBit:  {helper: "first_leading_bit", formulaOf: firstLeadingBit, operands: 1, helps: always},
	op.FirstTrailingBit: {helper: "first_trailing_bit", formula: "x == 0 ? $T(-1) : ctz(x)", operands: 1, helps: always},
	op.ReverseBits:      {function: "reverse_bits"}, op.ExtractBits: {function: "extract_bits"}, op.InsertBits: {function: "insert_bits"},

	op.Eq: {emit: equal}, op.Ne: {emit: equal},
	op.Lt: comparison("<", "less"), op.Le: comparison("<=", "less_equal"), op.Gt: comparison(">", "greater"), op.Ge: comparison(">=", "greater_equal"),
	op.Select: {emit: choose}, op.All: {emit: reduce}, op.Any: {emit: reduce},

	op.Floor: {function: "floor"}, op.Ceil: {function: "ceil"}, op.Trunc: {function: "trunc"}, op.Round: {function: "rint"},
	// the library's is below 1
	op.Fract: {helper: "fraction", formula: "x - floor(x)", operands: 1, helps: always},
	op.Sqrt:  {function: "sqrt"}, op.InverseSqrt: {function: "rsqrt"},
	op.Sin: {function: "sin"}, op.Cos: {function: "cos"}, op.Tan: {function: "tan"}, op.Asin: {function: "asin"},
	op.Acos: {function: "acos"}, op.Atan: {function: "atan"}, op.Atan2: {function: "atan2"}, op.Sinh: {function: "sinh"},
	op.Cosh: {function: "cosh"}, op.Tanh: {function: "tanh"}, op.Asinh: {function: "asinh"}, op.Acosh: {function: "acosh"},
	op.Atanh: {function: "atanh"}, op.Exp: {function: "exp"}, op.Exp2: {function: "exp2"}, op.Log: {function: "log"},
	op.Log2: {function: "log2"}, op.Pow: {function: "pow"}, op.Ldexp: expanded,
	op.FrexpSignificand: expanded, op.FrexpExponent: expanded,
	op.QuantizeF16: {emit: quantize},

	op.Dot: {emit: dot}, op.Dot4I8: expanded, op.Dot4U8: expanded,
	op.Pack4x8Snorm: expanded, op.Pack4x8Unorm: expanded, op.Pack4xI8: expanded, op.Pack4xU8: expanded,
	op.Pack4xI8Clamp: expanded, op.Pack4xU8Clamp: expanded, op.Pack2x16Snorm: expanded, op.Pack2x16Unorm: expanded,
	op.Pack2x16Float:  {emit: packHalves},
	op.Unpack4x8Snorm: expanded, op.Unpack4x8Unorm: expanded, op.Unpack4xI8: expanded,
	op.Unpack4xU8: expanded, op.Unpack2x16Snorm: expanded, op.Unpack2x16Unorm: expanded,
	op.Unpack2x16Float: {emit: unpackHalves},

	op.Convert: {emit: conversion}, op.Bitcast: {emit: bitcast}, op.Splat: {emit: ofType}, op.Construct: {emit: construct},
	op.Extract: {emit: extract}, op.Shuffle: {emit: shuffle},

	op.SubgroupElect: {function: "simd_is_first"}, op.SubgroupAll: {function: "simd_all"}, op.SubgroupAny: {function: "simd_any"},
	op.SubgroupBallot: {emit: ballot}, op.SubgroupBroadcast: {emit: lane},
	op.SubgroupBroadcastFirst: {function: "simd_broadcast_first"}, op.SubgroupShuffle: {emit: lane},
	op.SubgroupShuffleXor: {emit: lane}, op.SubgroupShuffleUp: {emit: lane},
	op.SubgroupShuffleDown: {emit: lane},
	op.SubgroupAdd:         {function: "simd_sum"}, op.SubgroupMul: {function: "simd_product"},
	op.SubgroupMin: {function: "simd_min"}, op.SubgroupMax: {function: "simd_max"}, op.SubgroupAnd: {function: "simd_and"},
	op.SubgroupOr: {function: "simd_or"}, op.SubgroupXor: {function: "simd_xor"},
	op.SubgroupInclusiveAdd: {function: "simd_prefix_inclusive_sum"}, op.SubgroupInclusiveMul: {function: "simd_prefix_inclusive_product"},
	op.SubgroupExclusiveAdd: {function: "simd_prefix_exclusive_sum"}, op.SubgroupExclusiveMul: {function: "simd_prefix_exclusive_product"},
	op.QuadBroadcast: {emit: lane},
	op.QuadSwapX:     {emit: neighbour}, op.QuadSwapY: {emit: neighbour}, op.QuadSwapDiagonal: {emit: neighbour},
}

// laneNames are the functions whose second operand is a lane or a distance (MSL 6.9.2).
var laneNames = [op.Count]string{op.SubgroupBroadcast: "simd_broadcast", op.SubgroupShuffle: "simd_shuffle",
	op.SubgroupShuffleXor: "simd_shuffle_xor", op.SubgroupShuffleUp: "simd_shuffle_up", op.SubgroupShuffleDown: "simd_shuffle_down",
	op.QuadBroadcast: "quad_broadcast"}

// quadMasks are what is exclusive or'ed to an invocation's index in its quad (MSL 6.9.3).
var quadMasks = [op.Count]string{op.QuadSwapX: "ushort(1)", op.QuadSwapY: "ushort(2)", op.QuadSwapDiagonal: "ushort(3)"}

// operands returns the texts of an instruction's operands.
func (w *emitter) operands(i ir.Inst) []printer.Expr {
	args := w.F.Args(i)
	texts := make([]printer.Expr, len(args))
	for n, a := range args {
		texts[n] = w.Take(a)
	}
	return texts
}

// asUnsigned writes a signed integer's bits as an unsigned one.
func (w *emitter) asUnsigned(x printer.Expr, t ir.Type) printer.Expr {
	k := w.M.ScalarOf(t)
	if !k.IsSigned() || !k.IsInteger() {
		return x
	}
	if x.Bits != "" {
		return printer.Expr{Text: x.Bits, Level: x.BitsLevel}.With(x)
	}
	return convert(w.vectorName(unsignedKinds[k], w.M.Components(t)), x)
}

// asSigned converts back what is written of unsigned integers.
func (w *emitter) asSigned(x printer.Expr, t ir.Type) printer.Expr {
	y := convert(w.typeName(t), x)
	y.Bits, y.BitsLevel = x.Text, x.Level
	return y
}

// operation writes what has a row in the table.
func (w *emitter) operation(i ir.Inst) {
	f := w.F
	o := f.Op(i)
	r := &table[o]
	var x printer.Expr
	first := f.Type(i)
	if len(f.Args(i)) > 0 {
		first = f.TypeOf(f.Arg(i, 0))
	}
	switch {
	case r.emit != nil:
		x = r.emit(w, i)
	case r.helps != nil && r.helps(w, first):
		x = printer.Call(w.operationHelper(o, first, f.Type(i), r), w.operands(i))
	case r.function != "":
		x = printer.Call(r.function, w.operands(i))
	case r.operator == "":
		panic("msl: no row for " + o.String())
	default:
		args := w.operands(i)
		wraps := r.wraps && onSigned(w, first)
		if wraps {
			args[0] = w.asUnsigned(args[0], first)
			if o != op.Shl {
				args[1] = w.asUnsigned(args[1], first)
			}
		}
		if x = printer.Binary(args[0], r.operator, args[1], r.level); wraps {
			x = w.asSigned(x, first)
		}
	}
	if o.Is(op.Convergent) { // stays where it is
		w.Exprs[f.Result(i)] = w.Let(f.Result(i), f.Type(i), x)
		return
	}
	w.Define(i, x)
}

func negate(w *emitter, i ir.Inst) printer.Expr {
	t, x := w.F.Type(i), w.operands(i)[0]
	if !onSigned(w, t) {
		return printer.Prefix("-", x)
	}
	zero := w.scalarConstant(unsignedKinds[w.M.ScalarOf(t)], 0)
	return w.asSigned(printer.Binary(zero, "-", w.asUnsigned(x, t), printer.Additive), t)
}

func remainder(w *emitter, i ir.Inst) printer.Expr {
	args := w.operands(i)
	if w.M.ScalarOf(w.F.Type(i)).IsFloat() {
		return printer.Call("fmod", args)
	}
	return printer.Binary(args[0], "%", args[1], printer.Multiplicative)
}

// clamp is not the library's, which is undefined where the bounds are the wrong way round (MSL
// 6.3).
func clamp(w *emitter, i ir.Inst) printer.Expr {
	args := w.operands(i)
	return printer.Call("min", []printer.Expr{printer.Call("max", args[:2]), args[2]})
}

func complement(w *emitter, i ir.Inst) printer.Expr {
	t := w.F.Type(i)
	switch args := w.operands(i); {
	case w.holdsBool(t) && w.M.IsVector(t):
		return printer.Call(w.operationHelper(op.Not, t, t, &row{helper: "opposite", formula: "!x", operands: 1}), args)
	case w.holdsBool(t):
		return printer.Prefix("!", args[0])
	default:
		return printer.Prefix("~", args[0])
	}
}

func firstLeadingBit(k scalar.Kind) string {
	if k.IsSigned() {
		return "$T($S) - $T(clz($U(x ^ (x >> $S))))"
	}
	return "$T($S) - clz(x)" // wraps to all ones for 0
}

// equal compares. Whether a float differs from itself its bits say: Metal's mathematics may assume
// that none does.
func equal(w *emitter, i ir.Inst) printer.Expr {
	f := w.F
	t := f.TypeOf(f.Arg(i, 0))
	o, k := f.Op(i), w.M.ScalarOf(t)
	r := comparison("==", "equal")
	if o == op.Ne {
		r = comparison("!=", "unequal")
	}
	args := w.operands(i)
	switch {
	case f.Arg(i, 0) == f.Arg(i, 1) && k.IsFloat():
		r = row{helper: "is_number", formula: "(as_type<uint>(x) & 0x7fffffffu) <= 0x7f800000u", operands: 1}
		if k == scalar.F16 {
			r.formula = "(as_type<ushort>(x) & 0x7fff) <= 0x7c00"
		}
		slot := op.Floor // whose slot in the table of helpers is free
		if o == op.Ne {
			slot, r.helper, r.formula = op.Ceil, "is_nan", "!("+r.formula+")"
		}
		return printer.Call(w.operationHelper(slot, t, f.Type(i), &r), args[:1])
	case w.M.IsVector(t):
		return printer.Call(w.operationHelper(o, t, f.Type(i), &r), args)
	}
	return printer.Binary(args[0], r.operator, args[1], r.level)
}

func choose(w *emitter, i ir.Inst) printer.Expr {
	f := w.F
	args := w.operands(i)
	if w.M.IsVector(f.TypeOf(f.Arg(i, 0))) {
		return printer.Call("select", []printer.Expr{args[2], args[1], args[0]})
	}
	x := printer.Atom("(" + args[0].Text + " ? " + args[1].Text + " : " + args[2].Text + ")")
	return x.With(args[0]).With(args[1]).With(args[2])
}

func reduce(w *emitter, i ir.Inst) printer.Expr {
	args := w.operands(i)
	if !w.M.IsVector(w.F.TypeOf(w.F.Arg(i, 0))) {
		return args[0]
	}
	if w.F.Op(i) == op.All {
		return printer.Call("all", args)
	}
	return printer.Call("any", args)
}

func quantize(w *emitter, i ir.Inst) printer.Expr {
	n := w.M.Components(w.F.Type(i))
	return convert(w.typeName(w.F.Type(i)), convert(w.vectorName(scalar.F16, n), w.operands(i)[0]))
}

// dot is the library's for floats, unless the sums are to be in order; of integers it has none.
func dot(w *emitter, i ir.Inst) printer.Expr {
	f := w.F
	t := f.TypeOf(f.Arg(i, 0))
	k := w.M.ScalarOf(t)
	args := w.operands(i)
	if k.IsFloat() && w.e.Context.Math != opt.MathStrict {
		return printer.Call("dot", args)
	}
	return printer.Call(w.dotHelper(t), args)
}

func packHalves(w *emitter, i ir.Inst) printer.Expr {
	return convert("as_type<uint>", convert("half2", w.operands(i)[0]))
}

func unpackHalves(w *emitter, i ir.Inst) printer.Expr {
	return convert("float2", convert("as_type<half2>", w.operands(i)[0]))
}

func conversion(w *emitter, i ir.Inst) printer.Expr {
	f := w.F
	from, to := f.TypeOf(f.Arg(i, 0)), f.Type(i)
	k, target := w.M.ScalarOf(from), w.M.ScalarOf(to)
	x := w.operands(i)[0]
	switch {
	case k.IsFloat() && target.IsInteger() && w.M.IsVector(to):
		return printer.Call(w.vectorTruncation(from, to), []printer.Expr{x})
	case k.IsFloat() && target.IsInteger():
		return printer.Call(w.truncation(k, target), []printer.Expr{x})
	}
	return convert(w.typeName(to), x)
}

func bitcast(w *emitter, i ir.Inst) printer.Expr {
	f := w.F
	from, to := f.TypeOf(f.Arg(i, 0)), f.Type(i)
	x := w.operands(i)[0]
	switch {
	case w.M.ScalarOf(to) == scalar.Bool || from == to:
		return x
	case onSigned(w, from) && unsignedKinds[w.M.ScalarOf(from)] == w.M.ScalarOf(to):
		return w.asUnsigned(x, from)
	case onSigned(w, to) && unsignedKinds[w.M.ScalarOf(to)] == w.M.ScalarOf(from):
		return w.asSigned(x, to)
	}
	return convert("as_type<"+w.typeName(to)+">", x)
}

func ofType(w *emitter, i ir.Inst) printer.Expr {
	x := w.operands(i)[0]
	y := convert(w.typeName(w.F.Type(i)), x)
	y.Scalar = &x
	return y
}

func construct(w *emitter, i ir.Inst) printer.Expr {
	t := w.F.Type(i)
	if w.M.IsVector(t) {
		return printer.Call(w.typeName(t), w.operands(i))
	}
	return printer.Call(w.maker(t), w.operands(i))
}

func extract(w *emitter, i ir.Inst) printer.Expr {
	f := w.F
	whole, index := f.Arg(i, 0), f.Arg(i, 1)
	t := f.TypeOf(whole)
	k, known := w.M.ConstUint(index)
	var x printer.Expr
	if n, sized := w.M.Count(t); known && sized {
		k = min(k, uint64(n-1))
	}
	if whole.IsConst() && !w.isLeaf(t) {
		if x = w.data(whole); w.M.IsZero(whole) && known {
			return w.Take(w.M.Zero(f.Type(i)))
		}
	} else {
		x = w.Take(whole)
	}
	part := w.part(x, t, form{}, index)
	in := w.within(form{}, t, uint32(k))
	if !w.isLeaf(f.Type(i)) && whole.IsConst() {
		return printer.Call(w.loadHelper(f.Type(i), ir.Constant), []printer.Expr{part})
	}
	return w.asValue(part, f.Type(i), in)
}

func shuffle(w *emitter, i ir.Inst) printer.Expr {
	f := w.F
	x := w.operands(i)[0]
	n := w.M.Components(f.Type(i))
	if w.holdsBool(f.Type(i)) { // of which some compilers have no swizzles
		if x.Level != printer.Primary || len(x.Text) > 20 {
			x = w.Let(ir.NoValue, f.TypeOf(f.Arg(i, 0)), x)
		}
		parts := make([]printer.Expr, n)
		for c := range parts {
			parts[c] = printer.Atom(x.Text + "." + "xyzw"[op.SwizzleComponent(f.Aux(i), c):][:1]).With(x)
		}
		return printer.Call(w.typeName(f.Type(i)), parts)
	}
	y := x.Within(printer.Primary)
	y.Text += "."
	for c := range n {
		y.Text += "xyzw"[op.SwizzleComponent(f.Aux(i), c):][:1]
	}
	y.Scalar, y.Bits, y.Operator = nil, "", ""
	return y
}

// ballot makes four words of the library's vote, which has 64 bits (MSL 6.9.2).
func ballot(w *emitter, i ir.Inst) printer.Expr {
	vote := printer.Call("simd_ballot", w.operands(i))
	x := printer.Atom("uint4(as_type<uint2>(ulong(simd_vote::vote_t(" + vote.Text + "))), 0u, 0u)")
	return x.With(vote)
}

// lane writes an exchange with another lane, whose number Metal has as ushort.
func lane(w *emitter, i ir.Inst) printer.Expr {
	args := w.operands(i)
	args[1] = convert("ushort", args[1])
	return printer.Call(laneNames[w.F.Op(i)], args)
}

func neighbour(w *emitter, i ir.Inst) printer.Expr {
	return printer.Call("quad_shuffle_xor", append(w.operands(i), printer.Atom(quadMasks[w.F.Op(i)])))
}
