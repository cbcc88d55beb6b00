package object_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/runtime/dl"
)

// comgr are the functions of AMD's code object manager that read code objects (amd_comgr.h). Its
// handles are structures of one 64-bit number.
type comgr struct {
	CreateData   uintptr `c:"amd_comgr_create_data"`
	SetData      uintptr `c:"amd_comgr_set_data"`
	ReleaseData  uintptr `c:"amd_comgr_release_data"`
	Metadata     uintptr `c:"amd_comgr_get_data_metadata"`
	Lookup       uintptr `c:"amd_comgr_metadata_lookup"`
	Index        uintptr `c:"amd_comgr_index_list_metadata"`
	ListSize     uintptr `c:"amd_comgr_get_metadata_list_size"`
	Text         uintptr `c:"amd_comgr_get_metadata_string"`
	SymbolLookup uintptr `c:"amd_comgr_symbol_lookup"`
	SymbolInfo   uintptr `c:"amd_comgr_symbol_get_info"`
}

// Constants of the library.
const (
	comgrExecutable = 8 // amd_comgr_data_kind_t
	comgrSymbolSize = 3 // amd_comgr_symbol_info_t
)

// TestComgr reads code objects with AMD's library, as HIP does: the metadata of kernels, and the
// symbols of descriptors.
func TestComgr(t *testing.T) {
	library, err := dl.Open(dl.LibraryNames("comgr", runtime.GOOS)...)
	if errors.Is(err, dl.ErrNoLibrary) {
		t.Skip("skipped: there is no libamd_comgr (Debian: libamd-comgr2)")
	}
	var c comgr
	if err == nil {
		err = dl.Fill(&c, library.Symbol)
	}
	if err != nil {
		t.Fatal(err)
	}
	must := func(what string, status uintptr) {
		t.Helper()
		if uint32(status) != 0 {
			t.Fatalf("%s: status %d", what, uint32(status))
		}
	}
	for f := range isa.GFX1100 + 1 {
		o := small(t, f)
		var data, root, kernels, first, count uint64
		must("create", dl.Call(c.CreateData, comgrExecutable, uintptr(unsafe.Pointer(&data))))
		must("set", dl.Call(c.SetData, uintptr(data), uintptr(len(o)), uintptr(unsafe.Pointer(&o[0]))))
		must("metadata", dl.Call(c.Metadata, uintptr(data), uintptr(unsafe.Pointer(&root))))
		lookup := func(in uint64, key string) (node uint64) {
			t.Helper()
			name := append([]byte(key), 0)
			must(key, dl.Call(c.Lookup, uintptr(in), uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&node))))
			return node
		}
		text := func(node uint64) string {
			t.Helper()
			var size uint64
			must("size", dl.Call(c.Text, uintptr(node), uintptr(unsafe.Pointer(&size)), 0))
			if size == 0 || size > 1<<10 {
				t.Fatalf("a text of %d bytes", size)
			}
			into := make([]byte, size)
			must("text", dl.Call(c.Text, uintptr(node), uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&into[0]))))
			return string(into[:size-1])
		}
		kernels = lookup(root, "amdhsa.kernels")
		must("count", dl.Call(c.ListSize, uintptr(kernels), uintptr(unsafe.Pointer(&count))))
		if count != 2 {
			t.Fatalf("%s: %d kernels", f, count)
		}
		must("index", dl.Call(c.Index, uintptr(kernels), 0, uintptr(unsafe.Pointer(&first))))
		for key, want := range map[string]string{".name": "a_kernel", ".symbol": "a_kernel.kd", ".kernarg_segment_size": "12", ".wavefront_size": []string{"64", "32"}[f]} {
			if got := text(lookup(first, key)); got != want {
				t.Errorf("%s: %s is %q, not %q", f, key, got, want)
			}
		}
		if got, want := text(lookup(root, "amdhsa.target")), "amdgcn-amd-amdhsa--"+f.String(); got != want {
			t.Errorf("the target is %s, not %s", got, want)
		}
		name := []byte("another.kd\x00")
		var symbol, size uint64
		must("symbol", dl.Call(c.SymbolLookup, uintptr(data), uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&symbol))))
		must("symbol's size", dl.Call(c.SymbolInfo, uintptr(symbol), comgrSymbolSize, uintptr(unsafe.Pointer(&size))))
		if size != 64 {
			t.Errorf("%s: a descriptor of %d bytes", f, size)
		}
		must("release", dl.Call(c.ReleaseData, uintptr(data)))
	}
}
