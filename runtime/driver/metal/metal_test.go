//go:build !nodrivers && linux && amd64

package metal

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpuc/gpuc/internal/drivertest"
	bench "github.com/gpuc/gpuc/internal/emulate/msl"
	"github.com/gpuc/gpuc/internal/standin"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// shim is a fake of both of Apple's libraries (testdata/shim.c), with the functions that only it
// has.
type shim struct {
	Set        uintptr `c:"shim_set"`
	Complaints uintptr `c:"shim_complaints"`
	Forgive    uintptr `c:"shim_forgive"`
	Live       uintptr `c:"shim_live"`
	Unsent     uintptr `c:"shim_unsent"`
	Options    uintptr `c:"shim_options"`
	Sampler    uintptr `c:"shim_sampler"`
	Archives   uintptr `c:"shim_archives"`
}

// library is the shim with the driver that uses it.
type library struct {
	shim
	driver *Driver
	runner uintptr
}

var build = sync.OnceValues(func() (*library, error) {
	if standin.Compiler() == "" {
		return nil, nil
	}
	s := new(library)
	file, err := standin.Load("testdata/shim.c", &s.shim)
	if err != nil {
		return nil, err
	}
	s.driver = &Driver{libraries: [2][]string{{file}, {file}}}
	s.runner = purego.NewCallback(runOnBench)
	return s, nil
})

// settings are what the library is to do other than by default.
type settings struct {
	dry                            bool // dispatches are not executed
	fail                           int  // the next command buffer fails with this code
	withoutMathMode, refuse, small bool
}

// open returns the library, and has its complaints and the objects that live be none at the end of
// the test.
func open(t *testing.T, s settings) *library {
	t.Helper()
	l, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if l == nil {
		t.Skip("skipped: there is no " + standin.Missing)
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

func (l *library) set(s settings) {
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
	textureCount, samplerCount uint64
	textures                   [16]*boundTexture
	samplers                   [8]*boundSampler
}

type boundTexture struct {
	kind, format, width, height, depth, layers, levels uint64

	level [16]uintptr
	bytes [16]uint64
}

type boundSampler struct {
	address                                 [3]uint64
	magnify, minify, mip, compares, compare uint64
	lowest, highest                         float32
}

// Names in WebGPU of what Metal numbers (MTLPixelFormat and so on).
var (
	formatNames = map[uint64]string{10: "r8unorm", 12: "r8snorm", 13: "r8uint", 14: "r8sint", 20: "r16unorm", 22: "r16snorm", 23: "r16uint",
		24: "r16sint", 25: "r16float", 30: "rg8unorm", 32: "rg8snorm", 33: "rg8uint", 34: "rg8sint", 53: "r32uint", 54: "r32sint", 55: "r32float",
		60: "rg16unorm", 62: "rg16snorm", 63: "rg16uint", 64: "rg16sint", 65: "rg16float", 70: "rgba8unorm", 71: "rgba8unorm-srgb", 72: "rgba8snorm",
		73: "rgba8uint", 74: "rgba8sint", 80: "bgra8unorm", 81: "bgra8unorm-srgb", 90: "rgb10a2unorm", 91: "rgb10a2uint", 92: "rg11b10ufloat",
		93: "rgb9e5ufloat", 103: "rg32uint", 104: "rg32sint", 105: "rg32float", 110: "rgba16unorm", 112: "rgba16snorm", 113: "rgba16uint",
		114: "rgba16sint", 115: "rgba16float", 123: "rgba32uint", 124: "rgba32sint", 125: "rgba32float", 250: "depth16unorm", 252: "depth32float"}
	dimensions = [...]uint32{0: 1, 2: 2, 3: 2, 5: 2, 6: 2, 7: 3}
	addresses  = [...]string{"clamp-to-edge", "", "repeat", "mirror-repeat"}
	filterName = [...]string{"nearest", "linear"}
	mipName    = [...]string{"", "nearest", "linear"}
	compares   = [...]string{"never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"}
)

// bindHandles binds the textures and samplers of a dispatch. Levels that several textures show are
// the same memory.
func bindHandles(l *bench.Launch, r *run, dataIndex func(at uintptr, n uint64) int) {
	var textures []bench.Texture
	var samplers []bench.Sampler
	for _, t := range r.textures[:r.textureCount] {
		if t == nil { // no code uses it
			continue
		}
		b := bench.Texture{Format: formatNames[t.format], Dimension: dimensions[t.kind], Width: uint32(t.width), Height: uint32(t.height),
			Depth: uint32(t.depth), Layers: uint32(t.layers), Samples: 1}
		for n := range t.levels {
			b.Levels = append(b.Levels, dataIndex(t.level[n], t.bytes[n]))
		}
		textures = append(textures, b)
	}
	for _, s := range r.samplers[:r.samplerCount] {
		b := bench.Sampler{Magnify: filterName[s.magnify], Minify: filterName[s.minify], Mipmap: mipName[s.mip], LowestLevel: s.lowest, HighestLevel: s.highest}
		for n, a := range s.address {
			b.Address[n] = addresses[a]
		}
		if s.compares != 0 {
			b.Compare = compares[s.compare]
		}
		samplers = append(samplers, b)
	}
	bench.Bind(l, textures, samplers)
}

// binaries are the texts that were compiled for the bench. The library executes one command buffer
// at a time.
var binaries = map[string]*bench.Binary{}

// runOnBench executes dispatches, on the memory that they are bound to.
var runOnBench = standin.Runner(func(x, y *run) bool { return x.source == y.source && x.name == y.name }, runTogether)

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
	indices := map[uintptr]int{}
	memory := func(at uintptr, n uint64) int {
		index, known := indices[at]
		if !known {
			index = len(j.Data)
			indices[at] = index
			j.Data = append(j.Data, dl.Bytes(at, int(n)))
		}
		return index
	}
	for k := range runs {
		r := &runs[k]
		l := bench.Launch{SharedBytes: uint32(r.shared)}
		for n := range 3 {
			l.Grid[n], l.Workgroup[n] = uint32(r.grid[n]), uint32(r.size[n])
		}
		for _, b := range r.bindings[:r.count] {
			l.Arguments = append(l.Arguments, memory(b.bytes, b.length))
			l.Offsets = append(l.Offsets, uint32(b.offset))
		}
		bindHandles(&l, r, memory)
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
	// All methods that the library has are used by the tests, so that none of the driver's messages
	// is without one.
	if l, _ := build(); l != nil && !testing.Short() && bench.Missing() == "" && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.list").Value.String() == "" {
		if text := dl.GoString(dl.Call(l.Unsent)); text != "" {
			fmt.Println("messages that no test has the driver send:", text)
			code = 1
		}
	}
	os.Exit(code)
}

// TestDriver runs the tests of all drivers, with kernels that clang compiles and executes.
// Executing allocates in this process, so the test of what launches allocate is another.
func TestDriver(t *testing.T) {
	testmode.Quick(t, "kernels are compiled by clang")
	l := open(t, settings{})
	reasons := map[string]string{
		"launches do not allocate": "the bench allocates; TestLaunchesDoNotAllocate runs it with dispatches that are not executed",
		"replays do not allocate":  "the bench allocates; TestLaunchesDoNotAllocate runs it with dispatches that are not executed",
	}
	if !testmode.IsLong() {
		for _, name := range []string{"concurrency", "order", "sampling", "large levels", "stores", "cubes", "comparison", "levels made of one another"} {
			reasons[name] = "a long test, which " + testmode.Variable + "=1 runs"
		}
	}
	drivertest.RunBut(t, l.driver, drivertest.Axpy("msl"), reasons)
}

func TestLaunchesDoNotAllocate(t *testing.T) {
	l := open(t, settings{dry: true})
	// ends before the library is asked
	t.Run("launches", func(t *testing.T) { drivertest.LaunchesDoNotAllocate(t, l.driver, drivertest.Axpy("msl")) })
}

// TestDevices: a device of a family that is too old is not listed.
func TestDevices(t *testing.T) {
	l := open(t, settings{dry: true})
	infos, err := l.driver.Devices()
	if err != nil || len(infos) != 1 {
		t.Fatalf("%v %+v", err, infos)
	}
	if i := infos[0]; i.Name != "Fake" || i.Target != abi.MSL || i.WorkgroupBytes != 32768 || i.MaxBufferBytes != 1<<31 || i.ID() != "metal:0" || i.Profile != 7 {
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

// TestLoad: what the compiler and the linker say is in the error, nothing is left behind by a
// failure, and the text's first lines say how it is compiled.
func TestLoad(t *testing.T) {
	l := open(t, settings{dry: true})
	d, err := l.driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	load := func(change func(a *abi.Artefact)) (driver.Kernel, error) {
		a := drivertest.Axpy("msl")
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
		k, err := load(replace("// language: -std=metal2.4\n// mathematics: -ffast-math (MTLMathMode.relaxed)", c.lines))
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

// TestSampler: all that describes a sampler arrives, numbers of floating point included.
func TestSampler(t *testing.T) {
	l := open(t, settings{dry: true})
	d, err := l.driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, c := range []struct {
		sampler texture.Sampler
		want    string
	}{
		{texture.Sampler{}, "addresses 0 0 0, magnify 0, minify 0, mip 1, levels 0 to 0, compare 0 0"},
		{texture.Sampler{Address: [3]texture.AddressMode{texture.Repeat, texture.MirrorRepeat, texture.ClampToEdge}, Magnify: texture.Linear,
			Mipmap: texture.Linear, LowestLevel: 0.25, HighestLevel: 1.75, Compare: texture.Greater},
			"addresses 2 3 0, magnify 1, minify 0, mip 2, levels 0.25 to 1.75, compare 1 4"},
		{texture.Sampler{Minify: texture.Linear, HighestLevel: 32, Compare: texture.Never}, "addresses 0 0 0, magnify 0, minify 1, mip 1, levels 0 to 32, compare 1 0"},
	} {
		s, err := d.NewSampler(&c.sampler)
		if err != nil {
			t.Fatal(err)
		}
		if got := dl.GoString(dl.Call(l.Sampler)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.sampler, got, c.want)
		}
		if err := s.Free(); err != nil {
			t.Error(err)
		}
	}
}

// TestFailures: a command buffer that fails is an error of the next wait, once, with its meaning;
// and the stream goes on.
func TestFailures(t *testing.T) {
	l := open(t, settings{dry: true})
	d, err := l.driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	k, err := d.Load(drivertest.Axpy("msl"))
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
	// An event is not done when it is recorded, and a closed stream's work is waited for by the
	// device.
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

// TestWorkgroupMemory runs what the compiler writes for a kernel with workgroup memory and
// barriers.
func TestWorkgroupMemory(t *testing.T) {
	l := open(t, settings{})
	f := drivertest.New(t, l.driver, drivertest.Axpy("msl"))
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
