package main

import "github.com/gpuc/gpuc/runtime/gpu"

//go:generate go tool gpuc gen .

// Tile is the width of a workgroup, which computes a square of the field.
const Tile = 16

// Generation computes the next generation of Conway's game of life: one item for each cell of a
// field with this width. A cell is 1 if it is alive and 0 otherwise. It stays alive with two or
// three living neighbours, and becomes alive with three.
//
// The cells are read from before and written to after, since other items still read the old ones.
//
//gpuc:kernel workgroup=Tile,Tile
func Generation(it gpu.Item, width int, before, after []uint32) {
	at, height := it.Global(), len(before)/width
	if at.X >= width || at.Y >= height {
		return // the last workgroups reach beyond the field
	}
	// The field is a torus: its edges are adjacent to the opposite ones. Adding width before the
	// remainder avoids a negative dividend, whose remainder would be negative.
	left, right := (at.X-1+width)%width, (at.X+1)%width
	above, row, below := (at.Y-1+height)%height*width, at.Y*width, (at.Y+1)%height*width

	neighbours := before[above+left] + before[above+at.X] + before[above+right] +
		before[row+left] + before[row+right] +
		before[below+left] + before[below+at.X] + before[below+right]
	cell := before[row+at.X]
	switch neighbours {
	case 2: // unchanged
	case 3:
		cell = 1
	default:
		cell = 0
	}
	after[row+at.X] = cell
}
