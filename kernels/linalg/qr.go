package linalg

import (
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// QR factors a: a = Q·R. R replaces the upper triangle of a. Q is the product of reflections I −
// tau[k]·v·vᵀ, whose vectors v are in the columns below it (LAPACK's GEQRF). There are as many as
// rows or columns, whichever are fewer. QRMultiply multiplies by Q.
//
// A workgroup factors a panel of columns, and what follows it is changed by products.
func QR[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], tau *gpu.Buffer[T], o ...Option) error {
	const op = operation("QR")
	n := min(a.Rows, a.Cols)
	if err := first(checkMatrix(op, "a", a, true), checkTau(op, n, tau), apart(op, a.Buffer, tau)); err != nil || n == 0 {
		return err
	}
	w, err := newReflector[T](s, a.Rows, a.Cols)
	for done := 0; done < n && err == nil; done += panel {
		count := min(panel, n-done)
		columns := a.Sub(done, done, a.Rows-done, count)
		err = launchQrPanel(s, gpu.D1(1), 1, normOf[T](), columns, 0, done, tau)
		if right := a.Sub(done, done+count, a.Rows-done, a.Cols-done-count); err == nil && right.Cols > 0 {
			err = w.apply(s, columns, tau, done, true, right, joined(o))
		}
	}
	return errors.Join(err, w.close())
}

// QRMultiply makes b = Q·b, or b = Qᵀ·b, for the Q that QR made.
func QRMultiply[T Real](s *gpu.Stream, factors gpu.MatrixBuffer[T], tau *gpu.Buffer[T], transposed bool, b gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("QRMultiply")
	n := min(factors.Rows, factors.Cols)
	if err := first(checkMatrix(op, "factors", factors, false), checkMatrix(op, "b", b, true), op.length("b", "rows, as factors has", b.Rows, factors.Rows),
		checkTau(op, n, tau), apart(op, b.Buffer, factors.Buffer, tau)); err != nil || n == 0 || b.Cols == 0 {
		return err
	}
	w, err := newReflector[T](s, b.Rows, b.Cols)
	panels := (n + panel - 1) / panel
	for k := range panels {
		if !transposed {
			k = panels - 1 - k
		}
		if done := k * panel; err == nil {
			columns := factors.Sub(done, done, factors.Rows-done, min(panel, n-done))
			err = w.apply(s, columns, tau, done, transposed, b.Sub(done, 0, b.Rows-done, b.Cols), joined(o))
		}
	}
	return errors.Join(err, w.close())
}

// LeastSquares finds the x for which a·x − b has the least Euclidean norm, for a matrix a whose
// columns are independent, and which has at least as many rows. It replaces a by its factors, as QR
// does, with tau, and the first rows of b by x.
func LeastSquares[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], tau *gpu.Buffer[T], b gpu.MatrixBuffer[T], o ...Option) error {
	const op = operation("LeastSquares")
	if a.Rows < a.Cols {
		return op.wrong("a", "as many rows as columns, or more", "%d rows of %d columns", a.Rows, a.Cols)
	}
	if err := first(checkMatrix(op, "a", a, true), checkMatrix(op, "b", b, true), op.length("b", "rows, as a has", b.Rows, a.Rows),
		checkTau(op, a.Cols, tau), apart(op, a.Buffer, b.Buffer, tau), apart(op, b.Buffer, tau)); err != nil {
		return err
	}
	if b.Rows > 0 && b.Cols > 0 {
		if err := s.Usable(b.Buffer); err != nil { // before a is replaced
			return err
		}
	}
	if err := QR(s, a, tau, o...); err != nil {
		return err
	}
	if err := QRMultiply(s, a, tau, true, b, o...); err != nil {
		return err
	}
	return Trsm(s, Left, Upper, NonUnit, 1, a.Sub(0, 0, a.Cols, a.Cols), b.Sub(0, 0, a.Cols, b.Cols), o...)
}

// QRBatch is QR for each of the matrices, which have up to 64 rows and columns. Their tau follow
// each other.
func QRBatch[T Real](s *gpu.Stream, a Batch[T], tau *gpu.Buffer[T]) error {
	const op = operation("QRBatch")
	n := min(a.Rows, a.Cols)
	if err := first(checkBatch(op, "a", a, true), checkSmall(op, a), checkTau(op, a.Count*n, tau), apart(op, a.Buffer, tau)); err != nil || a.Count == 0 || n == 0 {
		return err
	}
	return launchQrPanel(s, groups(a.Count, 1), a.Count, normOf[T](), a.MatrixBuffer, a.Stride, 0, tau)
}

// checkTau returns an error unless there are n elements.
func checkTau[T any](o operation, n int, tau *gpu.Buffer[T]) error {
	if tau.Len() < n {
		return o.wrong("tau", fmt.Sprintf("%d elements", n), "%d", tau.Len())
	}
	return nil
}

// reflector is memory for multiplying matrices by the reflections of a panel.
type reflector[T Real] struct {
	// v has the vectors, g their products, t their triangle, and w and x are between products.
	v, g, t, w, x *gpu.Buffer[T]
}

// newReflector makes memory for matrices of so many rows and columns.
func newReflector[T Real](s *gpu.Stream, rows, cols int) (r reflector[T], err error) {
	for _, b := range [...]struct {
		buffer **gpu.Buffer[T]
		n      int
	}{{&r.v, rows * panel}, {&r.g, panel * panel}, {&r.t, panel * panel}, {&r.w, panel * cols}, {&r.x, panel * cols}} {
		if *b.buffer, err = gpu.AllocUninitialized[T](s, b.n); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r reflector[T]) close() error {
	return errors.Join(closed(r.v), closed(r.g), closed(r.t), closed(r.w), closed(r.x))
}

// apply makes b = Q·b or Qᵀ·b for the reflections of a panel, whose tau are behind base others:
// b − v·t·(vᵀ·b), where t is transposed for Qᵀ.
func (r reflector[T]) apply(s *gpu.Stream, columns gpu.MatrixBuffer[T], tau *gpu.Buffer[T], base int, transposed bool, b gpu.MatrixBuffer[T], o Option) error {
	rows, n := columns.Rows, columns.Cols
	v, g, t := gpu.MatrixOf(r.v, rows, n), gpu.MatrixOf(r.g, n, n), gpu.MatrixOf(r.t, n, n)
	w, x := gpu.MatrixOf(r.w, n, b.Cols), gpu.MatrixOf(r.x, n, b.Cols)
	if err := launchExpand(s, rowGrid(v.MatrixLayout), columns, Lower.span(rows), unitTriangular, v); err != nil {
		return err
	}
	if err := multiply(s, 1, v.T(), v, 0, g, product.All, o); err != nil {
		return err
	}
	if err := launchJoinReflections(s, gpu.D1(1), n, g, tau, base, t); err != nil {
		return err
	}
	if transposed {
		t = t.T()
	}
	if err := multiply(s, 1, v.T(), b, 0, w, product.All, o); err != nil {
		return err
	}
	if err := multiply(s, 1, t, w, 0, x, product.All, o); err != nil {
		return err
	}
	return multiply(s, -1, v, x, 1, b, product.All, o)
}
