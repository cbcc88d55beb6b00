package referencetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// tensor is an array of a case, in row-major order. Its elements are as in memory.
type tensor struct {
	Type  string
	Shape []int
	Data  []byte
}

// node is a case of a file, as a program in testdata has written it: an operator, what it is given,
// and what it has to return. An input that it does without is nil.
type node struct {
	Name, Operator  string
	Attributes      map[string]any
	Inputs, Outputs []*tensor
}

// input returns an input, nil if the node has none.
func (n *node) input(i int) *tensor {
	if i < len(n.Inputs) {
		return n.Inputs[i]
	}
	return nil
}

// number returns an attribute, or a default.
func (n *node) number(name string, otherwise float64) float64 {
	if v, ok := n.Attributes[name]; ok {
		return v.(float64)
	}
	return otherwise
}

// flag reports whether an attribute is set.
func (n *node) flag(name string, otherwise bool) bool {
	if v, ok := n.Attributes[name]; ok {
		return v.(float64) != 0
	}
	return otherwise
}

// text returns an attribute, or a default.
func (n *node) text(name, otherwise string) string {
	if v, ok := n.Attributes[name]; ok {
		return v.(string)
	}
	return otherwise
}

// list returns an attribute, or a default.
func (n *node) list(name string, otherwise []int) (list []int) {
	v, ok := n.Attributes[name]
	if !ok {
		return otherwise
	}
	for _, e := range v.([]any) {
		list = append(list, int(e.(float64)))
	}
	return list
}

// axis returns an axis of the first input, which may be negative.
func (n *node) axis(axis int) int {
	if axis < 0 {
		return axis + len(n.Inputs[0].Shape)
	}
	return axis
}

// elements returns the elements of a tensor whose type has the size of T.
func elements[T any](x *tensor) []T {
	list := make([]T, count(x.Shape))
	switch list := any(list).(type) {
	case []gpu.BFloat16:
		copy(list, mapped(widened(x), gpu.ToBFloat16))
		return any(list).([]T)
	case []gpu.Float16:
		copy(list, mapped(elements[uint16](x), gpu.Float16FromBits))
		return any(list).([]T)
	}
	if _, err := binary.Decode(x.Data, binary.LittleEndian, list); err != nil {
		panic(fmt.Sprintf("a tensor of %s: %v", x.Type, err))
	}
	return list
}

// integers returns the elements of a tensor of int32 or int64; none for nil.
func integers(x *tensor) (list []int) {
	if x == nil {
		return nil
	}
	for _, v := range numbers(x) {
		list = append(list, int(v))
	}
	return list
}

// numbers returns the elements of a tensor of any type.
func numbers(x *tensor) []float64 {
	switch x.Type {
	case "bool", "uint8":
		return floats(elements[uint8](x))
	case "int8":
		return floats(elements[int8](x))
	case "uint16":
		return floats(elements[uint16](x))
	case "int16":
		return floats(elements[int16](x))
	case "uint32":
		return floats(elements[uint32](x))
	case "int32":
		return floats(elements[int32](x))
	case "uint64":
		return floats(elements[uint64](x))
	case "int64":
		return floats(elements[int64](x))
	case "float16":
		return floats(elements[gpu.Float16](x))
	case "bfloat16":
		return floats(elements[gpu.BFloat16](x))
	case "float32":
		return floats(elements[float32](x))
	case "float64":
		return elements[float64](x)
	}
	panic("no numbers of " + x.Type)
}

// widened returns the elements of a tensor of bfloat16.
func widened(x *tensor) []float32 {
	return mapped(elements[uint16](x), func(v uint16) float32 { return math.Float32frombits(uint32(v) << 16) })
}

func mapped[T, U any](x []T, f func(T) U) []U {
	list := make([]U, len(x))
	for i, v := range x {
		list[i] = f(v)
	}
	return list
}

func count(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// permuted returns the elements of an array whose dimension k is dimension order[k] of x.
func permuted[T any](x []T, shape, order []int) []T {
	list := make([]T, 0, len(x))
	var walk func(k, at int)
	walk = func(k, at int) {
		if k == len(order) {
			list = append(list, x[at])
			return
		}
		stride := count(shape[order[k]+1:])
		for i := range shape[order[k]] {
			walk(k+1, at+i*stride)
		}
	}
	walk(0, 0)
	return list
}

// last returns the order of dimensions in which an axis is the last one, the shape of that, and the
// order back.
func last(shape []int, axis int) (order, moved, back []int) {
	for k := range shape {
		if k != axis {
			order = append(order, k)
		}
	}
	order = append(order, axis)
	back = make([]int, len(order))
	for k, from := range order {
		moved = append(moved, shape[from])
		back[from] = k
	}
	return order, moved, back
}

// env is a device that runs a case.
type env struct {
	*testing.T
	s *gpu.Stream
}

// check ends the case: a device that lacks a type of elements does not run it.
func (e *env) check(err error) {
	e.Helper()
	if errors.Is(err, gpu.ErrUnsupported) {
		e.Skip("skipped: the device lacks something: ", err)
	}
	if err != nil {
		e.Fatal(err)
	}
}

func upload[T any](e *env, x []T) *gpu.Buffer[T] {
	e.Helper()
	b, err := gpu.Upload(e.Context(), e.s.Device(), x)
	e.check(err)
	e.Cleanup(func() { b.Close() })
	return b
}

func zeros[T any](e *env, n int) *gpu.Buffer[T] {
	e.Helper()
	return upload(e, make([]T, n))
}

func read[T any](e *env, b *gpu.Buffer[T]) []T {
	e.Helper()
	x := make([]T, b.Len())
	e.check(b.Read(e.Context(), e.s, x))
	return x
}

// floats returns the elements of a slice; complex numbers are two.
func floats(slice any) (list []float64) {
	v := reflect.ValueOf(slice)
	for i := range v.Len() {
		switch e := v.Index(i); {
		case e.CanInt():
			list = append(list, float64(e.Int()))
		case e.CanUint():
			list = append(list, float64(e.Uint()))
		case e.CanFloat():
			list = append(list, e.Float())
		case e.CanComplex():
			list = append(list, real(e.Complex()), imag(e.Complex()))
		case e.Kind() == reflect.Bool:
			one := 0.0
			if e.Bool() {
				one = 1
			}
			list = append(list, one)
		default: // a gpu.Float16 or BFloat16
			list = append(list, float64(e.Interface().(interface{ Float32() float32 }).Float32()))
		}
	}
	return list
}
