//go:build !nodrivers && linux && amd64

package rocm

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/standin"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/codeobject"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// This file has the fake HIP of the tests (testdata/shim.c), and executes kernels for it. The
// driver loads real code objects. The test knows the text of each, which the bench compiles for the
// host.

// Shim is the library with the functions that only it has.
type Shim struct {
	Set        uintptr `c:"hip_set"`
	Run        uintptr `c:"hip_run"`
	Complaints uintptr `c:"hip_complaints"`
	Reset      uintptr `c:"hip_reset"`
	Live       uintptr `c:"hip_live"`
}

var original = api // as it is outside of tests

var build = sync.OnceValues(func() (*Shim, error) {
	if standin.Compiler() == "" {
		return nil, nil
	}
	s := new(Shim)
	file, err := standin.Load("testdata/shim.c", s)
	if err != nil {
		return nil, err
	}
	dl.Call(s.Run, purego.NewCallback(runOnBench))
	// All drivers of this process, that of runtime/gpu too, find the library, and give it objects
	// whose texts are known.
	api.Files = []string{file}
	api.Image = func(a *abi.Artefact, _ *kernelcache.Cache) ([]byte, error) { return remembered(a) }
	return s, nil
})

// Settings are what the library is to do other than by default, by name (settings in shim.c).
type Settings map[string]int

// driver returns one that relies on what the library is set to promise: what HIP does, or what CUDA
// does.
func (s Settings) driver() *Driver {
	if s["as cuda"] == 0 {
		return new(Driver)
	}
	other := api
	other.LaunchesAnywhere, other.StreamsFinish = true, true
	return &Driver{other: &other}
}

// Open returns the library, and has it without complaints, with all given back, at the end of the
// test.
func Open(t testing.TB, s Settings) *Shim {
	t.Helper()
	l, err := build()
	if err != nil {
		t.Fatal(err)
	}
	if l == nil {
		t.Skip("skipped: there is no " + standin.Missing)
	}
	if missing := bench.Missing(); missing != "" && s["dry"] == 0 {
		t.Skip("skipped: kernels cannot be executed without " + missing)
	}
	a := &abi.Artefact{Code: []byte(nothing), Kernel: abi.Kernel{Profile: "gfx90a"}}
	if _, err := codeobject.Make(a); errors.Is(err, codeobject.ErrNoTool) {
		t.Skipf("skipped: %v (Debian: llvm-19 and lld-19)", err)
	}
	for name, value := range s {
		l.set(name, value)
	}
	t.Cleanup(func() {
		if text := l.complaints(); text != "" {
			t.Errorf("the library complains:\n%s", text)
		}
		if text := dl.GoString(dl.Call(l.Live)); text != "" {
			t.Errorf("these were not given back: %s", text)
		}
		dl.Call(l.Reset)
		for name := range s {
			l.set(name, map[string]int{"count": 3, "version": 6_02_40000, "pools": 1}[name])
		}
	})
	return l
}

const nothing = "target triple = \"amdgcn-amd-amdhsa\"\ndefine protected amdgpu_kernel void @k() {\n  ret void\n}\n" +
	"!llvm.module.flags = !{!0}\n!0 = !{i32 1, !\"amdhsa_code_object_version\", i32 500}\n"

func (l *Shim) set(name string, value int) {
	dl.Call(l.Set, uintptr(unsafe.Pointer(dl.CString(name))), uintptr(value))
}

func (l *Shim) complaints() string { return dl.GoString(dl.Call(l.Complaints)) }

// known is an artefact whose object was made, and its text for the bench.
type known struct {
	artefact *abi.Artefact
	object   []byte
	binary   *fibers.Binary
}

var (
	knowing  sync.Mutex
	byText   = map[string]*known{} // and processor
	byObject = map[string]*known{}
)

// remembered makes the code object of an artefact as the driver does, once of each text.
func remembered(a *abi.Artefact) ([]byte, error) {
	if codeobject.Is(a.Code) {
		return original.Image(a, nil)
	}
	knowing.Lock()
	defer knowing.Unlock()
	key := a.Kernel.Profile + " " + a.Kernel.Name + "\n" + string(a.Code)
	if k := byText[key]; k != nil {
		return original.Image(&abi.Artefact{Code: k.object}, nil)
	}
	object, err := original.Image(a, nil)
	if err != nil {
		return nil, err
	}
	copied := *a
	k := &known{artefact: &copied, object: object}
	byText[key], byObject[string(object)] = k, k
	return object, nil
}

// run is a launch, as the library describes it.
type run struct {
	image       uintptr
	imageBytes  uint64
	name        uintptr
	grid, block [3]uint32
	segment     uintptr
	count, _    uint32
	arguments   [64]struct {
		offset, size uint32
		base         uintptr
		bytes        uint64 // of the memory that an address is in, or 0
	}
}

// runOnBench executes launches, on the memory that they use.
var runOnBench = standin.Runner(func(x, y *run) bool { return x.image == y.image && x.name == y.name }, runTogether)

func runTogether(runs []run) error {
	knowing.Lock()
	defer knowing.Unlock()
	k := byObject[string(dl.Bytes(runs[0].image, int(runs[0].imageBytes)))]
	if k == nil {
		return errors.New("a code object of which nobody knows the text")
	}
	if name := dl.GoString(runs[0].name); name != k.artefact.Kernel.Name {
		return fmt.Errorf("the kernel %s of a text that has %s", name, k.artefact.Kernel.Name)
	}
	if k.binary == nil {
		var err error
		if k.binary, err = bench.Build([]bench.Program{{Code: k.artefact.Code, Kernel: &k.artefact.Kernel}}); err != nil {
			return err
		}
	}
	j := new(fibers.Job)
	regions := map[uintptr]int{}
	for n := range runs {
		r := &runs[n]
		l := fibers.Launch{Grid: r.grid, Workgroup: r.block}
		if int(r.count) != len(k.artefact.Kernel.Parameters) {
			return fmt.Errorf("the code object has %d arguments, and the description %d", r.count, len(k.artefact.Kernel.Parameters))
		}
		for _, a := range r.arguments[:r.count] {
			bytes := dl.Bytes(r.segment+uintptr(a.offset), int(a.size))
			if a.bytes == 0 {
				j.Own(&l, append([]byte(nil), bytes...))
				l.Offsets = append(l.Offsets, 0)
				continue
			}
			region, seen := regions[a.base]
			if !seen {
				region = len(j.Data)
				regions[a.base] = region
				j.Data = append(j.Data, dl.Bytes(a.base, int(a.bytes)))
			}
			l.Arguments = append(l.Arguments, region)
			l.Offsets = append(l.Offsets, uint32(binary.NativeEndian.Uint64(bytes)-uint64(a.base)))
		}
		j.Launches = append(j.Launches, l)
	}
	k.binary.Run([]*fibers.Job{j})
	return j.Err
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	for _, k := range byText {
		if k.binary != nil {
			k.binary.Close()
		}
	}
	os.Exit(code)
}
