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

// CUB is the library, compiled by nvcc from cub.cu in the folder testdata.
type CUB struct {
	library *dl.Library
	stream  *gpu.Stream
}

// CUBFile is the environment variable with a library that was compiled before.
const CUBFile = "GPUC_CUB"

// BuildCUB compiles CUB for the stream's device. folder has cub.cu.
func BuildCUB(s *gpu.Stream, folder string) (*CUB, error) {
	if file := os.Getenv(CUBFile); file != "" {
		library, err := dl.Open(file)
		return &CUB{library, s}, err
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
	file := filepath.Join(out, "cub.so")
	if err := gpubench.BuildLibrary(nvcc, folder, "cub", fmt.Sprintf("sm_%d", s.Device().Info().Profile), file); err != nil {
		return nil, err
	}
	library, err := dl.Open(file)
	return &CUB{library, s}, err
}

// Run enqueues a function of cub.cu for n elements.
func (c *CUB) Run(function string, n int, buffers ...gpu.Bound) error {
	at := c.library.Symbol(function)
	if at == 0 {
		return fmt.Errorf("cub.cu has no function %s", function)
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
