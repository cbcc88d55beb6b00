package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/kernels/linalg/internal/pairs"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// CTrmm makes b = alpha·a·b for a triangular matrix a, or b = alpha·b·a if the side is Right. The
// triangle is that of the operand, which for Adjoint is the other one than that of its matrix.
func CTrmm[C Complex](s *gpu.Stream, side Side, uplo Uplo, diag Diag, alpha C, a Operand[C], b gpu.MatrixBuffer[C]) error {
	const o = operation("CTrmm")
	if err := checkComplexTriangle(o, side, uplo, diag, a, b); err != nil || b.Rows == 0 || b.Cols == 0 {
		return err
	}
	if alpha == 0 {
		return scaleComplexMatrix(s, 0, a, b)
	}
	form := triangleForm(uplo) | pairs.Triangular
	if diag == Unit {
		form |= pairs.Unit
	}
	m, err := wholeOf(s, a.MatrixBuffer, form)
	old, err2 := gpu.AllocUninitialized[C](s, b.Rows*b.Cols)
	if err = errors.Join(err, err2); err == nil {
		c, v := gpu.MatrixOf(old, b.Rows, b.Cols), pairs.ValuesOf[C]()
		v.Int(pairs.All).Layout(b.MatrixLayout).Layout(c.MatrixLayout)
		err = pairs.Expand.Launch(s, updateGrid(b.MatrixLayout), &v, b.Buffer, old)
		whole := Operand[C]{m, a.Conjugated}
		if err == nil && side == Left {
			err = multiplyComplex(s, alpha, whole, Plain(c), 0, b, pairs.All)
		} else if err == nil {
			err = multiplyComplex(s, alpha, Plain(c), whole, 0, b, pairs.All)
		}
	}
	return errors.Join(err, closed(m.Buffer), closed(old))
}

// scaleComplexMatrix makes b = alpha·b. Nothing of a is read, but a launch wants its buffer.
func scaleComplexMatrix[C Complex](s *gpu.Stream, alpha C, a Operand[C], b gpu.MatrixBuffer[C]) error {
	return multiplyComplex(s, 0, a, a, alpha, b, pairs.All)
}

// checkComplexTriangle checks a triangular matrix and the one that it multiplies.
func checkComplexTriangle[C Complex](o operation, side Side, uplo Uplo, diag Diag, a Operand[C], b gpu.MatrixBuffer[C]) error {
	n := b.Rows
	if side == Right {
		n = b.Cols
	}
	return first(valid(o, "side", side, Right), valid(o, "uplo", uplo, Upper), valid(o, "diag", diag, Unit), checkMatrix(o, "a", a.MatrixBuffer, false), checkSquare(o, "a", a.MatrixBuffer),
		checkMatrix(o, "b", b, true), o.length("a", "rows for b", a.Rows, n), apart(o, b.Buffer, a.Buffer))
}

// CTrsm solves a·x = alpha·b for a triangular matrix a, or x·a = alpha·b if the side is Right. b
// becomes x. The triangle is that of the operand, as for CTrmm. A zero on the diagonal makes
// infinities and NaN.
//
// A workgroup solves a block of unknowns for some columns, and what it contributes to others is a
// product.
func CTrsm[C Complex](s *gpu.Stream, side Side, uplo Uplo, diag Diag, alpha C, a Operand[C], b gpu.MatrixBuffer[C]) error {
	const o = operation("CTrsm")
	if err := checkComplexTriangle(o, side, uplo, diag, a, b); err != nil || b.Rows == 0 || b.Cols == 0 {
		return err
	}
	if alpha == 0 {
		return scaleComplexMatrix(s, 0, a, b)
	}
	if side == Right { // aᵀ·xᵀ = bᵀ
		a.MatrixBuffer, b, uplo = a.T(), b.T(), uplo.other()
	}
	n := b.Rows
	x, err := gpu.AllocUninitialized[C](s, n*b.Cols)
	if err != nil {
		return err
	}
	mx := gpu.MatrixOf(x, n, b.Cols)
	for done := 0; done < n && err == nil; done += pairs.Unknowns {
		count := min(pairs.Unknowns, n-done)
		// The block's first unknown in memory, that which is solved first, and the others.
		low, from, step, rest := done, done, 1, done+count
		if uplo == Upper {
			low, from, step, rest = n-done-count, n-1-done, -1, 0
		}
		v := pairs.ValuesOf[C]()
		v.Int(conjugates(a.Conjugated), from, step, count, int(diag)).Layout(a.MatrixLayout).Layout(b.MatrixLayout).Layout(mx.MatrixLayout)
		err = pairs.Solve.Launch(s, groups(b.Cols, pairs.Columns), &v, a.Buffer, b.Buffer, x)
		if others := n - done - count; err == nil && others > 0 {
			err = multiplyComplex(s, -1, Operand[C]{a.Sub(rest, low, others, count), a.Conjugated}, Plain(mx.Sub(low, 0, count, b.Cols)), 1, b.Sub(rest, 0, others, b.Cols), pairs.All)
		}
	}
	if err == nil && alpha != 1 {
		err = scaleComplexMatrix(s, alpha, a, b)
	}
	return errors.Join(err, x.Close())
}
