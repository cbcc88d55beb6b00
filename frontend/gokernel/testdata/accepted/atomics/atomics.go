// Package atomics has atomic accesses to what items share.
package atomics

import (
	"sync/atomic"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type counters struct {
	total int32
	bins  [4]uint32
}

func count(p *int32) int32 { return atomic.AddInt32(p, 1) }

//gpuc:kernel workgroup=64
func Atomics(it gpu.Item, s *counters, x []int32, u []uint32, c []counters) {
	i := it.LocalIndex()
	atomic.AddInt32(&x[0], 1)
	x[i] = atomic.AddInt32(&s.total, x[1])
	atomic.AddUint32(&s.bins[i&3], 1)
	u[0] = atomic.OrUint32(&u[1], 4)
	if atomic.CompareAndSwapInt32(&x[2], 1, 2) {
		atomic.StoreInt32(&x[3], 5)
	}
	gpu.AtomicMin(&x[4], 3)
	gpu.AtomicMax(&u[2], 7)
	count(&x[5])
	count(&c[1].total)
	it.Barrier()
	x[6] = atomic.LoadInt32(&s.total) + atomic.SwapInt32(&x[7], 1)
}
