package lower

import (
	"math"

	"github.com/gpuc/gpuc/frontend/wgsl/check"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// This file makes the builtin functions. Most are one operation, which the
// checker's table names. The others have a function here, by their expansion;
// where WGSL §15.7.4 derives a function's accuracy from a formula, that formula
// is used.

// expansions holds the functions that make builtins from their arguments; t is
// the result's type.
var expansions = [...]func(l *Lowerer, row *check.Builtin, t ir.Type, args []ir.Value) ir.Value{
	check.NoExpansion:           single,
	check.ExpandSelect:          choose,
	check.ExpandModf:            modf,
	check.ExpandFrexp:           frexp,
	check.ExpandMix:             mix,
	check.ExpandStep:            step,
	check.ExpandSmoothstep:      smoothstep,
	check.ExpandSaturate:        saturate,
	check.ExpandDegrees:         scaled(180 / math.Pi),
	check.ExpandRadians:         scaled(math.Pi / 180),
	check.ExpandLength:          func(l *Lowerer, _ *check.Builtin, _ ir.Type, a []ir.Value) ir.Value { return l.length(a[0]) },
	check.ExpandDistance:        distance,
	check.ExpandNormalize:       normalize,
	check.ExpandCross:           func(l *Lowerer, _ *check.Builtin, _ ir.Type, a []ir.Value) ir.Value { return l.cross(a[0], a[1]) },
	check.ExpandReflect:         reflect,
	check.ExpandRefract:         refract,
	check.ExpandFaceForward:     faceForward,
	check.ExpandTranspose:       func(l *Lowerer, _ *check.Builtin, t ir.Type, a []ir.Value) ir.Value { return l.transpose(t, a[0]) },
	check.ExpandDeterminant:     func(l *Lowerer, _ *check.Builtin, _ ir.Type, a []ir.Value) ir.Value { return l.determinant(a[0]) },
	check.ExpandCompareExchange: compareExchange,
	check.ExpandUniformLoad:     uniformLoad,
	check.ExpandTexture:         onTexture,
	check.ExpandClampedSample:   clampedSample,
	check.ExpandAtomicPair:      nil,
	check.ExpandView:            bufferView,
}

// unsupported says why builtins of an expansion cannot be made yet.
var unsupported = [len(expansions)]string{
	check.ExpandAtomicPair: "gpuc has no 64-bit atomics",
}

// unsupported reports a construct that gpuc checks but cannot compile.
func (l *Lowerer) unsupported(span source.Span, message string) {
	l.list.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: span, Message: message})
}

// builtin makes a builtin function's result.
func (l *Lowerer) builtin(row *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	return expansions[row.Expansion](l, row, t, args)
}

// single makes a builtin that is one operation. The lane arguments of subgroup
// functions may be i32, of which the IR's operations know nothing.
func single(l *Lowerer, row *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	if row.Op == op.Bitcast && l.f.TypeOf(args[0]) == t {
		return args[0]
	}
	if row.Flags&check.NeedsSubgroups != 0 && len(args) == 2 {
		if lane, ok := l.m.ConstUint(args[1]); ok {
			args[1] = l.m.ConstU32(uint32(lane))
		} else {
			args[1] = l.convert(ir.U32, args[1])
		}
	}
	return l.emit(row.Op, t, row.Aux, args...)
}

func choose(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	return l.emit(op.Select, t, 0, args[2], args[1], args[0])
}

// modf is x - trunc(x) and trunc(x). The difference is exact, and must not be
// contracted with what made x: the parts would no longer add up.
func modf(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	whole := l.op(op.Trunc, args[0])
	return l.b.Construct(t, l.b.Op(op.Sub, args[0], whole), whole)
}

func frexp(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	significand := l.op(op.FrexpSignificand, args[0])
	exponent := l.emit(op.FrexpExponent, l.m.PartType(t, 1), 0, args[0])
	return l.b.Construct(t, significand, exponent)
}

// mix is x·(1-z) + y·z.
func mix(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	x, y, z := args[0], args[1], args[2]
	rest := l.op(op.Sub, l.number(l.f.TypeOf(z), 1), z)
	if l.f.TypeOf(z) != t {
		rest, z = l.splat(t, rest), l.splat(t, z)
	}
	return l.op(op.Add, l.op(op.Mul, x, rest), l.op(op.Mul, y, z))
}

func step(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	reached := l.b.Op(op.Le, args[0], args[1])
	return l.emit(op.Select, t, 0, reached, l.number(t, 1), l.number(t, 0))
}

// smoothstep is t·t·(3-2t) with t = clamp((x-low)/(high-low), 0, 1).
func smoothstep(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	low, high, x := args[0], args[1], args[2]
	covered, width := l.op(op.Sub, x, low), l.op(op.Sub, high, low)
	part := l.op(op.Clamp, l.op(op.Div, covered, width), l.number(t, 0), l.number(t, 1))
	slope := l.op(op.Sub, l.number(t, 3), l.op(op.Mul, l.number(t, 2), part))
	return l.op(op.Mul, l.op(op.Mul, part, part), slope)
}

func saturate(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	return l.op(op.Clamp, args[0], l.number(t, 0), l.number(t, 1))
}

// scaled makes functions that multiply by a constant.
func scaled(factor float64) func(*Lowerer, *check.Builtin, ir.Type, []ir.Value) ir.Value {
	return func(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
		return l.op(op.Mul, args[0], l.number(t, factor))
	}
}

func (l *Lowerer) length(v ir.Value) ir.Value {
	if l.m.IsScalar(l.f.TypeOf(v)) {
		return l.op(op.Abs, v)
	}
	return l.op(op.Sqrt, l.dot(v, v))
}

func distance(l *Lowerer, _ *check.Builtin, _ ir.Type, args []ir.Value) ir.Value {
	return l.length(l.op(op.Sub, args[0], args[1]))
}

func normalize(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	return l.op(op.Div, args[0], l.splat(t, l.length(args[0])))
}

// reflect is x - 2·dot(y, x)·y.
func reflect(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	x, y := args[0], args[1]
	twice := l.op(op.Mul, l.number(l.m.Element(t), 2), l.dot(y, x))
	return l.op(op.Sub, x, l.op(op.Mul, l.splat(t, twice), y))
}

// refract is ratio·x - (ratio·d + √k)·y with d = dot(y, x) and
// k = 1 - ratio²·(1 - d²), or zero where k is negative.
func refract(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	x, y, ratio := args[0], args[1], args[2]
	one := l.number(l.m.Element(t), 1)
	d := l.dot(y, x)
	sine := l.op(op.Sub, one, l.op(op.Mul, d, d))
	k := l.op(op.Sub, one, l.op(op.Mul, l.op(op.Mul, ratio, ratio), sine))
	along := l.op(op.Add, l.op(op.Mul, ratio, d), l.op(op.Sqrt, k))
	bent := l.op(op.Sub, l.op(op.Mul, l.splat(t, ratio), x), l.op(op.Mul, l.splat(t, along), y))
	total := l.b.Op(op.Lt, k, l.number(l.m.Element(t), 0))
	return l.emit(op.Select, t, 0, total, l.m.Zero(t), bent)
}

// faceForward is x where dot(y, z) is negative, else -x.
func faceForward(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	d := l.dot(args[1], args[2])
	facing := l.b.Op(op.Lt, d, l.number(l.m.Element(t), 0))
	return l.emit(op.Select, t, 0, facing, args[0], l.op(op.Neg, args[0]))
}

// compareExchange makes the structure of the old value and whether it was
// exchanged. The IR's operation never fails spuriously.
func compareExchange(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	old := l.emit(op.AtomicCompareExchange, l.f.TypeOf(args[1]), 0, args...)
	return l.b.Construct(t, old, l.b.Op(op.Eq, old, args[1]))
}

// uniformLoad makes a load between two barriers: what all invocations wrote is
// there, none overwrites it early, and all get one value.
func uniformLoad(l *Lowerer, _ *check.Builtin, t ir.Type, args []ir.Value) ir.Value {
	o := op.Load
	if l.m.KindOf(l.m.Element(l.f.TypeOf(args[0]))) == ir.AtomicType {
		o = op.AtomicLoad
	}
	l.b.Barrier(op.WorkgroupMemory)
	l.b.Flags = ir.UniformResult
	v := l.b.Emit(o, t, 0, args[0])
	l.b.Flags = 0
	l.b.Barrier(op.WorkgroupMemory)
	return v
}
