package image

import "github.com/gpuc/gpuc/runtime/gpu"

// gradientWords is gradients of uint8 for weights that are integers, with sums of at most 16, and
// borders that are not constant. All rows of dx, dy and src are whole words, two or more, at
// multiples of words. An item computes a word of wordRows rows.
//
//gpuc:kernel workgroup=items
func gradientWords(it gpu.Item, corner, middle uint32, b border, dx, dy, src view, toX, toY []gpu.Vec4f, from []uint32) {
	var f bytes
	i, top, channels := it.Global().X, it.Group().Y*wordRows, src.channels()
	last := src.samples()>>2 - 1
	if i > last {
		return
	}
	atX, stepX := dx.row(top)>>2+i, int(dx.Stride)>>2
	atY, stepY := dy.row(top)>>2+i, int(dy.Stride)>>2
	var above, here, below wordGradients
	if channels == 1 && i > 0 && i < last && top > 0 && top+wordRows < src.height() {
		at := src.row(top-1)>>2 + i
		for r := range wordRows + 2 {
			w0, w1, w2 := wordAt(from, at-1), wordAt(from, at), wordAt(from, at+1)
			above, here, below = here, below, wordGradientsOf(
				odd(w1)<<16|w0>>24, even(w1), even(w1), odd(w1), odd(w1), even(w1)>>16|w2<<24>>8, corner, middle)
			if r >= 2 {
				toX[atX], toY[atY] = above.across(here, below, corner, middle), above.down(below, corner, middle)
				atX, atY = atX+stepX, atY+stepY
			}
			at += int(src.Stride) >> 2
		}
		return
	}
	edge := edgeWordAt(src, b, 4*last+4)
	if i == 0 {
		edge = edgeWordAt(src, b, -4)
	}
	for r := range min(wordRows, src.height()-top) + 2 {
		row := src.row(b.inside(top+r-1, src.height())) >> 2
		w0, w1, w2 := wordAt(from, row+i-1), wordAt(from, row+i), wordAt(from, row+i+1)
		if i == 0 {
			w0 = edge.of(from, row)
		}
		if i == last {
			w2 = edge.of(from, row)
		}
		left := f.shifted(w0, w1, 4-channels)
		if channels < 4 {
			w2 = f.shifted(w1, w2, channels)
		}
		above, here, below = here, below, wordGradientsOf(even(left), odd(left), even(w1), odd(w1), even(w2), odd(w2), corner, middle)
		if r >= 2 {
			toX[atX], toY[atY] = above.across(here, below, corner, middle), above.down(below, corner, middle)
			atX, atY = atX+stepX, atY+stepY
		}
	}
}

// wordRows is how many rows an item of gradientWords computes.
const wordRows = 8

// wordGradients is what a row adds to the gradients of a word. X are the samples on the right, less
// those on the left, and 256, since halves of words have no negative numbers. Y are weighted sums
// of three samples.
type wordGradients struct{ EvenX, OddX, EvenY, OddY uint32 }

// wordGradientsOf returns what samples on the left, in the middle and on the right add.
func wordGradientsOf(evenLeft, oddLeft, even, odd, evenRight, oddRight, corner, middle uint32) wordGradients {
	return wordGradients{
		evenRight + ones<<8 - evenLeft, oddRight + ones<<8 - oddLeft,
		corner*(evenLeft+evenRight) + middle*even, corner*(oddLeft+oddRight) + middle*odd,
	}
}

// across and down return the gradients of the row below r, from left to right and from r to the
// second row below it.
func (r wordGradients) across(here, below wordGradients, corner, middle uint32) gpu.Vec4f {
	return signed(corner*(r.EvenX+below.EvenX)+middle*here.EvenX, corner*(r.OddX+below.OddX)+middle*here.OddX, (2*corner+middle)<<8)
}

func (r wordGradients) down(below wordGradients, corner, middle uint32) gpu.Vec4f {
	zero := (2*corner + middle) << 8
	return signed(zero*ones+below.EvenY-r.EvenY, zero*ones+below.OddY-r.OddY, zero)
}

// signed returns the halves of words, less zero.
func signed(e, o, zero uint32) gpu.Vec4f {
	z := whole(zero)
	return gpu.V4f(whole(e&0xffff)-z, whole(o&0xffff)-z, whole(e>>16)-z, whole(o>>16)-z)
}
