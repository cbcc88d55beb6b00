// Package messages prints what kernels cannot.
package messages

import "github.com/gpuc/gpuc/runtime/gpu"

type body struct{ x, y float32 }

//gpuc:kernel workgroup=64
func Print(it gpu.Item, x []float32, n int32, b body) {
	it.Printf("%d", x[0])                // want "`%d` takes an integer, and this is f32"
	it.Printf("%f %t", x[0], n)          // want "`%t` takes a bool, and this is i32"
	it.Printf("%s", n)                   // want "messages have no verb `%s`"
	it.Printf("%v %v", n)                // want "the format has a verb `%v` for which there is no value"
	it.Printf("%v", n, n)                // want "the format has no verb for this value"
	it.Printf("%*d", n, n)               // want "messages have no verb `%\*`"
	it.Printf("%")                       // want "the format ends in `%`, which is no verb"
	it.Printf("%v", b)                   // want "it.Printf shows numbers, bools and vectors of package gpu, and this is of type body"
	it.Printf("%v", x)                   // want "it.Printf shows numbers, bools and vectors of package gpu, and this is of type \[\]float32"
	it.Printf("%v", "text")              // want "kernels have no values of type string"
	it.Printf("%v", gpu.Mat2f{})         // want "it.Printf shows numbers, bools and vectors of package gpu, and this is of type gpu.Mat2f"
	it.Printf("%v", []any{n}...)         // want "the values of it.Printf are arguments of the call, and this is a slice of them"
	it.Assert(n > 0, "%g", n)            // want "`%g` takes a float, and this is i32"
	it.Assert(n > 0, "%v", nil)          // want "kernels have no nil"
	it.Printf("%v", 1<<40)               // want "1 << 40 is 1099511627776, which does not fit into the int of devices"
	it.Printf("%d", len(make([]int, 3))) // want "kernels do not call make"
}
