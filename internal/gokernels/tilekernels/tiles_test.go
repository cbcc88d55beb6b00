package tilekernels

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// arguments are those of a launch, in the order of a kernel's parameters.
type arguments struct {
	random  *rand.Rand
	buffers [][]byte
	values  []byte // layouts of matrices and tensors are among them
	// check, if not nil, compares what plain Go has made with something else.
	check func(t *testing.T)
}

// add makes a slice of elements a parameter.
func add[T any](a *arguments, data []T) []T {
	a.buffers = append(a.buffers, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(*new(T)))))
	return data
}

// matrix makes elements of random numbers a parameter.
func matrix[T any](a *arguments, rows, cols int, convert func(x float32) T) gpu.Matrix[T] {
	data := make([]T, rows*cols+3)
	for n := range data {
		data[n] = convert(float32(a.random.IntN(1<<13)-1<<12) * 0x1p-10)
	}
	return matrixOf(a, data, rows, cols)
}

func matrixOf[T any](a *arguments, data []T, rows, cols int) gpu.Matrix[T] {
	add(a, data)
	a.value([]int32{0, int32(rows), int32(cols), int32(cols), 1})
	return gpu.NewMatrix(data, rows, cols)
}

// value makes a number, or the layout of a matrix, a parameter.
func (a *arguments) value(x any) {
	a.values, _ = binary.Append(a.values, binary.LittleEndian, x)
}

func single(x float32) float32    { return x }
func double(x float32) float64    { return float64(x) + 0x1p-40 }
func integer(x float32) int32     { return int32(x * 0x1p28) }
func natural(x float32) uint32    { return uint32(integer(x)) }
func character(x float32) int8    { return int8(integer(x) >> 23) }
func octet(x float32) uint8       { return uint8(integer(x) >> 23) }
func truncated(x float32) int32   { return int32(x) }
func small(x float32) float32     { return x * 0.25 }
func none[T any](x float32) (_ T) { return }

// test is a launch of a kernel. prepare makes the arguments, and returns the kernel as plain Go.
type test struct {
	kernel, variant string
	groups          int
	prepare         func(a *arguments) func(it gpu.Item)
}

// product is a launch of a kernel that multiplies matrices.
func product[T, U, V any](kernel string, sizes [3]int, tile [2]int, x func(float32) T, y func(float32) U, z func(float32) V, plain func(it gpu.Item, x gpu.Matrix[T], y gpu.Matrix[U], z gpu.Matrix[V])) test {
	rows, depth, cols := sizes[0], sizes[1], sizes[2]
	groups := (rows + tile[0] - 1) / tile[0] * ((cols + tile[1] - 1) / tile[1])
	return test{kernel, "", groups, func(a *arguments) func(it gpu.Item) {
		left, right, sum := matrix(a, rows, depth, x), matrix(a, depth, cols, y), matrix(a, rows, cols, z)
		return func(it gpu.Item) { plain(it, left, right, sum) }
	}}
}

// unit is a launch of a kernel with the shapes of matrix units, whose sums are exact in any order.
// The second factor may be transposed.
func unit[T, U, V any](kernel string, x func(float32) T, y func(float32) U, z func(float32) V, transposed bool, plain func(it gpu.Item, x gpu.Matrix[T], y gpu.Matrix[U], z gpu.Matrix[V])) test {
	const rows, depth, cols = 40, 70, 50
	return test{kernel, "", 4, func(a *arguments) func(it gpu.Item) {
		left := matrix(a, rows, depth, x)
		inner, outer := depth, cols
		if transposed {
			inner, outer = cols, depth
		}
		right, sum := matrix(a, inner, outer, y), matrix(a, rows, cols, z)
		return func(it gpu.Item) { plain(it, left, right, sum) }
	}}
}

// subnormalsOf returns a function for numbers of at most so many times a power of two. The least
// are subnormal floats of 8 bits.
func subnormalsOf[T any](convert func(float32) T, most, exponent int) func(x float32) T {
	return func(x float32) T {
		return convert(float32(math.Ldexp(float64(int(x*1024)%(most+1)), exponent)))
	}
}

// TestUnits runs the kernels of matrix units by the instructions of devices, which round sums in
// their own way.
func TestUnits(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	var set source.Set
	var list diag.List
	module, err := gokernel.Load(&set, gokernel.Options{}, &list, ".")
	if err != nil || module == nil {
		t.Fatal(err, list.Items())
	}
	const bytes, floats = "UnitU8 UnitBytes", "UnitF8"
	for index, way := range []struct{ name, shows, kernels string }{
		{"ptx:sm_80", "mma.sync", bytes + floats}, {"amdgpu:gfx90a", "llvm.amdgcn.mfma", bytes + floats}, {"amdgpu:gfx942", "llvm.amdgcn.mfma", bytes + floats},
		{"amdgpu:gfx1100", "llvm.amdgcn.wmma", bytes + floats}, {"amdgpu:gfx1200", "llvm.amdgcn.wmma", bytes + floats}, {"msl:apple7", "simdgroup_multiply", floats},
		{"spirv:1.6_coopmat", "SPV_KHR_cooperative_matrix", floats}, {"spirv:1.6_coopmat_bf16", "SPV_KHR_bfloat16", floats},
	} {
		w, err := campaign.Open(way.name)
		if err != nil {
			t.Fatal(err)
		}
		target, err := all.Find(way.name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range tests {
			x := &tests[n]
			if !strings.HasPrefix(x.kernel, "Unit") {
				continue
			}
			t.Run(way.name+"/"+x.kernel, func(t *testing.T) {
				if (index+n)%testmode.Count(6, 3, 1) == 0 {
					text := [...]string{"robust,wgsl", "off,fast"}[(index+n)%2]
					o, err := campaign.ParseConfiguration(text)
					if err == nil {
						err = w.Run(x.launch(t, module), o)
					}
					if err != nil {
						t.Errorf("%s: %v", text, err)
					}
				}
				a := codegen.Compile(module, x.kernel, target, &codegen.Options{}, &list)
				if a == nil {
					t.Fatal(list.Items())
				}
				if is, want := strings.Contains(string(a.Code), way.shows), strings.Contains(way.kernels, x.kernel); is != want {
					t.Errorf("the code has %s: %v, want %v", way.shows, is, want)
				}
			})
		}
	}
}

var tests = append(windowTests, []test{
	product("GemmF16", [3]int{37, 21, 53}, [2]int{16, 24}, gpu.ToFloat16, gpu.ToFloat16, single, GemmF16),
	product("GemmF16", [3]int{20, 0, 30}, [2]int{16, 24}, gpu.ToFloat16, gpu.ToFloat16, single, GemmF16),
	product("GemmBF16", [3]int{32, 32, 16}, [2]int{16, 16}, gpu.ToBFloat16, gpu.ToBFloat16, single, GemmBF16),
	product("GemmBF16", [3]int{17, 15, 31}, [2]int{16, 16}, gpu.ToBFloat16, gpu.ToBFloat16, single, GemmBF16),
	product("GemmF8", [3]int{9, 13, 17}, [2]int{8, 16}, gpu.ToFloat8E4M3, gpu.ToFloat8E5M2, single, GemmF8),
	product("GemmF32", [3]int{19, 23, 29}, [2]int{16, 16}, single, single, single, GemmF32),
	product("GemmF32", [3]int{1, 1, 1}, [2]int{16, 16}, single, single, single, GemmF32),
	product("GemmF64", [3]int{10, 15, 12}, [2]int{9, 11}, double, double, double, GemmF64),
	product("GemmI8", [3]int{21, 70, 11}, [2]int{16, 8}, character, octet, integer, GemmI8),
	unit("UnitF8", subnormalsOf(gpu.ToFloat8E4M3, 15, -9), subnormalsOf(gpu.ToFloat8E5M2, 7, -16), subnormalsOf(single, 99, -25), true, UnitF8),
	unit("UnitU8", octet, octet, integer, true, UnitU8),
	unit("UnitBytes", character, octet, integer, false, UnitBytes),
	product("Single", [3]int{4, 5, 6}, [2]int{3, 5}, single, single, single, Single),
	{"Views", "", 1, func(a *arguments) func(it gpu.Item) {
		const row, col = 3, 1
		a.value([]int32{row, col})
		x, y, z := matrix(a, 16, 12, single), matrix(a, 31, 14, single), matrix(a, 18, 20, single)
		return func(it gpu.Item) { Views(it, row, col, x, y, z) }
	}},
	{"Views", "outside", 1, func(a *arguments) func(it gpu.Item) {
		const row, col = -2, 6
		a.value([]int32{row, col})
		x, y, z := matrix(a, 16, 12, single), matrix(a, 31, 14, single), matrix(a, 18, 20, single)
		return func(it gpu.Item) { Views(it, row, col, x, y, z) }
	}},
	{"Maps", "", 1, func(a *arguments) func(it gpu.Item) {
		const scale = 1.5
		a.value(float32(scale))
		bias := add(a, []float32{0.5, -1, 2, 0.25, 3})
		x, y, z := matrix(a, 8, 9, single), matrix(a, 7, 11, truncated), matrix(a, 7, 10, single)
		return func(it gpu.Item) { Maps(it, scale, bias, x, y, z) }
	}},
	{"ReduceF32", "", 1, func(a *arguments) func(it gpu.Item) {
		x, z := matrix(a, 13, 21, single), matrix(a, 16, 21, none[float32])
		return func(it gpu.Item) { ReduceF32(it, x, z) }
	}},
	{"ReduceF64", "", 1, func(a *arguments) func(it gpu.Item) {
		x, z := matrix(a, 5, 4, double), matrix(a, 8, 4, none[float64])
		return func(it gpu.Item) { ReduceF64(it, x, z) }
	}},
	{"ReduceI32", "", 1, func(a *arguments) func(it gpu.Item) {
		x, z := matrix(a, 7, 16, integer), matrix(a, 11, 16, none[int32])
		return func(it gpu.Item) { ReduceI32(it, x, z) }
	}},
	{"ReduceU32", "", 1, func(a *arguments) func(it gpu.Item) {
		x, z := matrix(a, 8, 8, natural), matrix(a, 11, 8, none[uint32])
		return func(it gpu.Item) { ReduceU32(it, x, z) }
	}},
	{"Transposes", "", 1, func(a *arguments) func(it gpu.Item) {
		b, h, f := matrix(a, 13, 14, octet), matrix(a, 18, 20, gpu.ToBFloat16), matrix(a, 11, 10, single)
		return func(it gpu.Item) { Transposes(it, b, h, f) }
	}},
	{"Overlapping", "", 1, func(a *arguments) func(it gpu.Item) {
		x, z := matrix(a, 7, 8, single), matrix(a, 12, 12, none[float32])
		return func(it gpu.Item) { Overlapping(it, x, z) }
	}},
	{"Shifting", "", 1, func(a *arguments) func(it gpu.Item) {
		x, y, z := matrix(a, 8, 8, single), matrix(a, 40, 10, none[float32]), matrix(a, 15, 18, none[float32])
		return func(it gpu.Item) { Shifting(it, x, y, z) }
	}},
	{"Packed", "", 1, packed},
	{"Attention", "", 2, func(a *arguments) func(it gpu.Item) {
		q, k, v, out := matrix(a, 30, 16, gpu.ToFloat16), matrix(a, 21, 16, gpu.ToFloat16), matrix(a, 21, 16, gpu.ToBFloat16), matrix(a, 30, 16, single)
		return func(it gpu.Item) { Attention(it, q, k, v, out) }
	}},
	{"Chosen", "", 2, func(a *arguments) func(it gpu.Item) {
		const n = 11
		a.value(int32(n))
		x := matrix(a, 18, 12, small)
		return func(it gpu.Item) { Chosen(it, n, x) }
	}},
	conversion("ConvertF16", halves(gpu.Float16FromBits), ConvertF16),
	conversion("ConvertBF16", halves(gpu.BFloat16FromBits), ConvertBF16),
	conversion("ConvertE4M3", octets(gpu.Float8E4M3FromBits), ConvertE4M3),
	conversion("ConvertE5M2", octets(gpu.Float8E5M2FromBits), ConvertE5M2),
	conversion("ConvertF32", singles(), ConvertF32),
	conversion("ConvertF64", doubles(), ConvertF64),
	conversion("ConvertI8", octets(func(b uint8) int8 { return int8(b) }), ConvertI8),
	conversion("ConvertU8", octets(func(b uint8) uint8 { return b }), ConvertU8),
	conversion("ConvertI32", integers[int32](), ConvertI32),
	conversion("ConvertU32", integers[uint32](), ConvertU32),
	{"Doubles", "", 1, func(a *arguments) func(it gpu.Item) {
		x, p, i, u := matrixOf(a, singles()[:256], 16, 16), matrixOf(a, octets(gpu.Float8E4M3FromBits), 16, 16), matrixOf(a, integers[int32]()[:256], 16, 16), matrix(a, 16, 16, octet)
		z := matrix(a, 16, 64, none[float64])
		return func(it gpu.Item) { Doubles(it, x, p, i, u, z) }
	}},
}...)

// packed prepares Packed, whose results are compared with products of the four bits in the words.
func packed(a *arguments) func(it gpu.Item) {
	const rows, inner, cols = 14, 30, 16
	xs, ys := make([]gpu.Int4x8, rows*4+1), make([]gpu.Uint4x8, inner*cols/8+1)
	for n := range xs {
		xs[n] = gpu.Int4x8(a.random.Uint32())
	}
	for n := range ys {
		ys[n] = gpu.Uint4x8(a.random.Uint32())
	}
	x, y := matrixOf(a, xs, rows, 4), matrixOf(a, ys, inner, cols/8)
	scales := add(a, []float32{1, 2, -1, 0.5, 1, 1, 4, 1, 1, -8, 1, 0.25, 1, 1, 2, 3})
	z, f := matrix(a, 15, 16, none[int32]), matrix(a, 16, 16, none[float32])
	a.check = func(t *testing.T) {
		for i := range 16 {
			for j := range 16 {
				sum := 0
				for k := 3; k < 32; k++ { // both matrices begin three elements behind their tiles
					row, at, column := i-1, k-3, j+5
					if row < 0 || row >= rows || at >= inner || column >= cols {
						continue
					}
					left := int(xs[row*4+at/8]) >> (at % 8 * 4) % 16
					if left > 7 {
						left -= 16
					}
					sum += left * (int(ys[at*cols/8+column/8]) >> (column % 8 * 4) % 16)
				}
				if i < 15 && z.At(i, j) != int32(sum) {
					t.Errorf("row %d, column %d is %d, want %d", i, j, z.At(i, j), sum)
				}
				if want := scales[i] * float32(sum); f.At(i, j) != want {
					t.Errorf("scaled, row %d, column %d is %g, want %g", i, j, f.At(i, j), want)
				}
			}
		}
	}
	return func(it gpu.Item) { Packed(it, x, y, scales, z, f) }
}

// conversion is a launch of a kernel that converts elements, 256 by each workgroup.
func conversion[T any](kernel string, data []T, plain func(it gpu.Item, x gpu.Matrix[T], h gpu.Matrix[gpu.Float16], b gpu.Matrix[gpu.BFloat16], p gpu.Matrix[gpu.Float8E4M3],
	q gpu.Matrix[gpu.Float8E5M2], f gpu.Matrix[float32], s gpu.Matrix[int8], u gpu.Matrix[uint8], i gpu.Matrix[int32], w gpu.Matrix[uint32])) test {
	rows := (len(data) + 15) / 16
	return test{kernel, "", (rows + 15) / 16, func(a *arguments) func(it gpu.Item) {
		x := matrixOf(a, append(slices.Clone(data), make([]T, 16)...), rows, 16)
		h, b := matrix(a, rows, 16, none[gpu.Float16]), matrix(a, rows, 16, none[gpu.BFloat16])
		p, q := matrix(a, rows, 16, none[gpu.Float8E4M3]), matrix(a, rows, 16, none[gpu.Float8E5M2])
		f, s, u := matrix(a, rows, 16, none[float32]), matrix(a, rows, 16, none[int8]), matrix(a, rows, 16, none[uint8])
		i, w := matrix(a, rows, 16, none[int32]), matrix(a, rows, 16, none[uint32])
		return func(it gpu.Item) { plain(it, x, h, b, p, q, f, s, u, i, w) }
	}}
}

// octets returns all elements of 8 bits but NaN, which have different bits on devices.
func octets[T any](of func(bits uint8) T) (list []T) {
	for n := range 256 {
		list = append(list, of(uint8(n)))
	}
	return withoutNaN(list)
}

// halves returns some elements of 16 bits, of all exponents.
func halves[T any](of func(bits uint16) T) (list []T) {
	for n := range 768 {
		list = append(list, of(uint16(n*0x155)))
	}
	return withoutNaN(list)
}

func withoutNaN[T any](list []T) []T {
	for n, x := range list {
		if f, ok := any(x).(interface{ Float32() float32 }); ok && f.Float32() != f.Float32() {
			list[n] = list[0]
		}
	}
	return list
}

// singles returns float32 that smaller floats round up, down and to even, and that exceed other
// types. Subnormal ones, which devices flush, are not among them.
func singles() (list []float32) {
	r := rand.New(rand.NewPCG(44, 1))
	for len(list) < 1024 {
		exponent := uint32(127 + r.IntN(48) - 24)
		switch r.IntN(8) {
		case 0:
			exponent = uint32(1 + r.IntN(254))
		}
		bits := r.Uint32()&(1<<31|1<<23-1) | exponent<<23
		if keep := r.IntN(24); r.IntN(2) == 0 {
			bits &^= 1<<keep - 1
		}
		list = append(list, math.Float32frombits(bits))
	}
	infinity := float32(math.Inf(1))
	return append(list, 0, float32(math.Copysign(0, -1)), infinity, -infinity, math.MaxFloat32, -math.MaxFloat32, 1<<31, -1<<31, 1<<32, 448, 464, 465, 57344, 61440, 65504, 65519, 65520)
}

func doubles() (list []float64) {
	r := rand.New(rand.NewPCG(44, 2))
	for _, x := range singles() {
		list = append(list, float64(x), float64(x)*(1+math.Ldexp(float64(r.IntN(3)-1), -26-r.IntN(20))))
	}
	return append(list, 1<<31-0.5, 1<<32-0.5, -1<<31-0.5, -0.5, 1e300, -1e300)
}

func integers[T int32 | uint32]() (list []T) {
	r := rand.New(rand.NewPCG(44, 3))
	for range 500 {
		list = append(list, T(r.Uint32())>>r.IntN(32))
	}
	list = append(list, 0, 1, 1<<24+1, 1<<24+3, 65504, 65519, 65520, 127, 128, 255, 256)
	top := T(1) << 31
	return append(list, top, top-1, top+1)
}

// ways are those that run kernels. Some of them have no float64.
var ways = []string{"cpu", "cpu:vector", "cpu:interpreter", "cpu:checked", "spirv", "ptx", "vulkan", "cuda", "amdgpu", "msl"}

// TestTiles runs the kernels as Go, and on the interpreter, the CPU's tiers, the emulators, and all
// devices. With strict arithmetic all bits are the same.
func TestTiles(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	var set source.Set
	var list diag.List
	module, err := gokernel.Load(&set, gokernel.Options{Math: ir.MathStrict}, &list, ".")
	if err != nil || module == nil {
		var b strings.Builder
		diag.Write(&b, &set, list.Items())
		t.Fatal(err, b.String())
	}
	opened := map[string]*campaign.Way{}
	for _, name := range ways {
		w, err := campaign.Open(name)
		if err != nil && (name == "vulkan" || name == "cuda") {
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		opened[name] = w
	}
	tested := map[string]bool{}
	for index, test := range tests {
		tested[test.kernel] = true
		t.Run(test.kernel+test.variant, func(t *testing.T) {
			c := test.launch(t, module)
			for n, name := range ways {
				if w := opened[name]; w != nil && !(name == "msl" && strings.Contains(c.Code, "f64")) && (index+n)%testmode.Count(12, 3, 3) == 0 {
					run(t, c, w, (index+n)%2 == 0)
				}
			}
		})
	}
	for _, k := range module.Kernels() {
		if !tested[k.Name] {
			t.Errorf("kernel %s has no test", k.Name)
		}
	}
}

// run compares what a way makes of a case with what plain Go does.
func run(t *testing.T, c *difftest.Case, w *campaign.Way, optimised bool) {
	text := "robust,strict"
	if !optimised {
		text += ",-O0"
	}
	o, err := campaign.ParseConfiguration(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(c, o); err != nil {
		t.Errorf("%s  %s: %v", w.Name, text, err)
	}
}

// launch executes a test's kernel as plain Go, and returns it as a case.
func (x *test) launch(t *testing.T, module *ir.Module) *difftest.Case {
	a := &arguments{random: rand.New(rand.NewPCG(44, 0))}
	kernel := x.prepare(a)
	own := module.Clone()
	f := own.Func(x.kernel)
	ir.Isolate(own, f)
	c := &difftest.Case{Name: x.kernel, Language: "ir", Code: own.Text(), Entry: x.kernel, Dispatch: [3]int{x.groups, 1, 1}}
	for n, b := range a.buffers {
		c.Bindings = append(c.Bindings, difftest.Binding{Binding: n, Kind: "storage", Data: bytes.Clone(b)})
	}
	for _, v := range f.Interface {
		switch g := own.Global(v); own.SpaceOf(g.Type) {
		case ir.Immediate:
			c.Immediates = a.values
		case ir.Uniform:
			c.Bindings = append(c.Bindings, difftest.Binding{Binding: int(g.Binding), Kind: "uniform", Data: a.values, Want: a.values})
		}
	}
	var size [3]int
	for n := range size {
		count, _ := own.ConstUint(f.Workgroup[n])
		size[n] = int(count)
	}
	gpu.EachGroup(gpu.D1(uint32(x.groups)), gpu.Int3{X: size[0], Y: size[1], Z: size[2]}, func() func(gpu.Item) { return kernel })
	if a.check != nil {
		a.check(t)
	}
	for n, b := range a.buffers {
		c.Bindings[n].Want = b
	}
	return c
}
