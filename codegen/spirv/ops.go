package spirv

import (
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// row says how an operation is written: by one instruction, which depends on
// the scalar kind of its first operand, or by a function.
type row struct {
	// signed, unsigned, float and boolean are opcodes, or with extended numbers
	// of GLSL.std.450. 0 means that the operation does not exist on the kind.
	signed, unsigned, float, boolean uint32

	extended bool
	// rounded operations on floats may be fused with others by a driver unless
	// they are decorated with NoContraction.
	rounded bool
	// polyfill has the operation replaced by the legaliser polyfill.
	polyfill bool
	emit     func(*emitter, ir.Inst)
}

// The shapes that most rows have.
func numeric(signed, unsigned, float uint32) row {
	return row{signed: signed, unsigned: unsigned, float: float}
}
func rounding(integer, float uint32) row {
	return row{signed: integer, unsigned: integer, float: float, rounded: true}
}
func integer(opcode uint32) row { return row{signed: opcode, unsigned: opcode} }
func bitwise(integer, logic uint32) row {
	return row{signed: integer, unsigned: integer, boolean: logic}
}
func glsl(number uint32) row {
	return row{signed: number, unsigned: number, float: number, extended: true}
}
func glslNumeric(signed, unsigned, float uint32) row {
	return row{signed: signed, unsigned: unsigned, float: float, extended: true}
}
func special(f func(*emitter, ir.Inst)) row { return row{emit: f} }

// legalised marks operations that no module has when it is emitted: a legaliser
// has replaced them by others, and the reason says which.
func legalised(reason string) row {
	return row{emit: func(w *emitter, i ir.Inst) { w.lacks(i, w.f.Op(i).String()+" "+reason) }}
}

// structural marks what control.go writes.
var structural = row{emit: func(*emitter, ir.Inst) { panic("spirv: control is not an instruction") }}

var (
	// polyfilled is for what has no instruction. Ldexp, Frexp and the packing of GLSL.std.450 are
	// not used. Drivers are free in the rounding, or in what happens to subnormal values and large
	// exponents, where the IR is not.
	polyfilled   = row{polyfill: true, emit: legalised("is replaced by the legaliser polyfill").emit}
	heldElements = legalised("is of arrays, which such fragments become")
	narrow       = "of a 64-bit integer is replaced by the legaliser wide"
)

// Rows that functions of other rows use too.
var (
	addition       = rounding(grammar.OpIAdd, grammar.OpFAdd)
	subtraction    = rounding(grammar.OpISub, grammar.OpFSub)
	multiplication = rounding(grammar.OpIMul, grammar.OpFMul)
	minimum        = glslNumeric(grammar.GLSLSMin, grammar.GLSLUMin, grammar.GLSLFMin)
	maximum        = glslNumeric(grammar.GLSLSMax, grammar.GLSLUMax, grammar.GLSLFMax)
	unequal        = row{signed: grammar.OpINotEqual, unsigned: grammar.OpINotEqual, float: grammar.OpFUnordNotEqual, boolean: grammar.OpLogicalNotEqual}
)

// table has a row for every operation.
var table = [op.Count]row{
	op.Invalid: structural,

	// drivers make y - x of -(x - y), and regroup it, unless the negation is decorated like the
	// difference
	op.Neg:     {signed: grammar.OpSNegate, float: grammar.OpFNegate, rounded: true},
	op.Add:     addition,
	op.Sub:     subtraction,
	op.Mul:     multiplication,
	op.MulHigh: special(emitMulHigh),
	op.Div:     numeric(grammar.OpSDiv, grammar.OpUDiv, grammar.OpFDiv),
	op.Rem:     special(emitRem),
	op.Abs:     special(emitAbs),
	op.Min:     minimum,
	op.Max:     maximum,
	op.Clamp:   special(emitClamp),
	op.Sign:    glslNumeric(grammar.GLSLSSign, 0, grammar.GLSLFSign),
	op.Fma:     {float: grammar.GLSLFma, extended: true, rounded: true},

	op.Not:                bitwise(grammar.OpNot, grammar.OpLogicalNot),
	op.And:                bitwise(grammar.OpBitwiseAnd, grammar.OpLogicalAnd),
	op.Or:                 bitwise(grammar.OpBitwiseOr, grammar.OpLogicalOr),
	op.Xor:                bitwise(grammar.OpBitwiseXor, grammar.OpLogicalNotEqual),
	op.Shl:                integer(grammar.OpShiftLeftLogical),
	op.Shr:                numeric(grammar.OpShiftRightArithmetic, grammar.OpShiftRightLogical, 0),
	op.CountOneBits:       integer(grammar.OpBitCount),
	op.CountLeadingZeros:  polyfilled,
	op.CountTrailingZeros: polyfilled,
	op.FirstLeadingBit:    glslNumeric(grammar.GLSLFindSMsb, grammar.GLSLFindUMsb, 0),
	op.FirstTrailingBit:   glslNumeric(grammar.GLSLFindILsb, grammar.GLSLFindILsb, 0),
	op.ReverseBits:        integer(grammar.OpBitReverse),
	op.ExtractBits:        numeric(grammar.OpBitFieldSExtract, grammar.OpBitFieldUExtract, 0),
	op.InsertBits:         integer(grammar.OpBitFieldInsert),

	op.Eq:     {signed: grammar.OpIEqual, unsigned: grammar.OpIEqual, float: grammar.OpFOrdEqual, boolean: grammar.OpLogicalEqual},
	op.Ne:     unequal,
	op.Lt:     numeric(grammar.OpSLessThan, grammar.OpULessThan, grammar.OpFOrdLessThan),
	op.Le:     numeric(grammar.OpSLessThanEqual, grammar.OpULessThanEqual, grammar.OpFOrdLessThanEqual),
	op.Gt:     numeric(grammar.OpSGreaterThan, grammar.OpUGreaterThan, grammar.OpFOrdGreaterThan),
	op.Ge:     numeric(grammar.OpSGreaterThanEqual, grammar.OpUGreaterThanEqual, grammar.OpFOrdGreaterThanEqual),
	op.Select: special(emitSelect),
	op.All:    special(emitReduction),
	op.Any:    special(emitReduction),

	op.Floor:            glsl(grammar.GLSLFloor),
	op.Ceil:             glsl(grammar.GLSLCeil),
	op.Trunc:            glsl(grammar.GLSLTrunc),
	op.Round:            glsl(grammar.GLSLRoundEven),
	op.Fract:            glsl(grammar.GLSLFract),
	op.Sqrt:             glsl(grammar.GLSLSqrt),
	op.InverseSqrt:      glsl(grammar.GLSLInverseSqrt),
	op.Sin:              glsl(grammar.GLSLSin),
	op.Cos:              glsl(grammar.GLSLCos),
	op.Tan:              glsl(grammar.GLSLTan),
	op.Asin:             glsl(grammar.GLSLAsin),
	op.Acos:             glsl(grammar.GLSLAcos),
	op.Atan:             glsl(grammar.GLSLAtan),
	op.Atan2:            glsl(grammar.GLSLAtan2),
	op.Sinh:             glsl(grammar.GLSLSinh),
	op.Cosh:             glsl(grammar.GLSLCosh),
	op.Tanh:             glsl(grammar.GLSLTanh),
	op.Asinh:            glsl(grammar.GLSLAsinh),
	op.Acosh:            glsl(grammar.GLSLAcosh),
	op.Atanh:            glsl(grammar.GLSLAtanh),
	op.Exp:              glsl(grammar.GLSLExp),
	op.Exp2:             glsl(grammar.GLSLExp2),
	op.Log:              glsl(grammar.GLSLLog),
	op.Log2:             glsl(grammar.GLSLLog2),
	op.Pow:              glsl(grammar.GLSLPow),
	op.Ldexp:            polyfilled,
	op.FrexpSignificand: polyfilled,
	op.FrexpExponent:    polyfilled,
	op.QuantizeF16:      {float: grammar.OpQuantizeToF16},

	op.Dot:             special(emitDot),
	op.Dot4I8:          polyfilled,
	op.Dot4U8:          polyfilled,
	op.Pack4x8Snorm:    polyfilled,
	op.Pack4x8Unorm:    polyfilled,
	op.Pack4xI8:        polyfilled,
	op.Pack4xU8:        polyfilled,
	op.Pack4xI8Clamp:   polyfilled,
	op.Pack4xU8Clamp:   polyfilled,
	op.Pack2x16Snorm:   polyfilled,
	op.Pack2x16Unorm:   polyfilled,
	op.Pack2x16Float:   glsl(grammar.GLSLPackHalf2x16),
	op.Unpack4x8Snorm:  polyfilled,
	op.Unpack4x8Unorm:  polyfilled,
	op.Unpack4xI8:      polyfilled,
	op.Unpack4xU8:      polyfilled,
	op.Unpack2x16Snorm: polyfilled,
	op.Unpack2x16Unorm: polyfilled,
	op.Unpack2x16Float: glsl(grammar.GLSLUnpackHalf2x16),

	op.Convert:   special(emitConvert),
	op.Bitcast:   special(emitBitcast),
	op.Splat:     special(emitSplat),
	op.Construct: special(emitConstruct),
	op.Extract:   special(emitExtract),
	op.Insert:    special(emitInsert),
	op.Shuffle:   special(emitShuffle),

	op.Var:                   special(emitVar),
	op.Access:                special(emitAccess),
	op.Print:                 legalised("messages become writes to a buffer, or nothing, before the passes"),
	op.View:                  legalised("views of buffers become accesses before the passes"),
	op.Intrinsic:             special(emitIntrinsic),
	op.FragmentLoad:          special(emitFragmentLoad),
	op.FragmentStore:         special(emitFragmentStore),
	op.FragmentSplat:         special(emitFragmentSplat),
	op.FragmentMulAdd:        special(emitFragmentMulAdd),
	op.FragmentAdd:           special(emitFragmentElements),
	op.FragmentSub:           special(emitFragmentElements),
	op.FragmentMul:           special(emitFragmentElements),
	op.FragmentCount:         heldElements,
	op.FragmentRow:           heldElements,
	op.FragmentColumn:        heldElements,
	op.FragmentGet:           heldElements,
	op.FragmentSet:           heldElements,
	op.Address:               legalised("needs physical addresses"),
	op.Load:                  special(emitLoad),
	op.Store:                 special(emitStore),
	op.Copy:                  special(emitCopy),
	op.ArrayLength:           special(emitArrayLength),
	op.AtomicLoad:            special(emitAtomicLoad),
	op.AtomicStore:           special(emitAtomicStore),
	op.AtomicReadModifyWrite: special(emitAtomicReadModifyWrite),
	op.AtomicCompareExchange: special(emitAtomicCompareExchange),

	op.TextureSize:           special(emitTextureSize),
	op.TextureLayers:         special(emitTextureLayers),
	op.TextureLevels:         special(emitTextureLevels),
	op.TextureSamples:        special(emitTextureSamples),
	op.TextureLoad:           special(emitTextureLoad),
	op.TextureRead:           special(emitTextureLoad),
	op.TextureStore:          special(emitTextureStore),
	op.TextureSample:         special(emitTextureSample),
	op.TextureSampleGradient: special(emitTextureSample),
	op.TextureSampleCompare:  special(emitTextureSample),
	op.TextureGather:         special(emitTextureSample),
	op.TextureGatherCompare:  special(emitTextureSample),

	op.ControlBarrier:         special(emitBarrier),
	op.SubgroupElect:          special(emitSubgroup),
	op.SubgroupAll:            special(emitSubgroup),
	op.SubgroupAny:            special(emitSubgroup),
	op.SubgroupBallot:         special(emitSubgroup),
	op.SubgroupBroadcast:      special(emitSubgroup),
	op.SubgroupBroadcastFirst: special(emitSubgroup),
	op.SubgroupShuffle:        special(emitSubgroup),
	op.SubgroupShuffleXor:     special(emitSubgroup),
	op.SubgroupShuffleUp:      special(emitSubgroup),
	op.SubgroupShuffleDown:    special(emitSubgroup),
	op.SubgroupAdd:            special(emitSubgroup),
	op.SubgroupMul:            special(emitSubgroup),
	op.SubgroupMin:            special(emitSubgroup),
	op.SubgroupMax:            special(emitSubgroup),
	op.SubgroupAnd:            special(emitSubgroup),
	op.SubgroupOr:             special(emitSubgroup),
	op.SubgroupXor:            special(emitSubgroup),
	op.SubgroupInclusiveAdd:   special(emitSubgroup),
	op.SubgroupInclusiveMul:   special(emitSubgroup),
	op.SubgroupExclusiveAdd:   special(emitSubgroup),
	op.SubgroupExclusiveMul:   special(emitSubgroup),
	op.QuadBroadcast:          special(emitSubgroup),
	op.QuadSwapX:              special(emitSubgroup),
	op.QuadSwapY:              special(emitSubgroup),
	op.QuadSwapDiagonal:       special(emitSubgroup),

	op.Call:        special(emitCall),
	op.If:          structural,
	op.Switch:      structural,
	op.Loop:        structural,
	op.Scope:       structural,
	op.Exit:        structural,
	op.Continue:    structural,
	op.Next:        structural,
	op.Return:      structural,
	op.Unreachable: structural,
}

// opcode returns what a row gives for a scalar kind.
func (r *row) opcode(k scalar.Kind) uint32 {
	switch {
	case k == scalar.Bool:
		return r.boolean
	case k.IsFloat():
		return r.float
	case k.IsSigned():
		return r.signed
	}
	return r.unsigned
}

// instruction writes an instruction that is no control flow.
func (w *emitter) instruction(i ir.Inst) {
	f := w.f
	r := &table[f.Op(i)]
	if r.emit != nil {
		r.emit(w, i)
		return
	}
	args := f.Args(i)
	k := w.m.ScalarOf(f.TypeOf(args[0]))
	opcode := r.opcode(k)
	if opcode == 0 || k.Bits() == 64 && narrowOnly(f.Op(i)) {
		w.lacks(i, f.Op(i).String()+" "+narrow)
		return
	}
	var ids [4]uint32
	for n, a := range args {
		ids[n] = w.value(a)
	}
	t, id := w.result(i)
	var start int
	if r.extended {
		start = w.body.begin(grammar.OpExtInst, t, id, w.glsl, opcode)
	} else {
		start = w.body.begin(opcode, t, id)
	}
	w.body.add(ids[:len(args)]...)
	w.body.end(start)
	// in strict modules what is marked as fast is an operation of lower.Exact, which no driver
	// may regroup either
	if r.rounded && (f.Flags(i)&(ir.Contract|ir.Fast) == 0 || w.e.Context.Math == opt.MathStrict) {
		w.exact(id, k)
	}
}

// narrowOnly reports whether an operation's instruction takes 32-bit integers
// only (Vulkan, VUID-StandaloneSpirv-Base-04781; GLSL.std.450 for the others).
func narrowOnly(o op.Op) bool {
	switch o {
	case op.CountOneBits, op.FirstLeadingBit, op.FirstTrailingBit, op.ReverseBits, op.ExtractBits, op.InsertBits:
		return true
	}
	return false
}
