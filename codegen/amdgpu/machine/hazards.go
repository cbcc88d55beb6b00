package machine

import (
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file inserts s_nop between instructions with hazards that the hardware does not detect. The
// wait states are those of the manual of gfx942 ("Manually Inserted Wait States") and of LLVM
// (GCNHazardRecognizer). Each instruction is one wait state; s_nop n is n+1.

// Wait states that are needed between two instructions.
const (
	// a vector instruction writes a scalar register, and an access to memory reads it
	scalarToMemory = 5
	scalarToLane   = 4 // … v_readlane reads it as the index of the lane
	vccToQuotient  = 4 // … VCC, and v_div_fmas reads it
	scalarToVector = 2 // … another vector instruction reads it
	// a vector instruction writes a vector register, and v_readlane or v_readfirstlane reads it
	vectorToLane = 1
	slowToVector = 1 // a transcendental instruction writes a register, and another kind reads it
	// a store reads more than two words, and a vector instruction writes their registers
	storeToVector = 2
	// a vector instruction writes a vector register, and a matrix product reads it
	vectorToProduct = 2
	// a product of f64 is computed, and v_fma_f64 follows
	productToDouble = 2
	maxWaitStates   = 5
	// mostNops is the maximum of wait states of an s_nop
	mostNops = 16
)

// hazardState has for each register the time, in wait states, of the last write that can be a
// hazard.
type hazardState struct {
	now     int32
	scalars [128]int32 // by vector instructions
	vectors [256]int32 // by vector instructions
	slow    [256]int32 // by transcendental instructions
	stored  [256]int32 // the last read by a large store
	// products says that the code has matrix products, and the others are used
	products bool
	matrix   matrixState
}

// begin sets all times far back.
func (h *hazardState) begin() {
	h.each(func(x *int32) { *x = -maxWaitStates - 1 })
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
	if h.products {
		h.matrix.each(f)
	}
}

func (h *hazardState) issue(n int32) { h.now += n }

// normalise makes now 0.
func (h *hazardState) normalise() {
	h.each(func(x *int32) { *x = max(*x-h.now, -maxWaitStates-1) })
	h.now = 0
	if h.products {
		h.matrix.forget()
	}
}

// join merges the state of another path, and reports whether that changes h.
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
	if h.products && h.matrix.join(&o.matrix) {
		changed = true
	}
	return changed
}

// insertNops appends the s_nop that an instruction needs, and updates the state for it.
func (c *code) insertNops(w *waitState, i *instruction, out *[]instruction) {
	h := &w.hazards
	row := &operations[i.op]
	if c.target.hazards {
		if n := c.waitStates(h, i, row); n > 0 {
			h.issue(n)
			for ; n > 0 && out != nil; n -= mostNops {
				*out = append(*out, instruction{op: opNop, offset: min(n, mostNops) - 1})
			}
		}
	}
	h.now++
	if row.format == isa.MAI {
		c.multiply(h, i)
		return
	}
	vectorUnit := row.format.Vector()
	wide := row.effects&isa.Stores != 0 && (row.format == isa.Global || row.format == isa.Scratch)
	for k := range i.count {
		o := i.args[k]
		words := c.operandWords(i, int(k))
		for r := range words {
			at := int(o.number()) + r
			switch {
			case row.shape[k].source && wide && o.kind() == assignedVector && words > 2:
				h.stored[at] = h.now
			case row.shape[k].source || !vectorUnit:
			case o.kind() == assignedScalar:
				h.scalars[at] = h.now
			case transcendental[i.op]:
				h.slow[at], h.vectors[at] = h.now, h.now
			default:
				h.vectors[at] = h.now
				h.slow[at] = -maxWaitStates - 1
			}
		}
	}
}

// waitStates returns the wait states that an instruction needs.
func (c *code) waitStates(h *hazardState, i *instruction, row *operation) (needed int32) {
	after := func(written, distance int32) { needed = max(needed, distance-(h.now-written)) }
	memory := row.format == isa.Global || row.format == isa.Scratch || row.format == isa.MUBUF
	lane := i.op == isa.VReadlaneB32 || i.op == isa.VReadfirstlaneB32
	if h.products {
		needed = c.matrixWaitStates(h, i, row)
	}
	if !memory && !row.format.Vector() {
		return needed
	}
	for k := range i.count {
		o := i.args[k]
		source := row.shape[k].source
		for r := range c.operandWords(i, int(k)) {
			at := int(o.number()) + r
			switch {
			case o.kind() == assignedScalar && source && memory:
				after(h.scalars[at], scalarToMemory)
			case o.kind() == assignedScalar && source && lane:
				after(h.scalars[at], scalarToLane)
			case o.kind() == assignedScalar && source:
				after(h.scalars[at], scalarToVector)
			case o.kind() != assignedVector || memory:
			case source && lane:
				after(h.vectors[at], vectorToLane)
			case source && !transcendental[i.op]:
				after(h.slow[at], slowToVector)
			case !source:
				after(h.stored[at], storeToVector)
			}
		}
	}
	if lane { // of what a transcendental instruction wrote, too
		for k := range i.count {
			if o := i.args[k]; o.kind() == assignedVector && row.shape[k].source {
				after(h.slow[o.number()], slowToVector)
			}
		}
	}
	if row.effects&isa.ReadsVCC != 0 {
		after(max(h.scalars[vccNumber], h.scalars[vccNumber+1]), vccToQuotient)
	}
	return needed
}
