package memlimit

import (
	"unsafe"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

// Limit is how many bytes of data may still be made: half of the machine's memory
// in all, since the device may be this machine and needs as much again. It turns a
// slip in a count into a message.
type Limit struct{ Left, all uint64 }

func NewLimit() *Limit {
	const unknown = 64 << 30 // where the system does not tell
	all := uint64(unknown)
	if infos, err := new(cpu.Driver).Devices(); err == nil && infos[0].Memory > 0 {
		all = infos[0].Memory
	}
	return &Limit{all / 2, all}
}

// Take reserves n elements of size bytes.
func (r *Limit) Take(spec string, n, size uint64) error {
	if n > r.Left/size {
		return usage.Errorf("`%s` and what else is bound need more than half of this machine's memory of %.1f GiB; bind less", spec, float64(r.all)/(1<<30))
	}
	r.Left -= n * size
	return nil
}

// AlignedBytes makes zeroed memory at an address that suits atomics of 8 bytes.
func AlignedBytes(size uint64) []byte {
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
}
