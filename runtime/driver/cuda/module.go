// Modules, which the driver compiles from PTX.

package cuda

import (
	"bytes"
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

// load compiles the text. The log has the lines of what is wrong.
func load(c *cudalike.Functions, module *uintptr, image []byte) (uintptr, string) {
	information, failure := make([]byte, logBytes), make([]byte, logBytes)
	// The option values are addresses and numbers in one array, so the addresses
	// are integers and what they point to is pinned.
	var pinner runtime.Pinner
	defer pinner.Unpin()
	pinner.Pin(&information[0])
	pinner.Pin(&failure[0])
	options := []uint32{optionInfoLog, optionInfoLogBytes, optionErrorLog, optionErrorLogBytes, optionLineInfo}
	values := []uintptr{uintptr(dl.First(information)), logBytes, uintptr(dl.First(failure)), logBytes, 1}
	register := dl.Call(c.ModuleLoad, uintptr(unsafe.Pointer(module)), uintptr(dl.First(image)),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values[0])))
	return register, dl.Text(failure)
}
