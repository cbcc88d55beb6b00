package lower

import (
	"math"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file lowers operations on pointers to buffers (WGSL §17.14). The IR's view rounds offsets
// and sizes, and stays within the buffer.

// allBytes is the size of a view that ends with its buffer.
const allBytes = math.MaxUint32

// bufferView lowers bufferView and bufferArrayView.
func bufferView(l *Lowerer, _ *sem.Builtin, t ir.Type, args []ir.Value) ir.Value {
	offset, size := l.bytes(args[1]), l.m.ConstU32(allBytes)
	if len(args) > 2 {
		size = l.bytes(args[2])
	}
	return l.b.Emit(op.View, t, 0, args[0], offset, size)
}

// bytes returns an offset or size as u32. A negative one becomes large, so it is outside every
// buffer.
func (l *Lowerer) bytes(v ir.Value) ir.Value {
	if v.IsConst() {
		return l.m.ConstU32(uint32(l.m.ConstBits(v)))
	}
	return l.b.Bitcast(ir.U32, v)
}

// passed converts an argument to the type of its parameter. They differ only where a buffer is
// passed as a smaller one, or as one without a size.
func (l *Lowerer) passed(v ir.Value, t ir.Type) ir.Value {
	if l.f.TypeOf(v) == t {
		return v
	}
	return l.b.Emit(op.View, t, 0, v, l.m.ConstU32(0), l.m.ConstU32(allBytes))
}
