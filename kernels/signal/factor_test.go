package signal

import (
	"math"
	"math/cmplx"
	"testing"
)

// TestLengths: passes have lengths that kernels know, and their product is the transform's.
func TestLengths(t *testing.T) {
	for _, double := range []bool{false, true} {
		e := &engine{double: double}
		check := func(a axis) {
			t.Helper()
			lengths, n := e.lengthsOf(a), 1
			for _, l := range lengths {
				n *= l
				most := e.most()
				switch {
				case e.isBinary(l) && a.inner == 1 && len(lengths) == 1:
					most = binaryRoom
				case e.isBinaryColumn(l) && (a.inner == 1 || a.inner%8 == 0):
					most = 2048
				case a.inner == 1 && len(lengths) == 1:
					most = e.room()
				}
				if l > most {
					t.Errorf("%v, double %v: a pass of %d", a, double, l)
				}
			}
			if lengths != nil && n != a.n || (lengths == nil) == isSmooth(a.n) {
				t.Errorf("%v, double %v: lengths %v", a, double, lengths)
			}
		}
		for n := 2; n < 3000; n++ {
			for _, inner := range []int{1, 3, 8} {
				check(axis{n, inner})
			}
		}
		for bit := 1; bit < 31; bit++ {
			check(axis{1 << bit, 1})
			check(axis{1 << bit, 3})
			check(axis{1 << bit, 16})
		}
		check(axis{13 * 13 * 13 * 13 * 13 * 13, 1})
		check(axis{3 * 5 * 7 * 11 * 13 * 1024, 8})
	}
	if list := (&engine{}).lengthsOf(axis{1 << 20, 1}); len(list) != 2 {
		t.Errorf("2^20 takes the passes %v", list)
	}
	if list := divide(65536, 256); len(list) != 2 || list[0] != 256 {
		t.Errorf("65536 is %v", list)
	}
}

// TestRoots compares roots of one with those by angles of full circles, and finds those that are
// known exactly.
func TestRoots(t *testing.T) {
	for n := 1; n < 200; n++ {
		for e := range n {
			if d := cmplx.Abs(root(e, n) - cmplx.Rect(1, -2*math.Pi*float64(e)/float64(n))); !(d < 2e-15) {
				t.Fatalf("root %d of %d is wrong by %v", e, n, d)
			}
			if r := root(e, n); 4*e%n == 0 && r != []complex128{1, -1i, -1, 1i}[4*e/n] {
				t.Errorf("root %d of %d is %v", e, n, r)
			}
		}
	}
}
