// Package kernels has kernels that call functions of other packages.
package kernels

import (
	"example.com/module/helpers"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//gpuc:kernel workgroup=64
func right(it gpu.Item, points []helpers.Point, x []float32) {
	i := it.Index()
	points[i] = points[i].Add(helpers.Point{X: helpers.Sum(x), Y: gpu.V3f(1, 2, 3).Add(gpu.V3f(3, 2, 1)).X})
}

//gpuc:kernel workgroup=64
func wrong(it gpu.Item, points []helpers.Point, x []float32) {
	i := it.Index()
	x[i] = helpers.Mean(x)                   // want `^helpers\.Mean cannot be called by kernels: kernels have no values of type complex128 \(example\.com/module/helpers/helpers\.go:13:2\) \(write a structure of two float32 and its methods\) \[go-subset\]$`
	x[i] = helpers.Mean(x) + helpers.Mean(x) // once is enough
	x[i] = helpers.Through(x[i])             // want `helpers\.Through cannot be called by kernels: kernels have no maps \(example\.com/module/helpers/helpers\.go:27:6\)`
	x[i] = helpers.Again(x[i])               // want `helpers\.Again cannot be called by kernels: kernels have no maps`
	x[i] = helpers.Prints(x[i])              // want `helpers\.Prints cannot be called by kernels: kernels do not call println \(example\.com/module/deeper/deeper\.go:6:2\)`
	i = helpers.Factorial(i)                 // want `helpers\.Factorial cannot be called by kernels`
	if helpers.Odd(i) || helpers.Even(i) {   // want `helpers\.Odd cannot be called by kernels` `helpers\.Even cannot be called by kernels`
		i++
	}
	wide := helpers.Wide(i) // want `helpers\.Wide cannot be called by kernels: kernels have no values of type uintptr`
	i = int(wide)
	i += helpers.Words("a")                 // want `helpers\.Words cannot be called by kernels`
	_ = points[i].Norm()                    // want `\(\*helpers\.Point\)\.Norm cannot be called by kernels`
	x[i] = helpers.Lazy(x)                  // want `helpers\.Lazy cannot be called by kernels: kernels do not call make`
	helpers.Scaled(it, x)                   // want `helpers\.Scaled cannot be called by kernels: Scaled is a kernel, which is launched and not called`
	helpers.Launches(it, x)                 // want `helpers\.Launches cannot be called by kernels`
	x[i] = float32(len(points[i].String())) // want `\(helpers\.Point\)\.String cannot be called by kernels`
}

//gpuc:kernel workgroup=64
func method(it gpu.Item, ring helpers.Ring, x []float32) {
	x[0] = helpers.Shapes(ring) // want `helpers\.Ring\)\.Norm cannot be called by kernels: kernels defer no calls`
}

//gpuc:kernel workgroup=64
func generated(it gpu.Item, x []float32) {
	RunGenerated(x) // want `this leads to generated code that is not for kernels: kernels do not call panic \(gpuc_gen\.go:6:2\)`
}
