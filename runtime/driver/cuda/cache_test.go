//go:build !nodrivers && linux

package cuda

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/internal/standin"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver/cudalike"
)

// TestLink calls a fake of the linker, which checks the arguments, and fails at each step.
func TestLink(t *testing.T) {
	if standin.Compiler() == "" {
		t.Skip("skipped: there is no " + standin.Missing)
	}
	var fake struct {
		Set        uintptr `c:"linker_set"`
		Complaints uintptr `c:"linker_complaints"`
		Live       uintptr `c:"linker_live"`
	}
	name, err := standin.Load("testdata/linker.c", &fake)
	if err != nil {
		t.Fatal(err)
	}
	library, err := dl.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	c := &cudalike.Functions{
		LinkCreate: library.Symbol("cuLinkCreate_v2"), LinkAdd: library.Symbol("cuLinkAddData_v2"), LinkComplete: library.Symbol("cuLinkComplete"),
		LinkDestroy: library.Symbol("cuLinkDestroy"), ModuleLoad: library.Symbol("cuModuleLoadDataEx"),
	}
	ptx, err := image(&abi.Artefact{Code: []byte(".version 6.0\n")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"cubin of .version 6.0\n", "", "", "", "cubin of .version 6.0\n"} {
		dl.Call(fake.Set, uintptr(n))
		if got := string(link(c, ptx)); got != want {
			t.Errorf("failure %d: %q, want %q", n, got, want)
		}
		var module uintptr
		register, log := load(c, &module, ptx)
		if failed := n == 4; failed != (uint32(register) != 0) || failed && log != "line 9: as asked" || !failed && module != 13 {
			t.Errorf("failure %d: loading gives %d with %q", n, register, log)
		}
		if left := dl.Call(fake.Live); uint32(left) != 0 {
			t.Errorf("failure %d: %d linkers are left", n, left)
		}
	}
	if text := dl.GoString(dl.Call(fake.Complaints)); text != "" {
		t.Error(text)
	}
	if c.LinkAdd = 0; link(c, ptx) != nil {
		t.Error("a library without the linker links")
	}
}

// TestBuild: another file of the library is another build, and without one nothing is known.
func TestBuild(t *testing.T) {
	if _, err := os.Stat("/proc/driver/nvidia/version"); err == nil {
		if _, err := testDriver.Devices(); err != nil {
			t.Fatal(err)
		}
		if text := build(13000); !strings.HasPrefix(text, "13000\n/") || !strings.Contains(text, "libcuda.so") {
			t.Errorf("the build is %q", text)
		}
		return
	}
	if _, err := testDriver.Devices(); err == nil && testDriver.Absent() != nil && build(13000) != "" {
		t.Errorf("without the library the build is %q", build(13000))
	}
}

// TestLinkedCode compares the registers and the memory of linked kernels with those of kernels that
// are loaded as text.
func TestLinkedCode(t *testing.T) {
	infos, err := testDriver.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if len(infos) == 0 {
		t.Skip("skipped: there is no CUDA device")
	}
	library, err := dl.Open(dl.LibraryNames("cuda", runtime.GOOS)...)
	if err != nil {
		t.Fatal(err)
	}
	c := new(cudalike.Functions)
	if err := dl.FillBy("cuda", c, library.Symbol); err != nil {
		t.Fatal(err)
	}
	if !c.HasLinker() {
		t.Fatal("the library has no linker")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	check := func(what string, register uintptr) {
		t.Helper()
		if uint32(register) != 0 {
			t.Fatalf("%s: CUresult %d", what, uint32(register))
		}
	}
	var device int32
	var context uintptr
	check("get the device", dl.Call(c.DeviceGet, uintptr(unsafe.Pointer(&device)), 0))
	check("retain the context", dl.Call(c.ContextRetain, uintptr(unsafe.Pointer(&context)), uintptr(device)))
	defer dl.Call(c.ContextRelease, uintptr(device))
	check("set the context", dl.Call(c.SetCurrent, context))
	attributes := [...]struct {
		name  string
		which uintptr // CUfunction_attribute
	}{{"bytes of workgroup memory", 1}, {"bytes of local memory", 3}, {"registers", 4}}
	query := func(name string, image []byte) (values [len(attributes)]int32) {
		t.Helper()
		var module, function uintptr
		register, log := load(c, &module, image)
		check("load "+name+" "+log, register)
		check("find "+name, dl.Call(c.ModuleFunction, uintptr(unsafe.Pointer(&function)), module, uintptr(unsafe.Pointer(dl.CString(name)))))
		for n := range attributes {
			check("query "+name, dl.Call(c.FunctionQuery, uintptr(unsafe.Pointer(&values[n])), attributes[n].which, function))
		}
		check("unload "+name, dl.Call(c.ModuleUnload, module))
		return values
	}
	list, err := drivertest.Many("ptx", 15)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		ptx, err := image(a, nil)
		if err != nil {
			t.Fatal(err)
		}
		cubin := link(c, ptx)
		if cubin == nil {
			t.Fatalf("%s is not linked", a.Kernel.Name)
		}
		plain, linked := query(a.Kernel.Name, ptx), query(a.Kernel.Name, cubin)
		for n := range attributes {
			if linked[n] != plain[n] {
				t.Errorf("%s: %d %s if it is linked, %d if it is not", a.Kernel.Name, linked[n], attributes[n].name, plain[n])
			}
		}
	}
}
