package seq

import (
	_ "embed"
	"sync"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// archive is the archive of the package's kernels. Functions find a kernel by its name, which has
// its types: tables of names are generic functions' way to kernels of one type.
//
//go:embed gpuc_gen.zip
var archive string

var (
	kernelsMutex sync.RWMutex
	kernels      = map[string]*gpu.Embedded{}
)

// kernelOf returns the kernel of a name. There is one for each name, which streams know it by.
func kernelOf(name string) *gpu.Embedded {
	kernelsMutex.RLock()
	e := kernels[name]
	kernelsMutex.RUnlock()
	if e != nil {
		return e
	}
	kernelsMutex.Lock()
	defer kernelsMutex.Unlock()
	if e = kernels[name]; e == nil {
		e = &gpu.Embedded{Archive: archive, Name: name}
		kernels[name] = e
	}
	return e
}
