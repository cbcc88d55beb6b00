// Package wgsl holds the target wgsl: WGSL for people to read, for browsers and other
// implementations of WebGPU. What it prints, frontend/wgsl reads back.
//
//	target.go    the target: what it needs, what it cannot express
//	module.go    directives, variables, functions
//	types.go     types, structures and their layouts
//	names.go     words that no name may be
//	expr.go      parts of values, constants that are hidden
//	constant.go  constants
//	ops.go       the table of operations
//	memory.go    loads, stores, atomics
//	texture.go   textures
//
// Package codegen/printer decides which expressions are nested or named, and writes control flow.
package wgsl

import (
	"bytes"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Target is the target wgsl. Implementations of WGSL keep accesses within their variables, zero
// workgroup memory, and define division, shifts and conversions as the IR does. So only exits are
// lowered, and mul_high, which WGSL lacks. The extension is not .wgsl alone: beside a source x.wgsl
// the code of x would have the source's name.
var Target = codegen.Target{
	Name:            abi.WGSL,
	Doc:             "WGSL for WebGPU, which people can read",
	Names:           "names of all that has one in the source, with -g and without it, and no lines; with -strip they are letters with numbers",
	Extension:       ".out.wgsl",
	Handles:         "all types and formats, as WGSL has them",
	WholeWorkgroups: true,
	LargeBuffers:    true,
	Silent:          "no runtime of WGSL reads messages",
	Lower:           []opt.Pass{lower.FloatAtomics, lower.Polyfill(op.MulHigh), lower.ScopeToIf, lower.LowerMultiLevelBreaks},
	Needs:           ir.Bound | ir.Rooted | ir.Structured | ir.Expanded | ir.SingleLevelExits,

	Kinds:       scalar.Of(scalar.Bool, scalar.I32, scalar.U32, scalar.F32, scalar.F16),
	Guaranteed:  codegen.Guarantee{Bytes: 16384, By: "WebGPU", Limit: "maxComputeWorkgroupStorageSize"},
	Unsupported: &unsupported,
	Emit:        emit,
	Recognise:   recognise,
}

// unsupported are the operations that WGSL has no form for.
var unsupported = [op.Count]string{
	op.Address:   "WGSL has no addresses in bytes",
	op.Print:     "messages are refused, or removed, before the passes",
	op.View:      "views of buffers become accesses before the passes",
	op.Intrinsic: codegen.NoIntrinsics,
}

// signature is the start of the code's first line.
const signature = "// WGSL written by gpuc"

// recognise recognises generated code by its first line.
func recognise(contents []byte) bool { return bytes.HasPrefix(contents, []byte(signature)) }
