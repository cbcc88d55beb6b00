package gokernel

import (
	"golang.org/x/tools/go/ssa"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the functions and methods of gpu.Float16, which are operations on f16.

// addFloat16 adds them to a table of intrinsics.
func addFloat16(table map[string]intrinsic) {
	table[gpuPath+".ToFloat16"] = func(f *frame, args []operand, _ *ssa.Call) operand {
		return made(f.t.b.Convert(scalar.F16, args[0].value))
	}
	table[gpuPath+".Float16FromBits"] = func(f *frame, args []operand, _ *ssa.Call) operand {
		b := &f.t.b
		pair := b.Bitcast(f.t.m.VectorOf(ir.F16, 2), b.Convert(scalar.U32, args[0].value))
		return made(b.Extract(pair, 0))
	}
	method := func(name string, i intrinsic) { table["("+gpuPath+".Float16)."+name] = i }
	method("Bits", func(f *frame, args []operand, _ *ssa.Call) operand {
		b := &f.t.b
		pair := b.Construct(f.t.m.VectorOf(ir.F16, 2), args[0].value, f.t.m.Zero(ir.F16))
		return made(b.Convert(scalar.U16, b.Bitcast(ir.U32, pair)))
	})
	method("Float32", func(f *frame, args []operand, _ *ssa.Call) operand {
		return made(f.t.b.Convert(scalar.F32, args[0].value))
	})
	for name, o := range map[string]op.Op{
		"Add": op.Add, "Sub": op.Sub, "Mul": op.Mul, "Div": op.Div, "FMA": op.Fma, "Neg": op.Neg, "Abs": op.Abs,
		"Sqrt": op.Sqrt, "Min": op.Min, "Max": op.Max, "Less": op.Lt, "LessEqual": op.Le, "Equal": op.Eq,
	} {
		method(name, operation(o))
	}
}
