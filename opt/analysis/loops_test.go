package analysis

import (
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/ir/op"
)

// Loops, run by hand: all values of a parameter must lie in its interval. At 8 bits that is the
// induction on all loops of one operation and two tests. At 32 bits it is the analysis of IR, with
// constants around which arithmetic wraps.

// byteLoop is a loop with one parameter of 8 bits.
type byteLoop struct {
	o           op.Op // makes the next value, of the parameter and a number
	swapped     bool  // of the number and the parameter
	by          int64
	top, bottom byteTest
	all         Interval
}

// byteTest is a test that must hold for the loop to go on; none if o is Invalid.
type byteTest struct {
	o     op.Op
	bound int64
}

func (b byteTest) holds(x int64) bool {
	for _, c := range comparisons {
		if c.o == b.o {
			return c.holds(x, b.bound)
		}
	}
	return true
}

// keeps returns where values lie for which the test holds.
func (b byteTest) keeps(x Interval) Interval { return Compared(b.o, x, single(b.bound)) }

// next is what the analysis knows of the next value.
func (l *byteLoop) next(v Interval) Interval {
	if v = v.overlap(l.top.keeps(l.all)); v.Empty() {
		return v
	}
	x := [3]Interval{v, single(l.by)}
	if l.swapped {
		x[0], x[1] = x[1], x[0]
	}
	return transfers[l.o](l.all, x).orWrapped(l.all).overlap(l.bottom.keeps(l.all))
}

// values returns the least interval of the parameter's values at the start of the
// body, and of those after the test at the top. An operation's results
// are looked up by the parameter's pattern.
func (l *byteLoop) values(start Interval, results *[256]int64) (body, inside Interval) {
	var seen [256]bool
	for x := start.Low; x < start.End; x++ {
		for v := x; !seen[uint8(v)]; v = results[uint8(v)] {
			seen[uint8(v)] = true
			body.add(v)
			if !l.top.holds(v) {
				break
			}
			inside.add(v)
			if !l.bottom.holds(results[uint8(v)]) {
				break
			}
		}
	}
	return body, inside
}

// byteStarts and byteBounds begin with those that are tried without -bits.
var (
	byteStarts = []Interval{{0, 1}, {3, 4}, {-7, 4}, {5, 100}, {128, 129}, {-128, -127}, {250, 256}, {1, 2}, {100, 101}, {127, 128}, {0, 8}, {-1, 0}, {255, 256}}
	byteBounds = []int64{-128, -3, 0, 10, 127, 255, -127, 1, 100, 126, 200, 254}
)

// some returns what is to be tried of a list.
func some[T any](list []T, n int) []T {
	if exhaustive() {
		return list
	}
	return list[:n]
}

// byteTests returns no test, and every comparison with numbers of a type.
func byteTests(all Interval) []byteTest {
	tests := []byteTest{{}}
	for _, c := range comparisons {
		for _, bound := range some(byteBounds, 6) {
			if all.contains(bound) {
				tests = append(tests, byteTest{c.o, bound})
			}
		}
	}
	return tests
}

// TestInduction tries loops with every operation of two operands and every value as the other
// operand, on the right and where that differs on the left. The test is at the top, at the bottom,
// or at both.
func TestInduction(t *testing.T) {
	const width = 8
	for _, o := range provedOps[2] {
		for _, signed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%s", o, signedness(signed)), func(t *testing.T) {
				t.Parallel()
				l := byteLoop{o: o, all: integers(width, signed)}
				tests := byteTests(l.all)
				if right := operandType(o, 1, width, signed); right != l.all {
					// a shift: the parameter has the type of the left only
					byteLoopsBy(t, &l, right, tests, signed)
					return
				}
				byteLoopsBy(t, &l, l.all, tests, signed)
				if l.swapped = !o.Info().Commutative; l.swapped {
					byteLoopsBy(t, &l, l.all, tests, signed)
				}
			})
		}
	}
}

func byteLoopsBy(t *testing.T, l *byteLoop, numbers Interval, tests []byteTest, signed bool) {
	var results [256]int64
	for l.by = numbers.Low; l.by < numbers.End; l.by++ {
		for v := l.all.Low; v < l.all.End; v++ {
			x := [3]int64{v, l.by}
			if l.swapped {
				x[0], x[1] = x[1], x[0]
			}
			results[uint8(v)] = computed(l.o, 8, signed, x)
		}
		for n, first := range tests {
			for k, second := range tests {
				if n > 0 && k > 0 && (n+k+int(l.by))%64 != 0 { // both at once: a part
					continue
				}
				l.top, l.bottom = first, second
				for _, start := range some(byteStarts, 7) {
					if !start.Within(l.all) {
						continue
					}
					v := induct(start, l.bottom.keeps(l.all), l)
					body, inside := l.values(start, &results)
					if !body.Within(v) || !inside.Empty() && !inside.Within(l.top.keeps(v)) {
						t.Fatalf("%+v from %v: the parameter is said to lie in %v, and lies in %v, behind the test in %v", *l, start, v, body, inside)
					}
				}
			}
		}
	}
}

// TestInductionIsExact states what induction must find, for it is easy to be right
// by knowing nothing.
func TestInductionIsExact(t *testing.T) {
	u, s := integers(8, false), integers(8, true)
	for _, test := range []struct {
		loop        byteLoop
		start, want Interval
	}{
		{byteLoop{o: op.Add, by: 3, top: byteTest{op.Lt, 16}, all: u}, Interval{4, 5}, Interval{4, 19}},
		{byteLoop{o: op.Add, by: 1, top: byteTest{op.Lt, 255}, all: u}, Interval{0, 1}, Interval{0, 256}},
		{byteLoop{o: op.Add, by: 2, top: byteTest{op.Lt, 255}, all: u}, Interval{0, 1}, u},
		{byteLoop{o: op.Add, by: 2, bottom: byteTest{op.Lt, 9}, all: s}, Interval{2, 3}, Interval{2, 9}},
		{byteLoop{o: op.Sub, by: 1, top: byteTest{op.Ge, 0}, all: s}, Interval{7, 8}, Interval{-1, 8}},
		{byteLoop{o: op.Sub, by: 1, top: byteTest{op.Gt, 0}, all: u}, Interval{7, 8}, Interval{0, 8}},
		{byteLoop{o: op.Sub, by: 1, top: byteTest{op.Ge, 0}, all: u}, Interval{7, 8}, u},
		{byteLoop{o: op.Add, by: -2, top: byteTest{op.Gt, -5}, all: s}, Interval{7, 8}, Interval{-6, 8}},
		{byteLoop{o: op.Mul, by: 3, top: byteTest{op.Lt, 80}, all: u}, Interval{1, 2}, Interval{1, 238}},
		{byteLoop{o: op.Mul, by: 3, top: byteTest{op.Lt, 90}, all: u}, Interval{1, 2}, u},
		{byteLoop{o: op.Mul, by: 171, all: u}, Interval{3, 4}, u}, // 3 · 171 = 1 modulo 256
		{byteLoop{o: op.Shl, by: 1, top: byteTest{op.Lt, 64}, all: u}, Interval{1, 2}, Interval{1, 127}},
		{byteLoop{o: op.Shr, by: 1, all: u}, Interval{128, 129}, Interval{0, 129}},
		{byteLoop{o: op.Div, by: 2, top: byteTest{op.Gt, 0}, all: s}, Interval{64, 65}, Interval{0, 65}},
		{byteLoop{o: op.Rem, by: 10, all: u}, Interval{13, 14}, Interval{0, 14}},
		{byteLoop{o: op.And, by: 7, all: u}, Interval{100, 101}, Interval{0, 101}},
		{byteLoop{o: op.Min, by: 4, all: u}, Interval{100, 101}, Interval{4, 101}},
		{byteLoop{o: op.Max, by: 4, all: s}, Interval{-3, -2}, Interval{-3, 5}},
	} {
		if got := induct(test.start, test.loop.bottom.keeps(test.loop.all), &test.loop); got != test.want {
			t.Errorf("%+v from %v: [%d, %d), want [%d, %d)", test.loop, test.start, got.Low, got.End, test.want.Low, test.want.End)
		}
	}
}
