// Package dl opens C libraries at run time and calls their functions without cgo. Drivers describe
// their functions as a struct of uintptr fields, fill it once when the library is opened, and call
// through Call. Built with the tag nodrivers, or for a system that purego does not support, no
// library is ever found and programs link statically.
//
// Pointers. Call is marked go:uintptrescapes: an argument written as
// uintptr(unsafe.Pointer(&x)) in the call expression itself keeps x alive and on
// the heap during the call. Pointers inside structures and arrays are covered
// by nothing, so structures hold them as unsafe.Pointer, never as uintptr.
package dl

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// ErrNoLibrary is returned by Open when none of the names can be loaded.
var ErrNoLibrary = errors.New("library not found")

// Library is a loaded C library. It stays loaded for the life of the process:
// drivers keep their own threads that would not survive unloading.
type Library struct {
	handle uintptr
	name   string
}

// Name is the name under which the library was found.
func (l *Library) Name() string { return l.name }

// Open loads the first of the names that exists. If none does, the error wraps ErrNoLibrary and
// says why for each, or why this program cannot load libraries.
func Open(names ...string) (*Library, error) {
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("%w: %s has none", ErrNoLibrary, runtime.GOOS)
	case !Supported:
		return nil, fmt.Errorf("%w: %s", ErrNoLibrary, unsupported)
	}
	var text strings.Builder
	last := ""
	for _, name := range names {
		handle, err := load(name)
		if err == nil {
			return &Library{handle: handle, name: name}, nil
		}
		why := strings.TrimPrefix(err.Error(), name+": ") // with which loaders begin
		if why == last {
			text.WriteString(", " + name)
			continue
		}
		if last != "" {
			text.WriteString(" (" + last + "), ")
		}
		text.WriteString(name)
		last = why
	}
	return nil, fmt.Errorf("%w: %s (%s)", ErrNoLibrary, &text, last)
}

// Symbol returns the address of an exported function, or 0.
func (l *Library) Symbol(name string) uintptr { return symbol(l.handle, name) }

// Fill sets every uintptr field of the struct that table points to. Its value is the address that
// resolve returns for the names in the field's `c` tag: names separated by "|" are tried in order.
// It fails if a function is missing, unless its tag ends in "?"; then the field stays 0.
func Fill(table any, resolve func(name string) uintptr) error { return FillBy("c", table, resolve) }

// FillBy is Fill for a table of functions whose names differ between libraries: it uses the tag
// with this key. A field without that tag stays 0.
func FillBy(key string, table any, resolve func(name string) uintptr) error {
	value := reflect.ValueOf(table).Elem()
	for i := range value.NumField() {
		tag, has := value.Type().Field(i).Tag.Lookup(key)
		if !has {
			continue
		}
		names, optional := strings.CutSuffix(tag, "?")
		var address uintptr
		for name := range strings.SplitSeq(names, "|") {
			if address = resolve(name); address != 0 {
				break
			}
		}
		if address == 0 && !optional {
			return fmt.Errorf("function %s is missing", names)
		}
		value.Field(i).SetUint(uint64(address))
	}
	return nil
}

// LibraryNames returns the names to try for a library on this system. There are the Vulkan loader,
// the CUDA driver, the Objective-C runtime, Metal, HIP, AMD's code object manager (comgr), and
// NVIDIA's Tools Extension (nvtx). "nccl" and "rccl" are their libraries of collectives.
func LibraryNames(library, system string) []string {
	for _, row := range libraryNames {
		if row.library == library && row.system == system {
			return row.names
		}
	}
	return nil
}

// libraryNames are the names under which vendors install libraries, by GOOS. On Linux the
// versioned name is the one that a runtime package holds; ROCm's own packages need not be
// where the loader looks.
var libraryNames = [...]struct {
	library, system string
	names           []string
}{
	{"vulkan", "linux", []string{"libvulkan.so.1", "libvulkan.so"}},
	{"vulkan", "windows", []string{"vulkan-1.dll"}},
	{"vulkan", "darwin", []string{
		"libvulkan.1.dylib", "libvulkan.dylib",
		"/usr/local/lib/libvulkan.1.dylib", "/opt/homebrew/lib/libvulkan.1.dylib",
		"libMoltenVK.dylib", "/usr/local/lib/libMoltenVK.dylib", "/opt/homebrew/lib/libMoltenVK.dylib",
	}},
	{"objc", "darwin", []string{"/usr/lib/libobjc.A.dylib"}},
	{"metal", "darwin", []string{"/System/Library/Frameworks/Metal.framework/Metal"}},
	{"cuda", "linux", []string{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "libcuda.so"}},
	{"cuda", "windows", []string{"nvcuda.dll"}},
	{"hip", "linux", []string{
		"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so",
	}},
	{"hip", "windows", []string{"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"}},
	{"nccl", "linux", []string{"libnccl.so.2", "libnccl.so"}},
	{"rccl", "linux", []string{"librccl.so.1", "librccl.so", "/opt/rocm/lib/librccl.so.1"}},
	{"nvtx", "linux", []string{"libnvToolsExt.so.1", "libnvToolsExt.so", "/usr/local/cuda/lib64/libnvToolsExt.so.1"}},
	{"nvtx", "windows", []string{"nvToolsExt64_1.dll"}},
	{"comgr", "linux", []string{"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so", "/opt/rocm/lib/libamd_comgr.so"}},
	{"comgr", "windows", []string{"amd_comgr_3.dll", "amd_comgr_2.dll", "amd_comgr.dll"}},
}
