package spirv

import (
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// floatControls are the execution modes of strict arithmetic, for each width of floats in a module.
// Subnormal values, infinities, NaN and the sign of zero stay, and results are rounded to nearest
// even. Drivers are free in all of that without them (SPV_KHR_float_controls). A device need not
// have each for each width, and a runtime leaves out what it lacks.
var floatControls = [...]struct{ capability, mode uint32 }{
	{grammar.CapabilityDenormPreserve, grammar.ExecutionModeDenormPreserve},
	{grammar.CapabilitySignedZeroInfNanPreserve, grammar.ExecutionModeSignedZeroInfNanPreserve},
	{grammar.CapabilityRoundingModeRTE, grammar.ExecutionModeRoundingModeRTE},
}

// floatControls declares the modes for the widths that the module has, and reports whether it has
// any.
func (w *emitter) floatControls(entry uint32) bool {
	any := false
	for _, k := range [...]scalar.Kind{scalar.F16, scalar.F32, scalar.F64} {
		if *slot(&w.valueTypes, uint32(k)) == 0 {
			continue
		}
		any = true
		for _, c := range floatControls {
			w.capability(c.capability)
			w.modes.op(grammar.OpExecutionMode, entry, c.mode, uint32(k.Bits()))
		}
	}
	return any
}

// fusedFlag returns the specialisation constant that says whether Fma of the device rounds once. It
// is 0 unless the runtime sets it, and drivers then leave out the device's own.
func (w *emitter) fusedFlag() uint32 {
	if w.fused == 0 {
		t := w.valueType(ir.U32)
		w.fused = w.id()
		w.globals.op(grammar.OpSpecConstant, t, w.fused, 0)
		w.decorate(w.fused, grammar.DecorationSpecId, abi.FusedConstant)
		w.name(w.fused, "fused")
	}
	return w.fused
}
