package linalg

import (
	"errors"
	"fmt"

	"github.com/gpuc/gpuc/kernels/linalg/internal/columns"
	"github.com/gpuc/gpuc/kernels/linalg/internal/product"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// QR factors a: a = Q·R. R replaces the upper triangle of a. Q is the product of reflections I −
// tau[k]·v·vᵀ, whose vectors v are in the columns below it (LAPACK's GEQRF). There are as many as
// rows or columns, whichever are fewer. QRMultiply multiplies by Q.
//
// Workgroups factor a panel of 64 columns, and what follows it is changed by products.
func QR[T Real](s *gpu.Stream, a gpu.MatrixBuffer[T], tau *gpu.Buffer[T], o ...Option) error {
	const op = operation("QR")
	n := min(a.Rows, a.Cols)
	if err := first(checkMatrix(op, "a", a, true), checkTau(op, n, tau), apart(op, a.Buffer, tau)); err != nil || n == 0 {
		return err
	}
	w, err := newReflector(s, a)
	for done := 0; done < n && err == nil; done += reflected {
		count := min(reflected, n-done)
		columns := a.Sub(done, done, a.Rows-done, count)
		v, g := w.vectors(columns)
		err = reflectPanel(s, columns, tau, done, v, g)
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
	w, err := newReflector(s, b)
	panels := (n + reflected - 1) / reflected
	for k := range panels {
		if !transposed {
			k = panels - 1 - k
		}
		if done := k * reflected; err == nil {
			columns := factors.Sub(done, done, factors.Rows-done, min(reflected, n-done))
			if err = w.expand(s, columns, joined(o)); err == nil {
				err = w.apply(s, columns, tau, done, transposed, b.Sub(done, 0, b.Rows-done, b.Cols), joined(o))
			}
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
// each other. Columns that have lost nearly all of their norm before may have no reflection.
func QRBatch[T Real](s *gpu.Stream, a Batch[T], tau *gpu.Buffer[T], o ...Option) error {
	const op = operation("QRBatch")
	n := min(a.Rows, a.Cols)
	if err := first(checkBatch(op, "a", a, true), checkSmall(op, a), checkTau(op, a.Count*n, tau), apart(op, a.Buffer, tau)); err != nil || a.Count == 0 || n == 0 {
		return err
	}
	return reflectBatch(s, a, tau, joined(o))
}

// reflectBatch is QRBatch for operands that have been checked.
func reflectBatch[T Real](s *gpu.Stream, a Batch[T], tau *gpu.Buffer[T], o Option) error {
	byColumns := max(a.Rows, a.Cols) <= columnsUpTo[T](s, o, 16)
	if _, ok := any(a.Buffer).(*gpu.Buffer[float32]); ok {
		a, tau := asBatch[float32](a), any(tau).(*gpu.Buffer[float32])
		if byColumns {
			return factorColumns[float32, columns.Single](s, a, tau, o)
		}
		return launchReflections[float32, [4]float32](s, a, tau)
	}
	b, to := asBatch[float64](a), any(tau).(*gpu.Buffer[float64])
	if byColumns {
		return factorColumns[float64, columns.Double](s, b, to, o)
	}
	return launchReflections[float64, [2]float64](s, b, to)
}

// along returns the parameter of kernels: whether columns are closer in memory than rows.
func along[T Real](m gpu.MatrixBuffer[T]) int {
	if magnitude(m.RowStride) < magnitude(m.ColStride) {
		return 1
	}
	return 0
}

// launchReflections launches the kernel for matrices that no kernel of package columns is for.
func launchReflections[T Real, Q quad[T]](s *gpu.Stream, a Batch[T], tau *gpu.Buffer[T]) error {
	g := groups(a.Count, 1)
	if max(a.Rows, a.Cols) > own {
		return launchQrBatch64[T, Q](s, g, a.Count, a.MatrixBuffer, a.Stride, along(a.MatrixBuffer), tau)
	}
	return launchQrBatch32[T, Q](s, g, a.Count, a.MatrixBuffer, a.Stride, along(a.MatrixBuffer), tau)
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
	// columns says whether the columns of matrices are contiguous, and so are those of v, w and x.
	columns bool
}

// newReflector makes memory for matrices with the size of m, and in the same order in memory.
func newReflector[T Real](s *gpu.Stream, m gpu.MatrixBuffer[T]) (r reflector[T], err error) {
	r.columns = along(m) != 0
	wide := reflected * (m.Cols + alignment)
	for _, b := range [...]struct {
		buffer **gpu.Buffer[T]
		n      int
	}{{&r.v, reflected * (m.Rows + alignment)}, {&r.g, reflected * reflected}, {&r.t, reflected * reflected}, {&r.w, wide}, {&r.x, wide}} {
		if *b.buffer, err = gpu.AllocUninitialized[T](s, b.n); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r reflector[T]) close() error {
	return errors.Join(closed(r.v), closed(r.g), closed(r.t), closed(r.w), closed(r.x))
}

// matrix returns memory as a matrix. Rows, or columns, begin at multiples of 16 bytes, as large
// products want them.
func (r reflector[T]) matrix(b *gpu.Buffer[T], rows, cols int) gpu.MatrixBuffer[T] {
	m := gpu.MatrixBuffer[T]{Buffer: b, MatrixLayout: gpu.MatrixLayout{Rows: rows, Cols: cols}}
	if r.columns {
		m.RowStride, m.ColStride = 1, rows
		if rows > reflected {
			m.ColStride = (rows + alignment - 1) / alignment * alignment
		}
		return m
	}
	m.RowStride, m.ColStride = cols, 1
	if cols > reflected {
		m.RowStride = (cols + alignment - 1) / alignment * alignment
	}
	return m
}

// vectors returns the vectors of the reflections of a panel, and their products.
func (r reflector[T]) vectors(panel gpu.MatrixBuffer[T]) (v, g gpu.MatrixBuffer[T]) {
	return r.matrix(r.v, panel.Rows, panel.Cols), gpu.MatrixOf(r.g, panel.Cols, panel.Cols)
}

// expand makes the vectors of a panel that has been factored, and their products.
func (r reflector[T]) expand(s *gpu.Stream, panel gpu.MatrixBuffer[T], o Option) error {
	v, g := r.vectors(panel)
	to, from, d := v, panel, Lower.span(panel.Rows)
	if r.columns {
		to, from, d = to.T(), from.T(), d.transposed()
	}
	if err := launchExpand(s, rowGrid(to.MatrixLayout), from, d, unitTriangular, to); err != nil {
		return err
	}
	return multiply(s, 1, v.T(), v, 0, g, product.All, o)
}

// apply makes b = Q·b or Qᵀ·b for the reflections of a panel, whose vectors and products there are.
// Their tau are behind base others. It makes b − v·t·(vᵀ·b), where t is transposed for Qᵀ.
func (r reflector[T]) apply(s *gpu.Stream, panel gpu.MatrixBuffer[T], tau *gpu.Buffer[T], base int, transposed bool, b gpu.MatrixBuffer[T], o Option) error {
	n := panel.Cols
	v, g := r.vectors(panel)
	t, w, x := gpu.MatrixOf(r.t, n, n), r.matrix(r.w, n, b.Cols), r.matrix(r.x, n, b.Cols)
	if err := launchJoinReflections(s, gpu.D1(1), n, g, tau, base, t); err != nil {
		return err
	}
	if transposed {
		t = t.T()
	}
	if err := r.multiply(s, 1, v.T(), b, 0, w, o); err != nil {
		return err
	}
	if err := r.multiply(s, 1, t, w, 0, x, o); err != nil {
		return err
	}
	return r.multiply(s, -1, v, x, 1, b, o)
}

// multiply makes c = alpha·a·b + beta·c so that rows of the result are contiguous.
func (r reflector[T]) multiply(s *gpu.Stream, alpha float64, a, b gpu.MatrixBuffer[T], beta float64, c gpu.MatrixBuffer[T], o Option) error {
	if r.columns {
		a, b, c = b.T(), a.T(), c.T()
	}
	return multiply(s, alpha, a, b, beta, c, product.All, o)
}
