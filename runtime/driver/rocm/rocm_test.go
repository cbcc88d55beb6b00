//go:build !nodrivers && linux && amd64

package rocm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// TestDriver runs the tests of all drivers, with kernels that are compiled for a processor, loaded,
// and executed on the host, in waves of 64 and of 32. Executing allocates in this process, so the
// test of what launches allocate is another.
func TestDriver(t *testing.T) {
	testmode.Quick(t, "kernels are compiled by clang")
	for n, c := range []struct {
		name, processor string
		settings        Settings
	}{
		{"waves of 64", "gfx90a", Settings{}},
		{"waves of 32", "gfx1030", Settings{"first": 1}},
		{"without pools", "gfx90a", Settings{"pools": 0}},
		// whose driver is the same, and which has no fake
		{"as CUDA", "gfx90a", Settings{"as cuda": 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			switch n {
			case 1, 2:
				testmode.LongPart(t, n)
			case 3:
				testmode.Long(t)
			}
			Open(t, c.settings)
			drivertest.RunBut(t, c.settings.driver(), drivertest.Axpy("amdgpu:"+c.processor), map[string]string{
				"launches do not allocate": "the bench allocates; TestLaunchesDoNotAllocate runs it with launches that are not executed",
				"replays do not allocate":  "the bench allocates; TestLaunchesDoNotAllocate runs it with launches that are not executed",
			})
		})
	}
}

// TestGraphs records with the layouts of HIP 7. It also does with a HIP that has no graphs of a
// module's kernels: recordings are lists there.
func TestGraphs(t *testing.T) {
	testmode.Quick(t, "kernels are compiled by clang")
	for name, settings := range map[string]Settings{"HIP 7": {"version": 7_00_00000}, "no kernels": {"no graph kernels": 1}} {
		t.Run(name, func(t *testing.T) {
			Open(t, settings)
			drivertest.Recordings(t, settings.driver(), drivertest.Axpy("amdgpu:gfx90a"))
		})
	}
}

// TestIntegrated shares memory with a device that has the host's. What the library refuses leaves
// nothing registered.
func TestIntegrated(t *testing.T) {
	l := Open(t, Settings{"integrated": 1, "refuse": 0, "refuse mapping": 0})
	drivertest.SharedMemory(t, new(Driver), drivertest.Axpy("amdgpu:gfx90a"))
	d := device(t).(driver.Sharer)
	for _, what := range []string{"refuse", "refuse mapping"} {
		l.set(what, 1)
		if _, err := d.Share(driver.Aligned(4096, 4096)); !errors.Is(err, driver.ErrOutOfMemory) {
			t.Errorf("%s: got %v, want ErrOutOfMemory", what, err)
		}
	}
}

// TestBrokenTransfers has one copy of a large transfer refused. The call has the error, and what
// follows is right. Nothing is given back that copies use, or not at all.
func TestBrokenTransfers(t *testing.T) {
	l := Open(t, Settings{"dry": 1, "refuse copy after": 0})
	f := drivertest.New(t, new(Driver), drivertest.Axpy("amdgpu:gfx90a"))
	const n = 3<<20 + 5
	m := f.Alloc(n + 3)
	part := driver.Slice{Memory: m, Bytes: n}
	host, got := make([]byte, n), make([]byte, n)
	for refused := range 16 {
		for i := range host {
			host[i] = byte(i * (refused + 3))
		}
		l.set("refuse copy after", 1+refused/2)
		var err error
		if refused%2 == 0 {
			err = f.Stream.Write(part, host)
		} else {
			err = f.Stream.Read(got, part)
		}
		const chunks = 7 // of half a mebibyte
		if refused/2 < chunks && (err == nil || !strings.Contains(err.Error(), "hipErrorOther")) {
			t.Errorf("copy %d is refused: %v", 1+refused/2, err)
		}
		l.set("refuse copy after", 0)
		f.Check(f.Stream.Write(part, host))
		f.Check(f.Stream.Read(got, part))
		if !bytes.Equal(host, got) {
			t.Fatalf("after copy %d was refused, the bytes come back changed", 1+refused/2)
		}
	}
}

func TestLaunchesDoNotAllocate(t *testing.T) {
	for _, s := range []Settings{{"dry": 1}, {"dry": 1, "as cuda": 1}} {
		Open(t, s)
		t.Run("launches", func(t *testing.T) { // ends before the library is asked
			drivertest.LaunchesDoNotAllocate(t, s.driver(), drivertest.Axpy("amdgpu:gfx90a"))
		})
	}
}

// TestDevices lists what the library has, and says why it lists nothing.
func TestDevices(t *testing.T) {
	Open(t, Settings{"dry": 1})
	infos, err := new(Driver).Devices()
	if err != nil || len(infos) != 3 {
		t.Fatalf("%v %+v", err, infos)
	}
	for n, want := range []struct {
		name, version string
		profile, wave uint32
	}{
		{"Fake CDNA", "HIP 6.2, gfx90a:sramecc+:xnack-", 0x90a, 64},
		{"Fake RDNA (gfx)", "HIP 6.2, gfx1030", 0x1030, 32},
		{"Fake family", "HIP 6.2, gfx1101", 0x1101, 32},
	} {
		i := infos[n]
		if i.Name != want.name || i.Version != want.version || i.Profile != want.profile || i.SubgroupSize != want.wave || i.SubgroupSizes != [2]uint32{want.wave, want.wave} {
			t.Errorf("device %d: %+v", n, i)
		}
		if i.Driver != "rocm" || i.Index != n || i.Target != abi.AMDGPU || i.Kind != driver.GPU || i.Memory != 4<<30 || i.WorkgroupBytes != 64<<10 ||
			i.MaxInvocations != 1024 || i.MaxWorkgroup != [3]uint32{1024, 1024, 1024} || i.MaxGrid != [3]uint32{1<<31 - 1, 1 << 16, 1 << 16} {
			t.Errorf("device %d: %+v", n, i)
		}
		if got, want := i.Hardware.String(), "AMD, 104 compute units, up to 1.7 GHz, memory of 4096 bits at 1.6 GHz, 8 MiB of cache"; got != want {
			t.Errorf("device %d: %s, want %s", n, got, want)
		}
	}
}

// TestFreeMemory asks for it on an open device, and on a closed one.
func TestFreeMemory(t *testing.T) {
	Open(t, Settings{"dry": 1})
	d, err := new(Driver).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if free, err := d.(driver.FreeMemory).FreeMemory(); free != 3<<30 || err != nil {
		t.Errorf("%d bytes are free, error %v; want 3 GiB", free, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := d.(driver.FreeMemory).FreeMemory(); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("of a closed device: %v, want ErrClosed", err)
	}
}

// TestNoDevices: a machine without devices is no error, and a library that cannot be used is one.
func TestNoDevices(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings Settings
		want     string // in the error; "" for none
	}{
		{"none, as the interface says", Settings{"init": 100}, ""},
		{"none, as ROCm 5.2 says", Settings{"init": 101}, ""},
		{"none when they are counted", Settings{"count": 0}, ""},
		{"a failure", Settings{"init": 3}, "rocm: initialise: hipErrorOther: as asked"},
		{"a failure without a name", Settings{"init": 12345}, "rocm: initialise: hipError_t 12345"},
		{"an old library", Settings{"version": 5_06_31061}, "HIP 5.6 is too old; kernels take ROCm 5.7 or newer"},
		{"no processor", Settings{"nameless": 1}, "Fake CDNA does not say which processor it is"},
		{"waves of 16", Settings{"wave": 16}, "Fake CDNA has waves of 16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.settings["dry"] = 1
			Open(t, c.settings)
			infos, err := new(Driver).Devices()
			if len(infos) != 0 || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v %v, want %q", infos, err, c.want)
			}
			if _, err := new(Driver).Open(0); err == nil || c.want == "" && !errors.Is(err, driver.ErrUnsupported) {
				t.Errorf("opening one: %v", err)
			}
		})
	}
	without := func(name string) *Driver {
		other := original
		other.Files = []string{name}
		return &Driver{other: &other}
	}
	if infos, err := without("libgpuc-absent.so").Devices(); len(infos) != 0 || err != nil {
		t.Errorf("without the library: %v %v", infos, err)
	}
	if _, err := without("libc.so.6").Devices(); err == nil || !strings.Contains(err.Error(), "function hipInit is missing") {
		t.Errorf("a library without the functions: %v", err)
	}
}

func TestProcessorIn(t *testing.T) {
	for name, c := range map[string]struct{ device, behind, want string }{
		"plain":           {"AMD Radeon", "\x01\x02gfx1100\x00rest", "gfx1100"},
		"features":        {"AMD Instinct", "gfx90a:sramecc+:xnack-\x00", "gfx90a:sramecc+:xnack-"},
		"words before":    {"gfx1100", "gfx\x00gfxes\x00gfx942\x00", "gfx942"},
		"in no text":      {"gfx1100", "", ""},
		"without an end":  {"", strings.Repeat("gfx9", 40), ""},
		"at the very end": {"", strings.Repeat("\x00", 741) + "gfx1030", "gfx1030"},
	} {
		properties := make([]byte, 1004)
		copy(properties, c.device)
		copy(properties[nameBytes:], c.behind)
		if got := processorIn(properties); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestDeclared(t *testing.T) {
	const text = "define protected amdgpu_kernel void @none() #0 {\n}\ndefine protected amdgpu_kernel void @two(ptr addrspace(1) noalias %b, ptr addrspace(4) byref([8 x i8]) align 16 %i) #0 {\n"
	for entry, want := range map[string]int{"none": 0, "two": 2, "on": -1} {
		if got := declared([]byte(text), entry); got != want {
			t.Errorf("%s has %d parameters, want %d", entry, got, want)
		}
	}
	if got := declared(drivertest.Axpy("amdgpu:gfx90a").Code, "axpy"); got != 5 {
		t.Errorf("the tests' kernel has %d parameters, want 5", got)
	}
	if got := declared([]byte("\x7fELF amdgpu_kernel void @k() {\n"), "k"); got != -1 {
		t.Errorf("a code object shows %d parameters", got)
	}
}

// device opens the first device until the test ends.
func device(t *testing.T) driver.Device {
	t.Helper()
	d, err := new(Driver).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// TestLoad: what cannot be loaded is said with its reason, and leaves nothing behind.
func TestLoad(t *testing.T) {
	Open(t, Settings{"dry": 1})
	d := device(t)
	object, err := remembered(drivertest.Axpy("amdgpu:gfx90a"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := remembered(drivertest.Axpy("amdgpu:gfx1030"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want  string
		unsupported bool
		change      func(a *abi.Artefact)
	}{
		{"a code object", "", false, func(a *abi.Artefact) { a.Code = object }},
		{"another processor", "its code is for gfx1030, but the device is gfx90a", true, func(a *abi.Artefact) { a.Kernel.Profile = "gfx1030" }},
		{"another family", "its code is for gfx11-generic, but the device is gfx90a", true, func(a *abi.Artefact) { a.Kernel.Profile = "gfx11-generic" }},
		{"another's code object", "load the code object: not supported by the device", true, func(a *abi.Artefact) { a.Code, a.Kernel.Profile = other, "" }},
		{"an object of others", "load the code object: hipErrorOther", false, func(a *abi.Artefact) { a.Code = append([]byte("\x7fELF"), make([]byte, 100)...) }},
		{"an entry that is missing", "find the entry point", false, func(a *abi.Artefact) { a.Code, a.Kernel.Name = object, "other" }},
		{"parameters that differ", "the code has 5 parameters and its description 4", true, func(a *abi.Artefact) { a.Kernel.Parameters = a.Kernel.Parameters[1:] }},
		{"a workgroup that is too large", "128 invocations in a workgroup, but the compiled kernel's registers allow 64", true, func(a *abi.Artefact) { a.Kernel.Workgroup[0] = 128 }},
		{"text that is wrong", "cannot make a code object for gfx90a", false, func(a *abi.Artefact) { a.Code = bytes.Replace(a.Code, []byte("ret void"), []byte("ret nothing"), 1) }},
		{"a texture", "the ROCm driver has no textures; open the device through Vulkan instead", true, func(a *abi.Artefact) { a.Kernel.Handles = make([]abi.Handle, 1) }},
	} {
		a := drivertest.Axpy("amdgpu:gfx90a")
		c.change(a)
		k, err := d.Load(a)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || errors.Is(err, driver.ErrUnsupported) != c.unsupported {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err == nil {
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestFamily loads code for a family on a device that is one of it.
func TestFamily(t *testing.T) {
	Open(t, Settings{"dry": 1, "first": 2})
	a := drivertest.Axpy("amdgpu:gfx11-generic")
	if _, err := remembered(a); err != nil {
		t.Skipf("skipped: code for a family of processors takes LLVM 19 or newer (Debian: llvm-19 and lld-19): %v", err)
	}
	drivertest.New(t, new(Driver), a)
}

// TestImageStays: a code object may be overwritten when it has been loaded; the library still finds
// it as it was.
func TestImageStays(t *testing.T) {
	l := Open(t, Settings{"dry": 1})
	object, err := remembered(drivertest.Axpy("amdgpu:gfx90a"))
	if err != nil {
		t.Fatal(err)
	}
	a := drivertest.Axpy("amdgpu:gfx90a")
	a.Code = bytes.Clone(object)
	f := drivertest.New(t, new(Driver), a)
	clear(a.Code)
	for range 3 {
		runtime.GC()
	}
	f.Check(f.Stream.Launch(drivertest.Launch(f.Kernel, f.Alloc(256), f.Alloc(256), f.Upload([]float32{1}))))
	f.Check(f.Stream.Wait(context.Background()))
	if text := l.complaints(); text != "" {
		t.Error(text)
	}
}

// TestArguments launches a kernel that takes immediates, a length and addresses in the middle of
// memory; the library takes them from where the code object's notes say that they are.
func TestArguments(t *testing.T) {
	Open(t, nil)
	f := drivertest.New(t, new(Driver), drivertest.Axpy("amdgpu:gfx90a"))
	k := f.Compile(`
		struct Parameters { a : u32, b : vec2<u32>, c : u32 }
		var<immediate> p : Parameters;
		@group(0) @binding(0) var<storage, read_write> out : array<u32>;
		@group(0) @binding(1) var<storage, read> other : array<vec2<u32>>;
		@compute @workgroup_size(2, 3, 4) fn main(@builtin(workgroup_id) g : vec3<u32>, @builtin(num_workgroups) n : vec3<u32>, @builtin(local_invocation_index) i : u32) {
			let group = g.x + n.x * (g.y + n.y * g.z);
			out[group * 24u + i] = p.a + 10u * p.b.x + 100u * p.b.y + 1000u * p.c + 10000u * arrayLength(&out) + 10000000u * other[1].y;
		}`, "main")
	const groups = 2 * 3 * 2
	out, other := f.Alloc(4*24*groups+256), f.Alloc(512)
	f.Check(f.Stream.Write(driver.Slice{Memory: other, Offset: 256, Bytes: 16}, drivertest.Bytes([]uint32{0, 0, 0, 5})))
	immediates := drivertest.Bytes([]uint32{1, 99, 2, 3, 4, 99}) // with padding
	f.Check(f.Stream.Launch(&driver.Launch{Kernel: k, Grid: [3]uint32{2, 3, 2}, Immediates: immediates,
		Bindings: []driver.Slice{{Memory: out, Offset: 128, Bytes: 4 * 24 * groups}, {Memory: other, Offset: 256, Bytes: 16}}}))
	got := make([]uint32, 24*groups+64)
	f.Check(f.Stream.Read(drivertest.Bytes(got), drivertest.Whole(out)))
	for n, x := range got {
		want := uint32(50000000 + 10000*24*groups + 4321)
		if n < 32 || n >= 32+24*groups {
			want = 0
		}
		if x != want {
			t.Fatalf("number %d is %d, want %d", n, x, want)
		}
	}
}

// TestLimits: a launch whose dimension has more invocations than HIP counts is refused.
func TestLimits(t *testing.T) {
	Open(t, Settings{"dry": 1})
	f := drivertest.New(t, new(Driver), drivertest.Axpy("amdgpu:gfx90a"))
	l := drivertest.Launch(f.Kernel, f.Alloc(256), f.Alloc(256), f.Upload([]float32{1}))
	l.Grid[0] = 1 << 26 // of 64 invocations
	if err := f.Stream.Launch(l); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "ROCm takes at most 4294967295 invocations") {
		t.Error(err)
	}
	l.Grid[0]--
	f.Check(f.Stream.Launch(l))
}

// TestStreamClose closes streams that have work: nothing waits, the work finishes, and what is
// freed meanwhile waits for it.
func TestStreamClose(t *testing.T) {
	Open(t, nil)
	f := drivertest.New(t, new(Driver), drivertest.Axpy("amdgpu:gfx90a"))
	one := f.Upload([]float32{1})
	for round := range 5 {
		s, err := f.Device.NewStream()
		f.Check(err)
		x, y := f.Alloc(12), f.Alloc(12)
		f.Check(s.Write(drivertest.Whole(x), drivertest.Bytes([]float32{1, 2, 3})))
		f.Check(s.Launch(drivertest.Launch(f.Kernel, x, y, one)))
		e, err := s.Record()
		f.Check(err)
		f.Check(s.Close())
		f.Check(x.Free())
		if err := s.Launch(drivertest.Launch(f.Kernel, y, y, one)); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("a launch on a closed stream: %v", err)
		}
		if done, err := e.Done(); done || err != nil {
			t.Errorf("the work of round %d is done when its stream is closed: %v", round, err)
		}
		f.Check(e.Wait(context.Background()))
		if got := f.Read(y); got[0] != 1 || got[1] != 2 || got[2] != 3 {
			t.Errorf("round %d left %v", round, got)
		}
	}
}

// TestFailures: results that callers tell apart, and a device that is lost.
func TestFailures(t *testing.T) {
	l := Open(t, Settings{"dry": 1, "refuse": 0, "refuse launch": 0, "refuse copy": 0})
	f := drivertest.New(t, new(Driver), drivertest.Axpy("amdgpu:gfx90a"))
	x, one := f.Alloc(256), f.Upload([]float32{1})
	launch := func() error { return f.Stream.Launch(drivertest.Launch(f.Kernel, x, x, one)) }
	expect := func(what string, err, want error, words string) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want %v and %q", what, err, want, words)
		}
	}
	l.set("refuse", 1)
	_, err := f.Device.Alloc(64) // the second try, when unused memory was given back, is granted
	f.Check(err)
	l.set("refuse", 2)
	_, err = f.Device.Alloc(64)
	expect("no memory", err, driver.ErrOutOfMemory, "rocm: allocate 64 bytes: rocm: allocate: out of device memory (hipErrorOutOfMemory: as asked)")
	l.set("refuse launch", 701)
	expect("no registers", launch(), driver.ErrUnsupported, "rocm: launch kernel axpy: not supported by the device")
	l.set("refuse launch", 0)
	l.set("refuse copy", 1)
	if err := f.Stream.Write(drivertest.Whole(x), make([]byte, 256)); err == nil || !strings.Contains(err.Error(), "rocm: write: hipErrorOther: as asked") {
		t.Error(err)
	}
	l.set("refuse copy", 0)
	f.Check(launch())
	f.Check(f.Stream.Wait(context.Background()))

	l.set("lose", 719)
	f.Check(launch())
	e, err := f.Stream.Record()
	f.Check(err)
	expect("a launch that fails", f.Stream.Wait(context.Background()), driver.ErrDeviceLost, "hipErrorLaunchFailure: unspecified launch failure")
	for what, call := range map[string]func() error{
		"launch": launch,
		"wait":   func() error { return f.Stream.Wait(context.Background()) },
		"event":  func() error { return e.Wait(context.Background()) },
		"alloc":  func() error { _, err := f.Device.Alloc(64); return err },
		"load":   func() error { _, err := f.Device.Load(drivertest.Axpy("amdgpu:gfx90a")); return err },
		"read":   func() error { return f.Stream.Read(make([]byte, 256), drivertest.Whole(x)) },
	} {
		expect(what+" on a lost device", call(), driver.ErrDeviceLost, "rocm: ")
	}
	f.Check(x.Free())
	f.Check(f.Kernel.Close())
	f.Check(f.Stream.Close())
	f.Check(f.Device.Close())
	dl.Call(l.Reset) // what a lost device leaves ends with the process
}

// TestTwoDevices uses two devices alternately from several goroutines.
func TestTwoDevices(t *testing.T) {
	t.Run("as HIP", func(t *testing.T) { twoDevices(t, Settings{}) })
	t.Run("as CUDA", func(t *testing.T) { twoDevices(t, Settings{"as cuda": 1}) })
}

func twoDevices(t *testing.T, s Settings) {
	Open(t, s)
	var devices [2]driver.Device
	for n := range devices {
		var err error
		if devices[n], err = s.driver().Open(n); err != nil {
			t.Fatal(err)
		}
	}
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			if err := alternate(devices, float32(worker+1)); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	for _, d := range devices {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// alternate multiplies a number on each device, one step here, one there.
func alternate(devices [2]driver.Device, factor float32) error {
	var streams [2]driver.Stream
	var kernels [2]driver.Kernel
	var memories [2][3]driver.Memory
	var failures []error
	try := func(err error) { failures = append(failures, err) }
	for step := range 3 {
		for n, d := range devices {
			var err error
			switch step {
			case 0:
				streams[n], err = d.NewStream()
				try(err)
				kernels[n], err = d.Load(drivertest.Axpy("amdgpu:" + [...]string{"gfx90a", "gfx1030"}[n]))
				try(err)
				for m, value := range []float32{3, 1, factor} {
					memories[n][m], err = d.Alloc(4)
					try(err)
					if errors.Join(failures...) == nil {
						try(streams[n].Write(drivertest.Whole(memories[n][m]), drivertest.Bytes([]float32{value})))
					}
				}
			case 1:
				if errors.Join(failures...) == nil {
					try(streams[n].Launch(drivertest.Launch(kernels[n], memories[n][0], memories[n][1], memories[n][2])))
				}
			case 2:
				if errors.Join(failures...) == nil {
					got := make([]float32, 1)
					try(streams[n].Read(drivertest.Bytes(got), drivertest.Whole(memories[n][1])))
					if got[0] != 3*factor+1 {
						try(fmt.Errorf("device %d: %v, want %v", n, got[0], 3*factor+1))
					}
					other := &driver.Launch{Kernel: kernels[1-n], Bindings: make([]driver.Slice, 3), Grid: [3]uint32{1, 1, 1}}
					if err := streams[n].Launch(other); !errors.Is(err, driver.ErrUnsupported) {
						try(fmt.Errorf("the other device's kernel: %w", err))
					}
				}
			}
		}
	}
	return errors.Join(failures...)
}
