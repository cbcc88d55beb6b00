package lower

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// determinant returns the determinant of a square matrix. That of a 4×4 matrix
// is Laplace's expansion along two columns: the minors of the first two, times
// the complementary ones of the last two, with alternating signs.
func (l *Lowerer) determinant(matrix ir.Value) ir.Value {
	n, _ := l.m.Count(l.f.TypeOf(matrix))
	var columns [4]ir.Value
	for i := range n {
		columns[i] = l.formula.Part(matrix, i)
	}
	switch n {
	case 2:
		return l.minor(columns[0], columns[1], 0, 1)
	case 3:
		column := l.f.TypeOf(columns[0])
		return l.formula.Apply(op.Dot, l.m.Element(column), 0, columns[0], l.formula.Cross(column, columns[1], columns[2]))
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
	ai, bj := l.formula.Part(a, i), l.formula.Part(b, j)
	x := l.op(op.Mul, ai, bj)
	aj, bi := l.formula.Part(a, j), l.formula.Part(b, i)
	return l.op(op.Sub, x, l.op(op.Mul, aj, bi))
}
