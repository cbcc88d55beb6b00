package gpu

import (
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/driver/webgpu"
)

// drivers are all drivers of browsers, in the order of preference.
var drivers = []driver.Driver{&webgpu.Driver{}, &cpu.Driver{}}

// preferred are those that Open tries.
var preferred = []string{WebGPU}
