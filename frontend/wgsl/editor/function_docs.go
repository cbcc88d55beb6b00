package editor

import (
	"slices"
	"strings"
)

// This file describes the builtin functions, word_docs.go the other words of WGSL. TestWords checks
// that they are complete.

// word is a word with its description.
type word struct {
	name, text string
}

// chapter is the words of a section of the specification, in alphabetical order.
type chapter struct {
	section string
	words   []word
}

// find returns the description and the section of a word.
func find(chapters []chapter, name string) (text, section string) {
	for i := range chapters {
		c := &chapters[i]
		if k, found := slices.BinarySearchFunc(c.words, name, func(w word, name string) int { return strings.Compare(w.name, name) }); found {
			return c.words[k].text, c.section
		}
	}
	return "", ""
}

// functions are the builtin functions.
var functions = []chapter{
	{"WGSL §17.2", []word{
		{"bitcast", "The bits of a value, taken as a value of another type of the same size."},
	}},
	{"WGSL §17.3", []word{
		{"all", "True if every component is true."},
		{"any", "True if any component is true."},
		{"select", "The second argument where the condition is true, the first where it is false. Both are evaluated."},
	}},
	{"WGSL §17.4", []word{
		{"arrayLength", "How many elements a runtime-sized array has, which the size of the bound buffer decides."},
	}},
	{"WGSL extension buffer_view", []word{
		{"bufferArrayView", "A pointer to a runtime-sized array within a buffer, from a byte offset and with a number of elements."},
		{"bufferLength", "How many bytes a buffer has."},
		{"bufferView", "A pointer to a value of the given type within a buffer, at a byte offset."},
	}},
	{"gpuc's extension gpuc_tile", []word{
		{"tileBroadcast", "A tile of the given type, each of whose columns is the argument's only one, or each of whose rows is."},
		{"tileColumnMax", "The greatest element of each column, as a tile with one row."},
		{"tileColumnMin", "The least element of each column, as a tile with one row."},
		{"tileColumnSum", "The sum of each column, as a tile with one row."},
		{"tileConvert", "The tile with elements of the given type."},
		{"tileLoad", "The tile of the given type that begins at a row and column of the matrix, which may be negative. Outside of the matrix it is zero."},
		{"tileMap", "The tile of what a function f(row, column, x, …) returns for each element x. Elements of further tiles and other arguments follow x."},
		{"tileMulAdd", "The matrix product of the first two tiles, plus the third."},
		{"tileRowMax", "The greatest element of each row, as a tile with one column."},
		{"tileRowMin", "The least element of each row, as a tile with one column."},
		{"tileRowSum", "The sum of each row, as a tile with one column."},
		{"tileSplat", "A tile of the given type whose elements all are the argument."},
		{"tileStore", "Stores a tile from a row and column of the matrix on, as far as it is within the matrix."},
		{"tileTranspose", "The tile with rows and columns exchanged."},
	}},
	{"WGSL §17.5", []word{
		{"abs", "The absolute value of each component. That of the smallest i32 is that number itself."},
		{"acos", "The arc cosine in radians, for arguments from -1 to 1."},
		{"acosh", "The inverse hyperbolic cosine that is not negative, for arguments of at least 1."},
		{"asin", "The arc sine in radians, for arguments from -1 to 1."},
		{"asinh", "The inverse hyperbolic sine."},
		{"atan", "The arc tangent in radians, from -π/2 to π/2."},
		{"atan2", "The angle in radians of the point (x, y), where the first argument is y and the second x."},
		{"atanh", "The inverse hyperbolic tangent, for arguments between -1 and 1."},
		{"ceil", "The smallest integer that is not below each component."},
		{"clamp", "Each component, limited to the range from the second to the third argument."},
		{"cos", "The cosine of an angle in radians."},
		{"cosh", "The hyperbolic cosine."},
		{"countLeadingZeros", "The number of zero bits before the highest one bit; 32 for zero."},
		{"countOneBits", "How many bits are one."},
		{"countTrailingZeros", "The number of zero bits after the lowest one bit; 32 for zero."},
		{"cross", "The cross product of two vectors of three components."},
		{"degrees", "Radians, converted to degrees."},
		{"determinant", "The determinant of a square matrix."},
		{"distance", "The length of the difference of two values."},
		{"dot", "The sum of the products of the components."},
		{"dot4I8Packed", "The dot product of two vectors of four signed bytes, each packed into a u32."},
		{"dot4U8Packed", "The dot product of two vectors of four unsigned bytes, each packed into a u32."},
		{"exp", "e to the power of each component."},
		{"exp2", "2 to the power of each component."},
		{"extractBits", "A field of bits: from the bit at the second argument, as many as the third says; of signed numbers with its sign."},
		{"faceForward", "The first vector if the dot product of the other two is negative, else its opposite."},
		{"firstLeadingBit", "The position of the highest bit that is one, or differs from the sign; all ones if there is none."},
		{"firstTrailingBit", "The position of the lowest bit that is one; all ones if there is none."},
		{"floor", "The largest integer that is not above each component."},
		{"fma", "The first argument times the second plus the third, possibly rounded once."},
		{"fract", "Each component less its floor."},
		{"frexp", "A number as fraction and exponent: fract · 2^exp, with fract from 0.5 up to 1."},
		{"insertBits", "The first argument, in which bits of the second replace a field: from the bit at the third argument, as many as the fourth says."},
		{"inverseSqrt", "One divided by the square root."},
		{"ldexp", "The first argument times 2 to the power of the second."},
		{"length", "The length of a vector, or the absolute value of a number."},
		{"log", "The natural logarithm."},
		{"log2", "The logarithm to base 2."},
		{"max", "The larger of two values, by component."},
		{"min", "The smaller of two values, by component."},
		{"mix", "The mixture of the first two arguments: a · (1 - c) + b · c, where c is the third."},
		{"modf", "A number as fraction and integer part, both with its sign."},
		{"normalize", "The vector of length 1 in the same direction."},
		{"pow", "The first argument to the power of the second."},
		{"quantizeToF16", "Each f32, rounded to what an f16 can hold."},
		{"radians", "Degrees, converted to radians."},
		{"reflect", "The first vector, reflected by a surface whose normal is the second."},
		{"refract", "The first vector, refracted by a surface whose normal is the second; the third argument is the ratio of the indices."},
		{"reverseBits", "The bits in reverse order."},
		{"round", "The nearest integer, and of two that are equally near the even one."},
		{"saturate", "Each component, limited to the range from 0 to 1."},
		{"sign", "1, 0 or -1 with the sign of each component."},
		{"sin", "The sine of an angle in radians."},
		{"sinh", "The hyperbolic sine."},
		{"smoothstep", "The smooth step from 0 to 1 while the third argument goes from the first to the second."},
		{"sqrt", "The square root."},
		{"step", "1 where the second argument is at least the first, else 0."},
		{"tan", "The tangent of an angle in radians."},
		{"tanh", "The hyperbolic tangent."},
		{"transpose", "The matrix with rows and columns exchanged."},
		{"trunc", "Each component without its fraction."},
	}},
	{"WGSL §17.6", []word{
		{"dpdx", "How much a value changes from pixel to pixel in x."},
		{"dpdxCoarse", "How much a value changes in x; one result for four pixels may do."},
		{"dpdxFine", "How much a value changes in x, for each pixel."},
		{"dpdy", "How much a value changes from pixel to pixel in y."},
		{"dpdyCoarse", "How much a value changes in y; one result for four pixels may do."},
		{"dpdyFine", "How much a value changes in y, for each pixel."},
		{"fwidth", "The sum of the absolute changes in x and y."},
		{"fwidthCoarse", "The sum of the absolute changes in x and y; one result for four pixels may do."},
		{"fwidthFine", "The sum of the absolute changes in x and y, for each pixel."},
	}},
	{"WGSL §17.7", []word{
		{"textureDimensions", "The size of a texture, or of one of its levels, in texels."},
		{"textureGather", "One component of the four texels that a linear sample would mix."},
		{"textureGatherCompare", "The results of comparing the four texels that a linear sample would mix with a depth."},
		{"textureLoad", "One texel, by its integer coordinates, without filtering."},
		{"textureNumLayers", "How many layers an array of textures has."},
		{"textureNumLevels", "How many levels of detail a texture has."},
		{"textureNumSamples", "How many samples a texel of a multisampled texture has."},
		{"textureSample", "A texture, sampled at coordinates from 0 to 1; its level follows from neighbouring fragments."},
		{"textureSampleBaseClampToEdge", "Level 0 of a texture, sampled half a texel away from its edges at least."},
		{"textureSampleBias", "A texture, sampled with a number added to its level of detail."},
		{"textureSampleCompare", "A depth texture, sampled and compared with a depth; its level follows from neighbouring fragments."},
		{"textureSampleCompareLevel", "Level 0 of a depth texture, sampled and compared with a depth."},
		{"textureSampleGrad", "A texture, sampled with the given changes of its coordinates in x and y."},
		{"textureSampleLevel", "A texture, sampled at the given level of detail."},
		{"textureStore", "Writes one texel of a storage texture."},
	}},
	{"WGSL §17.8", []word{
		{"atomicAdd", "Adds to an atomic, and returns what it held before."},
		{"atomicAnd", "Combines an atomic with a bitwise and, and returns what it held before."},
		{"atomicCompareExchangeWeak", "Stores the third argument if the atomic holds the second; says what it held, and whether the store happened. It may fail without cause: call it in a loop."},
		{"atomicExchange", "Stores a value, and returns what the atomic held before."},
		{"atomicLoad", "The value of an atomic."},
		{"atomicMax", "Stores the larger of an atomic's value and the argument, and returns what it held before."},
		{"atomicMin", "Stores the smaller of an atomic's value and the argument, and returns what it held before."},
		{"atomicOr", "Combines an atomic with a bitwise or, and returns what it held before."},
		{"atomicStore", "Stores a value in an atomic."},
		{"atomicStoreMax", "Stores the larger of a 64-bit atomic's value and the argument (extension atomic_vec2u_min_max)."},
		{"atomicStoreMin", "Stores the smaller of a 64-bit atomic's value and the argument (extension atomic_vec2u_min_max)."},
		{"atomicSub", "Subtracts from an atomic, and returns what it held before."},
		{"atomicXor", "Combines an atomic with a bitwise exclusive or, and returns what it held before."},
	}},
	{"WGSL §17.9", []word{
		{"pack2x16float", "Two f32 as f16 in a u32, the first in the low bits."},
		{"pack2x16snorm", "Two numbers from -1 to 1 as signed 16 bits each in a u32."},
		{"pack2x16unorm", "Two numbers from 0 to 1 as unsigned 16 bits each in a u32."},
		{"pack4x8snorm", "Four numbers from -1 to 1 as signed bytes in a u32."},
		{"pack4x8unorm", "Four numbers from 0 to 1 as unsigned bytes in a u32."},
		{"pack4xI8", "The low bytes of four i32 in a u32, the first lowest."},
		{"pack4xI8Clamp", "Four i32, limited to -128 to 127, as bytes in a u32."},
		{"pack4xU8", "The low bytes of four u32 in a u32, the first lowest."},
		{"pack4xU8Clamp", "Four u32, limited to 255, as bytes in a u32."},
	}},
	{"WGSL §17.10", []word{
		{"unpack2x16float", "The two f16 of a u32, as f32."},
		{"unpack2x16snorm", "The two signed 16 bits of a u32, as numbers from -1 to 1."},
		{"unpack2x16unorm", "The two unsigned 16 bits of a u32, as numbers from 0 to 1."},
		{"unpack4x8snorm", "The four signed bytes of a u32, as numbers from -1 to 1."},
		{"unpack4x8unorm", "The four unsigned bytes of a u32, as numbers from 0 to 1."},
		{"unpack4xI8", "The four signed bytes of a u32, as i32."},
		{"unpack4xU8", "The four unsigned bytes of a u32, as u32."},
	}},
	{"WGSL §17.11", []word{
		{"storageBarrier", "Waits for all invocations of the workgroup, and orders their accesses to storage buffers. All of them must reach it."},
		{"textureBarrier", "Waits for all invocations of the workgroup, and orders their accesses to storage textures. All of them must reach it."},
		{"workgroupBarrier", "Waits for all invocations of the workgroup, and orders their accesses to workgroup memory. All of them must reach it."},
		{"workgroupUniformLoad", "A value in workgroup memory, the same for all invocations, with a barrier before and after the load."},
	}},
	{"WGSL §17.12", []word{
		{"subgroupAdd", "The sum over the active invocations of the subgroup."},
		{"subgroupAll", "True if the argument is true in all active invocations of the subgroup."},
		{"subgroupAnd", "The bitwise and over the active invocations of the subgroup."},
		{"subgroupAny", "True if the argument is true in any active invocation of the subgroup."},
		{"subgroupBallot", "A bit for each invocation of the subgroup: whether its argument is true."},
		{"subgroupBroadcast", "The value of the invocation with the given number, which is a constant."},
		{"subgroupBroadcastFirst", "The value of the active invocation with the lowest number."},
		{"subgroupElect", "True in the active invocation with the lowest number alone."},
		{"subgroupExclusiveAdd", "The sum over the active invocations with lower numbers."},
		{"subgroupExclusiveMul", "The product over the active invocations with lower numbers."},
		{"subgroupInclusiveAdd", "The sum over the active invocations up to this one."},
		{"subgroupInclusiveMul", "The product over the active invocations up to this one."},
		{"subgroupMax", "The largest value of the active invocations of the subgroup."},
		{"subgroupMin", "The smallest value of the active invocations of the subgroup."},
		{"subgroupMul", "The product over the active invocations of the subgroup."},
		{"subgroupOr", "The bitwise or over the active invocations of the subgroup."},
		{"subgroupShuffle", "The value of the invocation with the given number."},
		{"subgroupShuffleDown", "The value of the invocation whose number is higher by the given difference."},
		{"subgroupShuffleUp", "The value of the invocation whose number is lower by the given difference."},
		{"subgroupShuffleXor", "The value of the invocation whose number is this one's, exclusive or the given mask."},
		{"subgroupXor", "The bitwise exclusive or over the active invocations of the subgroup."},
	}},
	{"WGSL extension chromium_experimental_subgroup_matrix", []word{
		{"subgroupMatrixLoad", "A matrix in memory: of the given type, from an offset on, by columns or by rows, which are a stride apart."},
		{"subgroupMatrixMultiply", "The product of two matrices, with the given component type."},
		{"subgroupMatrixMultiplyAccumulate", "The product of two matrices plus a third."},
		{"subgroupMatrixScalarAdd", "The matrix with a value added to each element."},
		{"subgroupMatrixScalarMultiply", "The matrix with each element multiplied by a value."},
		{"subgroupMatrixScalarSubtract", "The matrix with a value subtracted from each element."},
		{"subgroupMatrixStore", "Stores a matrix to memory from an offset on, by columns or by rows, which are a stride apart."},
	}},
	{"WGSL §17.13", []word{
		{"quadBroadcast", "The value of the invocation of the quad with the given number, which is a constant."},
		{"quadSwapDiagonal", "The value of the invocation that lies diagonally across in the quad."},
		{"quadSwapX", "The value of the neighbour in x in the quad."},
		{"quadSwapY", "The value of the neighbour in y in the quad."},
	}},
}
