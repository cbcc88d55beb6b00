package machine

import (
	"strings"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file is what selection and allocation ask about instructions, by package isa's table: how many words operands have, where they
// may be, and which are results.

type opcode = isa.Op

// labelMark is no instruction but a place in the code, whose number is in offset.
const labelMark = isa.Ops

// operandShape is what an operand is.
type operandShape struct {
	words  uint8 // 0 for a bit for each lane
	bank   uint8
	source bool // else a result
	free   bool // a source of a vector instruction that may also be a scalar register or a constant
}

// operation is an instruction.
type operation struct {
	format isa.Format
	// effects are what it reads and writes besides operands.
	effects isa.Effects
	results uint8 // operands that are results
	swaps   bool  // the first two sources may change places
	shape   []operandShape
}

// commutative are the instructions whose first two sources may change places.
var commutative = [...]opcode{isa.VAddF32, isa.VMulF32, isa.VMinF32, isa.VMaxF32, isa.VAddF16, isa.VMulF16, isa.VMinF16, isa.VMaxF16,
	isa.VMinI32, isa.VMaxI32, isa.VMinU32, isa.VMaxU32, isa.VAndB32, isa.VOrB32, isa.VXorB32, isa.VAddNcU32, isa.VAddCoU32, isa.VAddCoCiU32,
	isa.VMulLoU32, isa.VMulHiU32, isa.VMulHiI32, isa.VAddF64, isa.VMulF64, isa.VMinF64, isa.VMaxF64}

// operations are by number, and numbers those by gfx942's names.
var operations, numbers = func() (list [isa.Ops + 1]operation, byName map[string]opcode) {
	byName = map[string]opcode{}
	for n := range isa.Ops {
		o := &list[n]
		if o.format = n.Format(isa.GFX942); o.format == isa.Absent {
			o.format = n.Format(isa.GFX1100)
		}
		o.effects = n.Effects()
		for _, s := range n.Slots() {
			x := operandShape{words: uint8(s.Words(isa.GFX942)), source: !s.Written()}
			if s.Mask() {
				x.words = 0
			}
			if !s.Vector() {
				x.bank = scalars
			}
			x.free = x.source && s.Vector() && s.Inline()
			if o.shape = append(o.shape, x); !x.source {
				o.results++
			}
		}
		if name := n.Name(isa.GFX942); name != "" && !n.Returns() {
			byName[name] = n
		}
	}
	for _, o := range commutative {
		list[o].swaps = true
	}
	return list, byName
}()

// named returns the number of an instruction.
func named(name string) opcode {
	o, ok := numbers[strings.Replace(name, "?", "64", 1)]
	if !ok {
		panic("machine: there is no row for " + name)
	}
	return o
}

// narrowed are the instructions that take the place of others where masks have 32 lanes.
var narrowed = func() (list [isa.Ops + 1]opcode) {
	for n := range list {
		list[n] = opcode(n)
	}
	for _, pair := range [...][2]opcode{{isa.SMovB64, isa.SMovB32}, {isa.SNotB64, isa.SNotB32}, {isa.SAndB64, isa.SAndB32}, {isa.SOrB64, isa.SOrB32},
		{isa.SXorB64, isa.SXorB32}, {isa.SAndNot1B64, isa.SAndNot1B32}} {
		list[pair[0]] = pair[1]
	}
	return list
}()
