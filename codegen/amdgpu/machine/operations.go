package machine

import (
	"strings"
	"sync"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file describes instructions to selection and allocation, from package isa's table: the words
// and register banks of operands, and which of them are results.

type opcode = isa.Op

// labelMark is a label, whose number is in offset.
const labelMark = isa.Ops

// operandShape describes an operand.
type operandShape struct {
	words  uint8 // 0 for a bit for each lane
	bank   uint8
	source bool // else a result
	free   bool // a source of a vector instruction that may be a scalar register or a constant, too
}

// operation describes an instruction.
type operation struct {
	format isa.Format
	// effects are what it reads and writes besides operands.
	effects isa.Effects
	results uint8 // operands that are results
	swaps   bool  // the first two sources may be swapped
	shape   []operandShape
}

// commutative are the instructions whose first two sources may be swapped.
var commutative = [...]opcode{isa.VAddF32, isa.VMulF32, isa.VMinF32, isa.VMaxF32, isa.VAddF16, isa.VMulF16, isa.VMinF16, isa.VMaxF16,
	isa.VMinI32, isa.VMaxI32, isa.VMinU32, isa.VMaxU32, isa.VAndB32, isa.VOrB32, isa.VXorB32, isa.VAddNcU32, isa.VAddCoU32, isa.VAddCoCiU32,
	isa.VMulLoU32, isa.VMulHiU32, isa.VMulHiI32, isa.VAddF64, isa.VMulF64, isa.VMinF64, isa.VMaxF64}

// Tables, most by opcode. To keep the start of a program fast, prepare fills them before the first
// compilation.
var (
	operations [isa.Ops + 1]operation
	// opcodes are by the mnemonic of gfx942.
	opcodes map[string]opcode
	// wave32Ops are what instructions on masks become in waves of 32.
	wave32Ops [isa.Ops + 1]opcode
	// transcendental are the instructions of the transcendental unit.
	transcendental [isa.Ops + 1]bool
	// compareOps are the comparisons, by operation and kind.
	compareOps [op.Count][scalar.Count]opcode
	// wideUnsigned and wideSigned are the 64-bit products of words.
	wideUnsigned, wideSigned template

	prepared sync.Once
)

func prepare() {
	prepared.Do(func() {
		describe()
		fillVariants()
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
	opcodes = map[string]opcode{}
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
			opcodes[name] = n
		}
	}
	for _, o := range commutative {
		operations[o].swaps = true
	}
}

// fillVariants fills wave32Ops and transcendental.
func fillVariants() {
	for n := range wave32Ops {
		wave32Ops[n] = opcode(n)
	}
	for _, pair := range [...][2]opcode{{isa.SMovB64, isa.SMovB32}, {isa.SNotB64, isa.SNotB32}, {isa.SAndB64, isa.SAndB32}, {isa.SOrB64, isa.SOrB32},
		{isa.SXorB64, isa.SXorB32}, {isa.SAndNot1B64, isa.SAndNot1B32}} {
		wave32Ops[pair[0]] = pair[1]
	}
	for _, o := range [...]opcode{isa.VExpF32, isa.VLogF32, isa.VRcpF32, isa.VRcpIflagF32, isa.VRsqF32, isa.VSqrtF32, isa.VSinF32, isa.VCosF32,
		isa.VRcpF64, isa.VRsqF64} {
		transcendental[o] = true
	}
}

// named returns the opcode of a mnemonic of gfx942, in which ? is the width of a mask.
func named(name string) opcode {
	o, ok := opcodes[strings.Replace(name, "?", "64", 1)]
	if !ok {
		panic("machine: there is no row for " + name)
	}
	return o
}
