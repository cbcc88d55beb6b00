package machine

import (
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file inserts pauses between instructions that hardware does not keep apart. The numbers of
// cycles are those of the manual of gfx942 ("Manually Inserted Wait States") as LLVM has them
// (GCNHazardRecognizer). Each instruction takes one, s_nop one more than its number.

// How far apart two instructions have to be: others are to stand in between.
const (
	// a vector instruction writes a scalar register, an access to memory reads it
	scalarToMemory = 5
	scalarToLane   = 4 // … v_readlane has it as the lane's number
	vccToQuotient  = 4 // … VCC, v_div_fmas
	scalarToVector = 2 // … another one reads it
	// a vector instruction writes a register of which v_readlane or v_readfirstlane reads a lane
	vectorToLane = 1
	slowToVector = 1 // a transcendental one writes a register that another one reads
	// more than two words are stored, and a vector instruction writes their registers
	storeToVector = 2
	longestPause  = 5
)

// hazardState has when registers were last written by what is slow to show it, in instructions that
// have been issued.
type hazardState struct {
	now     int32
	scalars [128]int32 // by vector instructions
	vectors [256]int32 // by vector instructions
	slow    [256]int32 // by transcendental ones
	stored  [256]int32 // not written but read, by large stores
}

// begin makes everything old.
func (h *hazardState) begin() {
	h.each(func(x *int32) { *x = -longestPause - 1 })
}

func (h *hazardState) each(f func(x *int32)) {
	for n := range h.scalars {
		f(&h.scalars[n])
	}
	for n := range h.vectors {
		f(&h.vectors[n])
		f(&h.slow[n])
		f(&h.stored[n])
	}
}

func (h *hazardState) issue(n int32) { h.now += n }

// normalise counts from here on.
func (h *hazardState) normalise() {
	h.each(func(x *int32) { *x = max(*x-h.now, -longestPause-1) })
	h.now = 0
}

// join takes the later of two ways.
func (h *hazardState) join(o *hazardState) (changed bool) {
	later := func(x *int32, y int32) {
		if y > *x {
			*x, changed = y, true
		}
	}
	for n := range h.scalars {
		later(&h.scalars[n], o.scalars[n])
	}
	for n := range h.vectors {
		later(&h.vectors[n], o.vectors[n])
		later(&h.slow[n], o.slow[n])
		later(&h.stored[n], o.stored[n])
	}
	return changed
}

// pause appends a pause if an instruction is too close to earlier ones, and notes what it writes
// itself.
func (c *code) pause(w *waitState, i *instruction, out *[]instruction) {
	h := &w.hazards
	row := &operations[i.op]
	if c.target.pauses {
		if n := c.pauseBefore(h, i, row); n > 0 {
			h.issue(n)
			if out != nil {
				*out = append(*out, instruction{op: opNop, offset: n - 1})
			}
		}
	}
	h.now++
	vectorUnit := row.format.Vector()
	wide := row.effects&isa.Stores != 0 && (row.format == isa.Global || row.format == isa.Scratch)
	for k := range i.count {
		o := i.args[k]
		words := c.operandWords(i, int(k))
		for r := range words {
			at := int(o.number()) + r
			switch {
			case row.shape[k].source && wide && o.kind() == vectorAt && words > 2:
				h.stored[at] = h.now
			case row.shape[k].source || !vectorUnit:
			case o.kind() == scalarAt:
				h.scalars[at] = h.now
			case transcendental[i.op]:
				h.slow[at], h.vectors[at] = h.now, h.now
			default:
				h.vectors[at] = h.now
				h.slow[at] = -longestPause - 1
			}
		}
	}
}

// pauseBefore returns how long an instruction has to pause.
func (c *code) pauseBefore(h *hazardState, i *instruction, row *operation) (pause int32) {
	apart := func(written, distance int32) { pause = max(pause, distance-(h.now-written)) }
	memory := row.format == isa.Global || row.format == isa.Scratch || row.format == isa.MUBUF
	lane := i.op == isa.VReadlaneB32 || i.op == isa.VReadfirstlaneB32
	if !memory && !row.format.Vector() {
		return 0
	}
	for k := range i.count {
		o := i.args[k]
		source := row.shape[k].source
		for r := range c.operandWords(i, int(k)) {
			at := int(o.number()) + r
			switch {
			case o.kind() == scalarAt && source && memory:
				apart(h.scalars[at], scalarToMemory)
			case o.kind() == scalarAt && source && lane:
				apart(h.scalars[at], scalarToLane)
			case o.kind() == scalarAt && source:
				apart(h.scalars[at], scalarToVector)
			case o.kind() != vectorAt || memory:
			case source && lane:
				apart(h.vectors[at], vectorToLane)
			case source && !transcendental[i.op]:
				apart(h.slow[at], slowToVector)
			case !source:
				apart(h.stored[at], storeToVector)
			}
		}
	}
	if lane { // of what a transcendental one wrote, too
		for k := range i.count {
			if o := i.args[k]; o.kind() == vectorAt && row.shape[k].source {
				apart(h.slow[o.number()], slowToVector)
			}
		}
	}
	if row.effects&isa.ReadsVCC != 0 {
		apart(max(h.scalars[vccNumber], h.scalars[vccNumber+1]), vccToQuotient)
	}
	return pause
}
