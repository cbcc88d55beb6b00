package analysis

import (
	"cmp"
	"flag"
	"fmt"
	"math/bits"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// What operations and comparisons do to intervals, against all numbers that few
// bits can hold. The functions are those that run at 32 bits: they get the type
// as its values. Their other side here is WGSL's integer arithmetic (§8.7, §8.8,
// §17.5) on int64, written by hand.

// pairBits is how many bits the values have of whose intervals all pairs are tried.
// With more than the default, the other tests of intervals try everything too.
var pairBits = flag.Int64("bits", defaultBits, "prove ranges on all pairs of intervals of so many bits: 7 take two minutes, 8 half an hour")

const defaultBits = 5

func exhaustive() bool { return *pairBits > defaultBits }

// integers returns all values of an integer type.
func integers(width int64, signed bool) Interval {
	if signed {
		return Interval{-1 << (width - 1), 1 << (width - 1)}
	}
	return Interval{0, 1 << width}
}

func signedness(signed bool) string {
	if signed {
		return "signed"
	}
	return "unsigned"
}

// wrapTo returns the value of a type that has the lowest bits of x.
func wrapTo(width int64, signed bool, x int64) int64 {
	x &= 1<<width - 1
	if signed && x>>(width-1) == 1 {
		x -= 1 << width
	}
	return x
}

// computed is what an operation gives for operands of an integer type; shift
// amounts, offsets and counts have no sign.
func computed(o op.Op, width int64, signed bool, x [3]int64) int64 {
	a, b := x[0], x[1]
	pattern := uint64(a) & (1<<width - 1)
	wrap := func(v int64) int64 { return wrapTo(width, signed, v) }
	switch o {
	case op.Neg:
		return wrap(-a)
	case op.Abs:
		return wrap(max(a, -a))
	case op.Sign:
		return int64(cmp.Compare(a, 0))
	case op.Add:
		return wrap(a + b)
	case op.Sub:
		return wrap(a - b)
	case op.Mul:
		return wrap(int64(uint64(a) * uint64(b))) // whose lowest bits are right even if it wraps
	case op.Div:
		if b == 0 {
			return a
		}
		return wrap(a / b)
	case op.Rem:
		if b == 0 {
			return 0
		}
		return a % b
	case op.Min:
		return min(a, b)
	case op.Max:
		return max(a, b)
	case op.Clamp:
		return min(max(a, b), x[2])
	case op.And:
		return a & b
	case op.Or:
		return a | b
	case op.Xor:
		return a ^ b
	case op.Shl:
		return wrap(int64(uint64(a) << (b % width)))
	case op.Shr:
		return a >> (b % width)
	case op.CountOneBits:
		return int64(bits.OnesCount64(pattern))
	case op.CountLeadingZeros:
		return width - int64(bits.Len64(pattern))
	case op.CountTrailingZeros:
		return min(width, int64(bits.TrailingZeros64(pattern)))
	case op.FirstTrailingBit:
		return wrap(int64(bits.Len64(pattern&-pattern)) - 1)
	case op.FirstLeadingBit:
		if a < 0 { // the highest bit that is 0
			pattern ^= 1<<width - 1
		}
		return wrap(int64(bits.Len64(pattern)) - 1)
	case op.ExtractBits:
		offset := min(b, width)
		count := min(x[2], width-offset)
		if count == 0 {
			return 0
		}
		return wrapTo(count, signed, int64(pattern>>offset))
	}
	panic(fmt.Sprintf("%s has no definition here", o))
}

// provedOps are the operations on integers of one type whose transfer is proved,
// by their number of operands. The other rows of the table are tested one by one.
var provedOps = [...][]op.Op{
	1: {op.Neg, op.Abs, op.Sign, op.CountOneBits, op.CountLeadingZeros, op.CountTrailingZeros, op.FirstLeadingBit, op.FirstTrailingBit},
	2: {op.Add, op.Sub, op.Mul, op.Div, op.Rem, op.Min, op.Max, op.And, op.Or, op.Xor, op.Shl, op.Shr},
	3: {op.Clamp, op.ExtractBits},
}

// operandType returns the values of an operand's type.
func operandType(o op.Op, n int, width int64, signed bool) Interval {
	if n > 0 && (o == op.Shl || o == op.Shr || o == op.ExtractBits) {
		signed = false
	}
	return integers(width, signed)
}

// TestTransfersAreProved holds the list above against the table.
func TestTransfersAreProved(t *testing.T) {
	proved := map[op.Op]bool{op.Select: true, op.Dot4U8: true, op.Dot4I8: true}
	for _, ops := range provedOps {
		for _, o := range ops {
			proved[o] = true
		}
	}
	for o := range op.Count {
		if (transfers[o] != nil) != proved[o] {
			t.Errorf("%s has a transfer: %v, a proof: %v", o, transfers[o] != nil, proved[o])
		}
	}
}

// prover compares the interval of an operation's results with the least one.
type prover struct {
	t      *testing.T
	o      op.Op
	all    Interval
	signed bool
	tried  int
	failed int
}

// check says what the operation does to operands whose results are exactly these
// at their least and greatest.
func (p *prover) check(x [3]Interval, results Interval) {
	p.tried++
	got := transfers[p.o](p.all, x).orWrapped(p.all)
	if results.Within(got) && (got == results || !isExact(p.o, p.all, x)) {
		return
	}
	if p.failed++; p.failed < 10 {
		p.t.Errorf("%s of %v, %d bits, %s: [%d, %d), where results are from [%d, %d)", p.o, x[:op.SignatureOf(p.o).Count], p.all.width(),
			signedness(p.signed), got.Low, got.End, results.Low, results.End)
	}
}

// isExact reports whether an interval must be the least one: soundness must not be
// had by knowing nothing.
func isExact(o op.Op, all Interval, x [3]Interval) bool {
	a, b := x[0], x[1]
	// fits reports whether numbers are of the type, so that nothing wraps
	fits := func(list ...int64) bool {
		for _, v := range list {
			if !all.contains(v) {
				return false
			}
		}
		return true
	}
	switch o {
	case op.Min, op.Max, op.Clamp, op.Sign:
		return true
	case op.Neg, op.Abs:
		return fits(-a.Low, -a.high()) || o == op.Abs && a.Low >= 0
	case op.Add:
		return fits(a.Low+b.Low, a.high()+b.high())
	case op.Sub:
		return fits(a.Low-b.high(), a.high()-b.Low)
	case op.Mul:
		return fits(a.Low*b.Low, a.Low*b.high(), a.high()*b.Low, a.high()*b.high())
	case op.Shl:
		return b.high() < all.width() && fits(a.Low<<b.Low, a.Low<<b.high(), a.high()<<b.Low, a.high()<<b.high())
	case op.Shr:
		return b.high() < all.width()
	case op.Div:
		return b.Low >= 0
	case op.Rem: // by one number, of all below it or more
		return b.Low > 0 && b.Low == b.high() && a.Low >= 0 && a.End-a.Low >= b.Low && (a.Low == 0 || a.high() >= 2*b.Low)
	case op.And: // with a mask of adjacent bits, from the lowest or up to the highest
		mask := b.Low
		return a.Low == 0 && mask > 0 && mask == b.high() && bits.OnesCount64(uint64(mask+mask&-mask)) == 1 && (mask&1 == 1 || mask|(mask&-mask-1) >= a.high())
	case op.ExtractBits:
		return !all.isSigned() && a == all && b.contains(0) && x[2].high() < all.width()
	}
	return false
}

func (v *Interval) add(x int64) { *v = v.join(single(x)) }

// one tries all intervals of an operation's operand.
func (p *prover) one(width int64) {
	for low := p.all.Low; low < p.all.End; low++ {
		results := Interval{}
		for high := low; high < p.all.End; high++ {
			results.add(computed(p.o, width, p.signed, [3]int64{high}))
			p.check([3]Interval{{low, high + 1}}, results)
		}
	}
}

// two tries all pairs of intervals. The results for one interval on the left are
// kept by the value on the right, and grow with the interval.
func (p *prover) two(width int64) {
	right := operandType(p.o, 1, width, p.signed)
	results := make([]Interval, right.End-right.Low)
	for low := p.all.Low; low < p.all.End; low++ {
		clear(results)
		for high := low; high < p.all.End; high++ {
			for n := range results {
				results[n].add(computed(p.o, width, p.signed, [3]int64{high, right.Low + int64(n)}))
			}
			for from := range results {
				all := Interval{}
				for to := from; to < len(results); to++ {
					all = all.join(results[to])
					p.check([3]Interval{{low, high + 1}, {right.Low + int64(from), right.Low + int64(to) + 1}}, all)
				}
			}
		}
	}
}

// three tries all intervals of three operands.
func (p *prover) three(width int64) {
	right := operandType(p.o, 1, width, p.signed)
	n := int(right.End - right.Low)
	results, both := make([]Interval, n*n), make([]Interval, n)
	part := func(from, to int) Interval { return Interval{right.Low + int64(from), right.Low + int64(to) + 1} }
	for low := p.all.Low; low < p.all.End; low++ {
		clear(results)
		for high := low; high < p.all.End; high++ {
			for k := range results {
				results[k].add(computed(p.o, width, p.signed, [3]int64{high, right.Low + int64(k/n), right.Low + int64(k%n)}))
			}
			for from := range n {
				clear(both)
				for to := from; to < n; to++ {
					for k := range both {
						both[k] = both[k].join(results[to*n+k])
					}
					for first := range n {
						all := Interval{}
						for last := first; last < n; last++ {
							all = all.join(both[last])
							p.check([3]Interval{{low, high + 1}, part(from, to), part(first, last)}, all)
						}
					}
				}
			}
		}
	}
}

// TestTransfers proves every transfer on all intervals of operands: of one operand
// at 8 bits, of two at 5 or -bits, of three at 3 and 4.
func TestTransfers(t *testing.T) {
	run := func(count int, widths ...int64) {
		for _, o := range provedOps[count] {
			for _, signed := range []bool{false, true} {
				if !signed && (o == op.Neg || o == op.Sign) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s", o, signedness(signed)), func(t *testing.T) {
					t.Parallel()
					for _, width := range widths {
						p := prover{t: t, o: o, all: integers(width, signed), signed: signed}
						switch count {
						case 1:
							p.one(width)
						case 2:
							p.two(width)
						case 3:
							p.three(width)
						}
						n := p.all.End * (p.all.End + 1) / 2 // intervals, if there is no sign
						if want := [...]int64{1: n, 2: n * n, 3: n * n * n}[count]; !signed && int64(p.tried) != want {
							t.Errorf("%d of %d operands were tried at %d bits", p.tried, want, width)
						}
						if p.failed > 0 {
							t.Errorf("%d of %d are wrong at %d bits", p.failed, p.tried, width)
						}
					}
				})
			}
		}
	}
	run(1, 5, 8)
	run(2, 3, *pairBits)
	run(3, 3, 4)
}

// edges32 are the numbers around which 32-bit arithmetic changes, as patterns,
// with factors that lead from small numbers to small numbers around 2^32.
var edges32 = []uint32{0, 1, 2, 3, 7, 31, 32, 255, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1 << 30, 1<<31 - 2, 1<<31 - 1,
	1 << 31, 1<<31 + 1, 0xAAAAAAAE, 0xC0000001, 0xFFFF0000, 1<<32 - 32, 1<<32 - 3, 1<<32 - 2, 1<<32 - 1}

// TestTransfersAt32Bits looks at what few bits do not show: numbers that leave
// int64. Of each pair of intervals between edges, products and all else of the
// values at the edges inside must be in the result.
func TestTransfersAt32Bits(t *testing.T) {
	for _, o := range provedOps[2] {
		for _, signed := range []bool{false, true} {
			all := integers(32, signed)
			left, right := numbers32(signed), numbers32(operandType(o, 1, 32, signed).isSigned())
			for a := range left {
				for b := a; b < len(left); b++ {
					for c := range right {
						for d := c; d < len(right); d++ {
							x := [3]Interval{{left[a], left[b] + 1}, {right[c], right[d] + 1}}
							got := transfers[o](all, x).orWrapped(all)
							for _, at := range [...][2]int{{a, c}, {a, d}, {b, c}, {b, d}, {(a + b) / 2, (c + d) / 2}, {(a + b + 1) / 2, c}, {a, (c + d + 1) / 2}} {
								if r := computed(o, 32, signed, [3]int64{left[at[0]], right[at[1]]}); !got.contains(r) {
									t.Fatalf("%s of %v, %s: [%d, %d) lacks %d %s %d = %d", o, x[:2], signedness(signed), got.Low, got.End, left[at[0]], o, right[at[1]], r)
								}
							}
						}
					}
				}
			}
		}
	}
}

// numbers32 returns the edges as numbers, in order.
func numbers32(signed bool) []int64 {
	var list []int64
	for _, e := range edges32 {
		if signed && e>>31 == 1 {
			list = append(list, int64(int32(e)))
		}
	}
	for _, e := range edges32 {
		if !signed || e>>31 == 0 {
			list = append(list, int64(e))
		}
	}
	return list
}

// TestOtherTransfers is about the rows that are not operations on numbers of one
// type.
func TestOtherTransfers(t *testing.T) {
	all := integers(8, true)
	if got := transfers[op.Select](all, [3]Interval{{}, {-3, 2}, {5, 6}}); got != (Interval{-3, 6}) {
		t.Errorf("a choice is in [%d, %d), want [-3, 6)", got.Low, got.End)
	}
	for _, test := range []struct {
		o         op.Op
		low, high int64 // four products of bytes at their least and greatest
	}{
		{op.Dot4U8, 0, 4 * (255 * 255)},
		{op.Dot4I8, 4 * (-128 * 127), 4 * (-128 * -128)},
	} {
		if got := transfers[test.o](integers(32, test.low < 0), [3]Interval{}); got != (Interval{test.low, test.high + 1}) {
			t.Errorf("%s is in [%d, %d), want [%d, %d]", test.o, got.Low, got.End, test.low, test.high)
		}
	}
}

// TestConversions tries all intervals of both 32-bit types between edges.
func TestConversions(t *testing.T) {
	for _, signed := range []bool{false, true} {
		types := map[bool]ir.Type{false: ir.U32, true: ir.I32}
		from, to := types[signed], types[!signed]
		list := numbers32(signed)
		for a := range list {
			for b := a; b < len(list); b++ {
				x := Interval{list[a], list[b] + 1}
				got := converted(to, from, x)
				for _, v := range list[a : b+1] {
					if r := wrapTo(32, !signed, v); !got.contains(r) {
						t.Fatalf("%v without its sign changed is [%d, %d), which lacks %d", x, got.Low, got.End, r)
					}
				}
				if x.Within(Interval{0, 1 << 31}) && got != x {
					t.Fatalf("%v becomes [%d, %d)", x, got.Low, got.End)
				}
			}
		}
	}
}

// comparisons are the comparing operations and what they mean.
var comparisons = []struct {
	o     op.Op
	holds func(x, y int64) bool
}{
	{op.Lt, func(x, y int64) bool { return x < y }},
	{op.Le, func(x, y int64) bool { return x <= y }},
	{op.Gt, func(x, y int64) bool { return x > y }},
	{op.Ge, func(x, y int64) bool { return x >= y }},
	{op.Eq, func(x, y int64) bool { return x == y }},
	{op.Ne, func(x, y int64) bool { return x != y }},
}

// TestCompared tries all pairs of intervals of 5 bits or -bits. A comparison leaves the smallest
// interval of the values that compare so, and everything if there are none.
func TestCompared(t *testing.T) {
	width := *pairBits
	for _, c := range comparisons {
		for _, signed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%s", c.o, signedness(signed)), func(t *testing.T) {
				t.Parallel()
				all := integers(width, signed)
				// by x, whether it compares so with some value of y
				some := make([]bool, all.End-all.Low)
				for low := all.Low; low < all.End; low++ {
					clear(some)
					for high := low; high < all.End; high++ {
						for n := range some {
							some[n] = some[n] || c.holds(all.Low+int64(n), high)
						}
						for from := range some {
							kept := Interval{}
							for to := from; to < len(some); to++ {
								if some[to] {
									kept.add(all.Low + int64(to))
								}
								x := Interval{all.Low + int64(from), all.Low + int64(to) + 1}
								want := kept
								if kept.Empty() {
									want = x
								}
								if got := Compared(c.o, x, Interval{low, high + 1}); got != want {
									t.Fatalf("%v %s %v leaves [%d, %d), want [%d, %d)", x, c.o, Interval{low, high + 1}, got.Low, got.End, want.Low, want.End)
								}
							}
						}
					}
				}
			})
		}
	}
}

// TestOrderOfComparisons ties the exchanged and the negated comparison to what
// comparing means.
func TestOrderOfComparisons(t *testing.T) {
	holds := map[op.Op]func(x, y int64) bool{}
	for _, c := range comparisons {
		holds[c.o] = c.holds
	}
	for _, c := range comparisons {
		for x := range int64(4) {
			for y := range int64(4) {
				if holds[Mirrored[c.o]](y, x) != c.holds(x, y) || holds[Negated[c.o]](x, y) == c.holds(x, y) {
					t.Errorf("%d %s %d", x, c.o, y)
				}
			}
		}
	}
}
