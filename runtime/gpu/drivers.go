//go:build !js

package gpu

import (
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/driver/cuda"
	"github.com/gpuc/gpuc/runtime/driver/metal"
	"github.com/gpuc/gpuc/runtime/driver/rocm"
	"github.com/gpuc/gpuc/runtime/driver/vulkan"
)

// drivers are all drivers, in the order of preference. They find their libraries on first use and
// keep them, hence one list for the process.
var drivers = []driver.Driver{&cuda.Driver{}, &vulkan.Driver{}, &metal.Driver{}, &rocm.Driver{}, &cpu.Driver{}}

// preferred are those that Open tries.
var preferred = []string{CUDA, Vulkan}
