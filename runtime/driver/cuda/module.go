// Modules, which the driver compiles from PTX.

package cuda

import (
	"bytes"
	"fmt"
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

// dependentTarget is the first compute capability with programmatic dependent launches, and
// dependentVersion ten times the version of PTX (PTX ISA, griddepcontrol).
const (
	dependentTarget  = 90
	dependentVersion = 78
)

// wait adds to an entry point that it waits for the launch in front of it. All other instructions
// follow, so each launch sees what that one wrote. The next launch may begin once all workgroups of
// this one have ended. Earlier, with griddepcontrol.launch_dependents, its workgroups would take
// the room of those that are slow: products of 1024 rows of float64 took 70 instead of 53 µs.
//
// Code for older devices is the same for later ones, so its target is raised. Lines keep their
// numbers. Text that does not begin as gpuc's does is left alone.
func wait(image []byte, entry string) []byte {
	var major, minor, target int
	header, body, ok := bytes.Cut(image, []byte("\n.address_size"))
	if n, _ := fmt.Sscanf(string(header), ".version %d.%d\n.target sm_%d", &major, &minor, &target); n < 3 || !ok {
		return nil
	}
	before, after, ok := bytes.Cut(body, []byte(".entry "+entry+"("))
	parameters, after, open := bytes.Cut(after, []byte("\n{\n"))
	if !ok || !open {
		return nil
	}
	if version := 10*major + minor; version < dependentVersion || target < dependentTarget {
		version = max(version, dependentVersion)
		name := fmt.Sprint("sm_", max(target, dependentTarget))
		header = fmt.Appendf(nil, ".version %d.%d\n.target %s", version/10, version%10, name)
	}
	return slices.Concat(header, []byte("\n.address_size"), before, []byte(".entry "+entry+"("), parameters,
		[]byte("\n{ griddepcontrol.wait;\n"), after)
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
