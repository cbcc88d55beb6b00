package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file loads tiles of the matrices of windows that convolutions multiply. A row of such a
// matrix is one window of an image, and a column has one element of all windows. Each takes
// divisions to find, so that what goes to workgroup memory is dealt out in runs of columns: the row
// is found once for each run. Where all runs of an invocation have the same columns, these are
// found once, too.

// windowsLine is what a row or a column of a matrix of windows says of its elements. The sums of
// what both say are an element's index in the array, and its row and pixel in the image. Inside
// says that the matrix has the line.
type windowsLine struct{ inside, index, y, x ir.Value }

// divide returns the quotient and the remainder of numbers.
func (t *tileLowering) divide(x, by ir.Value) (quotient, rest ir.Value) {
	b := &t.b
	quotient = b.Op(op.Div, x, by)
	return quotient, b.Op(op.Sub, x, b.Op(op.Mul, quotient, by))
}

// windowsRow returns what a row of a tile says.
func (t *tileLowering) windowsRow(i ir.Inst, row ir.Value) (l windowsLine) {
	b := &t.b
	arg := func(n int) ir.Value { return t.tileArg(i, n) }
	row = t.sum(arg(ir.WindowsFirstRow), row)
	down, across := arg(ir.WindowsPositions), arg(ir.WindowsPositions+1)
	l.inside = b.Op(op.Lt, row, b.Op(op.Mul, arg(ir.WindowsSizes), b.Op(op.Mul, down, across)))
	y, x := t.divide(row, across)
	n, y := t.divide(y, down)
	l.y = b.Op(op.Sub, b.Op(op.Mul, y, arg(ir.WindowsSteps)), arg(ir.WindowsPadding))
	l.x = b.Op(op.Sub, b.Op(op.Mul, x, arg(ir.WindowsSteps+1)), arg(ir.WindowsPadding+1))
	l.index = t.sum(arg(ir.TileOffset), b.Op(op.Mul, n, arg(ir.WindowsStrides)))
	l.index = t.windowsIndex(i, &l)
	return l
}

// windowsColumn returns what a column of a tile says.
func (t *tileLowering) windowsColumn(i ir.Inst, column ir.Value) (l windowsLine) {
	b := &t.b
	arg := func(n int) ir.Value { return t.tileArg(i, n) }
	column = t.sum(arg(ir.WindowsFirstColumn), column)
	channels, down, across := arg(ir.WindowsSizes+3), arg(ir.WindowsTaps), arg(ir.WindowsTaps+1)
	l.inside = b.Op(op.Lt, column, b.Op(op.Mul, channels, b.Op(op.Mul, down, across)))
	tap, channel := t.divide(column, channels)
	y, x := t.divide(tap, across)
	l.y, l.x = b.Op(op.Mul, y, arg(ir.WindowsDilations)), b.Op(op.Mul, x, arg(ir.WindowsDilations+1))
	l.index = b.Op(op.Mul, channel, arg(ir.WindowsStrides+3))
	l.index = t.windowsIndex(i, &l)
	return l
}

// windowsIndex adds what a line's row and pixel are in the array to its index.
func (t *tileLowering) windowsIndex(i ir.Inst, l *windowsLine) ir.Value {
	b := &t.b
	index := t.sum(l.index, b.Op(op.Mul, l.y, t.tileArg(i, ir.WindowsStrides+1)))
	return t.sum(index, b.Op(op.Mul, l.x, t.tileArg(i, ir.WindowsStrides+2)))
}

// windowsAddress returns the address of the element in a row and a column, and whether it is there.
func (t *tileLowering) windowsAddress(i ir.Inst, row, column windowsLine) (address, inside ir.Value) {
	b := &t.b
	inside = b.Op(op.And, row.inside, column.inside)
	inside = b.Op(op.And, inside, b.Op(op.Lt, t.sum(row.y, column.y), t.tileArg(i, ir.WindowsSizes+1)))
	inside = b.Op(op.And, inside, b.Op(op.Lt, t.sum(row.x, column.x), t.tileArg(i, ir.WindowsSizes+2)))
	index := t.sum(row.index, column.index)
	return t.matrixElement(i, index, false), b.Op(op.And, inside, b.Op(op.Lt, index, t.lengthOf(i)))
}

// stageWindows loads a part of a tile, and calls a function with each run of its rows. The part has
// so many rows and columns, which begin at a row and a column of the tile. The row and the column
// of a run are relative to those.
func (t *tileLowering) stageWindows(load ir.Inst, rows, columns, run int, firstRow, firstColumn ir.Value, put func(row, column ir.Value, run []ir.Value)) {
	runs := tileLayout{rows: rows, columns: columns / run, count: (rows*columns/run + t.items - 1) / t.items}
	lines := make([]windowsLine, run)
	find := func(column ir.Value) ir.Value {
		column = t.op(op.Mul, column, run)
		for n := range lines {
			lines[n] = t.windowsColumn(load, t.sum(firstColumn, t.sum(column, t.u32(n))))
		}
		return column
	}
	same := t.items%runs.columns == 0
	var row, column ir.Value
	if same {
		column = find(t.op(op.Rem, t.item, runs.columns))
	}
	t.count(runs.count, func(e ir.Value) {
		if same {
			row = t.sum(t.op(op.Mul, e, t.items/runs.columns), t.op(op.Div, t.item, runs.columns))
		} else {
			row, column = t.position(&runs, e)
		}
		t.when(t.exists(&runs, row, column), func() {
			if !same {
				column = find(column)
			}
			line := t.windowsRow(load, t.sum(firstRow, row))
			values := make([]ir.Value, run)
			for n := range values {
				address, inside := t.windowsAddress(load, line, lines[n])
				values[n] = t.fetchAt(load, address, inside)
			}
			put(row, column, values)
		})
	})
}

// stageNativeWindows stores a slice of windows to workgroup memory, as an operand of fragments.
func (t *tileLowering) stageNativeWindows(p *loadedSlice) {
	row, column := t.shifted(p, t.u32(0), t.u32(0))
	x, per := p.stagedOperand, p.perWord()
	kind, _, _ := t.m.TileShape(t.f.Type(p.load))
	t.stageWindows(p.load, x.rows, x.columns, max(runOf(x.columns), per), row, column, func(row, column ir.Value, run []ir.Value) {
		at := t.wordAt(x, row, t.op(op.Div, column, per))
		for n, v := range run {
			run[n] = convertElement(&t.b, x.kind, kind, v)
		}
		for n, word := range t.packedWords(x, run) {
			t.b.Store(t.b.AccessWithin(t.stagedArray(x), t.sum(at, t.u32(n))), word)
		}
	})
}
