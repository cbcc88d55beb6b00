// The Vulkan structures that the driver passes, laid out as in C on 64-bit systems (Vulkan
// specification, appendix "API boilerplate"). Non-dispatchable handles are 64-bit integers,
// dispatchable ones are pointers. Go and C agree on the alignment of every field type here, and a
// test checks the sizes. Pointer fields are unsafe.Pointer so that the garbage collector sees what
// they refer to.

package vulkan

import "unsafe"

// handle is a non-dispatchable Vulkan object.
type handle = uint64

// Structure types (VkStructureType).
const (
	typeApplicationInfo              = 0
	typeInstanceCreateInfo           = 1
	typeDeviceQueueCreateInfo        = 2
	typeDeviceCreateInfo             = 3
	typeSubmitInfo                   = 4
	typeMemoryAllocateInfo           = 5
	typeSemaphoreCreateInfo          = 9
	typeQueryPoolCreateInfo          = 11
	typeBufferCreateInfo             = 12
	typeImageCreateInfo              = 14
	typeImageViewCreateInfo          = 15
	typeShaderModuleCreateInfo       = 16
	typePipelineCacheCreateInfo      = 17
	typePipelineShaderStageInfo      = 18
	typeComputePipelineCreateInfo    = 29
	typePipelineLayoutCreateInfo     = 30
	typeSamplerCreateInfo            = 31
	typeDescriptorSetLayoutInfo      = 32
	typeDescriptorPoolCreateInfo     = 33
	typeDescriptorSetAllocateInfo    = 34
	typeWriteDescriptorSet           = 35
	typeCommandPoolCreateInfo        = 39
	typeCommandBufferAllocateInfo    = 40
	typeCommandBufferBeginInfo       = 42
	typeImageMemoryBarrier           = 45
	typeMemoryBarrier                = 46
	typeFeatures2                    = 1000059000
	typeExternalMemoryBuffer         = 1000072000
	typeImportHostPointer            = 1000178000
	typeHostPointerProperties        = 1000178001
	typeExternalHostProperties       = 1000178002
	typeProperties2                  = 1000059001
	typeFloat16Int8Features          = 1000082000
	type16BitStorageFeatures         = 1000083000
	typeSubgroupProperties           = 1000094000
	typeMaintenance3Properties       = 1000168000
	typeSubgroupExtendedTypeFeatures = 1000175000
	type8BitStorageFeatures          = 1000177000
	typeDriverProperties             = 1000196000
	typeFloatControlsProperties      = 1000197000
	typeAtomicInt64Features          = 1000180000
	typeTimelineSemaphoreFeatures    = 1000207000
	typeSemaphoreTypeCreateInfo      = 1000207002
	typeTimelineSemaphoreSubmitInfo  = 1000207003
	typeSemaphoreWaitInfo            = 1000207004
	typeHostQueryResetFeatures       = 1000261000
	typeSubgroupSizeProperties       = 1000225000
	typeRequiredSubgroupSize         = 1000225001
	typeMemoryModelFeatures          = 1000211000
	typeMemoryProperties2            = 1000059006
	typeMemoryBudget                 = 1000237000
	typeSubgroupSizeFeatures         = 1000225002
	typeCooperativeMatrixFeatures    = 1000506000
	typeCooperativeMatrixProperties  = 1000506001
	typeBFloat16Features             = 1000141000
)

// Flags and enumerators, grouped by the C type that they belong to.
const (
	physicalDeviceTypeIntegrated = 1
	physicalDeviceTypeCPU        = 4

	queueGraphics = 0x1
	queueCompute  = 0x2

	memoryDeviceLocal  = 0x1
	memoryHostVisible  = 0x2
	memoryHostCoherent = 0x4
	memoryHostCached   = 0x8

	bufferTransferSource = 0x1
	bufferTransferTarget = 0x2
	bufferUniform        = 0x10
	bufferStorage        = 0x20

	formatSampled        = 0x1
	formatStorage        = 0x2
	formatTransferSource = 0x4000
	formatTransferTarget = 0x8000

	imageType1D = 0
	imageType2D = 1
	imageType3D = 2

	imageCubeCompatible = 0x10

	imageTransferSource = 0x1
	imageTransferTarget = 0x2
	imageSampled        = 0x4
	imageStorage        = 0x8

	samples1 = 0x1

	tilingOptimal = 0

	layoutUndefined = 0
	layoutGeneral   = 1

	aspectColour = 0x1
	aspectDepth  = 0x2

	view1D        = 0
	view2D        = 1
	view3D        = 2
	viewCube      = 3
	view2DArray   = 5
	viewCubeArray = 6

	addressRepeat       = 0
	addressMirrorRepeat = 1
	addressClampToEdge  = 2

	descriptorSampler = 0
	descriptorSampled = 2
	descriptorImage   = 3
	descriptorUniform = 6
	descriptorStorage = 7

	stageCompute = 0x20 // VkShaderStageFlags

	stageFullSubgroups = 0x2 // VkPipelineShaderStageCreateFlags

	pipelineStageTop      = 0x1
	pipelineStageCompute  = 0x800
	pipelineStageTransfer = 0x1000
	pipelineStageBottom   = 0x2000
	pipelineStageHost     = 0x4000

	accessUniformRead   = 0x8
	accessShaderRead    = 0x20
	accessShaderWrite   = 0x40
	accessTransferRead  = 0x800
	accessTransferWrite = 0x1000
	accessHostRead      = 0x2000

	bindPointCompute = 1

	commandPoolTransient   = 0x1
	commandBufferOneSubmit = 0x1
	commandBufferSeveral   = 0x4 // times at once

	queryTimestamp   = 2
	queryResult64Bit = 0x1
	queryResultWait  = 0x2

	semaphoreTimeline = 1

	instanceEnumeratePortability = 0x1

	queueFamilyIgnored = ^uint32(0)

	wholeSize = ^uintptr(0) // VK_WHOLE_SIZE, where pointers have 64 bits
)

// Subgroup operations (VkSubgroupFeatureFlagBits) that WGSL's subgroup builtins
// need: all classes but clustered ones.
const subgroupOperations = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x20 | 0x80

// Indices into features, which is VkPhysicalDeviceFeatures.
const (
	featureRobustBufferAccess     = 0
	featureImageCubeArray         = 2
	featureImageGatherExtended    = 28
	featureStorageExtendedFormats = 29
	featureStorageReadAnyFormat   = 31
	featureStorageWriteAnyFormat  = 32
	featureFloat64                = 39
	featureInt64                  = 40
	featureInt16                  = 41
)

type features [55]uint32

type applicationInfo struct {
	sType           uint32
	_               unsafe.Pointer
	applicationName *byte
	_               uint32
	engineName      *byte
	_               uint32
	apiVersion      uint32
}

type instanceCreateInfo struct {
	sType          uint32
	next           unsafe.Pointer
	flags          uint32
	application    *applicationInfo
	layerCount     uint32
	layers         unsafe.Pointer
	extensionCount uint32
	extensions     **byte
}

type extensionProperties struct {
	name    [256]byte
	version uint32
}

type deviceQueueCreateInfo struct {
	sType      uint32
	_          unsafe.Pointer
	_          uint32
	family     uint32
	count      uint32
	priorities *float32
}

type deviceCreateInfo struct {
	sType          uint32
	next           unsafe.Pointer
	flags          uint32
	queueInfoCount uint32
	queueInfos     *deviceQueueCreateInfo
	layerCount     uint32
	layers         unsafe.Pointer
	extensionCount uint32
	extensions     **byte
	features       unsafe.Pointer
}

// limits is VkPhysicalDeviceLimits; fields that compute does not use are
// padding.
type limits struct {
	_                         [6]uint32
	maxUniformBufferRange     uint32
	maxStorageBufferRange     uint32
	maxPushConstants          uint32
	_                         [2]uint32
	_                         [2]uint64
	maxBoundDescriptorSets    uint32
	maxStageSamplers          uint32
	maxStageUniformBuffers    uint32
	maxStageStorageBuffers    uint32
	maxStageSampledImages     uint32
	maxStageStorageImages     uint32
	_                         uint32
	maxStageResources         uint32
	_                         [30]uint32
	maxSharedMemory           uint32
	maxWorkgroupCount         [3]uint32
	maxWorkgroupInvocations   uint32
	maxWorkgroupSize          [3]uint32
	_                         [14]uint32
	_                         uint64
	_                         uint64
	minUniformOffsetAlignment uint64
	minStorageOffsetAlignment uint64
	_                         [21]uint32
	timestampComputeGraphics  uint32
	timestampPeriod           float32
	_                         [13]uint32
	_                         [3]uint64
}

type physicalDeviceProperties struct {
	apiVersion    uint32
	driverVersion uint32
	vendor        uint32
	device        uint32
	deviceType    uint32
	name          [256]byte
	cacheUUID     [16]byte
	limits        limits
	sparse        [5]uint32
}

type properties2 struct {
	sType      uint32
	next       unsafe.Pointer
	properties physicalDeviceProperties
}

type subgroupProperties struct {
	sType       uint32
	next        unsafe.Pointer
	size        uint32
	stages      uint32
	operations  uint32
	quadInStage uint32
}

type subgroupSizeProperties struct {
	sType                 uint32
	next                  unsafe.Pointer
	smallest, largest     uint32
	maxWorkgroupSubgroups uint32
	stages                uint32
}

type subgroupSizeFeatures struct {
	sType   uint32
	next    unsafe.Pointer
	control uint32
	full    uint32
}

type memoryModelFeatures struct {
	sType       uint32
	next        unsafe.Pointer
	model       uint32
	deviceScope uint32
	chains      uint32
}

type cooperativeMatrixFeatures struct {
	sType  uint32
	next   unsafe.Pointer
	matrix uint32
	robust uint32
}

type bfloat16Features struct {
	sType  uint32
	next   unsafe.Pointer
	types  uint32
	dot    uint32
	matrix uint32
}

// cooperativeMatrix is VkCooperativeMatrixPropertiesKHR: a product that a device has.
type cooperativeMatrix struct {
	sType uint32
	next  unsafe.Pointer
	matrixProduct
	saturating uint32
	scope      uint32
}

// requiredSubgroupSize follows a pipelineShaderStageInfo.
type requiredSubgroupSize struct {
	sType uint32
	next  unsafe.Pointer
	size  uint32
}

type maintenance3Properties struct {
	sType                uint32
	next                 unsafe.Pointer
	maxPerSetDescriptors uint32
	maxAllocation        uint64
}

type driverProperties struct {
	sType       uint32
	next        unsafe.Pointer
	driver      uint32
	name        [256]byte
	info        [256]byte
	conformance [4]byte
}

// floatControlsProperties has what is there for 16, 32 and 64 bits each.
type floatControlsProperties struct {
	sType                        uint32
	next                         unsafe.Pointer
	denormIndependence           uint32
	roundingIndependence         uint32
	signedZeroInfNan             [3]uint32
	denormPreserve, denormToZero [3]uint32
	toEven, toZero               [3]uint32
}

type specialisationEntry struct {
	constant, offset uint32
	size             uintptr
}

type specialisationInfo struct {
	count   uint32
	entries unsafe.Pointer
	size    uintptr
	data    unsafe.Pointer
}

type features2 struct {
	sType    uint32
	next     unsafe.Pointer
	features features
}

type float16Int8Features struct {
	sType   uint32
	next    unsafe.Pointer
	float16 uint32
	int8    uint32
}

type storage16Features struct {
	sType             uint32
	next              unsafe.Pointer
	storageBuffer     uint32
	uniformAndStorage uint32
	pushConstant      uint32
	inputOutput       uint32
}

type atomicInt64Features struct {
	sType  uint32
	next   unsafe.Pointer
	buffer uint32
	shared uint32
}

type storage8Features struct {
	sType             uint32
	next              unsafe.Pointer
	storageBuffer     uint32
	uniformAndStorage uint32
	pushConstant      uint32
}

// oneFeature is the layout of every feature structure with a single member.
type oneFeature struct {
	sType   uint32
	next    unsafe.Pointer
	enabled uint32
}

type memoryType struct{ flags, heap uint32 }

type memoryHeap struct {
	size  uint64
	flags uint32
}

type memoryProperties struct {
	typeCount uint32
	types     [32]memoryType
	heapCount uint32
	heaps     [16]memoryHeap
}

type queueFamilyProperties struct {
	flags         uint32
	count         uint32
	timestampBits uint32
	granularity   [3]uint32
}

type memoryRequirements struct {
	size      uint64
	alignment uint64
	types     uint32
}

type memoryAllocateInfo struct {
	sType     uint32
	next      unsafe.Pointer
	size      uint64
	typeIndex uint32
}

type bufferCreateInfo struct {
	sType       uint32
	next        unsafe.Pointer
	flags       uint32
	size        uint64
	usage       uint32
	sharing     uint32
	familyCount uint32
	families    unsafe.Pointer
}

// externalMemoryBuffer says what memory a buffer may be bound to.
type externalMemoryBuffer struct {
	sType uint32
	next  unsafe.Pointer
	kinds uint32
}

type externalHostProperties struct {
	sType     uint32
	next      unsafe.Pointer
	alignment uint64
}

type hostPointerProperties struct {
	sType uint32
	next  unsafe.Pointer
	types uint32
}

type importHostPointer struct {
	sType   uint32
	next    unsafe.Pointer
	kind    uint32
	pointer unsafe.Pointer
}

type extent struct{ width, height, depth uint32 }

type formatProperties struct{ linear, optimal, buffer uint32 }

type imageFormatProperties struct {
	maxExtent extent
	maxLevels uint32
	maxLayers uint32
	samples   uint32
	maxBytes  uint64
}

type imageCreateInfo struct {
	sType       uint32
	next        unsafe.Pointer
	flags       uint32
	dimension   uint32
	format      uint32
	extent      extent
	levels      uint32
	layers      uint32
	samples     uint32
	tiling      uint32
	usage       uint32
	sharing     uint32
	familyCount uint32
	families    unsafe.Pointer
	layout      uint32
}

type subresourceRange struct {
	aspect     uint32
	firstLevel uint32
	levelCount uint32
	firstLayer uint32
	layerCount uint32
}

type imageViewCreateInfo struct {
	sType     uint32
	next      unsafe.Pointer
	flags     uint32
	image     handle
	dimension uint32
	format    uint32
	_         [4]uint32 // component mapping: 0 is identity
	part      subresourceRange
}

type samplerCreateInfo struct {
	sType         uint32
	next          unsafe.Pointer
	flags         uint32
	magnify       uint32
	minify        uint32
	mipmap        uint32
	address       [3]uint32
	bias          float32
	anisotropic   uint32
	maxAnisotropy float32
	compares      uint32
	compare       uint32
	lowestLevel   float32
	highestLevel  float32
	border        uint32
	unnormalised  uint32
}

type imageMemoryBarrier struct {
	sType        uint32
	next         unsafe.Pointer
	source       uint32
	target       uint32
	oldLayout    uint32
	newLayout    uint32
	sourceFamily uint32
	targetFamily uint32
	image        handle
	part         subresourceRange
}

// imageCopy is VkBufferImageCopy. Rows and slices in the buffer have no gaps if
// their lengths are 0.
type imageCopy struct {
	bufferOffset uint64
	rowLength    uint32
	sliceHeight  uint32
	aspect       uint32
	level        uint32
	firstLayer   uint32
	layerCount   uint32
	offset       [3]int32
	extent       extent
}
