package expr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/expr"
)

// This file checks which kernels graphs become, and compares kernels that random graphs seldom have
// with the evaluator.

// random makes a tensor of normal numbers, and what the evaluator has of it.
func random(c *expr.Context, seed uint64, shape ...int) pair {
	r := rand.New(rand.NewPCG(seed, 3))
	list := make([]float32, size(shape))
	ref := reference{shape, make([]float64, len(list)), make([]float64, len(list))}
	for n := range list {
		list[n] = float32(r.NormFloat64())
		ref.values[n] = float64(list[n])
	}
	return pair{expr.From(c, list, shape...), ref}
}

// half makes a tensor of float16.
func half(c *expr.Context, seed uint64, shape ...int) pair {
	r := rand.New(rand.NewPCG(seed, 4))
	list := make([]gpu.Float16, size(shape))
	ref := reference{shape, make([]float64, len(list)), make([]float64, len(list))}
	for n := range list {
		list[n] = gpu.ToFloat16(float32(r.NormFloat64() / 2))
		ref.values[n] = float64(list[n].Float32())
	}
	return pair{expr.From(c, list, shape...), ref}
}

var kernelLine = regexp.MustCompile(`(?m)^kernel \d+ of \d+: (.*)$`)

// kernelsOf returns the operations of each kernel that computes tensors.
func kernelsOf(t *testing.T, c *expr.Context, tensors ...*expr.Tensor) (list []string) {
	t.Helper()
	text, err := c.Explain(tensors...)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range kernelLine.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// TestKernels checks what is joined.
func TestKernels(t *testing.T) {
	c := open(t, "cpu:0")
	of := func(shape ...int) *expr.Tensor { return random(c, 1, shape...).tensor }
	long, y := of(64, 64), of(64)
	for range 10 {
		long = long.Mul(y).Tanh()
	}
	all := of(300, 300).Exp()
	many := of(16)
	for n := range 12 {
		many = many.Add(random(c, uint64(n+2), 16).tensor)
	}
	x, twice, cheap := of(64, 256), of(64, 256).Exp(), of(64, 256).Neg()
	for _, test := range []struct {
		name    string
		tensors []*expr.Tensor
		want    []string
	}{
		{"a chain with broadcasts", []*expr.Tensor{of(8, 1, 5).Add(of(4, 1)).Mul(of(5)).Exp().Convert(expr.BFloat16)}, []string{"Add, Mul, Exp, Convert"}},
		{"a product with what follows", []*expr.Tensor{of(33, 40).MatMul(of(40, 50)).Add(of(50)).GELU()}, []string{"MatMul, Add, GELU"}},
		{"a residual", []*expr.Tensor{of(33, 40).MatMul(of(50, 40).Transpose()).Mul(c.Scalar(2)).Add(of(33, 50))}, []string{"MatMul, Mul, Add"}},
		{"a product of what is computed", []*expr.Tensor{of(33, 40).ReLU().MatMul(of(40, 50))}, []string{"ReLU", "MatMul"}},
		{"two products", []*expr.Tensor{of(33, 40).MatMul(of(40, 50)).GELU().MatMul(of(50, 9))}, []string{"MatMul, GELU", "MatMul"}},
		{"a sum of two products", []*expr.Tensor{of(33, 40).MatMul(of(40, 50)).Add(of(33, 7).MatMul(of(7, 50)))}, []string{"MatMul", "MatMul, Add"}},
		{"a row and a matrix", []*expr.Tensor{of(1, 40).MatMul(of(40, 50)).ReLU()}, []string{"Mul, Sum, ReLU"}},
		{"softmax of rows", []*expr.Tensor{x.Softmax(-1)}, []string{"Max, Sub, Exp, Sum, Div"}},
		{"softmax of columns", []*expr.Tensor{of(20, 30).Softmax(0)}, []string{"Max, Sub, Exp, Sum, Div"}},
		{"a scaled and masked softmax", []*expr.Tensor{x.Mul(c.Scalar(0.5)).Add(of(256)).Softmax(1)}, []string{"Mul, Add, Max, Sub, Exp, Sum, Div"}},
		{"layer norm", []*expr.Tensor{x.LayerNorm(of(256), of(256), 1e-5).GELU()}, []string{"Sum, Mul, Sub, Mul, Sum, Mul, Add, Rsqrt, Mul, Mul, Add, GELU"}},
		{"before and behind a sum", []*expr.Tensor{x.Mul(x).Sum(1).Sqrt()}, []string{"Mul, Sum, Sqrt"}},
		{"mean and deviation together", []*expr.Tensor{x.Mean(1).Add(x.Mul(x).Mean(1))}, []string{"Sum, Mul, Mul, Sum, Mul, Add"}},
		{"a sum of all in two kernels", []*expr.Tensor{of(300, 300).Exp().Sum().Neg()}, []string{"Exp, Sum", "Sum, Neg"}},
		{"softmax of all", []*expr.Tensor{all.Div(all.Sum())}, []string{"Exp", "Sum", "Sum", "Div"}},
		{"a sum of all twice", []*expr.Tensor{all.Sum().Add(all.Mul(all).Sum())}, []string{"Exp", "Sum", "Mul, Sum", "Sum, Sum, Add"}},
		{"views", []*expr.Tensor{of(6, 8).Transpose().Reshape(2, 4, 6).Slice(1, 1, 3).Neg().Permute(2, 0, 1).Reshape(12, 2)}, []string{"Neg"}},
		{"a reshape that is no view", []*expr.Tensor{of(6, 8).Neg().Transpose().Reshape(6, 8).Exp()}, []string{"Neg", "Exp"}},
		{"two uses in one kernel", []*expr.Tensor{twice.Add(twice.Mul(of(256)))}, []string{"Exp, Mul, Add"}},
		{"two uses in two kernels", []*expr.Tensor{twice.Neg(), twice.Transpose().Sqrt()}, []string{"Exp", "Neg", "Sqrt"}},
		{"two uses of what is cheap", []*expr.Tensor{cheap.Exp(), cheap.Sqrt()}, []string{"Neg, Exp", "Neg, Sqrt"}},
		{"a tensor that is asked for, too", []*expr.Tensor{cheap, cheap.Exp()}, []string{"Neg", "Exp"}},
		{"a long chain", []*expr.Tensor{long}, []string{strings.TrimSuffix(strings.Repeat("Mul, Tanh, ", 10), ", ")}},
		{"more inputs than a kernel has", []*expr.Tensor{many}, []string{"Add, Add, Add, Add, Add, Add", "Add, Add, Add, Add, Add, Add"}},
		{"softmax of a product", []*expr.Tensor{of(33, 40).MatMul(of(40, 50)).Mul(c.Scalar(2)).Softmax(-1)}, []string{"MatMul", "Mul, Max, Sub, Exp, Sum, Div"}},
		{"a product and a sum beside it", []*expr.Tensor{of(33, 40).MatMul(of(40, 50)).Add(of(9, 50).Sum(0))}, []string{"Sum", "MatMul, Add"}},
		{"sums of other rows", []*expr.Tensor{of(50, 60).Sum(1).Exp().Sum(0)}, []string{"Sum", "Exp, Sum"}},
		{"a number", []*expr.Tensor{c.Scalar(3).Broadcast(4, 5)}, []string{"Copy"}},
		{"elements that are there", []*expr.Tensor{of(4)}, nil},
	} {
		if got := kernelsOf(t, c, test.tensors...); !slices.Equal(got, test.want) {
			t.Errorf("%s: kernels %q, want %q", test.name, got, test.want)
		}
	}
}

// TestJoined compares what is near the limits of joining, mostly views that divide axes.
func TestJoined(t *testing.T) {
	for _, name := range devices {
		t.Run(name, func(t *testing.T) {
			c := open(t, name)
			reshaped := func(r reference, shape ...int) reference { return reference{shape, r.values, r.errors} }
			x, y, w := random(c, 1, 2, 3, 8), random(c, 2, 6, 8), random(c, 3, 8, 5)
			turned := permuted(x.ref, []int{1, 0, 2})
			neg := func(r reference) reference { return apply(functions["Neg"], "float32", r) }
			add := func(r, s reference) reference { return apply(functions["Add"], "float32", r, s) }
			compare(t, "merged", x.tensor.Permute(1, 0, 2).Reshape(6, 8).Neg(), neg(reshaped(turned, 6, 8)))
			compare(t, "all merged", x.tensor.Permute(1, 0, 2).Reshape(48).Neg(), neg(reshaped(turned, 48)))
			compare(t, "merged behind an operation", x.tensor.Neg().Permute(1, 0, 2).Reshape(6, 8).Add(y.tensor), add(neg(reshaped(turned, 6, 8)), y.ref))
			compare(t, "divided in two ways", x.tensor.Permute(1, 0, 2).Reshape(6, 8).Add(x.tensor.Reshape(3, 2, 8).Permute(1, 0, 2).Reshape(6, 8)),
				add(reshaped(turned, 6, 8), reshaped(permuted(reshaped(x.ref, 3, 2, 8), []int{1, 0, 2}), 6, 8)))
			compare(t, "a part of merged axes", x.tensor.Permute(1, 0, 2).Reshape(6, 8).Slice(0, 1, 5), sliced(reshaped(turned, 6, 8), 0, 1, 5))
			compare(t, "a sum of merged rows", x.tensor.Permute(1, 0, 2).Reshape(6, 8).Neg().Sum(0), reshaped(reduceBy("Sum", "float32", neg(reshaped(turned, 6, 8)), []int{0}), 8))
			compare(t, "repeated and merged", y.tensor.Reshape(6, 1, 8).Broadcast(6, 4, 8).Reshape(24, 8).Neg(), neg(reshaped(repeated(reshaped(y.ref, 6, 1, 8), []int{6, 4, 8}), 24, 8)))
			compare(t, "a product of merged rows", x.tensor.Permute(1, 0, 2).Reshape(6, 8).MatMul(w.tensor), product("float32", reshaped(turned, 6, 8), w.ref))
			compare(t, "a product plus merged rows", y.tensor.MatMul(w.tensor).Add(x.tensor.Permute(1, 0, 2).Reshape(6, 8).Slice(1, 0, 5)),
				add(product("float32", y.ref, w.ref), sliced(reshaped(turned, 6, 8), 1, 0, 5)))
			compare(t, "a product of a part", y.tensor.Slice(0, 1, 4).Slice(1, 2, 8).MatMul(w.tensor.Slice(0, 2, 8)), product("float32", sliced(sliced(y.ref, 0, 1, 4), 1, 2, 8), sliced(w.ref, 0, 2, 8)))
			z := random(c, 4, 6, 11)
			compare(t, "rows of other lengths", y.tensor.Sub(y.tensor.MaxKeep(1)).Add(z.tensor.SumKeep(1)),
				add(apply(functions["Sub"], "float32", y.ref, reduceBy("Max", "float32", y.ref, []int{1})), reduceBy("Sum", "float32", z.ref, []int{1})))
			sum, chain := random(c, 20, 6, 8), y
			for n := range uint64(20) { // more than a kernel reads
				next := random(c, 21+n, 6, 8)
				sum = pair{sum.tensor.Add(next.tensor), add(sum.ref, next.ref)}
			}
			compare(t, "many inputs", sum.tensor, sum.ref)
			for range 150 { // more values than a kernel has
				chain = pair{chain.tensor.Add(y.tensor).Mul(c.Scalar(0.5)), apply(func(x, e []float64) (float64, float64) {
					return (x[0] + x[1]) / 2, (e[0]+e[1])/2 + ulp*math.Abs(x[0]+x[1])
				}, "float32", chain.ref, y.ref)}
			}
			compare(t, "a long chain", chain.tensor, chain.ref)
			square := random(c, 5, 7, 7)
			compare(t, "rows and columns of a square", square.tensor.Sub(square.tensor.MaxKeep(1)).Sub(square.tensor.MaxKeep(0)),
				apply(functions["Sub"], "float32", apply(functions["Sub"], "float32", square.ref, reduceBy("Max", "float32", square.ref, []int{1})), reduceBy("Max", "float32", square.ref, []int{0})))
			compare(t, "a square less its transposed maximums", square.tensor.Sub(square.tensor.Max(1)),
				apply(functions["Sub"], "float32", square.ref, reshaped(reduceBy("Max", "float32", square.ref, []int{1}), 7)))
			compare(t, "a matrix less all its sum", square.tensor.Transpose().Sub(square.tensor.Sum()),
				apply(functions["Sub"], "float32", permuted(square.ref, []int{1, 0}), reshaped(reduceBy("Sum", "float32", square.ref, []int{0, 1}))))
		})
	}
}

// reductions are the shapes and axes of TestReductions.
var reductions = []struct {
	shape []int
	axes  []int
}{
	{[]int{3, 20000}, []int{1}},         // in two kernels
	{[]int{5, 9999}, []int{1}},          // not by four
	{[]int{7, 4099}, []int{1}},          // the last row of vectors
	{[]int{3000, 8}, []int{0}},          // columns in two kernels
	{[]int{2999, 7}, []int{0}},          // odd ones
	{[]int{2, 1500, 3, 4}, []int{1}},    // between others
	{[]int{40, 30, 20}, []int{0, 2}},    // several axes
	{[]int{40, 30, 20}, []int{0, 1, 2}}, // all
	{[]int{260, 9000}, []int{1}},        // long rows that a workgroup does not hold
	{[]int{3, 8200}, []int{1}},          // few and long
	{[]int{100, 33}, []int{1}},          // around a short row
	{[]int{100, 32}, []int{1}}, {[]int{100, 36}, []int{1}},
	{[]int{9, 1024}, []int{1}}, {[]int{9, 2052}, []int{1}}, {[]int{9, 8192}, []int{1}},
}

// compare compares tensors with the evaluator.
func compare(t *testing.T, what string, tensor *expr.Tensor, ref reference) {
	t.Helper()
	got, err := read(tensor)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if !slices.Equal(tensor.Shape(), ref.shape) || len(got) != len(ref.values) {
		t.Fatalf("%s: %d elements of shape %v, want %v", what, len(got), tensor.Shape(), ref.shape)
	}
	for n, want := range ref.values {
		if !(math.Abs(got[n]-want) <= ref.errors[n]) || math.IsInf(ref.errors[n], 0) {
			t.Fatalf("%s: element %v is %v, want %v ± %v", what, at(ref.shape, n), got[n], want, ref.errors[n])
		}
	}
}

// TestReductions compares sums, softmax and means of many shapes.
func TestReductions(t *testing.T) {
	for _, name := range devices {
		t.Run(name, func(t *testing.T) {
			c := open(t, name)
			for n, test := range reductions {
				if !testmode.Sampled(n, 5) || name != "cpu:0" && size(test.shape) > 60000 {
					continue
				}
				for _, x := range []pair{random(c, 5, test.shape...), half(c, 5, test.shape...)} {
					if x.tensor.Type() != expr.Float32 && size(test.shape) > 100000 {
						continue
					}
					what := fmt.Sprint(x.tensor.Type(), test)
					element := x.tensor.Type().String()
					compare(t, what+" Sum", x.tensor.Mul(x.tensor).SumKeep(test.axes...),
						reduceBy("Sum", element, apply(functions["Mul"], "float32", x.ref, x.ref), test.axes))
					compare(t, what+" Max", x.tensor.Neg().MaxKeep(test.axes...), reduceBy("Max", element, apply(functions["Neg"], element, x.ref), test.axes))
					if len(test.axes) > 1 {
						continue
					}
					a := test.axes[0]
					e := apply(functions["Exp"], element, apply(functions["Sub"], element, x.ref, reduceBy("Max", element, x.ref, test.axes)))
					compare(t, what+" Softmax", x.tensor.Softmax(a), apply(functions["Div"], element, e, reduceBy("Sum", element, e, test.axes)))
				}
			}
		})
	}
}

// TestVectors compares slices whose elements lie on vectors of four, and slices that do not.
func TestVectors(t *testing.T) {
	for _, name := range devices {
		t.Run(name, func(t *testing.T) {
			c := open(t, name)
			n := 0
			for _, shape := range [][]int{{1, 60}, {3, 60}, {4, 61}, {1, 57}, {2, 58}} {
				for start := range 5 {
					if n++; name != "cpu:0" && n%6 != 0 || !testmode.Sampled(n, 2) {
						continue
					}
					for _, x := range []pair{random(c, 5, shape...), half(c, 5, shape...)} {
						element := x.tensor.Type().String()
						view, ref := x.tensor.Slice(1, start, start+52), sliced(x.ref, 1, start, start+52)
						what := fmt.Sprint(element, shape, start)
						compare(t, what+" Neg", view.Neg(), apply(functions["Neg"], element, ref))
						compare(t, what+" rows", view.Abs().SumKeep(1), reduceBy("Sum", element, apply(functions["Abs"], element, ref), []int{1}))
						compare(t, what+" columns", view.Abs().SumKeep(0), reduceBy("Sum", element, apply(functions["Abs"], element, ref), []int{0}))
						compare(t, what+" rows less a maximum", view.Sub(view.MaxKeep(1)), apply(functions["Sub"], element, ref, reduceBy("Max", element, ref, []int{1})))
					}
				}
			}
		})
	}
}

// TestStorage compares floats that are stored with 16 bits with the conversions of package gpu, bit
// by bit: ties, numbers that are too large or too small, infinities and NaN.
func TestStorage(t *testing.T) {
	var list []float32
	r := rand.New(rand.NewPCG(1, 2))
	for exponent := uint32(90); exponent < 160; exponent++ {
		for _, fraction := range []uint32{0, 0x1000, 0x3000, 0x8000, 0x18000, 0x7fffff, r.Uint32N(1 << 23)} {
			list = append(list, math.Float32frombits(exponent<<23|fraction), -math.Float32frombits(exponent<<23|fraction))
		}
	}
	list = append(list, 0, 65519, 65520, 3e38, 3.4e38, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()))
	for _, name := range devices {
		t.Run(name, func(t *testing.T) {
			c := open(t, name, expr.Math(codegen.MathStrict))
			for _, list := range [][]float32{list, list[:len(list)-1]} { // in vectors, and in pairs
				x := expr.From(c, list)
				half, err1 := expr.Read[gpu.Float16](context.Background(), x.Convert(expr.Float16))
				brain, err2 := expr.Read[gpu.BFloat16](context.Background(), x.Convert(expr.BFloat16))
				back1, err3 := expr.Read[float32](context.Background(), expr.From(c, half).Convert(expr.Float32))
				back2, err4 := expr.Read[float32](context.Background(), expr.From(c, brain).Convert(expr.Float32))
				if err := errors.Join(err1, err2, err3, err4); err != nil {
					t.Fatal(err)
				}
				for n, x := range list {
					same := func(got, want float32) bool { return got == want || got != got && want != want }
					if want := gpu.ToFloat16(x).Float32(); !same(half[n].Float32(), want) || !same(back1[n], want) {
						t.Errorf("%v as float16 is %v and %v, want %v", x, half[n].Float32(), back1[n], want)
					}
					if want := gpu.ToBFloat16(x).Float32(); !same(brain[n].Float32(), want) || !same(back2[n], want) {
						t.Errorf("%v as bfloat16 is %v and %v, want %v", x, brain[n].Float32(), back2[n], want)
					}
				}
			}
		})
	}
}

// products are the shapes of TestProducts.
var products = [][2][]int{{{64, 64}, {64, 64}}, {{130, 70}, {70, 260}}, {{33, 5}, {5, 1}}, {{1, 300}, {300, 7}}, {{2, 3}, {3, 2}}, {{3, 1, 20, 30}, {4, 30, 10}},
	{{5, 17, 1}, {5, 1, 18}}, {{2, 2}, {6, 2, 40}}, {{260, 90}, {90, 300}}}

// productForms are products of x and y, with what follows, and what they should be.
var productForms = []struct {
	name string
	make func(c *expr.Context, x, y pair) (*expr.Tensor, reference)
}{
	{"alone", func(c *expr.Context, x, y pair) (*expr.Tensor, reference) {
		return x.tensor.MatMul(y.tensor), product(x.tensor.Type().String(), x.ref, y.ref)
	}},
	{"with an epilogue", func(c *expr.Context, x, y pair) (*expr.Tensor, reference) {
		b := random(c, 8, y.ref.shape[len(y.ref.shape)-1])
		sum := apply(functions["Add"], "float32", product("float32", x.ref, y.ref), b.ref)
		return x.tensor.MatMul(y.tensor).Convert(expr.Float32).Add(b.tensor).GELU(), apply(functions["GELU"], "float32", sum)
	}},
	{"as bfloat16", func(c *expr.Context, x, y pair) (*expr.Tensor, reference) {
		return x.tensor.MatMul(y.tensor).Convert(expr.BFloat16), product("bfloat16", x.ref, y.ref)
	}},
	{"as bool", func(c *expr.Context, x, y pair) (*expr.Tensor, reference) {
		p := product("float32", x.ref, y.ref)
		most := apply(functions["Add"], "float32", reduceBy("Max", "float32", p, nil), reference{[]int{}, []float64{1}, []float64{0}})
		return x.tensor.MatMul(y.tensor).Convert(expr.Float32).Less(expr.From(c, float32s(most), most.shape...)), apply(functions["Less"], "bool", p, most)
	}},
	{"of bfloat16", func(c *expr.Context, x, y pair) (*expr.Tensor, reference) {
		to := func(r reference) reference { return apply(functions["ToFloat"], "bfloat16", r) }
		return x.tensor.Convert(expr.BFloat16).MatMul(y.tensor.Convert(expr.BFloat16)), product("bfloat16", to(x.ref), to(y.ref))
	}},
	{"of a transpose", func(c *expr.Context, x, y pair) (*expr.Tensor, reference) {
		axes := make([]int, len(y.ref.shape))
		for d := range axes {
			axes[d] = d
		}
		n := len(axes)
		axes[n-1], axes[n-2] = n-2, n-1
		turned := permuted(y.ref, axes)
		return x.tensor.Convert(expr.Float32).MatMul(expr.From(c, float32s(turned), turned.shape...).Transpose()), product("float32", x.ref, y.ref)
	}},
}

// TestProducts compares products of many shapes. The checked interpreter and lavapipe, whose
// compiler is slow, have a part of them.
func TestProducts(t *testing.T) {
	for d, name := range devices {
		t.Run(name, func(t *testing.T) {
			c := open(t, name)
			for n, shapes := range products {
				for k, form := range productForms {
					if slow := name != "cpu:0"; slow && ((n+k)%3 != d%3 || shapes[0][0] > 100) || !testmode.Sampled(n+k, 9) {
						continue
					}
					for _, make := range []func(*expr.Context, uint64, ...int) pair{random, half} {
						x, y := make(c, 6, shapes[0]...), make(c, 7, shapes[1]...)
						got, want := form.make(c, x, y)
						compare(t, fmt.Sprint(x.tensor.Type(), shapes, form.name), got, want)
					}
				}
			}
		})
	}
}

// float32s returns the elements as float32.
func float32s(x reference) []float32 {
	list := make([]float32, len(x.values))
	for n, v := range x.values {
		list[n] = float32(v)
	}
	return list
}

// TestNewSizes checks that new sizes compile nothing, and that a known graph has its plan.
func TestNewSizes(t *testing.T) {
	c := open(t, "cpu:0")
	w, b := random(c, 1, 64, 96).tensor, random(c, 2, 96).tensor
	layer := func(batch int) {
		t.Helper()
		x := random(c, 3, batch, 64).tensor
		if _, err := read(x.MatMul(w).Add(b).GELU().LayerNorm(b, b, 1e-5).Softmax(-1).Sum(0)); err != nil {
			t.Fatal(err)
		}
	}
	layer(40)
	first := c.Stats()
	if first.Compiled == 0 || first.Plans != 1 {
		t.Fatalf("the first evaluation: %+v", first)
	}
	for _, batch := range []int{44, 52, 64, 36} {
		layer(batch)
	}
	if s := c.Stats(); s.Compiled != first.Compiled || s.Plans != 5 || s.Launches != 5*first.Launches {
		t.Errorf("four other batch sizes: %+v, after the first %+v", s, first)
	}
	layer(52)
	if s := c.Stats(); s.Reused != 1 || s.Plans != 5 {
		t.Errorf("a batch size again: %+v", s)
	}
	// other numbers are no other kernels or plans
	x := random(c, 4, 8).tensor
	for n := range 5 {
		compare(t, "scaled", x.Mul(c.Scalar(float64(n))).Sub(x.Mul(c.Scalar(float64(n)))), apply(functions["Sub"], "float32", repeated(reference{[]int{}, []float64{0}, []float64{0}}, []int{8}), reference{[]int{8}, make([]float64, 8), make([]float64, 8)}))
		y, err := expr.Read[float32](context.Background(), c.Scalar(2).Convert(expr.Float32).Mul(c.Scalar(float64(n))))
		if err != nil || y[0] != float32(2*n) {
			t.Errorf("2·%d is %v, %v", n, y, err)
		}
	}
	if s := c.Stats(); s.Compiled > first.Compiled+2 || s.Plans != 7 {
		t.Errorf("numbers: %+v", s)
	}
}

// TestTraffic counts the bytes that kernels read and write.
func TestTraffic(t *testing.T) {
	c := open(t, "cpu:0")
	x, y := random(c, 1, 64, 128).tensor, random(c, 2, 128).tensor
	for _, test := range []struct {
		name           string
		tensor         *expr.Tensor
		launches       int
		loaded, stored uint64
	}{
		{"ten operations", x.Add(y).Mul(y).Exp().Neg().Tanh().Abs().Sqrt().Add(x).ReLU().Sub(y), 1, 4 * (64*128 + 128), 4 * 64 * 128},
		{"softmax", x.Softmax(1), 1, 4 * 64 * 128, 4 * 64 * 128},
		{"a sum", x.Sum(1), 1, 4 * 64 * 128, 4 * 64},
		{"a product with bias in float16", x.MatMul(x.Transpose()).Add(random(c, 3, 64).tensor).Convert(expr.Float16), 1, 4 * (64*128 + 64), 2 * 64 * 64},
	} {
		before := c.Stats()
		if err := c.Run(test.tensor); err != nil {
			t.Fatal(err)
		}
		s := c.Stats()
		if l := s.Launches - before.Launches; l != test.launches {
			t.Errorf("%s: %d launches, want %d", test.name, l, test.launches)
		}
		if s.Loaded-before.Loaded != test.loaded || s.Stored-before.Stored != test.stored {
			t.Errorf("%s: %d bytes read and %d written, want %d and %d", test.name, s.Loaded-before.Loaded, s.Stored-before.Stored, test.loaded, test.stored)
		}
	}
}

// TestSameBits compares strict results of the CPU's engines and of lavapipe bit by bit.
func TestSameBits(t *testing.T) {
	graphs := func(c *expr.Context) (list []*expr.Tensor) {
		for _, shape := range [][]int{{3, 9000}, {700, 8}, {9, 333}, {2, 16, 40}} {
			x := random(c, 11, shape...).tensor
			list = append(list, x.Mul(x).Sum(-1), x.Sum(0), x.Sum(), x.Sub(x.MeanKeep(-1)).Mul(x).Mean(-1).Div(c.Scalar(3)), x.Abs().Sqrt().Div(x.MaxKeep(-1)))
		}
		x, y := random(c, 12, 70, 90).tensor, random(c, 13, 90, 66).tensor
		return append(list, x.MatMul(y).Add(random(c, 14, 66).tensor).ReLU())
	}
	var want [][]float64
	for _, name := range []string{"cpu:0", "cpu:checked", "vulkan:0"} {
		t.Run(name, func(t *testing.T) {
			c := open(t, name, expr.Math(codegen.MathStrict))
			for n, x := range graphs(c) {
				got, err := read(x)
				if err != nil {
					t.Fatal(err)
				}
				if name == "cpu:0" {
					want = append(want, got)
				} else if !slices.Equal(got, want[n]) {
					t.Errorf("graph %d differs from that of cpu:0", n)
				}
			}
		})
	}
}
