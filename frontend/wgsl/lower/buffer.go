package lower

import (
	"math"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file lowers what is done with pointers to buffers (WGSL §17.14). Rounding
// offsets and sizes, and keeping to the buffer, is what the IR's view does.

// allBytes is the size of a view that has no other end than its buffer's.
const allBytes = math.MaxUint32

// bufferView makes bufferView and bufferArrayView.
func bufferView(l *Lowerer, _ *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	offset, size := l.bytes(args[1]), l.m.ConstU32(allBytes)
	if len(args) > 2 {
		size = l.bytes(args[2])
	}
	return l.b.Emit(op.View, t, 0, args[0], offset, size)
}

// bytes returns an offset or size as u32. A negative one becomes a large one, and
// lies outside of every buffer.
func (l *Lowerer) bytes(v ir.Value) ir.Value {
	if v.IsConst() {
		return l.m.ConstU32(uint32(l.m.ConstBits(v)))
	}
	return l.b.Bitcast(ir.U32, v)
}

// passed returns an argument as a parameter's type. They differ only where a
// buffer passes for a smaller one, or for one without a size, which never makes
// it larger again.
func (l *Lowerer) passed(v ir.Value, t ir.Type) ir.Value {
	if l.f.TypeOf(v) == t {
		return v
	}
	return l.b.Emit(op.View, t, 0, v, l.m.ConstU32(0), l.m.ConstU32(allBytes))
}
