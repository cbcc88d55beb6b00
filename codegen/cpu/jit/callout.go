package jit

import (
	"encoding/binary"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file has Go execute operations that have no machine code, in the middle of a call: those on
// textures.
//
//	machine code                                       launch.go
//	operands and masks ─► request area of the context
//	return, as at a preemption point ────────────────► Call.run: each active lane
//	load the results ◄─────────────────────────────── resume
//
// One return serves all blocks of lanes that are executed together. The request area has a vector
// for each of these blocks and each of its columns. Column 0 is the masks of active lanes, the
// operands follow, and the results take the operands' columns.

// Call is an operation that Go executes.
type Call struct {
	lower.TextureCall
	// Operands are those that have a slot.
	Operands []CallOperand
	Results  int
	// Masked says that column 0 has masks; otherwise all lanes are active.
	Masked bool
	// Uniform says that all lanes of a block have the results of the first one.
	Uniform bool
}

// CallOperand is an operand of a Call: its slot, and the column that it is in, or its bits if it is
// a constant and the column is 0.
type CallOperand struct {
	Slot, Column uint8
	Bits         uint32
}

// requestAt returns the offset of a vector of the request area in the context.
func requestAt(bindings, together, column, block int) int {
	return requestBase(bindings) + 32*(column*together+block)
}

// requestBase is the offset of the request area, after the bindings.
func requestBase(bindings int) int { return (contextBindings + bindingBytes*bindings + 31) &^ 31 }

// callOut emits an operation that Go executes, for all blocks of lanes at once.
func (s *selector) callOut(i mir.Inst) {
	f := s.f
	c := Call{TextureCall: s.p.TextureCall(i), Results: len(f.Results(i))}
	c.Uniform = c.Results > 0 && !s.varies(f.Results(i)[0])
	at := func(column, u int) amd64.Address {
		s.requestColumns = max(s.requestColumns, column+1)
		return s.context(int32(requestAt(len(s.p.Bindings), len(s.sets), column, u)))
	}
	s.requestColumns = max(s.requestColumns, 1+c.Results)
	masks, masked := s.masks()
	c.Masked = masked
	column := 0
	for n, a := range f.Args(i) {
		switch {
		case c.Slots[n] == lower.NoSlot:
		case a.IsConst():
			c.Operands = append(c.Operands, CallOperand{Slot: c.Slots[n], Bits: uint32(f.Bits(a))})
		default:
			column++
			c.Operands = append(c.Operands, CallOperand{Slot: c.Slots[n], Column: uint8(column)})
			for u := range s.sets {
				s.use(u)
				s.store(amd64.VMovUPS, amd64.Wide, at(column, u), s.canonical(a, 0))
			}
		}
	}
	for u := range s.sets {
		if masked {
			s.store(amd64.VMovUPS, amd64.Wide, at(0, u), masks[u])
		}
	}
	s.calls = append(s.calls, c)
	s.setContext(contextCall, int64(len(s.calls)))
	p := preemptionPoint{cold: s.label(), back: s.label()}
	s.compareContext(contextCall, 0) // so that execution seems to go on here, too: see preempt.go
	s.jumpIf(amd64.NotEqual, p.cold)
	s.preemptions = append(s.preemptions, p)
	common := s.p.Subgroups && c.Results > 0 && !s.varies(f.Results(i)[0])
	for u := range s.sets {
		if s.use(u); u > 0 && common {
			s.share(i, 0)
			continue
		}
		var h homes
		s.beginResults(i, &h)
		for n, r := range f.Results(i) {
			if v := s.value(r); v.needs != 0 {
				s.load(amd64.VMovUPS, amd64.Wide, v.vector[0], at(n+1, u))
			}
		}
		s.endResults(i, &h)
	}
	s.use(0)
}

// run executes the operation for the active lanes. Request are the bytes of the request area.
func (c *Call) run(handles []texture.Handle, request []byte, together int) {
	o := c.TextureCall.Operands()
	for _, x := range c.Operands {
		o[x.Slot] = uint64(x.Bits)
	}
	for u := range together {
		for lane := range lanes {
			at := func(column int) []byte { return request[32*(column*together+u)+4*lane:] }
			if c.Masked && !c.Uniform && int32(binary.LittleEndian.Uint32(at(0))) >= 0 {
				continue
			}
			for _, x := range c.Operands {
				if x.Column > 0 {
					o[x.Slot] = uint64(binary.LittleEndian.Uint32(at(int(x.Column))))
				}
			}
			texel := c.Operation.Run(handles, &o)
			for n := range c.Results {
				binary.LittleEndian.PutUint32(at(n+1), uint32(texel[n]))
				if c.Uniform {
					for k := range lanes {
						binary.LittleEndian.PutUint32(at(n + 1)[4*k:], uint32(texel[n]))
					}
				}
			}
			if c.Uniform {
				break
			}
		}
	}
}
