// Package cuda runs PTX kernels through NVIDIA's driver library (libcuda), found
// at run time without cgo; no CUDA toolkit is needed. The facts about the
// functions come from the CUDA Driver API reference.
//
// What CUDA has in common with HIP is in package cudalike; here is what is CUDA's own.
package cuda

import (
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/cudalike"
)

// Driver is the CUDA driver. The zero value is ready; it loads the library on
// first use and keeps it. It must not be copied.
type Driver struct{ base cudalike.Driver }

// Name returns "cuda".
func (d *Driver) Name() string { return api.Name }

// Devices lists the devices of compute capability 7.0 and above.
func (d *Driver) Devices() ([]driver.Info, error) { return d.base.Devices(&api) }

// Absent implements driver.Absent.
func (d *Driver) Absent() error { return d.base.Absent() }

// Open opens the device with this index in Devices.
func (d *Driver) Open(index int) (driver.Device, error) { return d.base.Open(&api, index) }

// api is CUDA's interface.
var api = cudalike.API{
	Name: "cuda", Key: "cuda", Library: "cuda", Title: "CUDA", Results: "CUresult",
	Absent: []uint32{100}, // CUDA_ERROR_NO_DEVICE
	Attributes: cudalike.Attributes{ // CUdevice_attribute
		MaxThreads: 1, MaxBlockX: 2, MaxGridX: 5, WarpSize: 10, Pools: 115, Integrated: 18,
		SharedMemory: 97, // what a workgroup may request at launch
		Units:        attributeMultiprocessors, Clock: attributeClock, MemoryClock: attributeMemoryClock, BusWidth: attributeBusWidth, Cache: 38,
	},
	Vendor: "NVIDIA", Unit: "multiprocessor",
	Identify: identify, Text: text, Image: image, Declared: declared, Load: load, Loading: "compile",
	StaticShared:     abi.StaticWorkgroupBytes,
	LaunchesAnywhere: true,
	Nodes:            nodes,
	GraphsInOrder:    true, // "Graph Management", cuGraphLaunch
	Tensors:          90,
	Dependent:        dependentTarget,
	Wait:             wait,
	ByValue:          true,
	DirectWrite:      4 << 20, // measured on an H200
	DirectRead:       1 << 20,
	StreamsFinish:    true,
	Copier:           copier,
}

// nodes are CUDA_KERNEL_NODE_PARAMS, whose second version has more behind it, and
// CUDA_MEMSET_NODE_PARAMS.
func nodes(int32) cudalike.Nodes {
	return cudalike.Nodes{
		Launch: cudalike.LaunchNode{Function: 0, Grid: 8, Workgroup: 20, Shared: 32, Parameters: 40},
		Fill:   cudalike.FillNode{To: 0, Value: 16, Element: 20, Width: 24, Height: 32},
	}
}

// oldest is the compute capability that PTX artefacts are written for.
const oldest = 70

// identify queries the compute capability.
func identify(q *cudalike.Query, info *driver.Info) (bool, error) {
	const attributeMajor, attributeMinor = 75, 76
	major, minor := q.Attribute(attributeMajor), q.Attribute(attributeMinor)
	version := q.Version()
	info.Target, info.Profile = abi.PTX, major*10+minor
	info.Features = append(info.Features, abi.CubeArrays, abi.StorageFormats, abi.StorageReadWithoutFormat, abi.StorageWriteWithoutFormat)
	info.Version = fmt.Sprintf("CUDA driver API %d.%d, compute capability %d.%d", version/1000, version%1000/10, major, minor)
	info.Compiler, info.CompilerVersion = "ptxas", uint32(version/1000*1_000_000+version%1000/10*1_000)
	info.Peak = peakOf(info.Profile, q.Optional)
	info.Hardware.Matrices = matricesOf(info.Profile)
	return info.Profile >= oldest, nil
}

// text reads one of libcuda's static strings.
func text(function uintptr, code uint32) string {
	var address uintptr
	if uint32(dl.Call(function, uintptr(code), uintptr(unsafe.Pointer(&address)))) != 0 {
		return ""
	}
	return dl.GoString(address)
}
