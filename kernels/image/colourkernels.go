package image

import "github.com/gpuc/gpuc/runtime/gpu"

// conversion says what the kernel of colours does.
type conversion uint32

const (
	toHSV conversion = iota
	fromHSV
	toHSL
	fromHSL
	toLinear
	fromLinear
	toLab
	fromLab
)

// matrix is rows of three factors and a summand.
type matrix [3][4]float32

func (m *matrix) row(n int, v four) float32 {
	r := &m[n]
	return v.A*r[0] + v.B*r[1] + v.C*r[2] + r[3]
}

// recolouring says what becomes of three channels, whose samples are from 0 to full.
type recolouring interface {
	of(v four, full float32) four
}

func (m matrix) of(v four, _ float32) four { return four{m.row(0, v), m.row(1, v), m.row(2, v), 0} }

func (to conversion) of(v four, full float32) four { return converted(to, v, full) }

// recolour makes the colours of pixels others.
//
//gpuc:kernel workgroup=items types=bytes/four/uint32/matrix,halves/two/uint32/matrix,floats/single/float32/matrix,bytes/four/uint32/conversion,halves/two/uint32/conversion,floats/single/float32/conversion
func recolour[F format[W, V], V run[V], W word, C recolouring](it gpu.Item, pad *scratchpad, c C, dst, src view, out, in []W) {
	var f F
	x, y := it.Global().X, it.Group().Y
	if x < dst.width() {
		v, alpha := coloured(pixel[F](in, src, x, y), src.channels(), f.full())
		pad.put(it, dst, c.of(v, f.full()).withAlpha(dst, alpha))
	}
	deposit[F](it, pad, out, dst, it.Group().X*items, y)
}

// recolourWords is recolour for uint8 and rows that are whole words, at multiples of words. An item
// converts four pixels, which are as many words as pixels have channels.
//
//gpuc:kernel workgroup=items types=matrix,conversion
func recolourWords[C recolouring](it gpu.Item, c C, dst, src view, out, in []uint32) {
	var f bytes
	n, y := it.Global().X, it.Group().Y
	if 4*n >= dst.width() {
		return
	}
	from, to := pixelsAt(in, src.row(y)>>2, n, src.channels()), quad{}
	for range 4 {
		v, alpha := coloured(f.unpack(from.A), src.channels(), f.full())
		to = quad{to.B, to.C, to.D, f.pack(c.of(v, f.full()).withAlpha(dst, alpha))}
		from = quad{from.B, from.C, from.D, from.A}
	}
	to.store(out, dst.row(y), n, dst.channels(), dst.samples()-4*n*dst.channels())
}

// quad is four pixels, each in the lowest bytes of a word.
type quad struct{ A, B, C, D uint32 }

// pixelsAt returns four pixels with so many channels from a word on, and 4·n further. What is above
// their channels in words is undefined.
func pixelsAt(src []uint32, at, n, channels int) quad {
	switch channels {
	case 1:
		a := wordAt(src, at+n)
		return quad{a, a >> 8, a >> 16, a >> 24}
	case 2:
		a, b := wordAt(src, at+2*n), wordAt(src, at+2*n+1)
		return quad{a, a >> 16, b, b >> 16}
	case 3:
		a, b, c := wordAt(src, at+3*n), wordAt(src, at+3*n+1), wordAt(src, at+3*n+2)
		return quad{a, a>>24 | b<<8, b>>16 | c<<16, c >> 8}
	}
	return quad{wordAt(src, at+4*n), wordAt(src, at+4*n+1), wordAt(src, at+4*n+2), wordAt(src, at+4*n+3)}
}

// store writes the pixels from sample at on, and 4·n further, as far as there are samples left.
func (q quad) store(dst []uint32, at, n, channels, left int) {
	switch channels {
	case 1:
		storeWord(dst, at, n, q.A&0xff|q.B&0xff<<8|q.C&0xff<<16|q.D<<24, left)
	case 2:
		storeWord(dst, at, 2*n, lowLow(q.A, q.B), left)
		storeWord(dst, at, 2*n+1, lowLow(q.C, q.D), left-4)
	case 3:
		storeWord(dst, at, 3*n, q.A&0xffffff|q.B<<24, left)
		storeWord(dst, at, 3*n+1, q.B>>8&0xffff|q.C<<16, left-4)
		storeWord(dst, at, 3*n+2, q.C>>16&0xff|q.D<<8, left-8)
	case 4:
		storeWord(dst, at, 4*n, q.A, left)
		storeWord(dst, at, 4*n+1, q.B, left-4)
		storeWord(dst, at, 4*n+2, q.C, left-8)
		storeWord(dst, at, 4*n+3, q.D, left-12)
	}
}

// coloured returns three channels of a pixel with so many, and alpha. A gray pixel has three equal
// channels, and an opaque one the full alpha.
func coloured(v four, channels int, full float32) (four, float32) {
	alpha := full
	switch channels {
	case 1:
		v.B, v.C = v.A, v.A
	case 2:
		v.B, v.C, alpha = v.A, v.A, v.B
	case 4:
		alpha = v.D
	}
	v.D = 0
	return v, alpha
}

// withAlpha returns a pixel with alpha as the channel where the result has it.
func (v four) withAlpha(dst view, alpha float32) four {
	if dst.channels() == 2 {
		v.B = alpha
	} else {
		v.D = alpha
	}
	return v
}

// converted converts a pixel whose samples are from 0 to full.
func converted(to conversion, v four, full float32) four {
	c := v.scale(1 / full)
	c.D = 0
	switch to {
	case toHSV, toHSL:
		c = hue(c, to == toHSL)
	case fromHSV:
		value, chroma := c.C, c.C*c.B
		c = hued(c.A, chroma).add(four{}.fill(value - chroma))
	case fromHSL:
		chroma := (1 - gpu.Abs(2*c.C-1)) * c.B
		c = hued(c.A, chroma).add(four{}.fill(c.C - chroma*0.5))
	case toLinear:
		c = linear(c)
	case fromLinear:
		c = encoded(c)
	case toLab:
		return lab(linear(c), full)
	case fromLab:
		c = encoded(unlab(v, full))
	}
	return c.scale(full)
}

// hue returns hue, saturation, and value or lightness. The hue is 1 for the full circle.
func hue(c four, lightness bool) four {
	most, least := max(c.A, c.B, c.C), min(c.A, c.B, c.C)
	d := most - least
	if d == 0 {
		return four{0, 0, most, 0}
	}
	difference, sector := c.A-c.B, float32(4)
	if most == c.A {
		difference, sector = c.B-c.C, 0
	} else if most == c.B {
		difference, sector = c.C-c.A, 2
	}
	h := difference/d + sector
	if h < 0 {
		h += 6
	}
	light, reach := most, most
	if lightness {
		light = (most + least) * 0.5
		reach = 1 - gpu.Abs(2*light-1)
	}
	return four{h * (1.0 / 6), d / reach, light, 0}
}

// hued returns the colour of a hue with this chroma whose least component is 0.
func hued(h, chroma float32) four {
	h = (h - gpu.Floor(h)) * 6
	return four{
		min(max(gpu.Abs(h-3)-1, 0), 1) * chroma,
		min(max(2-gpu.Abs(h-2), 0), 1) * chroma,
		min(max(2-gpu.Abs(h-4), 0), 1) * chroma,
		0,
	}
}

// linear returns the intensities of an sRGB colour, and encoded the inverse (IEC 61966-2-1).
func linear(c four) four {
	for k := range 3 {
		c = c.with(k, linearOf(c.get(k)))
	}
	return c
}

func linearOf(v float32) float32 {
	if v <= 0.04045 {
		return v * (1 / 12.92)
	}
	return power((v+0.055)*(1/1.055), 2.4)
}

func encoded(c four) four {
	for k := range 3 {
		c = c.with(k, encodedOf(c.get(k)))
	}
	return c
}

func encodedOf(v float32) float32 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*power(v, 1/2.4) - 0.055
}

// The white of D65, with Y of 1 (ITU-R BT.709, CIE 15).
const whiteX, whiteZ = 0.950456, 1.088754

// lab returns CIE L*a*b* of intensities. For integers L* of 100 is the full intensity, and 128
// parts of 255 are added to a* and b*.
func lab(c four, full float32) four {
	t := four{
		(0.412453*c.A + 0.357580*c.B + 0.180423*c.C) * (1 / whiteX),
		0.212671*c.A + 0.715160*c.B + 0.072169*c.C,
		(0.019334*c.A + 0.119193*c.B + 0.950227*c.C) * (1 / whiteZ),
		0,
	}
	for k := range 3 {
		t = t.with(k, root(t.get(k)))
	}
	x, y, z := t.A, t.B, t.C
	l, a, b := 116*y-16, 500*(x-y), 200*(y-z)
	if full != 1 {
		return four{l * (full / 100), (a + 128) * (full / 255), (b + 128) * (full / 255), 0}
	}
	return four{l, a, b, 0}
}

// unlab is the inverse of lab.
func unlab(v four, full float32) four {
	if full != 1 {
		v = four{v.A * (100 / full), v.B*(255/full) - 128, v.C*(255/full) - 128, 0}
	}
	y := (v.A + 16) * (1.0 / 116)
	x, z := cubed(v.B*(1.0/500)+y)*whiteX, cubed(y-v.C*(1.0/200))*whiteZ
	y = cubed(y)
	return four{
		3.240479*x - 1.537150*y - 0.498535*z,
		-0.969256*x + 1.875991*y + 0.041556*z,
		0.055648*x - 0.204043*y + 1.057311*z,
		0,
	}
}

func root(t float32) float32 {
	if t > 0.008856 {
		return power(t, 1.0/3)
	}
	return 7.787*t + 16.0/116
}

func cubed(t float32) float32 {
	if t > 0.206893 {
		return t * t * t
	}
	return (t - 16.0/116) * (1 / 7.787)
}
