package image

// Border says what is beyond the edges of an image. The zero value is Clamp.
type Border struct{ border border }

// The borders without a value. Pixels a b c d continue as follows:
var (
	Clamp   = Border{}                      // a a | a b c d | d d
	Mirror  = Border{border{Mode: mirror}}  // c b | a b c d | c b
	Reflect = Border{border{Mode: reflect}} // b a | a b c d | d c
	Wrap    = Border{border{Mode: wrap}}    // c d | a b c d | a b
)

// Constant is a border whose pixels have these samples. One value is that of all channels;
// otherwise missing ones are 0.
func Constant(values ...float32) Border {
	b := border{Mode: constant}
	for c := range b.Value {
		switch {
		case len(values) == 1:
			b.Value[c] = values[0]
		case c < len(values):
			b.Value[c] = values[c]
		}
	}
	return Border{b}
}

// of returns the border of an image with so many channels: the others have 0.
func (b Border) of(channels int) border {
	for c := channels; c < len(b.border.Value); c++ {
		b.border.Value[c] = 0
	}
	return b.border
}

type borderMode uint32

const (
	clamp borderMode = iota
	mirror
	wrap
	constant
	reflect
)

// border is a Border as kernels have it.
type border struct {
	Mode  borderMode
	Value [4]float32
}

// inside returns which of n positions of an image is taken for position x, or -1 if it is
// the constant.
func (b border) inside(x, n int) int {
	if x >= 0 && x < n {
		return x
	}
	return b.around(x, n)
}

// around is inside for positions near an edge. Items do not diverge in it unless one is farther
// outside than the image is large.
func (b border) around(x, n int) int {
	last := n - 1
	switch b.Mode {
	case constant:
		if x < 0 || x > last {
			return -1
		}
		return x
	case mirror:
		if x < -last || x > 2*last {
			x %= max(2*last, 1)
		}
		x = max(x, -x)
		return min(x, 2*last-x)
	case reflect:
		if x < -n || x > n+last {
			x %= 2 * n
		}
		x = max(x, -1-x)
		return min(x, n+last-x)
	case wrap:
		if x < -n || x > n+last {
			x %= n
		}
		if x < 0 {
			x += n
		}
		if x > last {
			x -= n
		}
		return x
	}
	return min(max(x, 0), last)
}

// outside returns samples from s on of row y. They may be beyond the row, and y may be -1: all is
// the constant then.
func outside[F format[W, V], V samples[V], W word](src []W, v view, b border, y, s int) (r V) {
	x := s / v.channels()
	c := s - x*v.channels()
	if c < 0 {
		c += v.channels()
		x--
	}
	for k := range r.count() {
		r = r.with(k, beyond[F](src, v, b, y, x, c))
		c++
		if c == v.channels() {
			c = 0
			x++
		}
	}
	return r
}

// Most of an image is far enough from its edges that no sample around is beyond them. So filters
// compute each run as if it were, and then those again that are not. Fast says which of both it is.

// tap returns the samples of run n, displaced by d samples, in row y, which may be -1.
func tap[F format[W, V], V samples[V], W word](src []W, v view, b border, fast bool, y, n, d int) (r V) {
	if fast {
		return load[F](src, v.row(y)+d, n)
	}
	return outside[F](src, v, b, y, n*r.count()+d)
}

// nearEdge reports whether a filter of a run looks beyond the edges: count samples from s on of
// row y, and so many columns and rows around them. Rows beyond an edge matter if they are
// constant.
func nearEdge(v view, b border, s, count, y, columns, rows int) bool {
	columns *= v.channels()
	return s < columns || s+count+columns > v.samples() || b.Mode == constant && (y < rows || y+rows >= v.height())
}

// beyond returns a channel of pixel x of a row, which may be beyond it.
func beyond[F format[W, V], V any, W word](src []W, v view, b border, y, x, c int) float32 {
	x = b.around(x, v.width())
	if x < 0 || y < 0 {
		return b.channel(c)
	}
	return one[F](src, v.row(y)+x*v.channels()+c)
}

// channel returns the constant of a channel.
func (b border) channel(c int) float32 {
	v := b.Value[0]
	if c == 1 {
		v = b.Value[1]
	}
	if c == 2 {
		v = b.Value[2]
	}
	if c == 3 {
		v = b.Value[3]
	}
	return v
}

// pixel returns the samples of pixel (x, y), which is inside of the image, the missing ones 0.
func pixel[F format[W, V], V samples[V], W word](src []W, v view, x, y int) (p four) {
	var f F
	at := v.row(y) + x*v.channels()
	if f.perWord() == 4 { // two words have all of them
		r := load[F](src, at, 0)
		p = four{r.get(0), r.get(1), r.get(2), r.get(3)}
		if v.channels() < 4 {
			p.D = 0
		}
		if v.channels() < 3 {
			p.C = 0
		}
		if v.channels() < 2 {
			p.B = 0
		}
		return p
	}
	p.A = one[F](src, at)
	if v.channels() > 1 {
		p.B = one[F](src, at+1)
	}
	if v.channels() > 2 {
		p.C = one[F](src, at+2)
	}
	if v.channels() > 3 {
		p.D = one[F](src, at+3)
	}
	return p
}

// pixelOr returns the samples of pixel (x, y), or those of the constant if x or y is -1, as inside
// returns it.
func pixelOr[F format[W, V], V samples[V], W word](src []W, v view, b border, x, y int) four {
	if x < 0 || y < 0 {
		return four{b.Value[0], b.Value[1], b.Value[2], b.Value[3]}
	}
	return pixel[F](src, v, x, y)
}
