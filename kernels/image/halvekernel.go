package image

import "github.com/gpuc/gpuc/runtime/gpu"

// six is consecutive words.
type six [6]uint32

// wordsAt returns samples from index at on, and n words further.
func wordsAt(src []uint32, at, n int) (w six) {
	var f bytes
	i, first := at>>2+n, at&3
	for k := range w {
		w[k] = wordAt(src, i+k)
	}
	if first != 0 {
		for k := range len(w) - 1 {
			w[k] = f.shifted(w[k], w[k+1], first)
		}
		w[5] = f.shifted(w[5], wordAt(src, i+6), first)
	}
	return w
}

// halve makes an image half as wide and half as high: each sample is the mean of four. An item
// computes three words, which are whole pixels. Of 3 channels these are four.
//
//gpuc:kernel workgroup=items
func halve(it gpu.Item, dst, src view, to, from []uint32) {
	i, y := 3*it.Global().X, it.Group().Y
	if 4*i >= dst.samples() {
		return
	}
	a, b := wordsAt(from, src.row(2*y), 2*i), wordsAt(from, src.row(2*y+1), 2*i)
	var e, o six // sums of columns: numbers 0, 2, 4 and so on, and 1, 3, 5 and so on
	for k := range e {
		e[k], o[k] = even(a[k])+even(b[k]), odd(a[k])+odd(b[k])
	}
	var w [3]uint32
	if src.channels() == 3 {
		w[0] = quarters(e[0]+highLow(o[0], o[1]), lowHigh(o[0], e[1])+lowLow(e[1], o[2]))
		w[1] = quarters(highLow(o[1], e[3])+highHigh(e[2], o[3]), lowLow(e[2], o[3])+highLow(o[2], e[4]))
		w[2] = quarters(highHigh(e[3], o[4])+lowHigh(o[4], e[5]), highLow(e[4], e[5])+o[5])
	} else {
		for k := range w {
			e0, o0, e1, o1 := e[2*k], o[2*k], e[2*k+1], o[2*k+1]
			switch src.channels() {
			case 1:
				w[k] = quarters(lowLow(e0+o0, e1+o1), highHigh(e0+o0, e1+o1))
			case 2:
				w[k] = quarters(lowLow(e0, e1)+highHigh(e0, e1), lowLow(o0, o1)+highHigh(o0, o1))
			default:
				w[k] = quarters(e0+e1, o0+o1)
			}
		}
	}
	for k := range w {
		storeWord(to, dst.row(y), i+k, w[k], dst.samples()-4*(i+k))
	}
}

// quarters returns sums of four samples divided by 4 as a word. They are rounded as in other
// kernels. E are the first and the third sum, and o the others.
func quarters(e, o uint32) uint32 { return quarter(e) | quarter(o)<<8 }

func quarter(sums uint32) uint32 { return (sums + ones + sums>>2&ones) >> 2 & lowBytes }
