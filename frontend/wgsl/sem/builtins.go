package sem

import (
	"github.com/gpuc/gpuc/frontend/wgsl/expand"
	"github.com/gpuc/gpuc/ir/op"
)

// This file is the table of WGSL's builtin functions and operators (WGSL §8, §17). A row is one
// overload, or a family of overloads that differ in a type parameter; the rows of a name are
// consecutive. Overload resolution, constant evaluation and lowering read the rows. A new builtin
// is a row here and, if it is not one IR operation, an expansion in package expand.
//
// # Signatures
//
//	T: float*; T, T -> T
//
// The type parameters with their classes come before the semicolon. The class `class` is a scalar,
// `class*` a scalar or a vector, and `a|b` lists scalar kinds. N, C, R and K are dimensions.
// Parameters and result follow:
//
//	T             the type parameter
//	kind(T)       T's shape with another scalar kind, or the kind of another parameter
//	f32           a scalar kind
//	vecN<T>       a vector of a type parameter or a scalar kind; also vec3<T>
//	matCxR<T>     a matrix; also mat2x3<T>, matNxN<T>
//	atomic<T>     pointer to an atomic in workgroup or storage memory
//	runtime       pointer to a runtime-sized array
//	buffer        pointer to a buffer
//	template      the template argument of the call, as in bitcast<u32>(x), with rules in
//	              check/call.go and check/buffer.go
//	view          pointer to the template argument, in the memory of the buffer
//	workgroup<…>  pointer to workgroup memory; the result `pointee` is its type
//	frexp(T)      the result structures of frexp, modf and
//	modf(T)       atomicCompareExchangeWeak
//	exchange(T)
//	shared<T>     pointer to an array in workgroup or storage memory
//	words<T>      the same, whose elements may also be vectors of T
//	subgroup_matrix<T>       a subgroup matrix of any use, whose elements are computed as T
//	subgroup_matrix_left<T, C, R>
//	                         one of a use, with C columns and R rows; its component type is T, or
//	                         the template argument
//	texture_a|texture_b<T>   textures of the shapes with the sampled type T
//	texture_storage_2d<read> storage textures that can be read (or written);
//	                         vec4<texel> is the type of their texels
//	tile<T, R, C>  a tile; also tile<f32, R, 1>, and tile<template, R, C> of the template argument
//	tile_view      the structure of this name
//	shared         pointer to an array, with rules in check/tile.go
//	callback       the name of a function, with which check/tile.go reads the other arguments

// BuiltinFlags are flags of a row.
type BuiltinFlags uint16

// The flags.
const (
	// Runtime builtins are not const-functions: a call is a run-time expression whatever its
	// arguments (WGSL §11.3).
	Runtime BuiltinFlags = 1 << iota
	// Droppable results may be ignored; all others must be used.
	Droppable
	// FragmentOnly and ComputeOnly restrict the stages that may call the builtin.
	FragmentOnly
	ComputeOnly
	// NeedsSubgroups builtins belong to the extension subgroups.
	NeedsSubgroups
	// ConstLane builtins need a const-expression as second argument, a lane or quad index.
	ConstLane
	// LaneLimit builtins need a second argument below 128, if it is constant.
	LaneLimit
	// Uniform builtins must be reached in uniform control flow (WGSL §15).
	Uniform
	// Operator rows are operators.
	Operator
	// NotVertex builtins cannot be used by vertex shaders.
	NotVertex
	// NeedsAtomicPair builtins belong to the extension atomic_vec2u_min_max.
	NeedsAtomicPair
	// NeedsTiles builtins belong to the extension gpuc_tile.
	NeedsTiles
	// NeedsSubgroupMatrix builtins belong to chromium_experimental_subgroup_matrix. Their arguments
	// must be uniform, too.
	NeedsSubgroupMatrix
	// OrderTemplate builtins have row_major or col_major as last template argument.
	OrderTemplate

	// SubgroupScoped builtins are reached by all invocations of a subgroup.
	SubgroupScoped = NeedsSubgroups | NeedsSubgroupMatrix
)

// Builtin is a row.
type Builtin struct {
	Name      string
	Signature string
	// Op is the IR operation and Aux its auxiliary value. If Expansion is None, its operands are
	// the arguments; expansions may use Op, too.
	Op        op.Op
	Aux       uint32
	Expansion expand.Expansion
	Flags     BuiltinFlags
}

// MaxParameters is the greatest number of parameters of a builtin.
const MaxParameters = 7

// Signatures of several rows.
const (
	unaryFloat     = "T: float*; T -> T"
	unaryNumber    = "T: number*; T -> T"
	binaryNumber   = "T: number*; T, T -> T"
	vectorScalar   = "T: number; vecN<T>, T -> vecN<T>"
	scalarVector   = "T: number; T, vecN<T> -> vecN<T>"
	matrixMatrix   = "T: float; matCxR<T>, matCxR<T> -> matCxR<T>"
	compareNumber  = "T: number*; T, T -> bool(T)"
	bitCount       = "T: i32|u32*; T -> T"
	atomicModify   = "T: i32|u32; atomic<T>, T -> T"
	subgroupNumber = "T: concrete*; T -> T"
	subgroupBits   = "T: i32|u32*; T -> T"
	subgroupDelta  = "T: concrete*; T, u32 -> T"
	subgroupLane   = "T: concrete*, I: i32|u32; T, I -> T"
	matrixScalar   = "T: concrete; subgroup_matrix<T>, T -> subgroup_matrix<T>"
	derivative     = "T: f32*; T -> T"
	tileRow        = "T: sampled; tile<T, R, C> -> tile<T, R, 1>"
	tileColumn     = "T: sampled; tile<T, R, C> -> tile<T, 1, C>"
)

const (
	subgroupFlags = Runtime | NeedsSubgroups | Uniform | NotVertex
	matrixFlags   = Runtime | NeedsSubgroupMatrix | Uniform | ComputeOnly
	atomicFlags   = Runtime | Droppable | NotVertex
	tileFlags     = Runtime | ComputeOnly | Uniform | NeedsTiles
)

// Builtins is the table, which is read-only. ExprInfo.Builtin indexes it; row 0 is none.
var Builtins = [...]Builtin{
	{},

	// operators (WGSL §8.6 to §8.9); lowering needs only their expansion
	{"+", binaryNumber, op.Add, 0, 0, Operator},
	{"+", vectorScalar, op.Add, 0, expand.Arithmetic, Operator},
	{"+", scalarVector, op.Add, 0, expand.Arithmetic, Operator},
	{"+", matrixMatrix, op.Add, 0, expand.Matrix, Operator},
	{"-", binaryNumber, op.Sub, 0, 0, Operator},
	{"-", vectorScalar, op.Sub, 0, expand.Arithmetic, Operator},
	{"-", scalarVector, op.Sub, 0, expand.Arithmetic, Operator},
	{"-", matrixMatrix, op.Sub, 0, expand.Matrix, Operator},
	{"*", binaryNumber, op.Mul, 0, 0, Operator},
	{"*", vectorScalar, op.Mul, 0, expand.Arithmetic, Operator},
	{"*", scalarVector, op.Mul, 0, expand.Arithmetic, Operator},
	{"*", "T: float; matCxR<T>, T -> matCxR<T>", op.Mul, 0, expand.Matrix, Operator},
	{"*", "T: float; T, matCxR<T> -> matCxR<T>", op.Mul, 0, expand.Matrix, Operator},
	{"*", "T: float; matCxR<T>, vecC<T> -> vecR<T>", op.Mul, 0, expand.Matrix, Operator},
	{"*", "T: float; vecR<T>, matCxR<T> -> vecC<T>", op.Mul, 0, expand.Matrix, Operator},
	{"*", "T: float; matKxR<T>, matCxK<T> -> matCxR<T>", op.Mul, 0, expand.Matrix, Operator},
	{"/", binaryNumber, op.Div, 0, 0, Operator},
	{"/", vectorScalar, op.Div, 0, expand.Arithmetic, Operator},
	{"/", scalarVector, op.Div, 0, expand.Arithmetic, Operator},
	{"%", binaryNumber, op.Rem, 0, 0, Operator},
	{"%", vectorScalar, op.Rem, 0, expand.Arithmetic, Operator},
	{"%", scalarVector, op.Rem, 0, expand.Arithmetic, Operator},
	{"&", "T: bool|integer*; T, T -> T", op.And, 0, 0, Operator},
	{"|", "T: bool|integer*; T, T -> T", op.Or, 0, 0, Operator},
	{"^", "T: integer*; T, T -> T", op.Xor, 0, 0, Operator},
	{"<<", "T: integer*; T, u32(T) -> T", op.Shl, 0, 0, Operator},
	{">>", "T: integer*; T, u32(T) -> T", op.Shr, 0, 0, Operator},
	{"==", "T: scalar*; T, T -> bool(T)", op.Eq, 0, 0, Operator},
	{"!=", "T: scalar*; T, T -> bool(T)", op.Ne, 0, 0, Operator},
	{"<", compareNumber, op.Lt, 0, 0, Operator},
	{"<=", compareNumber, op.Le, 0, 0, Operator},
	{">", compareNumber, op.Gt, 0, 0, Operator},
	{">=", compareNumber, op.Ge, 0, 0, Operator},
	{"&&", "bool, bool -> bool", op.And, 0, expand.ShortCircuit, Operator},
	{"||", "bool, bool -> bool", op.Or, 0, expand.ShortCircuit, Operator},
	{"unary -", "T: signed*; T -> T", op.Neg, 0, 0, Operator},
	{"unary !", "T: bool*; T -> T", op.Not, 0, 0, Operator},
	{"unary ~", "T: integer*; T -> T", op.Not, 0, 0, Operator},

	// bit reinterpretation, logic, arrays (WGSL §17.2 to §17.4)
	{"bitcast", "E: concrete*; E -> template", op.Bitcast, 0, 0, 0},
	{"all", "T: bool*; T -> bool", op.All, 0, 0, 0},
	{"any", "T: bool*; T -> bool", op.Any, 0, 0, 0},
	{"select", "T: scalar*; T, T, bool -> T", op.Select, 0, expand.Select, 0},
	{"select", "T: scalar; vecN<T>, vecN<T>, vecN<bool> -> vecN<T>", op.Select, 0, expand.Select, 0},
	{"arrayLength", "runtime -> u32", op.ArrayLength, 0, 0, Runtime},

	// views of buffers (WGSL §17.14)
	{"bufferView", "O: i32|u32; buffer, O -> view", op.View, 0, expand.View, Runtime},
	{"bufferArrayView", "O: i32|u32, S: i32|u32; buffer, O, S -> view", op.View, 0, expand.View, Runtime},
	{"bufferLength", "buffer -> u32", op.ArrayLength, 0, 0, Runtime},

	// numbers (WGSL §17.5)
	{"abs", unaryNumber, op.Abs, 0, 0, 0},
	{"acos", unaryFloat, op.Acos, 0, 0, 0},
	{"acosh", unaryFloat, op.Acosh, 0, 0, 0},
	{"asin", unaryFloat, op.Asin, 0, 0, 0},
	{"asinh", unaryFloat, op.Asinh, 0, 0, 0},
	{"atan", unaryFloat, op.Atan, 0, 0, 0},
	{"atanh", unaryFloat, op.Atanh, 0, 0, 0},
	{"atan2", "T: float*; T, T -> T", op.Atan2, 0, 0, 0},
	{"ceil", unaryFloat, op.Ceil, 0, 0, 0},
	{"clamp", "T: number*; T, T, T -> T", op.Clamp, 0, 0, 0},
	{"cos", unaryFloat, op.Cos, 0, 0, 0},
	{"cosh", unaryFloat, op.Cosh, 0, 0, 0},
	{"countLeadingZeros", bitCount, op.CountLeadingZeros, 0, 0, 0},
	{"countOneBits", bitCount, op.CountOneBits, 0, 0, 0},
	{"countTrailingZeros", bitCount, op.CountTrailingZeros, 0, 0, 0},
	{"cross", "T: float; vec3<T>, vec3<T> -> vec3<T>", op.Invalid, 0, expand.Cross, 0},
	{"degrees", unaryFloat, op.Mul, 0, expand.Degrees, 0},
	{"determinant", "T: float; matNxN<T> -> T", op.Invalid, 0, expand.Determinant, 0},
	{"distance", "T: float*; T, T -> element(T)", op.Invalid, 0, expand.Distance, 0},
	{"dot", "T: number; vecN<T>, vecN<T> -> T", op.Dot, 0, 0, 0},
	{"dot4U8Packed", "u32, u32 -> u32", op.Dot4U8, 0, 0, 0},
	{"dot4I8Packed", "u32, u32 -> i32", op.Dot4I8, 0, 0, 0},
	{"exp", unaryFloat, op.Exp, 0, 0, 0},
	{"exp2", unaryFloat, op.Exp2, 0, 0, 0},
	{"extractBits", "T: i32|u32*; T, u32, u32 -> T", op.ExtractBits, 0, 0, 0},
	{"faceForward", "T: float; vecN<T>, vecN<T>, vecN<T> -> vecN<T>", op.Invalid, 0, expand.FaceForward, 0},
	{"firstLeadingBit", bitCount, op.FirstLeadingBit, 0, 0, 0},
	{"firstTrailingBit", bitCount, op.FirstTrailingBit, 0, 0, 0},
	{"floor", unaryFloat, op.Floor, 0, 0, 0},
	{"fma", "T: float*; T, T, T -> T", op.Fma, 0, 0, 0},
	{"fract", unaryFloat, op.Fract, 0, 0, 0},
	{"frexp", "T: float*; T -> frexp(T)", op.FrexpSignificand, 0, expand.Frexp, 0},
	{"insertBits", "T: i32|u32*; T, T, u32, u32 -> T", op.InsertBits, 0, 0, 0},
	{"inverseSqrt", unaryFloat, op.InverseSqrt, 0, 0, 0},
	{"ldexp", "T: float*, I: abstract-int|i32; T, I(T) -> T", op.Ldexp, 0, 0, 0},
	{"length", "T: float*; T -> element(T)", op.Invalid, 0, expand.Length, 0},
	{"log", unaryFloat, op.Log, 0, 0, 0},
	{"log2", unaryFloat, op.Log2, 0, 0, 0},
	{"max", binaryNumber, op.Max, 0, 0, 0},
	{"min", binaryNumber, op.Min, 0, 0, 0},
	{"mix", "T: float*; T, T, T -> T", op.Invalid, 0, expand.Mix, 0},
	{"mix", "T: float; vecN<T>, vecN<T>, T -> vecN<T>", op.Invalid, 0, expand.Mix, 0},
	{"modf", "T: float*; T -> modf(T)", op.Trunc, 0, expand.Modf, 0},
	{"normalize", "T: float; vecN<T> -> vecN<T>", op.Invalid, 0, expand.Normalize, 0},
	{"pow", "T: float*; T, T -> T", op.Pow, 0, 0, 0},
	{"quantizeToF16", "T: f32*; T -> T", op.QuantizeF16, 0, 0, 0},
	{"radians", unaryFloat, op.Mul, 0, expand.Radians, 0},
	{"reflect", "T: float; vecN<T>, vecN<T> -> vecN<T>", op.Invalid, 0, expand.Reflect, 0},
	{"refract", "T: float; vecN<T>, vecN<T>, T -> vecN<T>", op.Invalid, 0, expand.Refract, 0},
	{"reverseBits", bitCount, op.ReverseBits, 0, 0, 0},
	{"round", unaryFloat, op.Round, 0, 0, 0},
	{"saturate", unaryFloat, op.Clamp, 0, expand.Saturate, 0},
	{"sign", "T: signed*; T -> T", op.Sign, 0, 0, 0},
	{"sin", unaryFloat, op.Sin, 0, 0, 0},
	{"sinh", unaryFloat, op.Sinh, 0, 0, 0},
	{"smoothstep", "T: float*; T, T, T -> T", op.Invalid, 0, expand.Smoothstep, 0},
	{"sqrt", unaryFloat, op.Sqrt, 0, 0, 0},
	{"step", "T: float*; T, T -> T", op.Invalid, 0, expand.Step, 0},
	{"tan", unaryFloat, op.Tan, 0, 0, 0},
	{"tanh", unaryFloat, op.Tanh, 0, 0, 0},
	{"transpose", "T: float; matCxR<T> -> matRxC<T>", op.Invalid, 0, expand.Transpose, 0},
	{"trunc", unaryFloat, op.Trunc, 0, 0, 0},

	// derivatives (WGSL §17.6)
	{"dpdx", derivative, op.Invalid, 0, expand.Derivative, Runtime | FragmentOnly | Uniform},
	{"dpdxCoarse", derivative, op.Invalid, 0, expand.Derivative, Runtime | FragmentOnly | Uniform},
	{"dpdxFine", derivative, op.Invalid, 0, expand.Derivative, Runtime | FragmentOnly | Uniform},
	{"dpdy", derivative, op.Invalid, 0, expand.Derivative, Runtime | FragmentOnly | Uniform},
	{"dpdyCoarse", derivative, op.Invalid, 0, expand.Derivative, Runtime | FragmentOnly | Uniform},
	{"dpdyFine", derivative, op.Invalid, 0, expand.Derivative, Runtime | FragmentOnly | Uniform},
	{"fwidth", derivative, op.Invalid, 0, expand.Derivative, Runtime | FragmentOnly | Uniform},
	{"fwidthCoarse", derivative, op.Invalid, 0, expand.Derivative, Runtime | FragmentOnly | Uniform},
	{"fwidthFine", derivative, op.Invalid, 0, expand.Derivative, Runtime | FragmentOnly | Uniform},

	// atomics (WGSL §17.8)
	{"atomicLoad", "T: i32|u32; atomic<T> -> T", op.AtomicLoad, 0, 0, atomicFlags},
	{"atomicStore", "T: i32|u32; atomic<T>, T ->", op.AtomicStore, 0, 0, atomicFlags},
	{"atomicAdd", atomicModify, op.AtomicReadModifyWrite, uint32(op.AtomicAdd), 0, atomicFlags},
	{"atomicSub", atomicModify, op.AtomicReadModifyWrite, uint32(op.AtomicSub), 0, atomicFlags},
	{"atomicMax", atomicModify, op.AtomicReadModifyWrite, uint32(op.AtomicMax), 0, atomicFlags},
	{"atomicMin", atomicModify, op.AtomicReadModifyWrite, uint32(op.AtomicMin), 0, atomicFlags},
	{"atomicAnd", atomicModify, op.AtomicReadModifyWrite, uint32(op.AtomicAnd), 0, atomicFlags},
	{"atomicOr", atomicModify, op.AtomicReadModifyWrite, uint32(op.AtomicOr), 0, atomicFlags},
	{"atomicXor", atomicModify, op.AtomicReadModifyWrite, uint32(op.AtomicXor), 0, atomicFlags},
	{"atomicExchange", atomicModify, op.AtomicReadModifyWrite, uint32(op.AtomicExchange), 0, atomicFlags},
	{"atomicCompareExchangeWeak", "T: i32|u32; atomic<T>, T, T -> exchange(T)", op.AtomicCompareExchange, 0, expand.CompareExchange, atomicFlags},
	{"atomicStoreMax", "atomic<vec2<u32>>, vec2<u32> ->", op.Invalid, 0, expand.AtomicPair, atomicFlags | NeedsAtomicPair},
	{"atomicStoreMin", "atomic<vec2<u32>>, vec2<u32> ->", op.Invalid, 0, expand.AtomicPair, atomicFlags | NeedsAtomicPair},

	// packing (WGSL §17.9, §17.10)
	{"pack4x8snorm", "vec4<f32> -> u32", op.Pack4x8Snorm, 0, 0, 0},
	{"pack4x8unorm", "vec4<f32> -> u32", op.Pack4x8Unorm, 0, 0, 0},
	{"pack4xI8", "vec4<i32> -> u32", op.Pack4xI8, 0, 0, 0},
	{"pack4xU8", "vec4<u32> -> u32", op.Pack4xU8, 0, 0, 0},
	{"pack4xI8Clamp", "vec4<i32> -> u32", op.Pack4xI8Clamp, 0, 0, 0},
	{"pack4xU8Clamp", "vec4<u32> -> u32", op.Pack4xU8Clamp, 0, 0, 0},
	{"pack2x16snorm", "vec2<f32> -> u32", op.Pack2x16Snorm, 0, 0, 0},
	{"pack2x16unorm", "vec2<f32> -> u32", op.Pack2x16Unorm, 0, 0, 0},
	{"pack2x16float", "vec2<f32> -> u32", op.Pack2x16Float, 0, 0, 0},
	{"unpack4x8snorm", "u32 -> vec4<f32>", op.Unpack4x8Snorm, 0, 0, 0},
	{"unpack4x8unorm", "u32 -> vec4<f32>", op.Unpack4x8Unorm, 0, 0, 0},
	{"unpack4xI8", "u32 -> vec4<i32>", op.Unpack4xI8, 0, 0, 0},
	{"unpack4xU8", "u32 -> vec4<u32>", op.Unpack4xU8, 0, 0, 0},
	{"unpack2x16snorm", "u32 -> vec2<f32>", op.Unpack2x16Snorm, 0, 0, 0},
	{"unpack2x16unorm", "u32 -> vec2<f32>", op.Unpack2x16Unorm, 0, 0, 0},
	{"unpack2x16float", "u32 -> vec2<f32>", op.Unpack2x16Float, 0, 0, 0},

	// synchronisation (WGSL §17.11)
	{"storageBarrier", "->", op.ControlBarrier, uint32(op.StorageMemory), 0, Runtime | ComputeOnly | Uniform},
	{"textureBarrier", "->", op.ControlBarrier, uint32(op.TextureMemory), 0, Runtime | ComputeOnly | Uniform},
	{"workgroupBarrier", "->", op.ControlBarrier, uint32(op.WorkgroupMemory), 0, Runtime | ComputeOnly | Uniform},
	{"workgroupUniformLoad", "workgroup -> pointee", op.Load, uint32(op.WorkgroupMemory), expand.UniformLoad, Runtime | ComputeOnly | Uniform},

	// tiles (extension gpuc_tile)
	{"tileLoad", "I: i32|u32, J: i32|u32; shared, tile_view, I, J -> template", op.TileLoad, 0, expand.TileMemory, tileFlags},
	{"tileStore", "I: i32|u32, J: i32|u32, T: concrete; shared, tile_view, I, J, tile<T, R, C> ->", op.TileStore, 0, expand.TileMemory, tileFlags},
	{"tileSplat", "E: concrete; E -> template", op.TileSplat, 0, 0, tileFlags},
	{"tileMulAdd", "tile<f32, R, K>, tile<f32, K, C>, tile<f32, R, C> -> tile<f32, R, C>", op.TileMulAdd, 0, 0, tileFlags},
	{"tileMulAdd", "tile<f16, R, K>, tile<f16, K, C>, tile<f32, R, C> -> tile<f32, R, C>", op.TileMulAdd, 0, 0, tileFlags},
	{"tileConvert", "E: concrete; tile<E, R, C> -> tile<template, R, C>", op.TileConvert, 0, 0, tileFlags},
	{"tileTranspose", "T: concrete; tile<T, R, C> -> tile<T, C, R>", op.TileTranspose, 0, 0, tileFlags},
	{"tileRowSum", tileRow, op.TileReduce, uint32(op.AtomicAdd), 0, tileFlags},
	{"tileRowMin", tileRow, op.TileReduce, uint32(op.AtomicMin), 0, tileFlags},
	{"tileRowMax", tileRow, op.TileReduce, uint32(op.AtomicMax), 0, tileFlags},
	{"tileColumnSum", tileColumn, op.TileReduce, uint32(op.AtomicAdd), 0, tileFlags},
	{"tileColumnMin", tileColumn, op.TileReduce, uint32(op.AtomicMin), 0, tileFlags},
	{"tileColumnMax", tileColumn, op.TileReduce, uint32(op.AtomicMax), 0, tileFlags},
	{"tileBroadcast", "E: concrete; tile<E, R, C> -> template", op.TileBroadcast, 0, 0, tileFlags},
	{"tileMap", "E: concrete, T: concrete; callback, tile<E, R, C> -> tile<T, R, C>", op.Invalid, 0, expand.TileMap, tileFlags},

	// subgroups and quads (WGSL §17.12, §17.13)
	{"subgroupAdd", subgroupNumber, op.SubgroupAdd, 0, 0, subgroupFlags},
	{"subgroupExclusiveAdd", subgroupNumber, op.SubgroupExclusiveAdd, 0, 0, subgroupFlags},
	{"subgroupInclusiveAdd", subgroupNumber, op.SubgroupInclusiveAdd, 0, 0, subgroupFlags},
	{"subgroupAll", "bool -> bool", op.SubgroupAll, 0, 0, subgroupFlags},
	{"subgroupAnd", subgroupBits, op.SubgroupAnd, 0, 0, subgroupFlags},
	{"subgroupAny", "bool -> bool", op.SubgroupAny, 0, 0, subgroupFlags},
	{"subgroupBallot", "bool -> vec4<u32>", op.SubgroupBallot, 0, 0, subgroupFlags},
	{"subgroupBroadcast", subgroupLane, op.SubgroupBroadcast, 0, 0, subgroupFlags | ConstLane | LaneLimit},
	{"subgroupBroadcastFirst", subgroupNumber, op.SubgroupBroadcastFirst, 0, 0, subgroupFlags},
	{"subgroupElect", "-> bool", op.SubgroupElect, 0, 0, subgroupFlags},
	{"subgroupMax", subgroupNumber, op.SubgroupMax, 0, 0, subgroupFlags},
	{"subgroupMin", subgroupNumber, op.SubgroupMin, 0, 0, subgroupFlags},
	{"subgroupMul", subgroupNumber, op.SubgroupMul, 0, 0, subgroupFlags},
	{"subgroupExclusiveMul", subgroupNumber, op.SubgroupExclusiveMul, 0, 0, subgroupFlags},
	{"subgroupInclusiveMul", subgroupNumber, op.SubgroupInclusiveMul, 0, 0, subgroupFlags},
	{"subgroupOr", subgroupBits, op.SubgroupOr, 0, 0, subgroupFlags},
	{"subgroupShuffle", subgroupLane, op.SubgroupShuffle, 0, 0, subgroupFlags | LaneLimit},
	{"subgroupShuffleDown", subgroupDelta, op.SubgroupShuffleDown, 0, 0, subgroupFlags | LaneLimit},
	{"subgroupShuffleUp", subgroupDelta, op.SubgroupShuffleUp, 0, 0, subgroupFlags | LaneLimit},
	{"subgroupShuffleXor", subgroupDelta, op.SubgroupShuffleXor, 0, 0, subgroupFlags | LaneLimit},
	{"subgroupXor", subgroupBits, op.SubgroupXor, 0, 0, subgroupFlags},
	{"quadBroadcast", subgroupLane, op.QuadBroadcast, 0, 0, subgroupFlags | ConstLane},
	{"quadSwapDiagonal", subgroupNumber, op.QuadSwapDiagonal, 0, 0, subgroupFlags},
	{"quadSwapX", subgroupNumber, op.QuadSwapX, 0, 0, subgroupFlags},
	{"quadSwapY", subgroupNumber, op.QuadSwapY, 0, 0, subgroupFlags},

	// subgroup matrices (extension chromium_experimental_subgroup_matrix)
	{"subgroupMatrixLoad", "E: concrete, O: i32|u32, S: i32|u32; shared<E>, O, bool, S -> template", op.FragmentLoad, 0, expand.SubgroupMatrix, matrixFlags},
	{"subgroupMatrixLoad", "W: concrete, O: i32|u32, S: i32|u32; words<W>, O, S -> template", op.FragmentLoad, 0, expand.SubgroupMatrix, matrixFlags | OrderTemplate},
	{"subgroupMatrixStore", "E: concrete, O: i32|u32, S: i32|u32; shared<E>, O, subgroup_matrix<E>, bool, S ->", op.FragmentStore, 0, expand.SubgroupMatrix, matrixFlags},
	{"subgroupMatrixStore", "W: concrete, E: concrete, O: i32|u32, S: i32|u32; words<W>, O, subgroup_matrix<E>, S ->", op.FragmentStore, 0, expand.SubgroupMatrix, matrixFlags | OrderTemplate},
	{"subgroupMatrixMultiply", "E: component; subgroup_matrix_left<E, K, R>, subgroup_matrix_right<E, C, K> -> subgroup_matrix_result<template, C, R>", op.FragmentMulAdd, 0, expand.SubgroupMatrix, matrixFlags},
	{"subgroupMatrixMultiplyAccumulate", "E: component, S: component; subgroup_matrix_left<E, K, R>, subgroup_matrix_right<E, C, K>, subgroup_matrix_result<S, C, R> -> subgroup_matrix_result<S, C, R>", op.FragmentMulAdd, 0, expand.SubgroupMatrix, matrixFlags},
	{"subgroupMatrixScalarAdd", matrixScalar, op.FragmentAdd, 0, expand.SubgroupMatrix, matrixFlags},
	{"subgroupMatrixScalarMultiply", matrixScalar, op.FragmentMul, 0, expand.SubgroupMatrix, matrixFlags},
	{"subgroupMatrixScalarSubtract", matrixScalar, op.FragmentSub, 0, expand.SubgroupMatrix, matrixFlags},

	// textures (WGSL §17.7)
	{"textureDimensions", "texture_1d|texture_storage_1d -> u32", op.TextureSize, 0, expand.Texture, Runtime},
	{"textureDimensions", "L: i32|u32; texture_1d, L -> u32", op.TextureSize, 0, expand.Texture, Runtime},
	{"textureDimensions", "texture_2d|texture_2d_array|texture_cube|texture_cube_array|texture_multisampled_2d|texture_depth_2d|texture_depth_2d_array|texture_depth_cube|texture_depth_cube_array|texture_depth_multisampled_2d|texture_storage_2d|texture_storage_2d_array|texture_external -> vec2<u32>", op.TextureSize, 0, expand.Texture, Runtime},
	{"textureDimensions", "L: i32|u32; texture_2d|texture_2d_array|texture_cube|texture_cube_array|texture_depth_2d|texture_depth_2d_array|texture_depth_cube|texture_depth_cube_array, L -> vec2<u32>", op.TextureSize, 0, expand.Texture, Runtime},
	{"textureDimensions", "texture_3d|texture_storage_3d -> vec3<u32>", op.TextureSize, 0, expand.Texture, Runtime},
	{"textureDimensions", "L: i32|u32; texture_3d, L -> vec3<u32>", op.TextureSize, 0, expand.Texture, Runtime},

	{"textureGather", "C: i32|u32, T: sampled; C, texture_2d<T>, sampler, vec2<f32> -> vec4<T>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "C: i32|u32, T: sampled; C, texture_2d<T>, sampler, vec2<f32>, vec2<i32> -> vec4<T>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "C: i32|u32, T: sampled, A: i32|u32; C, texture_2d_array<T>, sampler, vec2<f32>, A -> vec4<T>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "C: i32|u32, T: sampled, A: i32|u32; C, texture_2d_array<T>, sampler, vec2<f32>, A, vec2<i32> -> vec4<T>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "C: i32|u32, T: sampled; C, texture_cube<T>, sampler, vec3<f32> -> vec4<T>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "C: i32|u32, T: sampled, A: i32|u32; C, texture_cube_array<T>, sampler, vec3<f32>, A -> vec4<T>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "texture_depth_2d, sampler, vec2<f32> -> vec4<f32>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "texture_depth_2d, sampler, vec2<f32>, vec2<i32> -> vec4<f32>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "texture_depth_cube, sampler, vec3<f32> -> vec4<f32>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "A: i32|u32; texture_depth_2d_array, sampler, vec2<f32>, A -> vec4<f32>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "A: i32|u32; texture_depth_2d_array, sampler, vec2<f32>, A, vec2<i32> -> vec4<f32>", op.TextureGather, 0, expand.Texture, Runtime},
	{"textureGather", "A: i32|u32; texture_depth_cube_array, sampler, vec3<f32>, A -> vec4<f32>", op.TextureGather, 0, expand.Texture, Runtime},

	{"textureGatherCompare", "texture_depth_2d, sampler_comparison, vec2<f32>, f32 -> vec4<f32>", op.TextureGatherCompare, 0, expand.Texture, Runtime},
	{"textureGatherCompare", "texture_depth_2d, sampler_comparison, vec2<f32>, f32, vec2<i32> -> vec4<f32>", op.TextureGatherCompare, 0, expand.Texture, Runtime},
	{"textureGatherCompare", "A: i32|u32; texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32 -> vec4<f32>", op.TextureGatherCompare, 0, expand.Texture, Runtime},
	{"textureGatherCompare", "A: i32|u32; texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32, vec2<i32> -> vec4<f32>", op.TextureGatherCompare, 0, expand.Texture, Runtime},
	{"textureGatherCompare", "texture_depth_cube, sampler_comparison, vec3<f32>, f32 -> vec4<f32>", op.TextureGatherCompare, 0, expand.Texture, Runtime},
	{"textureGatherCompare", "A: i32|u32; texture_depth_cube_array, sampler_comparison, vec3<f32>, A, f32 -> vec4<f32>", op.TextureGatherCompare, 0, expand.Texture, Runtime},

	{"textureLoad", "T: sampled, C: i32|u32, L: i32|u32; texture_1d<T>, C, L -> vec4<T>", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "T: sampled, C: i32|u32, L: i32|u32; texture_2d|texture_multisampled_2d<T>, vec2<C>, L -> vec4<T>", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "T: sampled, C: i32|u32, A: i32|u32, L: i32|u32; texture_2d_array<T>, vec2<C>, A, L -> vec4<T>", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "T: sampled, C: i32|u32, L: i32|u32; texture_3d<T>, vec3<C>, L -> vec4<T>", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "C: i32|u32, L: i32|u32; texture_depth_2d|texture_depth_multisampled_2d, vec2<C>, L -> f32", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "C: i32|u32, A: i32|u32, L: i32|u32; texture_depth_2d_array, vec2<C>, A, L -> f32", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "C: i32|u32; texture_external, vec2<C> -> vec4<f32>", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "C: i32|u32; texture_storage_1d<read>, C -> vec4<texel>", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "C: i32|u32; texture_storage_2d<read>, vec2<C> -> vec4<texel>", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "C: i32|u32, A: i32|u32; texture_storage_2d_array<read>, vec2<C>, A -> vec4<texel>", op.TextureLoad, 0, expand.Texture, Runtime},
	{"textureLoad", "C: i32|u32; texture_storage_3d<read>, vec3<C> -> vec4<texel>", op.TextureLoad, 0, expand.Texture, Runtime},

	{"textureNumLayers", "texture_2d_array|texture_cube_array|texture_depth_2d_array|texture_depth_cube_array|texture_storage_2d_array -> u32", op.TextureLayers, 0, expand.Texture, Runtime},
	{"textureNumLevels", "texture_1d|texture_2d|texture_2d_array|texture_3d|texture_cube|texture_cube_array|texture_depth_2d|texture_depth_2d_array|texture_depth_cube|texture_depth_cube_array -> u32", op.TextureLevels, 0, expand.Texture, Runtime},
	{"textureNumSamples", "texture_multisampled_2d|texture_depth_multisampled_2d -> u32", op.TextureSamples, 0, expand.Texture, Runtime},

	{"textureSample", "texture_1d<f32>, sampler, f32 -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "texture_2d<f32>, sampler, vec2<f32> -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "texture_2d<f32>, sampler, vec2<f32>, vec2<i32> -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "A: i32|u32; texture_2d_array<f32>, sampler, vec2<f32>, A -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "A: i32|u32; texture_2d_array<f32>, sampler, vec2<f32>, A, vec2<i32> -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "texture_3d|texture_cube<f32>, sampler, vec3<f32> -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "texture_3d<f32>, sampler, vec3<f32>, vec3<i32> -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "A: i32|u32; texture_cube_array<f32>, sampler, vec3<f32>, A -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "texture_depth_2d, sampler, vec2<f32> -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "texture_depth_2d, sampler, vec2<f32>, vec2<i32> -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "A: i32|u32; texture_depth_2d_array, sampler, vec2<f32>, A -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "A: i32|u32; texture_depth_2d_array, sampler, vec2<f32>, A, vec2<i32> -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "texture_depth_cube, sampler, vec3<f32> -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSample", "A: i32|u32; texture_depth_cube_array, sampler, vec3<f32>, A -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},

	{"textureSampleBias", "texture_2d<f32>, sampler, vec2<f32>, f32 -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleBias", "texture_2d<f32>, sampler, vec2<f32>, f32, vec2<i32> -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleBias", "A: i32|u32; texture_2d_array<f32>, sampler, vec2<f32>, A, f32 -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleBias", "A: i32|u32; texture_2d_array<f32>, sampler, vec2<f32>, A, f32, vec2<i32> -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleBias", "texture_3d|texture_cube<f32>, sampler, vec3<f32>, f32 -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleBias", "texture_3d<f32>, sampler, vec3<f32>, f32, vec3<i32> -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleBias", "A: i32|u32; texture_cube_array<f32>, sampler, vec3<f32>, A, f32 -> vec4<f32>", op.Invalid, 0, expand.ImplicitSample, sampleFlags},

	{"textureSampleCompare", "texture_depth_2d, sampler_comparison, vec2<f32>, f32 -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleCompare", "texture_depth_2d, sampler_comparison, vec2<f32>, f32, vec2<i32> -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleCompare", "A: i32|u32; texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32 -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleCompare", "A: i32|u32; texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32, vec2<i32> -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleCompare", "texture_depth_cube, sampler_comparison, vec3<f32>, f32 -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},
	{"textureSampleCompare", "A: i32|u32; texture_depth_cube_array, sampler_comparison, vec3<f32>, A, f32 -> f32", op.Invalid, 0, expand.ImplicitSample, sampleFlags},

	{"textureSampleCompareLevel", "texture_depth_2d, sampler_comparison, vec2<f32>, f32 -> f32", op.TextureSampleCompare, 0, expand.Texture, Runtime},
	{"textureSampleCompareLevel", "texture_depth_2d, sampler_comparison, vec2<f32>, f32, vec2<i32> -> f32", op.TextureSampleCompare, 0, expand.Texture, Runtime},
	{"textureSampleCompareLevel", "A: i32|u32; texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32 -> f32", op.TextureSampleCompare, 0, expand.Texture, Runtime},
	{"textureSampleCompareLevel", "A: i32|u32; texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32, vec2<i32> -> f32", op.TextureSampleCompare, 0, expand.Texture, Runtime},
	{"textureSampleCompareLevel", "texture_depth_cube, sampler_comparison, vec3<f32>, f32 -> f32", op.TextureSampleCompare, 0, expand.Texture, Runtime},
	{"textureSampleCompareLevel", "A: i32|u32; texture_depth_cube_array, sampler_comparison, vec3<f32>, A, f32 -> f32", op.TextureSampleCompare, 0, expand.Texture, Runtime},

	{"textureSampleGrad", "texture_2d<f32>, sampler, vec2<f32>, vec2<f32>, vec2<f32> -> vec4<f32>", op.TextureSampleGradient, 0, expand.Texture, Runtime},
	{"textureSampleGrad", "texture_2d<f32>, sampler, vec2<f32>, vec2<f32>, vec2<f32>, vec2<i32> -> vec4<f32>", op.TextureSampleGradient, 0, expand.Texture, Runtime},
	{"textureSampleGrad", "A: i32|u32; texture_2d_array<f32>, sampler, vec2<f32>, A, vec2<f32>, vec2<f32> -> vec4<f32>", op.TextureSampleGradient, 0, expand.Texture, Runtime},
	{"textureSampleGrad", "A: i32|u32; texture_2d_array<f32>, sampler, vec2<f32>, A, vec2<f32>, vec2<f32>, vec2<i32> -> vec4<f32>", op.TextureSampleGradient, 0, expand.Texture, Runtime},
	{"textureSampleGrad", "texture_3d|texture_cube<f32>, sampler, vec3<f32>, vec3<f32>, vec3<f32> -> vec4<f32>", op.TextureSampleGradient, 0, expand.Texture, Runtime},
	{"textureSampleGrad", "texture_3d<f32>, sampler, vec3<f32>, vec3<f32>, vec3<f32>, vec3<i32> -> vec4<f32>", op.TextureSampleGradient, 0, expand.Texture, Runtime},
	{"textureSampleGrad", "A: i32|u32; texture_cube_array<f32>, sampler, vec3<f32>, A, vec3<f32>, vec3<f32> -> vec4<f32>", op.TextureSampleGradient, 0, expand.Texture, Runtime},

	{"textureSampleLevel", "texture_1d<f32>, sampler, f32, f32 -> vec4<f32>", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "texture_2d<f32>, sampler, vec2<f32>, f32 -> vec4<f32>", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "texture_2d<f32>, sampler, vec2<f32>, f32, vec2<i32> -> vec4<f32>", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "A: i32|u32; texture_2d_array<f32>, sampler, vec2<f32>, A, f32 -> vec4<f32>", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "A: i32|u32; texture_2d_array<f32>, sampler, vec2<f32>, A, f32, vec2<i32> -> vec4<f32>", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "texture_3d|texture_cube<f32>, sampler, vec3<f32>, f32 -> vec4<f32>", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "texture_3d<f32>, sampler, vec3<f32>, f32, vec3<i32> -> vec4<f32>", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "A: i32|u32; texture_cube_array<f32>, sampler, vec3<f32>, A, f32 -> vec4<f32>", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "L: i32|u32; texture_depth_2d, sampler, vec2<f32>, L -> f32", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "L: i32|u32; texture_depth_2d, sampler, vec2<f32>, L, vec2<i32> -> f32", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "A: i32|u32, L: i32|u32; texture_depth_2d_array, sampler, vec2<f32>, A, L -> f32", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "A: i32|u32, L: i32|u32; texture_depth_2d_array, sampler, vec2<f32>, A, L, vec2<i32> -> f32", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "L: i32|u32; texture_depth_cube, sampler, vec3<f32>, L -> f32", op.TextureSample, 0, expand.Texture, Runtime},
	{"textureSampleLevel", "A: i32|u32, L: i32|u32; texture_depth_cube_array, sampler, vec3<f32>, A, L -> f32", op.TextureSample, 0, expand.Texture, Runtime},

	{"textureSampleBaseClampToEdge", "texture_2d<f32>, sampler, vec2<f32> -> vec4<f32>", op.TextureSample, 0, expand.ClampedSample, Runtime},
	{"textureSampleBaseClampToEdge", "texture_external, sampler, vec2<f32> -> vec4<f32>", op.TextureSample, 0, expand.ClampedSample, Runtime},

	{"textureStore", "C: i32|u32; texture_storage_1d<write>, C, vec4<texel> ->", op.TextureStore, 0, expand.Texture, Runtime},
	{"textureStore", "C: i32|u32; texture_storage_2d<write>, vec2<C>, vec4<texel> ->", op.TextureStore, 0, expand.Texture, Runtime},
	{"textureStore", "C: i32|u32, A: i32|u32; texture_storage_2d_array<write>, vec2<C>, A, vec4<texel> ->", op.TextureStore, 0, expand.Texture, Runtime},
	{"textureStore", "C: i32|u32; texture_storage_3d<write>, vec3<C>, vec4<texel> ->", op.TextureStore, 0, expand.Texture, Runtime},
}

const sampleFlags = Runtime | FragmentOnly | Uniform
