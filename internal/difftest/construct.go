package difftest

// Value constructors, conversions and bitcasts.

import (
	"fmt"
	"math"
)

func (c *compiler) construct(e *Expr) code {
	n := e.Type.leaves()
	if len(e.Args) == 0 {
		return fixedCode(make([]uint32, n))
	}
	if len(e.Args) == 1 && e.Args[0].Type.Kind == AbstractInt {
		return c.fromWide(e)
	}
	first := e.Args[0]
	if len(e.Args) == 1 && (e.Type.isScalar() || first.Type.Kind == e.Type.Kind && (e.Type.Kind == Vector || e.Type.Kind == Matrix)) {
		return mapCode(c.expr(first), c.convert(e, first.Type.scalar().Kind, e.Type.scalar().Kind))
	}
	if e.Type.Kind == Vector && len(e.Args) == 1 { // all components alike
		x := c.expr(first)
		return manyCode(n, func(t *thread, out []uint32) {
			v := x.one(t)
			for i := range out {
				out[i] = v
			}
		})
	}
	parts := make([]code, len(e.Args))
	for i, a := range e.Args {
		parts[i] = c.expr(a)
	}
	// An argument may be the part of the frame that out is, so parts go through a temporary.
	at := c.temp(n)
	return maker(n, c.temp(1), func(t *thread, out []uint32) {
		to := t.frameOf(at, n)
		k := 0
		for i := range parts {
			parts[i].into(t, to[k:k+parts[i].n])
			k += parts[i].n
		}
		copy(out, to)
	})
}

// convert is a value constructor of a scalar from another scalar.
func (c *compiler) convert(e *Expr, from, to Kind) func(*thread, uint32) uint32 {
	isFloat := func(k Kind) bool { return k == F32 || k == F16 }
	strict := c.strict
	float := func(t *thread, x float64) uint32 {
		if !representable(x, to) {
			t.m.fault(FaultFloat, e, nil, fmt.Sprintf("conversion of %v", x))
			return word(1)
		}
		return word(float32(x))
	}
	switch {
	case from == to:
		return func(_ *thread, x uint32) uint32 { return x }
	case to == Bool && isFloat(from):
		return func(_ *thread, x uint32) uint32 { return truth(f32(x) != 0) }
	case to == Bool:
		return func(_ *thread, x uint32) uint32 { return truth(x != 0) }
	case isFloat(to) && from == Bool:
		return func(_ *thread, x uint32) uint32 { return word(float32(x)) }
	case isFloat(to) && isFloat(from):
		return func(t *thread, x uint32) uint32 { return float(t, wide(x)) }
	case isFloat(to) && from == I32:
		return func(t *thread, x uint32) uint32 { return float(t, float64(int32(x))) }
	case isFloat(to):
		return func(t *thread, x uint32) uint32 { return float(t, float64(x)) }
	case isFloat(from):
		return func(t *thread, x uint32) uint32 {
			v := wide(x)
			r := toInt(to, from == F16, v)
			if strict && (v < -2147483648 || v > 4294967040 || to == U32 && v < 0 || to == I32 && v > 2147483520) {
				t.m.fault(FaultConst, e, nil, "constant out of range")
			}
			return r
		}
	}
	return func(_ *thread, x uint32) uint32 { return x }
}

func (c *compiler) bitcast(e *Expr) code {
	from, to := e.Args[0].Type.scalar().Kind, e.Type.scalar().Kind
	x := c.expr(e.Args[0])
	isFloat := func(k Kind) bool { return k == F32 || k == F16 }
	if from == F16 || to == F16 {
		return c.halfBitcast(e, x, from, to)
	}
	return mapCode(x, func(t *thread, x uint32) uint32 {
		if isFloat(from) && !isFloat(to) && x<<1 == 0 {
			t.m.fault(FaultFloat, e, nil, "bits of zero, which may have either sign")
		}
		if isFloat(to) && !representable(wide(x), to) {
			t.m.fault(FaultFloat, e, nil, fmt.Sprintf("bitcast of %#x", x))
			return word(1)
		}
		return x
	})
}

// halfBitcast converts between two f16 and the 32 bits that they take together.
func (c *compiler) halfBitcast(e *Expr, x code, from, to Kind) code {
	if from == F16 && to == F16 {
		return x
	}
	at, n := c.temp(x.n), e.Type.leaves()
	return maker(n, c.temp(1), func(t *thread, out []uint32) {
		v := t.frameOf(at, x.n)
		x.into(t, v)
		if from == F16 {
			for i := range out {
				low, high := v[2*i], v[2*i+1]
				if low<<1 == 0 || high<<1 == 0 {
					t.m.fault(FaultFloat, e, nil, "bits of zero, which may have either sign")
				}
				out[i] = uint32(halfBits(f32(low))) | uint32(halfBits(f32(high)))<<16
				if to == F32 && !representable(wide(out[i]), F32) {
					t.m.fault(FaultFloat, e, nil, "bitcast to a float that is not normal")
					out[i] = word(1)
				}
			}
			return
		}
		for i, w := range v {
			for k := range 2 {
				h := float64(halfValue(uint16(w >> (16 * k))))
				if math.IsNaN(h) || !representable(h, F16) {
					t.m.fault(FaultFloat, e, nil, "bitcast to an f16 that is not normal")
					h = 1
				}
				out[2*i+k] = word(float32(h))
			}
		}
	})
}
