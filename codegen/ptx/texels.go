package ptx

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file reads and writes the texels of storage textures, as bits of surfaces. PTX has stores
// that convert (sust.p), but the ISA does not say how they round, and no loads that convert. So the
// bits are made here: values are kept within what the channel holds and rounded once, to the
// nearest one, ties to even (WGSL §6.6.1).
//
// Surfaces drop stores outside of them (the mode .zero), but the ISA does not say so of a layer;
// that is compared here.

// textureStore writes a texel.
func (e *emitter) textureStore(b *mir.Builder, i ir.Inst) {
	o := b.F.TextureOperandsOf(i)
	n := b.HandleOf(o.Texture)
	format := b.M.FormatOf(b.TextureType(n))
	var texel [4]mir.Operand
	copy(texel[:], b.Slots(o.Stored))
	args := e.surfaceCoordinates(b, &o, n, abi.ArrayFormat(format).Bytes())
	parts := packTexel(b, format, texel)
	args.add(parts.all()...)
	b.SetAux(b.Emit(surfaceStore, b.M.ChannelOf(b.TextureType(n)), nil, args.all()...), n)
}

// textureRead reads a texel that the kernel may have written.
func (e *emitter) textureRead(b *mir.Builder, i ir.Inst) {
	o := b.F.TextureOperandsOf(i)
	n := b.HandleOf(o.Texture)
	format := b.M.FormatOf(b.TextureType(n))
	bytes := abi.ArrayFormat(format).Bytes()
	args := e.surfaceCoordinates(b, &o, n, bytes)
	parts := freshWords(b, bytes/4)
	if bytes < 4 {
		parts.add(b.Fresh(mir.Half))
	}
	b.SetAux(b.Emit(surfaceLoad, b.M.ChannelOf(b.TextureType(n)), parts.all(), args.all()...), n)
	texel := unpackTexel(b, format, parts.all())
	b.Alias(b.F.Result(i), texel[:]...)
}

// outside is an offset in bytes that no row of a surface reaches.
const outside = 1 << 20

// surfaceCoordinates returns the coordinates of a surface: along a row in bytes, then rows, slices,
// and of surfaces of two dimensions a layer.
func (e *emitter) surfaceCoordinates(b *mir.Builder, o *ir.TextureOperands, n uint32, bytes int) (at operandList) {
	for _, x := range b.Slots(o.Coordinates) {
		at.add(b.As(scalar.U32, x))
	}
	shift := uint32(0)
	for 1<<shift < bytes {
		shift++
	}
	if shift > 0 {
		at.list[0] = b.Compute(op.Shl, scalar.U32, at.list[0], b.U32(shift))
	}
	if at.count != 2 {
		return at
	}
	layer := b.U32(0)
	if o.Layer != ir.NoValue {
		layer = b.As(scalar.U32, b.Slot(o.Layer))
		if o.Stored != ir.NoValue && e.Context.Bounds != opt.BoundsOff {
			layers := freshWords(b, 1)
			b.EmitTexture(op.TextureLayers, n, layers.all())
			at.list[0] = b.Choose(b.Compute(op.Lt, scalar.U32, layer, layers.list[0]), at.list[0], b.U32(outside))
		}
	}
	at.add(layer)
	return at
}

// encodings say how a channel of fewer than 32 bits is made of a number and a number of it. They
// are by texture.Encoding; encode returns a word whose other bits are zero.
var encodings = [...]struct {
	encode func(b *mir.Builder, x mir.Operand, bits uint32) mir.Operand
	decode func(b *mir.Builder, word mir.Operand, at, bits uint32) mir.Operand
}{
	texture.Unorm: {encodeUnorm, decodeUnorm},
	texture.Snorm: {encodeSnorm, decodeSnorm},
	texture.Uint:  {encodeUint, decodeUint},
	texture.Sint:  {encodeSint, decodeSint},
	texture.Float: {encodeHalf, decodeHalf},
}

// packTexel returns the parts of a held texel: words, or a half of fewer bits.
func packTexel(b *mir.Builder, f texture.Format, texel [4]mir.Operand) (parts operandList) {
	texel = quantised(b, f, texel)
	info := abi.ArrayFormat(f).Info()
	if info.Bits == 32 {
		parts.add(texel[:info.Channels]...)
		return parts
	}
	bits := uint32(info.Bits)
	for c := range info.Channels {
		x := encodings[info.Encoding].encode(b, texel[c], bits)
		at := uint32(c) * bits % 32
		if at == 0 {
			parts.add(x)
			continue
		}
		last := &parts.list[parts.count-1]
		*last = b.Compute(op.Or, scalar.U32, *last, b.Compute(op.Shl, scalar.U32, x, b.U32(at)))
	}
	if abi.ArrayFormat(f).Bytes() < 4 {
		low, high := b.Fresh(mir.Half), b.Fresh(mir.Half)
		b.Emit(mir.Split, scalar.U32, []mir.Operand{low, high}, parts.list[0])
		parts.list[0] = low
	}
	return parts
}

// unpackTexel returns the channels of a held texel.
func unpackTexel(b *mir.Builder, f texture.Format, parts []mir.Operand) (texel [4]mir.Operand) {
	info, channels := abi.ArrayFormat(f).Info(), f.Info().Channels
	if abi.ArrayFormat(f).Bytes() < 4 {
		parts = []mir.Operand{b.EmitMachine(mir.Join, scalar.U32, mir.Word, 0, parts[0], parts[0])}
	}
	for c := range texel {
		switch bit := uint32(c * info.Bits); {
		case c >= channels:
			texel[c] = absent(b, info.Channel, c)
		case info.Bits == 32:
			texel[c] = parts[c]
		default:
			texel[c] = encodings[info.Encoding].decode(b, parts[bit/32], bit%32, uint32(info.Bits))
		}
	}
	return texel
}

// quantised returns a texel of a format that is held in a wider one: with the values that the
// format has.
func quantised(b *mir.Builder, f texture.Format, texel [4]mir.Operand) [4]mir.Operand {
	widths := [4]uint32{10, 10, 10, 2}
	switch f {
	case texture.RGB10A2Uint:
		for c, x := range texel {
			texel[c] = encodeUint(b, x, widths[c])
		}
	case texture.RGB10A2Unorm:
		for c, x := range texel {
			texel[c] = part(b, b.Convert(scalar.F32, scalar.U32, encodeUnorm(b, x, widths[c])), widths[c])
		}
	case texture.RG11B10Ufloat:
		texel = [4]mir.Operand{unsignedFloat(b, texel[0], 6), unsignedFloat(b, texel[1], 6), unsignedFloat(b, texel[2], 5), single(b, 1)}
	}
	return texel
}

// unsignedFloat rounds a number to one without a sign, with the given number of bits of fraction
// and the exponents of a half. What is below 2^-14 has its own unit, to which adding and
// subtracting a large number rounds; numbers beyond the largest become infinite in the half.
func unsignedFloat(b *mir.Builder, x mir.Operand, fraction uint32) mir.Operand {
	cut := 23 - fraction
	u32 := func(o op.Op, args ...mir.Operand) mir.Operand { return b.Compute(o, scalar.U32, args...) }
	x = b.As(scalar.F32, x)
	nan := b.Compute(op.Ne, scalar.F32, x, x)
	x = b.Compute(op.Max, scalar.F32, x, single(b, 0)) // of a NaN 0
	even := u32(op.And, u32(op.Shr, x, b.U32(cut)), b.U32(1))
	near := u32(op.Add, u32(op.Add, x, b.U32(1<<(cut-1)-1)), even)
	near = u32(op.And, near, b.U32(^uint32(1<<cut-1)))
	large := single(b, float32(uint32(1)<<(23-14-fraction)))
	small := b.Compute(op.Sub, scalar.F32, b.Compute(op.Add, scalar.F32, x, large), large)
	x = b.Choose(b.Compute(op.Lt, scalar.F32, x, single(b, 0x1p-14)), small, near)
	return b.Choose(nan, b.U32(0x7FC00000), x)
}

// shifted is what numbers of fewer than 23 bits are added to so that the sum's lowest bits are the
// number, rounded once.
const (
	shifted       = 0x1p23
	shiftedSigned = 0x1.8p23 // the same for negative numbers
)

// low returns the lowest bits of a word.
func low(b *mir.Builder, x mir.Operand, bits uint32) mir.Operand {
	return b.Compute(op.And, scalar.U32, x, b.U32(1<<bits-1))
}

// maxUnsigned is the largest unsigned integer of the given number of bits.
func maxUnsigned(bits uint32) float32 { return float32(uint32(1)<<bits - 1) }

// encodeUnorm rounds a number from 0 to 1, times the largest of the channel: the product and the
// sum are one operation, so nothing is rounded before. A NaN becomes 0.
func encodeUnorm(b *mir.Builder, x mir.Operand, bits uint32) mir.Operand {
	x = b.Compute(op.Clamp, scalar.F32, x, single(b, 0), single(b, 1))
	return low(b, b.Compute(op.Fma, scalar.F32, x, single(b, maxUnsigned(bits)), single(b, shifted)), bits)
}

func encodeSnorm(b *mir.Builder, x mir.Operand, bits uint32) mir.Operand {
	x = b.Choose(b.Compute(op.Eq, scalar.F32, x, x), x, single(b, 0))
	x = b.Compute(op.Clamp, scalar.F32, x, single(b, -1), single(b, 1))
	return low(b, b.Compute(op.Fma, scalar.F32, x, single(b, maxUnsigned(bits-1)), single(b, shiftedSigned)), bits)
}

func encodeUint(b *mir.Builder, x mir.Operand, bits uint32) mir.Operand {
	return b.Compute(op.Min, scalar.U32, x, b.U32(1<<bits-1))
}

func encodeSint(b *mir.Builder, x mir.Operand, bits uint32) mir.Operand {
	limit := int64(1) << (bits - 1)
	return low(b, b.Compute(op.Clamp, scalar.I32, x, b.Int(scalar.I32, -limit), b.Int(scalar.I32, limit-1)), bits)
}

func encodeHalf(b *mir.Builder, x mir.Operand, _ uint32) mir.Operand {
	return b.EmitMachine(mir.Join, scalar.U32, mir.Word, 0, b.Convert(scalar.F16, scalar.F32, x), b.Int(scalar.F16, 0))
}

// part divides x, an integer, by the largest unsigned integer of the given number of bits. It
// multiplies by the reciprocal and corrects the quotient by the remainder, so that the result is
// rounded once.
func part(b *mir.Builder, x mir.Operand, bits uint32) mir.Operand {
	reciprocal := single(b, 1/maxUnsigned(bits))
	quotient := b.Compute(op.Mul, scalar.F32, x, reciprocal)
	remainder := b.Compute(op.Fma, scalar.F32, quotient, single(b, -maxUnsigned(bits)), x)
	return b.Compute(op.Fma, scalar.F32, remainder, reciprocal, quotient)
}

func decodeUnorm(b *mir.Builder, word mir.Operand, at, bits uint32) mir.Operand {
	return part(b, b.Convert(scalar.F32, scalar.U32, decodeUint(b, word, at, bits)), bits)
}

func decodeSnorm(b *mir.Builder, word mir.Operand, at, bits uint32) mir.Operand {
	x := part(b, b.Convert(scalar.F32, scalar.I32, decodeSint(b, word, at, bits)), bits-1)
	return b.Compute(op.Max, scalar.F32, x, single(b, -1))
}

func decodeUint(b *mir.Builder, word mir.Operand, at, bits uint32) mir.Operand {
	return b.Compute(op.ExtractBits, scalar.U32, word, b.U32(at), b.U32(bits))
}

func decodeSint(b *mir.Builder, word mir.Operand, at, bits uint32) mir.Operand {
	return b.Compute(op.ExtractBits, scalar.I32, word, b.U32(at), b.U32(bits))
}

func decodeHalf(b *mir.Builder, word mir.Operand, at, _ uint32) mir.Operand {
	halves := [...]mir.Operand{b.Fresh(mir.Half), b.Fresh(mir.Half)}
	b.Emit(mir.Split, scalar.U32, halves[:], word)
	return b.Convert(scalar.F32, scalar.F16, halves[at/16])
}
