// Package metal runs kernels in the Metal Shading Language on Apple's devices. Metal is
// Objective-C, and Objective-C is C after one function, objc_msgSend, which this package calls
// without cgo. What it relies on comes from Apple's documentation of Metal and of the Objective-C
// runtime, and from the calling conventions of both processors.
//
//	driver.go    devices, found by libraries that are loaded at run time
//	objc.go      classes, selectors, messages, autorelease pools
//	device.go    an open device
//	memory.go    its memory
//	kernel.go    compiling the text
//	cache.go     archives of pipelines, kept on disk
//	stream.go    command buffers, launches and copies
//	event.go     waiting, times, errors
//	texture.go   textures and samplers
//
// Only the names of the libraries belong to one system, so that tests run all of it elsewhere, on a
// fake library.
package metal

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Driver is the Metal driver. The zero value is ready; it loads the libraries on first use and
// keeps them. It must not be copied.
type Driver struct {
	once      sync.Once
	err       error
	absent    error    // why there is no library
	metal     *objects // nil where there is no library
	devices   []candidate
	libraries [2][]string // in tests: the names of the Objective-C runtime and of Metal
}

// candidate is a device that can run artefacts: an MTLDevice, which lives as long as the process.
type candidate struct {
	device uintptr
	info   driver.Info
}

// Name returns "metal".
func (d *Driver) Name() string { return "metal" }

// Devices lists the devices of Apple's fourth family and above, and Macs of the second.
func (d *Driver) Devices() ([]driver.Info, error) {
	d.load()
	infos := make([]driver.Info, len(d.devices))
	for n := range d.devices {
		infos[n] = d.devices[n].info
	}
	return infos, d.err
}

// Open opens the device with this index in Devices.
func (d *Driver) Open(index int) (driver.Device, error) {
	if d.load(); d.err != nil {
		return nil, d.err
	}
	if index < 0 || index >= len(d.devices) {
		return nil, fmt.Errorf("metal: %w: no device %d, there are %d", driver.ErrUnsupported, index, len(d.devices))
	}
	return openDevice(d.metal, d.devices[index]), nil
}

// Absent implements driver.Absent.
func (d *Driver) Absent() error { return d.absent }

func (d *Driver) load() {
	d.once.Do(func() {
		names := d.libraries
		if names[0] == nil {
			names = [2][]string{dl.LibraryNames("objc", runtime.GOOS), dl.LibraryNames("metal", runtime.GOOS)}
		}
		metal, err := loadObjects(names)
		if err != nil {
			if d.absent = err; !errors.Is(err, dl.ErrNoLibrary) {
				d.err = fmt.Errorf("metal: %w", err)
			}
			return
		}
		d.metal = metal
		p := metal.enter()
		defer p.leave()
		list := dl.Call(metal.c.CopyAllDevices) // an NSArray that is ours, and with it the devices
		for n := range metal.send(list, metal.s.Count) {
			device := metal.send(list, metal.s.ObjectAtIndex, n)
			if !metal.supports(device, familyApple4) && !metal.supports(device, familyMac2) {
				continue
			}
			c := candidate{device, metal.describe(device)}
			c.info.Index = len(d.devices)
			d.devices = append(d.devices, c)
		}
	})
}

// Families of devices (MTLGPUFamily).
const (
	familyApple0 = 1000 // the number of another is so much more
	familyApple4 = 1004
	familyApple7 = 1007
	familyMac2   = 2002
)

func (m *objects) supports(device uintptr, family uintptr) bool {
	return m.flag(m.send(device, m.s.SupportsFamily, family))
}

// Limits that all those devices have (Metal Feature Set Tables), or that kernels set: their table
// of lengths counts in 32 bits, as does the position in the grid. maxThreadsPerThreadgroup is a
// structure that is returned in memory, which cannot be asked for through a register; each family
// has 1024.
const (
	maxInvocations  = 1024
	largestBuffer   = 1<<32 - 4
	maxGrid         = 1 << 22 // times 1024 invocations
	offsetAlignment = 32      // of a buffer in the space constant
	subgroupSize    = 32
)

// describe queries what Info says about a device.
func (m *objects) describe(device uintptr) driver.Info {
	memory := uint64(m.send(device, m.s.RecommendedMaxWorkingSetSize))
	info := driver.Info{
		Driver: "metal", Name: m.text(m.send(device, m.s.Name)), Kind: driver.GPU, Target: abi.MSL, Memory: memory,
		SubgroupSize: subgroupSize, SubgroupSizes: [2]uint32{subgroupSize, subgroupSize},
		MaxWorkgroup: [3]uint32{maxInvocations, maxInvocations, maxInvocations}, MaxInvocations: maxInvocations,
		MaxGrid:        [3]uint32{maxGrid, maxGrid, maxGrid},
		WorkgroupBytes: uint32(m.send(device, m.s.MaxThreadgroupMemoryLength)),
		MaxBufferBytes: min(uint64(m.send(device, m.s.MaxBufferLength)), largestBuffer), OffsetAlignment: offsetAlignment,
		Features: []abi.Feature{abi.Float16, abi.Int8, abi.Int16, abi.Int64, abi.CubeArrays, abi.StorageFormats},
		Version:  "Metal",
	}
	if m.supports(device, familyApple7) { // the last that profiles distinguish
		info.Profile = familyApple7 - familyApple0
	}
	// sums and votes of a SIMD-group
	if m.supports(device, familyApple7) || m.supports(device, familyMac2) {
		info.Features = append(info.Features, abi.Subgroups)
	}
	return info
}
