package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/kernels/linalg/internal/pairs"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Operand is a matrix of complex numbers that a function reads, or its conjugate. Plain and Adjoint
// make one.
type Operand[C Complex] struct {
	gpu.MatrixBuffer[C]
	Conjugated bool
}

// Plain returns a matrix as it is.
func Plain[C Complex](m gpu.MatrixBuffer[C]) Operand[C] { return Operand[C]{m, false} }

// Adjoint returns the conjugate transpose of a matrix.
func Adjoint[C Complex](m gpu.MatrixBuffer[C]) Operand[C] { return Operand[C]{m.T(), true} }

// conjugates returns the bits of operands that are conjugated.
func conjugates(list ...bool) (bits int) {
	for n, conj := range list {
		if conj {
			bits |= 1 << n
		}
	}
	return bits
}

// CGemv makes y = alpha·a·x + beta·y. If beta is zero, y is not read. If alpha is zero, neither a
// nor x is.
func CGemv[C Complex](s *gpu.Stream, alpha C, a Operand[C], x Vector[C], beta C, y Vector[C]) error {
	const o = operation("CGemv")
	if err := first(checkMatrix(o, "a", a.MatrixBuffer, false), checkProduct(o, a.MatrixBuffer, x, y)); err != nil || a.Rows == 0 {
		return err
	}
	if alpha == 0 || a.Cols == 0 {
		if beta == 1 {
			return nil
		}
		return scaleComplex(s, beta, y)
	}
	k, g := &pairs.GemvRows, groups(a.Rows, pairs.Rows)
	if magnitude(a.RowStride) < magnitude(a.ColStride) {
		k, g = &pairs.GemvColumns, groups(a.Rows, pairs.Lanes)
	}
	v := pairs.ValuesOf[C]()
	v.Number(complex128(alpha)).Number(complex128(beta)).Int(conjugates(a.Conjugated)).Layout(a.MatrixLayout).Int(x.Offset, x.Stride, y.Offset, y.Stride)
	return k.Launch(s, g, &v, a.Buffer, x.Buffer, y.Buffer)
}

// CGeru adds alpha·x·yᵀ to a.
func CGeru[C Complex](s *gpu.Stream, alpha C, x, y Vector[C], a gpu.MatrixBuffer[C]) error {
	return complexRank1(s, "CGeru", alpha, x, y, a, false)
}

// CGerc adds alpha·x·yᴴ to a.
func CGerc[C Complex](s *gpu.Stream, alpha C, x, y Vector[C], a gpu.MatrixBuffer[C]) error {
	return complexRank1(s, "CGerc", alpha, x, y, a, true)
}

func complexRank1[C Complex](s *gpu.Stream, o operation, alpha C, x, y Vector[C], a gpu.MatrixBuffer[C], conj bool) error {
	if err := first(checkVector(o, "x", x, false), checkVector(o, "y", y, false), checkMatrix(o, "a", a, true),
		o.length("x", "elements, as a has rows", x.Len, a.Rows), o.length("y", "elements, as a has columns", y.Len, a.Cols),
		apart(o, a.Buffer, x.Buffer, y.Buffer)); err != nil || a.Rows == 0 || a.Cols == 0 || alpha == 0 {
		return err
	}
	bits := conjugates(conj)
	if magnitude(a.RowStride) < magnitude(a.ColStride) {
		x, y, a, bits = y, x, a.T(), 2*bits
	}
	v := pairs.ValuesOf[C]()
	v.Number(complex128(alpha)).Int(bits).Layout(a.MatrixLayout).Int(x.Offset, x.Stride, y.Offset, y.Stride)
	return pairs.Rank1.Launch(s, updateGrid(a.MatrixLayout), &v, x.Buffer, y.Buffer, a.Buffer)
}

// CGemm makes c = alpha·a·b + beta·c. If beta is zero, c is not read. If alpha is zero, neither a
// nor b is. Products are added in ascending order, each by four fused multiply-adds, so that
// results have the same bits on all devices.
func CGemm[C Complex](s *gpu.Stream, alpha C, a, b Operand[C], beta C, c gpu.MatrixBuffer[C]) error {
	const o = operation("CGemm")
	if err := first(checkMatrix(o, "a", a.MatrixBuffer, false), checkMatrix(o, "b", b.MatrixBuffer, false), checkMatrix(o, "c", c, true),
		o.length("b", "rows, as a has columns", b.Rows, a.Cols), o.length("c", "rows, as a has", c.Rows, a.Rows), o.length("c", "columns, as b has", c.Cols, b.Cols),
		apart(o, c.Buffer, a.Buffer, b.Buffer)); err != nil {
		return err
	}
	return multiplyComplex(s, alpha, a, b, beta, c, pairs.All)
}

// multiplyComplex makes the elements of c = alpha·a·b + beta·c that form says.
func multiplyComplex[C Complex](s *gpu.Stream, alpha C, a, b Operand[C], beta C, c gpu.MatrixBuffer[C], form int) error {
	if c.Rows == 0 || c.Cols == 0 {
		return nil
	}
	if alpha == 0 || a.Cols == 0 {
		a.Cols, b.Rows = 0, 0
	}
	var none *gpu.Buffer[C]
	if a.Buffer.Len() == 0 || b.Buffer.Len() == 0 { // nothing is read, but launches want a buffer
		var err error
		if none, err = gpu.AllocUninitialized[C](s, 1); err != nil {
			return err
		}
		a.Buffer, b.Buffer, a.Offset, b.Offset = none, none, 0, 0
	}
	v := pairs.ValuesOf[C]()
	v.Number(complex128(alpha)).Number(complex128(beta)).Int(conjugates(a.Conjugated, b.Conjugated), form).Layout(a.MatrixLayout).Layout(b.MatrixLayout).Layout(c.MatrixLayout)
	g := tile{pairs.GemmSide, pairs.GemmSide}.grid(c.MatrixLayout)
	return errors.Join(pairs.Gemm.Launch(s, g, &v, a.Buffer, b.Buffer, c.Buffer), closed(none))
}

// triangleForm returns the form of a triangle.
func triangleForm(u Uplo) int {
	if u == Lower {
		return pairs.Lower
	}
	return pairs.Upper
}

// CHerk makes c = alpha·a·aᴴ + beta·c, for a triangle of a Hermitian matrix c of real alpha and
// beta. The imaginary parts of the diagonal become zero. The other triangle is not read, and not
// written.
func CHerk[C Complex](s *gpu.Stream, uplo Uplo, alpha float64, a Operand[C], beta float64, c gpu.MatrixBuffer[C]) error {
	return update(s, "CHerk", uplo, C(complex(alpha, 0)), a, Operand[C]{a.T(), !a.Conjugated}, C(complex(beta, 0)), c, pairs.Hermitian)
}

// CSyrk makes c = alpha·a·aᵀ + beta·c, for a triangle of a symmetric matrix c. The other triangle
// is not read, and not written.
func CSyrk[C Complex](s *gpu.Stream, uplo Uplo, alpha C, a Operand[C], beta C, c gpu.MatrixBuffer[C]) error {
	return update(s, "CSyrk", uplo, alpha, a, Operand[C]{a.T(), a.Conjugated}, beta, c, 0)
}

// update makes a triangle of c = alpha·a·b + beta·c, where b is the transpose of a, or its adjoint.
func update[C Complex](s *gpu.Stream, o operation, uplo Uplo, alpha C, a, b Operand[C], beta C, c gpu.MatrixBuffer[C], form int) error {
	if err := first(valid(o, "uplo", uplo, Upper), checkMatrix(o, "a", a.MatrixBuffer, false), checkMatrix(o, "c", c, true), checkSquare(o, "c", c),
		o.length("c", "rows, as a has", c.Rows, a.Rows), apart(o, c.Buffer, a.Buffer)); err != nil {
		return err
	}
	return multiplyComplex(s, alpha, a, b, beta, c, form|triangleForm(uplo))
}

// CHer2k makes c = alpha·a·bᴴ + conj(alpha)·b·aᴴ + beta·c, for a triangle of a Hermitian matrix c
// of real beta. The imaginary parts of the diagonal become zero. The other triangle is not read,
// and not written.
func CHer2k[C Complex](s *gpu.Stream, uplo Uplo, alpha C, a, b Operand[C], beta float64, c gpu.MatrixBuffer[C]) error {
	conj := C(complex(real(complex128(alpha)), -imag(complex128(alpha))))
	return update2(s, "CHer2k", uplo, alpha, a, Operand[C]{b.T(), !b.Conjugated}, conj, b, Operand[C]{a.T(), !a.Conjugated}, C(complex(beta, 0)), c, pairs.Hermitian)
}

// CSyr2k makes c = alpha·a·bᵀ + alpha·b·aᵀ + beta·c, for a triangle of a symmetric matrix c. The
// other triangle is not read, and not written.
func CSyr2k[C Complex](s *gpu.Stream, uplo Uplo, alpha C, a, b Operand[C], beta C, c gpu.MatrixBuffer[C]) error {
	return update2(s, "CSyr2k", uplo, alpha, a, Operand[C]{b.T(), b.Conjugated}, alpha, b, Operand[C]{a.T(), a.Conjugated}, beta, c, 0)
}

// update2 makes a triangle of c = alpha·a·bt + gamma·b·at + beta·c, where bt and at are transposes
// or adjoints.
func update2[C Complex](s *gpu.Stream, o operation, uplo Uplo, alpha C, a, bt Operand[C], gamma C, b, at Operand[C], beta C, c gpu.MatrixBuffer[C], form int) error {
	if err := first(checkMatrix(o, "a", a.MatrixBuffer, false), checkMatrix(o, "b", b.MatrixBuffer, false),
		o.length("b", "rows, as a has", b.Rows, a.Rows), o.length("b", "columns, as a has", b.Cols, a.Cols), apart(o, c.Buffer, b.Buffer)); err != nil {
		return err
	}
	if err := update(s, o, uplo, alpha, a, bt, beta, c, form); err != nil {
		return err
	}
	return update(s, o, uplo, gamma, b, at, 1, c, form)
}

// CHemm makes c = alpha·a·b + beta·c for a Hermitian matrix a, of which one triangle is read, or
// c = alpha·b·a + beta·c if the side is Right. Imaginary parts of a's diagonal count as zero.
func CHemm[C Complex](s *gpu.Stream, side Side, uplo Uplo, alpha C, a, b gpu.MatrixBuffer[C], beta C, c gpu.MatrixBuffer[C]) error {
	return multiplyExpanded(s, "CHemm", side, uplo, alpha, a, b, beta, c, pairs.Hermitian)
}

// CSymm is CHemm for a symmetric matrix.
func CSymm[C Complex](s *gpu.Stream, side Side, uplo Uplo, alpha C, a, b gpu.MatrixBuffer[C], beta C, c gpu.MatrixBuffer[C]) error {
	return multiplyExpanded(s, "CSymm", side, uplo, alpha, a, b, beta, c, 0)
}

func multiplyExpanded[C Complex](s *gpu.Stream, o operation, side Side, uplo Uplo, alpha C, a, b gpu.MatrixBuffer[C], beta C, c gpu.MatrixBuffer[C], form int) error {
	n := b.Rows
	if side == Right {
		n = b.Cols
	}
	if err := first(valid(o, "side", side, Right), valid(o, "uplo", uplo, Upper), checkMatrix(o, "a", a, false), checkSquare(o, "a", a), checkMatrix(o, "b", b, false), checkMatrix(o, "c", c, true),
		o.length("a", "rows for b", a.Rows, n), o.length("c", "rows, as b has", c.Rows, b.Rows), o.length("c", "columns, as b has", c.Cols, b.Cols),
		apart(o, c.Buffer, a.Buffer, b.Buffer)); err != nil || c.Rows == 0 || c.Cols == 0 {
		return err
	}
	m, err := wholeOf(s, a, form|triangleForm(uplo))
	if err == nil && side == Left {
		err = multiplyComplex(s, alpha, Plain(m), Plain(b), beta, c, pairs.All)
	} else if err == nil {
		err = multiplyComplex(s, alpha, Plain(b), Plain(m), beta, c, pairs.All)
	}
	return errors.Join(err, closed(m.Buffer))
}

// wholeOf returns the whole matrix of a triangle of a, in a buffer of its own.
func wholeOf[C Complex](s *gpu.Stream, a gpu.MatrixBuffer[C], form int) (m gpu.MatrixBuffer[C], err error) {
	if m.Buffer, err = gpu.AllocUninitialized[C](s, a.Rows*a.Rows); err != nil {
		return m, err
	}
	m = gpu.MatrixOf(m.Buffer, a.Rows, a.Rows)
	v := pairs.ValuesOf[C]()
	v.Int(form).Layout(a.MatrixLayout).Layout(m.MatrixLayout)
	return m, pairs.Expand.Launch(s, updateGrid(a.MatrixLayout), &v, a.Buffer, m.Buffer)
}
