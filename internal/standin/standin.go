// Package standin builds fakes of vendors' libraries, in C, for tests: they check how they are
// called, on machines that do not have the vendor's library.
package standin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
)

// Compiler is the path of a C compiler, or "".
var Compiler = sync.OnceValue(func() string {
	for _, name := range []string{"gcc", "clang", "clang-19"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
})

// Missing says what a test that skips without a C compiler needs.
const Missing = "a compiler of C (Debian: gcc and libc6-dev, or clang-19)"

// Load compiles a source to a library, loads it, and fills a table of its functions (dl.Fill).
// Opening the returned name gives the same library, which stays loaded although its file is
// removed.
func Load(source string, functions any) (name string, err error) {
	return LoadAs("", source, functions)
}

// LoadAs is Load for a library that this process finds by a name from then on, as the loader takes
// one that is loaded already by its SONAME.
func LoadAs(soname, source string, functions any) (name string, err error) {
	folder, err := os.MkdirTemp("", "standin")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	name = filepath.Join(folder, "standin.so")
	arguments := []string{"-shared", "-fPIC", "-O0", "-Wall", "-Werror", "-o", name, source, "-lpthread"}
	if soname != "" {
		arguments = append(arguments, "-Wl,-soname,"+soname)
	}
	out, err := exec.Command(Compiler(), arguments...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	library, err := dl.Open(name)
	if err != nil {
		return "", err
	}
	return name, dl.Fill(functions, library.Symbol)
}

// Runner returns a callback for a library that executes kernels. It gets a list of launches, and
// calls run for each sequence of launches that differ only in their arguments. It returns 0, or 1
// after writing the error to message, which has room bytes.
func Runner[R any](same func(x, y *R) bool, run func(runs []R) error) func(list, n, message, room uintptr) uintptr {
	return func(list, n, message, room uintptr) uintptr {
		runs := unsafe.Slice((*R)(dl.Pointer(list)), n)
		for len(runs) > 0 {
			together := 1
			for together < len(runs) && same(&runs[together], &runs[0]) {
				together++
			}
			if err := run(runs[:together]); err != nil {
				to := dl.Bytes(message, int(room))
				to[copy(to[:len(to)-1], err.Error())] = 0
				return 1
			}
			runs = runs[together:]
		}
		return 0
	}
}
