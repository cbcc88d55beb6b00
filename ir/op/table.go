package op

// The operations, in the order of the table.
const (
	Invalid Op = iota

	// arithmetic
	Neg
	Add
	Sub
	Mul
	MulHigh
	Div
	Rem
	Abs
	Min
	Max
	Clamp
	Sign
	Fma

	// bits
	Not
	And
	Or
	Xor
	Shl
	Shr
	CountOneBits
	CountLeadingZeros
	CountTrailingZeros
	FirstLeadingBit
	FirstTrailingBit
	ReverseBits
	ExtractBits
	InsertBits

	// comparison and choice
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	Select
	All
	Any

	// floating point
	Floor
	Ceil
	Trunc
	Round
	Fract
	Sqrt
	InverseSqrt
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Atan2
	Sinh
	Cosh
	Tanh
	Asinh
	Acosh
	Atanh
	Exp
	Exp2
	Log
	Log2
	Pow
	Ldexp
	FrexpSignificand
	FrexpExponent
	QuantizeF16

	// products and packing
	Dot
	Dot4I8
	Dot4U8
	Pack4x8Snorm
	Pack4x8Unorm
	Pack4xI8
	Pack4xU8
	Pack4xI8Clamp
	Pack4xU8Clamp
	Pack2x16Snorm
	Pack2x16Unorm
	Pack2x16Float
	Unpack4x8Snorm
	Unpack4x8Unorm
	Unpack4xI8
	Unpack4xU8
	Unpack2x16Snorm
	Unpack2x16Unorm
	Unpack2x16Float

	// conversion and composites
	Convert
	Bitcast
	Splat
	Construct
	Extract
	Insert
	Shuffle

	// memory
	Var
	Access
	View
	Address
	Load
	Store
	Copy
	ArrayLength
	AtomicLoad
	AtomicStore
	AtomicReadModifyWrite
	AtomicCompareExchange

	// textures
	TextureSize
	TextureLayers
	TextureLevels
	TextureSamples
	TextureLoad
	TextureRead
	TextureStore
	TextureSample
	TextureSampleGradient
	TextureSampleCompare
	TextureGather
	TextureGatherCompare

	// synchronisation and subgroups
	ControlBarrier
	SubgroupElect
	SubgroupAll
	SubgroupAny
	SubgroupBallot
	SubgroupBroadcast
	SubgroupBroadcastFirst
	SubgroupShuffle
	SubgroupShuffleXor
	SubgroupShuffleUp
	SubgroupShuffleDown
	SubgroupAdd
	SubgroupMul
	SubgroupMin
	SubgroupMax
	SubgroupAnd
	SubgroupOr
	SubgroupXor
	SubgroupInclusiveAdd
	SubgroupInclusiveMul
	SubgroupExclusiveAdd
	SubgroupExclusiveMul
	QuadBroadcast
	QuadSwapX
	QuadSwapY
	QuadSwapDiagonal

	// tiles
	TileLoad
	TileLoadWindows
	TileStore
	TileSplat
	TileMulAdd
	TileConvert
	TileReduce
	TileBroadcast
	TileTranspose
	TileCount
	TileRow
	TileColumn
	TileGet
	TileSet

	// fragments
	FragmentLoad
	FragmentStore
	FragmentSplat
	FragmentMulAdd
	FragmentAdd
	FragmentSub
	FragmentMul
	FragmentCount
	FragmentRow
	FragmentColumn
	FragmentGet
	FragmentSet

	// instructions of one target
	Intrinsic

	// messages
	Print

	// control
	Call
	If
	Switch
	Loop
	Scope
	Exit
	Continue
	Next
	Return
	Unreachable

	Count
)

// Signatures that many rows share.
const (
	unaryNumber  = "T: number*; T -> T"
	binaryNumber = "T: number*; T, T -> T"
	unaryFloat   = "T: float*; T -> T"
	approximate  = "T: shader*; T -> T"
	approximate2 = "T: shader*; T, T -> T"
	unaryInt     = "T: int*; T -> T"
	compare      = "T: number*; T, T -> bool(T)"
	subgroupNum  = "T: number*; T -> T"
	subgroupInt  = "T: int*; T -> T"
)

// table is the rows. The effects on memory are listed by operand, so that an analysis looks up the
// memory that it knows and names no operation. copy writes what its first operand points to and
// reads what its second does. Memory that no operand leads to is a barrier's, which its attribute
// names, or any (Anywhere).
//
// There is no operation yet that continues after the next one has begun. An asynchronous copy would
// be a row with a result, its token, and one more effect on each operand, Operands{Writes | Later,
// Reads | Later}. The access happens at any time from there until the token is consumed. Until then
// nothing may write what is read, nor access what is written. The wait that consumes the token
// would have the effect Completes. Barrier applies to the memories that its attribute names;
// Completes would apply to those of the operation which its operand comes from. analysis.Memory
// would report that. Nobody takes such a write for a plain one: what looks for those wants Writes
// and nothing else.
var table = [Count]Info{
	Invalid: {Name: "invalid", Signature: "special", Doc: "no operation; a removed instruction"},

	Neg:     {Name: "neg", Signature: "T: signed*; T -> T", Doc: "-x; integers wrap"},
	Add:     {Name: "add", Signature: binaryNumber, Commutative: true, Doc: "x + y; integers wrap"},
	Sub:     {Name: "sub", Signature: binaryNumber, Doc: "x - y; integers wrap"},
	Mul:     {Name: "mul", Signature: binaryNumber, Commutative: true, Doc: "x · y; integers wrap"},
	MulHigh: {Name: "mul_high", Signature: "T: unsigned*; T, T -> T", Commutative: true, Doc: "the upper half of x · y, which has twice as many bits"},
	Div:     {Name: "div", Signature: binaryNumber, Doc: "x / y; integers truncate, x/0 is x, and the lowest value / -1 is itself"},
	Rem:     {Name: "rem", Signature: "T: divided*; T, T -> T", Doc: "x - y·trunc(x/y); for integers x%0 and lowest % -1 are 0"},
	Abs:     {Name: "abs", Signature: unaryNumber, Doc: "|x|; the lowest integer is its own"},
	Min:     {Name: "min", Signature: binaryNumber, Commutative: true, Doc: "the lesser; of a number and a NaN, either"},
	Max:     {Name: "max", Signature: binaryNumber, Commutative: true, Doc: "the greater; of a number and a NaN, either"},
	Clamp:   {Name: "clamp", Signature: "T: number*; T, T, T -> T", Doc: "min(max(x, low), high)"},
	Sign:    {Name: "sign", Signature: "T: signed*; T -> T", Doc: "-1, 0 or 1 with the sign of x"},
	Fma:     {Name: "fma", Signature: "T: float*; T, T, T -> T", Doc: "x·y + z rounded once"},

	Not:                {Name: "not", Signature: "T: bits*; T -> T", Doc: "logical or bitwise complement"},
	And:                {Name: "and", Signature: "T: bits*; T, T -> T", Commutative: true, Doc: "logical or bitwise and; both operands are evaluated"},
	Or:                 {Name: "or", Signature: "T: bits*; T, T -> T", Commutative: true, Doc: "logical or bitwise or; both operands are evaluated"},
	Xor:                {Name: "xor", Signature: "T: bits*; T, T -> T", Commutative: true, Doc: "exclusive or"},
	Shl:                {Name: "shl", Signature: "T: int*; T, u32(T) -> T", Doc: "x << n, n taken modulo the width"},
	Shr:                {Name: "shr", Signature: "T: int*; T, u32(T) -> T", Doc: "x >> n, n taken modulo the width; copies the sign of signed integers"},
	CountOneBits:       {Name: "count_one_bits", Signature: unaryInt, Doc: "the number of one bits"},
	CountLeadingZeros:  {Name: "count_leading_zeros", Signature: unaryInt, Doc: "the number of zero bits from the top; the width for 0"},
	CountTrailingZeros: {Name: "count_trailing_zeros", Signature: unaryInt, Doc: "the number of zero bits from the bottom; the width for 0"},
	FirstLeadingBit:    {Name: "first_leading_bit", Signature: unaryInt, Doc: "position of the highest bit that differs from the sign bit (signed) or is one (unsigned); -1 if none"},
	FirstTrailingBit:   {Name: "first_trailing_bit", Signature: unaryInt, Doc: "position of the lowest one bit; -1 for 0"},
	ReverseBits:        {Name: "reverse_bits", Signature: unaryInt, Doc: "the bits in opposite order"},
	ExtractBits:        {Name: "extract_bits", Signature: "T: int*; T, u32, u32 -> T", Doc: "extract_bits(x, offset, count): a bit field, sign-extended for signed integers; offset and count are clamped to the width (WGSL §17.5.25)"},
	InsertBits:         {Name: "insert_bits", Signature: "T: int*; T, T, u32, u32 -> T", Doc: "insert_bits(x, new, offset, count): x with a field replaced by the low bits of new; clamped like extract_bits"},

	Eq:     {Name: "eq", Signature: "T: scalar*; T, T -> bool(T)", Commutative: true, Doc: "x = y; false if either is NaN"},
	Ne:     {Name: "ne", Signature: "T: scalar*; T, T -> bool(T)", Commutative: true, Doc: "x ≠ y; true if either is NaN"},
	Lt:     {Name: "lt", Signature: compare, Doc: "x < y"},
	Le:     {Name: "le", Signature: compare, Doc: "x ≤ y"},
	Gt:     {Name: "gt", Signature: compare, Doc: "x > y"},
	Ge:     {Name: "ge", Signature: compare, Doc: "x ≥ y"},
	Select: {Name: "select", Signature: "select", Doc: "select(condition, x, y): x where the condition holds, else y; the condition is a bool, or a vector of the operands' size"},
	All:    {Name: "all", Signature: "T: bool*; T -> bool", Doc: "whether every component is true"},
	Any:    {Name: "any", Signature: "T: bool*; T -> bool", Doc: "whether some component is true"},

	Floor:            {Name: "floor", Signature: unaryFloat, Doc: "largest integer not above x"},
	Ceil:             {Name: "ceil", Signature: unaryFloat, Doc: "smallest integer not below x"},
	Trunc:            {Name: "trunc", Signature: unaryFloat, Doc: "x without its fraction"},
	Round:            {Name: "round", Signature: unaryFloat, Doc: "nearest integer, ties to even"},
	Fract:            {Name: "fract", Signature: unaryFloat, Doc: "x - floor(x)"},
	Sqrt:             {Name: "sqrt", Signature: unaryFloat, Doc: "square root"},
	InverseSqrt:      {Name: "inverse_sqrt", Signature: approximate, Doc: "1/√x"},
	Sin:              {Name: "sin", Signature: approximate, Doc: "sine, radians"},
	Cos:              {Name: "cos", Signature: approximate, Doc: "cosine, radians"},
	Tan:              {Name: "tan", Signature: approximate, Doc: "tangent, radians"},
	Asin:             {Name: "asin", Signature: approximate, Doc: "arc sine"},
	Acos:             {Name: "acos", Signature: approximate, Doc: "arc cosine"},
	Atan:             {Name: "atan", Signature: approximate, Doc: "arc tangent"},
	Atan2:            {Name: "atan2", Signature: approximate2, Doc: "atan2(y, x): angle of the point (x, y)"},
	Sinh:             {Name: "sinh", Signature: approximate, Doc: "hyperbolic sine"},
	Cosh:             {Name: "cosh", Signature: approximate, Doc: "hyperbolic cosine"},
	Tanh:             {Name: "tanh", Signature: approximate, Doc: "hyperbolic tangent"},
	Asinh:            {Name: "asinh", Signature: approximate, Doc: "inverse hyperbolic sine"},
	Acosh:            {Name: "acosh", Signature: approximate, Doc: "inverse hyperbolic cosine"},
	Atanh:            {Name: "atanh", Signature: approximate, Doc: "inverse hyperbolic tangent"},
	Exp:              {Name: "exp", Signature: approximate, Doc: "e^x"},
	Exp2:             {Name: "exp2", Signature: approximate, Doc: "2^x"},
	Log:              {Name: "log", Signature: approximate, Doc: "natural logarithm"},
	Log2:             {Name: "log2", Signature: approximate, Doc: "logarithm to base 2"},
	Pow:              {Name: "pow", Signature: approximate2, Doc: "x^y for x ≥ 0"},
	Ldexp:            {Name: "ldexp", Signature: "T: shader*; T, i32(T) -> T", Doc: "x·2^n"},
	FrexpSignificand: {Name: "frexp_significand", Signature: approximate, Doc: "the f of x = f·2^e with |f| in [½, 1), or 0"},
	FrexpExponent:    {Name: "frexp_exponent", Signature: "T: shader*; T -> i32(T)", Doc: "the e of x = f·2^e with |f| in [½, 1), or 0"},
	QuantizeF16:      {Name: "quantize_f16", Signature: "T: f32*; T -> T", Doc: "x rounded to f16 and back"},

	Dot:             {Name: "dot", Signature: "T: number+; T, T -> element(T)", Commutative: true, Doc: "sum of the products of the components, in order"},
	Dot4I8:          {Name: "dot4_i8", Signature: "u32, u32 -> i32", Commutative: true, Doc: "dot product of four packed signed bytes"},
	Dot4U8:          {Name: "dot4_u8", Signature: "u32, u32 -> u32", Commutative: true, Doc: "dot product of four packed unsigned bytes"},
	Pack4x8Snorm:    {Name: "pack4x8_snorm", Signature: "vec4<f32> -> u32", Doc: "four bytes ⌊½ + 127·clamp(x, -1, 1)⌋"},
	Pack4x8Unorm:    {Name: "pack4x8_unorm", Signature: "vec4<f32> -> u32", Doc: "four bytes ⌊½ + 255·clamp(x, 0, 1)⌋"},
	Pack4xI8:        {Name: "pack4x_i8", Signature: "vec4<i32> -> u32", Doc: "the low bytes of four integers"},
	Pack4xU8:        {Name: "pack4x_u8", Signature: "vec4<u32> -> u32", Doc: "the low bytes of four integers"},
	Pack4xI8Clamp:   {Name: "pack4x_i8_clamp", Signature: "vec4<i32> -> u32", Doc: "four integers clamped to [-128, 127]"},
	Pack4xU8Clamp:   {Name: "pack4x_u8_clamp", Signature: "vec4<u32> -> u32", Doc: "four integers clamped to [0, 255]"},
	Pack2x16Snorm:   {Name: "pack2x16_snorm", Signature: "vec2<f32> -> u32", Doc: "two halfwords ⌊½ + 32767·clamp(x, -1, 1)⌋"},
	Pack2x16Unorm:   {Name: "pack2x16_unorm", Signature: "vec2<f32> -> u32", Doc: "two halfwords ⌊½ + 65535·clamp(x, 0, 1)⌋"},
	Pack2x16Float:   {Name: "pack2x16_float", Signature: "vec2<f32> -> u32", Doc: "two f16 patterns"},
	Unpack4x8Snorm:  {Name: "unpack4x8_snorm", Signature: "u32 -> vec4<f32>", Doc: "max(byte / 127, -1) of four signed bytes"},
	Unpack4x8Unorm:  {Name: "unpack4x8_unorm", Signature: "u32 -> vec4<f32>", Doc: "byte / 255 of four unsigned bytes"},
	Unpack4xI8:      {Name: "unpack4x_i8", Signature: "u32 -> vec4<i32>", Doc: "four signed bytes"},
	Unpack4xU8:      {Name: "unpack4x_u8", Signature: "u32 -> vec4<u32>", Doc: "four unsigned bytes"},
	Unpack2x16Snorm: {Name: "unpack2x16_snorm", Signature: "u32 -> vec2<f32>", Doc: "max(halfword / 32767, -1) of two signed halfwords"},
	Unpack2x16Unorm: {Name: "unpack2x16_unorm", Signature: "u32 -> vec2<f32>", Doc: "halfword / 65535 of two unsigned halfwords"},
	Unpack2x16Float: {Name: "unpack2x16_float", Signature: "u32 -> vec2<f32>", Doc: "two f16 values"},

	Convert:   {Name: "convert", Signature: "convert", Doc: "the value in the result's scalar kind: floats truncate to integers and saturate to the nearest value that both kinds represent, integers wrap, bool is x ≠ 0 (WGSL §17.1.2)"},
	Bitcast:   {Name: "bitcast", Signature: "bitcast", Doc: "the same bits as another type of equal size"},
	Splat:     {Name: "splat", Signature: "splat", Doc: "a vector with all components equal to the operand"},
	Construct: {Name: "construct", Signature: "construct", Doc: "a vector of scalars, or a matrix, array or structure of its columns, elements or members"},
	Extract:   {Name: "extract", Signature: "extract", Doc: "extract(x, i): component, column, element or member i of a value; the member of a structure is constant; an index outside is clamped to the last"},
	Insert:    {Name: "insert", Signature: "insert", Doc: "insert(x, v, i): x with part i replaced by v; an index outside is clamped to the last"},
	Shuffle:   {Name: "shuffle", Signature: "shuffle", Attribute: Swizzle, Doc: "components of a vector in the named order"},

	Var:                   {Name: "var", Signature: "special", Doc: "a variable of the invocation, at the entry of a function; its contents are undefined until stored"},
	Access:                {Name: "access", Signature: "special", Doc: "access(base, indices…): pointer to a part of what base points to; a member index is constant"},
	View:                  {Name: "view", Signature: "special", Doc: "view(buffer, offset, size): pointer of the result type into a buffer: to what begins at the byte offset, rounded down to the type's alignment, and is at most size bytes long; codegen replaces it before the passes"},
	Address:               {Name: "address", Signature: "special", Attribute: ByteOffset, Doc: "address(base, bytes): pointer of the result type, bytes (u32 or i64) and the immediate after base; lower-access makes these of accesses"},
	Load:                  {Name: "load", Signature: "special", Operands: Operands{Reads}, Attribute: Alignment, Doc: "the value a pointer points to"},
	Store:                 {Name: "store", Signature: "special", Operands: Operands{Writes}, Attribute: Alignment, Doc: "store(pointer, value)"},
	Copy:                  {Name: "copy", Signature: "special", Operands: Operands{Writes, Reads}, Doc: "copy(to, from): the contents of one aggregate in memory to another"},
	ArrayLength:           {Name: "array_length", Signature: "special", Doc: "the element count of a runtime-sized array, or the bytes of a buffer"},
	AtomicLoad:            {Name: "atomic_load", Signature: "special", Operands: Operands{Reads | Atomic}, Doc: "relaxed atomic load"},
	AtomicStore:           {Name: "atomic_store", Signature: "special", Operands: Operands{Writes | Atomic}, Doc: "atomic_store(pointer, value), relaxed"},
	AtomicReadModifyWrite: {Name: "atomic_rmw", Signature: "special", Operands: Operands{Reads | Writes | Atomic}, Attribute: AtomicRMW, Doc: "atomic_rmw(pointer, value): applies the operation, returns the old value; relaxed"},
	AtomicCompareExchange: {Name: "atomic_compare_exchange", Signature: "special", Operands: Operands{Reads | Writes | Atomic}, Doc: "atomic_compare_exchange(pointer, compare, value): stores value if the old value, which is the result, equals compare; relaxed; never fails spuriously"},

	TextureSize:           {Name: "texture_size", Signature: "texture", Doc: "texture_size(texture[, level]): width, height and depth in texels, as many as the texture has; of level 0, or of a level of a texture that has levels, the last one if there is no such level"},
	TextureLayers:         {Name: "texture_layers", Signature: "texture", Doc: "the number of layers of an arrayed texture, of cubes if it is one of cubes"},
	TextureLevels:         {Name: "texture_levels", Signature: "texture", Doc: "the number of mip levels"},
	TextureSamples:        {Name: "texture_samples", Signature: "texture", Doc: "the number of samples of a multisampled texture"},
	TextureLoad:           {Name: "texture_load", Signature: "texture", Doc: "texture_load(texture, coordinates[, layer][, level or sample]): a texel of a texture that the kernel does not write, four components or one of a depth texture; coordinates, layers, levels and samples beyond the last are clamped to it, negative ones too"},
	TextureRead:           {Name: "texture_read", Signature: "texture", Operands: Operands{Reads}, Doc: "texture_read(texture, coordinates[, layer]): as texture_load, of a storage texture that the kernel may write"},
	TextureStore:          {Name: "texture_store", Signature: "texture", Operands: Operands{Writes}, Doc: "texture_store(texture, coordinates[, layer], texel); nothing outside of the texture"},
	TextureSample:         {Name: "texture_sample", Signature: "texture", Doc: "texture_sample(texture, sampler, coordinates[, layer], level[, offset]): what the sampler makes of the texels around the coordinates, at a level of detail that need not be whole; the constant offset is in texels"},
	TextureSampleGradient: {Name: "texture_sample_gradient", Signature: "texture", Doc: "texture_sample_gradient(texture, sampler, coordinates[, layer], ddx, ddy[, offset]): as texture_sample, at the level of detail that follows from the derivatives of the coordinates"},
	TextureSampleCompare:  {Name: "texture_sample_compare", Signature: "texture", Doc: "texture_sample_compare(texture, sampler, coordinates[, layer], reference[, offset]): the part of the texels around the coordinates, of level 0, for which the sampler's comparison of the reference with them holds"},
	TextureGather:         {Name: "texture_gather", Signature: "texture", Doc: "texture_gather(texture, sampler, coordinates[, layer], component[, offset]): the constant component of the four texels, of level 0, that linear filtering would use: (u₀,v₁) (u₁,v₁) (u₁,v₀) (u₀,v₀)"},
	TextureGatherCompare:  {Name: "texture_gather_compare", Signature: "texture", Doc: "texture_gather_compare(texture, sampler, coordinates[, layer], reference[, offset]): the comparisons of the reference with those four texels, 1 or 0"},

	ControlBarrier:         {Name: "barrier", Signature: "special", Effects: Barrier | Convergent, Attribute: BarrierScope, Doc: "waits for all invocations of the workgroup and orders the named memories"},
	SubgroupElect:          {Name: "subgroup_elect", Signature: "-> bool", Effects: Convergent, Doc: "true in the active invocation with the lowest id"},
	SubgroupAll:            {Name: "subgroup_all", Signature: "bool -> bool", Effects: Convergent, Doc: "whether the operand is true in all active invocations"},
	SubgroupAny:            {Name: "subgroup_any", Signature: "bool -> bool", Effects: Convergent, Doc: "whether the operand is true in some active invocation"},
	SubgroupBallot:         {Name: "subgroup_ballot", Signature: "bool -> vec4<u32>", Effects: Convergent, Doc: "a bit for each active invocation whose operand is true"},
	SubgroupBroadcast:      {Name: "subgroup_broadcast", Signature: "T: number*; T, u32 -> T", Effects: Convergent, Doc: "the value of the invocation with the given constant id"},
	SubgroupBroadcastFirst: {Name: "subgroup_broadcast_first", Signature: subgroupNum, Effects: Convergent, Doc: "the value of the active invocation with the lowest id"},
	SubgroupShuffle:        {Name: "subgroup_shuffle", Signature: "T: number*; T, u32 -> T", Effects: Convergent, Doc: "the value of the invocation with the given id"},
	SubgroupShuffleXor:     {Name: "subgroup_shuffle_xor", Signature: "T: number*; T, u32 -> T", Effects: Convergent, Doc: "the value of the invocation id ^ mask"},
	SubgroupShuffleUp:      {Name: "subgroup_shuffle_up", Signature: "T: number*; T, u32 -> T", Effects: Convergent, Doc: "the value of the invocation id - delta"},
	SubgroupShuffleDown:    {Name: "subgroup_shuffle_down", Signature: "T: number*; T, u32 -> T", Effects: Convergent, Doc: "the value of the invocation id + delta"},
	SubgroupAdd:            {Name: "subgroup_add", Signature: subgroupNum, Effects: Convergent, Doc: "sum over the active invocations"},
	SubgroupMul:            {Name: "subgroup_mul", Signature: subgroupNum, Effects: Convergent, Doc: "product over the active invocations"},
	SubgroupMin:            {Name: "subgroup_min", Signature: subgroupNum, Effects: Convergent, Doc: "least value of the active invocations"},
	SubgroupMax:            {Name: "subgroup_max", Signature: subgroupNum, Effects: Convergent, Doc: "greatest value of the active invocations"},
	SubgroupAnd:            {Name: "subgroup_and", Signature: subgroupInt, Effects: Convergent, Doc: "bitwise and over the active invocations"},
	SubgroupOr:             {Name: "subgroup_or", Signature: subgroupInt, Effects: Convergent, Doc: "bitwise or over the active invocations"},
	SubgroupXor:            {Name: "subgroup_xor", Signature: subgroupInt, Effects: Convergent, Doc: "bitwise exclusive or over the active invocations"},
	SubgroupInclusiveAdd:   {Name: "subgroup_inclusive_add", Signature: subgroupNum, Effects: Convergent, Doc: "sum over the active invocations up to this one"},
	SubgroupInclusiveMul:   {Name: "subgroup_inclusive_mul", Signature: subgroupNum, Effects: Convergent, Doc: "product over the active invocations up to this one"},
	SubgroupExclusiveAdd:   {Name: "subgroup_exclusive_add", Signature: subgroupNum, Effects: Convergent, Doc: "sum over the active invocations before this one"},
	SubgroupExclusiveMul:   {Name: "subgroup_exclusive_mul", Signature: subgroupNum, Effects: Convergent, Doc: "product over the active invocations before this one"},
	QuadBroadcast:          {Name: "quad_broadcast", Signature: "T: number*; T, u32 -> T", Effects: Convergent, Doc: "the value of the quad's invocation with the given constant index"},
	QuadSwapX:              {Name: "quad_swap_x", Signature: subgroupNum, Effects: Convergent, Doc: "the value of the horizontal neighbour in the quad"},
	QuadSwapY:              {Name: "quad_swap_y", Signature: subgroupNum, Effects: Convergent, Doc: "the value of the vertical neighbour in the quad"},
	QuadSwapDiagonal:       {Name: "quad_swap_diagonal", Signature: subgroupNum, Effects: Convergent, Doc: "the value of the opposite invocation in the quad"},

	TileLoad:        {Name: "tile_load", Signature: "special", Effects: Barrier | Convergent, Operands: Operands{Reads}, Attribute: BarrierScope, Doc: "tile_load(array, offset, row stride, column stride, rows, columns, row, column): the elements of a matrix in memory from a row and column on, zero outside of the matrix or the array; element (r, c) of the matrix is array[offset + r·row stride + c·column stride]; a barrier for the named memories"},
	TileLoadWindows: {Name: "tile_load_windows", Signature: "special", Effects: Barrier | Convergent, Operands: Operands{Reads}, Attribute: BarrierScope, Doc: "tile_load_windows(array, offset, N, H, W, C, n stride, h stride, w stride, c stride, KH, KW, h step, w step, h padding, w padding, h dilation, w dilation, OH, OW, row, column): as tile_load, of the matrix of a tensor's windows, which has N·OH·OW rows and KH·KW·C columns; element ((n·OH + oy)·OW + ox, (ky·KW + kx)·C + c) is array[offset + n·n stride + y·h stride + x·w stride + c·c stride] with y = oy·h step - h padding + ky·h dilation and x likewise; it is zero unless y is in 0…H-1 and x in 0…W-1"},
	TileStore:       {Name: "tile_store", Signature: "special", Effects: Barrier | Convergent, Operands: Operands{Writes}, Attribute: BarrierScope, Doc: "tile_store(array, offset, row stride, column stride, rows, columns, row, column, tile): stores the elements that are within the matrix and the array; a barrier for the named memories"},
	TileSplat:       {Name: "tile_splat", Signature: "special", Doc: "a tile whose elements equal the operand, which is workgroup-uniform"},
	TileMulAdd:      {Name: "tile_mul_add", Signature: "special", Effects: Convergent, Doc: "tile_mul_add(a, b, c): the matrix product of a and b plus c, in the element type of c; without [contract] each element is a chain of fused multiply-adds that begins with c, in the order of the columns of a"},
	TileConvert:     {Name: "tile_convert", Signature: "special", Doc: "the elements in another element type, as convert; to bf16, e4m3 and e5m2 from f32 to nearest even, to the last two with saturation"},
	TileReduce:      {Name: "tile_reduce", Signature: "special", Effects: Convergent, Attribute: AtomicRMW, Doc: "tile_reduce(x): the sum, minimum or maximum of each row, if the result has one column, or of each column, if it has one row; without [contract] sums are in the order of the elements"},
	TileBroadcast:   {Name: "tile_broadcast", Signature: "special", Effects: Convergent, Doc: "a tile each of whose columns equals the operand's one, or each of whose rows does"},
	TileTranspose:   {Name: "tile_transpose", Signature: "special", Effects: Convergent, Doc: "the tile with rows and columns exchanged"},
	TileCount:       {Name: "tile_count", Signature: "special", Doc: "tile_count(x): how many elements of x an invocation holds, at most; it is the same for all tiles of one shape"},
	TileRow:         {Name: "tile_row", Signature: "special", Doc: "tile_row(x, n): the row of element n of the invocation; it may be beyond the last, and several invocations may hold one element"},
	TileColumn:      {Name: "tile_column", Signature: "special", Doc: "tile_column(x, n): the column of element n of the invocation; it may be beyond the last"},
	TileGet:         {Name: "tile_get", Signature: "special", Doc: "tile_get(x, n): element n of the invocation; of bf16, e4m3 and e5m2 the pattern"},
	TileSet:         {Name: "tile_set", Signature: "special", Doc: "tile_set(x, n, v): x with element n of the invocation replaced"},

	FragmentLoad:   {Name: "fragment_load", Signature: "special", Effects: Convergent, Operands: Operands{Reads}, Doc: "fragment_load(array, offset, by column, stride): a matrix in memory; element (r, c) is array[offset + r·stride + c], or array[offset + r + c·stride] if by column; an array with other elements is seen as bytes that hold these, one after the other"},
	FragmentStore:  {Name: "fragment_store", Signature: "special", Effects: Convergent, Operands: Operands{Writes}, Doc: "fragment_store(array, offset, fragment, by column, stride): stores the elements where fragment_load finds them"},
	FragmentSplat:  {Name: "fragment_splat", Signature: "special", Doc: "a fragment whose elements equal the operand, which is subgroup-uniform and for elements of 8 bits clamped to their range"},
	FragmentMulAdd: {Name: "fragment_mul_add", Signature: "special", Effects: Convergent, Doc: "fragment_mul_add(a, b, c): the matrix product of a left and a right fragment plus a result, in the element type of c; integers wrap, and floats may be rounded after any step, in any order"},
	FragmentAdd:    {Name: "fragment_add", Signature: "special", Doc: "the sums of the elements; integers wrap"},
	FragmentSub:    {Name: "fragment_sub", Signature: "special", Doc: "the differences of the elements; integers wrap"},
	FragmentMul:    {Name: "fragment_mul", Signature: "special", Doc: "the products of the elements, not of the matrices; integers wrap"},
	FragmentCount:  {Name: "fragment_count", Signature: "special", Doc: "fragment_count(x): how many elements of x an invocation holds; it is the same for all fragments of one type"},
	FragmentRow:    {Name: "fragment_row", Signature: "special", Doc: "fragment_row(x, n): the row of element n of the invocation; several invocations may hold one element"},
	FragmentColumn: {Name: "fragment_column", Signature: "special", Doc: "fragment_column(x, n): the column of element n of the invocation"},
	FragmentGet:    {Name: "fragment_get", Signature: "special", Doc: "fragment_get(x, n): element n of the invocation; of bf16 the pattern"},
	FragmentSet:    {Name: "fragment_set", Signature: "special", Doc: "fragment_set(x, n, v): x with element n of the invocation replaced; those who hold one element replace it by the same"},

	Intrinsic: {Name: "intrinsic", Signature: "special", Effects: Anywhere | Convergent, Attribute: IntrinsicName, Doc: "an instruction of one target, which that target's lowering makes"},

	Print: {Name: "print", Signature: "special", Effects: External, Attribute: MessageNumber, Doc: "print(values…): tells the host a message with these values; print(condition, values…) of an assertion does if the condition does not hold; codegen replaces it before the passes"},

	Call:        {Name: "call", Signature: "special", Effects: Anywhere | Convergent, Attribute: Callee, Doc: "calls a function of the module"},
	If:          {Name: "if", Signature: "special", Effects: Control, Attribute: Labelled, Doc: "runs one of two blocks; exits carry its results"},
	Switch:      {Name: "switch", Signature: "special", Effects: Control, Attribute: Labelled, Doc: "runs the block whose case value equals the operand, else the default block; no fallthrough"},
	Loop:        {Name: "loop", Signature: "special", Effects: Control, Attribute: Labelled, Doc: "runs its body and then its continuing block, repeatedly; next carries the parameters of the following iteration"},
	Scope:       {Name: "scope", Signature: "special", Effects: Control, Attribute: Labelled, Doc: "runs its block once; a target for exits"},
	Exit:        {Name: "exit", Signature: "special", Effects: Terminator, Attribute: Label, Doc: "leaves the named enclosing control instruction with its results"},
	Continue:    {Name: "continue", Signature: "special", Effects: Terminator, Attribute: Label, Doc: "enters the continuing block of the named enclosing loop with its parameters"},
	Next:        {Name: "next", Signature: "special", Effects: Terminator, Attribute: Label, Doc: "ends a continuing block: starts the next iteration with its parameters, or leaves the loop with its results if the break_if condition holds"},
	Return:      {Name: "return", Signature: "special", Effects: Terminator, Doc: "leaves the function"},
	Unreachable: {Name: "unreachable", Signature: "special", Effects: Terminator, Doc: "is never executed"},
}
