package extent

import "sync/atomic"

func addOne(n *uint32) { atomic.AddUint32(n, 1) }
