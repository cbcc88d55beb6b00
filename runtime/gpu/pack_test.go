package gpu

import (
	"math"
	"testing"

	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
)

// This file holds the functions of pack.go, as plain Go, against what the compiler takes the
// operations for.

// numbers are floats at which packing rounds, clamps or gives up.
var numbers = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, 1.0 / 255, 0.5 / 255, 1.5 / 127, -0.5 / 127, 2.5 / 65535, -1.5 / 32767,
	0.999, 1.001, -1.001, 65504, 65519.996, 65520, -70000, 1e-8, 5.9604645e-8, 3e-5, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0.1, -0.3,
}

// integers are words of which packing keeps a part.
var integers = []int32{0, 1, -1, 127, 128, -128, -129, 255, 256, math.MaxInt32, math.MinInt32, 0x12345678, -0x12345678}

func bitsOf(v ...float32) (list []uint64) {
	for _, x := range v {
		list = append(list, uint64(math.Float32bits(x)))
	}
	return list
}

func TestPack(t *testing.T) {
	check := func(o op.Op, got uint32, components []uint64) {
		t.Helper()
		if want := uint32(eval.Pack(o, components)); got != want {
			t.Errorf("%v of %x: got %#x, want %#x", o, components, got, want)
		}
	}
	for n := range numbers {
		at := func(k int) float32 { return numbers[(n+k)%len(numbers)] }
		four, two := V4(at(0), at(1), at(5), at(11)), V2(at(0), at(7))
		check(op.Pack4x8Snorm, Pack4x8Snorm(four), bitsOf(four.X, four.Y, four.Z, four.W))
		check(op.Pack4x8Unorm, Pack4x8Unorm(four), bitsOf(four.X, four.Y, four.Z, four.W))
		check(op.Pack2x16Snorm, Pack2x16Snorm(two), bitsOf(two.X, two.Y))
		check(op.Pack2x16Unorm, Pack2x16Unorm(two), bitsOf(two.X, two.Y))
		check(op.Pack2x16Float, Pack2x16Float(two), bitsOf(two.X, two.Y))
	}
	for n := range integers {
		at := func(k int) int32 { return integers[(n+k)%len(integers)] }
		i := V4(at(0), at(1), at(3), at(7))
		u := V4(uint32(i.X), uint32(i.Y), uint32(i.Z), uint32(i.W))
		components := []uint64{uint64(u.X), uint64(u.Y), uint64(u.Z), uint64(u.W)}
		check(op.Pack4xI8, Pack4xI8(i), components)
		check(op.Pack4xU8, Pack4xU8(u), components)
		check(op.Pack4xI8Clamp, Pack4xI8Clamp(i), components)
		check(op.Pack4xU8Clamp, Pack4xU8Clamp(u), components)
	}
}

func TestUnpack(t *testing.T) {
	same := func(got float32, want uint64) bool {
		return math.Float32bits(got) == uint32(want) || got != got && math.Float32frombits(uint32(want)) != math.Float32frombits(uint32(want))
	}
	for high := range uint32(256) {
		for low := range uint32(256) { // all halfwords, and all bytes in all positions
			w := high<<24 | low<<16 | low<<8 | high
			var four [4]uint64
			eval.Unpack(op.Unpack4x8Snorm, uint64(w), four[:])
			if v := Unpack4x8Snorm(w); !same(v.X, four[0]) || !same(v.Y, four[1]) || !same(v.Z, four[2]) || !same(v.W, four[3]) {
				t.Fatalf("Unpack4x8Snorm of %#x is %v", w, v)
			}
			eval.Unpack(op.Unpack4x8Unorm, uint64(w), four[:])
			if v := Unpack4x8Unorm(w); !same(v.X, four[0]) || !same(v.Y, four[1]) || !same(v.Z, four[2]) || !same(v.W, four[3]) {
				t.Fatalf("Unpack4x8Unorm of %#x is %v", w, v)
			}
			eval.Unpack(op.Unpack4xI8, uint64(w), four[:])
			if v := Unpack4xI8(w); v != V4(int32(four[0]), int32(four[1]), int32(four[2]), int32(four[3])) {
				t.Fatalf("Unpack4xI8 of %#x is %v", w, v)
			}
			eval.Unpack(op.Unpack4xU8, uint64(w), four[:])
			if v := Unpack4xU8(w); v != V4(uint32(four[0]), uint32(four[1]), uint32(four[2]), uint32(four[3])) {
				t.Fatalf("Unpack4xU8 of %#x is %v", w, v)
			}
			for o, v := range map[op.Op]Vec2f{
				op.Unpack2x16Snorm: Unpack2x16Snorm(w), op.Unpack2x16Unorm: Unpack2x16Unorm(w), op.Unpack2x16Float: Unpack2x16Float(w),
			} {
				eval.Unpack(o, uint64(w), four[:2])
				if !same(v.X, four[0]) || !same(v.Y, four[1]) {
					t.Fatalf("%v of %#x is %v", o, w, v)
				}
			}
		}
	}
}

func TestBits(t *testing.T) {
	for _, x := range integers {
		for _, y := range integers {
			a, b := uint64(uint32(x)), uint64(uint32(y))
			if got, want := Dot4I8(uint32(x), uint32(y)), int32(eval.Dot4I8(a, b)); got != want {
				t.Errorf("Dot4I8 of %#x and %#x: got %d, want %d", a, b, got, want)
			}
			if got, want := Dot4U8(uint32(x), uint32(y)), uint32(eval.Dot4U8(a, b)); got != want {
				t.Errorf("Dot4U8 of %#x and %#x: got %d, want %d", a, b, got, want)
			}
		}
		for offset := range uint32(40) {
			for count := range uint32(40) {
				signed, unsigned := int32(0), uint32(0)
				for n := range count { // bit by bit, as far as there are any
					if offset+n < 32 {
						unsigned |= uint32(x) >> (offset + n) & 1 << n
						if signed = int32(unsigned); uint32(x)>>(offset+n)&1 == 1 {
							signed |= -1 << n
						}
					}
				}
				if got := ExtractBits(x, offset, count); got != signed {
					t.Errorf("ExtractBits(%#x, %d, %d): got %d, want %d", x, offset, count, got, signed)
				}
				if got := ExtractBits(uint32(x), offset, count); got != unsigned {
					t.Errorf("ExtractBits(%#x, %d, %d) without a sign: got %d, want %d", x, offset, count, got, unsigned)
				}
			}
		}
		if got, want := Clamp(x, -100, 100), min(max(x, -100), 100); got != want {
			t.Errorf("Clamp(%d): got %d, want %d", x, got, want)
		}
	}
}
