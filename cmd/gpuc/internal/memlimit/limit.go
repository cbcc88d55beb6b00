// Package memlimit bounds the memory of data that users ask for.
package memlimit

import (
	"unsafe"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

// Limit bounds the data of a run to half of the machine's memory: the device may be this machine,
// and needs as much again. So a wrong count is an error, and not an exhausted machine.
type Limit struct {
	Left uint64 // bytes that may still be taken
	all  uint64 // of the machine
}

// NewLimit returns the limit of this machine.
func NewLimit() *Limit {
	const unknown = 64 << 30 // taken for the memory if the system does not tell
	all := uint64(unknown)
	if infos, err := new(cpu.Driver).Devices(); err == nil && infos[0].Memory > 0 {
		all = infos[0].Memory
	}
	return &Limit{all / 2, all}
}

// Take takes n elements of size bytes for what a SPEC describes, or returns a *usage.Error.
func (r *Limit) Take(spec string, n, size uint64) error {
	if n > r.Left/size {
		return usage.Errorf("`%s` and what else is bound need more than half of this machine's memory of %.1f GiB; bind less", spec, float64(r.all)/(1<<30))
	}
	r.Left -= n * size
	return nil
}

// AlignedBytes returns zeroed memory that is aligned for atomics of 8 bytes.
func AlignedBytes(size uint64) []byte {
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
}
