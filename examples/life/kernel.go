package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Tile is the width of a workgroup, which makes a square of the field.
const Tile = 16

// Generation makes the next generation of Conway's game of life: one item for each cell of a field
// of rows with this width. A cell is 1 if it lives and 0 if not. It lives on with two or three
// living neighbours, and comes to life with three.
//
// The cells are read in before and written to after, as neighbours still need to know what a cell
// was.
//
//gpuc:kernel workgroup=Tile,Tile
func Generation(it gpu.Item, width int, before, after []uint32) {
	at, height := it.Global(), len(before)/width
	if at.X >= width || at.Y >= height {
		return // workgroups are whole, so some reach beyond the field
	}
	// What leaves the field on one side comes back on the other, as on a torus. Before the
	// remainder is taken, width is added to what may be -1: the remainder of a negative number is
	// negative.
	left, right := (at.X-1+width)%width, (at.X+1)%width
	above, row, below := (at.Y-1+height)%height*width, at.Y*width, (at.Y+1)%height*width

	neighbours := before[above+left] + before[above+at.X] + before[above+right] +
		before[row+left] + before[row+right] +
		before[below+left] + before[below+at.X] + before[below+right]
	cell := before[row+at.X]
	switch neighbours {
	case 2: // stays what it is
	case 3:
		cell = 1
	default:
		cell = 0
	}
	after[row+at.X] = cell
}
