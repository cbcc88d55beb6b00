package tested

import "github.com/gpuc/gpuc/runtime/gpu"

var changed = func() float32 { weights[0] = 2; return weights[0] }()

// Tested is no kernel, as files of tests are not compiled for devices.
//
//gpuc:kernel workgroup=64
func Tested(it gpu.Item, x []float32) { println(changed) }
