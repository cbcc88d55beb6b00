package spirv

import (
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/legalize"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is the target spirv.
var Target = codegen.Target{
	Name:      abi.SPIRV,
	Doc:       "SPIR-V 1.3 binary for Vulkan 1.1 compute",
	Extension: ".spv",
	Legalize: []opt.Pass{
		legalize.RobustTextures,
		legalize.Robust,
		legalize.StandardUniforms,
		legalize.ZeroWorkgroup,
		legalize.SpillIndexed,
		legalize.Copies,
		legalize.Scratch,
		legalize.Tables,
		legalize.BulkCopies,
		legalize.WideHalf,
		polyfill,
		legalize.Totalise(legalize.GuardAll),
		legalize.Wide,
		legalize.Extremes,
		legalize.Opposites,
		legalize.WrappingLoops,
		legalize.Selectors,
		legalize.ConstantChains,
		legalize.Absent,
		legalize.StructExits,
	},
	Needs: ir.Bound | ir.Rooted | ir.Structured | ir.Robust | ir.ZeroedMemory | ir.Spilled | ir.Scratched | ir.Expanded | ir.Total |
		ir.Uncounted | ir.Unchained | ir.SingleLevelExits | ir.SingleSelectors,
	Unsupported: &unsupported,
	Emit:        emit,
	Assemble:    assemble,
}

// unsupported are the operations that no legaliser replaces.
var unsupported = [op.Count]string{
	op.Address: "buffers have no addresses in Vulkan 1.1",
	op.View:    "views of buffers become accesses before the passes",
}

// polyfill replaces the operations whose rows ask for it.
var polyfill = legalize.Polyfill(polyfills()...)

func polyfills() (ops []op.Op) {
	for o := range table {
		if table[o].polyfill {
			ops = append(ops, op.Op(o))
		}
	}
	return ops
}
