// Package standin builds libraries in C that stand in for those of vendors in tests: they judge how they are called, on
// machines that do not have the vendor's.
package standin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Compiler is the path of a compiler of C, or "".
var Compiler = sync.OnceValue(func() string {
	for _, name := range []string{"gcc", "clang", "clang-19"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
})

// Missing is what a test that skips for the want of a compiler says.
const Missing = "a compiler of C (gcc or clang)"

// Build compiles a source to a library in a folder of its own, which remove removes: a library stays loaded without its file.
func Build(source string) (file string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "standin")
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(folder, "standin.so")
	out, err := exec.Command(Compiler(), "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", file, source, "-lpthread").CombinedOutput()
	if err != nil {
		os.RemoveAll(folder)
		return "", nil, fmt.Errorf("%w: %s", err, out)
	}
	return file, func() { os.RemoveAll(folder) }, nil
}
