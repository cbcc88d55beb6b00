package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// checkPair checks two vectors of one length. The first is written, too, if both are.
func checkPair[T any](o operation, x, y Vector[T], xWritten, yWritten bool) error {
	err := first(checkVector(o, "x", x, xWritten), checkVector(o, "y", y, yWritten), o.length("y", "elements, as x has", y.Len, x.Len))
	if err == nil && x.Len > 0 && (xWritten || yWritten) {
		err = apart(o, y.Buffer, x.Buffer)
	}
	return err
}

// Axpy makes y = alpha·x + y. If alpha is zero, y keeps its value, also where x is not finite.
func Axpy[T Real](s *gpu.Stream, alpha T, x, y Vector[T]) error {
	if err := checkPair("Axpy", x, y, false, true); err != nil || x.Len == 0 || alpha == 0 {
		return err
	}
	return launchAxpy(s, groups(x.Len, block), x.Len, alpha, x.Buffer, x.line(), y.Buffer, y.line())
}

// Copy makes y = x.
func Copy[T Real](s *gpu.Stream, x, y Vector[T]) error {
	if err := checkPair("Copy", x, y, false, true); err != nil || x.Len == 0 {
		return err
	}
	return launchCopyVector(s, groups(x.Len, block), x.Len, x.Buffer, x.line(), y.Buffer, y.line())
}

// Swap exchanges the elements of x and y.
func Swap[T Real](s *gpu.Stream, x, y Vector[T]) error {
	if err := checkPair("Swap", x, y, true, true); err != nil || x.Len == 0 {
		return err
	}
	return launchSwap(s, groups(x.Len, block), x.Len, x.Buffer, x.line(), y.Buffer, y.line())
}

// Rot rotates the points (x[i], y[i]): x becomes c·x + sin·y, and y becomes c·y − sin·x.
func Rot[T Real](s *gpu.Stream, x, y Vector[T], c, sin T) error {
	if err := checkPair("Rot", x, y, true, true); err != nil || x.Len == 0 {
		return err
	}
	return launchRotate(s, groups(x.Len, block), x.Len, c, sin, x.Buffer, x.line(), y.Buffer, y.line())
}

// Scal makes x = alpha·x. If alpha is zero, all elements become zero, also those that are not
// finite.
func Scal[T Real](s *gpu.Stream, alpha T, x Vector[T]) error {
	if err := checkVector("Scal", "x", x, true); err != nil || x.Len == 0 {
		return err
	}
	return launchScale(s, groups(x.Len, block), x.Len, alpha, x.Buffer, x.line())
}

// Dot writes the sum of the products x[i]·y[i] to the first element of result, 0 if there are none.
func Dot[T Real](s *gpu.Stream, x, y Vector[T], result *gpu.Buffer[T]) error {
	const o = operation("Dot")
	if err := first(checkPair(o, x, y, false, false), checkScalar(o, "result", result), apart(o, result, x.Buffer, y.Buffer)); err != nil {
		return err
	}
	g := states(x.Len)
	if c := chainOf(s); c != nil && x.Len > 0 {
		return dotOf(s, c, g, x, y, result)
	}
	return byStates(s, g, x.Len, func(partial *gpu.Buffer[T]) error {
		return launchDot(s, g, x.Len, x.Buffer, x.line(), y.Buffer, y.line(), partial)
	}, func(n int, partial *gpu.Buffer[T]) error { return launchSumStates(s, gpu.D1(1), n, partial, result) })
}

// states is a grid for a reduction of n elements. Each workgroup makes a state.
func states(n int) gpu.Grid { return gpu.D1(uint32(min(max((n+block-1)/block, 1), maxStates))) }

// byStates makes a number of n elements by two launches: one makes states, and one joins them.
func byStates[S any](s *gpu.Stream, g gpu.Grid, n int, state func(partial *gpu.Buffer[S]) error, join func(n int, partial *gpu.Buffer[S]) error) error {
	partial, err := gpu.AllocUninitialized[S](s, int(g.X))
	if err != nil {
		return err
	}
	if n > 0 {
		err = state(partial)
	}
	if err == nil {
		err = join(min(n, int(g.X)), partial)
	}
	return errors.Join(err, partial.Close())
}

// Asum writes the sum of the absolute values of x to the first element of result, 0 if there are
// none.
func Asum[T Real](s *gpu.Stream, x Vector[T], result *gpu.Buffer[T]) error {
	if err := checkReduced("Asum", x, result); err != nil {
		return err
	}
	g := states(x.Len)
	if c := chainOf(s); c != nil && x.Len > 0 {
		return asumOf(s, c, g, x, result)
	}
	return byStates(s, g, x.Len, func(partial *gpu.Buffer[T]) error {
		return launchAsum(s, g, x.Len, x.Buffer, x.line(), partial)
	}, func(n int, partial *gpu.Buffer[T]) error { return launchSumStates(s, gpu.D1(1), n, partial, result) })
}

// Nrm2 writes the Euclidean norm of x to the first element of result, 0 if it has no elements.
// Squares neither overflow nor underflow (Blue, 1978; Anderson, "Algorithm 978: Safe Scaling in the
// Level 1 BLAS", 2017).
func Nrm2[T Real](s *gpu.Stream, x Vector[T], result *gpu.Buffer[T]) error {
	if err := checkReduced("Nrm2", x, result); err != nil {
		return err
	}
	g, o := states(x.Len), normOf[T]()
	if c := chainOf(s); c != nil && x.Len > 0 {
		return nrm2Of(s, c, g, o, x, result)
	}
	return byStates(s, g, x.Len, func(partial *gpu.Buffer[squares[T]]) error {
		return launchNrm2(s, g, x.Len, o, x.Buffer, x.line(), partial)
	}, func(n int, partial *gpu.Buffer[squares[T]]) error {
		return launchNrm2States(s, gpu.D1(1), n, o, partial, result)
	})
}

// normOf returns the limits of a type (Anderson, 2017).
func normOf[T Real]() (o norm[T]) {
	switch o := any(&o).(type) {
	case *norm[float32]:
		*o = norm[float32]{0x1p-63, 0x1p52, 0x1p75, 0x1p-76}
	case *norm[float64]:
		*o = norm[float64]{0x1p-511, 0x1p486, 0x1p537, 0x1p-538}
	}
	return o
}

// Iamax writes the index of the first element with the greatest absolute value to the first element
// of result, −1 if x has no elements. NaN is greater than all numbers.
func Iamax[T Real](s *gpu.Stream, x Vector[T], result *gpu.Buffer[int32]) error {
	const o = operation("Iamax")
	if err := first(checkVector(o, "x", x, false), checkScalar(o, "result", result)); err != nil {
		return err
	}
	if c := chainOf(s); c != nil && x.Len > 0 {
		return iamaxOf(s, c, states(x.Len), x, result)
	}
	switch x := any(x).(type) {
	case Vector[float32]:
		return greatestOf[float32, uint32, magnitude32](s, x, result)
	case Vector[float64]:
		return greatestOf[float64, uint64, magnitude64](s, x, result)
	}
	return nil
}

func greatestOf[T Real, K key, M interface {
	magnitudes[T, K]
	magnitude32 | magnitude64
}](s *gpu.Stream, x Vector[T], result *gpu.Buffer[int32]) error {
	g := states(x.Len)
	return byStates(s, g, x.Len, func(partial *gpu.Buffer[ranked[K]]) error {
		return launchIamax[T, K, M](s, g, x.Len, x.Buffer, x.line(), partial)
	}, func(n int, partial *gpu.Buffer[ranked[K]]) error {
		return launchIamaxStates[T, K, M](s, gpu.D1(1), n, partial, result)
	})
}

// checkReduced checks the arguments of a function that makes one number of a vector.
func checkReduced[T any](o operation, x Vector[T], result *gpu.Buffer[T]) error {
	return first(checkVector(o, "x", x, false), checkScalar(o, "result", result), apart(o, result, x.Buffer))
}
