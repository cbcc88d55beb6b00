package ptx

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file prints the instructions of compute capability 9.0 that package op lists as intrinsics:
// asynchronous copies of tiles, barriers in workgroup memory, and products of a warpgroup. Those
// for fragments are in fragment.go.
//
// The sums of such products are variables whose parts are registers for the whole function, since
// an instruction that is under way writes them (PTX ISA, "Asynchronous warpgroup-level matrix
// instructions"). A move between two of them would have to wait for it.

// intrinsicTexts are the instructions. $0, $1… are the operands, and $L is a number that no other
// label has.
var intrinsicTexts = [op.IntrinsicCount]string{
	op.MBarrierInit:   "mbarrier.init.shared::cta.b64 [$0], $1",
	op.MBarrierExpect: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1",
	op.MBarrierArrive: "mbarrier.arrive.shared::cta.b64 _, [$0]",
	op.MBarrierWait: "{\n\t.reg .pred %q;\n$$wait$L:\n\tmbarrier.try_wait.parity.shared::cta.b64 %q, [$0], $1;\n\t" +
		"@!%q bra $$wait$L;\n\t}",
	op.MBarrierFence: "fence.mbarrier_init.release.cluster",
	op.AsyncFence:    "fence.proxy.async.shared::cta",
	op.TensorLoad: "{\n\t.reg .b64 %m;\n\tmov.b64 %m, tensorMap_$0;\n\tcvta.param.u64 %m, %m;\n\t" +
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$1], [%m, {$3, $4}], [$2];\n\t}",
	op.TensorLoadWindows: "{\n\t.reg .b64 %m;\n\t.reg .b16 %x;\n\t.reg .b16 %y;\n\tmov.b64 %m, tensorMap_$0;\n\tcvta.param.u64 %m, %m;\n\t" +
		"cvt.u16.u32 %x, $7;\n\tcvt.u16.u32 %y, $8;\n\t" +
		"cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [$1], [%m, {$3, $4, $5, $6}], [$2], {%x, %y};\n\t}",
	op.TensorStore: "{\n\t.reg .b64 %m;\n\tmov.b64 %m, tensorMap_$0;\n\tcvta.param.u64 %m, %m;\n\t" +
		"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%m, {$2, $3}], [$1];\n\t}",
	op.BulkCommit:     "cp.async.bulk.commit_group",
	op.BulkWait:       "cp.async.bulk.wait_group.read $0",
	op.BulkFinish:     "cp.async.bulk.wait_group $0",
	op.WgmmaFence:     "wgmma.fence.sync.aligned",
	op.WgmmaCommit:    "wgmma.commit_group.sync.aligned",
	op.WgmmaWait:      "wgmma.wait_group.sync.aligned $0",
	op.StoreMatrix:    "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4}",
	op.StorePair:      "st.shared.v2.b32 [$0], {$1, $2}",
	op.PackBFloat16:   "cvt.rn.bf16x2.f32 $d, $1, $0",
	op.NamedBarrier:   "bar.sync $0, $1",
	op.NamedArrive:    "bar.arrive $0, $1",
	op.WarpBarrier:    "bar.warp.sync -1",
	op.CopyAsync:      "cp.async.cg.shared.global [$0], [$1], 16, $2",
	op.CopyAsyncWhere: "@$2 cp.async.cg.shared.global [$0], [$1], 16, 16",
	op.CopyCommit:     "cp.async.commit_group",
	op.CopyWait:       "cp.async.wait_group $0",
	op.StoreWord:      "st.global.b32 [$0], $1",
	op.StoreWords:     "st.global.v2.b32 [$0], {$1, $2}",
	op.StoreDoubles:   "st.global.v2.b64 [$0], {$1, $2}",
}

// refuseIntrinsic is why a profile does not have an intrinsic. Those of NVIDIA are not checked,
// since only the lowering for the profile makes them.
func refuseIntrinsic(id op.IntrinsicID, _ *codegen.Profile) string {
	if id.Owner() != op.OfNVIDIA {
		return codegen.NoIntrinsics
	}
	return ""
}

// lowerIntrinsic lowers an intrinsic to the machine's operation with its number.
func (e *emitter) lowerIntrinsic(b *mir.Builder, i ir.Inst) {
	f := b.F
	id := op.IntrinsicID(f.Aux(i))
	if id == op.SharedAddress || id == op.GlobalAddress {
		b.Alias(f.Result(i), b.AddressOf(f.Arg(i, 0)))
		return
	}
	var args []mir.Operand
	variable := ir.NoValue
	for n, letter := range id.Info().Operands {
		if letter == 'p' {
			variable = f.Arg(i, n)
			continue
		}
		args = append(args, b.Slot(f.Arg(i, n)))
	}
	if variable == ir.NoValue {
		var results []mir.Operand
		if id.Info().Results != "" {
			results = b.Define(f.Result(i))
		}
		b.SetAux(b.Emit(intrinsic, scalar.U32, results, args...), uint32(id))
		return
	}
	b.SetAux(b.EmitOn(intrinsic, variable, args...), uint32(id))
}

// findRegistered finds the variables that are in registers.
func (e *emitter) findRegistered() {
	e.registered = grown(e.registered, len(e.f.Symbols))
	for _, b := range e.f.Order {
		for i := e.f.First(b); i != 0; i = e.f.Next(i) {
			if e.f.Op(i) == intrinsic && e.f.HasMemory(i) {
				e.registered[e.f.Memory(i).Symbol] = true
			}
		}
	}
}

// isRegistered reports whether a memory operand names a variable in registers.
func (e *emitter) isRegistered(m *mir.Memory) bool {
	return m.Space == ir.Private && m.Base == mir.NoOperand && e.registered[m.Symbol]
}

// part prints a part of a variable in registers, by its offset in words.
func (e *emitter) part(symbol uint32, n int64) {
	e.text("%s")
	e.number(int64(symbol))
	e.text("_")
	e.number(n)
}

// moveParts prints the load or store of parts of a variable in registers.
func (e *emitter) moveParts(m *mir.Memory, operands []mir.Operand, isLoad bool) {
	for n, o := range operands {
		e.text("\tmov.b32 ")
		if isLoad {
			e.name(o)
			e.text(", ")
		}
		e.part(m.Symbol, m.Offset/4+int64(n))
		if !isLoad {
			e.text(", ")
			e.bits(o)
		}
		e.text(";\n")
	}
}

// intrinsicInstruction prints an intrinsic.
func (e *emitter) intrinsicInstruction(i mir.Inst) {
	id, args := op.IntrinsicID(e.f.Aux(i)), e.f.Args(i)
	switch id {
	case op.Wgmma, op.WgmmaRegisters:
		e.wgmma(id, e.f.Memory(i).Symbol, args)
		return
	case op.SetRegisters:
		e.setsRegisters = true
		e.text("\tsetmaxnreg.", [...]string{"dec", "inc"}[e.f.Bits(args[0])], ".sync.aligned.u32 ")
		e.number(int64(e.f.Bits(args[1])))
		e.text(";\n")
		return
	case op.Resident:
		e.resident = e.f.Bits(args[0])
		return
	case op.MatrixF32, op.MatrixF16, op.MatrixI32, op.MatrixF64, op.MatrixWideF64:
		e.multiplyMatrices(i)
		return
	case op.LoadMatrix:
		e.loadMatrices(i)
		return
	case op.TensorLoad, op.TensorLoadWindows, op.TensorStore:
		e.usesMap(int(e.f.Bits(args[0])))
	case op.StoreMatrix, op.StoreDoubles, op.CopyAsyncWhere: // their operands are registers
		args = slices.Clone(args)
		for n := range args {
			args[n] = e.register(args[n])
		}
	case op.WgmmaFence:
		e.findFactors(i)
	}
	label := e.newLabel()
	e.text("\t")
	text := intrinsicTexts[id]
	for n := 0; n < len(text); n++ {
		if text[n] != '$' {
			e.body = append(e.body, text[n])
			continue
		}
		n++
		switch c := text[n]; c {
		case '$':
			e.body = append(e.body, c)
		case 'd':
			e.name(e.f.Result(i))
		case 'L':
			e.number(int64(e.labels) + int64(label))
		default:
			e.typed(args[c-'0'])
		}
	}
	if !strings.HasSuffix(text, "\n\t}") {
		e.text(";")
	}
	e.text("\n")
}

// findFactors puts constants into registers that products between a fence and the end of their
// group have as their first operand. Registers are written before the fence (PTX ISA, wgmma.fence).
func (e *emitter) findFactors(fence mir.Inst) {
	e.factors = e.factors[:0]
	is := func(i mir.Inst, id op.IntrinsicID) bool {
		return e.f.Op(i) == intrinsic && op.IntrinsicID(e.f.Aux(i)) == id
	}
	for i := e.f.Next(fence); i != 0 && !is(i, op.WgmmaCommit); i = e.f.Next(i) {
		if !is(i, op.WgmmaRegisters) {
			continue
		}
		for _, o := range e.f.Args(i)[firstFactor:][:factorCount] {
			if o.IsConst() && e.factor(o) == o {
				e.factors = append(e.factors, [2]mir.Operand{o, e.register(o)})
			}
		}
	}
}

// The registers of the first operand among the arguments of WgmmaRegisters.
const firstFactor, factorCount = 3, 4

// factor returns the register of a constant, or the operand itself.
func (e *emitter) factor(o mir.Operand) mir.Operand {
	for _, f := range e.factors {
		if f[0] == o {
			return f[1]
		}
	}
	return o
}

// usesMap notes that the kernel uses a tensor map.
func (e *emitter) usesMap(n int) {
	for len(e.maps) <= n {
		e.maps = append(e.maps, false)
	}
	e.maps[n] = true
}

// wgmmaTypes are the types of a product's operands, and whether there is a choice to transpose them
// (PTX ISA, wgmma.mma_async).
var wgmmaTypes = [...]struct {
	name       string
	depth      int
	transposes bool
	sum        string
}{
	{"f16.f16", 16, true, "f32"},
	{"bf16.bf16", 16, true, "f32"},
	{"e4m3.e4m3", 32, false, "f32"},
	{"e4m3.e5m2", 32, false, "f32"},
	{"e5m2.e4m3", 32, false, "f32"},
	{"e5m2.e5m2", 32, false, "f32"},
	{"s8.s8", 32, false, "s32"},
	{"s8.u8", 32, false, "s32"},
	{"u8.s8", 32, false, "s32"},
	{"u8.u8", 32, false, "s32"},
	{"tf32.tf32", 8, false, "f32"},
}

// wgmma prints a product of 64 rows.
func (e *emitter) wgmma(id op.IntrinsicID, symbol uint32, args []mir.Operand) {
	number := func(n int) int64 { return int64(e.f.Bits(args[n])) }
	first, row, columns := number(0), wgmmaTypes[number(1)], number(2)
	args = args[3:]
	last := len(args) - 1
	if id == op.Wgmma {
		last--
	}
	// what is added is chosen by a predicate, also if it is a constant
	add := e.register(args[last-1])
	e.text("\twgmma.mma_async.sync.aligned.m64n")
	e.number(columns)
	e.text("k")
	e.number(int64(row.depth))
	e.text(".", row.sum, ".", row.name, " {")
	for n := range columns / 2 {
		if n > 0 {
			e.text(", ")
		}
		e.part(symbol, first+n)
	}
	e.text("}, ")
	a := args[:last-2]
	if id == op.Wgmma {
		e.name(e.register(a[0]))
	} else {
		a = slices.Clone(a)
		for n := range a {
			a[n] = e.factor(a[n])
		}
		e.tuple(a)
	}
	e.text(", ")
	e.name(e.register(args[last-2]))
	e.text(", ")
	e.name(add)
	if row.sum == "f32" {
		e.text(", 1, 1")
	}
	if row.transposes {
		for n := range args[last:] {
			e.text(", ")
			e.number(int64(e.f.Bits(args[last+n])))
		}
	}
	e.text(";\n")
}
