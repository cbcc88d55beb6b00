package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// quarters are some numbers as 8-bit floats, by their bits.
var quarters = map[string]map[byte]float64{
	"e4m3": {0x00: 0, 0x38: 1, 0xB8: -1, 0x40: 2, 0x44: 3, 0x30: 0.5, 0xC8: -4, 0x01: 0x1p-9, 0x7E: 448},
	"e5m2": {0x00: 0, 0x3C: 1, 0xBC: -1, 0x40: 2, 0x42: 3, 0x38: 0.5, 0xC4: -4, 0x04: 0x1p-14, 0x01: 0x1p-16},
}

// elements returns the bytes of a row of 128 bytes, and the numbers that they are.
func elements(kind string, row int) (data []byte, numbers []float64) {
	add := func(bytes int, bits uint64, v float64) {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], bits)
		data, numbers = append(data, word[:bytes]...), append(numbers, v)
	}
	for n := 0; len(data) < 128; n++ {
		v := (row*5+n*3+row*n/3)%7 - 3
		switch kind {
		case "f16":
			add(2, uint64(binary.LittleEndian.Uint16(halves(1, func(int) int { return v }))), float64(v))
		case "bf16":
			add(2, uint64(math.Float32bits(float32(v))>>16), float64(v))
		case "tf32": // whose low bits are ignored
			add(4, uint64(math.Float32bits(float32(v))|0x1FFF), float64(v))
		case "s8":
			add(1, uint64(byte(40*v)), float64(40*v))
		case "u8":
			add(1, uint64(byte(40*(v+3))), float64(40*(v+3)))
		default:
			var list []byte
			for b := range 256 {
				if _, ok := quarters[kind][byte(b)]; ok {
					list = append(list, byte(b))
				}
			}
			b := list[(v+3+row)%len(list)]
			add(1, uint64(b), quarters[kind][b])
		}
	}
	return data, numbers
}

// TestProducts multiplies operands of all types. Rows of both lie along the depth, or rows of the
// depth along the other dimension.
func TestProducts(t *testing.T) {
	for _, test := range []struct {
		types, a, b string
		columns     int
		more        string
		factor      float64
		transposed  bool
	}{
		{"k16.f32.f16.f16", "f16", "f16", 8, ", 1, 1, 0, 0", 1, false},
		{"k16.f32.f16.f16", "f16", "f16", 64, ", -1, 1, 1, 1", -1, true},
		{"k16.f32.bf16.bf16", "bf16", "bf16", 24, ", -1, -1, 0, 0", 1, false},
		{"k16.f32.bf16.bf16", "bf16", "bf16", 40, ", 1, 1, 1, 1", 1, true},
		{"k8.f32.tf32.tf32", "tf32", "tf32", 64, ", 1, 1", 1, false},
		{"k32.f32.e4m3.e5m2", "e4m3", "e5m2", 16, ", 1, 1", 1, false},
		{"k32.f32.e5m2.e4m3", "e5m2", "e4m3", 64, ", 1, -1", -1, false},
		{"k32.s32.s8.s8", "s8", "s8", 64, "", 1, false},
		{"k32.s32.u8.u8", "u8", "u8", 32, "", 1, false},
	} {
		var a, b []byte
		var left, right [64][]float64
		for row := range 64 {
			data, numbers := elements(test.a, row)
			a, left[row] = append(a, data...), numbers
			data, numbers = elements(test.b, row+9)
			b, right[row] = append(b, data...), numbers
		}
		step := 32
		if test.transposed {
			step = 2048 // 16 rows
		}
		text := tensorHead + initialised + loaded + multiplied(test.types, test.columns, step, test.more) + written(test.columns) + tensorTail
		_, words, err := tensorRun(text, "u8", 64, a, b)
		if err != nil {
			t.Errorf("%s: %v", test.types, err)
			continue
		}
		for n := range 128 * test.columns / 2 {
			invocation, register := n/(test.columns/2), n%(test.columns/2)
			row, column := fragment(invocation, register)
			want, size := 0.0, 0.0
			for k := range left[0] {
				x, y := left[row][k], right[column][k]
				if test.transposed {
					x, y = left[k][row], right[k][column]
				}
				want += test.factor * x * y
				size += math.Abs(x * y)
			}
			word := binary.LittleEndian.Uint32(words[128*invocation+4*register:])
			got := float64(math.Float32frombits(word))
			if strings.Contains(test.types, "s32") {
				got = float64(int32(word))
			}
			if math.Abs(got-want) > 1e-6*size { // sums are rounded
				t.Errorf("%s: row %d, column %d is %v, want %v", test.types, row, column, got, want)
				break
			}
		}
	}
}

// TestProductOfRegisters multiplies a first operand in registers.
func TestProductOfRegisters(t *testing.T) {
	operands := fmt.Sprintf("{%s}", registersOf("%r2", 4))
	product := strings.Replace(multiplied("k16.f32.f16.f16", 64, 32, ", 1, 1, 0"), "%d1, %d2", operands+", %d2", 4)
	// row and column of element 0 of register 0: its value is 4·row mod 8 + column mod 4
	product = `	shr.u32 %r20, %r2, 2;
	and.b32 %r20, %r20, 1;
	cvt.rn.f16.u32 %h1, %r20;
	mov.b32 %r20, {%h1, %h1};
	and.b32 %r22, %r2, 3;
	cvt.rn.f16.u32 %h2, %r22;
	mov.b32 %r22, {%h2, %h1};
	mov.b32 %r21, 0;
	mov.b32 %r23, %r21;
` + product
	program := func(product string) string {
		return tensorHead + initialised + loaded + product + written(64) + tensorTail
	}
	run := func(text string) ([]byte, error) {
		_, words, err := tensorRun(text, "f16", 64, halves(64*64, leftValue), halves(64*64, rightValue))
		return words, err
	}
	words, err := run(program(product))
	if err != nil {
		t.Fatal(err)
	}
	left := func(row, k int) int {
		odd, lane := row&1, k%8/2
		switch {
		case row%16 >= 8:
			return 0
		case k%16 < 8, k%2 == 1:
			return odd
		}
		return lane
	}
	for n := range 128 * 32 {
		row, column := fragment(n/32, n%32)
		want := 0
		for k := range 64 {
			want += left(row, k) * rightValue(column*64+k)
		}
		if got := math.Float32frombits(binary.LittleEndian.Uint32(words[4*n:])); got != float32(want) {
			t.Fatalf("row %d, column %d is %v, want %d", row, column, got, want)
		}
	}
	for _, test := range []struct{ from, to, want string }{
		{"\twgmma.commit", "\tmov.b32 %r21, 5;\n\twgmma.commit", "register %r21 is written while a product is under way"},
		{"\twgmma.commit", "\tadd.u32 %r9, %r21, 5;\n\twgmma.commit", "register %r21 is read while a product is under way"},
		{"\twgmma.fence.sync.aligned;\n", "\twgmma.fence.sync.aligned;\n\tmov.b32 %r21, 5;\n", "without wgmma.fence behind it"},
	} {
		if _, err := run(program(strings.Replace(product, test.from, test.to, 1))); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q instead of %q: %v, want an error with %q", test.to, test.from, err, test.want)
		}
	}
}

// TestBoxes copies boxes that begin before the matrix, and behind its first element.
func TestBoxes(t *testing.T) {
	for _, at := range [][2]int{{0, 0}, {-8, -3}, {-60, 61}, {24, 5}, {-64, 0}, {64, -70}} {
		coordinates := fmt.Sprintf("%d, %d", at[0], at[1])
		text := tensorHead + initialised + strings.Replace(loaded, loadOf(0, 0, "0, 0"), loadOf(0, 0, coordinates), 1) +
			multiplied("k16.f32.f16.f16", 64, 32, ", 1, 1, 0, 0") + written(64) + tensorTail
		identity := halves(64*64, func(n int) int {
			if n/64 == n%64 {
				return 1
			}
			return 0
		})
		_, words, err := tensorRun(text, "f16", 64, halves(64*64, leftValue), identity)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 128 * 32 {
			row, column := fragment(n/32, n%32)
			want := 0
			if y, x := row+at[1], column+at[0]; y >= 0 && y < 64 && x >= 0 && x < 64 {
				want = leftValue(y*64 + x)
			}
			if got := math.Float32frombits(binary.LittleEndian.Uint32(words[4*n:])); got != float32(want) {
				t.Fatalf("at %s: row %d, column %d is %v, want %d", coordinates, row, column, got, want)
			}
		}
	}
}
