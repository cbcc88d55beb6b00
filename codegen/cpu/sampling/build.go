package sampling

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// builder builds scalar code. What it builds of constants is a constant.
type builder struct {
	ir.Builder
	m *ir.Module
}

func (b *builder) u(x uint32) ir.Value  { return b.m.ConstU32(x) }
func (b *builder) i(x int32) ir.Value   { return b.m.ConstInt(ir.I32, int64(x)) }
func (b *builder) f(x float64) ir.Value { return b.m.ConstFloat(ir.F32, x) }
func (b *builder) d(x float64) ir.Value { return b.m.ConstFloat(ir.F64, x) }

func (b *builder) add(x, y ir.Value) ir.Value { return b.Op(op.Add, x, y) }
func (b *builder) sub(x, y ir.Value) ir.Value { return b.Op(op.Sub, x, y) }
func (b *builder) mul(x, y ir.Value) ir.Value { return b.Op(op.Mul, x, y) }
func (b *builder) min(x, y ir.Value) ir.Value { return b.Op(op.Min, x, y) }
func (b *builder) max(x, y ir.Value) ir.Value { return b.Op(op.Max, x, y) }
func (b *builder) and(x, y ir.Value) ir.Value { return b.Op(op.And, x, y) }
func (b *builder) or(x, y ir.Value) ir.Value  { return b.Op(op.Or, x, y) }
func (b *builder) lt(x, y ir.Value) ir.Value  { return b.Op(op.Lt, x, y) }
func (b *builder) eq(x, y ir.Value) ir.Value  { return b.Op(op.Eq, x, y) }

// shl and shr shift by a constant.
func (b *builder) shl(x ir.Value, n int) ir.Value {
	if n == 0 {
		return x
	}
	return b.Op(op.Shl, x, b.u(uint32(n)))
}

func (b *builder) shr(x ir.Value, n int) ir.Value {
	if n == 0 {
		return x
	}
	return b.Op(op.Shr, x, b.u(uint32(n)))
}

// pick returns x where a condition holds, and y elsewhere.
func (b *builder) pick(condition, x, y ir.Value) ir.Value { return b.Op(op.Select, condition, x, y) }

// asU, asI and asF reinterpret a word.
func (b *builder) asU(x ir.Value) ir.Value { return b.Bitcast(ir.U32, x) }
func (b *builder) asI(x ir.Value) ir.Value { return b.Bitcast(ir.I32, x) }
func (b *builder) asF(x ir.Value) ir.Value { return b.Bitcast(ir.F32, x) }

// toF converts an integer to f32.
func (b *builder) toF(x ir.Value) ir.Value { return b.Convert(scalar.F32, x) }

// parts returns the components of a scalar or vector.
func (b *builder) parts(v ir.Value) []ir.Value {
	if v == ir.NoValue {
		return nil
	}
	n := b.m.Components(b.F.TypeOf(v))
	if n < 2 {
		return []ir.Value{v}
	}
	list := make([]ir.Value, n)
	for k := range list {
		list[k] = b.Extract(v, uint32(k))
	}
	return list
}

// address returns a pointer to a value of a type, at so many bytes after an element of a buffer.
func (b *builder) address(buffer, index ir.Value, stride uint32, bytes int, t ir.Type) ir.Value {
	m := b.m
	offset := b.mul(b.Convert(scalar.I64, index), m.ConstInt(ir.Type(scalar.I64), int64(stride)))
	flags := b.Flags
	b.Flags |= ir.InBounds
	p := b.Emit(op.Address, m.PointerTo(ir.Storage, t, m.AccessOf(m.TypeOf(buffer))), uint32(int32(bytes)), buffer, offset)
	b.Flags = flags
	return p
}

// when builds code where a condition holds. The results are those of the code, or the others where
// the condition does not hold.
func (b *builder) when(condition ir.Value, otherwise []ir.Value, code func() []ir.Value) []ir.Value {
	f := b.F
	test := b.If(condition)
	behind := b.Builder
	b.SetBlock(f.Region(test, 0))
	results := code()
	b.Exit(test, results...)
	b.SetBlock(f.Region(test, 1))
	b.Exit(test, otherwise...)
	b.Builder = behind
	var list []ir.Value
	for _, x := range otherwise {
		list = append(list, f.AddResult(test, f.TypeOf(x)))
	}
	return list
}
