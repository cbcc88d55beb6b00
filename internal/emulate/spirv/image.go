package spirv

import "slices"

// Image types and the translation of the instructions on images. A value of an image type is the
// pointer to its variable, by which texel.go finds the image. It is loaded, passed and copied like
// any other value.

// imageType describes a type of images.
type imageType struct {
	coordinates uint32 // their count, including the layer
	layered     bool   // whether the last coordinate is a layer
	storage     bool   // whether it is a storage image
	format      *texelFormat
}

// dimensions are the supported dimensions of images.
var dimensions = map[uint32]struct {
	name        string
	coordinates uint32
	// The capabilities that sampled and storage images need, any one of each list.
	sampled, storage []uint32
}{
	dimension1D: {name: "1D", coordinates: 1, sampled: []uint32{capabilitySampled1D, capabilityImage1D}, storage: []uint32{capabilityImage1D}},
	dimension2D: {name: "2D", coordinates: 2},
	dimension3D: {name: "3D", coordinates: 3},
}

// The values of OpTypeImage's operand Sampled.
const (
	withSampler    = 1
	withoutSampler = 2
)

// imageType reads the type of images.
func (d *decoder) imageType(i *raw, t *typ) {
	w := i.operands
	t.kind, t.element = imageKind, d.typeOf(i, w[0])
	dimension, ok := dimensions[w[1]]
	depth, arrayed, multisampled, sampled, format := w[2], w[3], w[4], w[5], w[6]
	switch {
	case !ok:
		d.fail(i, "not supported: images of dimension %d", w[1])
	case depth != 0:
		d.fail(i, "not supported: depth images")
	case arrayed > 1 || arrayed == 1 && w[1] != dimension2D:
		d.fail(i, "not supported: layers of images that are not 2D")
	case multisampled != 0:
		d.fail(i, "not supported: images of several samples")
	case sampled != withSampler && sampled != withoutSampler:
		d.fail(i, "not supported: images that are neither sampled nor storage images")
	case len(w) > 7:
		d.fail(i, "not supported: an access qualifier")
	case t.element.kind != integerKind && t.element.kind != floatKind || t.element.width != 32:
		d.fail(i, "not supported: channels of type %%%d", t.element.id)
	}
	x := &imageType{coordinates: dimension.coordinates + arrayed, layered: arrayed == 1, storage: sampled == withoutSampler}
	t.image = x
	if !x.storage {
		d.needs(i, dimension.sampled...)
		if format != 0 {
			d.fail(i, "not supported: format %d of an image that has a sampler", format)
		}
		return
	}
	d.needs(i, dimension.storage...)
	if x.format = texelFormats[format]; x.format == nil {
		d.fail(i, "not supported: format %d of a storage image", format)
	}
	if e := x.format.encoding; e.kind != t.element.kind || e.signed != t.element.signed {
		d.fail(i, "channels of type %%%d in the format %s", t.element.id, x.format.name)
	}
	if x.format.extended {
		d.needs(i, capabilityExtendedFormats)
	}
}

// needs refuses a module that has none of some capabilities.
func (d *decoder) needs(i *raw, either ...uint32) {
	has := func(c uint32) bool { return slices.Contains(d.capabilities, c) }
	if len(either) > 0 && !slices.ContainsFunc(either, has) {
		d.fail(i, "the module lacks the capability %s", capabilities[either[0]])
	}
}

// refuseImage refuses composites of images.
func (d *decoder) refuseImage(i *raw, t *typ) {
	if t.kind == imageKind {
		d.fail(i, "not supported: images in a composite")
	}
}

// checkStorageOnly refuses decorations of anything but storage images. Coherent has no further
// effect, since every write is visible at once.
func (d *decoder) checkStorageOnly() {
	for n := range d.storageOnly {
		i := &d.storageOnly[n]
		x := &d.ids[i.operands[0]]
		if x.kind != variableID || x.t.class != classUniformConstant || !x.t.element.image.storage {
			d.fail(i, "not supported: %s of what is no storage image", decorations[i.operands[1]])
		}
	}
}

// imageOperation describes an instruction on images.
type imageOperation struct {
	code    code
	storage bool // on storage images; otherwise on sampled images
	query   bool
}

var imageOperations = map[uint16]imageOperation{
	opImageFetch:        {code: doTexelLoad},
	opImageRead:         {code: doTexelLoad, storage: true},
	opImageWrite:        {code: doTexelStore, storage: true},
	opImageQuerySizeLod: {code: doImageSize, query: true},
	opImageQuerySize:    {code: doImageSize, storage: true, query: true},
	opImageQueryLevels:  {code: doImageLevels, query: true},
}

// image translates an instruction on an image: a is the image, b the coordinates, c a texel, or the
// level if e is 1.
func (b *builder) image() {
	w := b.i.operands
	o := imageOperations[b.i.opcode]
	v := b.use(w[0])
	b.want(v.t.kind == imageKind && v.t.image.storage == o.storage, "the image")
	if o.query {
		b.needs(b.i, capabilityImageQuery)
	}
	x := inst{code: o.code, a: v.slot}
	switch o.code {
	case doTexelLoad:
		t, _ := b.result()
		b.want(t.kind == vectorKind && t.count == 4 && t.element == v.t.element, "the result")
		x.n, x.b = t.count, b.coordinates(w[1], v.t.image)
		b.imageOperands(&x, w[2:])
	case doTexelStore:
		x.b = b.coordinates(w[1], v.t.image)
		texel := b.use(w[2])
		b.want(texel.t.scalar() == v.t.element && texel.t.components() >= v.t.image.format.channels(), "the texel")
		x.c = texel.slot
		b.imageOperands(&x, w[3:])
	default:
		t, _ := b.result()
		x.n = 1
		if o.code == doImageSize {
			x.n = v.t.image.coordinates
		}
		b.want(t.is(integers) && t.width == 32 && t.components() == x.n, "the result")
		if len(w) > 1 {
			b.level(&x, w[1])
		}
	}
	b.add(x)
}

// coordinates returns the slot of a texel's coordinates.
func (b *builder) coordinates(id uint32, t *imageType) uint32 {
	v := b.use(id)
	b.want(v.t.is(integers) && v.t.scalar().width == 32 && v.t.components() == t.coordinates, "the coordinates")
	return v.slot
}

// level reads the operand that selects a level.
func (b *builder) level(x *inst, id uint32) {
	v := b.use(id)
	b.want(v.t.kind == integerKind && v.t.width == 32, "the level")
	x.c, x.e = v.slot, 1
}

// imageOperands reads the optional image operands: the level of a fetch.
func (b *builder) imageOperands(x *inst, w []uint32) {
	switch {
	case len(w) == 0 || len(w) == 1 && w[0] == 0:
	case len(w) == 1 && w[0] == texelNonPrivate && b.vulkanModel && b.i.opcode != opImageFetch:
		x.nonPrivate = true
	case w[0] != imageOperandsLod || b.i.opcode != opImageFetch:
		b.fail("not supported: image operands %#x", w[0])
	case len(w) != 2 || w[1] >= uint32(len(b.ids)):
		b.fail("expected an id behind the image operands")
	default:
		b.level(x, w[1])
	}
}
