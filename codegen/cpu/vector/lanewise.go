package vector

import (
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
)

// This file executes what takes lanes one by one besides memory: operations on textures, and on
// parts of words.

// convert executes what makes values of parts of others, and parts of values.
func (w *worker) convert(code opcode, x *scalarOp) {
	if x.one {
		w.convertLane(code, x, 0)
		return
	}
	for n, mask := range w.run {
		for mask != 0 {
			w.convertLane(code, x, w.lane(n, &mask))
		}
	}
}

func (w *worker) convertLane(code opcode, x *scalarOp, lane int) {
	list := w.program.lists[x.list:]
	results, in := list[:x.results], list[x.results:x.results+x.operands]
	var parts [8]uint64
	for n, o := range in {
		parts[n] = w.get(o, lane)
	}
	switch code {
	case opJoin:
		width := x.kind.Bits() / len(in)
		joined := uint64(0)
		for n, part := range parts[:len(in)] {
			joined |= part << (n * width)
		}
		parts[0] = joined
	case opSplit:
		width, joined := x.kind.Bits()/len(results), parts[0]
		for n := range results {
			parts[n] = joined >> (n * width) & (1<<width - 1)
		}
	case opPack:
		parts[0] = eval.Pack(x.op, parts[:len(in)])
	case opUnpack:
		eval.Unpack(x.op, parts[0], parts[:len(results)])
	case opDot:
		if x.op == op.Dot4I8 {
			parts[0] = eval.Dot4I8(parts[0], parts[1])
		} else {
			parts[0] = eval.Dot4U8(parts[0], parts[1])
		}
	}
	for n, r := range results {
		w.put(r, lane, parts[n])
	}
}

// texture executes an operation on a texture, as package texture defines it.
func (w *worker) texture(t *textureOperation) {
	if t.one {
		w.textureLane(t, 0)
		return
	}
	for n, mask := range w.run {
		for mask != 0 {
			w.textureLane(t, w.lane(n, &mask))
		}
	}
}

// textureLane executes it in one lane.
func (w *worker) textureLane(t *textureOperation, lane int) {
	list := w.program.lists[t.list:]
	o := t.call.Operands()
	for n, x := range list[t.results:][:t.operands] {
		if slot := t.call.Slots[n]; slot != lower.NoSlot {
			o[slot] = w.get(x, lane)
		}
	}
	texel := t.call.Operation.Run(w.launch.handles, &o)
	for n, r := range list[:t.results] {
		w.put(r, lane, texel[n])
	}
}
