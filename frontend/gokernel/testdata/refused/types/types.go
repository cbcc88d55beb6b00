// Package types has values of types that kernels do not have.
package types

import (
	"sync"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type person struct {
	name string
	age  int32
}

type celsius float64

type wave struct {
	phase float32
	inner struct{ gain float64 }
}

type shape interface{ area() float32 }

type square struct{ side float32 }

func (s square) area() float32 { return s.side * s.side }

type named struct {
	shape
	id int32
}

type mode uint8

const (
	slow mode = iota
	fast
)

type guarded struct {
	mu sync.Mutex
	n  int32
}

type visitor struct{ visit func(int) int }

//gpuc:kernel workgroup=64
func Floats(it gpu.Item, x []float32) {
	a := 1.0   // want "a is a float64, as a constant with a point makes one"
	b := 2.5e3 // want "b is a float64, as a constant with a point makes one"
	var c float64
	c = float64(x[0])
	var d = float64(x[1])
	e := float64(x[2]) * 2
	const half = 0.5
	f := half // want "f is a float64, as a constant with a point makes one"
	g := celsius(20)
	var h float64 = 3
	x[0] = float32(a+b) + float32(c*d) + float32(e/f)
	x[1] = float32(float64(x[3]) + 1)
	x[2] = float32(g) + float32(h)
	if a > 1.0 && float64(x[1]) > 0.5 {
		x[3] = 1
	}
	for t := 0.0; t < 1; t += 0.25 { // want "t is a float64, as a constant with a point makes one"
		x[4] += float32(t)
	}
	w := wave{phase: 1}
	x[5] = w.phase + float32(w.inner.gain)
	var p, q float64
	p, q = q, p
	table := [2]float64{1, 2}
	x[6] = float32(table[it.Index()&1])
}

//gpuc:kernel workgroup=64
func Integers(it gpu.Item, x []int32) {
	a := int64(x[0])
	var b uint64
	c := uint8(x[1])
	var d byte = 7
	e := int16(1)
	f := uintptr(0) // want "kernels have no values of type uintptr"
	for i := uint8(0); i < 10; i++ {
		x[i] = 1
	}
	for i := range int64(10) {
		x[i] = 1
	}
	x[0] = int32(a) + int32(b) + int32(c) + int32(d) + int32(e) + int32(f)
	x[1] = int32(uint8(x[2]))
	x[2] = int32(int8(x[3])) << 3
	m := fast
	if m == slow {
		x[3] = 1
	}
	size := unsafe.Sizeof(x[0]) // want "kernels have no values of type uintptr"
	x[4] = int32(size)
	p := unsafe.Pointer(&x[0]) // want "kernels have no values of type unsafe\.Pointer"
	x[5] = *(*int32)(p)
	var wait time.Duration = 5
	x[6] = int32(wait)
}

//gpuc:kernel workgroup=64
func Complex(it gpu.Item, x []float32) {
	z := complex(x[0], x[1]) // want "kernels do not call complex"
	x[0] = real(z)
	w := 2i // want "kernels have no values of type complex128"
	x[1] = float32(imag(w))
	var v complex64 // want "kernels have no values of type complex64"
	v = v * v
	x[2] = real(v)
}

//gpuc:kernel workgroup=64
func Strings(it gpu.Item, x []int32) {
	s := "hello" // want "kernels have no values of type string"
	x[0] = int32(len(s))
	t := s + " world"
	for i, r := range t {
		x[i] = int32(r)
	}
	u := string(rune(x[1])) // want "kernels have no values of type string"
	x[2] = int32(u[0])
	bytes := []byte("abc") // want "kernels have no values of type string"
	x[3] = int32(bytes[0])
	if s == "hello" {
		x[4] = 1
	}
	switch s {
	case "a", "b":
		x[5] = 1
	}
	letter := "abc"[x[6]] // want "kernels have no values of type string"
	x[6] = int32(letter)
	for range "text" { // want "kernels range over integers, slices and arrays, and this is a string"
		x[7]++
	}
	p := person{"Ada", 36} // want "kernels have no values of type string, which the field name has"
	x[8] = p.age
	var people [4]person // want "kernels have no values of type string, which the field name has"
	x[9] = people[0].age
	lines := [2]string{"a", "b"} // want "kernels have no values of type string"
	x[10] = int32(len(lines[0]))
}

//gpuc:kernel workgroup=64
func Interfaces(it gpu.Item, x []float32) {
	var a any = x[0] // want "kernels have no values of type any"
	x[0] = a.(float32)
	var s shape = square{x[1]} // want "kernels have no values of type shape"
	x[1] = s.area()
	var e error // want "kernels have no values of type error"
	if e != nil {
		x[2] = 1
	}
	n := named{square{2}, 1} // want "kernels have no values of type shape, which the field shape has"
	x[3] = n.area()
	x[4] = any(x[5]).(float32) // want "kernels have no type assertions"
	switch any(x[6]).(type) {  // want "kernels have no switches on types"
	case float32:
		x[6] = 0
	}
	if f, ok := any(x[7]).(int); ok { // want "kernels have no type assertions"
		x[7] = float32(f)
	}
}

//gpuc:kernel workgroup=64
func Functions(it gpu.Item, x []float32) {
	f := func(a float32) float32 { return a * 2 } // want "kernels have no function literals"
	x[0] = f(x[0])
	g := twice // want "twice is used as a value, and kernels have no function values"
	x[1] = g(x[1])
	x[2] = apply(twice, x[2])
	var h func(float32) float32 // want "kernels have no values of type func\(float32\) float32"
	x[3] = h(x[3])
	sq := square{x[4]}
	area := sq.area // want "sq\.area is used as a value, and kernels have no function values"
	x[4] = area()
	of := square.area // want "square\.area is used as a value, and kernels have no function values"
	x[5] = of(sq)
	v := visitor{} // want "kernels have no values of type func\(int\) int, which the field visit has"
	x[6] = float32(v.visit(1))
	table := [2]func(float32) float32{twice, twice} // want "kernels have no values of type func\(float32\) float32"
	x[7] = table[0](x[7])
	x[8] = func() float32 { return 1 }() // want "kernels have no function literals"
	add := adder(2)
	x[9] = add(x[9])
	x[10] = adder(3)(x[10])
}

func twice(a float32) float32 { return a * 2 }

func apply(f func(float32) float32, a float32) float32 { return f(a) } // want "kernels have no values of type func\(float32\) float32"

func adder(n float32) func(float32) float32 { // want "kernels have no values of type func\(float32\) float32"
	return func(a float32) float32 { return a + n }
}

//gpuc:kernel workgroup=64
func Locked(it gpu.Item, x []int32) {
	var g guarded
	g.mu.Lock() // want "kernels do not call \(\*sync\.Mutex\)\.Lock"
	g.n++
	x[0] = g.n
	g.mu.Unlock() // want "kernels do not call \(\*sync\.Mutex\)\.Unlock"
}

//gpuc:kernel workgroup=64
func Empty(it gpu.Item, x []int32) {
	var none [0]int32
	x[0] = int32(len(none))
	var large [1 << 20]int32 // want "a value of type \[1048576\]int32 is too large: each item would have its own"
	x[1] = large[x[2]]
	matrix := [512][512]float32{} // want "a value of type \[512\]\[512\]float32 is too large: each item would have its own"
	x[3] = int32(matrix[0][0])
}
