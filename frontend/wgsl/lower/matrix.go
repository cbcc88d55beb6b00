package lower

import (
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file lowers operations on subgroup matrices, the IR's fragments (extension
// chromium_experimental_subgroup_matrix).

// subgroupMatrix lowers a builtin function on subgroup matrices.
func subgroupMatrix(l *Lowerer, row *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	switch row.Op {
	case op.FragmentLoad, op.FragmentStore:
		last := len(args) - 1
		args[ir.FragmentOffset], args[last] = l.bytes(args[ir.FragmentOffset]), l.bytes(args[last])
		if row.Flags&sem.OrderTemplate != 0 { // they count elements of the array
			if row.Op == op.FragmentStore {
				t = l.f.TypeOf(args[ir.FragmentStored])
			}
			k, _, _ := l.m.FragmentShape(t)
			if n := l.m.Stride(l.m.Element(l.f.TypeOf(args[ir.FragmentArray]))) / uint32(k.Bytes()); n > 1 {
				args[ir.FragmentOffset] = l.b.Op(op.Mul, args[ir.FragmentOffset], l.m.ConstU32(n))
				args[last] = l.b.Op(op.Mul, args[last], l.m.ConstU32(n))
			}
			if row.Op == op.FragmentStore {
				t = ir.Void
			}
		}
	case op.FragmentMulAdd:
		if len(args) == 2 {
			return l.b.Emit(row.Op, t, 0, args[0], args[1], l.m.Zero(t))
		}
	default:
		args[1] = l.b.Emit(op.FragmentSplat, t, 0, args[1])
	}
	return l.b.Emit(row.Op, t, 0, args...)
}
