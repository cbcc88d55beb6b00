package analysis

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// What operations do to the lowest bits, against all numbers that few bits can hold. Their other
// side is computed, as for intervals.

// allResidues returns everything that can be known of numbers of a width.
func allResidues(width int) (list []Residue) {
	for count := range width + 1 {
		for x := range uint64(1) << count {
			list = append(list, residueOf(count, x))
		}
	}
	return list
}

// has reports whether a number has the lowest bits.
func (r Residue) has(x int64) bool { return residueOf(int(r.Count), uint64(x)) == r }

// with returns the numbers of a type that have the lowest bits.
func (r Residue) with(all Interval) (list []int64) {
	for x := all.Low; x < all.End; x++ {
		if r.has(x) {
			list = append(list, x)
		}
	}
	return list
}

// operands says how many operands an operation with a row has.
func operands(o op.Op) int {
	switch o {
	case op.Neg, op.Not, op.Abs:
		return 1
	case op.Clamp, op.Select:
		return 3
	}
	return 2
}

// computedOrChosen is computed with the two operations that are not among those of intervals.
func computedOrChosen(o op.Op, width int64, signed bool, x [3]int64) []int64 {
	switch o {
	case op.Not:
		return []int64{wrapTo(width, signed, ^x[0])}
	case op.Select:
		return []int64{x[1], x[2]}
	}
	return []int64{computed(o, width, signed, x)}
}

// looseResidues are the operations that know less than they could: of the numbers that an operand
// may be they know the lowest bits, and not the order or the sign.
var looseResidues = map[op.Op]bool{op.Div: true, op.Rem: true, op.Shl: true, op.Shr: true, op.Min: true, op.Max: true, op.Clamp: true, op.Abs: true}

// TestResidues tries all operands of four bits. The results have the lowest bits that they are said
// to have, and these are all that they have in common.
func TestResidues(t *testing.T) {
	const width = 4
	proved := 0
	for o := range op.Count {
		if residues[o] == nil {
			continue
		}
		for _, signed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%s", o, signedness(signed)), func(t *testing.T) {
				var x [3]Residue
				var try func(n int)
				try = func(n int) {
					if n < operands(o) {
						for _, x[n] = range allResidues(width) {
							if try(n + 1); t.Failed() {
								return
							}
						}
						return
					}
					proved++
					got := residues[o](width, x)
					var common, first uint64 = 1<<width - 1, 0
					some := false
					var each [3][]int64
					for k := range each {
						each[k] = []int64{0}
						if k < n && !(o == op.Select && k == 0) {
							each[k] = x[k].with(operandType(o, k, width, signed))
						}
					}
					for _, a := range each[0] {
						for _, b := range each[1] {
							for _, c := range each[2] {
								if o == op.Clamp && b > c {
									continue // which WGSL leaves open
								}
								for _, r := range computedOrChosen(o, width, signed, [3]int64{a, b, c}) {
									if !got.has(r) {
										t.Fatalf("%v of %v: %d of %d, %d, %d has not the lowest bits %v", o, x, r, a, b, c, got)
									}
									if !some {
										some, first = true, uint64(r)
									}
									common &^= uint64(r) ^ first
								}
							}
						}
					}
					if least := min(bits.TrailingZeros64(^common), width); some && !looseResidues[o] && int(got.Count) != least {
						t.Fatalf("%v of %v: %v is known, and %d bits are always the same", o, x, got, least)
					}
				}
				try(0)
			})
		}
	}
	if proved < 60_000 {
		t.Errorf("only %d operands were tried", proved)
	}
}

// TestKnownShifts holds what the table above leaves open: divisors and amounts that are known.
func TestKnownShifts(t *testing.T) {
	r := residueOf(5, 0b01100)
	for _, test := range []struct {
		o    op.Op
		by   uint64
		want Residue
	}{
		{op.Shl, 3, residueOf(8, 0b01100000)}, {op.Shl, 31, residueOf(32, 0)}, {op.Shl, 33, residueOf(6, 0b011000)},
		{op.Shr, 1, residueOf(4, 0b0110)}, {op.Shr, 7, Residue{}},
		{op.Div, 4, residueOf(3, 0b011)}, {op.Div, 1, r}, {op.Div, 8, Residue{}}, {op.Div, 0, Residue{}}, {op.Div, 3, Residue{}},
		{op.Rem, 4, residueOf(2, 0)}, {op.Rem, 24, residueOf(3, 0b100)}, {op.Rem, 3, Residue{}}, {op.Rem, 0, Residue{}}, {op.Rem, 64, r},
	} {
		if got := residues[test.o](32, [3]Residue{r, residueOf(32, test.by)}); got != test.want {
			t.Errorf("%v by %d: %v, want %v", test.o, test.by, got, test.want)
		}
	}
	if got := residues[op.Shl](32, [3]Residue{r, {}}); got != residueOf(2, 0) {
		t.Errorf("moved by an unknown amount: %v", got)
	}
	if got := residues[op.Min](32, [3]Residue{r, residueOf(32, 0b11100)}); got != residueOf(4, 0b1100) {
		t.Errorf("the lesser: %v", got)
	}
}

// TestResiduesAtFullWidth tries numbers of 32 and 64 bits in operands of which some bits are known.
func TestResiduesAtFullWidth(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	number := func(width int) uint64 {
		x := random.Uint64() << random.IntN(width)
		return x & (1<<(width-1)<<1 - 1) >> random.IntN(width)
	}
	for range 200_000 {
		width := 32 << random.IntN(2)
		a, b := number(width), number(width)
		x := [3]Residue{residueOf(random.IntN(width+1), a), residueOf(random.IntN(width+1), b)}
		for o, r := range map[op.Op]uint64{op.Add: a + b, op.Sub: a - b, op.Mul: a * b, op.And: a & b, op.Or: a | b, op.Xor: a ^ b,
			op.Neg: -a, op.Not: ^a, op.Shl: a << (b % uint64(width)), op.Shr: a >> (b % uint64(width))} {
			if got := residues[o](width, x); int(got.Count) > width || residueOf(int(got.Count), r) != got {
				t.Fatalf("%v of %v at %d bits: %#x of %#x, %#x has not the lowest bits %v", o, x[:operands(o)], width, r, a, b, got)
			}
		}
	}
}

// TestTighten proves what residues leave of intervals, on all intervals of five bits.
func TestTighten(t *testing.T) {
	for _, signed := range []bool{false, true} {
		all := integers(5, signed)
		for _, r := range allResidues(5) {
			for low := all.Low; low < all.End; low++ {
				want := Interval{}
				for high := low; high < all.End; high++ {
					if r.has(high) {
						want.add(high)
					}
					expected := want
					if want.Empty() {
						expected = Interval{low, high + 1}
					}
					if got := r.Tighten(Interval{low, high + 1}); got != expected {
						t.Fatalf("%v of [%d, %d]: [%d, %d), want [%d, %d)", r, low, high, got.Low, got.End, expected.Low, expected.End)
					}
				}
			}
		}
	}
}

// TestResiduesOfValues states what is known of the lowest bits of values, and what follows for
// their intervals and for accesses.
func TestResiduesOfValues(t *testing.T) {
	m := rangeKernel(t, `
  %fields = var : ptr<function, array<u32, 64u>>
  %four = mul %n, 4u : u32
  %odd = or %four, 1u : u32
  %mask = and %four, 4294967280u : u32
  %c = lt %n, 9u : bool
  %pick = select %c, %four, %mask : u32
  %join = if ^j %c : u32 {
    exit ^j(%odd)
  } else {
    exit ^j(9u)
  }
  %wide = convert %odd : u64
  %wider = mul %wide, 6lu : u64
  %v = splat %four : vec3<u32>
  %w = add %v, %lid : vec3<u32>
  %u = mul %lid, vec3<u32>(8u, 8u, 8u) : vec3<u32>
  %part = extract %u, 1u : u32
  %none = extract %w, 1u : u32
  %other = extract %v, 2u : u32
  %last = loop ^l(%i: u32 = 0u, %k: i32 = 5i, %free: u32 = 8u, %wrapped: u32 = 4u, %x: u32 = 12u) : u32 {
    %go = lt %i, 64u : bool
    if ^t %go {
      exit ^t()
    } else {
      exit ^l(%i)
    }
    %i3 = add %i, 3u : u32
    %p = access %fields, %i3 : ptr<function, u32>
    %next = add %i, 4u : u32
    %less = sub %k, 2i : i32
    continue ^l(%next, %less)
  } continuing(%a: u32, %b: i32) {
    %step = add %free, %n : u32
    next ^l(%a, %b, %step, %x, %wrapped)
  }
`)
	f := m.Kernels()[0]
	a := Ranges{Indices: true}
	a.Analyse(f)
	named := map[string]ir.Value{}
	for v := ir.Value(1); int(v) < f.ValueCount(); v++ {
		named[f.ValueName(v)] = v
	}
	for name, want := range map[string]Residue{
		"n": {}, "four": residueOf(2, 0), "odd": residueOf(2, 1), "mask": residueOf(4, 0), "pick": residueOf(2, 0), "join": {},
		"wide": residueOf(2, 1), "wider": residueOf(3, 6), "part": residueOf(3, 0), "none": {}, "other": residueOf(2, 0),
		"i": residueOf(2, 0), "k": residueOf(1, 1), "free": {}, "wrapped": residueOf(3, 4), "x": residueOf(3, 4), "last": {},
		"i3": residueOf(2, 3), "a": {},
	} {
		if got := a.Residue(named[name]); got != want {
			t.Errorf("%%%s: %v, want %v", name, got, want)
		}
	}
	if got := a.Of(named["i3"]); got != (Interval{3, 64}) {
		t.Errorf("%%i3 is in [%d, %d)", got.Low, got.End)
	}
	if p, _ := f.Def(named["p"]); !a.Proves(p, 0) {
		t.Error("an access by fours is not proved to be in bounds")
	}
}
