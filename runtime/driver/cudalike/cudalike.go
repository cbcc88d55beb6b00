// Package cudalike has what CUDA's driver API and HIP have in common: devices with streams, events,
// memory pools and modules. HIP follows CUDA: functions have the same arguments under other names,
// and results the same numbers. An API has the differences; packages cuda and rocm fill it in. The
// facts are from the CUDA Driver API reference and from HIP's (hip_runtime_api.h).
//
//	cudalike.go          the differences of the interfaces; finding devices
//	functions.go         functions and results
//	device.go            an open device: what lives as long as it, closing
//	memory.go            allocation and release, ordered among streams
//	block.go             memory that is used in parts
//	host.go              host memory that devices reach
//	wait.go              polling and blocking
//	kernel.go            modules and their functions
//	retire.go            deferred release of what is closed
//	arguments.go         what a launch passes
//	contents.go          what the host knows of memory
//	tensor.go            tensor maps, which only CUDA has
//	stream.go            launches and copies on the device
//	event.go             moments and times
//	stamps.go            times for much less than events cost
//	recording.go         graphs
//	node.go              the parameters of their nodes
//	transfer.go          copies between host and device
//	staging.go           pinned memory for them
//	interop.go           work of other libraries on a stream
//	peer.go              copies between devices
//	texture.go           textures, which only CUDA has yet
//	texture_object.go    what kernels get of textures
//	texture_transfer.go  copies of textures
//
// The current context (of CUDA) or device (of HIP) belongs to the operating system's thread, and a
// goroutine changes threads. So every entry locks the goroutine to its thread and sets the context
// (about 0.1 µs), and relies on nothing that an earlier entry set.
package cudalike

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// API is what distinguishes CUDA and HIP.
type API struct {
	Name    string   // of the driver, as users write it: "cuda"
	Key     string   // of the names in Functions
	Title   string   // in sentences: "CUDA"
	Results string   // the type of results: "CUresult"
	Vendor  string   // of the devices
	Unit    string   // what a device's processors are called: "multiprocessor"
	Library string   // whose names dl.LibraryNames has
	Files   []string // in tests: other names
	// Absent are the results that mean that there are no devices.
	Absent     []uint32
	Attributes Attributes
	// Identify fills in what only this interface knows of a device: target, profile and version. It
	// returns false for a device that cannot run artefacts.
	Identify func(q *Query, info *driver.Info) (bool, error)
	// Text returns the library's name or explanation of a result, by the function for it.
	Text func(function uintptr, code uint32) string

	// Image returns the image that Load takes of an artefact. The cache may have what takes long to
	// make.
	Image func(a *abi.Artefact, cache *kernelcache.Cache) ([]byte, error)
	// Declared counts the parameters of an entry point in an artefact's code, or returns -1 where
	// the code does not show it.
	Declared func(code []byte, entry string) int
	// Load makes a module of an image, and returns the result and the compiler's log of a failure.
	Load    func(c *Functions, module *uintptr, image []byte) (result uintptr, log string)
	Loading string // what Load does, in errors: "compile"
	// KeepsImage says that the library may read the image while the module lives.
	KeepsImage bool

	// StaticShared is the most workgroup memory in bytes that code may declare. Launches request
	// what exceeds it.
	StaticShared uint32
	// MaxItems is how many invocations a launch may have in one dimension, or 0 if that is not
	// limited.
	MaxItems uint64
	// LaunchesAnywhere says that a launch on a thread with another context, or none, is refused
	// without effect, so that it may be tried without setting the context.
	LaunchesAnywhere bool
	// Tensors is the lowest profile whose devices have tensor maps, or 0 if none does.
	Tensors uint32
	// Dependent is the lowest profile whose devices have programmatic dependent launches, or 0 if
	// none does. Wait returns an image whose kernel waits for the launch in front of it, or nil if
	// it cannot change the image.
	Dependent uint32
	Wait      func(image []byte, entry string) []byte
	// ByValue says that artefacts may have a variant that takes uniform buffers by value.
	ByValue bool
	// Copier returns a kernel for the copies of graphs, or is nil. It copies its first binding to
	// its second, both of vectors of 16 bytes, of which an invocation copies one.
	Copier func() *abi.Artefact
	// DirectWrite and DirectRead are sizes in bytes up to which the library copies pageable memory
	// faster than several goroutines do through pinned memory, if its stream has no work. They are
	// 0 where that was not measured.
	DirectWrite, DirectRead int
	// Nodes has the layouts of graphs' nodes, by the version of the library.
	Nodes func(version int32) Nodes
	// GraphsInOrder says that a launch of a graph follows earlier ones of the same graph.
	GraphsInOrder bool
	// StreamsFinish says that a stream may be destroyed at any time and its work still finishes.
	StreamsFinish bool
}

// Attributes are the IDs of device attributes. Those of the three dimensions are consecutive.
type Attributes struct {
	MaxThreads, MaxBlockX, MaxGridX, SharedMemory, WarpSize, Pools, Integrated uintptr
	// Clocks are in kHz, the width in bits, and the size of the cache of the second level in bytes.
	Units, Clock, MemoryClock, BusWidth, Cache uintptr
}

// library is the loaded library of an interface.
type library struct {
	Functions
	api     *API
	nodes   Nodes
	version int32
}

// Driver finds devices. The zero value is ready; it loads the library on first use and keeps it. It
// must not be copied.
type Driver struct {
	once sync.Once
	c    *library // nil where there is none
	err  error
	// absent says why there is no library.
	absent error
}

// candidate is a device that can run artefacts.
type candidate struct {
	ordinal int32
	pools   bool // has stream-ordered allocation
	// integrated devices have the host's memory
	integrated bool
	info       driver.Info
}

// Devices lists the devices that can run artefacts.
func (d *Driver) Devices(api *API) ([]driver.Info, error) {
	candidates, err := d.candidates(api)
	infos := make([]driver.Info, len(candidates))
	for i := range candidates {
		infos[i] = candidates[i].info
	}
	return infos, err
}

// Open opens the device with this index in Devices.
func (d *Driver) Open(api *API, index int) (driver.Device, error) {
	candidates, err := d.candidates(api)
	if err != nil {
		return nil, err
	}
	if index < 0 || index >= len(candidates) {
		return nil, fmt.Errorf("%s: %w: no device %d, there are %d", api.Name, driver.ErrUnsupported, index, len(candidates))
	}
	return openDevice(d.c, candidates[index])
}

// Absent says why there is no library, once it was looked for (driver.Absent).
func (d *Driver) Absent() error { return d.absent }

// load loads and initialises the library once.
func (d *Driver) load(api *API) error {
	d.once.Do(func() {
		files := api.Files
		if files == nil {
			files = dl.LibraryNames(api.Library, runtime.GOOS)
		}
		file, err := dl.Open(files...)
		if err != nil {
			if d.absent = err; !errors.Is(err, dl.ErrNoLibrary) {
				d.err = err
			}
			return
		}
		c := &library{api: api}
		if err := dl.FillBy(api.Key, &c.Functions, file.Symbol); err != nil {
			d.err = fmt.Errorf("%s: %s: %w", api.Name, file.Name(), err)
			return
		}
		code := dl.Call(c.Init, 0)
		if slices.Contains(api.Absent, uint32(code)) {
			d.absent = fmt.Errorf("%s finds no device", file.Name())
			return
		}
		if d.err = c.check("initialise", code); d.err == nil {
			dl.Call(c.DriverVersion, uintptr(unsafe.Pointer(&c.version)))
			c.nodes = api.Nodes(c.version)
			d.c = c
		}
	})
	return d.err
}

func (d *Driver) candidates(api *API) ([]candidate, error) {
	if err := d.load(api); err != nil || d.c == nil {
		return nil, err
	}
	var count int32
	code := dl.Call(d.c.DeviceCount, uintptr(unsafe.Pointer(&count)))
	if slices.Contains(api.Absent, uint32(code)) {
		return nil, nil
	}
	if err := d.c.check("count devices", code); err != nil {
		return nil, err
	}
	var list []candidate
	for ordinal := range count {
		c, ok, err := d.c.describe(ordinal)
		if err != nil {
			return list, err
		}
		if ok {
			c.info.Index = len(list)
			list = append(list, c)
		}
	}
	return list, nil
}

// Query queries a device.
type Query struct {
	*library
	Device uintptr // CUdevice, or HIP's device ID
	err    error   // the first
}

// Attribute returns an attribute. The first failure is kept as an error.
func (q *Query) Attribute(which uintptr) uint32 {
	var value int32
	register := dl.Call(q.DeviceAttribute, uintptr(unsafe.Pointer(&value)), which, q.Device)
	if failure := q.Check("query a device", register); q.err == nil {
		q.err = failure
	}
	return uint32(value)
}

// Optional returns an attribute that a driver need not know, or 0.
func (q *Query) Optional(which uintptr) uint32 {
	var value int32
	if dl.Call(q.DeviceAttribute, uintptr(unsafe.Pointer(&value)), which, q.Device) != 0 {
		return 0
	}
	return uint32(max(value, 0))
}

// Version is the library's version, as it counts.
func (q *Query) Version() int32 { return q.version }

// Check turns a result into an error.
func (q *Query) Check(what string, register uintptr) error { return q.check(what, register) }

// Kernels are given buffer sizes as 32-bit numbers of bytes, and may load
// vectors of 16 bytes from the start of a binding.
const (
	largestBuffer   = 1<<32 - 4
	offsetAlignment = abi.AddressAlignment
)

// describe queries a device, and reports whether it can run artefacts.
func (c *library) describe(ordinal int32) (candidate, bool, error) {
	var found candidate
	err := c.check("get a device", dl.Call(c.DeviceGet, uintptr(unsafe.Pointer(&found.ordinal)), uintptr(ordinal)))
	if err != nil {
		return found, false, err
	}
	q := &Query{library: c, Device: uintptr(uint32(found.ordinal))}
	name := make([]byte, 256)
	dl.Call(c.DeviceName, uintptr(dl.First(name)), uintptr(len(name)), q.Device)
	var memory uint64
	dl.Call(c.DeviceMemory, uintptr(unsafe.Pointer(&memory)), q.Device)
	a := &c.api.Attributes
	found.info = driver.Info{
		Driver:          c.api.Name,
		Name:            dl.Text(name),
		Kind:            driver.GPU,
		Memory:          memory,
		SubgroupSize:    q.Attribute(a.WarpSize),
		MaxInvocations:  q.Attribute(a.MaxThreads),
		WorkgroupBytes:  q.Attribute(a.SharedMemory),
		MaxBufferBytes:  min(memory, largestBuffer),
		OffsetAlignment: offsetAlignment,
		Features:        []abi.Feature{abi.Float16, abi.Float64, abi.Int8, abi.Int16, abi.Int64, abi.Int64Atomics, abi.Subgroups},
	}
	found.info.SubgroupSizes = [2]uint32{found.info.SubgroupSize, found.info.SubgroupSize}
	for i := range uintptr(3) {
		found.info.MaxWorkgroup[i] = q.Attribute(a.MaxBlockX + i)
		found.info.MaxGrid[i] = q.Attribute(a.MaxGridX + i)
	}
	found.info.Hardware = driver.Hardware{
		Vendor: c.api.Vendor, Units: q.Optional(a.Units), UnitName: c.api.Unit,
		Clock: 1000 * uint64(q.Optional(a.Clock)), MemoryClock: 1000 * uint64(q.Optional(a.MemoryClock)),
		BusWidth: q.Optional(a.BusWidth), Cache: uint64(q.Optional(a.Cache)),
	}
	ok, err := c.api.Identify(q, &found.info)
	if err == nil {
		err = q.err
	}
	if err != nil || !ok {
		return found, false, err
	}
	if c.hasPools() {
		// a driver that does not know the attribute has none
		found.pools = q.Attribute(a.Pools) != 0
	}
	found.integrated = q.Optional(a.Integrated) != 0
	return found, true, nil
}
