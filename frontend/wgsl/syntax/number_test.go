package syntax

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/scalar"
)

// literalOf returns the value of a literal, and whether it was accepted.
func literalOf(t *testing.T, text string) (scalar.Kind, uint64, bool) {
	t.Helper()
	tree, errors := parse(t, "const a = "+text+";")
	if len(errors) > 0 {
		return 0, 0, false
	}
	n := tree.Expr(tree.Decl(tree.Globals[0]).Init)
	if n.Kind != LiteralExpr {
		t.Fatalf("%s is no literal", text)
	}
	return n.Literal, n.Value, true
}

func TestNumbers(t *testing.T) {
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, test := range []struct {
		text string
		kind scalar.Kind
		bits uint64
	}{
		{"0", scalar.AbstractInt, 0}, {"0i", scalar.I32, 0}, {"0u", scalar.U32, 0}, {"0f", scalar.F32, 0}, {"0h", scalar.F16, 0},
		{"9223372036854775807", scalar.AbstractInt, math.MaxInt64}, {"0x7FFFFFFFFFFFFFFF", scalar.AbstractInt, math.MaxInt64},
		{"2147483647i", scalar.I32, math.MaxInt32}, {"4294967295u", scalar.U32, math.MaxUint32}, {"0XfFu", scalar.U32, 255}, {"0x1f", scalar.AbstractInt, 31},
		{"0x00000000000000000001i", scalar.I32, 1},
		{"1f", scalar.F32, f32(1)}, {"00012.", scalar.AbstractFloat, math.Float64bits(12)}, {"0.e+4f", scalar.F32, 0}, {".5E-1", scalar.AbstractFloat, math.Float64bits(.05)},
		{"01.5f", scalar.F32, f32(1.5)}, {"010e0", scalar.AbstractFloat, math.Float64bits(10)}, {"3.4028235e38f", scalar.F32, f32(math.MaxFloat32)},
		{"3.40282356e38f", scalar.F32, f32(math.MaxFloat32)}, // rounds down to the largest
		{"1e-400", scalar.AbstractFloat, 0}, {"1e-60f", scalar.F32, 0}, {"1.401298464324817e-45f", scalar.F32, 1}, {"1e-999999999999", scalar.AbstractFloat, 0},
		{"0x1p-149f", scalar.F32, 1}, {"0x1.fffffep127f", scalar.F32, f32(math.MaxFloat32)}, {"0x.3", scalar.AbstractFloat, math.Float64bits(0.1875)},
		{"0xa.fp+2", scalar.AbstractFloat, math.Float64bits(43.75)}, {"0x1P+4f", scalar.F32, f32(16)}, {"0x3.2p+2h", scalar.F16, 0x4A40}, {"0x1p-24h", scalar.F16, 1},
		{"0x1.00000000000008p0", scalar.AbstractFloat, math.Float64bits(1)}, {"0x1.00000000000018p0", scalar.AbstractFloat, math.Float64bits(1) + 2},
		{"0x1.000000000000080000000000000001p0", scalar.AbstractFloat, math.Float64bits(1) + 1}, {"0x1p-1074", scalar.AbstractFloat, 1},
		{"0x1p-1075", scalar.AbstractFloat, 0}, {"0x1.8p-1075", scalar.AbstractFloat, 1}, {"0x0p99999999999999f", scalar.F32, 0},
		{"0x1" + strings.Repeat("0", 300) + "p-1200f", scalar.F32, f32(1)},
		{"65504h", scalar.F16, 0x7BFF}, {"65519.99999999999999999999999999999999h", scalar.F16, 0x7BFF}, {"1h", scalar.F16, 0x3C00},
		// the middle of two f16 numbers, and a hair beside it
		{"1.00048828125h", scalar.F16, 0x3C00}, {"1.00048828125000000000000000000000000000001h", scalar.F16, 0x3C01},
		{"1.00146484375h", scalar.F16, 0x3C02}, {"1.00146484374999999999999999999999999999999h", scalar.F16, 0x3C01},
		{"2.98023223876953125e-8h", scalar.F16, 0}, {"0.000000029802322387695312500000000000000000000001h", scalar.F16, 1},
	} {
		kind, bits, ok := literalOf(t, test.text)
		if !ok || kind != test.kind || bits != test.bits {
			t.Errorf("%s: got %v %#x %v, want %v %#x", test.text, kind, bits, ok, test.kind, test.bits)
		}
	}
	for _, text := range []string{
		"01", "00", "01u", "01f", "0777", "08", "0123", "2147483648i", "4294967295i", "4294967296u", "9223372036854775808", "0x8000000000000000",
		"0x100000000u", "1e39f", "3.40282357e38f", "1.0e+999999999999f", "0x1.0p+999999999999f", "1.0e+999999h", "65520h", "1e400", "0x1p1024", "0x1p128f",
		"0x1p16h", "0x1.00000001p0f", "0x1.001p0h", "0x1p-150f", "0x1p-25h", "0x1.8p-149f", "0x1.fh", "0x3h", "0x.p2", "0x1p", "0x1p^", "0x", "0xg",
		"1.e&2f", "1.ef", "1.e+f", "1.1eh", "1e", "1e+", ".f", ".e-2", "1_0", "1u2", "1uu", "1.0i", "1.0u", "1L", "1ll", "0b1", "0o7", "1é", "1.x", "1.0.0",
		"0x1.00000001pf0", "1.1e!2h", "0xf.h",
	} {
		if kind, bits, ok := literalOf(t, text); ok {
			t.Errorf("%s is accepted as %v %#x", text, kind, bits)
		}
	}
}

// TestHalfRounding compares decimal f16 literals near the midpoint of two numbers with exact
// arithmetic.
func TestHalfRounding(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 3000 {
		lower := uint16(random.Intn(0x7BFF))
		a, b := scalar.HalfToFloat64(lower), scalar.HalfToFloat64(lower+1)
		x := new(big.Rat).SetFloat64((a + b) / 2)
		offset := int64(random.Intn(3) - 1)
		tiny := new(big.Rat).SetFrac(big.NewInt(offset), new(big.Int).Exp(big.NewInt(10), big.NewInt(50), nil))
		x.Add(x, tiny)
		text := x.FloatString(60) + "h"
		if random.Intn(2) == 0 { // with an exponent
			text = new(big.Rat).Mul(x, big.NewRat(100000, 1)).FloatString(60) + "e-5h"
		}
		want := lower
		if offset > 0 || offset == 0 && lower&1 == 1 {
			want++
		}
		if _, bits, ok := literalOf(t, text); !ok || bits != uint64(want) {
			t.Fatalf("%s: got %#x, want %#x", text, bits, want)
		}
	}
}

// TestHexadecimal compares hexadecimal literals with strconv, given decimal text of the same value.
func TestHexadecimal(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	for range 3000 {
		x := math.Float64frombits(random.Uint64() &^ (1 << 63))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		if _, bits, ok := literalOf(t, fmt.Sprintf("%x", x)); !ok || bits != math.Float64bits(x) {
			t.Fatalf("%x: got %#x", x, bits)
		}
		y := float32(math.Float32frombits(random.Uint32() &^ (1 << 31)))
		if y != y || math.IsInf(float64(y), 0) {
			continue
		}
		if _, bits, ok := literalOf(t, fmt.Sprintf("%xf", y)); !ok || bits != uint64(math.Float32bits(y)) {
			t.Fatalf("%x: got %#x", y, bits)
		}
	}
}

// TestIdentifierCodePoints tests the hand-written exceptions of XID, and samples of the categories.
func TestIdentifierCodePoints(t *testing.T) {
	for _, test := range []struct {
		r                    rune
		starts, continuesToo bool
	}{
		{'é', true, true}, {'朝', true, true}, {'ⅷ', true, true}, {0x2118, true, true}, {0x10C00, true, true},
		{0x0301, false, true}, {0x0663, false, true}, {0x203F, false, true}, {0x00B7, false, true}, {0x19DA, false, true},
		{0x037A, false, false}, {0x0E33, false, true}, {0x0EB3, false, true}, {0x309B, false, false}, {0xFC5E, false, false}, {0xFDFB, false, false},
		{0xFE70, false, false}, {0xFE71, true, true}, {0xFE7E, false, false}, {0xFF9E, false, true}, {0x2E2F, false, false},
		{'×', false, false}, {'☃', false, false}, {0x200D, false, false}, {0xA0, false, false}, {0xFEFF, false, false}, {0x1F600, false, false},
	} {
		if isStart(test.r) != test.starts || isContinue(test.r) != test.continuesToo {
			t.Errorf("U+%04X: start %v, continue %v", test.r, isStart(test.r), isContinue(test.r))
		}
	}
}

// TestNames interns more names than the initial table holds.
func TestNames(t *testing.T) {
	var n names
	n.init(NewVocabulary([]string{"a", "b"}))
	for round := range 2 {
		n.reset()
		first := n.intern("name0", hashOf("name0"))
		for i := range 5000 {
			text := fmt.Sprint("name", i)
			if s := n.intern(text, hashOf(text)); s != first+Symbol(i) || n.texts[s] != text {
				t.Fatalf("round %d: %s has symbol %d", round, text, s)
			}
		}
		for i := range 5000 {
			if s, ok := n.lookup(fmt.Sprint("name", i)); !ok || s != first+Symbol(i) {
				t.Fatalf("round %d: name%d is found as %d", round, i, s)
			}
		}
		if s, ok := n.lookup("b"); !ok || s != 2 {
			t.Errorf("b is found as %d", s)
		}
		if _, ok := n.lookup("absent"); ok {
			t.Error("an absent name is found")
		}
	}
}
