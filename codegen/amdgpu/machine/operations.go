package machine

import (
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file is what selection and allocation ask about instructions, by package isa's table: how
// many words operands have, where they may be, and which are results.

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

// operations are by number. Nothing is done when a program starts: prepare fills this, and all else
// that is read off tables, before the first compilation.
var (
	operations [isa.Ops + 1]operation
	// numbers are those of instructions by gfx942's names.
	numbers map[string]opcode
	// narrowed are the instructions that take the place of others where masks have 32 lanes.
	narrowed [isa.Ops + 1]opcode
	// transcendental are the instructions of the unit for such functions.
	transcendental [isa.Ops + 1]bool
	// compareOps are the comparisons by operation and kind.
	compareOps [op.Count][scalar.Count]opcode
	// wideUnsigned and wideSigned are products of words.
	wideUnsigned, wideSigned template

	prepared sync.Once
)

func prepare() {
	prepared.Do(func() {
		describe()
		replace()
		for o, c := range comparisons {
			if c.integer == "" {
				continue
			}
			for _, k := range [...]scalar.Kind{scalar.I32, scalar.U32, scalar.I64, scalar.U64} {
				compareOps[o][k] = named("v_cmp_" + c.integer + "_" + k.String())
			}
			for _, k := range [...]scalar.Kind{scalar.F16, scalar.F32, scalar.F64} {
				compareOps[o][k] = named("v_cmp_" + c.float + "_" + k.String())
			}
		}
		wideUnsigned, wideSigned = readTemplate("v_mad_u64_u32 $d, %0, $a, $b, 0"), readTemplate("v_mad_i64_i32 $d, %0, $a, $b, 0")
	})
}

// describe fills operations.
func describe() {
	numbers = map[string]opcode{}
	for n := range isa.Ops {
		o := &operations[n]
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
			numbers[name] = n
		}
	}
	for _, o := range commutative {
		operations[o].swaps = true
	}
}

// replace fills narrowed and transcendental.
func replace() {
	for n := range narrowed {
		narrowed[n] = opcode(n)
	}
	for _, pair := range [...][2]opcode{{isa.SMovB64, isa.SMovB32}, {isa.SNotB64, isa.SNotB32}, {isa.SAndB64, isa.SAndB32}, {isa.SOrB64, isa.SOrB32},
		{isa.SXorB64, isa.SXorB32}, {isa.SAndNot1B64, isa.SAndNot1B32}} {
		narrowed[pair[0]] = pair[1]
	}
	for _, o := range [...]opcode{isa.VExpF32, isa.VLogF32, isa.VRcpF32, isa.VRcpIflagF32, isa.VRsqF32, isa.VSqrtF32, isa.VSinF32, isa.VCosF32,
		isa.VRcpF64, isa.VRsqF64} {
		transcendental[o] = true
	}
}

// named returns the number of an instruction.
func named(name string) opcode {
	o, ok := numbers[strings.Replace(name, "?", "64", 1)]
	if !ok {
		panic("machine: there is no row for " + name)
	}
	return o
}
