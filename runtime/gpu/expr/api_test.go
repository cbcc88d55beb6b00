package expr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/expr"
)

// This file checks values that NumPy has computed, errors, locations, and what a second evaluation
// costs.

// TestNumPy compares with NumPy 2.4, which computed in float64.
func TestNumPy(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, name := range devices {
		t.Run(name, func(t *testing.T) {
			c := open(t, name)
			f := func(shape []int, list ...float32) *expr.Tensor { return expr.From(c, list, shape...) }
			x := f([]int{2, 4}, 1, 2, 3, 4, -1, 0.5, 0, 100)
			a := f([]int{2, 3}, 0, 1, 2, 3, 4, 5)
			g := f([]int{7}, -3, -1, -0.5, 0, 0.5, 1, 3)
			numbered := make([]float32, 24)
			for n := range numbered {
				numbered[n] = float32(n)
			}
			empty := expr.From(c, []float32{}, 0, 3)
			for _, test := range []struct {
				name   string
				tensor *expr.Tensor
				shape  []int
				want   []float64
			}{
				{"softmax of rows", x.Softmax(1), []int{2, 4}, []float64{0.0320586, 0.08714432, 0.2368828, 0.6439143, 0, 0, 0, 1}},
				{"softmax of columns", x.Softmax(0), []int{2, 4}, []float64{0.8807971, 0.8175745, 0.9525741, 0, 0.1192029, 0.1824255, 0.04742587, 1}},
				{"softmax with a mask", f([]int{2, 2}, 0, -inf, 1, 1).Softmax(-1), []int{2, 2}, []float64{1, 0, 0.5, 0.5}},
				{"layer norm", f([]int{2, 3}, 1, 2, 4, 5, 5, 5.5).LayerNorm(f([]int{3}, 1, 2, 0.5), f([]int{3}, 0, -1, 1), 1e-5), []int{2, 3},
					[]float64{-1.069042, -1.534521, 1.668151, -0.7070432, -2.414086, 1.707043}},
				{"GELU", g.GELU(), []int{7}, []float64{-0.004049694, -0.1586553, -0.1542688, 0, 0.3457312, 0.8413447, 2.99595}},
				{"SiLU", g.SiLU(), []int{7}, []float64{-0.1422776, -0.2689414, -0.1887703, 0, 0.3112297, 0.7310586, 2.857722}},
				{"Sigmoid", f([]int{5}, -100, -1, 0, 1, 100).Sigmoid(), []int{5}, []float64{0, 0.2689414, 0.5, 0.7310586, 1}},
				{"Tanh", g.Tanh(), []int{7}, []float64{-0.9950548, -0.7615942, -0.4621172, 0, 0.4621172, 0.7615942, 0.9950548}},
				{"a column", a.Add(f([]int{2, 1}, 10, 20)), []int{2, 3}, []float64{10, 11, 12, 23, 24, 25}},
				{"a row", a.Mul(f([]int{3}, 1, 2, 3)), []int{2, 3}, []float64{0, 2, 6, 3, 8, 15}},
				{"an outer difference", f([]int{3, 1}, 0, 1, 2).Sub(f([]int{2}, 0, 1)), []int{3, 2}, []float64{0, -1, 1, 0, 2, 1}},
				{"a number", a.Add(c.Scalar(1)).Pow(c.Scalar(2)), []int{2, 3}, []float64{1, 4, 9, 16, 25, 36}},
				{"no axes", f(nil, 3).Mul(f(nil, 4)), []int{}, []float64{12}},
				{"nothing by columns", empty.Sum(0), []int{3}, []float64{0, 0, 0}},
				{"nothing by rows", empty.Sum(1), []int{0}, nil},
				{"nothing and a row", empty.Add(f([]int{3}, 1, 1, 1)), []int{0, 3}, nil},
				{"a product of nothing", empty.Transpose().Slice(0, 0, 2).MatMul(empty), []int{2, 3}, []float64{0, 0, 0, 0, 0, 0}},
				{"means of columns", a.Mean(0), []int{3}, []float64{1.5, 2.5, 3.5}},
				{"maximums of rows", a.Max(1), []int{2}, []float64{2, 5}},
				{"a minimum of all", a.Min(), []int{}, []float64{0}},
				{"a view of a view", expr.From(c, numbered, 2, 3, 4).Permute(2, 0, 1).Slice(0, 1, 3).Slice(2, 1, 3), []int{2, 2, 2}, []float64{5, 9, 17, 21, 6, 10, 18, 22}},
				{"products of a batch", expr.From(c, numbered[:12], 2, 2, 3).MatMul(expr.From(c, numbered[:6], 3, 2)), []int{2, 2, 2}, []float64{10, 13, 28, 40, 46, 67, 64, 94}},
				{"Where", a.Greater(c.Scalar(2)).Where(a, a.Neg()), []int{2, 3}, []float64{0, -1, -2, 3, 4, 5}},
				{"quotients of integers", expr.From(c, []int32{7, -7, 7, -7}).Div(expr.From(c, []int32{2, 2, -2, -2})), []int{4}, []float64{3, -3, -3, 3}},
				{"integers of floats", f([]int{3}, 1.9, -1.9, 0.5).Convert(expr.Int32), []int{3}, []float64{1, -1, 0}},
				{"sums of integers", expr.From(c, []int32{1, 2, 3, 4, 5, 6}, 2, 3).Sum(0), []int{3}, []float64{5, 7, 9}},
				{"Equal", a.Equal(f([]int{1, 3}, 0, 4, 5)), []int{2, 3}, []float64{1, 0, 0, 0, 1, 1}},
				{"GreaterEqual", a.GreaterEqual(c.Scalar(3)), []int{2, 3}, []float64{0, 0, 0, 1, 1, 1}},
				{"all pairs", f([]int{1, 3}, 1, 1, 1).Add(f([]int{3, 1}, 1, 1, 1)).Sum(), []int{}, []float64{18}},
				{"float16", f([]int{4}, 0.1, 1000.1, 65504, -2.5).Convert(expr.Float16), []int{4}, []float64{0.09997559, 1000, 65504, -2.5}},
				{"an odd number of float16", f([]int{3}, 0.5, 1.5, -2.5).Convert(expr.Float16).Neg(), []int{3}, []float64{-0.5, -1.5, 2.5}},
				{"bools", expr.From(c, []bool{true, false, true}).Convert(expr.Float32).Sum(), []int{}, []float64{2}},
				{"a reshape", a.Reshape(3, -1).Transpose(), []int{2, 3}, []float64{0, 2, 4, 1, 3, 5}},
				{"the mean of nothing", empty.Mean(0).Equal(empty.Mean(0)), []int{3}, []float64{0, 0, 0}},
				{"smallest and largest", a.Minimum(c.Scalar(4)).Maximum(c.Scalar(1)), []int{2, 3}, []float64{1, 1, 2, 3, 4, 4}},
				{"logarithms", f([]int{3}, 1, 2, 10).Log(), []int{3}, []float64{0, 0.6931472, 2.302585}},
				{"roots", f([]int{2}, 4, 2).Rsqrt(), []int{2}, []float64{0.5, 0.7071068}},
				{"smallest of rows that are kept", a.MinKeep(1).Sub(a.MaxKeep(1)), []int{2, 1}, []float64{-2, -2}},
			} {
				got, err := read(test.tensor)
				if err != nil || !slices.Equal(test.tensor.Shape(), test.shape) || len(got) != len(test.want) {
					t.Errorf("%s: %v of shape %v, want %v of %v: %v", test.name, got, test.tensor.Shape(), test.want, test.shape, err)
					continue
				}
				for n, want := range test.want {
					if !(math.Abs(got[n]-want) <= 1e-5*(1+math.Abs(want))) {
						t.Errorf("%s: element %d is %v, want %v", test.name, n, got[n], want)
					}
				}
			}
		})
	}
}

// TestErrors checks that errors say what is wrong and where, and are of the right kind.
func TestErrors(t *testing.T) {
	c, other := open(t, "cpu:0"), open(t, "cpu:0")
	x, y := random(c, 1, 2, 3).tensor, random(c, 1, 4, 3).tensor
	integers := expr.From(c, []int32{1, 2, 3})
	closed := random(c, 1, 3).tensor
	late := closed.Neg()
	if err := errors.Join(closed.Close(), closed.Close()); err != nil {
		t.Fatal(err)
	}
	foreign, err := gpu.Alloc[float32](other.Stream(), 3)
	if err != nil {
		t.Fatal(err)
	}
	odd, err := gpu.Alloc[gpu.Float16](c.Stream(), 3)
	if err != nil {
		t.Fatal(err)
	}
	wrongType := func() *expr.Tensor { return x.Convert(expr.Type(9)) }
	for _, test := range []struct {
		tensor *expr.Tensor
		kind   error
		text   string
	}{
		{x.Add(y), gpu.ErrShape, "Add at api_test.go:"},
		{x.Add(y), gpu.ErrShape, "the shapes (2, 3) and (4, 3) do not broadcast: axis 2 from the end has 2 and 4"},
		{x.Add(y).Neg().Sum(), gpu.ErrShape, "Add at api_test.go:"},
		{x.MatMul(y), gpu.ErrShape, "(2, 3) and (4, 3) are no matrices to multiply"},
		{x.Reshape(4, 2), gpu.ErrShape, "the shape (2, 3) has 6 elements, and (4, 2) does not fit them"},
		{x.Reshape(-1, 4), gpu.ErrShape, "(-1, 4) does not fit"},
		{x.Permute(0, 0), gpu.ErrShape, "[0 0] is no order of the 2 axes of (2, 3)"},
		{x.Permute(1), gpu.ErrShape, "[1] is no order"},
		{integers.Transpose(), gpu.ErrShape, "fewer than two axes"},
		{x.Slice(1, 2, 4), gpu.ErrShape, "there are no elements 2 to 4 on axis 1 of (2, 3)"},
		{x.Broadcast(3), gpu.ErrShape, "the shape (2, 3) does not broadcast to (3)"},
		{x.Sum(0, -2), gpu.ErrShape, "[0 -2] are no axes of (2, 3)"},
		{x.Softmax(2), gpu.ErrShape, "Softmax at api_test.go:"},
		{x.Slice(0, 0, 0).Max(0), gpu.ErrShape, "the shape (0, 3) has no elements over the axes [0]"},
		{x.Add(integers), gpu.ErrShape, "the types float32 and int32 differ; Convert changes one"},
		{integers.Mul(c.Scalar(0.5)), gpu.ErrShape, "the number 0.5 is no int32"},
		{integers.Exp(), gpu.ErrUnsupported, "there is no Exp of int32"},
		{integers.Mean(), gpu.ErrUnsupported, "there is no Mean of int32"},
		{x.Less(x).Sum(), gpu.ErrUnsupported, "there is no Sum of bool"},
		{x.Where(x, x), gpu.ErrShape, "the condition is a tensor of float32, not of bool"},
		{wrongType(), gpu.ErrShape, "there is no element type Type(9)"},
		{expr.From(c, []float32{1, 2, 3}, 2, 2), gpu.ErrShape, "From at api_test.go:"},
		{expr.From(c, []float32{}, -1), gpu.ErrShape, "the shape (-1) has a negative size"},
		{expr.From(c, []float32{1}, 1, 1, 1, 1, 1, 1, 1, 1, 1), gpu.ErrShape, "more than 8 axes"},
		{expr.From(c, []float32{1}).Broadcast(70000, 70000), gpu.ErrShape, "more than 2147483647 elements"},
		{expr.Of(c, odd), gpu.ErrShape, "a buffer of 3 elements for the shape (3), which needs 4"},
		{expr.Of[float32](c, nil), gpu.ErrShape, "the buffer is nil"},
		{x.Add(random(other, 1, 2, 3).tensor), gpu.ErrShape, "the tensors belong to different contexts"},
		{x.Add(nil), gpu.ErrShape, "tensor 2 of 2 is nil"},
		{new(expr.Tensor).Neg(), gpu.ErrShape, "tensor 1 of 1 is nil or none that this package made"},
		{late, gpu.ErrClosed, "a tensor of (3)"},
		{closed, gpu.ErrClosed, "a tensor of (3)"},
		{expr.Of(c, foreign).Neg(), gpu.ErrShape, "belongs to another device"},
	} {
		_, err := read(test.tensor)
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%v, want %q and %v", err, test.text, test.kind)
		}
		if first := test.tensor.Err(); first != nil && first.Error() != err.Error() {
			t.Errorf("Err is %v, and reading is %v", first, err)
		}
		if err := c.Run(test.tensor); !errors.Is(err, test.kind) {
			t.Errorf("Run: %v, want %v", err, test.kind)
		}
	}
	if _, err := expr.Read[int32](context.Background(), x); !errors.Is(err, gpu.ErrShape) || !strings.Contains(err.Error(), "a tensor of float32 into a slice of int32") {
		t.Error(err)
	}
	if _, err := expr.Buffer[int32](x); !errors.Is(err, gpu.ErrShape) {
		t.Error(err)
	}
	if err := c.Run(random(other, 1, 2).tensor); !errors.Is(err, gpu.ErrShape) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := expr.Read[float32](ended, x.Neg()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := expr.New(nil); err == nil {
		t.Error("a context of no device")
	}
	if _, err := expr.New(c.Stream().Device(), expr.On(other.Stream())); !errors.Is(err, gpu.ErrShape) {
		t.Error(err)
	}
	// a closed context
	made, err := expr.New(c.Stream().Device())
	if err != nil {
		t.Fatal(err)
	}
	z := expr.From(made, []float32{1}).Neg()
	if err := errors.Join(made.Run(z), made.Close(), made.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := made.Explain(z.Neg()); !errors.Is(err, gpu.ErrClosed) {
		t.Error(err)
	}
	if err := made.Run(z.Neg()); !errors.Is(err, gpu.ErrClosed) {
		t.Error(err)
	}
	// without memory, the context goes on afterwards
	d := c.Stream().Device()
	big := random(c, 1, 64).tensor.Reshape(64, 1).Add(random(c, 2, 1<<20).tensor)
	if err := d.SetMemoryLimit(16 << 20); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(big); !errors.Is(err, gpu.ErrOutOfMemory) {
		t.Error(err)
	}
	if err := errors.Join(d.SetMemoryLimit(0), c.Run(big)); err != nil {
		t.Error(err)
	}
}

// TestLocations checks where elements are, and that copies are made once.
func TestLocations(t *testing.T) {
	c := open(t, "cpu:0")
	ctx := context.Background()
	slice := []float32{1, 2, 3}
	x := expr.From(c, slice)
	y := x.Mul(c.Scalar(2))
	at := func(t2 *expr.Tensor, want expr.Location) {
		t.Helper()
		if got := t2.Location(); got != want {
			t.Errorf("the tensor is at %v, want %v", got, want)
		}
	}
	read := func(x *expr.Tensor, want ...float32) {
		t.Helper()
		got, err := expr.Read[float32](ctx, x)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, want %v: %v", got, want, err)
		}
	}
	at(x, expr.Host)
	at(y, expr.Lazy)
	if err := c.Run(y); err != nil {
		t.Fatal(err)
	}
	at(x, expr.Both)
	at(y, expr.Device)
	read(y, 2, 4, 6)
	read(y, 2, 4, 6)
	at(y, expr.Both)
	read(x.Add(y), 3, 6, 9)
	if s := c.Stats(); s.Uploads != 1 || s.Downloads != 2 {
		t.Errorf("copies were made more than once: %+v", s)
	}
	// the program changes its slice, and what Read gave
	slice[0] = 10
	read(x.Neg(), -1, -2, -3)
	result, err := expr.Read[float32](ctx, y)
	if err != nil {
		t.Fatal(err)
	}
	result[2] = 0
	if err := errors.Join(x.Changed(), y.Changed()); err != nil {
		t.Fatal(err)
	}
	at(x, expr.Host)
	read(x.Neg(), -10, -2, -3)
	read(x.Add(y), 12, 6, 3)
	// buffers of both sides
	b, err := expr.Buffer[float32](y)
	if err != nil || b.Len() != 3 {
		t.Fatal(b.Len(), err)
	}
	z := expr.Of(c, b, 3)
	read(z.Neg(), -2, -4, 0)
	read(z, 2, 4, 0)
	if err := b.Write(c.Stream(), []float32{7, 8, 9}); err != nil {
		t.Fatal(err)
	}
	read(z, 7, 8, 9)
	read(z.Neg(), -7, -8, -9)
	at(z, expr.Device)
	if err := z.Changed(); !errors.Is(err, gpu.ErrShape) {
		t.Error(err)
	}
	if err := z.Close(); err != nil || b.Len() != 3 {
		t.Error(err)
	}
	if err := gpu.Copy(c.Stream(), b, b); !errors.Is(err, gpu.ErrAlias) {
		t.Error("closing a tensor of Of has closed the buffer:", err)
	}
	// 16-bit elements, an odd number of them, of a longer buffer
	h, err := gpu.Upload(ctx, c.Stream().Device(), []gpu.BFloat16{gpu.ToBFloat16(1), gpu.ToBFloat16(2), gpu.ToBFloat16(3), gpu.ToBFloat16(4)})
	if err != nil {
		t.Fatal(err)
	}
	read(expr.Of(c, h, 3).Convert(expr.Float32), 1, 2, 3)
	odd, err := expr.Buffer[gpu.BFloat16](expr.Of(c, h, 3).Neg())
	if err != nil || odd.Len() != 3 {
		t.Error(odd.Len(), err)
	}
	flags, err := expr.Buffer[uint32](x.Less(c.Scalar(0)))
	if err != nil || flags.Len() != 3 {
		t.Error(flags.Len(), err)
	}
}

// TestMemory checks that what is between kernels goes back, and that tensors' buffers do when they
// are closed.
func TestMemory(t *testing.T) {
	c := open(t, "cpu:0")
	d := c.Stream().Device()
	x := random(c, 1, 256, 256).tensor
	run := func() {
		t.Helper()
		y := x.MatMul(x).Exp().MatMul(x).Sum(0)
		if err := errors.Join(c.Run(y), y.Close()); err != nil {
			t.Fatal(err)
		}
	}
	run()
	first := d.Memory()
	for range 5 {
		run()
	}
	if m := d.Memory(); m.InUse != first.InUse || m.Buffers != first.Buffers || m.Reserved != first.Reserved {
		t.Errorf("memory grows: %+v, after the first %+v", m, first)
	}
	if want := uint64(4 * 256 * 256); first.InUse < want || first.InUse > want+want/2 {
		t.Errorf("%d bytes are in use, and the tensor has %d", first.InUse, want)
	}
}

// TestPlans evaluates more graphs than plans are kept, and the first one again.
func TestPlans(t *testing.T) {
	c := open(t, "cpu:0")
	d := c.Stream().Device()
	var buffers int
	for n := 1; n <= 300; n++ {
		x := random(c, 1, n)
		y := x.tensor.Neg()
		compare(t, fmt.Sprint(n, " elements"), y, apply(functions["Neg"], "float32", x.ref))
		if err := errors.Join(x.tensor.Close(), y.Close()); err != nil {
			t.Fatal(err)
		}
		if n == 256 {
			buffers = d.Memory().Buffers
		}
	}
	if m := d.Memory(); m.Buffers != buffers || buffers != 256 {
		t.Errorf("%d buffers for the sizes of plans, and %d for 256 of them", m.Buffers, buffers)
	}
	x := random(c, 1, 1)
	compare(t, "the first again", x.tensor.Neg(), apply(functions["Neg"], "float32", x.ref))
	if s := c.Stats(); s.Plans != 301 || s.Reused != 0 || s.Compiled > 3 {
		t.Errorf("%+v", s)
	}
}

// TestAllocations counts what a second evaluation allocates on the Go heap: the tensors, the
// results' buffers, and nothing for each kernel.
func TestAllocations(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	c := open(t, "cpu:0")
	x, w, b := random(c, 1, 8, 16).tensor, random(c, 2, 16, 16).tensor, random(c, 3, 16).tensor
	two := c.Scalar(2)
	allocations := func(layers int) float64 {
		return testing.AllocsPerRun(20, func() {
			y := x
			for range layers {
				y = y.MatMul(w).Add(b).GELU().Mul(two)
			}
			if err := errors.Join(c.Run(y), y.Close()); err != nil {
				t.Fatal(err)
			}
		})
	}
	one, five := allocations(1), allocations(5)
	t.Logf("%v allocations for a layer, %v for five", one, five)
	// A layer's tensors, shapes and lists of operands are about ten objects. Its buffer has eight
	// in package gpu and its driver.
	if most := 22.0; (five-one)/4 > most {
		t.Errorf("a further layer makes %v allocations, more than %v", (five-one)/4, most)
	}
}

// TestExplain checks what Explain says.
func TestExplain(t *testing.T) {
	c := open(t, "cpu:0")
	x := random(c, 1, 40, 64).tensor
	y := x.ReLU().MatMul(random(c, 2, 64, 8).tensor).Add(c.Scalar(1))
	text, err := c.Explain(y)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kernel 1 of 2: ReLU\n", "kernel 2 of 2: MatMul, Add\n", "not joined with what uses it: a product reads its operands from memory\n",
		"launch: 3 x 1 workgroups", "reads x0: 2560 elements of float32, 10240 bytes", "writes result: 320 elements of float32, 1280 bytes",
		"    enable gpuc_tile;\n", "    fn finish(", "    @compute @workgroup_size(256)\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("Explain does not say %q:\n%s", want, text)
		}
	}
	if s := c.Stats(); s.Launches != 0 || s.Compiled != 0 || y.Location() != expr.Lazy {
		t.Errorf("Explain has run something: %+v", s)
	}
	if text, err := c.Explain(x); err != nil || !strings.Contains(text, "nothing is computed") {
		t.Errorf("%q, %v", text, err)
	}
}

// TestGoroutines evaluates in one context from several goroutines, also parts of one graph.
func TestGoroutines(t *testing.T) {
	c := open(t, "cpu:0")
	x := random(c, 1, 16, 16)
	shared := x.tensor.Exp()
	want := apply(functions["Exp"], "float32", x.ref)
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			for k := range 10 {
				y := shared.Add(c.Scalar(float64(n + k))).Sub(c.Scalar(float64(n + k)))
				got, err := expr.Read[float32](context.Background(), y)
				if err != nil {
					t.Error(err)
					return
				}
				for i, v := range got {
					if math.Abs(float64(v)-want.values[i]) > 1e-4 {
						t.Errorf("element %d is %v, want %v", i, v, want.values[i])
						return
					}
				}
				_, _ = shared.Location(), y.Location()
				if n == 0 && k == 5 {
					_, err = expr.Read[float32](context.Background(), shared)
				}
				if err := errors.Join(err, y.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestStrings checks the names of types and locations.
func TestStrings(t *testing.T) {
	if s := fmt.Sprint(expr.Float16, expr.Bool, expr.Lazy, expr.Both); s != "float16 bool lazy both" {
		t.Error(s)
	}
}

// TestCapture records an evaluation and replays it with other elements.
func TestCapture(t *testing.T) {
	c := open(t, "cpu:0")
	ctx, s := context.Background(), c.Stream()
	input, err := gpu.Upload(ctx, s.Device(), []float32{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	build := func() *expr.Tensor { return expr.Of(c, input, 2, 2).Add(c.Scalar(1)).Sum(1).Exp().Log() }
	if err := c.Run(build()); err != nil { // compiles, and writes the sizes
		t.Fatal(err)
	}
	var y *expr.Tensor
	recording, err := s.Capture(func() error {
		y = build()
		return c.Run(y)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer recording.Close()
	output, err := expr.Buffer[float32](y)
	if err != nil {
		t.Fatal(err)
	}
	result := make([]float32, 2)
	for _, list := range [][]float32{{1, 2, 3, 4}, {-1, 0, 2, -3}} {
		if err := errors.Join(input.Write(s, list), recording.Replay(s), output.Read(ctx, s, result)); err != nil {
			t.Fatal(err)
		}
		for n, got := range result {
			if want := list[2*n] + list[2*n+1] + 2; math.Abs(float64(got-want)) > 1e-5 {
				t.Errorf("of %v: element %d is %v, want %v", list, n, got, want)
			}
		}
	}
}
