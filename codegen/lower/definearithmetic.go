package lower

import (
	"math"
	"sync"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// The IR's operations are total, as WGSL's are at run time. A machine's are not: a division by zero
// faults or has an arbitrary result, and a shift by more than the width differs from machine to
// machine. DefineArithmetic (Tint: BinaryPolyfill, ConversionPolyfill) changes operands so that the
// machine's result is the IR's:
//
//	x / y       ─►  x / select(y == 0 || x == lowest && y == -1, 1, y)
//	x << n      ─►  x << (n & 31)
//	i32(f)      ─►  i32(select(f == f, min(max(f, low), high), 0))
//
// Targets list the kinds of instruction that need it. Guards that analysis.Ranges proves needless
// are left out.

// Guards is a set of kinds of partial machine instruction.
type Guards uint8

// The guards.
const (
	// GuardDivision keeps integer div and rem from a zero divisor and from the
	// lowest value divided by -1.
	GuardDivision Guards = 1 << iota
	// GuardShift takes shift amounts modulo the width.
	GuardShift
	// GuardConversion clamps floats that are converted to integers to what both
	// kinds represent, and makes NaN 0.
	GuardConversion
	// GuardBitField clamps offset and count of extract_bits and insert_bits.
	GuardBitField
	// GuardIndex clamps dynamic indices of extract and insert.
	GuardIndex
	// GuardAll is all of them.
	GuardAll = GuardDivision | GuardShift | GuardConversion | GuardBitField | GuardIndex
)

// DefineArithmetic returns the pass that guards the given kinds of instruction. It comes after
// Polyfill, whose expansions may shift and convert, and before or after Scalarize.
func DefineArithmetic(which Guards) opt.Pass {
	made := sync.OnceValue(func() *rewrite.Rules { return guardTable(which) })
	return opt.Pass{
		Name:  "define-arithmetic",
		Doc:   "guard the operands of instructions that the machine defines only in part",
		Gives: ir.Total,
		Run: func(c *opt.Context, m *ir.Module) {
			table, r := made(), rewrite.New(c, m)
			for _, f := range m.Funcs {
				if r.Ranges = nil; needsRanges(table, f) {
					r.Ranges = opt.Scratch[analysis.Ranges](c, "ranges")
					r.Ranges.Analyse(f)
				}
				r.Function(table, f)
			}
		},
	}
}

// guardRules lists what each guard changes.
var guardRules = [...]struct {
	guard Guards
	ops   [2]op.Op
	rule  rewrite.Rule
}{
	{GuardDivision, [2]op.Op{op.Div, op.Rem}, guardDivision},
	{GuardShift, [2]op.Op{op.Shl, op.Shr}, guardShift},
	{GuardConversion, [2]op.Op{op.Convert}, guardConversion},
	{GuardBitField, [2]op.Op{op.ExtractBits, op.InsertBits}, guardBitField},
	{GuardIndex, [2]op.Op{op.Extract, op.Insert}, guardIndex},
}

func guardTable(which Guards) *rewrite.Rules {
	table := new(rewrite.Rules)
	for _, g := range guardRules {
		if which&g.guard == 0 {
			continue
		}
		for _, o := range g.ops {
			if o != op.Invalid {
				table[o] = g.rule
			}
		}
	}
	return table
}

// needsRanges reports whether a function has guards that a proof may make needless: those whose
// last operand (divisor, amount or index) is not constant.
func needsRanges(table *rewrite.Rules, f *ir.Func) bool {
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if table[f.Op(i)] != nil {
			args := f.Args(i)
			if last := args[len(args)-1]; len(args) > 1 && !last.IsConst() && f.Module.ScalarOf(f.TypeOf(last)).IsInteger() {
				return true
			}
		}
	}
	return false
}

// guardDivision divides by 1 where the IR's result is the dividend or, for rem, 0. That is so for a
// zero divisor, and for the lowest value divided by -1. Vectors are divided by components, as
// machines do (workaround.Choices has another reason).
func guardDivision(r *rewrite.Rewriter) ir.Value {
	x, y := r.X[0], r.X[1]
	if !r.Kind.IsInteger() {
		return ir.NoValue
	}
	if r.M.IsVector(r.Type) {
		return rewrite.Componentwise(r)
	}
	if r.Proved(0) {
		return ir.NoValue
	}
	if all, ok := r.M.ConstSplatBits(y); ok && r.Kind.IsSigned() && all == r.Kind.Mask() {
		if r.F.Op(r.Inst) == op.Rem {
			return r.Integer(r.Type, 0)
		}
		return r.Op(op.Neg, x)
	}
	bad := ir.NoValue
	if !excludes(r, y, 0) {
		bad = r.Op(op.Eq, y, r.Integer(r.Type, 0))
	}
	lowest := uint64(1) << (r.Kind.Bits() - 1)
	if r.Kind.IsSigned() && !excludes(r, y, r.Kind.Mask()) && !excludes(r, x, lowest) {
		overflow := r.Op(op.And,
			r.Op(op.Eq, x, r.Bits(r.Type, lowest)),
			r.Op(op.Eq, y, r.Integer(r.Type, -1)))
		if bad == ir.NoValue {
			bad = overflow
		} else {
			bad = r.Op(op.Or, bad, overflow)
		}
	}
	if bad != ir.NoValue {
		r.F.SetArg(r.Inst, 1, r.Select(bad, r.Integer(r.Type, 1), y))
	}
	return ir.NoValue
}

// excludes reports whether v is a constant none of whose components has these bits.
func excludes(r *rewrite.Rewriter, v ir.Value, bits uint64) bool {
	if !v.IsConst() {
		return false
	}
	n := r.M.Components(r.F.TypeOf(v))
	if n == 1 {
		return r.M.ConstBits(v) != bits
	}
	for i := range n {
		if r.M.ConstBits(r.M.ConstPart(v, uint32(i))) == bits {
			return false
		}
	}
	return true
}

func guardShift(r *rewrite.Rewriter) ir.Value {
	if amount := r.X[1]; !r.Proved(0) && !isMasked(r, amount) {
		width := int64(r.Kind.Bits())
		r.F.SetArg(r.Inst, 1, r.Op(op.And, amount, r.Integer(r.F.TypeOf(amount), width-1)))
	}
	return ir.NoValue
}

// isMasked reports whether a shift amount is masked to the width already, as the amounts of field
// are.
func isMasked(r *rewrite.Rewriter, amount ir.Value) bool {
	i, ok := r.F.Def(amount)
	if ok && r.F.Op(i) == op.Splat {
		i, ok = r.F.Def(r.F.Arg(i, 0))
	}
	if !ok || r.F.Op(i) != op.And {
		return false
	}
	limit, ok := r.M.ConstUint(r.F.Arg(i, 1))
	return ok && limit < uint64(r.Kind.Bits())
}

// truncated gives, by integer kind, the bounds of the floats that truncate to it. They are its
// lowest value and the highest float below its upper end: an f32 with 24 bits, and an f64 with 53.
var truncated = [scalar.Count]struct{ low, high, double float64 }{
	scalar.I32: {-0x1p31, 0x1.fffffep30, 0x7fffffff},
	scalar.U32: {0, 0x1.fffffep31, 0xffffffff},
	scalar.I64: {-0x1p63, 0x1.fffffep62, 0x1.fffffffffffffp62},
	scalar.U64: {0, 0x1.fffffep63, 0x1.fffffffffffffp63},
}

// guardConversion tests for NaN first, since min and max may drop or keep it.
func guardConversion(r *rewrite.Rewriter) ir.Value {
	x := r.X[0]
	to := r.M.ScalarOf(r.Type)
	if !r.Kind.IsFloat() || !to.IsInteger() {
		return ir.NoValue
	}
	t := r.F.TypeOf(x)
	low, high := floatBounds(r.Kind, to)
	number := r.Op(op.Eq, x, x)
	clamped := r.Op(op.Min, r.Op(op.Max, x, r.Float(t, low)), r.Float(t, high))
	r.F.SetArg(r.Inst, 0, r.Select(number, clamped, r.Float(t, 0)))
	return ir.NoValue
}

// floatBounds returns the bounds of the floats that truncate to an integer kind. All finite f16 fit
// into i32, but infinities do not.
func floatBounds(from, to scalar.Kind) (low, high float64) {
	b := truncated[to]
	low, high = b.low, b.high
	if from == scalar.F64 {
		high = b.double
	}
	if from == scalar.F16 {
		const maximumHalf = 65504
		low, high = math.Max(low, -maximumHalf), math.Min(high, maximumHalf)
	}
	return low, high
}

// guardBitField clamps offset to min(offset, width) and count to min(count, width - offset) (WGSL
// §17.5, extractBits). If they are not constant, the field is expanded to shifts (bitfield.go).
func guardBitField(r *rewrite.Rewriter) ir.Value {
	first := 1 // of the operands offset and count
	if r.F.Op(r.Inst) == op.InsertBits {
		first = 2
	}
	offset, count := clampField(r, r.X[first], r.X[first+1])
	if r.Kind.Bits() == 32 && !(offset.IsConst() && count.IsConst()) {
		return field(r, offset, count)
	}
	r.F.SetArg(r.Inst, first, offset)
	r.F.SetArg(r.Inst, first+1, count)
	return ir.NoValue
}

// clampField clamps a bit field to the width of the current instruction's kind.
// Constants that fit stay as they are.
func clampField(r *rewrite.Rewriter, offset, count ir.Value) (ir.Value, ir.Value) {
	width := r.M.ConstU32(uint32(r.Kind.Bits()))
	o := r.Op(op.Min, offset, width)
	return o, r.Op(op.Min, count, r.Op(op.Sub, width, o))
}

func guardIndex(r *rewrite.Rewriter) ir.Value {
	operand := 1 // of the index among the operands
	if r.F.Op(r.Inst) == op.Insert {
		operand = 2
	}
	index := r.X[operand]
	n, ok := r.M.Count(r.F.TypeOf(r.X[0]))
	// A constant may be out of range if a rule has just folded an operation to it.
	if at, constant := r.M.ConstSplatBits(index); !ok || constant && at < uint64(n) || r.Proved(0) {
		return ir.NoValue
	}
	r.F.SetArg(r.Inst, operand, clampIndex(r, index, n))
	return ir.NoValue
}

// clampIndex returns min(index, n-1) as an unsigned integer: a negative index becomes the last.
func clampIndex(r *rewrite.Rewriter, index ir.Value, n uint32) ir.Value {
	index = Unsigned(r, index)
	return r.Op(op.Min, index, r.Integer(r.F.TypeOf(index), int64(n)-1))
}

// Unsigned casts an i32 or i64 to the unsigned kind of its width.
func Unsigned(r *rewrite.Rewriter, x ir.Value) ir.Value {
	switch k := r.M.ScalarOf(r.F.TypeOf(x)); k {
	case scalar.I32:
		return r.Cast(scalar.U32, x)
	case scalar.I64:
		return r.Cast(scalar.U64, x)
	}
	return x
}
