package vendorlib

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/gpuc/gpuc/internal/gpubench"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Wrapped is a library that has templates, or takes structures by value: functions of a CUDA file
// in the folder testdata call it, which nvcc compiles.
type Wrapped struct {
	library *dl.Library
	stream  *gpu.Stream
}

// Built is the environment variable with a folder that has cub.so and npp.so, compiled before.
const Built = "GPUC_VENDOR_BUILT"

// BuildCUB compiles CUB for the stream's device. folder has cub.cu.
func BuildCUB(s *gpu.Stream, folder string) (*Wrapped, error) { return build(s, folder, "cub") }

// BuildNPP compiles what calls NPP. folder has npp.cu.
func BuildNPP(s *gpu.Stream, folder string) (*Wrapped, error) {
	return build(s, folder, "npp", "-lnppig", "-lnppif", "-lnppc")
}

func build(s *gpu.Stream, folder, name string, libraries ...string) (*Wrapped, error) {
	if built := os.Getenv(Built); built != "" {
		library, err := dl.Open(filepath.Join(built, name+".so"))
		return &Wrapped{library, s}, err
	}
	nvcc, err := exec.LookPath("nvcc")
	if err != nil {
		nvcc = "/usr/local/cuda/bin/nvcc"
		if !isFile(nvcc) {
			return nil, errors.New("nvcc is neither on the path nor in /usr/local/cuda")
		}
	}
	out, err := os.MkdirTemp("", "gpuc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out) // the system keeps what is loaded
	file := filepath.Join(out, name+".so")
	if err := gpubench.BuildLibrary(nvcc, folder, name, fmt.Sprintf("sm_%d", s.Device().Info().Profile), file, libraries...); err != nil {
		return nil, err
	}
	library, err := dl.Open(file)
	return &Wrapped{library, s}, err
}

// Run enqueues a function of the file, for n elements, or an image of n rows and columns.
func (c *Wrapped) Run(function string, n int, buffers ...gpu.Bound) error {
	at := c.library.Symbol(function)
	if at == 0 {
		return fmt.Errorf("there is no function %s", function)
	}
	return c.stream.Enqueue(func(stream uintptr, addresses []uintptr) error {
		list := make([]byte, 0, 8*len(addresses))
		for _, a := range addresses {
			list = binary.NativeEndian.AppendUint64(list, uint64(a))
		}
		code := dl.Call3(at, stream, uintptr(dl.First(list)), uintptr(n))
		runtime.KeepAlive(list)
		return failed(function, code)
	}, buffers...)
}
