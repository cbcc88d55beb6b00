package vector

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// special are bits on which operations go different ways: of f32, of integers of 32 bits, of f64
// and of those of 64.
var special = []uint64{0, 1, 2, 31, 32, 33, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0x7C00, 0x7C01, 0x7E00, 0xFC00, 0xFE01, 0x03FF, 0x3C00,
	0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF,
	0x007FFFFF, 0x00800000, 0x807FFFFF, 0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x3FC00000, 0x40200000, 0x7F7FFFFF, 0xFF7FFFFF,
	0x4EFFFFFF, 0x4F000000, 0xCF000000, 0xCF000001, 0x4F7FFFFF, 0x4F800000, 0x4B000001, 0xB3000000, 0x33800001, 0x477FE000, 0x477FF000,
	0x33000000, 0x33000001, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001,
	0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FE0000000000000, 0x000FFFFFFFFFFFFF,
	0x41E0000000000000, 0x43E0000000000000, 0x7FEFFFFFFFFFFFFF, 0x36A0000000000000, 0x369FFFFFFFFFFFFF, 0x47EFFFFFF0000000}

// values returns many operands of a kind: every pair of special ones, and random ones.
func values(kind scalar.Kind, which int) []uint64 {
	random := rand.New(rand.NewPCG(uint64(kind), uint64(which)))
	var list []uint64
	pick := func(bits uint64) {
		list = append(list, bits&kind.Mask())
	}
	for n := range special {
		for m := range special {
			switch which {
			case 0:
				pick(special[n])
			case 1:
				pick(special[m])
			default:
				pick(special[(n+m)%len(special)])
			}
		}
	}
	for range 4096 {
		bits := random.Uint64()
		switch random.IntN(3) {
		case 0:
			bits >>= random.IntN(64)
		case 1: // exponents that are close to each other
			bits = bits&^(0x7F800000|0x7FF<<52) | uint64(120+random.IntN(16))<<23 | uint64(1016+random.IntN(16))<<52
		}
		pick(bits)
	}
	for len(list)%8 != 0 {
		pick(0)
	}
	return list
}

// column returns storage as a column has it, and stored what a column holds.
func column(kind scalar.Kind, list []uint64) unsafe.Pointer {
	if wideKind(kind) {
		c := make([]uint64, len(list))
		copy(c, list)
		return unsafe.Pointer(&c[0])
	}
	c := make([]uint32, len(list))
	for n, bits := range list {
		if c[n] = uint32(bits); kind == scalar.Bool {
			c[n] = -c[n]
		}
	}
	return unsafe.Pointer(&c[0])
}

func stored(kind scalar.Kind, column unsafe.Pointer, n int) uint64 {
	if wideKind(kind) {
		return *(*uint64)(unsafe.Add(column, 8*n))
	}
	bits := *(*uint32)(unsafe.Add(column, 4*n))
	if kind == scalar.Bool && bits == 0xFFFFFFFF {
		return 1
	}
	return uint64(bits)
}

func wideKind(k scalar.Kind) bool { return k.Bits() == 64 }

// resultOf returns the kind of an operation's result.
func resultOf(r *row) scalar.Kind {
	switch r.op {
	case op.Convert:
		return r.to
	case op.Eq, op.Ne, op.Lt, op.Le, op.Gt, op.Ge:
		return scalar.Bool
	}
	return r.kind
}

// TestPrimitives compares all primitives with package eval.
func TestPrimitives(t *testing.T) {
	here := primitives()
	for _, r := range rows {
		kinds := [3]scalar.Kind{r.kind, r.kind, r.kind}
		meaning := eval.For(r.op, r.kind)
		if r.then != op.Invalid {
			first, then := meaning, eval.For(r.then, r.kind)
			meaning = func(a, b, c, _ uint64) uint64 { return then(first(a, b, 0, 0), c, 0, 0) }
		}
		switch r.op {
		case op.Convert:
			convert := eval.Convert(r.to, r.kind)
			meaning = func(a, _, _, _ uint64) uint64 { return convert(a) }
		case op.Select:
			kinds[0] = scalar.Bool
		case op.Shl, op.Shr:
			kinds[1] = scalar.U32
		}
		var lists [3][]uint64
		var columns [3]unsafe.Pointer
		for k := range lists {
			lists[k] = values(kinds[k], k)
			columns[k] = column(kinds[k], lists[k])
		}
		result := resultOf(&r)
		lanes := len(lists[0])
		room := make([]uint64, lanes+8)
		to := unsafe.Pointer(&room[0])
		{
			check := func(form string, lane, at int, a, b, c uint64) {
				if got, want := stored(result, to, at), meaning(a, b, c, 0); got != want {
					t.Fatalf("%s of %s to %s, %s: lane %d: of %#x, %#x, %#x it is %#x, expected %#x", r.op, r.kind, r.to, form, lane, a, b, c, got, want)
				}
			}
			here[r.first](lanes, to, columns[0], columns[1], columns[2])
			for n := range lanes {
				check("of columns", n, n, lists[0][n], lists[1][n], lists[2][n])
			}
			if r.operands == 1 {
				continue
			}
			size := func(k int) int {
				if r.wide[k] {
					return 8
				}
				return 4
			}
			for n := range lanes / 8 {
				first := n &^ 7
				here[r.first+withUniform](8, to, unsafe.Add(columns[0], first*size(0)), unsafe.Add(columns[1], n*size(1)), unsafe.Add(columns[2], first*size(2)))
				for k := range 8 {
					check("with one value", first+k, k, lists[0][first+k], lists[1][n], lists[2][first+k])
				}
				if r.operands == 3 {
					here[r.first+withUniforms](8, to, unsafe.Add(columns[0], first*size(0)), unsafe.Add(columns[1], n*size(1)), unsafe.Add(columns[2], n*size(2)))
					for k := range 8 {
						check("with two values", first+k, k, lists[0][first+k], lists[1][n], lists[2][n])
					}
					continue
				}
				here[r.first+ofUniform](8, to, unsafe.Add(columns[0], n*size(0)), unsafe.Add(columns[1], first*size(1)), nil)
				for k := range 8 {
					check("of one value", first+k, k, lists[0][n], lists[1][first+k], 0)
				}
			}
		}
	}
}

// TestRoom: primitives write the lanes of a column up to a multiple of eight, and nothing else.
// They give the same result when they write to an operand that is as wide as the result.
func TestRoom(t *testing.T) {
	const marks, most = 4, 40
	here := primitives()
	for _, r := range rows {
		size := map[bool]int{false: 4, true: 8}
		operands := make([][]uint64, 3)
		for n := range operands {
			operands[n] = values(r.kind, n)[:most]
		}
		columns := func() (list [3]unsafe.Pointer) {
			for n := range list {
				kind := scalar.U32
				if r.wide[n] {
					kind = scalar.U64
				}
				list[n] = column(kind, operands[n])
			}
			return list
		}
		for form := range uint16(map[uint8]int{1: 1, 2: 3, 3: 3}[r.operands]) {
			for lanes := 1; lanes <= most-8; lanes++ {
				in := columns()
				room := make([]uint64, most+marks)
				for n := range room {
					room[n] = 0xA5A5A5A5A5A5A5A5
				}
				here[r.first+form](lanes, unsafe.Pointer(&room[0]), in[0], in[1], in[2])
				bytes := unsafe.Slice((*byte)(unsafe.Pointer(&room[0])), 8*len(room))
				for n, b := range bytes[(lanes+7)&^7*size[r.wideResult]:] {
					if b != 0xA5 {
						t.Fatalf("%s of %s, form %d, of %d lanes: byte %d behind them is written", r.op, r.kind, form, lanes, n)
					}
				}
				for n := range int(r.operands) {
					if r.wide[n] != r.wideResult || form == withUniform && n == 1 || r.operands == 2 && form == ofUniform && n == 0 || r.operands == 3 && form == withUniforms && n > 0 {
						continue
					}
					in := columns()
					here[r.first+form](lanes, in[n], in[0], in[1], in[2])
					for k := range lanes * size[r.wideResult] {
						if got := *(*byte)(unsafe.Add(in[n], k)); got != bytes[k] {
							t.Fatalf("%s of %s, form %d, of %d lanes: byte %d is another one where operand %d", r.op, r.kind, form, lanes, k, n)
						}
					}
				}
			}
		}
	}
}

// TestRows checks that operations are found under their kinds.
func TestRows(t *testing.T) {
	for n, r := range rows {
		if r.then != op.Invalid {
			continue
		}
		if rowOf(r.op, r.kind, r.to) != &rows[n] {
			t.Errorf("%s of %s to %s is not found, or twice in the table", r.op, r.kind, r.to)
		}
	}
	for _, k := range [...][2]scalar.Kind{{scalar.I32, scalar.I64}, {scalar.U32, scalar.I64}, {scalar.I64, scalar.I32}, {scalar.Bool, scalar.I32}, {scalar.I32, scalar.Bool}} {
		r := rowOf(op.Convert, k[0], k[1])
		if r == nil {
			t.Errorf("%s to %s is not found", k[0], k[1])
			continue
		}
		for _, bits := range [...]uint64{0, 1, 0x80000000, 0x7FFFFFFF} {
			if bits &= k[0].Mask(); eval.Convert(k[1], k[0])(bits) != eval.Convert(r.to, r.kind)(bits) {
				t.Errorf("%s to %s is taken for %s to %s", k[0], k[1], r.kind, r.to)
			}
		}
	}
}
