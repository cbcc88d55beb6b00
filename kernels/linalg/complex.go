package linalg

import (
	"errors"

	"github.com/gpuc/gpuc/kernels/linalg/internal/pairs"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file has the functions of complex vectors. Their names begin with a C.

// Complex is a complex number. Functions for such begin with C.
type Complex interface{ complex64 | complex128 }

// isReal reports whether a number has no imaginary part.
func isReal[C Complex](c C) bool { return imag(complex128(c)) == 0 }

// CAxpy makes y = alpha·x + y. If alpha is zero, y keeps its value, also where x is not finite.
func CAxpy[C Complex](s *gpu.Stream, alpha C, x, y Vector[C]) error {
	if err := checkPair("CAxpy", x, y, false, true); err != nil || x.Len == 0 || alpha == 0 {
		return err
	}
	v := pairs.ValuesOf[C]()
	v.Number(complex128(alpha)).Int(x.Len, x.Offset, x.Stride, y.Offset, y.Stride)
	return pairs.Axpy.Launch(s, groups(x.Len, pairs.Block), &v, x.Buffer, y.Buffer)
}

// CScal makes x = alpha·x. If alpha is zero, all elements become zero, also those that are not
// finite. If alpha has no imaginary part, both parts of an element are multiplied by its real part.
func CScal[C Complex](s *gpu.Stream, alpha C, x Vector[C]) error {
	if err := checkVector("CScal", "x", x, true); err != nil || x.Len == 0 {
		return err
	}
	return scaleComplex(s, alpha, x)
}

func scaleComplex[C Complex](s *gpu.Stream, alpha C, x Vector[C]) error {
	realOnly := 0
	if isReal(alpha) {
		realOnly = 1
	}
	v := pairs.ValuesOf[C]()
	v.Number(complex128(alpha)).Int(x.Len, realOnly, x.Offset, x.Stride)
	return pairs.Scale.Launch(s, groups(x.Len, pairs.Block), &v, x.Buffer)
}

// CCopy makes y = x.
func CCopy[C Complex](s *gpu.Stream, x, y Vector[C]) error {
	if err := checkPair("CCopy", x, y, false, true); err != nil || x.Len == 0 {
		return err
	}
	v := pairs.ValuesOf[C]()
	v.Int(x.Len, x.Offset, x.Stride, y.Offset, y.Stride)
	return pairs.Copied.Launch(s, groups(x.Len, items), &v, x.Buffer, y.Buffer)
}

// CSwap exchanges the elements of x and y.
func CSwap[C Complex](s *gpu.Stream, x, y Vector[C]) error {
	if err := checkPair("CSwap", x, y, true, true); err != nil || x.Len == 0 {
		return err
	}
	v := pairs.ValuesOf[C]()
	v.Int(x.Len, x.Offset, x.Stride, y.Offset, y.Stride)
	return pairs.Swapped.Launch(s, groups(x.Len, items), &v, x.Buffer, y.Buffer)
}

// CDotu writes the sum of the products x[i]·y[i] to the first element of result, 0 if there are
// none.
func CDotu[C Complex](s *gpu.Stream, x, y Vector[C], result *gpu.Buffer[C]) error {
	return complexDot(s, "CDotu", 0, x, y, result)
}

// CDotc is CDotu with the conjugates of the elements of x.
func CDotc[C Complex](s *gpu.Stream, x, y Vector[C], result *gpu.Buffer[C]) error {
	return complexDot(s, "CDotc", 1, x, y, result)
}

func complexDot[C Complex](s *gpu.Stream, o operation, conj int, x, y Vector[C], result *gpu.Buffer[C]) error {
	if err := first(checkPair(o, x, y, false, false), checkScalar(o, "result", result), apart(o, result, x.Buffer, y.Buffer)); err != nil {
		return err
	}
	g := gpu.D1(max(min(groups(x.Len, pairs.Block).X, maxStates), 1))
	return byStates(s, g, x.Len, func(partial *gpu.Buffer[C]) error {
		v := pairs.ValuesOf[C]()
		v.Int(x.Len, conj, x.Offset, x.Stride, y.Offset, y.Stride)
		return pairs.Dot.Launch(s, g, &v, x.Buffer, y.Buffer, partial)
	}, func(n int, partial *gpu.Buffer[C]) error {
		v := pairs.ValuesOf[C]()
		v.Int(n)
		return pairs.SumOfSums.Launch(s, gpu.D1(1), &v, partial, result)
	})
}

// CNrm2 writes the Euclidean norm of x to the first element of result, as Nrm2 does. The parts of
// C have to be T, otherwise it is gpu.ErrShape.
func CNrm2[C Complex, T Real](s *gpu.Stream, x Vector[C], result *gpu.Buffer[T]) error {
	return ofParts(s, "CNrm2", x, result, &pairs.Parts, 2, Nrm2[T])
}

// CAsum writes the sum of the absolute values of the parts of x to the first element of result, as
// Asum does. The parts of C have to be T, otherwise it is gpu.ErrShape.
func CAsum[C Complex, T Real](s *gpu.Stream, x Vector[C], result *gpu.Buffer[T]) error {
	return ofParts(s, "CAsum", x, result, &pairs.Parts, 2, Asum[T])
}

// CIamax writes the index of the first element whose parts have the greatest sum of absolute values
// to the first element of result, as Iamax does.
func CIamax[C Complex](s *gpu.Stream, x Vector[C], result *gpu.Buffer[int32]) error {
	switch x := any(x).(type) {
	case Vector[complex64]:
		return ofParts(s, "CIamax", x, result, &pairs.Sizes, 1, Iamax[float32])
	case Vector[complex128]:
		return ofParts(s, "CIamax", x, result, &pairs.Sizes, 1, Iamax[float64])
	}
	return nil
}

// ofParts calls a function of real numbers for those that a kernel makes of x, so many of each
// element.
func ofParts[C Complex, T Real, R any](s *gpu.Stream, o operation, x Vector[C], result *gpu.Buffer[R], k *pairs.Kernel, each int, f func(*gpu.Stream, Vector[T], *gpu.Buffer[R]) error) error {
	if err := first(checkVector(o, "x", x, false), checkScalar(o, "result", result), o.dimension("x", "elements", each*x.Len)); err != nil {
		return err
	}
	if x.Len == 0 {
		return f(s, Vector[T]{}, result)
	}
	_, single := any(*new(C)).(complex64)
	if _, ok := any(*new(T)).(float32); ok != single {
		return o.wrong("result", "elements of the type of the parts", "%T for %T", *new(T), *new(C))
	}
	parts, err := gpu.AllocUninitialized[T](s, each*x.Len)
	if err == nil {
		v := pairs.ValuesOf[C]()
		v.Int(x.Len, x.Offset, x.Stride)
		err = k.Launch(s, groups(x.Len, items), &v, x.Buffer, parts)
	}
	if err == nil {
		err = f(s, VectorOf(parts), result)
	}
	return errors.Join(err, closed(parts))
}
