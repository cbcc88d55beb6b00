package exectest_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file runs the variants with tensor maps of the kernels in testdata/tensor on the emulator.
// Numbers are small integers, so that sums are exact in any order.

// coder encodes elements of matrices.
type coder struct {
	bytes  int
	encode func(b []byte, v float32)
	decode func(b []byte) float32
}

var coders = map[string]coder{
	"f16": {2, func(b []byte, v float32) { binary.LittleEndian.PutUint16(b, gpu.ToFloat16(v).Bits()) },
		func(b []byte) float32 { return gpu.Float16FromBits(binary.LittleEndian.Uint16(b)).Float32() }},
	"bf16": {2, func(b []byte, v float32) { binary.LittleEndian.PutUint16(b, gpu.ToBFloat16(v).Bits()) },
		func(b []byte) float32 { return gpu.BFloat16FromBits(binary.LittleEndian.Uint16(b)).Float32() }},
	"f32": {4, func(b []byte, v float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(v)) },
		func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }},
	"f64": {8, func(b []byte, v float32) { binary.LittleEndian.PutUint64(b, math.Float64bits(float64(v))) },
		func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }},
}

// matrix is a matrix in a buffer of its own. Its rows have some elements behind them.
type matrix struct {
	coder
	rows, columns, stride int
	data                  []byte
}

// before is what elements are that a kernel has not written.
const before = 99

func newMatrix(element string, rows, columns, spare int, at func(row, column int) float32) *matrix {
	x := &matrix{coder: coders[element], rows: rows, columns: columns, stride: columns + spare}
	x.data = make([]byte, max(rows*x.stride, 1)*x.bytes)
	for i := range rows {
		for j := range x.stride {
			v := float32(before)
			if j < columns {
				v = at(i, j)
			}
			x.encode(x.data[(i*x.stride+j)*x.bytes:], v)
		}
	}
	return x
}

func (x *matrix) at(row, column int) float32 {
	return x.decode(x.data[(row*x.stride+column)*x.bytes:])
}

// tensorModule is the package of testdata/tensor as the front end makes it.
func tensorModule(t *testing.T) *ir.Module {
	t.Helper()
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: filepath.Join("testdata", "tensor")}, &list, ".")
	if err != nil || list.Errors() > 0 {
		t.Fatal(err, list.Items())
	}
	return m
}

// compileTensor compiles a kernel that has a variant with tensor maps.
func compileTensor(t *testing.T, m *ir.Module, name string) *abi.Artefact {
	t.Helper()
	var list diag.List
	var report codegen.Report
	a := codegen.Compile(m, name, all.Lookup("ptx"), &codegen.Options{Tensor: true, ByValue: true, Report: &report}, &list)
	if a == nil || a.Tensor == nil {
		t.Fatalf("%s has no variant with tensor maps: %s %v", name, report.NoTensor, list.Items())
	}
	return a
}

// runVariant runs the variant of a kernel with tensor maps if it can do the launch, else the kernel
// itself. The variant takes uniform buffers by value if that is chosen. Arguments are matrices,
// numbers and slices. Slices have nothing among the immediates.
func runVariant(a *abi.Artefact, byValue bool, groups uint32, arguments ...any) (isTensor bool, err error) {
	return runTensorLaunch(a, byValue, launchOf(a, groups, arguments...))
}

func runTensorLaunch(a *abi.Artefact, byValue bool, l *emulate.Launch) (isTensor bool, err error) {
	variant := a.Tensor
	if value := variant.Artefact.Valued(); byValue && value != nil {
		variant = &abi.Tensor{Maps: variant.Maps, Artefact: value}
	}
	code := variant.Artefact.Code
	m, err := ptx.Parse(code)
	if err == nil {
		isTensor, err = m.RunTensor(variant, l)
	}
	if err == nil && !isTensor {
		code = a.Code
		if m, err = ptx.Parse(code); err == nil {
			err = m.Run(&a.Kernel, l)
		}
	}
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, fibers.Numbered(code))
	}
	return isTensor, err
}

// launchOf returns the launch of a kernel with arguments as those of runVariant.
func launchOf(a *abi.Artefact, groups uint32, arguments ...any) *emulate.Launch {
	l := &emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{groups, 1, 1}, Steps: 1 << 30}
	bind := func(data []byte) {
		l.Buffers = append(l.Buffers, emulate.Buffer{Binding: uint32(len(l.Buffers)), Data: data})
	}
	for _, x := range arguments {
		switch x := x.(type) {
		case *matrix:
			bind(x.data)
			l.Immediates, _ = binary.Append(l.Immediates, binary.LittleEndian, []int32{0, int32(x.rows), int32(x.columns), int32(x.stride), 1})
		case *encoded:
			bind(x.data)
			l.Immediates, _ = binary.Append(l.Immediates, binary.LittleEndian, x.layout)
		case []float32:
			data, _ := binary.Append(nil, binary.LittleEndian, x)
			bind(data)
		default:
			l.Immediates, _ = binary.Append(l.Immediates, binary.LittleEndian, x)
		}
	}
	if a.Kernel.Immediates == nil { // too many: they are in a uniform buffer
		bind(l.Immediates)
		l.Immediates = nil
	}
	return l
}

// tensorProduct is a product of matrices by a kernel of testdata/tensor.
type tensorProduct struct {
	kernel          string
	element, result string
	a, b            bool // whether the operands are transposed
	bias, depth     bool // what the kernel has besides
	launches        []tensorLaunch
}

type tensorLaunch struct {
	rows, columns, inner int
	groups               uint32
	spare                int  // elements behind each row
	plain                bool // there is no tensor map for the launch
}

// Sizes are those of a tile, multiples of 8 that are no multiples of it, less than a tile, and
// several tiles for each workgroup.
var tensorProducts = []tensorProduct{
	{kernel: "Large", element: "f16", result: "f16", launches: []tensorLaunch{
		{128, 256, 64, 1, 0, false}, {200, 264, 72, 2, 0, false}, {5, 8, 8, 7, 8, false}, {136, 520, 328, 1, 16, false}, {100, 75, 83, 7, 0, true}, {3, 8, 0, 1, 0, true}}},
	{kernel: "Small", element: "f16", result: "f16", launches: []tensorLaunch{
		{64, 64, 64, 1, 0, false}, {200, 136, 200, 3, 8, false}, {1, 8, 8, 1, 0, false}, {65, 72, 1096, 2, 0, false}, {30, 20, 10, 1, 0, true}}},
	{kernel: "Transposed", element: "bf16", result: "f32", a: true, b: true, bias: true, launches: []tensorLaunch{
		{128, 128, 64, 1, 0, false}, {104, 72, 80, 3, 0, false}, {264, 136, 200, 2, 8, false}}},
	{kernel: "Narrow", element: "bf16", result: "bf16", b: true, launches: []tensorLaunch{
		{64, 8, 64, 1, 0, false}, {70, 19, 200, 6, 0, false}, {3, 1, 40, 1, 8, false}}},
	{kernel: "Shallow", element: "f16", result: "f16", a: true, launches: []tensorLaunch{
		{64, 64, 16, 1, 0, false}, {72, 136, 328, 6, 8, false}}},
	{kernel: "Tall", element: "f16", result: "f32", depth: true, launches: []tensorLaunch{
		{192, 64, 128, 1, 0, false}, {200, 72, 264, 4, 8, false}, {8, 8, 0, 1, 0, false}}},
	{kernel: "Single", element: "f32", result: "f32", a: true, launches: []tensorLaunch{
		{128, 64, 32, 1, 0, false}, {136, 72, 100, 1, 4, false}, {4, 132, 260, 2, 0, false}, {30, 20, 10, 1, 0, true}}},
	{kernel: "SingleBias", element: "f32", result: "f16", a: true, bias: true, launches: []tensorLaunch{
		{32, 64, 16, 1, 0, false}, {72, 68, 84, 3, 8, false}}},
	{kernel: "SingleOuter", element: "f32", result: "f32", a: true, launches: []tensorLaunch{
		{64, 128, 16, 1, 0, false}, {68, 300, 12, 2, 0, false}}},
	{kernel: "RowMajor", element: "f32", result: "f32", launches: []tensorLaunch{
		{256, 128, 32, 1, 0, false}, {260, 132, 100, 1, 4, false}, {30, 20, 10, 1, 0, true}}},
	{kernel: "Double", element: "f64", result: "f64", launches: []tensorLaunch{
		{64, 64, 32, 1, 0, false}, {72, 136, 200, 3, 2, false}, {67, 75, 83, 1, 1, false}, {5, 3, 0, 1, 0, false}}},
	{kernel: "DoubleTransposed", element: "f64", result: "f64", a: true, b: true, bias: true, launches: []tensorLaunch{
		{32, 16, 16, 1, 0, false}, {34, 36, 100, 2, 2, false}, {33, 19, 21, 6, 1, false}}},
	{kernel: "RowMajorDeep", element: "f32", result: "f32", launches: []tensorLaunch{
		{64, 64, 96, 1, 0, false}, {70, 132, 200, 2, 4, false}}},
}

// run runs a launch. Without iterations of the kernel's loop, the operands have columns all the
// same if the kernel has the depth as a parameter.
func (p *tensorProduct) run(l tensorLaunch, execute func(arguments ...any) error) error {
	inner := l.inner
	if p.depth && inner == 0 {
		inner = 8
	}
	operand := func(rows, columns int, isTransposed bool, at func(i, j int) int) *matrix {
		if isTransposed {
			return newMatrix(p.element, columns, rows, l.spare, func(i, j int) float32 { return float32(at(j, i)) })
		}
		return newMatrix(p.element, rows, columns, l.spare, func(i, j int) float32 { return float32(at(i, j)) })
	}
	left := func(i, j int) int { return (7*i+3*j+i*j)%5 - 2 }
	right := func(i, j int) int { return (5*i+j+i*j/3)%4 - 1 }
	c := newMatrix(p.result, l.rows, l.columns, l.spare, func(int, int) float32 { return before })
	arguments := []any{operand(l.rows, inner, p.a, left), operand(inner, l.columns, p.b, right)}
	var bias []float32
	if p.bias {
		for j := range l.columns {
			bias = append(bias, float32(j%9)-4)
		}
		arguments = append(arguments, bias)
	}
	if arguments = append(arguments, c); p.depth {
		arguments = append(arguments, int32(l.inner))
	}
	if err := execute(arguments...); err != nil {
		return err
	}
	want := newMatrix(p.result, l.rows, l.columns, l.spare, func(i, j int) float32 {
		sum := 0
		for k := range l.inner {
			sum += left(i, k) * right(k, j)
		}
		if p.bias {
			return max(float32(sum)+bias[j], 0)
		}
		return float32(sum)
	})
	for i := range l.rows {
		for j := range c.stride {
			if x, y := c.at(i, j), want.at(i, j); x != y {
				return fmt.Errorf("row %d, column %d is %v, want %v", i, j, x, y)
			}
		}
	}
	return nil
}

// TestStrictTensorVariants: with -math=strict only kernels that multiply by fma have variants, and
// each sum is rounded as gpu.FMA in ascending order rounds it.
func TestStrictTensorVariants(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	m := tensorModule(t)
	strict := map[string]*abi.Artefact{}
	for _, p := range tensorProducts {
		var list diag.List
		a := codegen.Compile(m, p.kernel, all.Lookup("ptx"), &codegen.Options{Tensor: true, Math: codegen.MathStrict}, &list)
		if a == nil {
			t.Fatal(p.kernel, list.Items())
		}
		if is, want := a.Tensor != nil, p.element == "f32"; is != want {
			t.Errorf("%s has a variant: %v, want %v", p.kernel, is, want)
		}
		strict[p.kernel] = a
	}
	const rows, columns, inner = 42, 72, 90
	r := rand.New(rand.NewPCG(1, 1))
	random := func(int, int) float32 { return r.Float32() - 0.5 }
	a, b := newMatrix("f32", inner, rows, 2, random), newMatrix("f32", inner, columns, 0, random)
	transposed := newMatrix("f32", rows, inner, 2, func(i, j int) float32 { return a.at(j, i) })
	for kernel, a := range map[string]*matrix{"Single": a, "RowMajor": transposed} {
		c := newMatrix("f32", rows, columns, 0, func(int, int) float32 { return before })
		if isTensor, err := runVariant(strict[kernel], false, 1, a, b, c); err != nil || !isTensor {
			t.Fatal(kernel, isTensor, err)
		}
		for i := range rows {
			for j := range columns {
				sum := float32(0)
				for k := range inner {
					sum = gpu.FMA(transposed.at(i, k), b.at(k, j), sum)
				}
				if x := c.at(i, j); x != sum {
					t.Fatalf("%s: row %d, column %d is %v, want %v", kernel, i, j, x, sum)
				}
			}
		}
	}
}

// TestDoubleVariants: variants whose products are of float64 have no tensor maps, and are for all
// devices from compute capability 9.0 on. Code for such a device has no variant.
func TestDoubleVariants(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	m := tensorModule(t)
	for _, test := range []struct{ kernel, target, unmapped, profile string }{
		{"Double", "ptx", "ptx:sm_90", "sm_90"},
		{"Double", "ptx:sm_80", "", ""},
		{"Double", "ptx:sm_90", "", ""},
		{"Small", "ptx", "", "sm_90a"},
	} {
		target := all.Lookup("ptx")
		if _, profile, ok := strings.Cut(test.target, ":"); ok {
			var err error
			if target, err = target.With(profile); err != nil {
				t.Fatal(err)
			}
		}
		var list diag.List
		var report codegen.Report
		a := codegen.Compile(m, test.kernel, target, &codegen.Options{Tensor: true, Report: &report}, &list)
		if a == nil {
			t.Fatal(test.kernel, list.Items())
		}
		profile := ""
		if a.Tensor != nil {
			profile = a.Tensor.Artefact.Kernel.Profile
		}
		if profile != test.profile || report.Unmapped != test.unmapped {
			t.Errorf("%s for %s has a variant for %q, without maps for %q; want %q and %q", test.kernel, test.target, profile, report.Unmapped, test.profile, test.unmapped)
		}
	}
}

// TestTensorVariants runs kernels and compares the results with references.
func TestTensorVariants(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	m := tensorModule(t)
	ran := map[string]int{}
	var mutex sync.Mutex
	t.Run("kernels", func(t *testing.T) {
		for n := range tensorProducts {
			p := &tensorProducts[n]
			a := compileTensor(t, m, p.kernel)
			t.Run(p.kernel, func(t *testing.T) {
				t.Parallel()
				for _, l := range p.launches {
					isTensor := false
					err := p.run(l, func(arguments ...any) (err error) {
						isTensor, err = runVariant(a, false, l.groups, arguments...)
						return err
					})
					if err != nil {
						t.Errorf("%+v: %v", l, err)
					} else if isTensor == l.plain {
						t.Errorf("%+v: the variant with tensor maps ran: %v", l, isTensor)
					}
					mutex.Lock()
					if isTensor {
						ran[p.kernel]++
					}
					mutex.Unlock()
				}
			})
		}
		for _, name := range []string{"Statistics", "Constants"} {
			a := compileTensor(t, m, name)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if err := runTwice(a, name == "Constants"); err != nil {
					t.Error(err)
				}
				mutex.Lock()
				ran[name]++
				mutex.Unlock()
			})
		}
		attention := compileTensor(t, m, "Attention")
		t.Run("Attention", func(t *testing.T) {
			t.Parallel()
			if attention.Tensor.Artefact.Valued() == nil {
				t.Error("its uniform buffer cannot be passed by value")
			}
			for byValue, length := range map[bool]int{false: 128, true: 384} {
				if err := runAttention(attention, byValue, length); err != nil {
					t.Errorf("heads of %d rows, by value %v: %v", length, byValue, err)
				}
			}
			mutex.Lock()
			ran["Attention"]++
			mutex.Unlock()
		})
	})
	for _, k := range m.Kernels() {
		if ran[k.Name] == 0 && !slices.Contains(windowKernels, k.Name) {
			t.Errorf("kernel %s did not run with tensor maps", k.Name)
		}
	}
	t.Logf("launches with tensor maps: %v", ran)
}

// matrixUnits are profiles with instructions for products: of which elements, what shows them in
// the code, and what executes it. Of some profiles only the kernels of some elements run, as those
// of others have the same code as for another profile.
var matrixUnits = []struct {
	target, profile string
	elements, runs  []string
	shows           string
	run             func(a *abi.Artefact, l *emulate.Launch) error
}{
	{"ptx", "sm_80", []string{"f16", "bf16", "f64"}, nil, "mma.sync", func(a *abi.Artefact, l *emulate.Launch) error { return ptx.Run(a.Code, &a.Kernel, l) }},
	{"spirv", "1.6_coopmat", []string{"f16"}, nil, "SPV_KHR_cooperative_matrix", func(a *abi.Artefact, l *emulate.Launch) error { return spirv.Run(a.Code, l) }},
	{"spirv", "1.6_coopmat_bf16", []string{"bf16"}, []string{"bf16"}, "SPV_KHR_bfloat16", func(a *abi.Artefact, l *emulate.Launch) error { return spirv.Run(a.Code, l) }},
}

// TestMatrixUnits runs the kernels by the instructions of other matrix units.
func TestMatrixUnits(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	m := tensorModule(t)
	for _, unit := range matrixUnits {
		with, err := all.Lookup(unit.target).With(unit.profile)
		if err != nil {
			t.Fatal(err)
		}
		for n := range tensorProducts {
			p := &tensorProducts[n]
			if unit.runs != nil && !slices.Contains(unit.runs, p.element) {
				continue
			}
			t.Run(unit.target+"/"+unit.profile+"/"+p.kernel, func(t *testing.T) {
				var list diag.List
				a := codegen.Compile(m, p.kernel, with, &codegen.Options{}, &list)
				if a == nil {
					t.Fatal(list.Items())
				}
				want := slices.Contains(unit.elements, p.element)
				if p.kernel == "Narrow" { // which has eight columns
					want = want && unit.target == "ptx"
				}
				if is := bytes.Contains(a.Code, []byte(unit.shows)); is != want {
					t.Errorf("the code with products of %s has %s: %v, want %v", p.element, unit.shows, is, want)
				}
				if is, want := bytes.Contains(a.Code, []byte("cp.async.cg")), unit.target == "ptx" && p.element != "f32"; is != want {
					t.Errorf("asynchronous copies bring operands: %v, want %v", is, want)
				}
				unaligned := p.launches[0]
				unaligned.spare += 3
				for _, l := range append([]tensorLaunch{unaligned}, p.launches[:min(len(p.launches), 2)]...) {
					err := p.run(l, func(arguments ...any) error {
						return unit.run(a, launchOf(a, l.groups, arguments...))
					})
					if err != nil {
						t.Errorf("%+v: %v", l, err)
					}
				}
			})
		}
	}
}

// runTwice runs Statistics, in which a store overwrites a column of another one, or Constants.
func runTwice(artefact *abi.Artefact, constant bool) error {
	const side = 64
	left := func(i, j int) int { return (i+2*j)%3 - 1 }
	right := func(i, j int) int { return (3*i+j)%4 - 1 }
	a := newMatrix("f16", side, side, 0, func(i, j int) float32 { return float32(left(i, j)) })
	b := newMatrix("f16", side, side, 0, func(i, j int) float32 { return float32(right(i, j)) })
	c := newMatrix("f16", side, side, 0, func(int, int) float32 { return before })
	d := newMatrix("f32", side, side, 0, func(int, int) float32 { return before })
	isTensor, err := runVariant(artefact, false, 1, a, b, c, d)
	if err != nil || !isTensor {
		return fmt.Errorf("ran with tensor maps: %v; %w", isTensor, err)
	}
	for i := range side {
		var first, second [side]int
		for j := range side {
			for k := range side {
				first[j] += left(i, k) * right(k, j)
			}
			if constant {
				first[j] = 2
			}
		}
		for j := range side {
			for k := range side {
				second[j] += first[k] * right(k, j)
			}
		}
		if !constant {
			second[3] = slices.Max(second[:])
		}
		for j := range side {
			if c.at(i, j) != float32(first[j]) || d.at(i, j) != float32(second[j]) {
				return fmt.Errorf("row %d, column %d: %v and %v, want %d and %d", i, j, c.at(i, j), d.at(i, j), first[j], second[j])
			}
		}
	}
	return nil
}

// runAttention runs Attention for two heads of some rows.
func runAttention(a *abi.Artefact, byValue bool, length int) error {
	const heads, width, tolerance = 2, 128, 2e-3
	state := uint32(length)
	random := func(int, int) float32 {
		state = state*1664525 + 1013904223
		return float32(int32(state>>16)%1000)/500 - 1
	}
	rows := heads * length
	q, k, v := newMatrix("f16", rows, width, 0, random), newMatrix("f16", rows, width, 0, random), newMatrix("f16", rows, width, 0, random)
	o := newMatrix("f16", rows, width, 0, func(int, int) float32 { return before })
	scale := 1 / math.Sqrt(width)
	isTensor, err := runVariant(a, byValue, uint32(rows/128), q, k, v, o, int32(length), float32(scale*math.Log2E))
	if err != nil || !isTensor {
		return fmt.Errorf("ran with tensor maps: %v; %w", isTensor, err)
	}
	for r := 0; r < rows; r += 7 {
		head := r / length * length
		weights, sum := make([]float64, length), 0.0
		for j := range weights {
			for d := range width {
				weights[j] += float64(q.at(r, d)) * float64(k.at(head+j, d)) * scale
			}
			weights[j] = math.Exp(weights[j])
			sum += weights[j]
		}
		for d := range width {
			want := 0.0
			for j, w := range weights {
				want += w / sum * float64(v.at(head+j, d))
			}
			if got := float64(o.at(r, d)); !(math.Abs(got-want) < tolerance) {
				return fmt.Errorf("row %d, column %d is %v, want %v", r, d, got, want)
			}
		}
	}
	return nil
}
