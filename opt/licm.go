package opt

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt/analysis"
)

// Licm is loop-invariant code motion (LLVM's LICM). It moves values that do not change in a loop to
// before it, out of as many loops at once as the operands allow. Every pure operation is total, so
// it may be computed even if the loop would not have done so.
//
// A load moves if nothing in the loop changes its memory, and only if it is safe to execute it
// early. It is safe if the loop's first iteration surely executes it. It is also safe if robust
// access, which comes later, makes every address valid, and no other invocation can write there,
// which would be a data race. The promise that an access is in bounds may rest on a condition
// around it, so an access with that flag moves only from where it is surely executed. The checks of
// the trap mode are made before, and do not move.
var Licm = Pass{
	Name:      "licm",
	Doc:       "loop-invariant code motion: move values that no iteration changes to before the loop",
	Transform: func(c *Context, m *ir.Module) bool { return moveInvariants(c, m, false) },
}

// LicmOfPartial is Licm after lower.DefineArithmetic for machines on which a division by zero
// traps. A divisor that a condition proves not to be zero has no guard, so the division moves only
// from where it is surely executed.
func LicmOfPartial() Pass {
	p := Licm
	p.Transform = func(c *Context, m *ir.Module) bool { return moveInvariants(c, m, true) }
	return p
}

func moveInvariants(c *Context, m *ir.Module, partial bool) (moved bool) {
	h := Scratch[hoister](c, "licm")
	h.robust, h.partial, h.moved = c.Bounds != BoundsOff, partial, false
	for _, f := range m.Funcs {
		if f.Had(&loops) {
			h.run(f)
		}
	}
	return h.moved
}

var loops = op.SetOf(op.Loop)

// maxHoisted bounds the words of memory that are loaded ahead of a loop: they occupy registers for
// the loop.
const maxHoisted = 16

// wordsOf returns how many words a value has, more than maxHoisted if they are too many to count.
func wordsOf(m *ir.Module, t ir.Type) uint32 {
	if n, ok := m.Slots(t); ok {
		return n
	}
	return maxHoisted + 1
}

type hoister struct {
	f      *ir.Func
	memory analysis.Memory
	robust bool
	// partial says that divisions are only defined for the divisors that they meet.
	partial bool
	moved   bool // anything
	// loops are those around the current block, words how many words of memory have been loaded
	// ahead of each.
	loops []ir.Inst
	words []uint32
	// level is, by value, how many loops are around its definition.
	level []uint32
	// depth is, by control instruction, that of the block it is in.
	depth []int32
}

func (h *hoister) run(f *ir.Func) {
	h.f = f
	h.memory.Analyse(f)
	h.loops = h.loops[:0]
	h.level = ir.Zeroed(h.level, f.ValueCount())
	h.depth = ir.Zeroed(h.depth, f.InstCount())
	h.block(f.Entry, 0, 0)
}

// outermost is the depth of what a return leaves.
const outermost = -1

// block moves what it can. Sure is the least number of loops around a point from which its
// instructions are surely reached. The result is the depth of the outermost control instruction
// that a terminator inside names.
func (h *hoister) block(b ir.Block, depth int32, guaranteed int) (reach int32) {
	f := h.f
	reach = depth
	for _, p := range f.Params(b) {
		h.level[p] = uint32(len(h.loops))
	}
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		o := f.Op(i)
		switch {
		case o.Is(op.Control):
			if inner := h.control(i, depth, guaranteed); inner < depth {
				reach = min(reach, inner)
				guaranteed = len(h.loops) // what follows may be skipped
			}
			for _, r := range f.Results(i) {
				h.level[r] = uint32(len(h.loops))
			}
		case o == op.Return:
			reach = outermost
		case o == op.Exit || o == op.Continue || o == op.Next:
			reach = min(reach, h.depth[f.Target(i)])
		case o.Pure() || o == op.Load:
			level := h.hoist(i, guaranteed)
			h.level[f.Result(i)] = uint32(level)
		case f.Result(i) != 0:
			h.level[f.Result(i)] = uint32(len(h.loops))
		}
		i = next
	}
	return reach
}

func (h *hoister) control(i ir.Inst, depth int32, guaranteed int) (reach int32) {
	f := h.f
	h.depth[i] = depth
	switch f.Op(i) {
	case op.Loop:
		h.loops, h.words = append(h.loops, i), append(h.words, 0)
		reach = h.block(f.Region(i, 0), depth+1, guaranteed)
		reach = min(reach, h.block(f.Region(i, 1), depth+1, len(h.loops)))
		h.loops, h.words = h.loops[:len(h.loops)-1], h.words[:len(h.words)-1]
	case op.Scope:
		reach = h.block(f.Region(i, 0), depth+1, guaranteed)
	default:
		reach = depth
		for _, inner := range f.Blocks(i) {
			reach = min(reach, h.block(ir.Block(inner), depth+1, len(h.loops)))
		}
	}
	return reach
}

// hoist moves an instruction out of loops and returns how many are still around
// it.
func (h *hoister) hoist(i ir.Inst, guaranteed int) int {
	f := h.f
	level := len(h.loops)
	if level == 0 {
		return 0
	}
	lowest := 0
	for _, a := range f.Args(i) {
		if a.IsLocal() {
			lowest = max(lowest, int(h.level[a]))
		}
	}
	switch {
	case f.Op(i) == op.Load:
		class := h.memory.Class(f.Arg(i, 0))
		if !h.isSpeculatable(f.Arg(i, 0)) || h.memory.Races(class) {
			lowest = max(lowest, guaranteed)
		}
		words := wordsOf(f.Module, f.Type(i))
		for level > lowest && h.memory.Changes(h.loops[level-1])&class == 0 && h.words[level-1]+words <= maxHoisted {
			level--
		}
		for n := range h.words[level:] {
			h.words[level+n] += words
		}
	case f.Op(i) == op.Access && f.Flags(i)&ir.InBounds != 0:
		// the promise may rest on a condition around it
		level = min(level, max(lowest, guaranteed))
	case !h.robust && (f.Op(i) == op.TextureLoad || f.Op(i) == op.TextureSize):
		// of a texel, or a level, that may not be there
		level = min(level, max(lowest, guaranteed))
	case h.partial && mayTrap(f, i):
		level = min(level, max(lowest, guaranteed))
	default:
		level = lowest
	}
	if level < len(h.loops) {
		h.moved = true
		f.Unlink(i)
		f.InsertBefore(h.loops[level], i)
	}
	return level
}

// mayTrap reports whether an instruction is a quotient or remainder of integers that has no result
// for some operands.
func mayTrap(f *ir.Func, i ir.Inst) bool {
	if o := f.Op(i); o != op.Div && o != op.Rem || !f.Module.ScalarOf(f.Type(i)).IsInteger() {
		return false
	}
	by, constant := f.Module.ConstUint(f.Arg(i, 1))
	width := f.Module.ScalarOf(f.Type(i)).Bits()
	return !constant || by == 0 || by == 1<<width-1 // which is -1 of a signed type
}

// isSpeculatable reports whether loading from a pointer is safe wherever the pointer is visible.
// Every index on the way is constant and within its variable, or will be brought into range.
func (h *hoister) isSpeculatable(pointer ir.Value) bool {
	f := h.f
	for {
		i, ok := f.Def(pointer)
		if !ok {
			return pointer.IsGlobal()
		}
		switch f.Op(i) {
		case op.Var:
			return true
		case op.Access:
		default:
			return false
		}
		if !constantInBounds(f, i) && (!h.robust || f.Flags(i)&ir.InBounds != 0) {
			return false
		}
		pointer = f.Arg(i, 0)
	}
}

// constantInBounds reports whether all indices of an access are constant and less than the
// constant sizes of what they index.
func constantInBounds(f *ir.Func, access ir.Inst) bool {
	return indicesInBounds(f, f.Module.Element(f.TypeOf(f.Arg(access, 0))), f.Args(access)[1:])
}

// indicesInBounds reports whether all indices that lead into a type are constant and less than the
// constant sizes of what they index.
func indicesInBounds(f *ir.Func, t ir.Type, indices []ir.Value) bool {
	for _, index := range indices {
		x, constant := f.Module.ConstUint(index)
		if n, known := f.Module.Count(t); !constant || !known || x >= uint64(n) {
			return false
		}
		t = f.Module.PartType(t, uint32(x))
	}
	return true
}

// storesInBounds reports whether a store through a pointer surely happens where the pointer
// says, so that a load through it reads what was stored.
func storesInBounds(f *ir.Func, pointer ir.Value) bool {
	for {
		access, ok := f.Def(pointer)
		if !ok || f.Op(access) != op.Access {
			return true
		}
		if f.Flags(access)&ir.InBounds == 0 && !constantInBounds(f, access) {
			return false
		}
		pointer = f.Arg(access, 0)
	}
}
