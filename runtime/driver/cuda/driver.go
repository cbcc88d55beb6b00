// Package cuda runs PTX kernels through NVIDIA's driver library (libcuda), found
// at run time without cgo; no CUDA toolkit is needed. The facts about the
// functions come from the CUDA Driver API reference.
//
// CUDA's current context belongs to the operating system's thread, and a
// goroutine changes threads. So every entry locks the goroutine to its thread
// and sets the context (about 0.1 µs), and relies on nothing that an earlier
// entry set.
package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Driver is the CUDA driver. The zero value is ready; it loads the library on
// first use and keeps it. It must not be copied.
type Driver struct {
	once    sync.Once
	cu      *functions // nil where there is no library
	err     error
	version int32
}

// Name returns "cuda".
func (d *Driver) Name() string { return "cuda" }

// oldest is the compute capability that PTX artefacts are written for.
const oldest = 70

// candidate is a device that can run artefacts.
type candidate struct {
	ordinal int32
	pools   bool // has stream-ordered allocation
	info    driver.Info
}

// Devices lists the devices of compute capability 7.0 and above.
func (d *Driver) Devices() ([]driver.Info, error) {
	candidates, err := d.candidates()
	infos := make([]driver.Info, len(candidates))
	for i := range candidates {
		infos[i] = candidates[i].info
	}
	return infos, err
}

// Open opens the device with this index in Devices.
func (d *Driver) Open(index int) (driver.Device, error) {
	candidates, err := d.candidates()
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(candidates) {
		return nil, fmt.Errorf("cuda: %w: no device %d, there are %d", driver.ErrUnsupported, index, len(candidates))
	}
	return openDevice(d.cu, candidates[index])
}

// load loads and initialises the library once.
func (d *Driver) load() error {
	d.once.Do(func() {
		library, err := dl.Open(dl.LibraryNames("cuda", runtime.GOOS)...)
		if err != nil {
			if !errors.Is(err, dl.ErrNoLibrary) {
				d.err = err
			}
			return
		}
		cu := new(functions)
		if err := dl.Fill(cu, library.Symbol); err != nil {
			d.err = fmt.Errorf("cuda: %s: %w", library.Name(), err)
			return
		}
		code := dl.Call(cu.Init, 0)
		if uint32(code) == codeNoDevice {
			return
		}
		if d.err = cu.check("initialise", code); d.err == nil {
			dl.Call(cu.DriverVersion, uintptr(unsafe.Pointer(&d.version)))
			d.cu = cu
		}
	})
	return d.err
}

// Attributes of devices (CUdevice_attribute).
const (
	attributeMaxThreads   = 1
	attributeMaxBlockX    = 2
	attributeMaxGridX     = 5
	attributeSharedMemory = 97 // what a workgroup may ask for at launch
	attributeWarpSize     = 10
	attributeMajor        = 75
	attributeMinor        = 76
	attributePools        = 115
)

func (d *Driver) candidates() ([]candidate, error) {
	if err := d.load(); err != nil || d.cu == nil {
		return nil, err
	}
	var count int32
	if err := d.cu.check("count devices", dl.Call(d.cu.DeviceCount, uintptr(unsafe.Pointer(&count)))); err != nil {
		return nil, err
	}
	var list []candidate
	for ordinal := range count {
		c, capability, err := d.describe(ordinal)
		if err != nil {
			return list, err
		}
		if capability >= oldest {
			c.info.Index = len(list)
			list = append(list, c)
		}
	}
	return list, nil
}

// describe asks for what Info says about a device, and its compute capability
// times ten.
func (d *Driver) describe(ordinal int32) (candidate, int32, error) {
	cu := d.cu
	c := candidate{}
	err := cu.check("get a device", dl.Call(cu.DeviceGet, uintptr(unsafe.Pointer(&c.ordinal)), uintptr(ordinal)))
	if err != nil {
		return c, 0, err
	}
	device := uintptr(uint32(c.ordinal))
	attribute := func(which uintptr) uint32 {
		var value int32
		if failure := cu.check("query a device", dl.Call(cu.DeviceAttribute, uintptr(unsafe.Pointer(&value)), which, device)); err == nil {
			err = failure
		}
		return uint32(value)
	}
	name := make([]byte, 256)
	dl.Call(cu.DeviceName, uintptr(dl.First(name)), uintptr(len(name)), device)
	var memory uint64
	dl.Call(cu.DeviceMemory, uintptr(unsafe.Pointer(&memory)), device)
	major, minor := attribute(attributeMajor), attribute(attributeMinor)
	c.info = driver.Info{
		Driver:          "cuda",
		Name:            dl.Text(name),
		Kind:            driver.GPU,
		Target:          abi.PTX,
		Memory:          memory,
		SubgroupSize:    attribute(attributeWarpSize),
		MaxInvocations:  attribute(attributeMaxThreads),
		WorkgroupBytes:  attribute(attributeSharedMemory),
		MaxBufferBytes:  min(memory, largestBuffer),
		OffsetAlignment: offsetAlignment,
		Features: []abi.Feature{abi.Float16, abi.Float64, abi.Int8, abi.Int16, abi.Int64, abi.Int64Atomics, abi.Subgroups,
			abi.CubeArrays, abi.StorageFormats, abi.StorageReadWithoutFormat, abi.StorageWriteWithoutFormat},
		Profile: major*10 + minor,
		Version: fmt.Sprintf("CUDA driver API %d.%d, compute capability %d.%d",
			d.version/1000, d.version%1000/10, major, minor),
	}
	c.info.SubgroupSizes = [2]uint32{c.info.SubgroupSize, c.info.SubgroupSize}
	for i := range uintptr(3) {
		c.info.MaxWorkgroup[i] = attribute(attributeMaxBlockX + i)
		c.info.MaxGrid[i] = attribute(attributeMaxGridX + i)
	}
	if err != nil {
		return c, 0, err
	}
	if cu.hasPools() {
		c.pools = attribute(attributePools) != 0
		err = nil // a driver that does not know the attribute has none
	}
	return c, int32(major*10 + minor), nil
}

// Kernels are given buffer sizes as 32-bit numbers of bytes, and may load
// vectors of 16 bytes from the start of a binding.
const (
	largestBuffer   = 1<<32 - 4
	offsetAlignment = 16
)
