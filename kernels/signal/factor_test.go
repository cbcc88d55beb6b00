package signal

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
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
					most = e.compositeRoom()
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
	for bits, passes := range map[int]int{16: 2, 20: 2, 21: 2, 22: 3, 30: 3} {
		if list := (&engine{}).lengthsOf(axis{1 << bits, 1}); len(list) != passes {
			t.Errorf("2^%d takes the passes %v", bits, list)
		}
	}
	// devices with enough workgroup memory take one pass for long rows
	e := &engine{stream: stream(t, gpu.CPU)}
	for n, passes := range map[int]int{8192: 1, 16384: 1, 32768: 2, 3000: 1, 4095: 1, 4096: 1, 4116: 2} {
		if list := e.lengthsOf(axis{n, 1}); len(list) != passes {
			t.Errorf("%d takes the passes %v", n, list)
		}
	}
	e.strict = true
	for n, passes := range map[int]int{2048: 1, 3000: 2, 4096: 1, 8192: 2, 16384: 2} {
		if list := e.lengthsOf(axis{n, 1}); len(list) != passes {
			t.Errorf("strictly, %d takes the passes %v", n, list)
		}
	}
	if list := divide(65536, 256); len(list) != 2 || list[0] != 256 {
		t.Errorf("65536 is %v", list)
	}
}

// TestSchedules: radices of composite rows are those that kernels have, rows fit in workgroup
// memory, where numbers have addresses of their own, and quotients are exact.
func TestSchedules(t *testing.T) {
	test := func(n, room int) {
		radices, _ := compositeRadices(n, 16)
		rows := room / n
		a := arrange(radices, room, 16)
		words := scheduleOf(radices, a)
		if len(words) != 12*stagesAtMost || a.pitch*rows > room {
			t.Fatalf("%d numbers: %d words, and rows of %d numbers", n, len(words), a.pitch)
		}
		product := 1
		for s, r := range radices {
			w := words[12*s:]
			product *= r
			count, span := w[wordCount], w[wordSpan]
			for i := range uint32(rows) * count {
				k := i - i*w[wordByCount]>>quotientBits*count
				if k != i%count || k*w[wordBySpan]>>quotientBits != k/span {
					t.Fatalf("%d numbers: %d by %d and %d", n, i, count, span)
				}
			}
			if s+1 == len(radices) {
				break
			}
			written, next := map[uint32]bool{}, words[12*(s+1):]
			for k := range count {
				for i := range uint32(r) {
					written[k/span*w[wordOutBlock]+k%span+i*span] = true
				}
			}
			for k := range next[wordCount] {
				for i := range next[wordRadix] {
					at := k + k/next[wordSpan]*next[wordGap] + i*next[wordStep]
					if !written[at] || at >= uint32(a.pitch) {
						t.Fatalf("%d numbers: stage %d does not write %d", n, s, at)
					}
					delete(written, at)
				}
			}
		}
		if product != n || len(radices) > stagesAtMost {
			t.Fatalf("%d numbers: the radices %v", n, radices)
		}
	}
	for n := 2; n <= 4096; n++ {
		if isSmooth(n) && n <= 2048 {
			test(n, 2048)
		}
		if isSmooth(n) && n > 1024 {
			test(n, 4096)
		}
	}
	if list, _ := compositeRadices(1000, 16); !slices.Equal(list, []int{10, 10, 10}) {
		t.Errorf("1000 has the radices %v", list)
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
