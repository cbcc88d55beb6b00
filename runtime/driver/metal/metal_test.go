//go:build !nodrivers && linux && amd64

package metal

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpuc/gpuc/internal/drivertest"
	bench "github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// shim is the library that stands in for both of Apple's (testdata/shim.c), with the functions that only it has.
type shim struct {
	Set        uintptr `c:"shim_set"`
	Complaints uintptr `c:"shim_complaints"`
	Forgive    uintptr `c:"shim_forgive"`
	Live       uintptr `c:"shim_live"`
	Unsent     uintptr `c:"shim_unsent"`
	Options    uintptr `c:"shim_options"`

	driver *Driver
	runner uintptr
}

var build = sync.OnceValues(func() (*shim, error) {
	compiler := ""
	for _, name := range []string{"gcc", "clang", "clang-19"} {
		if path, err := exec.LookPath(name); err == nil {
			compiler = path
			break
		}
	}
	if compiler == "" {
		return nil, nil
	}
	folder, err := os.MkdirTemp("", "shim") // a library stays loaded, its file need not stay
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "shim.so")
	if out, err := exec.Command(compiler, "-shared", "-fPIC", "-O1", "-o", file, "testdata/shim.c", "-lpthread").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	s := &shim{driver: &Driver{libraries: [2][]string{{file}, {file}}}}
	library, err := dl.Open(file)
	if err != nil {
		return nil, err
	}
	table := new(struct {
		Set        uintptr `c:"shim_set"`
		Complaints uintptr `c:"shim_complaints"`
		Forgive    uintptr `c:"shim_forgive"`
		Live       uintptr `c:"shim_live"`
		Unsent     uintptr `c:"shim_unsent"`
		Options    uintptr `c:"shim_options"`
	})
	if err := dl.Fill(table, library.Symbol); err != nil {
		return nil, err
	}
	s.Set, s.Complaints, s.Forgive, s.Live, s.Unsent, s.Options = table.Set, table.Complaints, table.Forgive, table.Live, table.Unsent, table.Options
	s.runner = purego.NewCallback(runOnBench)
	_, err = s.driver.Devices() // loads the file
	return s, err
})

// settings are what the library is to do other than by default.
type settings struct {
	dry                            bool // dispatches are not executed
	fail                           int  // the next command buffer fails with this code
	withoutMathMode, refuse, small bool
}

// open returns the library, and has its complaints and the objects that live be none at the end of the test.
func open(t *testing.T, s settings) *shim {
	t.Helper()
	l, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if l == nil {
		t.Skip("skipped: there is no compiler of C (gcc or clang)")
	}
	if missing := bench.Missing(); missing != "" && !s.dry {
		t.Skip("skipped: kernels cannot be executed without " + missing)
	}
	l.set(s)
	t.Cleanup(func() {
		if text := dl.GoString(dl.Call(l.Complaints)); text != "" {
			t.Errorf("the library complains:\n%s", text)
		}
		if text := dl.GoString(dl.Call(l.Live)); text != "" {
			t.Errorf("objects were not released: %s", text)
		}
		dl.Call(l.Forgive)
		l.set(settings{})
	})
	return l
}

func (l *shim) set(s settings) {
	number := func(b bool) uintptr {
		if b {
			return 1
		}
		return 0
	}
	runner := l.runner
	if s.dry {
		runner = 0
	}
	dl.Call(l.Set, runner, uintptr(s.fail), number(s.withoutMathMode), number(s.refuse), number(s.small))
}

// run is a dispatch, as the library describes it.
type run struct {
	source, name  uintptr
	grid, size    [3]uint64
	shared, count uint64
	bindings      [31]struct {
		bytes          uintptr
		length, offset uint64
		buffer         uintptr
	}
}

// binaries are the texts that were compiled for the bench. The library executes one command buffer at a time.
var binaries = map[string]*bench.Binary{}

// runOnBench executes dispatches, on the memory that they are bound to, and returns 0, or 1 and what is wrong.
func runOnBench(list, n, message, room uintptr) uintptr {
	runs := unsafe.Slice((*run)(dl.Pointer(list)), n)
	for len(runs) > 0 {
		same := 1
		for same < len(runs) && runs[same].source == runs[0].source && runs[same].name == runs[0].name {
			same++
		}
		if err := runTogether(runs[:same]); err != nil {
			to := dl.Bytes(message, int(room))
			copy(to[:len(to)-1], err.Error())
			return 1
		}
		runs = runs[same:]
	}
	return 0
}

func runTogether(runs []run) error {
	source, name := longString(runs[0].source), dl.GoString(runs[0].name)
	binary := binaries[name+"\n"+source]
	if binary == nil {
		var err error
		if binary, err = bench.Build(bench.Checked, []bench.Program{{Code: []byte(source), Entry: name}}); err != nil {
			return err
		}
		binaries[name+"\n"+source] = binary
	}
	j := new(bench.Job)
	places := map[uintptr]int{}
	for _, r := range runs {
		l := bench.Launch{SharedBytes: uint32(r.shared)}
		for n := range 3 {
			l.Grid[n], l.Workgroup[n] = uint32(r.grid[n]), uint32(r.size[n])
		}
		for _, b := range r.bindings[:r.count] {
			place, known := places[b.bytes]
			if !known {
				place = len(j.Data)
				places[b.bytes] = place
				j.Data = append(j.Data, dl.Bytes(b.bytes, int(b.length)))
			}
			l.Arguments = append(l.Arguments, place)
			l.Offsets = append(l.Offsets, uint32(b.offset))
		}
		j.Launches = append(j.Launches, l)
	}
	binary.Run([]*bench.Job{j})
	return j.Err
}

// longString copies a C string of any length.
func longString(address uintptr) string {
	n := 0
	for *(*byte)(unsafe.Add(dl.Pointer(address), n)) != 0 {
		n++
	}
	return string(dl.Bytes(address, n))
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, b := range binaries {
		b.Close()
	}
	// All methods that the library has are used by the tests, so that none of the driver's messages is without one.
	if l, _ := build(); l != nil && bench.Missing() == "" && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		if text := dl.GoString(dl.Call(l.Unsent)); text != "" {
			fmt.Println("messages that no test has the driver send:", text)
			code = 1
		}
	}
	os.Exit(code)
}

// TestDriver runs the tests of all drivers, with kernels that clang compiles and executes. Executing allocates in this
// process, so the test of what launches allocate is another.
func TestDriver(t *testing.T) {
	l := open(t, settings{})
	drivertest.RunBut(t, l.driver, drivertest.AxpyMSL(), map[string]string{
		"launches do not allocate": "the bench allocates; TestLaunchesDoNotAllocate runs it with dispatches that are not executed",
	})
}

func TestLaunchesDoNotAllocate(t *testing.T) {
	l := open(t, settings{dry: true})
	t.Run("launches", func(t *testing.T) { drivertest.LaunchesDoNotAllocate(t, l.driver, drivertest.AxpyMSL()) })
}

// TestDevices: a device of a family that is too old is not listed.
func TestDevices(t *testing.T) {
	l := open(t, settings{dry: true})
	infos, err := l.driver.Devices()
	if err != nil || len(infos) != 1 {
		t.Fatalf("%v %+v", err, infos)
	}
	if i := infos[0]; i.Name != "Stand-in" || i.Target != abi.MSL || i.WorkgroupBytes != 32768 || i.MaxBufferBytes != 1<<31 || i.ID() != "metal:0" {
		t.Errorf("%+v", i)
	}
	other := &Driver{libraries: [2][]string{{"libgpuc-absent.so"}, {"libgpuc-absent.so"}}}
	if infos, err := other.Devices(); len(infos) != 0 || err != nil {
		t.Errorf("without the libraries: %v %v", infos, err)
	}
	wrong := &Driver{libraries: [2][]string{{"libc.so.6"}, {"libc.so.6"}}}
	if _, err := wrong.Devices(); err == nil || !strings.Contains(err.Error(), "objc_getClass") {
		t.Errorf("a library without the functions: %v", err)
	}
}

// TestLoad: what the compiler and the linker say is in the error, nothing is left behind by a failure, and the text's first
// lines say how it is compiled.
func TestLoad(t *testing.T) {
	l := open(t, settings{dry: true})
	d, err := l.driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	load := func(change func(a *abi.Artefact)) (driver.Kernel, error) {
		a := drivertest.AxpyMSL()
		change(a)
		return d.Load(a)
	}
	replace := func(old, with string) func(a *abi.Artefact) {
		return func(a *abi.Artefact) { a.Code = []byte(strings.Replace(string(a.Code), old, with, 1)) }
	}
	for _, c := range []struct {
		name, want string
		change     func(a *abi.Artefact)
	}{
		{"compiler", "compile: #error no such thing", replace("using namespace", "#error no such thing\nusing namespace")},
		{"entry", "the code has no kernel other", func(a *abi.Artefact) { a.Kernel.Name = "other" }},
		{"pipeline", "make a pipeline: the function cannot be linked", func(a *abi.Artefact) {
			replace("void axpy", "void unlinkable")(a)
			a.Kernel.Name = "unlinkable"
		}},
		{"textures", "has no textures", func(a *abi.Artefact) { a.Kernel.Handles = []abi.Handle{{Name: "s"}} }},
	} {
		if _, err := load(c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	l.set(settings{dry: true, small: true})
	if _, err := load(func(*abi.Artefact) {}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("a workgroup that the pipeline does not take: %v", err)
	}
	for _, c := range []struct {
		without bool
		lines   string
		want    string
	}{
		{false, "// language: -std=metal2.4\n// mathematics: -fno-fast-math (MTLMathMode.safe)", "language 2.4 mode 0 "},
		{false, "// language: -std=metal3.1\n// mathematics: -ffast-math (MTLMathMode.relaxed)", "language 3.1 mode 1 "},
		{false, "// language: -std=metal3.0\n// mathematics: -ffast-math (MTLMathMode.fast)", "language 3.0 mode 2 "},
		{true, "// language: -std=metal2.4\n// mathematics: -fno-fast-math (MTLMathMode.safe)", "language 2.4 fast 0 "},
		{true, "// language: -std=metal2.4\n// mathematics: -ffast-math (MTLMathMode.relaxed)", "language 2.4 fast 1 "},
		{true, "// nothing\n// else", "language 2.4 fast 0 "},
	} {
		l.set(settings{dry: true, withoutMathMode: c.without})
		k, err := load(replace("// language: -std=metal2.4\n// mathematics: -fno-fast-math (MTLMathMode.safe)", c.lines))
		if err != nil {
			t.Fatal(err)
		}
		if got := dl.GoString(dl.Call(l.Options)); got != c.want {
			t.Errorf("%q is compiled with %q, want %q", c.lines, got, c.want)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFailures: a command buffer that fails is an error of the next wait, once, with its meaning; and the stream goes on.
func TestFailures(t *testing.T) {
	l := open(t, settings{dry: true})
	d, err := l.driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	k, err := d.Load(drivertest.AxpyMSL())
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	var m [3]driver.Memory
	for n := range m {
		if m[n], err = d.Alloc(256); err != nil {
			t.Fatal(err)
		}
	}
	launch := func() {
		t.Helper()
		if err := s.Launch(drivertest.Launch(k, m[0], m[1], m[2])); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		code int
		want error
	}{{8, driver.ErrOutOfMemory}, {3, driver.ErrDeviceLost}, {11, driver.ErrDeviceLost}, {1, nil}} {
		l.set(settings{dry: true, fail: c.code})
		launch()
		err := s.Wait(context.Background())
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), "it was made to fail") {
			t.Errorf("code %d: %v, want %v", c.code, err, c.want)
		}
		launch()
		if err := s.Wait(context.Background()); err != nil {
			t.Errorf("the failure of code %d comes twice: %v", c.code, err)
		}
		l.set(settings{dry: true, fail: c.code})
		launch()
		e, err := s.Record()
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Wait(context.Background()); err == nil {
			t.Errorf("code %d: an event behind the failure is no error", c.code)
		}
		e.Close()
		if err := s.Wait(context.Background()); err == nil {
			t.Errorf("code %d: the wait behind the event is no error", c.code)
		}
	}
	l.set(settings{dry: true, refuse: true})
	if _, err := d.Alloc(64); !errors.Is(err, driver.ErrOutOfMemory) {
		t.Errorf("no memory: %v", err)
	}
	l.set(settings{dry: true})
	// A wait that is given up leaves the work, whose end another wait sees.
	launch()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Wait(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that ended before: %v", err)
	}
	timeout, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Wait(timeout); err != nil {
		t.Error(err)
	}
	// An event is not done when it is recorded, and a closed stream's work is waited for by the device.
	launch()
	e, err := s.Record()
	if err != nil {
		t.Fatal(err)
	}
	if done, err := e.Done(); done || err != nil {
		t.Errorf("at once: %v %v", done, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestWorkgroupMemory runs what the compiler writes for a kernel with workgroup memory and barriers.
func TestWorkgroupMemory(t *testing.T) {
	l := open(t, settings{})
	f := drivertest.New(t, l.driver, drivertest.AxpyMSL())
	k := f.Compile(`
		var<workgroup> turned : array<u32, 64>;
		@group(0) @binding(0) var<storage, read_write> out : array<u32>;
		@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i : u32, @builtin(workgroup_id) g : vec3u) {
			turned[63 - i] = out[g.x * 64 + i];
			workgroupBarrier();
			out[g.x * 64 + i] = turned[i];
		}`, "main")
	numbers := make([]uint32, 128)
	for n := range numbers {
		numbers[n] = uint32(n)
	}
	m := f.Alloc(4 * len(numbers))
	f.Check(f.Stream.Write(drivertest.Whole(m), drivertest.Bytes(numbers)))
	f.Check(f.Stream.Launch(&driver.Launch{Kernel: k, Bindings: []driver.Slice{drivertest.Whole(m)}, Grid: [3]uint32{2, 1, 1}}))
	f.Check(f.Stream.Read(drivertest.Bytes(numbers), drivertest.Whole(m)))
	for n, x := range numbers {
		if want := uint32(n/64*64 + 63 - n%64); x != want {
			t.Fatalf("number %d is %d, want %d", n, x, want)
		}
	}
}
