// Modules, which the driver compiles from PTX.

package cuda

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver/cudalike"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// image is the text as C has it.
func image(a *abi.Artefact, _ *kernelcache.Cache) ([]byte, error) {
	return append(bytes.TrimRight(slices.Clone(a.Code), "\x00"), 0), nil
}

// declared counts the parameters of an entry point, or returns -1 where the
// text has none of this name and leaves it to the driver to say so.
func declared(code []byte, entry string) int {
	for {
		_, behind, ok := bytes.Cut(code, []byte(".entry"))
		if !ok {
			return -1
		}
		code = behind
		name, list, _ := bytes.Cut(code, []byte("("))
		if string(bytes.TrimSpace(name)) == entry {
			list, _, _ = bytes.Cut(list, []byte(")"))
			return bytes.Count(list, []byte(".param"))
		}
	}
}

// Options of the just-in-time compiler (CUjit_option).
const (
	optionInfoLog       = 3
	optionInfoLogBytes  = 4
	optionErrorLog      = 5
	optionErrorLogBytes = 6
	optionLineInfo      = 13
)

// logBytes is the room for each of the compiler's logs.
const logBytes = 16 << 10

// jitOptions are options of the compiler in the form that functions take, with room for its logs.
type jitOptions struct {
	names  []uint32
	values []uintptr
	log    []byte // of errors
	pinner runtime.Pinner
}

// newOptions returns the options of load and link. The values are addresses and numbers in one
// array, so the addresses are integers, and what they point to is pinned until free.
func newOptions() *jitOptions {
	o := &jitOptions{log: make([]byte, logBytes)}
	information := make([]byte, logBytes)
	o.pinner.Pin(&information[0])
	o.pinner.Pin(&o.log[0])
	o.names = []uint32{optionInfoLog, optionInfoLogBytes, optionErrorLog, optionErrorLogBytes, optionLineInfo}
	o.values = []uintptr{uintptr(dl.First(information)), logBytes, uintptr(dl.First(o.log)), logBytes, 1}
	return o
}

func (o *jitOptions) free() { o.pinner.Unpin() }

// load compiles the text, or takes a binary. The log has the lines of what is wrong.
func load(c *cudalike.Functions, module *uintptr, image []byte) (uintptr, string) {
	o := newOptions()
	defer o.free()
	register := dl.Call(c.ModuleLoad, uintptr(unsafe.Pointer(module)), uintptr(dl.First(image)),
		uintptr(len(o.names)), uintptr(unsafe.Pointer(&o.names[0])), uintptr(unsafe.Pointer(&o.values[0])))
	return register, dl.Text(o.log)
}

// linking names what link does, with its options.
const linking = "cuLinkAddData of PTX, with line information"

// link compiles the text to a cubin. Errors are left to load, which has messages for them. The
// cubin belongs to the linker, and so do the arrays of options until it is destroyed.
func link(c *cudalike.Functions, image []byte) (cubin []byte) {
	if !c.HasLinker() {
		return nil
	}
	o := newOptions()
	defer o.free()
	o.pinner.Pin(&o.names[0])
	o.pinner.Pin(&o.values[0])
	var state uintptr
	register := dl.Call(c.LinkCreate, uintptr(len(o.names)), uintptr(unsafe.Pointer(&o.names[0])), uintptr(unsafe.Pointer(&o.values[0])),
		uintptr(unsafe.Pointer(&state)))
	if uint32(register) != 0 {
		return nil
	}
	defer func() { dl.Call(c.LinkDestroy, state) }()
	const inputPTX = 1 // CU_JIT_INPUT_PTX, whose size includes the zero at its end
	register = dl.Call(c.LinkAdd, state, inputPTX, uintptr(dl.First(image)), uintptr(len(image)), 0, 0, 0, 0)
	if uint32(register) != 0 {
		return nil
	}
	var address, size uintptr
	register = dl.Call(c.LinkComplete, state, uintptr(unsafe.Pointer(&address)), uintptr(unsafe.Pointer(&size)))
	if uint32(register) != 0 || size == 0 || size > maxCubin {
		return nil
	}
	return bytes.Clone(dl.Bytes(address, int(size)))
}

// maxCubin is more than a kernel has.
const maxCubin = 1 << 30

// build names the build of the driver: CUDA's own version is the same for many. The library of
// Linux has the compiler, or loads it from the same package.
func build(version int32) string {
	files := dl.Files("libcuda.so")
	if files == "" {
		return ""
	}
	kernel, _ := os.ReadFile("/proc/driver/nvidia/version") // which WSL does not have
	return fmt.Sprintf("%d\n%s%s", version, files, kernel)
}
