package tiles

// memory is a slice of elements.
type memory struct {
	kind   int
	values []float64
}

// view is a matrix in memory: element (r, c) is at offset + r·rowStride + c·colStride.
type view struct {
	of                                       int // number of the memory
	offset, rows, cols, rowStride, colStride int
}

func (v view) transposed() view {
	v.rows, v.cols, v.rowStride, v.colStride = v.cols, v.rows, v.colStride, v.rowStride
	return v
}

// part is Matrix.Sub: what is outside is left out, and parts that begin outside are empty.
func (v view) part(row, col, rows, cols int) view {
	if row < 0 || col < 0 || row >= v.rows || col >= v.cols {
		v.rows, v.cols = 0, 0
		return v
	}
	v.offset += row*v.rowStride + col*v.colStride
	v.rows = max(min(v.rows-row, rows), 0)
	v.cols = max(min(v.cols-col, cols), 0)
	return v
}

// at returns the index of an element, or -1 outside of the matrix.
func (v view) at(row, col int) int {
	if row < 0 || col < 0 || row >= v.rows || col >= v.cols {
		return -1
	}
	return v.offset + row*v.rowStride + col*v.colStride
}

// span returns how many elements a memory needs for the view.
func (v view) span() int {
	if v.rows == 0 || v.cols == 0 {
		return v.offset
	}
	return v.offset + (v.rows-1)*v.rowStride + (v.cols-1)*v.colStride + 1
}

// tensor is a tensor in memory. Lists have images, rows, pixels of a row and channels.
type tensor struct {
	of, offset     int
	sizes, strides [4]int
}

// window has rows before pixels of a row in each list. Steps and dilations of 0 count as 1.
type window struct{ sides, steps, padding, dilations [2]int }

// positions returns how many windows an image has in each direction.
func (w *window) positions(t *tensor) (n [2]int) {
	for side := range n {
		reach := (w.sides[side]-1)*max(w.dilations[side], 1) + 1
		if room := t.sizes[1+side] + 2*w.padding[side] - reach; room >= 0 && w.sides[side] > 0 {
			n[side] = room/max(w.steps[side], 1) + 1
		}
	}
	return n
}

// at returns the index of an element of the matrix of windows, or -1 for what is zero.
func (w *window) at(t *tensor, row, col int) int {
	n := w.positions(t)
	channels := t.sizes[3]
	if row < 0 || col < 0 || row >= t.sizes[0]*n[0]*n[1] || col >= w.sides[0]*w.sides[1]*channels {
		return -1
	}
	index := [4]int{0: row / (n[0] * n[1]), 3: col % channels}
	first := [2]int{row / n[1] % n[0], row % n[1]}
	tap := [2]int{col / channels / w.sides[1], col / channels % w.sides[1]}
	for side := range first {
		x := first[side]*max(w.steps[side], 1) - w.padding[side] + tap[side]*max(w.dilations[side], 1)
		if x < 0 || x >= t.sizes[1+side] {
			return -1
		}
		index[1+side] = x
	}
	at := t.offset
	for n, i := range index {
		at += i * t.strides[n]
	}
	return at
}
