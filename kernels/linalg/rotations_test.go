package linalg

import (
	"fmt"
	"math"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestRotg: rotations keep lengths, make the second component zero, and can be made of z again.
func TestRotg(t *testing.T) {
	rotg[float32](t, 0x1p120, 0x1p-120)
	rotg[float64](t, 0x1p1000, 0x1p-1000)
}

func rotg[T Real](t *testing.T, great, tiny T) {
	bound := 8 * epsilon[T]()
	for _, v := range [][2]T{{3, 4}, {-3, 4}, {4, -3}, {1, 0}, {0, -2}, {0, 0}, {5, 5}, {-5, 5}, {great, -great}, {tiny, 2 * tiny}, {great, 1}, {1, great}} {
		a, b := float64(v[0]), float64(v[1])
		c, s, r, z := Rotg(v[0], v[1])
		length := math.Hypot(a, b)
		if got := math.Abs(float64(r)); math.Abs(got-length) > bound*length {
			t.Errorf("Rotg(%v): r is %v, want %v", v, r, length)
		}
		if zero := float64(c)*b - float64(s)*a; math.Abs(zero) > bound*length {
			t.Errorf("Rotg(%v): the second component is %v", v, zero)
		}
		if n := float64(c)*float64(c) + float64(s)*float64(s); math.Abs(n-1) > bound {
			t.Errorf("Rotg(%v): c² + s² is %v", v, n)
		}
		again := [2]float64{0, 1} // c and s of z = 1
		switch x := float64(z); {
		case math.Abs(x) < 1:
			again = [2]float64{math.Sqrt(1 - x*x), x}
		case math.Abs(x) > 1:
			again = [2]float64{1 / x, math.Sqrt(1 - 1/(x*x))}
		}
		if math.Abs(again[0]-float64(c)) > 1e-3 || math.Abs(again[1]-float64(s)) > 1e-3 {
			t.Errorf("Rotg(%v): z is %v, which is of %v, and not of %v", v, z, again, [2]T{c, s})
		}
	}
	if c, s, r, _ := Rotg(T(math.NaN()), 1); c == c || s == s || r == r {
		t.Errorf("Rotg of NaN is %v, %v, %v", c, s, r)
	}
}

// TestRotmg: what the rotation makes of (x, y) is (newX, 0), with the length that d1 and d2 give.
func TestRotmg(t *testing.T) {
	rotmg[float32](t)
	rotmg[float64](t)
}

func rotmg[T Real](t *testing.T) {
	for _, v := range [][4]T{{1, 1, 3, 4}, {2, 3, -5, 1}, {1e-9, 3, 5, 1}, {1e12, 1e-12, 5, 7}, {3, -1, 5, 2}, {0, 2, 1, 3}, {1e30, 1e30, 1, 1}} {
		d1, d2, x, y := float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3])
		h, n1, n2, nx := Rotmg(v[0], v[1], v[2], v[3])
		size := d1*x*x + d2*y*y
		if got := float64(n1) * float64(nx) * float64(nx); math.Abs(got-size) > 1e2*epsilon[T]()*(math.Abs(d1*x*x)+math.Abs(d2*y*y)) {
			t.Errorf("Rotmg(%v): the length's square is %v, want %v", v, got, size)
		}
		first, second := float64(h[0][0])*x+float64(h[0][1])*y, float64(h[1][0])*x+float64(h[1][1])*y
		scale := math.Abs(float64(h[1][0])*x) + math.Abs(float64(h[1][1])*y)
		if math.Abs(first-float64(nx)) > 1e2*epsilon[T]()*math.Abs(first) || math.Abs(second) > 1e2*epsilon[T]()*scale {
			t.Errorf("Rotmg(%v): (x, y) becomes (%v, %v), want (%v, 0)", v, first, second, nx)
		}
		for _, d := range []T{n1, n2} {
			if d := math.Abs(float64(d)); d != 0 && (d < 0x1p-24 || d > 0x1p24) {
				t.Errorf("Rotmg(%v): d is %v", v, d)
			}
		}
	}
	if h, d1, d2, x := Rotmg[T](-1, 1, 1, 1); h != (ModifiedRotation[T]{}) || d1 != 0 || d2 != 0 || x != 0 {
		t.Errorf("Rotmg of a negative d1 is %v, %v, %v, %v", h, d1, d2, x)
	}
	if h, d1, d2, x := Rotmg[T](1, 2, 3, 0); h != (ModifiedRotation[T]{{1, 0}, {0, 1}}) || d1 != 1 || d2 != 2 || x != 3 {
		t.Errorf("Rotmg of no y is %v, %v, %v, %v", h, d1, d2, x)
	}
	inf := T(math.Inf(1))
	Rotmg(inf, inf, 1, 1) // ends
	if _, d1, _, x := Rotmg(T(math.NaN()), 1, 1, 1); d1 == d1 && x == x {
		t.Errorf("Rotmg of NaN is %v and %v", d1, x)
	}
}

func TestRotm(t *testing.T) {
	onDevices(t, false, func(t *testing.T, s *gpu.Stream) {
		modifiedRotations[float32](t, s)
		modifiedRotations[float64](t, s)
	})
}

func modifiedRotations[T Real](t *testing.T, s *gpu.Stream) {
	r := sourceOf(t, s, 51)
	h := ModifiedRotation[T]{{0.5, -2}, {3, 1}}
	for _, n := range some(r, lengths, 5) {
		x, y := vector[T](r, n), vector[T](r, n)
		check(t, Rotm(s, x.vector(), y.vector(), h))
		x.expect(r, fmt.Sprintf("x of Rotm of %d", n), func(_, i int) (float64, float64) {
			a, b := T(x.element(i)), T(y.element(i))
			return float64(T(h[0][0]*a) + T(h[0][1]*b)), 0
		})
		y.expect(r, fmt.Sprintf("y of Rotm of %d", n), func(_, i int) (float64, float64) {
			a, b := T(x.element(i)), T(y.element(i))
			return float64(T(h[1][0]*a) + T(h[1][1]*b)), 0
		})
	}
}
