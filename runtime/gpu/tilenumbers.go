package gpu

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// This file has the elements of tiles: their types, conversions between them, products and
// reductions. With -math=strict devices compute the same bits, but for NaN.

// element is a type of elements. Its functions have slices of them as any.
type element struct {
	of    reflect.Type
	zeros func(n int) any
	get   func(values any, i int) number
	put   func(values any, i int, x number)
	move  func(to any, i int, from any, k int)
	// sum, max and min are nil for elements that are not reduced.
	sum, max, min folding
}

// arithmetic is what tiles compute with.
type arithmetic struct {
	elements []*element
	products []product
}

// tileArithmetic makes it when the first tile needs it.
var tileArithmetic = sync.OnceValue(makeArithmetic)

func makeArithmetic() *arithmetic {
	float16s := newElement(func(x Float16) number { return singleOf(x.Float32()) }, func(x number) Float16 { return ToFloat16(x.single()) })
	bfloat16s := newElement(func(x BFloat16) number { return singleOf(x.Float32()) }, func(x number) BFloat16 { return ToBFloat16(x.single()) })
	float8E4M3s := newElement(func(x Float8E4M3) number { return singleOf(x.Float32()) }, func(x number) Float8E4M3 { return ToFloat8E4M3(x.single()) })
	float8E5M2s := newElement(func(x Float8E5M2) number { return singleOf(x.Float32()) }, func(x number) Float8E5M2 { return ToFloat8E5M2(x.single()) })
	float32s := reduced[float32](newElement(singleOf, number.single))
	float64s := reduced[float64](newElement(doubleOf, number.double))
	int8s := newElement(integerOf[int8], func(x number) int8 { return int8(x.int32()) })
	uint8s := newElement(integerOf[uint8], func(x number) uint8 { return uint8(x.int32()) })
	int32s := reduced[int32](newElement(integerOf[int32], number.int32))
	uint32s := reduced[uint32](newElement(integerOf[uint32], number.uint32))
	return &arithmetic{
		[]*element{float16s, bfloat16s, float8E4M3s, float8E5M2s, float32s, float64s, int8s, uint8s, int32s, uint32s},
		[]product{
			{[]*element{float16s}, float32s, toDoubles, rowOf(addSingles)},
			{[]*element{bfloat16s}, float32s, toDoubles, rowOf(addSingles)},
			{[]*element{float8E4M3s, float8E5M2s}, float32s, toDoubles, rowOf(addSingles)},
			{[]*element{float32s}, float32s, toDoubles, rowOf(addSingles)},
			{[]*element{float64s}, float64s, toDoubles, rowOf(addDoubles)},
			{[]*element{int8s, uint8s}, int32s, toIntegers, rowOf(addIntegers)},
		},
	}
}

func newElement[T any](get func(T) number, put func(number) T) *element {
	return &element{
		of:    reflect.TypeFor[T](),
		zeros: func(n int) any { return make([]T, n) },
		get:   func(values any, i int) number { return get(values.([]T)[i]) },
		put:   func(values any, i int, x number) { values.([]T)[i] = put(x) },
		move:  func(to any, i int, from any, k int) { to.([]T)[i] = from.([]T)[k] },
	}
}

// tileElementOf returns the element of an array of rows. It panics if tiles have no such elements.
func tileElementOf(array reflect.Type) *element {
	elements, of := tileArithmetic().elements, array.Elem().Elem()
	for _, e := range elements {
		if e.of == of {
			return e
		}
	}
	panic(fmt.Sprintf("gpu: Tile[%v]: the elements of a tile are %s", array, elementNames(elements)))
}

// elementNames returns the names of elements: "int8 or uint8".
func elementNames(list []*element) string {
	names := make([]string, len(list))
	for n, e := range list {
		names[n] = e.of.String()
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return names[0]
}

// number is an element on its way to another type: an integer, a float64, or a float32 as float64.
type number struct {
	integer int64
	float   float64
	form    numberForm
}

type numberForm uint8

const (
	integerForm numberForm = iota
	singleForm
	doubleForm
)

func integerOf[T int8 | uint8 | int32 | uint32](x T) number { return number{integer: int64(x)} }
func singleOf(x float32) number                             { return number{0, float64(x), singleForm} }
func doubleOf(x float64) number                             { return number{0, x, doubleForm} }

// single returns the nearest float32.
func (x number) single() float32 {
	if x.form == integerForm {
		return float32(x.integer)
	}
	return float32(x.float)
}

// double returns the number, which float64 holds.
func (x number) double() float64 {
	if x.form == integerForm {
		return float64(x.integer)
	}
	return x.float
}

func (x number) int32() int32   { return int32(x.truncated(-0x1p31, 0x1.fffffep30, math.MaxInt32)) }
func (x number) uint32() uint32 { return uint32(x.truncated(0, 0x1.fffffep31, math.MaxUint32)) }

// truncated returns an integer as it is, and a float truncated: the nearest number that both the
// integer's type and the float's have, and 0 for NaN (WGSL §17.1.2). low and high are the least and
// the greatest such number.
func (x number) truncated(low, highSingle, highDouble float64) int64 {
	switch {
	case x.form == integerForm:
		return x.integer
	case x.float != x.float:
		return 0
	case x.form == singleForm:
		return int64(min(max(x.float, low), highSingle))
	}
	return int64(min(max(x.float, low), highDouble))
}

// product is a way to multiply tiles.
type product struct {
	factors []*element
	sum     *element
	// widened returns the elements of a factor in the type of the products.
	widened func(e *element, values any, n int) any
	// row computes a row of a result from so many products each.
	row func(w *tileWork, row, depth, cols int)
}

// findProduct returns the way to multiply tiles. It panics if there is none.
func findProduct(a, b, c *tileShape) *product {
	products := tileArithmetic().products
	for n := range products {
		p := &products[n]
		if slices.Contains(p.factors, a.element) && slices.Contains(p.factors, b.element) && p.sum == c.element {
			return p
		}
	}
	var ways []string
	for _, p := range products {
		ways = append(ways, fmt.Sprintf("%s with a sum of %v", elementNames(p.factors), p.sum.of))
	}
	panic(fmt.Sprintf("gpu: MulAdd: %v · %v + %v: the factors are %s", a, b, c, strings.Join(ways, ", ")))
}

func toDoubles(e *element, values any, n int) any {
	list := make([]float64, n)
	for i := range list {
		list[i] = e.get(values, i).double()
	}
	return list
}

func toIntegers(e *element, values any, n int) any {
	list := make([]int32, n)
	for i := range list {
		list[i] = e.get(values, i).int32()
	}
	return list
}

// rowOf returns what computes a row: add adds a factor by a row of factors to it.
func rowOf[F, S any](add func(sums []S, x F, y []F)) func(w *tileWork, row, depth, cols int) {
	return func(w *tileWork, row, depth, cols int) {
		sums := w.result.values.([]S)[row*cols:][:cols]
		copy(sums, w.operands[2].values.([]S)[row*cols:])
		right := w.operands[1].factors.([]F)
		for k, x := range w.operands[0].factors.([]F)[row*depth:][:depth] {
			add(sums, x, right[k*cols:][:cols])
		}
	}
}

// addSingles rounds each x·y + z once. Rounding the sum to float64 first differs only where that is
// the middle between two float32, or where the result may be subnormal.
func addSingles(sums []float32, x float64, y []float64) {
	const lost, middle = 1<<29 - 1, 1 << 28 // of the bits of float64
	y = y[:len(sums)]
	for n, z := range sums {
		sum := float64(x*y[n]) + float64(z)
		if bits := math.Float64bits(sum); bits&lost == middle || bits>>52&0x7FF <= 1023-126 && sum != 0 {
			sums[n] = roundedSum(x*y[n], z)
			continue
		}
		sums[n] = float32(sum)
	}
}

func addDoubles(sums []float64, x float64, y []float64) {
	for n, z := range sums {
		sums[n] = math.FMA(x, y[n], z)
	}
}

func addIntegers(sums []int32, x int32, y []int32) {
	for n := range sums {
		sums[n] += x * y[n]
	}
}

// folding sets an element of a slice to the combination of so many elements of another, the first
// one and then those a step apart.
type folding func(to any, at int, from any, first, step, count int)

func reduced[T int32 | uint32 | float32 | float64](e *element) *element {
	e.sum = foldingBy(func(x, y T) T { return x + y })
	e.max = foldingBy(func(x, y T) T { return max(x, y) })
	e.min = foldingBy(func(x, y T) T { return min(x, y) })
	return e
}

func foldingBy[T any](combine func(x, y T) T) folding {
	return func(to any, at int, from any, first, step, count int) {
		values := from.([]T)
		result := values[first]
		for n := 1; n < count; n++ {
			result = combine(result, values[first+n*step])
		}
		to.([]T)[at] = result
	}
}
