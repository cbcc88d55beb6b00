// Package calls has calls that kernels do not make.
package calls

import "github.com/gpuc/gpuc/runtime/gpu"

func factorial(n int) int {
	if n < 2 {
		return 1
	}
	return n * factorial(n-1) // want "factorial calls itself, and kernels have no recursion"
}

func even(n int) bool {
	if n == 0 {
		return true
	}
	return odd(n - 1)
}

func odd(n int) bool {
	if n == 0 {
		return false
	}
	return even(n - 1) // want "even calls itself through odd, and kernels have no recursion"
}

type tree struct{ depth int }

func (t tree) size() int {
	if t.depth == 0 {
		return 1
	}
	return 2 * tree{t.depth - 1}.size() // want "size calls itself, and kernels have no recursion"
}

func first(n int) int  { return second(n) }
func second(n int) int { return third(n) }
func third(n int) int {
	if n > 0 {
		return first(n - 1) // want "first calls itself through second, third, and kernels have no recursion"
	}
	return n
}

func parse(s string) int { return len(s) } // want "kernels have no values of type string"

func show(v any) {} // want "kernels have no values of type any"

func try(x float32) (float32, error) { // want "kernels have no values of type error"
	if x < 0 {
		return 0, nil
	}
	return x, nil
}

func log(format string, args ...any) {} // want "kernels have no values of type string" "kernels have no values of type any"

func precise(x complex64) complex64 { return x * 2 } // want "kernels have no values of type complex64" "kernels have no values of type complex64"

func lookup(m map[int]int, k int) int { return m[k] } // want "kernels have no values of type map\[int\]int"

func sum(values []uintptr) (total uintptr) { // want "kernels have no values of type uintptr" "kernels have no values of type uintptr"
	for _, v := range values {
		total += v
	}
	return total
}

func pick(choose func() bool) float32 { // want "kernels have no values of type func\(\) bool"
	if choose() {
		return 1
	}
	return 0
}

//gpuc:kernel workgroup=64
func Recursion(it gpu.Item, x []int32) {
	x[0] = int32(factorial(5))
	if even(4) {
		x[1] = 1
	}
	x[2] = int32(tree{3}.size())
	x[3] = int32(first(2))
	x[4] = int32(factorial(6))
}

//gpuc:kernel workgroup=64
func Signatures(it gpu.Item, x []float32) {
	x[0] = float32(parse("12"))
	show(x[1])
	y, err := try(x[2])
	if err != nil {
		return
	}
	x[3] = y
	log("%d", x[0])
	x[4] = float32(real(precise(complex64(0))))
	x[5] = float32(lookup(nil, 3))
	x[6] = float32(sum(nil))
	x[7] = pick(func() bool { return true })
}

//gpuc:kernel workgroup=64
func Base(it gpu.Item, x []float32) {
	x[it.Index()] = 1
}

//gpuc:kernel workgroup=64
func Kernels(it gpu.Item, x []float32) {
	Base(it, x)    // want "Base is a kernel, which is launched and not called"
	Kernels(it, x) // want "Kernels is a kernel, which is launched and not called"
	var other gpu.Item
	Base(other, x)     // want "Base is a kernel, which is launched and not called"
	made := gpu.Item{} // want "kernels make no items"
	x[made.Index()] = 1
	holder := struct{ it gpu.Item }{it}
	x[holder.it.Index()] = 2
	items := [2]gpu.Item{it, it} // want "kernels have no values of type gpu\.Item"
	x[items[0].Index()] = 3
	if it == made { // want "kernels do not compare items"
		x[4] = 1
	}
	gpu.Each(gpu.Grid{}, gpu.Int3{}, nil) // want "kernels do not call gpu\.Each"
	devices, _ := gpu.Devices()           // want "kernels do not call gpu\.Devices"
	x[5] = float32(len(devices))
}

//gpuc:kernel workgroup=64
func Builtins(it gpu.Item, x []float32) {
	panic("out of range") // want "kernels do not call panic"
	print(x[0])           // want "kernels do not call print"
	println("x is", x[0]) // want "kernels do not call println"
	r := recover()        // want "kernels do not call recover"
	_ = r
	defer it.Barrier() // want "kernels defer no calls"
	defer func() {     // want "kernels defer no calls"
		recover()
	}()
	go Base(it, x) // want "kernels start no goroutines"
	go func() {}() // want "kernels start no goroutines"
}
