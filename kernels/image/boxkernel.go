package image

import "github.com/gpuc/gpuc/runtime/gpu"

const (
	boxWords  = 4  // the words of a row that an item of box computes
	boxRows   = 16 // the rows that it computes
	boxRadius = 3  // how far away rows are that it adds, at most
)

// ring has the sums of samples of the last rows, two in a word.
type ring [8][2 * boxWords][items]uint32

// box makes each sample of uint8 the mean of those at most radius rows above and below. Masks say
// which of a row they are: mask k of a word has ones for those around sample k. There are the words
// around a word, or the two of them that the sample needs. Rows of dst and src are a multiple of
// boxWords words, at least twice as many, at multiples of words, and borders are not constant.
// Scale is 2²⁴ through the number of samples, which is odd and at most 255. So means are exactly
// rounded.
//
//gpuc:kernel workgroup=items types=[2][4]uint32,[3][4]uint32,[5][4]uint32
func box[A [2][4]uint32 | [3][4]uint32 | [5][4]uint32](it gpu.Item, shared *ring, masks A, radius int, scale uint32, b border, dst, src view, to, from []uint32) {
	i, top, l := boxWords*it.Global().X, it.Group().Y*boxRows, it.LocalIndex()
	last := src.samples()>>2 - boxWords
	if i > last {
		return
	}
	around := len(masks) / 2
	var edges [2]edgeWord
	for j := range around {
		edges[j] = edgeWordAt(src, b, 4*(last+boxWords+j))
		if i == 0 {
			edges[j] = edgeWordAt(src, b, 4*(j-around))
		}
	}
	var sums [2 * boxWords]uint32 // two of them in each word
	for r := range min(boxRows, src.height()-top) + 2*radius {
		row := src.row(b.inside(top+r-radius, src.height())) >> 2
		var w [boxWords + 4]uint32
		for j := range boxWords + 2*around {
			w[j] = wordAt(from, row+i-around+j)
		}
		if i == 0 || i == last {
			for j := range around {
				v := edges[j].of(from, row)
				if i == 0 {
					w[j] = v
				} else {
					w[boxWords+around+j] = v
				}
			}
		}
		for p := range sums {
			var pair [2]uint32
			for n := range pair {
				k := p&1*2 + n
				for j := range len(masks) {
					word := p>>1 + j
					if len(masks) == 2 {
						word += k >> 1
					}
					pair[n] += gpu.Dot4U8(w[word], masks[j][k])
				}
			}
			sum := pair[0] + pair[1]<<16
			sums[p] += sum - shared[(r-2*radius-1)&7][p][l]
			shared[r&7][p][l] = sum
		}
		if r >= 2*radius {
			at := dst.row(top+r-2*radius)>>2 + i
			for n := range boxWords {
				to[at+n] = means(sums[2*n], sums[2*n+1], scale)
			}
		}
	}
}

// means returns four sums, times a scale of 24 bits after the point.
func means(ab, cd, scale uint32) uint32 {
	const half = 1 << 23
	a, b, c, d := ab&0xffff*scale+half, ab>>16*scale+half, cd&0xffff*scale+half, cd>>16*scale+half
	return a>>24 | b>>16&0xff00 | c>>8&0xff0000 | d&0xff000000
}
