package vector

import (
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file decides how many workgroups are executed at once. An instruction costs the same for few
// lanes as for some dozens. So workgroups that are small and have nothing in common but memory lie
// side by side in columns. What the invocations of one workgroup share is a column then.

// maxLanes is how many lanes there are together at most, and maxPrivateBytes what invocations have
// in
const (
	maxLanes        = 256
	maxPrivateBytes = 1 << 15
)

// groupsAtOnce returns how many workgroups of a kernel are executed at once at most. It is one if
func groupsAtOnce(p *lower.Program) int {
	count := int(maxLanes / p.Invocations())
	if p.PrivateBytes > 0 {
		count = min(count, int(maxPrivateBytes/(p.PrivateBytes*p.Invocations())))
	}
	if count < 2 || p.WorkgroupBytes > 0 {
		return 1
	}
	for _, b := range p.F.Order {
		for i := p.F.First(b); i != 0; i = p.F.Next(i) {
			switch o := p.F.Op(i); {
			case o == mir.Op(op.ControlBarrier), o == mir.Op(op.AtomicCompareExchange), lower.IsSubgroup(o):
				return 1
			}
		}
	}
	return count
}

// groupsOn returns how many workgroups of a launch are executed at once by so many workers. It is
func (e *execution) groupsOn(workers int) uint64 {
	if e.fuel != 0 {
		return 1
	}
	return min(uint64(e.program.lanes/e.program.group), max(e.Total/uint64(4*max(workers, 1)), 1))
}
