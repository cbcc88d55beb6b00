package spirv

import (
	"maps"
	"strings"
)

// Opcodes, operand formats and enumerants that the emulator knows (SPIR-V §3.52). arithmetic.go has
// the arithmetic instructions. Opcodes that are in neither table are refused.

const (
	opUndef               = 1
	opName                = 5
	opMemberName          = 6
	opString              = 7
	opLine                = 8
	opExtension           = 10
	opExtInstImport       = 11
	opExtInst             = 12
	opMemoryModel         = 14
	opEntryPoint          = 15
	opExecutionMode       = 16
	opCapability          = 17
	opTypeVoid            = 19
	opTypeBool            = 20
	opTypeInt             = 21
	opTypeFloat           = 22
	opTypeVector          = 23
	opTypeImage           = 25
	opTypeArray           = 28
	opTypeRuntimeArray    = 29
	opTypeStruct          = 30
	opTypePointer         = 32
	opTypeFunction        = 33
	opConstantTrue        = 41
	opConstantFalse       = 42
	opConstant            = 43
	opConstantComposite   = 44
	opConstantNull        = 46
	opSpecConstant        = 50
	opFunction            = 54
	opFunctionParameter   = 55
	opFunctionEnd         = 56
	opFunctionCall        = 57
	opVariable            = 59
	opLoad                = 61
	opStore               = 62
	opCopyMemory          = 63
	opAccessChain         = 65
	opArrayLength         = 68
	opDecorate            = 71
	opMemberDecorate      = 72
	opExtractDynamic      = 77
	opInsertDynamic       = 78
	opVectorShuffle       = 79
	opCompositeConstruct  = 80
	opCompositeExtract    = 81
	opCompositeInsert     = 82
	opCopyObject          = 83
	opImageFetch          = 95
	opImageRead           = 98
	opImageWrite          = 99
	opImageQuerySizeLod   = 103
	opImageQuerySize      = 104
	opImageQueryLevels    = 106
	opBitcast             = 124
	opIMul                = 132
	opUMulExtended        = 151
	opDot                 = 148
	opAny                 = 154
	opAll                 = 155
	opLogicalOr           = 166
	opLogicalAnd          = 167
	opSelect              = 169
	opShiftRightLogical   = 194
	opShiftLeftLogical    = 196
	opBitwiseOr           = 197
	opBitwiseAnd          = 199
	opBitFieldInsert      = 201
	opBitFieldSExtract    = 202
	opBitFieldUExtract    = 203
	opControlBarrier      = 224
	opMemoryBarrier       = 225
	opAtomicLoad          = 227
	opAtomicStore         = 228
	opAtomicExchange      = 229
	opAtomicCompare       = 230
	opAtomicIAdd          = 234
	opAtomicISub          = 235
	opAtomicSMin          = 236
	opAtomicUMin          = 237
	opAtomicSMax          = 238
	opAtomicUMax          = 239
	opAtomicAnd           = 240
	opAtomicOr            = 241
	opAtomicXor           = 242
	opPhi                 = 245
	opLoopMerge           = 246
	opSelectionMerge      = 247
	opLabel               = 248
	opBranch              = 249
	opBranchConditional   = 250
	opSwitch              = 251
	opKill                = 252
	opReturn              = 253
	opReturnValue         = 254
	opUnreachable         = 255
	opElect               = 333
	opGroupAll            = 334
	opGroupAny            = 335
	opGroupBroadcast      = 337
	opGroupBroadcastFirst = 338
	opGroupBallot         = 339
	opGroupShuffle        = 345
	opGroupShuffleXor     = 346
	opGroupShuffleUp      = 347
	opGroupShuffleDown    = 348
	opGroupIAdd           = 349
	opGroupFAdd           = 350
	opGroupIMul           = 351
	opGroupFMul           = 352
	opGroupSMin           = 353
	opGroupUMin           = 354
	opGroupFMin           = 355
	opGroupSMax           = 356
	opGroupUMax           = 357
	opGroupFMax           = 358
	opGroupAnd            = 359
	opGroupOr             = 360
	opGroupXor            = 361
	opQuadBroadcast       = 365
	opQuadSwap            = 366
)

// form is the operand format of an instruction, a letter for each operand:
//
//	t  the id of the result's type
//	r  the result's id
//	i  an id
//	l  a literal of one word
//	e  an enumerant of one word
//	c  the literal of a constant, of as many words as its type has
//	s  a string
//	p  two ids
//	q  a literal and an id
//	x  the parameters of the preceding enumerant: all other words
//
// A letter with ? is optional, one with * occurs any number of times.
type form struct {
	name, operands string
	operation      *operation // of an arithmetic instruction
}

// forms are the supported instructions.
var forms = func() map[uint16]form {
	all := maps.Clone(structure)
	for opcode, o := range arithmetic {
		all[opcode] = form{o.name, "tr" + strings.Repeat("i", o.operands), &o}
	}
	for opcode, c := range conversions {
		all[opcode] = form{name: c.name, operands: "tri"}
	}
	return all
}()

var structure = map[uint16]form{
	opUndef:               {name: "OpUndef", operands: "tr"},
	opName:                {name: "OpName", operands: "is"},
	opMemberName:          {name: "OpMemberName", operands: "ils"},
	opString:              {name: "OpString", operands: "rs"},
	opLine:                {name: "OpLine", operands: "ill"},
	opExtension:           {name: "OpExtension", operands: "s"},
	opExtInstImport:       {name: "OpExtInstImport", operands: "rs"},
	opExtInst:             {name: "OpExtInst", operands: "trili*"},
	opMemoryModel:         {name: "OpMemoryModel", operands: "ee"},
	opEntryPoint:          {name: "OpEntryPoint", operands: "eisi*"},
	opExecutionMode:       {name: "OpExecutionMode", operands: "iex"},
	opCapability:          {name: "OpCapability", operands: "e"},
	opTypeVoid:            {name: "OpTypeVoid", operands: "r"},
	opTypeBool:            {name: "OpTypeBool", operands: "r"},
	opTypeInt:             {name: "OpTypeInt", operands: "rll"},
	opTypeFloat:           {name: "OpTypeFloat", operands: "rle?"},
	opTypeVector:          {name: "OpTypeVector", operands: "ril"},
	opTypeImage:           {name: "OpTypeImage", operands: "riellllee?"},
	opTypeArray:           {name: "OpTypeArray", operands: "rii"},
	opTypeRuntimeArray:    {name: "OpTypeRuntimeArray", operands: "ri"},
	opTypeStruct:          {name: "OpTypeStruct", operands: "ri*"},
	opTypePointer:         {name: "OpTypePointer", operands: "rei"},
	opTypeFunction:        {name: "OpTypeFunction", operands: "rii*"},
	opConstantTrue:        {name: "OpConstantTrue", operands: "tr"},
	opConstantFalse:       {name: "OpConstantFalse", operands: "tr"},
	opSpecConstant:        {name: "OpSpecConstant", operands: "trc"},
	opConstant:            {name: "OpConstant", operands: "trc"},
	opConstantComposite:   {name: "OpConstantComposite", operands: "tri*"},
	opConstantNull:        {name: "OpConstantNull", operands: "tr"},
	opFunction:            {name: "OpFunction", operands: "trei"},
	opFunctionParameter:   {name: "OpFunctionParameter", operands: "tr"},
	opFunctionEnd:         {name: "OpFunctionEnd", operands: ""},
	opFunctionCall:        {name: "OpFunctionCall", operands: "trii*"},
	opVariable:            {name: "OpVariable", operands: "trei?"},
	opLoad:                {name: "OpLoad", operands: "trie?"},
	opStore:               {name: "OpStore", operands: "iie?"},
	opCopyMemory:          {name: "OpCopyMemory", operands: "iie?e?"},
	opAccessChain:         {name: "OpAccessChain", operands: "trii*"},
	opArrayLength:         {name: "OpArrayLength", operands: "tril"},
	opDecorate:            {name: "OpDecorate", operands: "iex"},
	opMemberDecorate:      {name: "OpMemberDecorate", operands: "ilex"},
	opExtractDynamic:      {name: "OpVectorExtractDynamic", operands: "trii"},
	opInsertDynamic:       {name: "OpVectorInsertDynamic", operands: "triii"},
	opVectorShuffle:       {name: "OpVectorShuffle", operands: "triil*"},
	opCompositeConstruct:  {name: "OpCompositeConstruct", operands: "tri*"},
	opCompositeExtract:    {name: "OpCompositeExtract", operands: "tril*"},
	opCompositeInsert:     {name: "OpCompositeInsert", operands: "triil*"},
	opUMulExtended:        {name: "OpUMulExtended", operands: "trii"},
	opCopyObject:          {name: "OpCopyObject", operands: "tri"},
	opImageFetch:          {name: "OpImageFetch", operands: "triie?x"},
	opImageRead:           {name: "OpImageRead", operands: "triie?x"},
	opImageWrite:          {name: "OpImageWrite", operands: "iiie?x"},
	opImageQuerySizeLod:   {name: "OpImageQuerySizeLod", operands: "trii"},
	opImageQuerySize:      {name: "OpImageQuerySize", operands: "tri"},
	opImageQueryLevels:    {name: "OpImageQueryLevels", operands: "tri"},
	opBitcast:             {name: "OpBitcast", operands: "tri"},
	opDot:                 {name: "OpDot", operands: "trii"},
	opAny:                 {name: "OpAny", operands: "tri"},
	opAll:                 {name: "OpAll", operands: "tri"},
	opSelect:              {name: "OpSelect", operands: "triii"},
	opBitFieldInsert:      {name: "OpBitFieldInsert", operands: "triiii"},
	opBitFieldSExtract:    {name: "OpBitFieldSExtract", operands: "triii"},
	opBitFieldUExtract:    {name: "OpBitFieldUExtract", operands: "triii"},
	opControlBarrier:      {name: "OpControlBarrier", operands: "iii"},
	opMemoryBarrier:       {name: "OpMemoryBarrier", operands: "ii"},
	opAtomicLoad:          {name: "OpAtomicLoad", operands: "triii"},
	opAtomicStore:         {name: "OpAtomicStore", operands: "iiii"},
	opAtomicExchange:      {name: "OpAtomicExchange", operands: "triiii"},
	opAtomicCompare:       {name: "OpAtomicCompareExchange", operands: "triiiiii"},
	opAtomicIAdd:          {name: "OpAtomicIAdd", operands: "triiii"},
	opAtomicISub:          {name: "OpAtomicISub", operands: "triiii"},
	opAtomicSMin:          {name: "OpAtomicSMin", operands: "triiii"},
	opAtomicUMin:          {name: "OpAtomicUMin", operands: "triiii"},
	opAtomicSMax:          {name: "OpAtomicSMax", operands: "triiii"},
	opAtomicUMax:          {name: "OpAtomicUMax", operands: "triiii"},
	opAtomicAnd:           {name: "OpAtomicAnd", operands: "triiii"},
	opAtomicOr:            {name: "OpAtomicOr", operands: "triiii"},
	opAtomicXor:           {name: "OpAtomicXor", operands: "triiii"},
	opPhi:                 {name: "OpPhi", operands: "trp*"},
	opLoopMerge:           {name: "OpLoopMerge", operands: "iie"},
	opSelectionMerge:      {name: "OpSelectionMerge", operands: "ie"},
	opLabel:               {name: "OpLabel", operands: "r"},
	opBranch:              {name: "OpBranch", operands: "i"},
	opBranchConditional:   {name: "OpBranchConditional", operands: "iiil*"},
	opSwitch:              {name: "OpSwitch", operands: "iiq*"},
	opKill:                {name: "OpKill", operands: ""},
	opReturn:              {name: "OpReturn", operands: ""},
	opReturnValue:         {name: "OpReturnValue", operands: "i"},
	opUnreachable:         {name: "OpUnreachable", operands: ""},
	opElect:               {name: "OpGroupNonUniformElect", operands: "tri"},
	opGroupAll:            {name: "OpGroupNonUniformAll", operands: "trii"},
	opGroupAny:            {name: "OpGroupNonUniformAny", operands: "trii"},
	opGroupBroadcast:      {name: "OpGroupNonUniformBroadcast", operands: "triii"},
	opGroupBroadcastFirst: {name: "OpGroupNonUniformBroadcastFirst", operands: "trii"},
	opGroupBallot:         {name: "OpGroupNonUniformBallot", operands: "trii"},
	opGroupShuffle:        {name: "OpGroupNonUniformShuffle", operands: "triii"},
	opGroupShuffleXor:     {name: "OpGroupNonUniformShuffleXor", operands: "triii"},
	opGroupShuffleUp:      {name: "OpGroupNonUniformShuffleUp", operands: "triii"},
	opGroupShuffleDown:    {name: "OpGroupNonUniformShuffleDown", operands: "triii"},
	opGroupIAdd:           {name: "OpGroupNonUniformIAdd", operands: "trieii?"},
	opGroupFAdd:           {name: "OpGroupNonUniformFAdd", operands: "trieii?"},
	opGroupIMul:           {name: "OpGroupNonUniformIMul", operands: "trieii?"},
	opGroupFMul:           {name: "OpGroupNonUniformFMul", operands: "trieii?"},
	opGroupSMin:           {name: "OpGroupNonUniformSMin", operands: "trieii?"},
	opGroupUMin:           {name: "OpGroupNonUniformUMin", operands: "trieii?"},
	opGroupFMin:           {name: "OpGroupNonUniformFMin", operands: "trieii?"},
	opGroupSMax:           {name: "OpGroupNonUniformSMax", operands: "trieii?"},
	opGroupUMax:           {name: "OpGroupNonUniformUMax", operands: "trieii?"},
	opGroupFMax:           {name: "OpGroupNonUniformFMax", operands: "trieii?"},
	opGroupAnd:            {name: "OpGroupNonUniformBitwiseAnd", operands: "trieii?"},
	opGroupOr:             {name: "OpGroupNonUniformBitwiseOr", operands: "trieii?"},
	opGroupXor:            {name: "OpGroupNonUniformBitwiseXor", operands: "trieii?"},
	opQuadBroadcast:       {name: "OpGroupNonUniformQuadBroadcast", operands: "triii"},
	opTypeMatrix:          {name: "OpTypeCooperativeMatrixKHR", operands: "riiiii"},
	opMatrixLoad:          {name: "OpCooperativeMatrixLoadKHR", operands: "triii?e?"},
	opMatrixStore:         {name: "OpCooperativeMatrixStoreKHR", operands: "iiii?e?"},
	opMatrixMulAdd:        {name: "OpCooperativeMatrixMulAddKHR", operands: "triiie?"},
	opQuadSwap:            {name: "OpGroupNonUniformQuadSwap", operands: "triii"},
}

// refused are instructions that a compiler of kernels may emit but that the emulator does not
// support, for messages with their names.
var refused = map[uint16]string{
	24: "OpTypeMatrix", 26: "OpTypeSampler", 27: "OpTypeSampledImage",
	48: "OpSpecConstantTrue", 49: "OpSpecConstantFalse", 50: "OpSpecConstant", 51: "OpSpecConstantComposite", 52: "OpSpecConstantOp",
	60: "OpImageTexelPointer", 64: "OpCopyMemorySized", 66: "OpInBoundsAccessChain", 67: "OpPtrAccessChain",
	73: "OpDecorationGroup", 84: "OpTranspose", 86: "OpSampledImage", 88: "OpImageSampleExplicitLod",
	90: "OpImageSampleDrefExplicitLod", 96: "OpImageGather", 97: "OpImageDrefGather", 100: "OpImage",
	107: "OpImageQuerySamples", 142: "OpVectorTimesScalar",
	231: "OpAtomicCompareExchangeWeak", 232: "OpAtomicIIncrement", 233: "OpAtomicIDecrement",
	336: "OpGroupNonUniformAllEqual", 340: "OpGroupNonUniformInverseBallot", 362: "OpGroupNonUniformLogicalAnd",
}

// enumerants are the supported values of an enumeration, with their names.
type enumerants map[uint32]string

var (
	capabilities = enumerants{
		capabilityShader: "Shader", capabilityFloat16: "Float16", capabilityFloat64: "Float64",
		capabilityInt64: "Int64", capabilityInt64Atomics: "Int64Atomics", capabilityInt16: "Int16", capabilityInt8: "Int8", 61: "GroupNonUniform", 62: "GroupNonUniformVote",
		63: "GroupNonUniformArithmetic", 64: "GroupNonUniformBallot", 65: "GroupNonUniformShuffle",
		66: "GroupNonUniformShuffleRelative", 68: "GroupNonUniformQuad",
		capabilitySampled1D: "Sampled1D", capabilityImage1D: "Image1D",
		capabilityExtendedFormats: "StorageImageExtendedFormats", capabilityImageQuery: "ImageQuery",
		capabilityStorage16: "StorageBuffer16BitAccess", capabilityUniform16: "UniformAndStorageBuffer16BitAccess",
		capabilityStorage8: "StorageBuffer8BitAccess", capabilityDenormPreserve: "DenormPreserve",
		capabilityBrain: "BFloat16TypeKHR", capabilityBrainMatrix: "BFloat16CooperativeMatrixKHR",
		capabilityMatrix: "CooperativeMatrixKHR", capabilityVulkanModel: "VulkanMemoryModel",
		capabilityZeroInfNan: "SignedZeroInfNanPreserve", capabilityToEven: "RoundingModeRTE",
	}
	decorations = enumerants{
		decorationSpecID: "SpecId", decorationBlock: "Block", decorationArrayStride: "ArrayStride", decorationBuiltIn: "BuiltIn", decorationRestrict: "Restrict",
		decorationCoherent: "Coherent", decorationNonWritable: "NonWritable", decorationNonReadable: "NonReadable",
		decorationBinding: "Binding", decorationSet: "DescriptorSet",
		decorationOffset: "Offset", decorationNoContraction: "NoContraction",
	}
	storageClasses = enumerants{
		classUniformConstant: "UniformConstant", classInput: "Input", classUniform: "Uniform",
		classWorkgroup: "Workgroup", classPrivate: "Private",
		classFunction: "Function", classPushConstant: "PushConstant", classStorage: "StorageBuffer",
	}
	builtins = enumerants{
		builtinNumWorkgroups: "NumWorkgroups", builtinWorkgroupID: "WorkgroupId", builtinLocalID: "LocalInvocationId",
		builtinGlobalID: "GlobalInvocationId", builtinLocalIndex: "LocalInvocationIndex", builtinSubgroupSize: "SubgroupSize",
		builtinNumSubgroups: "NumSubgroups", builtinSubgroupID: "SubgroupId", builtinSubgroupLane: "SubgroupLocalInvocationId",
	}
)

const (
	capabilityShader          = 1
	capabilityFloat16         = 9
	capabilityFloat64         = 10
	capabilityInt64           = 11
	capabilityInt64Atomics    = 12
	capabilityInt16           = 22
	capabilityInt8            = 39
	capabilitySampled1D       = 43
	capabilityImage1D         = 44
	capabilityExtendedFormats = 49
	capabilityImageQuery      = 50
	capabilityStorage16       = 4433
	capabilityUniform16       = 4434
	capabilityStorage8        = 4448
	capabilityDenormPreserve  = 4464
	capabilityZeroInfNan      = 4466
	capabilityToEven          = 4467

	decorationSpecID        = 1
	decorationBlock         = 2
	decorationArrayStride   = 6
	decorationBuiltIn       = 11
	decorationRestrict      = 19
	decorationCoherent      = 23
	decorationNonWritable   = 24
	decorationNonReadable   = 25
	decorationBinding       = 33
	decorationSet           = 34
	decorationOffset        = 35
	decorationNoContraction = 42

	classUniformConstant = 0
	classInput           = 1
	classUniform         = 2
	classWorkgroup       = 4
	classPrivate         = 6
	classFunction        = 7
	classPushConstant    = 9
	classStorage         = 12

	builtinNumWorkgroups = 24
	builtinWorkgroupID   = 26
	builtinLocalID       = 27
	builtinGlobalID      = 28
	builtinLocalIndex    = 29
	builtinSubgroupSize  = 36
	builtinNumSubgroups  = 38
	builtinSubgroupID    = 40
	builtinSubgroupLane  = 41

	dimension1D = 0
	dimension2D = 1
	dimension3D = 2

	imageOperandsLod = 2

	executionModelGLCompute = 5
	executionModeLocalSize  = 17
	addressingLogical       = 0
	memoryModelGLSL450      = 1

	scopeDevice     = 1
	scopeWorkgroup  = 2
	scopeSubgroup   = 3
	scopeInvocation = 4

	semanticsAcquireRelease = 0x8
	semanticsUniform        = 0x40
	semanticsWorkgroup      = 0x100
	semanticsImage          = 0x800

	groupReduce        = 0
	groupInclusiveScan = 1
	groupExclusiveScan = 2
)
