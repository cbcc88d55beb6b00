// Package drivertest tests drivers. Every driver must pass the same tests, with the kernel compiled
// for its target. They run on the first device of a driver, and are skipped if there is none.
package drivertest

import (
	"cmp"
	"errors"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Fixture is a device with a stream and the kernel, with helpers that end the
// test on errors.
type Fixture struct {
	testing.TB
	Device driver.Device
	Stream driver.Stream
	Kernel driver.Kernel
	code   *abi.Artefact
}

// requirements says what each driver needs to find a device.
var requirements = map[string]string{
	"vulkan": "lavapipe, of Debian's mesa-vulkan-drivers with libvulkan1, or a GPU",
	"cuda":   "a GPU of NVIDIA's and its driver",
	"rocm":   "a GPU of AMD's and HIP",
	"metal":  "a Mac",
}

// New opens the driver's first device until the test ends.
func New(t testing.TB, d driver.Driver, artefact *abi.Artefact) *Fixture {
	t.Helper()
	infos, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if len(infos) == 0 {
		t.Skipf("skipped: no %s device (it needs %s)", d.Name(), cmp.Or(requirements[d.Name()], "such a device and its driver"))
	}
	device, err := d.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := device.Close(); err != nil {
			t.Error(err)
		}
	})
	f := &Fixture{TB: t, Device: device, code: artefact}
	f.Kernel = f.Load()
	f.Stream, err = device.NewStream()
	f.Check(err)
	return f
}

// Load loads the kernel again.
func (f *Fixture) Load() driver.Kernel {
	f.Helper()
	k, err := f.Device.Load(f.code)
	f.Check(err)
	return k
}

// Check ends the test on an error.
func (f *Fixture) Check(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// Alloc allocates zeroed memory.
func (f *Fixture) Alloc(bytes int) driver.Memory {
	f.Helper()
	m, err := f.Device.Alloc(uint64(bytes))
	f.Check(err)
	return m
}

// Upload allocates memory with values.
func (f *Fixture) Upload(values []float32) driver.Memory {
	f.Helper()
	m := f.Alloc(4 * len(values))
	f.Check(f.Stream.Write(Whole(m), Bytes(values)))
	return m
}

// Read returns the contents of memory.
func (f *Fixture) Read(m driver.Memory) []float32 {
	f.Helper()
	values := make([]float32, m.Bytes()/4)
	f.Check(f.Stream.Read(Bytes(values), Whole(m)))
	return values
}

// Bytes returns a slice of numbers as bytes.
func Bytes[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// floats returns bytes as a slice of numbers.
func floats(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// Whole is the slice of all of m.
func Whole(m driver.Memory) driver.Slice { return driver.Slice{Memory: m, Bytes: m.Bytes()} }

// Launch returns a launch of the kernel over all of y.
func Launch(k driver.Kernel, x, y, a driver.Memory) *driver.Launch {
	groups := uint32((y.Bytes()/4 + 63) / 64)
	return &driver.Launch{
		Kernel:   k,
		Bindings: []driver.Slice{Whole(x), Whole(y), Whole(a)},
		Grid:     [3]uint32{groups, 1, 1},
	}
}

// Run runs all tests.
func Run(t *testing.T, d driver.Driver, artefact *abi.Artefact) { RunBut(t, d, artefact, nil) }

// RunBut runs all tests except those with a reason, which it logs; also tests of textures of that
// name.
func RunBut(t *testing.T, d driver.Driver, artefact *abi.Artefact, reasons map[string]string) {
	for _, test := range []struct {
		name string
		run  func(f *Fixture)
	}{
		{"info", info},
		{"write and read", writeAndRead},
		{"copy", copies},
		{"alloc is zero", allocIsZero},
		{"launch", launches},
		{"launch of a slice", launchSlice},
		{"chain", chain},
		{"order of launches", launchOrder},
		{"read then write", readThenWrite},
		{"events", events},
		{"stamps", stamps},
		{"free in flight", freeInFlight},
		{"parts of blocks", blockParts},
		{"reuse of blocks", blockReuse},
		{"blocks in flight", blocksInFlight},
		{"drain", drains},
		{"host memory", hostMemory},
		{"large transfers", largeTransfers},
		{"transfers do not allocate", transfersDoNotAllocate},
		{"shared memory", sharedMemory},
		{"refusals", refusals},
		{"subgroup sizes", subgroupSizes},
		{"immediates", immediates},
		{"uniforms", uniforms},
		{"concurrency", concurrency},
		{"closed", closed},
		{"launches do not allocate", launchesDoNotAllocate},
		{"recordings", recordings},
		{"lifetimes of recordings", recordingLifetimes},
		{"awaited events", awaits},
		{"replays do not allocate", replaysDoNotAllocate},
	} {
		t.Run(test.name, func(t *testing.T) {
			if reason := reasons[test.name]; reason != "" {
				t.Skipf("skipped: %s", reason)
			}
			test.run(New(t, d, artefact))
		})
	}
	t.Run("textures", func(t *testing.T) { runTextures(t, d, artefact, reasons) })
	t.Run("no such device", func(t *testing.T) {
		infos, err := d.Devices()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Open(len(infos)); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("a device past the last: got %v, want ErrUnsupported", err)
		}
	})
}

// LaunchesDoNotAllocate are three of the tests, on a device whose kernels need not run.
func LaunchesDoNotAllocate(t *testing.T, d driver.Driver, artefact *abi.Artefact) {
	t.Run("buffers", func(t *testing.T) { launchesDoNotAllocate(New(t, d, artefact)) })
	t.Run("replays", func(t *testing.T) { replaysDoNotAllocate(New(t, d, artefact)) })
	t.Run("textures", func(t *testing.T) {
		f := New(t, d, artefact)
		f.needTextures()
		textureLaunchesDoNotAllocate(f)
	})
}

// SharedMemory is one of the tests, for devices that have the host's memory.
func SharedMemory(t *testing.T, d driver.Driver, artefact *abi.Artefact) {
	sharedMemory(New(t, d, artefact))
}

// info checks the properties of all devices.
func info(f *Fixture) {
	i := f.Device.Info()
	f.Logf("%+v", i)
	if i.Name == "" || i.MaxInvocations < 128 || i.MaxGrid[0] < 65535 || i.MaxBufferBytes < 1<<27 {
		f.Errorf("the device is below the smallest limits: %+v", i)
	}
	if i.OffsetAlignment < 4 || i.OffsetAlignment&(i.OffsetAlignment-1) != 0 {
		f.Errorf("offset alignment %d", i.OffsetAlignment)
	}
}
