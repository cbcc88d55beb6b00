package all_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	ptxtarget "github.com/gpuc/gpuc/codegen/ptx"
	spirvtarget "github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// sized are the kinds that memory holds.
var sized = []scalar.Kind{scalar.I8, scalar.U8, scalar.I16, scalar.U16, scalar.I32, scalar.U32, scalar.I64, scalar.U64, scalar.F16, scalar.F32, scalar.F64}

// floats are numbers around which conversions and roundings change, as far as a kind has them.
var floats = []float64{0, math.Copysign(0, -1), 0.25, -0.5, 0.5, 1, -1, 1.5, -1.75, 2.5, -2.5, 127.5, -128.5, 255.75, 256, 32767.5, -32769, 65504, 65520, 65535.5,
	0x1p24 + 1, 2147483520, 2147483647, 2147483647.5, 0x1p31, -0x1p31, -2147483649, 4294967040, 4294967295, 4294967295.5, 0x1p32, 0x1p53 + 2, 0x1p62, 0x1p63, -0x1p63, 0x1p64,
	0x1.fffffep62, 0x1.fffffffffffffp62, 0x1.fffffffffffffp63, 1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-52, 1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-52, 0x1p-24, 0x1p-25, 0x1p-149, 0x1p-150, 0x1p-1074,
	1e300, -1e300, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}

// numbersOf returns patterns of a kind.
func numbersOf(k scalar.Kind) (list []uint64) {
	if k.IsFloat() {
		for _, x := range floats {
			list = append(list, scalar.FromFloat64(k, x))
		}
		return list
	}
	for _, x := range []uint64{0, 1, 2, 100, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 1<<24 + 1, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32,
		1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1024, 1<<63 + 1025, math.MaxUint64, math.MaxUint64 - 1, math.MaxUint64 - 128} {
		list = append(list, x&k.Mask())
	}
	return list
}

// pack writes patterns as memory holds them.
func pack(k scalar.Kind, list []uint64) (data []byte) {
	for _, x := range list {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		data = append(data, b[:k.Bits()/8]...)
	}
	return data
}

// sizedKernel computes an element of the result from those of operands.
func sizedKernel(operands []scalar.Kind, result scalar.Kind, body string) string {
	var text strings.Builder
	for n, k := range operands {
		fmt.Fprintf(&text, "var @in%d : ptr<storage, array<%v>, read> [group 0, binding %d]\n", n, k, n)
	}
	fmt.Fprintf(&text, "var @out : ptr<storage, array<%v>, read_write> [group 0, binding %d]\n", result, len(operands))
	text.WriteString("kernel @k(%i: u32 [global_invocation_index]) [workgroup 16u, 1u, 1u] {\n")
	text.WriteString("  %n = array_length @out : u32\n  %ok = lt %i, %n : bool\n  if ^if %ok {\n")
	for n, k := range operands {
		fmt.Fprintf(&text, "    %%p%d = access @in%d, %%i : ptr<storage, %v, read>\n    %%x%d = load %%p%d : %v\n", n, n, k, n, n, k)
	}
	fmt.Fprintf(&text, "    %s\n    %%q = access @out, %%i : ptr<storage, %v, read_write>\n    store %%q, %%y\n    exit ^if()\n  } else {\n    exit ^if()\n  }\n  return\n}\n", body, result)
	return text.String()
}

// sizedCase is a kernel that computes elements of one kind from those of others.
type sizedCase struct {
	operands []scalar.Kind
	inputs   [][]byte // of each operand
	elements int
	result   scalar.Kind
	body     string
}

// run compares what both emulators make of the kernel with the interpreter.
func (c *sizedCase) run(t *testing.T) {
	t.Helper()
	text := sizedKernel(c.operands, c.result, c.body)
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("%+v\n%s", items, text)
	}
	want := make([]byte, c.elements*c.result.Bits()/8)
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Grid: c.grid(), Workers: 1, Fuel: 1 << 22}
	for _, b := range p.Bindings() {
		l.Buffers = append(l.Buffers, c.buffer(b.Binding, want))
	}
	if items, err := p.Run(&l); err != nil || len(items) > 0 {
		t.Fatalf("%v %+v\n%s", err, items, text)
	}
	for _, target := range []*codegen.Target{&spirvtarget.Target, &ptxtarget.Target} {
		for _, plain := range []bool{false, true} {
			got, err := c.emulated(m, target, plain)
			if err != nil {
				t.Errorf("%s: %v\n%s", target.Name, err, text)
				continue
			}
			c.compare(t, fmt.Sprintf("%s, plain %v", target.Name, plain), want, got)
		}
	}
}

func (c *sizedCase) grid() [3]uint32 { return [3]uint32{uint32(c.elements+15) / 16, 1, 1} }

// buffer returns what is bound to a binding: an input, or the result behind them.
func (c *sizedCase) buffer(binding uint32, result []byte) []byte {
	if int(binding) < len(c.operands) {
		return c.inputs[binding]
	}
	return result
}

// emulated returns what the kernel leaves on the emulator of a target.
func (c *sizedCase) emulated(m *ir.Module, target *codegen.Target, plain bool) ([]byte, error) {
	a, err := compile(m, target, codegen.Options{NoOptimize: plain, Math: opt.MathStrict})
	if err != nil {
		return nil, err
	}
	got := make([]byte, c.elements*c.result.Bits()/8)
	launch := emulate.Launch{Entry: a.Kernel.Name, Grid: c.grid()}
	for _, b := range a.Kernel.Arguments() {
		launch.Buffers = append(launch.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: c.buffer(b.Binding, got)})
	}
	if target == &spirvtarget.Target {
		return got, spirv.Run(a.Code, &launch)
	}
	return got, ptx.Run(a.Code, &a.Kernel, &launch)
}

// compare compares results, in which all NaNs are equal.
func (c *sizedCase) compare(t *testing.T, name string, want, got []byte) {
	t.Helper()
	size := c.result.Bits() / 8
	for n := range c.elements {
		x, y := bitsAt(want[n*size:], size), bitsAt(got[n*size:], size)
		if x == y || c.result.IsFloat() && math.IsNaN(scalar.ToFloat64(c.result, x)) && math.IsNaN(scalar.ToFloat64(c.result, y)) {
			continue
		}
		var from []string
		for k, in := range c.inputs {
			bytes := c.operands[k].Bits() / 8
			from = append(from, fmt.Sprintf("%#x", bitsAt(in[n*bytes:], bytes)))
		}
		t.Errorf("%s: %s of %v: %#x, want %#x", name, c.body, from, y, x)
	}
}

// TestSizes holds what both emulators make of each conversion of the kinds that memory holds, and
// of each operation on f64, against the interpreter.
func TestSizes(t *testing.T) {
	count := 0
	run := func(operands []scalar.Kind, inputs [][]byte, elements int, result scalar.Kind, body string) {
		count++
		(&sizedCase{operands, inputs, elements, result, body}).run(t)
	}
	for _, from := range sized {
		list := numbersOf(from)
		in := pack(from, list)
		for _, to := range sized {
			if from.IsNarrow() && to.IsFloat() || from.IsFloat() && to.IsNarrow() {
				continue // by way of a word
			}
			run([]scalar.Kind{from}, [][]byte{in}, len(list), to, fmt.Sprintf("%%y = convert %%x0 : %v", to))
		}
		run([]scalar.Kind{from}, [][]byte{in}, len(list), scalar.U32, "%b = convert %x0 : bool\n    %y = convert %b : u32")
		run([]scalar.Kind{from}, [][]byte{in}, len(list), from, fmt.Sprintf("%%b = convert %%x0 : bool\n    %%y = convert %%b : %v", from))
	}
	numbers := numbersOf(scalar.F64)
	f64 := scalar.F64
	for _, o := range []op.Op{op.Neg, op.Abs, op.Sign, op.Floor, op.Ceil, op.Trunc, op.Round, op.Fract, op.Sqrt} {
		run([]scalar.Kind{f64}, [][]byte{pack(f64, numbers)}, len(numbers), f64, fmt.Sprintf("%%y = %v %%x0 : f64", o))
	}
	var left, right, third []uint64
	for n, x := range numbers {
		for k, y := range numbers {
			left, right, third = append(left, x), append(right, y), append(third, numbers[(3*n+7*k)%len(numbers)])
		}
	}
	pairs := [][]byte{pack(f64, left), pack(f64, right)}
	for _, o := range []op.Op{op.Add, op.Sub, op.Mul, op.Div, op.Min, op.Max} {
		run([]scalar.Kind{f64, f64}, pairs, len(left), f64, fmt.Sprintf("%%y = %v %%x0, %%x1 : f64", o))
	}
	for _, o := range []op.Op{op.Eq, op.Ne, op.Lt, op.Le, op.Gt, op.Ge} {
		run([]scalar.Kind{f64, f64}, pairs, len(left), scalar.U32, fmt.Sprintf("%%c = %v %%x0, %%x1 : bool\n    %%y = convert %%c : u32", o))
	}
	triples := append(pairs, pack(f64, third))
	for _, o := range []op.Op{op.Fma, op.Clamp} {
		run([]scalar.Kind{f64, f64, f64}, triples, len(left), f64, fmt.Sprintf("%%y = %v %%x0, %%x1, %%x2 : f64", o))
	}
	run([]scalar.Kind{f64, f64, f64}, triples, len(left), f64, "%c = lt %x0, %x1 : bool\n    %y = select %c, %x1, %x2 : f64")
	t.Logf("%d kernels", count)
}

func bitsAt(data []byte, size int) uint64 {
	var b [8]byte
	copy(b[:], data[:size])
	return binary.LittleEndian.Uint64(b[:])
}
