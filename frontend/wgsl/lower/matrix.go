package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file spells out matrix arithmetic. The IR has matrices as values and in
// memory, but no operations on them: few targets do, and column by column the
// passes can see through everything.

// columnwise makes a matrix of the columns that a function returns.
func (l *Lowerer) columnwise(t ir.Type, column func(i uint32) ir.Value) ir.Value {
	n, _ := l.m.Count(t)
	var columns [4]ir.Value
	for i := range n {
		columns[i] = column(i)
	}
	return l.b.Construct(t, columns[:n]...)
}

// matrixArithmetic applies an operator of which at least one operand is a matrix
// (WGSL §8.7); t is the result's type.
func (l *Lowerer) matrixArithmetic(o op.Op, t ir.Type, a, b ir.Value) ir.Value {
	ka, kb := l.m.KindOf(l.f.TypeOf(a)), l.m.KindOf(l.f.TypeOf(b))
	switch {
	case o != op.Mul: // + and - of two matrices
		return l.columnwise(t, func(i uint32) ir.Value {
			x := l.constituent(a, i)
			return l.op(o, x, l.constituent(b, i))
		})
	case ka == ir.ScalarType:
		return l.scale(t, b, a)
	case kb == ir.ScalarType:
		return l.scale(t, a, b)
	case kb == ir.VectorType:
		return l.transform(a, b)
	case ka == ir.VectorType:
		var parts [4]ir.Value
		n := l.m.Components(t)
		for i := range n {
			parts[i] = l.emit(op.Dot, l.m.Element(t), 0, a, l.constituent(b, uint32(i)))
		}
		return l.b.Construct(t, parts[:n]...)
	}
	return l.columnwise(t, func(i uint32) ir.Value { return l.transform(a, l.constituent(b, i)) })
}

// scale returns matrix · factor.
func (l *Lowerer) scale(t ir.Type, matrix, factor ir.Value) ir.Value {
	s := l.splat(l.m.Element(t), factor)
	return l.columnwise(t, func(i uint32) ir.Value { return l.op(op.Mul, l.constituent(matrix, i), s) })
}

// transform returns matrix · v: the sum of the columns, each times a component
// of the vector.
func (l *Lowerer) transform(matrix, v ir.Value) ir.Value {
	t := l.f.TypeOf(matrix)
	column := l.m.Element(t)
	n, _ := l.m.Count(t)
	var sum ir.Value
	for i := range n {
		c := l.constituent(matrix, i)
		product := l.op(op.Mul, c, l.splat(column, l.constituent(v, i)))
		if i == 0 {
			sum = product
		} else {
			sum = l.op(op.Add, sum, product)
		}
	}
	return sum
}

// transpose returns the matrix of type t whose columns are the matrix's rows.
func (l *Lowerer) transpose(t ir.Type, matrix ir.Value) ir.Value {
	column := l.m.Element(t)
	n := l.m.Components(column)
	var columns, row [4]ir.Value
	for i := range n {
		columns[i] = l.constituent(matrix, uint32(i))
	}
	return l.columnwise(t, func(r uint32) ir.Value {
		for i := range n {
			row[i] = l.constituent(columns[i], r)
		}
		return l.b.Construct(column, row[:n]...)
	})
}

// determinant returns the determinant of a square matrix. That of a 4×4 matrix
// is Laplace's expansion along two columns: the minors of the first two, times
// the complementary ones of the last two, with alternating signs.
func (l *Lowerer) determinant(matrix ir.Value) ir.Value {
	n, _ := l.m.Count(l.f.TypeOf(matrix))
	var columns [4]ir.Value
	for i := range n {
		columns[i] = l.constituent(matrix, i)
	}
	switch n {
	case 2:
		return l.minor(columns[0], columns[1], 0, 1)
	case 3:
		return l.dot(columns[0], l.cross(columns[1], columns[2]))
	}
	var sum ir.Value
	for k, rows := range [...][4]uint32{{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}} {
		first := l.minor(columns[0], columns[1], rows[0], rows[1])
		product := l.op(op.Mul, first, l.minor(columns[2], columns[3], rows[2], rows[3]))
		switch k {
		case 0:
			sum = product
		case 1, 4: // where the rows' permutation is odd
			sum = l.op(op.Sub, sum, product)
		default:
			sum = l.op(op.Add, sum, product)
		}
	}
	return sum
}

// minor returns the determinant of two rows of two columns.
func (l *Lowerer) minor(a, b ir.Value, i, j uint32) ir.Value {
	ai, bj := l.constituent(a, i), l.constituent(b, j)
	x := l.op(op.Mul, ai, bj)
	aj, bi := l.constituent(a, j), l.constituent(b, i)
	return l.op(op.Sub, x, l.op(op.Mul, aj, bi))
}

func (l *Lowerer) dot(a, b ir.Value) ir.Value {
	return l.emit(op.Dot, l.m.Element(l.f.TypeOf(a)), 0, a, b)
}

func (l *Lowerer) cross(a, b ir.Value) ir.Value {
	x := l.op(op.Mul, l.b.Shuffle(a, 1, 2, 0), l.b.Shuffle(b, 2, 0, 1))
	y := l.op(op.Mul, l.b.Shuffle(a, 2, 0, 1), l.b.Shuffle(b, 1, 2, 0))
	return l.op(op.Sub, x, y)
}
