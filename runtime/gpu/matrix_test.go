package gpu

import (
	"math"
	"strings"
	"testing"
)

// numbered returns a matrix whose element (row, col) is 100·row + col.
func numbered(rows, cols int) Matrix[int32] {
	m := NewMatrix(make([]int32, rows*cols), rows, cols)
	for row := range rows {
		for col := range cols {
			m.Set(row, col, int32(100*row+col))
		}
	}
	return m
}

// TestMatrixViews: transposes and parts, and those of others, have the elements that they should.
func TestMatrixViews(t *testing.T) {
	m := numbered(5, 7)
	for _, test := range []struct {
		name       string
		view       Matrix[int32]
		rows, cols int
		at         func(row, col int) int // 100·row + col of m
	}{
		{"the matrix", m, 5, 7, func(r, c int) int { return 100*r + c }},
		{"its transpose", m.T(), 7, 5, func(r, c int) int { return 100*c + r }},
		{"the transpose of that", m.T().T(), 5, 7, func(r, c int) int { return 100*r + c }},
		{"a part", m.Sub(1, 2, 3, 4), 3, 4, func(r, c int) int { return 100*(1+r) + 2 + c }},
		{"a part of a part", m.Sub(1, 2, 3, 4).Sub(1, 1, 1, 2), 1, 2, func(r, c int) int { return 100*2 + 3 + c }},
		{"a part of a part beyond it", m.Sub(1, 2, 3, 4).Sub(1, 3, 9, 9), 2, 1, func(r, c int) int { return 100*(2+r) + 5 }},
		{"the transpose of a part", m.Sub(1, 2, 3, 4).T(), 4, 3, func(r, c int) int { return 100*(1+c) + 2 + r }},
		{"a part of the transpose", m.T().Sub(2, 1, 4, 3), 4, 3, func(r, c int) int { return 100*(1+c) + 2 + r }},
		{"a part that is clipped", m.Sub(3, 5, 10, 10), 2, 2, func(r, c int) int { return 100*(3+r) + 5 + c }},
		{"a column", m.Sub(0, 6, 5, 1), 5, 1, func(r, c int) int { return 100*r + 6 }},
		{"a part behind the rows", m.Sub(5, 0, 1, 1), 0, 0, nil},
		{"a part behind the columns", m.Sub(0, 7, 1, 1), 0, 0, nil},
		{"a part before the rows", m.Sub(-1, 0, 3, 3), 0, 0, nil},
		{"a part before the columns", m.Sub(0, -1, 3, 3), 0, 0, nil},
		{"a part of fewer than no rows", m.Sub(1, 1, -2, 3), 0, 3, nil},
		{"the zero value", Matrix[int32]{}, 0, 0, nil},
		{"a part of the zero value", Matrix[int32]{}.Sub(0, 0, 1, 1), 0, 0, nil},
	} {
		if test.view.Rows() != test.rows || test.view.Cols() != test.cols {
			t.Errorf("%s has %d rows and %d columns, want %d and %d", test.name, test.view.Rows(), test.view.Cols(), test.rows, test.cols)
			continue
		}
		for row := range test.rows {
			for col := range test.cols {
				if got, want := test.view.At(row, col), int32(test.at(row, col)); got != want {
					t.Errorf("%s has %d in row %d, column %d, want %d", test.name, got, row, col, want)
				}
			}
		}
	}
	m.T().Sub(2, 1, 4, 3).Set(3, 2, -1)
	if got := m.At(3, 5); got != -1 {
		t.Errorf("what a view sets is %d in the matrix", got)
	}
}

// TestNewMatrix: the slice may be longer than the matrix, and not shorter.
func TestNewMatrix(t *testing.T) {
	data := []int32{1, 2, 3, 4, 5, 6, 7}
	if m := NewMatrix(data, 2, 3); m.At(1, 0) != 4 {
		t.Errorf("the second row begins with %d", m.At(1, 0))
	}
	for _, size := range [][2]int{{0, 0}, {0, 9}, {9, 0}, {7, 1}, {1, 7}} {
		if m := NewMatrix(data, size[0], size[1]); m.Rows() != size[0] || m.Cols() != size[1] {
			t.Errorf("%v has %d rows and %d columns", size, m.Rows(), m.Cols())
		}
	}
	for size, want := range map[[2]int]string{
		{2, 4}:                     "gpu: NewMatrix: a slice of 7 elements is too short for 2 rows of 4 columns",
		{math.MaxInt, math.MaxInt}: "is too short",
		{-1, 3}:                    "neither is negative",
		{3, -1}:                    "neither is negative",
	} {
		if problem := panics(func() { NewMatrix(data, size[0], size[1]) }); !strings.Contains(problem, want) {
			t.Errorf("%v: %q lacks %q", size, problem, want)
		}
	}
}

// TestTileAt: the tiles of a matrix cover it, and each begins elsewhere. Others begin outside.
func TestTileAt(t *testing.T) {
	for rows := range 60 {
		for cols := range 21 {
			m := NewMatrix(make([]int32, rows*cols), rows, cols)
			seen := map[[2]int]bool{}
			for n := range m.Tiles(3, 4) {
				row, col := m.TileAt(n, 3, 4)
				if !m.has(row, col) || row%3 != 0 || col%4 != 0 || seen[[2]int{row, col}] {
					t.Fatalf("%d x %d: tile %d begins at (%d, %d)", rows, cols, n, row, col)
				}
				seen[[2]int{row, col}] = true
			}
			if want := (rows + 2) / 3 * ((cols + 3) / 4); len(seen) != want {
				t.Fatalf("%d x %d: %d tiles, want %d", rows, cols, len(seen), want)
			}
			for n := m.Tiles(3, 4); n < m.Tiles(3, 4)+30; n++ {
				if row, col := m.TileAt(n, 3, 4); m.has(row, col) {
					t.Fatalf("%d x %d: tile %d, which is none, begins at (%d, %d)", rows, cols, n, row, col)
				}
			}
		}
	}
}

// TestTileOrder: columns of eight tiles follow each other, and the last rows have shorter ones.
func TestTileOrder(t *testing.T) {
	m := NewMatrix(make([]int32, 20*6), 20, 6) // 10 x 3 tiles
	for n, want := range map[int][2]int{0: {0, 0}, 1: {2, 0}, 7: {14, 0}, 8: {0, 2}, 23: {14, 4}, 24: {16, 0}, 25: {18, 0}, 26: {16, 2}, 29: {18, 4}} {
		if row, col := m.TileAt(n, 2, 2); [2]int{row, col} != want {
			t.Errorf("tile %d begins at (%d, %d), want %v", n, row, col, want)
		}
	}
}
