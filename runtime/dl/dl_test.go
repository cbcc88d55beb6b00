package dl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// libc is a library that every glibc or macOS machine has.
func libc(t testing.TB) *Library {
	t.Helper()
	if !Supported {
		t.Skip("skipped: the tag nodrivers leaves dynamic loading out")
	}
	names := map[string][]string{"linux": {"libc.so.6"}, "darwin": {"/usr/lib/libSystem.B.dylib"}}[runtime.GOOS]
	library, err := Open(names...)
	if err != nil {
		t.Skipf("skipped: no C library to load: %v", err)
	}
	return library
}

func TestOpenNamesEveryMissingLibrary(t *testing.T) {
	_, err := Open("libgpuc-absent-1.so", "libgpuc-absent-2.so")
	if !errors.Is(err, ErrNoLibrary) {
		t.Fatalf("got %v, want ErrNoLibrary", err)
	}
}

func TestFill(t *testing.T) {
	addresses := map[string]uintptr{"one": 1, "twoKHR": 2}
	resolve := func(name string) uintptr { return addresses[name] }
	var table struct {
		One   uintptr `c:"one"`
		Two   uintptr `c:"two|twoKHR"`
		Three uintptr `c:"three?"`
	}
	if err := Fill(&table, resolve); err != nil {
		t.Fatal(err)
	}
	if table.One != 1 || table.Two != 2 || table.Three != 0 {
		t.Errorf("got %+v", table)
	}
	var required struct {
		Four uintptr `c:"four"`
	}
	if err := Fill(&required, resolve); err == nil {
		t.Error("a missing required function was accepted")
	}
	var shared struct {
		One  uintptr `here:"one" there:"eins"`
		Five uintptr `there:"five"`
	}
	if err := FillBy("here", &shared, resolve); err != nil || shared.One != 1 || shared.Five != 0 {
		t.Errorf("of two libraries' names: %+v, %v", shared, err)
	}
	if err := FillBy("there", &shared, resolve); err == nil {
		t.Error("a function that the other library lacks was accepted")
	}
}

// functions are the C functions that the tests call.
type functions struct {
	Memcpy uintptr `c:"memcpy"`
	Strlen uintptr `c:"strlen"`
	Memset uintptr `c:"memset"`
}

func TestCall(t *testing.T) {
	library := libc(t)
	var c functions
	if err := Fill(&c, library.Symbol); err != nil {
		t.Fatal(err)
	}
	if n := Call(c.Strlen, uintptr(unsafe.Pointer(CString("seven c")))); n != 7 {
		t.Errorf("strlen: got %d, want 7", n)
	}
	if got := GoString(uintptr(unsafe.Pointer(CString("text")))); got != "text" {
		t.Errorf("GoString: got %q", got)
	}
}

// TestCallKeepsPointers moves stacks and collects garbage while C copies
// between Go slices.
func TestCallKeepsPointers(t *testing.T) {
	library := libc(t)
	var c functions
	if err := Fill(&c, library.Symbol); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for round := range 200 {
				from, to := make([]byte, 4096), make([]byte, 4096)
				for i := range from {
					from[i] = byte(i * (worker + round + 1))
				}
				Call(c.Memcpy, uintptr(First(to)), uintptr(First(from)), uintptr(len(from)))
				for i := range from {
					if from[i] != to[i] {
						t.Errorf("byte %d: got %d, want %d", i, to[i], from[i])
						return
					}
				}
				if round%32 == 0 {
					runtime.GC()
				}
			}
		})
	}
	group.Wait()
}

func TestCallDoesNotAllocate(t *testing.T) {
	library := libc(t)
	var c functions
	if err := Fill(&c, library.Symbol); err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 64)
	address := uintptr(First(block))
	if n := testing.AllocsPerRun(1000, func() { Call3(c.Memset, address, 1, 64) }); n >= 1 {
		t.Errorf("got %v allocations a call, want 0", n)
	}
	runtime.KeepAlive(block)
}

func BenchmarkCall(b *testing.B) {
	library := libc(b)
	var c functions
	if err := Fill(&c, library.Symbol); err != nil {
		b.Fatal(err)
	}
	block := make([]byte, 64)
	b.ReportAllocs()
	for b.Loop() {
		Call3(c.Memset, uintptr(First(block)), 0, 8)
	}
}

// TestFiles: libraries that are loaded have a line with their size, and others have none.
func TestFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		if got := Files(""); got != "" {
			t.Errorf("it says %q", got)
		}
		t.Skip("skipped: only Linux says which files are loaded")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(self)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s %d %d\n", self, info.Size(), info.ModTime().UnixNano())
	if got := Files("no-such", filepath.Base(self)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Files("libgpuc-absent"); got != "" {
		t.Errorf("got %q for what is not loaded", got)
	}
}
