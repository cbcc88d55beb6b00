// Package cpu holds the targets of the CPU devices, whose code is the text of IR. With debug
// information, the text has the source and every instruction's location in it, so that a fault is
// reported where the user wrote it. A device in the same process can take the module instead
// (abi.InMemory).
package cpu

import (
	"bytes"
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// transcendental makes polynomials, with those that lower.Polynomials makes, of functions of
// angles and powers.
var transcendental = lower.Transcendental(op.Sin, op.Cos, op.Tan, op.Asin, op.Acos, op.Atan, op.Atan2, op.Sinh, op.Cosh, op.Tanh,
	op.Asinh, op.Acosh, op.Atanh, op.Exp, op.Log, op.Pow, op.Ldexp, op.FrexpSignificand, op.FrexpExponent)

var unrolled = []*opt.Pass{&opt.UnrollArrays}

// Target is the target of the CPU device. Its code is the IR that the machine level (codegen/mir)
// takes, so that loading it is lowering it. Functions are inlined, and accesses stay within their
// variables by code of their own. Vectors are scalars and pointers are addresses. Functions of
// angles and powers are polynomials, which give the same bits on every executor. Reads of texels
// need no code that keeps them inside: whatever executes them clamps coordinates, as the table of
// operations says. It has no limits of its own: what the vectorising executors lack, package interp
// executes.
var Target = codegen.Target{
	Name:         abi.CPU,
	Doc:          "IR text for the CPU device, one scalar at a time; it has no limits of its own",
	Names:        "with -g the whole source, and the position of each instruction in it, which reports show; without it names alone; with -strip they are letters with numbers",
	Extension:    ".ir",
	LargeBuffers: true,
	PackedTiles:  true,
	Handles:      "all types and formats, in `ir/texture`; multisampled textures run here only",
	Lower: []opt.Pass{
		ofTextures(opt.Unroll),
		ofTextures(opt.Simplify),
		// what the first makes of the iterations unrolled: texture_blur has 155 lines of IR, and
		// 192 without it
		ofTextures(opt.Simplify),
		opt.UnrollArrays, // arrays of lanes would be in memory
		opt.If(unrolled, opt.Simplify),
		opt.If(unrolled, opt.Sroa),
		opt.If(unrolled, opt.Mem2Reg),
		opt.If(unrolled, opt.Simplify),
		lower.FloatAtomics,       // ahead of the guards of accesses
		guard.Robustness,         // a byte address would have no bounds
		lower.VarForDynamicIndex, // the accesses that it makes are in bounds
		lower.Copies,             // ahead of scalarize, which would split large values
		lower.Scalarize,          // a lane is an invocation, not a component
		transcendental,           // there are no vectors any more
		lower.Polynomials,        // of what the line above made
		// makes shifts
		lower.Polyfill(op.Pack4x8Snorm, op.Pack4x8Unorm, op.Pack4xI8, op.Pack4xU8, op.Pack4xI8Clamp,
			op.Pack4xU8Clamp, op.Pack2x16Snorm, op.Pack2x16Unorm, op.Unpack4x8Snorm, op.Unpack4x8Unorm, op.Unpack4xI8,
			op.Unpack4xU8, op.Unpack2x16Snorm, op.Unpack2x16Unorm),
		// after all that makes divisions and shifts
		lower.DefineArithmetic(lower.GuardDivision | lower.GuardShift | lower.GuardBitField),
		lower.DecomposeAggregates, // from here on memory has no structure
		lower.LowerAccess,         // and accesses are byte addresses
		opt.Gvn,                   // addresses are new code with many equal values
		opt.Licm,
		opt.Dce,
	},
	InMemory:    true,
	Atomics:     scalar.Of(scalar.I32, scalar.U32, scalar.I64, scalar.U64, scalar.F16),
	Needs:       ir.Bound | ir.Rooted | ir.Addressed | ir.Spilled | ir.Scalar | ir.Robust | ir.Total | ir.Expanded,
	Coarse:      codegen.Unchecked,
	Unsupported: &none,
	Intrinsic:   refuseIntrinsic,
	Emit:        emit,
	Recognise:   recognise,
}

// none is what the target cannot express beside intrinsics.
var none [op.Count]string

// refuseIntrinsic is why the target does not have an intrinsic, or "".
func refuseIntrinsic(id op.IntrinsicID, _ *codegen.Profile) string {
	if id.Owner() != op.OfCPU {
		return codegen.NoIntrinsics
	}
	return ""
}

var unsupported = [op.Count]string{op.Intrinsic: codegen.NoIntrinsics}

// Checked is the target of the checked CPU device. That device reports what the source does, so the
// code is the source's. A pass that moves, merges or removes an access changes what there is to
// report. Functions of angles and powers are polynomials here, too, so that numbers are those of
// the CPU device bit by bit.
var Checked = codegen.Target{
	Name:         abi.Checked,
	Doc:          "IR text for the checked CPU device: the program as it is written, without the passes that make it faster",
	Names:        "as for the CPU device; what the checked device reports has positions with -g only",
	Extension:    ".checked.ir",
	LargeBuffers: true,
	Handles:      "as for the CPU device",
	AsWritten:    true,
	Atomics:      scalar.Of(scalar.I32, scalar.U32, scalar.I64, scalar.U64, scalar.F16, scalar.F32, scalar.F64),
	Needs:        ir.Bound,
	Lower:        []opt.Pass{trapped(guard.Robustness), trapped(lower.DefineArithmetic(lower.GuardIndex)), transcendental, lower.Polynomials},
	Unsupported:  &unsupported,
	Emit:         emit,
	Recognise:    recognise,
}

// ofTextures makes of a pass one that runs where there are operations on textures. Unrolled loops
// have constant counts and weights, and lowered operations on textures (package sampling) that
// differ by constants share most of their code.
func ofTextures(p opt.Pass) opt.Pass {
	run := p
	p.Gives, p.Transform = 0, nil
	p.Run = func(c *opt.Context, m *ir.Module) {
		for _, f := range m.Funcs {
			if f.Had(&textureOps) {
				run.Apply(c, m)
				return
			}
		}
	}
	return p
}

// textureOps are the operations on textures.
var textureOps = func() (ops op.Set) {
	for o := op.TextureSize; o <= op.TextureGatherCompare; o++ {
		ops.Add(o)
	}
	return ops
}()

// mark begins code that has no source in it.
const mark = "// IR written by gpuc: kernel "

// recognise tells code from modules that people write: it begins with its source or with the mark.
// It also knows listings of the machine code that package jit makes of it.
func recognise(contents []byte) bool {
	return bytes.HasPrefix(contents, []byte(`source "`)) || bytes.HasPrefix(contents, []byte(mark)) ||
		bytes.HasPrefix(contents, []byte("; machine code for x86-64-v3"))
}

// trapped makes of a pass one that runs in trap mode only. There the checks record
// what lies outside of its variable, and the device is not to report it again.
func trapped(p opt.Pass) opt.Pass {
	run := p
	p.Doc = "in trap mode, " + p.Doc
	p.Gives = 0
	p.Run = func(c *opt.Context, m *ir.Module) {
		if c.Bounds.Traps() {
			run.Apply(c, m)
		}
	}
	return p
}

func emit(e *codegen.Emission) []byte {
	b := opt.Scratch[[]byte](e.Context, "cpu")
	*b = (*b)[:0]
	if !e.Lines || e.Excerpt != nil {
		*b = append(append(append(*b, mark...), e.Kernel.Name...), '\n')
	}
	*b = e.Module.AppendText(*b, ir.PrintOptions{Spans: e.Lines, Excerpt: e.Excerpt})
	return slices.Clone(*b)
}
