// Package rocm runs code objects on AMD's devices through HIP (libamdhip64), found at run time
// without cgo. The facts are from the HIP API reference (hip_runtime_api.h); ROCm 5 to 7 differ
// where comments say so.
//
// Package cudalike has what HIP shares with CUDA. Kernels come as code objects, or as the text of
// target amdgpu, which package codeobject compiles. Only the names of the library are AMD's, so
// that tests run all of it on a fake library.
package rocm

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/codeobject"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/cudalike"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// Driver is the HIP driver. The zero value is ready; it loads the library on first use and keeps
// it. It must not be copied.
type Driver struct {
	base  cudalike.Driver
	other *cudalike.API // in tests: with other names of the library
}

// Name returns "rocm".
func (d *Driver) Name() string { return api.Name }

// Devices lists the devices that HIP finds. It is an error if HIP is older than ROCm 5.7.
func (d *Driver) Devices() ([]driver.Info, error) { return d.base.Devices(d.api()) }

// Absent implements driver.Absent.
func (d *Driver) Absent() error { return d.base.Absent() }

// Open opens the device with this index in Devices.
func (d *Driver) Open(index int) (driver.Device, error) { return d.base.Open(d.api(), index) }

func (d *Driver) api() *cudalike.API {
	if d.other != nil {
		return d.other
	}
	return &api
}

// api is HIP's interface. hipStreamDestroy does not wait for the stream's work, so a stream is
// destroyed when it has none. hipModuleLaunchKernel does not say what happens on a thread with
// another device, so every launch sets it.
var api = cudalike.API{
	Name: "rocm", Key: "hip", Library: "hip", Title: "ROCm", Results: "hipError_t",
	Absent: []uint32{100, 101}, // hipErrorNoDevice, and hipErrorInvalidDevice, which ROCm 5 says
	Attributes: cudalike.Attributes{ // hipDeviceAttribute_t, the same from ROCm 5 to 7
		MaxThreads: 56, MaxBlockX: 26, MaxGridX: 29, SharedMemory: 74, WarpSize: 87, Pools: 88, Integrated: 16,
		Units: 63, Clock: 5, MemoryClock: 60, BusWidth: 59, Cache: 19,
	},
	Vendor: "AMD", Unit: "compute unit",
	Identify: identify, Text: text, Image: image, Declared: declared, Load: load, Loading: "load the code object",
	KeepsImage:   true,           // hipModuleLoadData does not say that it copies
	StaticShared: math.MaxUint32, // all that a device has
	MaxItems:     1<<32 - 1,      // hipModuleLaunchKernel
	Nodes:        nodes,
}

// nodes are hipKernelNodeParams and hipMemsetParams. HIP 7 changed the second.
func nodes(version int32) cudalike.Nodes {
	n := cudalike.Nodes{
		Launch: cudalike.LaunchNode{Workgroup: 0, Function: 24, Grid: 32, Parameters: 48, Shared: 56},
		Fill:   cudalike.FillNode{To: 0, Element: 8, Height: 16, Value: 32, Width: 40},
	}
	if version >= 7_00_00000 {
		n.Fill = cudalike.FillNode{To: 0, Value: 16, Element: 20, Width: 24, Height: 32}
	}
	return n
}

// oldest is the version of HIP (major, minor and patch in 3, 2 and 5 digits) whose runtime loads
// code objects of version 5.
const oldest = 5_07_00000

// identify finds the processor.
func identify(q *cudalike.Query, info *driver.Info) (bool, error) {
	version := q.Version()
	major, minor := version/1_00_00000, version/1_00000%100
	if version < oldest {
		return false, fmt.Errorf("rocm: HIP %d.%d is too old; kernels take ROCm 5.7 or newer", major, minor)
	}
	properties := make([]byte, 16<<10) // which is several times what hipDeviceProp_t has
	err := q.Check("query a device", dl.Call(q.Properties, uintptr(dl.First(properties)), q.Device))
	if err != nil {
		return false, err
	}
	name := processorIn(properties)
	switch {
	case name == "":
		return false, fmt.Errorf("rocm: %s does not say which processor it is", info.Name)
	case info.SubgroupSize != 32 && info.SubgroupSize != 64:
		return false, fmt.Errorf("rocm: %s has waves of %d, which no processor of AMD's has", info.Name, info.SubgroupSize)
	}
	info.Target, info.Profile = abi.AMDGPU, abi.Processor(name)
	info.Version = fmt.Sprintf("HIP %d.%d, %s", major, minor, name)
	return true, nil
}

// nameBytes is the length of a device's name, with which its properties begin.
const nameBytes = 256

// processorIn finds the name of the processor (gcnArchName) in a device's properties, or returns
// "". Where it lies depends on the version of the structure, and what it looks like does not, so it
// is looked for: after the name of the device.
func processorIn(properties []byte) string {
	for rest := properties[nameBytes:]; ; rest = rest[1:] {
		at := bytes.Index(rest, []byte("gfx"))
		if at < 0 {
			return ""
		}
		rest = rest[at:]
		if name := dl.Text(rest[:min(len(rest), nameBytes)]); abi.Processor(name) != 0 {
			return name
		}
	}
}

// text reads one of HIP's static strings.
func text(function uintptr, code uint32) string { return dl.GoString(dl.Call(function, uintptr(code))) }

// image returns an artefact's code object.
func image(a *abi.Artefact, cache *kernelcache.Cache) ([]byte, error) {
	if codeobject.Is(a.Code) {
		return slices.Clone(a.Code), nil // which the library may read later
	}
	return codeobject.MakeCached(a, cache)
}

// declared counts the parameters of a kernel in a text, or returns -1 where there is none of this
// name, as in a code object.
func declared(code []byte, entry string) int {
	_, behind, found := bytes.Cut(code, []byte(" amdgpu_kernel void @"+entry+"("))
	if !found || codeobject.Is(code) {
		return -1
	}
	list, _, _ := bytes.Cut(behind, []byte(" {\n"))
	if bytes.HasPrefix(list, []byte(")")) {
		return 0
	}
	return 1 + bytes.Count(list, []byte(", "))
}

// load makes a module of a code object.
func load(c *cudalike.Functions, module *uintptr, image []byte) (uintptr, string) {
	return dl.Call(c.ModuleLoad, uintptr(unsafe.Pointer(module)), uintptr(dl.First(image))), ""
}
