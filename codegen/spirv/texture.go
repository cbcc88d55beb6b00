package spirv

import (
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file writes textures and samplers: their types and variables, and the
// operations on them. An operation's coordinates and layer are one operand in
// SPIR-V, and what reads a depth texture yields four components.

// dimensions are the kinds of image.
var dimensions = [...]uint32{
	texture.D1: grammar.Dim1D, texture.D2: grammar.Dim2D, texture.D3: grammar.Dim3D, texture.Cube: grammar.DimCube,
}

// shapeNeed is what a shape of texture asks of a device, if it is not asked of
// all.
type shapeNeed struct {
	capability uint32
	feature    abi.Feature
}

var shapeNeeds = [texture.Shapes]shapeNeed{
	texture.Sampled1D:        {capability: grammar.CapabilitySampled1D},
	texture.Storage1D:        {capability: grammar.CapabilityImage1D},
	texture.SampledCubeArray: {grammar.CapabilitySampledCubeArray, abi.CubeArrays},
	texture.DepthCubeArray:   {grammar.CapabilitySampledCubeArray, abi.CubeArrays},
}

// imageFormat is what SPIR-V calls a storage texture's texel format. Unknown
// formats need a capability where they are read or written.
type imageFormat struct {
	format   uint32
	extended bool // needs StorageImageExtendedFormats
}

var imageFormats = [texture.StorageFormats]imageFormat{
	texture.NoFormat:    {grammar.ImageFormatUnknown, false},
	texture.RGBA8Unorm:  {grammar.ImageFormatRgba8, false},
	texture.RGBA8Snorm:  {grammar.ImageFormatRgba8Snorm, false},
	texture.RGBA8Uint:   {grammar.ImageFormatRgba8ui, false},
	texture.RGBA8Sint:   {grammar.ImageFormatRgba8i, false},
	texture.RGBA16Unorm: {grammar.ImageFormatRgba16, true},
	texture.RGBA16Snorm: {grammar.ImageFormatRgba16Snorm, true},
	texture.RGBA16Uint:  {grammar.ImageFormatRgba16ui, false},
	texture.RGBA16Sint:  {grammar.ImageFormatRgba16i, false},
	texture.RGBA16Float: {grammar.ImageFormatRgba16f, false},
	texture.RG8Unorm:    {grammar.ImageFormatRg8, true},
	texture.RG8Snorm:    {grammar.ImageFormatRg8Snorm, true},
	texture.RG8Uint:     {grammar.ImageFormatRg8ui, true},
	texture.RG8Sint:     {grammar.ImageFormatRg8i, true},
	texture.RG16Unorm:   {grammar.ImageFormatRg16, true},
	texture.RG16Snorm:   {grammar.ImageFormatRg16Snorm, true},
	texture.RG16Uint:    {grammar.ImageFormatRg16ui, true},
	texture.RG16Sint:    {grammar.ImageFormatRg16i, true},
	texture.RG16Float:   {grammar.ImageFormatRg16f, true},
	texture.R32Uint:     {grammar.ImageFormatR32ui, false},
	texture.R32Sint:     {grammar.ImageFormatR32i, false},
	texture.R32Float:    {grammar.ImageFormatR32f, false},
	texture.RG32Uint:    {grammar.ImageFormatRg32ui, true},
	texture.RG32Sint:    {grammar.ImageFormatRg32i, true},
	texture.RG32Float:   {grammar.ImageFormatRg32f, true},
	texture.RGBA32Uint:  {grammar.ImageFormatRgba32ui, false},
	texture.RGBA32Sint:  {grammar.ImageFormatRgba32i, false},
	texture.RGBA32Float: {grammar.ImageFormatRgba32f, false},
	texture.BGRA8Unorm:  {grammar.ImageFormatUnknown, false},

	texture.R8Unorm:       {grammar.ImageFormatR8, true},
	texture.R8Snorm:       {grammar.ImageFormatR8Snorm, true},
	texture.R8Uint:        {grammar.ImageFormatR8ui, true},
	texture.R8Sint:        {grammar.ImageFormatR8i, true},
	texture.R16Unorm:      {grammar.ImageFormatR16, true},
	texture.R16Snorm:      {grammar.ImageFormatR16Snorm, true},
	texture.R16Uint:       {grammar.ImageFormatR16ui, true},
	texture.R16Sint:       {grammar.ImageFormatR16i, true},
	texture.R16Float:      {grammar.ImageFormatR16f, true},
	texture.RGB10A2Unorm:  {grammar.ImageFormatRgb10A2, true},
	texture.RGB10A2Uint:   {grammar.ImageFormatRgb10a2ui, true},
	texture.RG11B10Ufloat: {grammar.ImageFormatR11fG11fB10f, true},
}

// imageRecord is a declared type of images. Textures of several types in the IR
// may share one, as external textures and those of f32 do, and storage textures
// that differ in access.
type imageRecord struct {
	// operands are those of its OpTypeImage: sampled type, dimension, depth,
	// arrayed, multisampled, sampled, format.
	operands [7]uint32
	id       uint32
	combined uint32 // the type of the image with a sampler, once it is needed
}

// image returns the type of a texture. A module has few, so a short search is
// good enough.
func (w *emitter) image(t ir.Type) *imageRecord {
	shape := w.m.ShapeOf(t)
	row := shape.Info()
	operands := [7]uint32{w.valueType(ir.Type(w.m.ChannelOf(t))), dimensions[row.Dimension],
		bit(shape.IsDepth()), bit(row.Arrayed), bit(row.Multisampled), 1, grammar.ImageFormatUnknown}
	if shape.IsStorage() {
		format := imageFormats[w.m.FormatOf(t)]
		operands[5], operands[6] = 2, format.format
		if format.extended {
			w.capability(grammar.CapabilityStorageImageExtendedFormats)
			w.requires(abi.StorageFormats)
		}
	}
	for n := range w.images {
		if w.images[n].operands == operands {
			return &w.images[n]
		}
	}
	if need := shapeNeeds[shape]; need.capability != 0 {
		w.capability(need.capability)
		if need.feature != "" {
			w.requires(need.feature)
		}
	}
	id := w.id()
	start := w.globals.begin(grammar.OpTypeImage, id)
	w.globals.add(operands[:]...)
	w.globals.end(start)
	w.images = append(w.images, imageRecord{operands: operands, id: id})
	return &w.images[len(w.images)-1]
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// samplerType returns the type of samplers, those that compare included.
func (w *emitter) samplerType() uint32 {
	if w.sampler == 0 {
		w.sampler = w.id()
		w.globals.op(grammar.OpTypeSampler, w.sampler)
	}
	return w.sampler
}

// decorateTexture says what is done with the texels of a storage texture.
func (w *emitter) decorateTexture(id uint32, t ir.Type) {
	if !w.m.IsTexture(t) || !w.m.ShapeOf(t).IsStorage() {
		return
	}
	switch w.m.AccessOf(t) {
	case ir.Read:
		w.decorate(id, grammar.DecorationNonWritable)
	case ir.Write:
		w.decorate(id, grammar.DecorationNonReadable)
	case ir.ReadWrite:
		// What an invocation writes, others of its workgroup read after a barrier. With fragments
		// the accesses say so (fragment.go).
		if !w.fragments {
			w.decorate(id, grammar.DecorationCoherent)
		}
	}
}

// withoutFormat declares what reading or writing a storage texture of unknown
// format needs.
func (w *emitter) withoutFormat(t ir.Type, capability uint32, feature abi.Feature) {
	if imageFormats[w.m.FormatOf(t)].format == grammar.ImageFormatUnknown {
		w.capability(capability)
		w.requires(feature)
	}
}

// querySize returns a texture's size and, after it, its number of layers: at a
// level where the texture's type has levels.
func (w *emitter) querySize(o *ir.TextureOperands) (id uint32, shape texture.Shape, t ir.Type) {
	w.capability(grammar.CapabilityImageQuery)
	shape = w.m.ShapeOf(w.f.TypeOf(o.Texture))
	n := shape.SizeComponents() + int(bit(shape.Info().Arrayed))
	t = ir.U32
	if n > 1 {
		t = w.m.VectorOf(ir.U32, n)
	}
	if shape.IsStorage() || shape.Info().Multisampled {
		return w.emit(grammar.OpImageQuerySize, w.valueType(t), w.value(o.Texture)), shape, t
	}
	level := w.u32(0)
	if o.Level != ir.NoValue {
		level = w.value(o.Level)
	}
	return w.emit(grammar.OpImageQuerySizeLod, w.valueType(t), w.value(o.Texture), level), shape, t
}

func emitTextureSize(w *emitter, i ir.Inst) {
	o := w.f.TextureOperandsOf(i)
	id, shape, _ := w.querySize(&o)
	if shape.Info().Arrayed { // the layers are no part of the size
		id = w.emit(grammar.OpVectorShuffle, w.valueType(w.f.Type(i)), id, id, 0, 1)
	}
	w.set(i, id)
}

// emitTextureLayers takes the last component of the size, which counts cubes
// where the layers are cubes.
func emitTextureLayers(w *emitter, i ir.Inst) {
	o := w.f.TextureOperandsOf(i)
	id, _, t := w.querySize(&o)
	w.set(i, w.emit(grammar.OpCompositeExtract, w.valueType(ir.U32), id, uint32(w.m.Components(t)-1)))
}

func emitTextureLevels(w *emitter, i ir.Inst) { w.query(i, grammar.OpImageQueryLevels) }

func emitTextureSamples(w *emitter, i ir.Inst) { w.query(i, grammar.OpImageQuerySamples) }

func (w *emitter) query(i ir.Inst, opcode uint32) {
	w.capability(grammar.CapabilityImageQuery)
	w.set(i, w.emit(opcode, w.valueType(ir.U32), w.value(w.f.Arg(i, 0))))
}

// texel returns the coordinate of a texel: with the layer, in the scalar kind of
// the coordinates.
func (w *emitter) texel(o *ir.TextureOperands) uint32 {
	coordinates := w.value(o.Coordinates)
	if o.Layer == ir.NoValue {
		return coordinates
	}
	t, k := w.f.TypeOf(o.Coordinates), w.kindOf(o.Coordinates)
	layer := w.value(o.Layer)
	if w.kindOf(o.Layer) != k {
		layer = w.emit(grammar.OpBitcast, w.valueType(ir.Type(k)), layer)
	}
	return w.joined(t, coordinates, layer)
}

// joined appends a scalar to a vector of type t.
func (w *emitter) joined(t ir.Type, vector, last uint32) uint32 {
	wider := w.m.VectorOf(w.m.Element(t), w.m.Components(t)+1)
	return w.emit(grammar.OpCompositeConstruct, w.valueType(wider), vector, last)
}

// emitTextureLoad writes texture_load and texture_read.
func emitTextureLoad(w *emitter, i ir.Inst) {
	o := w.f.TextureOperandsOf(i)
	t := w.f.TypeOf(o.Texture)
	shape := w.m.ShapeOf(t)
	image, texel := w.value(o.Texture), w.texel(&o)
	four := w.valueType(w.m.VectorOf(ir.Type(w.m.ChannelOf(t)), 4))
	if shape.IsStorage() {
		w.withoutFormat(t, grammar.CapabilityStorageImageReadWithoutFormat, abi.StorageReadWithoutFormat)
		w.set(i, w.emit(grammar.OpImageRead, four, append([]uint32{image, texel}, w.texelOperands(t)...)...))
		return
	}
	operand, x := grammar.ImageOperandsLod, uint32(0)
	switch {
	case o.Sample != ir.NoValue:
		operand, x = grammar.ImageOperandsSample, w.value(o.Sample)
	case o.Level != ir.NoValue:
		x = w.value(o.Level)
	default: // an external texture
		x = w.u32(0)
	}
	w.setTexel(i, shape, w.emit(grammar.OpImageFetch, four, image, texel, operand, x))
}

// setTexel makes what was read the result: of a depth texture its first
// component.
func (w *emitter) setTexel(i ir.Inst, shape texture.Shape, id uint32) {
	if shape.IsDepth() {
		id = w.emit(grammar.OpCompositeExtract, w.valueType(ir.F32), id, 0)
	}
	w.set(i, id)
}

func emitTextureStore(w *emitter, i ir.Inst) {
	o := w.f.TextureOperandsOf(i)
	w.withoutFormat(w.f.TypeOf(o.Texture), grammar.CapabilityStorageImageWriteWithoutFormat, abi.StorageWriteWithoutFormat)
	image, texel, stored := w.value(o.Texture), w.texel(&o), w.value(o.Stored)
	start := w.body.begin(grammar.OpImageWrite, image, texel, stored)
	w.body.add(w.texelOperands(w.f.TypeOf(o.Texture))...)
	w.body.end(start)
}

// samplings are the instructions that sample. Those with an explicit level of
// detail always name one; gathers read level 0.
var samplings = [op.Count]struct {
	opcode   uint32
	explicit bool
}{
	op.TextureSample:         {grammar.OpImageSampleExplicitLod, true},
	op.TextureSampleGradient: {grammar.OpImageSampleExplicitLod, true},
	op.TextureSampleCompare:  {grammar.OpImageSampleDrefExplicitLod, true},
	op.TextureGather:         {grammar.OpImageGather, false},
	op.TextureGatherCompare:  {grammar.OpImageDrefGather, false},
}

// sample returns the coordinate of a sample: with the layer as a float, which
// the device rounds and clamps.
func (w *emitter) sample(o *ir.TextureOperands) uint32 {
	coordinates := w.value(o.Coordinates)
	if o.Layer == ir.NoValue {
		return coordinates
	}
	convert := grammar.OpConvertUToF
	if w.kindOf(o.Layer).IsSigned() {
		convert = grammar.OpConvertSToF
	}
	return w.joined(w.f.TypeOf(o.Coordinates), coordinates, w.emit(convert, w.valueType(ir.F32), w.value(o.Layer)))
}

// emitTextureSample writes the operations that take a sampler. The image with its
// sampler is made where it is used, since it may not leave its block.
func emitTextureSample(w *emitter, i ir.Inst) {
	o := w.f.TextureOperandsOf(i)
	k := w.f.Op(i)
	row := samplings[k]
	t := w.f.TypeOf(o.Texture)
	shape := w.m.ShapeOf(t)
	coordinates := w.sample(&o)
	resultType := w.valueType(w.m.VectorOf(ir.Type(w.m.ChannelOf(t)), 4))
	if k == op.TextureSampleCompare {
		resultType = w.valueType(ir.F32)
	}
	var operands [8]uint32
	n := copy(operands[:], []uint32{w.emit(grammar.OpSampledImage, w.sampledImage(t), w.value(o.Texture), w.value(o.Sampler)), coordinates})
	add := func(id uint32) {
		operands[n] = id
		n++
	}
	switch {
	case o.Reference != ir.NoValue:
		add(w.value(o.Reference))
	case o.Component != ir.NoValue:
		add(w.value(o.Component))
	}
	mask := n // where the set of image operands goes; they follow in the order of their bits
	add(0)
	switch {
	case o.GradientX != ir.NoValue:
		operands[mask] |= grammar.ImageOperandsGrad
		add(w.value(o.GradientX))
		add(w.value(o.GradientY))
	case o.Level != ir.NoValue:
		operands[mask] |= grammar.ImageOperandsLod
		add(w.value(o.Level))
	case row.explicit:
		operands[mask] |= grammar.ImageOperandsLod
		add(w.constant(w.m.ConstF32(0)))
	}
	if o.Offset != ir.NoValue && !w.m.IsZero(o.Offset) {
		operands[mask] |= grammar.ImageOperandsConstOffset
		add(w.constant(o.Offset))
	}
	if operands[mask] == 0 {
		n--
	}
	id := w.emit(row.opcode, resultType, operands[:n]...)
	if k == op.TextureSample || k == op.TextureSampleGradient {
		w.setTexel(i, shape, id)
		return
	}
	w.set(i, id)
}

// sampledImage returns the type of a texture with a sampler.
func (w *emitter) sampledImage(t ir.Type) uint32 {
	image := w.image(t)
	if image.combined == 0 {
		image.combined = w.id()
		w.globals.op(grammar.OpTypeSampledImage, image.combined, image.id)
	}
	return image.combined
}
