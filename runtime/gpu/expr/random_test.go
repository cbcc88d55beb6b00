package expr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/expr"
)

// This file compares random graphs with the evaluator.

// devices are where tests run: both modes of the CPU, and lavapipe if it is there.
var devices = []string{"cpu:checked", "cpu:0", "vulkan:0"}

// seeds is how many random graphs run on a device. The checked interpreter is slow, and so is the
// compiler of lavapipe.
var seeds = map[string]int{"cpu:checked": 30, "cpu:0": 600, "vulkan:0": 30}

// open opens a device and a context, or skips the test.
func open(t testing.TB, name string, options ...expr.Option) *expr.Context {
	t.Helper()
	d, err := gpu.Open(gpu.Named(name))
	if errors.Is(err, gpu.ErrNoDevice) {
		t.Skipf("skipped: no device %s is found; lavapipe is of Debian's mesa-vulkan-drivers: %v", name, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	c, err := expr.New(d, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// with reports of the checked interpreter
		if err := c.Stream().Wait(context.Background()); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// pair is a tensor and what it should be.
type pair struct {
	tensor *expr.Tensor
	ref    reference
}

// graph makes random tensors.
type graph struct {
	*rand.Rand
	t    *testing.T
	c    *expr.Context
	dims []int
	pool []pair
	text []string // how they are made
}

func (g *graph) one(list []int) int { return list[g.IntN(len(list))] }

// sizes of axes: none, one, odd ones, multiples of four, and beyond a short row.
var axisSizes = []int{1, 1, 2, 3, 4, 5, 7, 8, 12, 16, 33, 40, 100, 128}

func newGraph(t *testing.T, c *expr.Context, seed uint64) *graph {
	g := &graph{Rand: rand.New(rand.NewPCG(seed, 17)), t: t, c: c}
	n := 1
	for range g.IntN(6) {
		s := g.one(axisSizes)
		if n*s > 6000 {
			s = g.one([]int{1, 2})
		}
		if g.IntN(60) == 0 {
			s = 0
		}
		g.dims = append(g.dims, s)
		n *= max(s, 1)
	}
	for range 2 + g.IntN(3) {
		g.leaf()
	}
	return g
}

func (g *graph) add(how string, t *expr.Tensor, r reference) {
	if err := t.Err(); err != nil {
		g.t.Fatalf("%v: %s: %v", g.text, how, err)
	}
	if !slices.Equal(t.Shape(), r.shape) {
		g.t.Fatalf("%v: %s: shape %v, want %v", g.text, how, t.Shape(), r.shape)
	}
	g.text = append(g.text, fmt.Sprintf("%d %s %v %v", len(g.pool), how, t.Type(), r.shape))
	g.pool = append(g.pool, pair{t, r})
}

func (g *graph) leaf() {
	shape := append([]int{}, g.dims[g.IntN(len(g.dims)+1):]...)
	if g.IntN(2) == 0 {
		shape = append([]int{}, g.dims...)
	}
	for d := range shape {
		if g.IntN(5) == 0 {
			shape[d] = 1
		}
	}
	n := size(shape)
	r := reference{shape, make([]float64, n), make([]float64, n)}
	switch g.IntN(8) {
	case 0:
		list := make([]gpu.Float16, n)
		for i := range list {
			list[i] = gpu.ToFloat16(float32(g.NormFloat64()))
			r.values[i] = float64(list[i].Float32())
		}
		g.add("From", expr.From(g.c, list, shape...), r)
	case 1:
		list := make([]gpu.BFloat16, n)
		for i := range list {
			list[i] = gpu.ToBFloat16(float32(g.NormFloat64()))
			r.values[i] = float64(list[i].Float32())
		}
		g.add("From", expr.From(g.c, list, shape...), r)
	case 2:
		list := make([]int32, n)
		for i := range list {
			list[i] = int32(g.IntN(21) - 10)
			r.values[i] = float64(list[i])
		}
		g.add("From", expr.From(g.c, list, shape...), r)
	default:
		list := make([]float32, n)
		for i := range list {
			list[i] = float32(g.NormFloat64())
			r.values[i] = float64(list[i])
		}
		if n == 1 && len(shape) == 0 && g.IntN(2) == 0 {
			g.add("Scalar", g.c.Scalar(r.values[0]).Convert(expr.Float32), r)
			return
		}
		g.add("From", expr.From(g.c, list, shape...), r)
	}
}

func isFloat(t expr.Type) bool { return t <= expr.BFloat16 }

// largest is the largest magnitude of finite elements.
func (r reference) largest() float64 {
	m := 0.0
	for k, v := range r.values {
		if !math.IsInf(r.errors[k], 0) {
			m = max(m, math.Abs(v)+r.errors[k])
		}
	}
	return m
}

// grow adds a tensor made of others.
func (g *graph) grow() {
	k := g.IntN(len(g.pool))
	if g.IntN(2) == 0 {
		k = len(g.pool) - 1 // long chains
	}
	x := g.pool[k]
	switch g.IntN(10) {
	case 0, 1, 2:
		g.unary(k, x)
	case 3, 4, 5:
		g.binary(k, x)
	case 6:
		g.view(k, x)
	case 7:
		g.reduction(k, x)
	case 8:
		g.matrices(k, x)
	default:
		g.composed(k, x)
	}
}

func (g *graph) unary(k int, x pair) {
	element := x.tensor.Type().String()
	name := []string{"Neg", "Abs", "Exp", "Log", "Sqrt", "Rsqrt", "Tanh", "Sigmoid", "ReLU", "GELU", "SiLU", "Convert"}[g.IntN(12)]
	t := x.tensor
	if name == "Convert" || t.Type() == expr.Bool || !isFloat(t.Type()) && name != "Neg" && name != "Abs" && name != "ReLU" {
		to := []expr.Type{expr.Float32, expr.Float16, expr.BFloat16, expr.Int32, expr.Bool}[g.IntN(5)]
		if x.ref.largest() > 1000 && to == expr.Float16 {
			to = expr.Float32
		}
		f := map[expr.Type]string{expr.Int32: "ToInt", expr.Bool: "ToBool"}[to]
		if f == "" {
			f = "ToFloat"
		}
		if !isFloat(t.Type()) && to == expr.Int32 {
			f = "ToFloat"
		}
		element := to.String()
		if to == t.Type() {
			element = "bool" // exact
		}
		g.add(fmt.Sprint("Convert ", k), t.Convert(to), apply(functions[f], element, x.ref))
		return
	}
	if name == "Exp" && x.ref.largest() > 6 {
		name = "Tanh"
	}
	made := map[string]func() *expr.Tensor{"Neg": t.Neg, "Abs": t.Abs, "Exp": t.Exp, "Log": t.Log, "Sqrt": t.Sqrt, "Rsqrt": t.Rsqrt,
		"Tanh": t.Tanh, "Sigmoid": t.Sigmoid, "ReLU": t.ReLU, "GELU": t.GELU, "SiLU": t.SiLU}[name]()
	g.add(fmt.Sprint(name, " ", k), made, apply(functions[name], element, x.ref))
}

// partner returns a tensor that broadcasts with x and has a type that fits, or x.
func (g *graph) partner(x pair) (int, pair) {
	for range 8 {
		k := g.IntN(len(g.pool))
		y := g.pool[k]
		shape := joint(x.ref.shape, y.ref.shape)
		fits := isFloat(x.tensor.Type()) && isFloat(y.tensor.Type()) || x.tensor.Type() == y.tensor.Type()
		if shape != nil && size(shape) <= 12000 && len(shape) <= 5 && fits {
			return k, y
		}
	}
	return -1, x
}

func (g *graph) binary(k int, x pair) {
	n, y := g.partner(x)
	element := x.tensor.Type()
	if y.tensor.Type() != element {
		element = expr.Float32
	}
	a, b := x.tensor, y.tensor
	if element == expr.Bool {
		g.add(fmt.Sprint("Equal ", k, n), a.Equal(b), apply(functions["Equal"], "bool", x.ref, y.ref))
		return
	}
	name := []string{"Add", "Sub", "Mul", "Div", "Maximum", "Minimum", "Pow", "Equal", "Less", "LessEqual", "Where"}[g.IntN(11)]
	if name == "Mul" && x.ref.largest()*y.ref.largest() > 1000 || name == "Pow" && y.ref.largest()*math.Log(x.ref.largest()+2) > 8 {
		name = "Sub"
	}
	if element == expr.Int32 && name == "Pow" {
		name = "Add"
	}
	f := name
	if element == expr.Int32 && name == "Div" {
		f = "IntDiv"
	}
	how := fmt.Sprint(name, " ", k, " ", n)
	switch name {
	case "Equal":
		g.add(how, a.Equal(b), apply(functions[f], "bool", x.ref, y.ref))
	case "Less":
		g.add(how, b.Greater(a), apply(functions[f], "bool", x.ref, y.ref))
	case "LessEqual":
		g.add(how, a.LessEqual(b), apply(functions[f], "bool", x.ref, y.ref))
	case "Where":
		condition := apply(functions["Less"], "bool", x.ref, y.ref)
		g.add(how, a.Less(b).Where(a, b), apply(functions[f], element.String(), condition, x.ref, y.ref))
	default:
		made := map[string]func(*expr.Tensor) *expr.Tensor{"Add": a.Add, "Sub": a.Sub, "Mul": a.Mul, "Div": a.Div,
			"Maximum": a.Maximum, "Minimum": a.Minimum, "Pow": a.Pow}[name](b)
		g.add(how, made, apply(functions[f], element.String(), x.ref, y.ref))
	}
}

func (g *graph) view(k int, x pair) {
	shape := x.ref.shape
	switch kind := g.IntN(4); {
	case kind == 0 && len(shape) > 1:
		axes := g.Perm(len(shape))
		g.add(fmt.Sprint("Permute ", k, axes), x.tensor.Permute(axes...), permuted(x.ref, axes))
	case kind == 1 && len(shape) > 0:
		a := g.IntN(len(shape))
		start := g.IntN(shape[a] + 1)
		end := start + g.IntN(shape[a]-start+1)
		if g.IntN(10) > 0 && end == start && start > 0 {
			start--
		}
		g.add(fmt.Sprint("Slice ", k, a, start, end), x.tensor.Slice(a-len(shape), start, end), sliced(x.ref, a, start, end))
	case kind == 2 && len(shape) < 5 && size(shape) < 2000:
		to := append([]int{1 + g.IntN(3)}, shape...)
		for d, s := range to {
			if s == 1 && g.IntN(3) == 0 {
				to[d] = 3
			}
		}
		g.add(fmt.Sprint("Broadcast ", k, to), x.tensor.Broadcast(to...), repeated(x.ref, to))
	default:
		g.reshape(k, x)
	}
}

// reshape merges axes, or divides one.
func (g *graph) reshape(k int, x pair) {
	to := append([]int{}, x.ref.shape...)
	if len(to) > 1 && g.IntN(2) == 0 {
		d := g.IntN(len(to) - 1)
		to = slices.Replace(to, d, d+2, to[d]*to[d+1])
	} else if len(to) > 0 && len(to) < 5 {
		d := g.IntN(len(to))
		for _, f := range []int{2, 3, 4, 5, 1} {
			if to[d]%f == 0 {
				to = slices.Replace(to, d, d+1, f, to[d]/f)
				break
			}
		}
	}
	g.add(fmt.Sprint("Reshape ", k, to), x.tensor.Reshape(to...), reference{to, x.ref.values, x.ref.errors})
}

func (g *graph) reduction(k int, x pair) {
	t, name := x.tensor, []string{"Sum", "Max", "Min", "Mean"}[g.IntN(4)]
	shape := x.ref.shape
	if t.Type() == expr.Bool || size(shape) == 0 || name == "Mean" && !isFloat(t.Type()) {
		return
	}
	var axes []int
	for d := range shape {
		if g.IntN(2) == 0 || d == len(shape)-1 && g.IntN(3) > 0 {
			axes = append(axes, d)
		}
	}
	keep := g.IntN(2) == 0
	all := len(axes) == 0
	if all {
		for d := range shape {
			axes = append(axes, d)
		}
	}
	element := t.Type().String()
	r := x.ref
	n := 1
	for _, a := range axes {
		n *= shape[a]
	}
	if name == "Sum" && x.ref.largest()*float64(n) > 5000 || name == "Mean" && t.Type() == expr.Float16 && x.ref.largest()*float64(n) > 5000 {
		name = "Max"
	}
	if name == "Mean" {
		r = reduceBy("Sum", element, r, axes)
		r = apply(func(x, e []float64) (float64, float64) {
			return x[0] / float64(n), e[0]/float64(n) + ulp*math.Abs(x[0])
		}, element, r)
	} else {
		r = reduceBy(name, element, r, axes)
	}
	given := axes
	if all {
		given = nil
	}
	make := map[string]func(...int) *expr.Tensor{"Sumtrue": t.SumKeep, "Sumfalse": t.Sum, "Maxtrue": t.MaxKeep, "Maxfalse": t.Max,
		"Mintrue": t.MinKeep, "Minfalse": t.Min, "Meantrue": t.MeanKeep, "Meanfalse": t.Mean}[fmt.Sprint(name, keep)]
	if !keep {
		var rest []int
		for d, s := range shape {
			if !slices.Contains(axes, d) {
				rest = append(rest, s)
			}
		}
		r.shape = append([]int{}, rest...)
	}
	g.add(fmt.Sprint(name, " ", k, given, keep), make(given...), r)
}

func (g *graph) matrices(k int, x pair) {
	shape := x.ref.shape
	if len(shape) < 2 || !isFloat(x.tensor.Type()) || size(shape) == 0 && g.IntN(3) > 0 || x.ref.largest() > 20 {
		return
	}
	// with a new matrix, a batch of them, or its own transpose
	inner := shape[len(shape)-1]
	if g.IntN(3) == 0 && size(shape)*shape[len(shape)-2] < 60000 {
		axes := make([]int, len(shape))
		for d := range axes {
			axes[d] = d
		}
		axes[len(shape)-1], axes[len(shape)-2] = len(shape)-2, len(shape)-1
		t := x.tensor.MatMul(x.tensor.Transpose())
		g.add(fmt.Sprint("MatMul own transpose ", k), t, product(t.Type().String(), x.ref, permuted(x.ref, axes)))
		return
	}
	columns := g.one([]int{1, 2, 3, 8, 17, 40})
	other := []int{inner, columns}
	if g.IntN(3) == 0 {
		other = append(append([]int{}, shape[:len(shape)-2]...), other...)
	}
	n := size(other)
	r := reference{other, make([]float64, n), make([]float64, n)}
	var y *expr.Tensor
	if g.IntN(3) == 0 {
		list := make([]gpu.Float16, n)
		for i := range list {
			list[i] = gpu.ToFloat16(float32(g.NormFloat64() / 4))
			r.values[i] = float64(list[i].Float32())
		}
		y = expr.From(g.c, list, other...)
	} else {
		list := make([]float32, n)
		for i := range list {
			list[i] = float32(g.NormFloat64() / 4)
			r.values[i] = float64(list[i])
		}
		y = expr.From(g.c, list, other...)
	}
	t := x.tensor.MatMul(y)
	g.add(fmt.Sprint("MatMul ", k, other, y.Type()), t, product(t.Type().String(), x.ref, r))
}

// composed adds Softmax or LayerNorm.
func (g *graph) composed(k int, x pair) {
	shape := x.ref.shape
	if len(shape) == 0 || !isFloat(x.tensor.Type()) || x.ref.largest() > 50 {
		return
	}
	element := x.tensor.Type().String()
	a := g.IntN(len(shape))
	if g.IntN(2) == 0 {
		a = len(shape) - 1
	}
	if size(shape) == 0 || g.IntN(2) == 0 {
		if size(shape) == 0 {
			return
		}
		d := apply(functions["Sub"], element, x.ref, reduceBy("Max", element, x.ref, []int{a}))
		e := apply(functions["Exp"], element, d)
		g.add(fmt.Sprint("Softmax ", k, a), x.tensor.Softmax(a), apply(functions["Div"], element, e, reduceBy("Sum", element, e, []int{a})))
		return
	}
	n := float64(shape[a])
	scale := func(r reference) reference {
		return apply(func(x, e []float64) (float64, float64) { return x[0] / n, e[0]/n + ulp*math.Abs(x[0]) }, element, r)
	}
	d := apply(functions["Sub"], element, x.ref, scale(reduceBy("Sum", element, x.ref, []int{a})))
	v := scale(reduceBy("Sum", element, apply(functions["Mul"], element, d, d), []int{a}))
	s := apply(functions["Rsqrt"], element, apply(func(x, e []float64) (float64, float64) { return x[0] + 0.01, e[0] }, element, v))
	g.add(fmt.Sprint("LayerNorm ", k, a), x.tensor.LayerNorm(nil, nil, 0.01, a), apply(functions["Mul"], element, d, s))
}

// read returns a tensor's elements as float64.
func read(t *expr.Tensor) (list []float64, err error) {
	ctx := context.Background()
	switch t.Type() {
	case expr.Float32:
		err = collect(&list, func() ([]float32, error) { return expr.Read[float32](ctx, t) }, func(x float32) float64 { return float64(x) })
	case expr.Float16:
		err = collect(&list, func() ([]gpu.Float16, error) { return expr.Read[gpu.Float16](ctx, t) }, func(x gpu.Float16) float64 { return float64(x.Float32()) })
	case expr.BFloat16:
		err = collect(&list, func() ([]gpu.BFloat16, error) { return expr.Read[gpu.BFloat16](ctx, t) }, func(x gpu.BFloat16) float64 { return float64(x.Float32()) })
	case expr.Int32:
		err = collect(&list, func() ([]int32, error) { return expr.Read[int32](ctx, t) }, func(x int32) float64 { return float64(x) })
	default:
		err = collect(&list, func() ([]bool, error) { return expr.Read[bool](ctx, t) }, truth)
	}
	return list, err
}

func collect[T any](to *[]float64, read func() ([]T, error), f func(T) float64) error {
	list, err := read()
	for _, x := range list {
		*to = append(*to, f(x))
	}
	return err
}

// TestRandomGraphs compares random graphs with the evaluator.
func TestRandomGraphs(t *testing.T) {
	for _, name := range devices {
		t.Run(name, func(t *testing.T) {
			c := open(t, name)
			compared, tight := 0, 0
			for seed := range uint64(testmode.Scaled(seeds[name])) {
				g := newGraph(t, c, seed)
				for range 3 + g.IntN(14) {
					g.grow()
				}
				// the last one, and some others, together
				roots := []int{len(g.pool) - 1}
				for range g.IntN(3) {
					roots = append(roots, g.IntN(len(g.pool)))
				}
				var tensors []*expr.Tensor
				for _, k := range roots {
					tensors = append(tensors, g.pool[k].tensor)
				}
				if err := c.Run(tensors...); err != nil {
					t.Fatalf("seed %d: %v: %v", seed, g.text, err)
				}
				for _, k := range roots {
					got, err := read(g.pool[k].tensor)
					if err != nil {
						t.Fatalf("seed %d: %v: %v", seed, g.text, err)
					}
					ref := g.pool[k].ref
					if len(got) != len(ref.values) {
						t.Fatalf("seed %d: %d elements, want %d", seed, len(got), len(ref.values))
					}
					for n, want := range ref.values {
						compared++
						if ref.errors[n] < 0.01*math.Abs(want)+0.001 {
							tight++
						}
						if !(math.Abs(got[n]-want) <= ref.errors[n]) && !math.IsInf(ref.errors[n], 0) {
							t.Fatalf("seed %d: tensor %d: element %v is %v, want %v ± %v\n%q", seed, k, at(ref.shape, n), got[n], want, ref.errors[n], g.text)
						}
					}
				}
			}
			t.Logf("%d elements, %d with narrow bounds; %+v", compared, tight, c.Stats())
			if tight < compared/3 {
				t.Errorf("only %d of %d elements have narrow bounds", tight, compared)
			}
		})
	}
}
