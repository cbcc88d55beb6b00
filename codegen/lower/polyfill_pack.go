package lower

import (
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Expansions of packing and unpacking (WGSL §17.9, §17.10), by components. Only the unpacked values
// are vectors.

// packing describes the lanes of a packed word. Lane 0 is in the lowest bits.
type packing struct {
	lanes  int
	signed bool
	scale  float64 // the integer for 1.0, or 0 if components are integers
	// clamped says that integers are clamped to the lane.
	clamped bool
}

var packings = [op.Count]packing{
	op.Pack4x8Snorm:    {lanes: 4, signed: true, scale: 127},
	op.Pack4x8Unorm:    {lanes: 4, scale: 255},
	op.Pack4xI8:        {lanes: 4, signed: true},
	op.Pack4xU8:        {lanes: 4},
	op.Pack4xI8Clamp:   {lanes: 4, signed: true, clamped: true},
	op.Pack4xU8Clamp:   {lanes: 4, clamped: true},
	op.Pack2x16Snorm:   {lanes: 2, signed: true, scale: 32767},
	op.Pack2x16Unorm:   {lanes: 2, scale: 65535},
	op.Unpack4x8Snorm:  {lanes: 4, signed: true, scale: 127},
	op.Unpack4x8Unorm:  {lanes: 4, scale: 255},
	op.Unpack4xI8:      {lanes: 4, signed: true},
	op.Unpack4xU8:      {lanes: 4},
	op.Unpack2x16Snorm: {lanes: 2, signed: true, scale: 32767},
	op.Unpack2x16Unorm: {lanes: 2, scale: 65535},
	op.Dot4I8:          {lanes: 4, signed: true},
	op.Dot4U8:          {lanes: 4},
}

func (p *packing) bits() int { return 32 / p.lanes }

// mask returns the highest unsigned value of a lane.
func (p *packing) mask() int64 { return 1<<p.bits() - 1 }

func expandPack(r *rewrite.Rewriter) ir.Value {
	p := &packings[r.F.Op(r.Inst)]
	packed := ir.NoValue
	for n := range p.lanes {
		x := r.B.Extract(r.X[0], uint32(n))
		switch {
		case p.scale != 0:
			x = normalise(r, p, x)
		case p.clamped && p.signed:
			half := p.mask() / 2
			x = r.Op(op.Min, r.Op(op.Max, x, r.Integer(ir.I32, -half-1)), r.Integer(ir.I32, half))
		case p.clamped:
			x = r.Op(op.Min, x, r.Integer(ir.U32, p.mask()))
		}
		x = Unsigned(r, x)
		last := n == p.lanes-1
		if !last && (p.signed || !p.clamped && p.scale == 0) {
			x = r.Op(op.And, x, r.Integer(ir.U32, p.mask()))
		}
		if n > 0 { // excess bits of the highest lane are shifted out
			x = r.Op(op.Or, packed, r.Shl(x, n*p.bits()))
		}
		packed = x
	}
	return packed
}

// normalise returns ⌊½ + scale·clamp(x, lowest, 1)⌋ as an integer. In f32 the sum may have been
// rounded up to an integer above the exact one. Then the exact scale·x + (½ - floor) is negative,
// and an fma has that sign.
func normalise(r *rewrite.Rewriter, p *packing, x ir.Value) ir.Value {
	lowest := 0.0
	to := scalar.U32
	if p.signed {
		lowest, to = -1, scalar.I32
	}
	half, scale := r.Float(ir.F32, 0.5), r.Float(ir.F32, p.scale)
	x = r.Op(op.Min, r.Op(op.Max, x, r.Float(ir.F32, lowest)), r.Float(ir.F32, 1))
	floor := r.Op(op.Floor, r.Op(op.Add, r.Op(op.Mul, x, scale), half))
	distance := r.Op(op.Fma, x, scale, r.Op(op.Sub, half, floor))
	above := r.Op(op.Lt, distance, r.Float(ir.F32, 0))
	floor = r.Select(above, r.Op(op.Sub, floor, r.Float(ir.F32, 1)), floor)
	return r.B.Convert(to, floor)
}

// lane returns lane n of a packed u32 as an i32 or u32.
func lane(r *rewrite.Rewriter, p *packing, x ir.Value, n int) ir.Value {
	bits := p.bits()
	last := n == p.lanes-1
	switch {
	case p.signed:
		x = r.Cast(scalar.I32, x)
		if !last {
			x = r.Shl(x, 32-(n+1)*bits)
		}
		return r.Shr(x, 32-bits)
	case n > 0:
		x = r.Shr(x, n*bits)
	}
	if last {
		return x
	}
	return r.Op(op.And, x, r.Integer(ir.U32, p.mask()))
}

func expandUnpack(r *rewrite.Rewriter) ir.Value {
	p := &packings[r.F.Op(r.Inst)]
	var parts [4]ir.Value
	for n := range p.lanes {
		x := lane(r, p, r.X[0], n)
		if p.scale != 0 {
			x = r.Op(op.Div, r.B.Convert(scalar.F32, x), r.Float(ir.F32, p.scale))
			if p.signed { // the lowest integer is a little below -1
				x = r.Op(op.Max, x, r.Float(ir.F32, -1))
			}
		}
		parts[n] = x
	}
	return r.B.Emit(op.Construct, r.Type, 0, parts[:p.lanes]...)
}

func expandDot4(r *rewrite.Rewriter) ir.Value {
	p := &packings[r.F.Op(r.Inst)]
	sum := ir.NoValue
	for n := range p.lanes {
		product := r.Op(op.Mul, lane(r, p, r.X[0], n), lane(r, p, r.X[1], n))
		if n > 0 {
			product = r.Op(op.Add, sum, product)
		}
		sum = product
	}
	return sum
}
