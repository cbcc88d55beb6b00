package sampling

import (
	"math"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// channels returns the four channels of a texel that has some words.
func (t *tex) channels(words []ir.Value) []ir.Value {
	l, i := t.l, t.format
	list := make([]ir.Value, 4)
	for c := range list {
		list[c] = l.m.ConstScalar(ir.Type(i.Channel), uint64(t.state.Format.Missing(c)))
	}
	field := func(at, width int) ir.Value {
		word := words[at/32]
		if at%32+width < 32 {
			return l.and(l.shr(word, at%32), l.u(1<<width-1))
		}
		return l.shr(word, at%32)
	}
	switch i.Encoding {
	case texture.Packed1010102Unorm, texture.Packed1010102Uint:
		for c := range list {
			width := [...]int{10, 10, 10, 2}[c]
			list[c] = field(10*c, width)
			if i.Encoding == texture.Packed1010102Unorm {
				list[c] = l.unorm(list[c], width)
			}
		}
	case texture.Packed111110Ufloat:
		for c := range 3 {
			list[c] = l.half(l.shl(field(11*c, [...]int{11, 11, 10}[c]), [...]int{4, 4, 5}[c]))
		}
	case texture.Packed9995Ufloat:
		// 2^(e - 24), which is a normal number
		unit := l.asF(l.shl(l.add(field(27, 5), l.u(127-24)), 23))
		for c := range 3 {
			list[c] = l.mul(l.toF(field(9*c, 9)), unit)
		}
	default:
		for c := range i.Channels {
			list[c] = t.decode(field(c*i.Bits, i.Bits), c)
		}
	}
	if i.Reversed {
		list[0], list[2] = list[2], list[0]
	}
	return list
}

// decode returns what the bits of a channel are.
func (t *tex) decode(x ir.Value, c int) ir.Value {
	l, i := t.l, t.format
	switch {
	case i.Bits == 32:
		return l.Bitcast(ir.Type(i.Channel), x)
	case i.Encoding == texture.Unorm, i.Encoding == texture.SRGB && c == 3:
		return l.unorm(x, i.Bits)
	case i.Encoding == texture.SRGB:
		return l.asF(l.table(x, 4, len(l.handles)*entryWords))
	case i.Encoding == texture.Snorm:
		return l.max(l.Op(op.Div, l.toF(l.signed(x, i.Bits)), l.f(float64(int(1)<<(i.Bits-1)-1))), l.f(-1))
	case i.Encoding == texture.Sint:
		return l.signed(x, i.Bits)
	case i.Encoding == texture.Float:
		return l.half(x)
	}
	return x
}

// unorm returns x / (2^bits - 1) as the sum of two products. The first factor has so few bits that
// its product with x is exact; TestUnorm shows that the sum is rounded as the quotient is.
func (b *builder) unorm(x ir.Value, bits int) ir.Value {
	x = b.toF(b.asI(x))
	high, low := reciprocal(bits)
	return b.add(b.mul(x, b.f(high)), b.mul(x, b.f(low)))
}

// reciprocal returns two numbers whose sum is 1 / (2^bits - 1), the first of eight bits.
func reciprocal(bits int) (high, low float64) {
	r := 1 / float64(int(1)<<bits-1)
	fraction, exponent := math.Frexp(r)
	high = math.Ldexp(math.Round(fraction*(1<<8)), exponent-8)
	return high, r - high
}

// signed extends the sign of a number of so many bits.
func (b *builder) signed(x ir.Value, bits int) ir.Value {
	return b.shr(b.asI(b.shl(x, 32-bits)), 32-bits)
}

// half returns what the bits of an f16 are. A NaN keeps its bits, which the conversion need not do.
func (b *builder) half(x ir.Value) ir.Value {
	moved := b.shl(b.and(x, b.u(0x7FFF)), 13)
	finite := b.asU(b.Extract(b.Emit(op.Unpack2x16Float, b.m.VectorOf(ir.F32, 2), 0, b.and(x, b.u(0x7FFF))), 0))
	rest := b.and(moved, b.u(1<<23-1))
	quiet := b.pick(b.eq(rest, b.u(0)), b.u(0), b.u(1<<22))
	special := b.or(b.or(moved, quiet), b.u(0x7F800000))
	magnitude := b.pick(b.lt(moved, b.u(31<<23)), finite, special)
	return b.asF(b.or(magnitude, b.shl(b.and(x, b.u(0x8000)), 16)))
}

// encodes reports whether texels of a format can be encoded.
func encodes(i *texture.FormatInfo) bool {
	return i.Encoding != texture.SRGB && i.Encoding != texture.Packed111110Ufloat && i.Encoding != texture.Packed9995Ufloat
}

// encode returns the words of a texel, or one value of the texel's size if that is smaller.
func (t *tex) encode(channels []ir.Value) (words []ir.Value) {
	l, i := t.l, t.format
	if i.Reversed {
		channels[0], channels[2] = channels[2], channels[0]
	}
	packed := i.Encoding == texture.Packed1010102Unorm || i.Encoding == texture.Packed1010102Uint
	count, at := i.Channels, 0
	for c := range count {
		width := i.Bits
		if packed {
			width = [...]int{10, 10, 10, 2}[c]
		}
		x := t.field(channels[c], width)
		if at%32 == 0 {
			words = append(words, x)
		} else {
			words[at/32] = l.or(words[at/32], l.shl(x, at%32))
		}
		at += width
	}
	switch t.state.Format.Bytes() {
	case 1:
		words[0] = l.Convert(scalar.U8, words[0])
	case 2:
		words[0] = l.Convert(scalar.U16, words[0])
	}
	return words
}

// field returns the bits of a channel.
func (t *tex) field(x ir.Value, width int) ir.Value {
	l := t.l
	limit := float64(int(1)<<width - 1)
	switch e := t.format.Encoding; {
	case width == 32:
		return l.asU(x)
	case e == texture.Uint, e == texture.Packed1010102Uint:
		return l.min(x, l.u(1<<width-1))
	case e == texture.Sint:
		return l.and(l.asU(l.max(l.min(x, l.i(1<<(width-1)-1)), l.i(-1<<(width-1)))), l.u(1<<width-1))
	case e == texture.Float:
		zero := l.f(0)
		pair := l.Emit(op.Pack2x16Float, ir.U32, 0, l.Construct(l.m.VectorOf(ir.F32, 2), x, zero))
		return l.and(pair, l.u(0xFFFF))
	case e == texture.Snorm:
		n := l.rounded(x, -1, float64(int(1)<<(width-1)-1))
		return l.and(l.asU(n), l.u(1<<width-1))
	}
	return l.asU(l.rounded(x, 0, limit))
}

// rounded returns the integer nearest to x, between low and 1, times a limit; a NaN is 0. Products
// of f64 are exact, so that nothing rounds twice.
func (b *builder) rounded(x ir.Value, low, limit float64) ir.Value {
	x = b.pick(b.eq(x, x), x, b.f(0))
	x = b.max(b.min(x, b.f(1)), b.f(low))
	return b.Convert(scalar.I32, b.Op(op.Round, b.mul(b.Convert(scalar.F64, x), b.d(limit))))
}
