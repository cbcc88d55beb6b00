package vector

import (
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file decides how many workgroups are executed at once. An instruction costs the same for few
// lanes as for some dozens. So workgroups that are small and have nothing in common but memory lie
// side by side in columns. What the invocations of one workgroup share is a column then.

// manyLanes is how many lanes there are together at most, and manyBytes what invocations have in
// memory of their own.
const (
	manyLanes = 256
	manyBytes = 1 << 15
)

// several returns how many workgroups of a kernel are executed at once at most. It is one if
// invocations have barriers, operations of subgroups, or compare-and-exchange. Of lanes that try to
// change one location at once, all but one fail and try again, so that twice as many take four
// times as long.
func several(p *lower.Program) int {
	count := int(manyLanes / p.Invocations())
	if p.PrivateBytes > 0 {
		count = min(count, int(manyBytes/(p.PrivateBytes*p.Invocations())))
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

// togetherOn returns how many workgroups of a launch are executed at once by so many workers. It is
// fewer if some workers would have nothing to do, and one if fuel is counted, which is that of a
// workgroup.
func (e *execution) togetherOn(workers int) uint64 {
	if e.fuel != 0 {
		return 1
	}
	return min(uint64(e.program.lanes/e.program.group), max(e.Total/uint64(4*max(workers, 1)), 1))
}
