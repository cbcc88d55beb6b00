// Package control has statements that kernels do not have.
package control

import "github.com/gpuc/gpuc/runtime/gpu"

func each(yield func(int) bool) {
	for i := range 3 {
		if !yield(i) {
			return
		}
	}
}

type list struct{ n int }

func (l list) all(yield func(int, int) bool) {
	yield(0, l.n)
}

//gpuc:kernel workgroup=64
func Jumps(it gpu.Item, x []int32) {
	i := 0
again:
	x[i]++
	i++
	if i < 4 {
		goto again // want "kernels have no goto"
	}
	for {
		goto done // want "kernels have no goto"
	}
done:
	for v := range each { // want "kernels range over integers, slices and arrays, and this is a function"
		x[v] = 1
	}
	for k, v := range (list{3}).all { // want "kernels range over integers, slices and arrays, and this is a function"
		x[k] = int32(v)
	}
	for k, v := range func(yield func(int, int) bool) {} { // want "kernels range over integers, slices and arrays, and this is a function"
		x[k] = int32(v)
	}
	defer release(x) // want "kernels defer no calls"
	for range 3 {
		defer release(x) // want "kernels defer no calls"
	}
	go release(x) // want "kernels start no goroutines"
}

func release(x []int32) { x[0] = 0 }

//gpuc:kernel workgroup=64
func Switches(it gpu.Item, x []int32, s struct{ kind int32 }) {
	switch v := any(x[0]).(type) { // want "kernels have no switches on types"
	case int32:
		x[0] = v
	}
	switch f := (func() int { return 1 }); f() { // want "kernels have no function literals"
	case 1:
		x[1] = 1
	}
	switch y := 0.5i; { // want "kernels have no values of type complex128"
	case y == 0.25:
		x[2] = 1
	}
	if f := 1.5i; f != 1 { // want "kernels have no values of type complex128"
		x[3] = 1
	}
}
