package irgen

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// Subgroup operations on u32 and bool.

// coordinates adds the builtin values of subgroups and workgroups.
func (g *generator) coordinates() {
	for _, b := range []ir.Builtin{ir.SubgroupID, ir.SubgroupInvocationID, ir.SubgroupSize, ir.NumSubgroups, ir.WorkgroupIndex} {
		g.f.Builtins = append(g.f.Builtins, b)
		g.visible = append(g.visible, g.f.AddParam(g.f.Entry, ir.U32))
	}
}

// collective are all subgroup operations.
var collective = func() (list []op.Op) {
	for o := op.SubgroupElect; o <= op.QuadSwapDiagonal; o++ {
		list = append(list, o)
	}
	return list
}()

// frequent are subgroup operations with uniform results, which are generated more often.
var frequent = []op.Op{op.SubgroupAll, op.SubgroupAny, op.SubgroupAdd, op.SubgroupMin, op.SubgroupMax, op.SubgroupBroadcast, op.SubgroupBroadcastFirst}

// subgroup builds an operation of subgroups.
func (g *generator) subgroup() {
	o := collective[g.random.IntN(len(collective))]
	if g.chance(50) {
		o = frequent[g.random.IntN(len(frequent))]
	}
	var args []ir.Value
	switch s := op.SignatureOf(o); {
	case s.Count == 0:
	case o == op.SubgroupAll || o == op.SubgroupAny || o == op.SubgroupBallot:
		args = append(args, g.value(ir.Bool))
	default:
		args = append(args, g.value(ir.U32))
		switch {
		case o == op.SubgroupBroadcast || o == op.QuadBroadcast:
			args = append(args, g.m.ConstU32(uint32(g.random.IntN(4))))
		case s.Count == 2:
			args = append(args, g.value(ir.U32))
		}
	}
	g.add(g.b.Op(o, args...))
}
