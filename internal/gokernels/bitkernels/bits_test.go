package bitkernels

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// operands returns all pairs of edge cases, and random integers of any length: two operands, a
// divisor greater than the first, and a rotation.
func operands[W uint32 | uint64](width int) (list [][4]W) {
	r := rand.New(rand.NewPCG(40, uint64(width)))
	highest := ^W(0)
	edges := []W{0, 1, 2, 3, 5, 0x80, 0xff, highest, highest - 1, highest >> 1, highest>>1 + 1, highest>>1 + 2,
		W(1) << (width / 2), W(1)<<(width/2) - 1, W(1)<<(width/2) + 1, highest << (width / 2), highest / 3, highest/3 + 1}
	add := func(a, b, d W) {
		if a == highest { // nothing is greater
			a--
		}
		if d <= a {
			d = a + 1 + d%(highest-a)
		}
		list = append(list, [4]W{a, b, d, W(r.Uint64())})
	}
	for _, a := range edges {
		for _, b := range edges {
			for _, d := range edges {
				add(a, b, d)
			}
		}
	}
	random := func() W { return W(r.Uint64()) >> r.IntN(width) }
	for range 4000 {
		add(random(), random(), random())
	}
	return list
}

func all[W uint8 | uint16](count int) (list []W) {
	for n := range count {
		list = append(list, W(n))
	}
	return list
}

// numbers returns edge cases, and random integers of any length.
func numbers() (list []Numbers) {
	r := rand.New(rand.NewPCG(41, 41))
	number := func() int64 {
		switch x := int64(r.Uint64()) >> r.IntN(64); r.IntN(3) {
		case 0:
			return 1<<r.IntN(64) - int64(r.IntN(2))
		default:
			return x
		}
	}
	for range 4096 {
		a := number()
		list = append(list, Numbers{Long: number(), Far: number(), Word: int32(number()), Natural: uint32(number()),
			Short: int16(a), Half: uint16(number()), Char: int8(a), Byte: uint8(number())})
	}
	return list
}

// halves returns triples of Float16 bit patterns: all pairs of edge cases, and random ones.
func halves() (list [][3]uint16) {
	r := rand.New(rand.NewPCG(42, 42))
	edges := []uint16{0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x401, 0x3BFF, 0x3C00, 0x3C01, 0xBC00, 0x4000, 0x6400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00}
	for _, a := range edges {
		for _, b := range edges {
			list = append(list, [3]uint16{a, b, uint16(r.Uint32())})
		}
	}
	for range 1 << 14 {
		list = append(list, [3]uint16{uint16(r.Uint32()), uint16(r.Uint32()), uint16(r.Uint32())})
	}
	return list
}

// floats returns bit patterns of float32: random ones, and those near the values of a float of so
// many bits and the midpoints between them.
func floats(bits int) (list []uint32) {
	r := rand.New(rand.NewPCG(43, uint64(bits)))
	for range 1 << 13 {
		x := r.Uint32()
		list = append(list, x, x&0xFFF80000|1<<18, x&0xFFF80000|1<<18-1, x&0xFFF00000|1<<19|1, x&0xFFFF0000|1<<15, x&0xFFFF0000|1<<15|1)
		// about the range of eight bits
		list = append(list, 0x3C000000+x&0x83FFFFFF, 0x3C000000+x&0x83F80000)
	}
	return list
}

// bytesOf returns numbers as they are in memory.
func bytesOf(t *testing.T, x any) []byte {
	if halves, ok := x.([]gpu.Float16); ok {
		var words []uint16
		for _, h := range halves {
			words = append(words, h.Bits())
		}
		x = words
	}
	data, err := binary.Append(nil, binary.LittleEndian, x)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestBits runs the kernels as Go, and on the interpreter, the CPU's tiers, the emulators, and all
// devices, each with and without optimisation, alternating.
func TestBits(t *testing.T) {
	testmode.Long(t)
	x64, x32, x16, x8 := operands[uint64](64), operands[uint32](32), all[uint16](1<<16), all[uint8](1<<8)
	y64, y32, y := make([][17]uint64, len(x64)), make([][16]uint32, len(x32)), make([][12]uint32, len(x32))
	x0 := numbers()
	y0 := make([][25]uint64, len(x0))
	f16, fb16, f8 := halves(), floats(16), floats(8)
	yf16, yfb16, yf8 := make([][12]uint16, len(f16)), make([][8]uint16, len(fb16)), make([][4]uint32, len(f8))
	yv16 := make([][16]uint16, len(f16))
	y16, y8 := make([][8]uint16, len(x16)), make([][6]uint8, len(x8))
	tests := []struct {
		name  string
		x, y  any
		items int
		plain func(it gpu.Item)
	}{
		{"Bits64", x64, y64, len(x64), func(it gpu.Item) { Bits64(it, x64, y64) }},
		{"Bits32", x32, y32, len(x32), func(it gpu.Item) { Bits32(it, x32, y32) }},
		{"Bits", x32, y, len(x32), func(it gpu.Item) { Bits(it, x32, y) }},
		{"Bits16", x16, y16, len(x16), func(it gpu.Item) { Bits16(it, x16, y16) }},
		{"Widened", x0, y0, len(x0), func(it gpu.Item) { Widened(it, x0, y0) }},
		{"Bits8", x8, y8, len(x8), func(it gpu.Item) { Bits8(it, x8, y8) }},
		{"Floats16", f16, yf16, len(f16), func(it gpu.Item) { Floats16(it, f16, yf16) }},
		{"Vectors16", f16, yv16, len(f16), func(it gpu.Item) { Vectors16(it, f16, yv16) }},
		{"FloatsB16", fb16, yfb16, len(fb16), func(it gpu.Item) { FloatsB16(it, fb16, yfb16) }},
		{"Floats8", f8, yf8, len(f8), func(it gpu.Item) { Floats8(it, f8, yf8) }},
	}
	load := func(math ir.Math) *ir.Module {
		var set source.Set
		var list diag.List
		m, err := gokernel.Load(&set, gokernel.Options{Math: math}, &list, ".")
		if err != nil || m == nil {
			var b strings.Builder
			diag.Write(&b, &set, list.Items())
			t.Fatal(err, b.String())
		}
		return m
	}
	modules := map[string]*ir.Module{"wgsl": load(ir.MathWGSL), "strict": load(ir.MathStrict)}
	ways := map[string]*campaign.Way{}
	names := []string{"cpu", "cpu:vector", "cpu:interpreter", "cpu:checked", "spirv", "ptx", "vulkan", "cuda", "amdgpu", "msl"}
	for _, name := range names {
		w, err := campaign.Open(name)
		if err != nil && (name == "vulkan" || name == "cuda") {
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		ways[name] = w
	}
	bytes := func(x any) []byte { return bytesOf(t, x) }
	for n, test := range tests {
		groups := (test.items + 63) / 64
		math := "wgsl"
		if strings.HasPrefix(test.name, "Floats") || test.name == "Vectors16" {
			math = "strict" // other results may differ without it
		}
		own := modules[math].Clone()
		ir.Isolate(own, own.Func(test.name))
		before := bytes(test.y)
		gpu.Each(gpu.D1(uint32(groups)), gpu.Int3{X: 64, Y: 1, Z: 1}, test.plain)
		c := difftest.Case{Name: test.name, Language: "ir", Code: own.Text(), Entry: test.name, Dispatch: [3]int{groups, 1, 1},
			Bindings: []difftest.Binding{
				{Binding: 0, Name: "x", Kind: "storage", Data: bytes(test.x), Want: bytes(test.x)},
				{Binding: 1, Name: "y", Kind: "storage", Data: before, Want: bytes(test.y)},
			}}
		for k, name := range names {
			w := ways[name]
			if w == nil {
				continue
			}
			text := "robust," + math + [...]string{"", ",-O0"}[(n+k)%2]
			o, err := campaign.ParseConfiguration(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Run(&c, o); err != nil {
				t.Errorf("%s  %s  %s: %v", test.name, name, text, err)
			}
		}
	}
}
