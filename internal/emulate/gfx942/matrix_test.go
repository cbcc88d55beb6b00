package gfx942

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/codegen/amdgpu/object"
	"github.com/gpuc/gpuc/internal/emulate"
)

// Tests of products of matrices, in kernels of one wave that are encoded by package isa.

// number is a type of elements: its bytes, and the bits of small integers.
type number struct {
	bytes int
	of    func(x int) uint64
}

var (
	numberHalf   = number{2, func(x int) uint64 { return emulate.HalfBits(float64(x), 0) }}
	numberShort  = number{2, func(x int) uint64 { return uint64(math.Float32bits(float32(x)) >> 16) }}
	numberByte   = number{1, func(x int) uint64 { return uint64(uint8(x)) }}
	numberWord   = number{4, func(x int) uint64 { return uint64(uint32(x)) }}
	numberSingle = number{4, func(x int) uint64 { return uint64(math.Float32bits(float32(x))) }}
	numberDouble = number{8, func(x int) uint64 { return math.Float64bits(float64(x)) }}
)

// put writes an element to the registers of a lane, which has each of them.
func (n number) put(data []byte, lane, each, element, x int) {
	at := (lane*each + element) * n.bytes
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n.of(x))
	copy(data[at:at+n.bytes], b[:])
}

// products are the instructions, and where an element of the result is (AMD's matrix instruction
// calculator): the lane and the number of the element there.
var products = []struct {
	op           isa.Op
	depth        int
	operand, sum number
	home         func(row, column int) (lane, element int)
}{
	{isa.VMfmaF3216x16x16F16, 16, numberHalf, numberSingle, quarters},
	{isa.VMfmaF3216x16x16Bf16, 16, numberShort, numberSingle, quarters},
	{isa.VMfmaI3216x16x32I8, 32, numberByte, numberWord, quarters},
	{isa.VMfmaF3216x16x4F32, 4, numberSingle, numberSingle, quarters},
	{isa.VMfmaF6416x16x4F64, 4, numberDouble, numberDouble, func(row, column int) (lane, element int) { return row%4*16 + column, row / 4 }},
}

func quarters(row, column int) (lane, element int) { return row/4*16 + column, row % 4 }

// matrixKernel returns a kernel that multiplies what its lanes load, and stores the result.
func matrixKernel(t *testing.T, o isa.Op, bytes, sums int, before func(a *assembly)) *Object {
	t.Helper()
	s, v := isa.SGPR, isa.VGPR
	loads := map[int]isa.Op{4: isa.GlobalLoadB32, 8: isa.GlobalLoadB64, 16: isa.GlobalLoadB128}
	a := &assembly{t: t, labels: map[string]int{}, branches: map[int]string{}}
	a.add(isa.SLoadB256, s(4), s(0))
	a.add(isa.VMulU32U24, v(1), isa.Constant(uint32(bytes)), v(0))
	a.add(isa.VMulU32U24, v(2), isa.Constant(uint32(sums)), v(0))
	a.addImmediate(isa.SWaitcnt, lgkm0())
	a.add(loads[bytes], v(4), v(1), s(4))
	a.add(loads[bytes], v(8), v(1), s(6))
	for at := 0; at < sums; at += 16 {
		a.addImmediate(isa.GlobalLoadB128, int32(at), v(12+at/4), v(2), s(8))
	}
	a.addImmediate(isa.SWaitcnt, isa.Wait{VM: 0, Exp: 7, LGKM: 15}.Encode(isa.GFX942))
	before(a)
	a.add(o, v(20), v(4), v(8), v(12))
	a.add(isa.SMovB64, isa.EXEC, isa.Constant(1<<32-1))
	for range 2 { // the store reads the result
		a.addImmediate(isa.SNop, 15)
	}
	for at := 0; at < sums; at += 16 {
		i := a.add(isa.GlobalStoreB128, v(2), v(20+at/4), s(10))
		i.Immediate = int32(at)
	}
	a.add(isa.SEndpgm)
	k := object.Kernel{Name: "product", Code: a.code(), VGPRs: 32, SGPRs: object.CountSGPRs(isa.GFX942, 14, true), ArgumentBytes: 32, ArgumentAlign: 8,
		Wave: 64, Workgroup: 64, Groups: [3]bool{true, false, false}, Items: 1}
	for n := range 4 {
		k.Arguments = append(k.Arguments, object.Argument{Offset: uint32(8 * n), Bytes: 8, Kind: object.GlobalBuffer})
	}
	data, err := object.Write(isa.GFX942, []object.Kernel{k})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestProducts multiplies matrices of small integers, whose sums are exact in every type. Inactive
// lanes take part.
func TestProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, p := range products {
		each := p.depth / 4 // elements of a lane
		for _, active := range []uint32{1<<32 - 1, 5} {
			loaded := matrixKernel(t, p.op, each*p.operand.bytes, 4*p.sum.bytes, func(a *assembly) {
				a.add(isa.SMovB64, isa.EXEC, isa.Constant(active))
			})
			buffers := [][]byte{make([]byte, 64*each*p.operand.bytes), make([]byte, 64*each*p.operand.bytes), make([]byte, 64*4*p.sum.bytes), make([]byte, 64*4*p.sum.bytes)}
			want := make([]byte, len(buffers[3]))
			var a, b [16][32]int
			for at := range 16 {
				for k := range p.depth {
					a[at][k], b[at][k] = random.IntN(31)-15, random.IntN(31)-15
					p.operand.put(buffers[0], k/each*16+at, each, k%each, a[at][k])
					p.operand.put(buffers[1], k/each*16+at, each, k%each, b[at][k])
				}
			}
			for row := range 16 {
				for column := range 16 {
					lane, element := p.home(row, column)
					sum := random.IntN(1000) - 500
					p.sum.put(buffers[2], lane, 4, element, sum)
					for k := range p.depth {
						sum += a[row][k] * b[column][k]
					}
					p.sum.put(want, lane, 4, element, sum)
				}
			}
			if err := loaded.Run(&Launch{Kernel: "product", Grid: [3]uint32{1, 1, 1}, Workgroup: [3]uint32{64, 1, 1}, Buffers: buffers,
				Arguments: []Argument{{Buffer: 0}, {Buffer: 1}, {Buffer: 2}, {Buffer: 3}}}); err != nil {
				t.Errorf("%s: %v", p.op, err)
				continue
			}
			for n := 0; n < len(want); n += 4 {
				if got, want := binary.LittleEndian.Uint32(buffers[3][n:]), binary.LittleEndian.Uint32(want[n:]); got != want {
					t.Errorf("%s: word %d of lane %d is %#x, not %#x", p.op, n/4%(p.sum.bytes), n/(4*p.sum.bytes), got, want)
					break
				}
			}
		}
	}
}

// TestProductFields decodes what LLVM's assembler makes of operands in both banks of registers, and
// of blocks that are broadcast, which are refused.
func TestProductFields(t *testing.T) {
	for _, c := range []struct {
		text, code string
		d          operand
		s          [3]operand
	}{
		{"v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], a[6:7], a[8:11]", "\x00\x80\xcd\xd3\x04\x0d\x22\x14", accums, [3]operand{vectors + 4, accums + 6, accums + 8}},
		{"v_mfma_f64_16x16x4_f64 a[0:7], a[8:9], v[10:11], 1.0", "\x00\x80\xee\xd3\x08\x15\xca\x0b", accums, [3]operand{accums + 8, vectors + 10, 242}},
		{"v_mfma_i32_16x16x32_i8 v[0:3], v[4:5], v[6:7], v[8:11]", "\x00\x00\xd7\xd3\x04\x0d\x22\x04", vectors, [3]operand{vectors + 4, vectors + 6, vectors + 8}},
	} {
		i, err := decode([]byte(c.code))
		if err != nil || !strings.HasPrefix(c.text, i.name()+" ") || i.d != c.d || i.s != c.s || i.blocks != 0 {
			t.Errorf("%s is decoded as %+v: %v", c.text, i, err)
		}
	}
	// v_mfma_f32_16x16x4_f32 v[0:3], v4, v6, v[8:11] cbsz:1 abid:2 blgp:3
	if i, err := decode([]byte("\x00\x11\xc5\xd3\x04\x0d\x22\x64")); err != nil || i.blocks != 1|2<<3|3<<7 {
		t.Errorf("the modifiers are decoded as %+v: %v", i, err)
	}
}

// TestProductRounds: f32 and f64 are chains of fused operations in the order of k, which other
// orders and a rounding of the products would show.
func TestProductRounds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var a, b [4]float32
	for n := range a {
		a[n], b[n] = float32(random.NormFloat64()), float32(random.NormFloat64())
	}
	loaded := matrixKernel(t, isa.VMfmaF3216x16x4F32, 4, 16, func(*assembly) {})
	buffers := [][]byte{make([]byte, 256), make([]byte, 256), make([]byte, 1024), make([]byte, 1024)}
	for k := range a { // row and column 0
		binary.LittleEndian.PutUint32(buffers[0][4*16*k:], math.Float32bits(a[k]))
		binary.LittleEndian.PutUint32(buffers[1][4*16*k:], math.Float32bits(b[k]))
	}
	if err := loaded.Run(&Launch{Kernel: "product", Grid: [3]uint32{1, 1, 1}, Workgroup: [3]uint32{64, 1, 1}, Buffers: buffers,
		Arguments: []Argument{{Buffer: 0}, {Buffer: 1}, {Buffer: 2}, {Buffer: 3}}}); err != nil {
		t.Fatal(err)
	}
	var want, unfused float32
	for k := range a {
		want = float32(exactSum(float64(a[k]), float64(b[k]), float64(want), 24))
		product := a[k] * b[k]
		unfused += product
	}
	if got := math.Float32frombits(binary.LittleEndian.Uint32(buffers[3])); got != want || unfused == want {
		t.Errorf("the sum is %g, not %g; with rounded products it is %g", got, want, unfused)
	}
}

// TestProductReadsUndefined: a register that nothing has written in an inactive lane is an error.
func TestProductReadsUndefined(t *testing.T) {
	loaded := matrixKernel(t, isa.VMfmaF3216x16x4F32, 4, 16, func(*assembly) {})
	buffers := [][]byte{make([]byte, 256), make([]byte, 256), make([]byte, 1024), make([]byte, 1024)}
	err := loaded.Run(&Launch{Kernel: "product", Grid: [3]uint32{1, 1, 1}, Workgroup: [3]uint32{32, 1, 1}, Buffers: buffers,
		Arguments: []Argument{{Buffer: 0}, {Buffer: 1}, {Buffer: 2}, {Buffer: 3}}})
	if err == nil || !strings.Contains(err.Error(), "part of a product") {
		t.Errorf("half a wave multiplies: %v", err)
	}
}
