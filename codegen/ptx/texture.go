package ptx

import (
	"math"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file lowers operations on textures. Textures are texture objects, which parameters hold.
// There is one for reading texels, and one for each sampler that a texture is sampled with, since
// CUDA joins the two (Driver API, cuTexObjectCreate). Storage textures that a kernel writes are
// surface objects, which know no formats: texels.go makes their bits. Sizes are parameters too:
// queries of a texture object would say less, and later.
//
// All textures of two dimensions are arrays of layers, those without layers of one. A texture
// without layers would need other instructions than an array of one layer, and both can be bound to
// either type. Textures of one dimension are such arrays of a single row (texture_print.go).
//
// What CUDA's objects lack is computed here: levels from derivatives, since an object has one
// filter for magnification and minification both, and comparisons.

// textureLowerings are the operations that are more than one instruction.
var textureLowerings = [op.Count]func(e *emitter, b *mir.Builder, i ir.Inst){
	op.TextureSize: (*emitter).textureSize, op.TextureLayers: (*emitter).textureNumber,
	op.TextureLevels: (*emitter).textureNumber, op.TextureSamples: (*emitter).textureNumber,
	op.TextureLoad: (*emitter).textureLoad, op.TextureRead: (*emitter).textureRead, op.TextureStore: (*emitter).textureStore,
	op.TextureSample: (*emitter).textureSample, op.TextureSampleGradient: (*emitter).textureSample,
	op.TextureSampleCompare: (*emitter).textureCompare, op.TextureGather: (*emitter).textureGather, op.TextureGatherCompare: (*emitter).textureCompare,
}

// operandList is a list of operands in an array, without an allocation. No instruction on a texture
// has more of them.
type operandList struct {
	list  [8]mir.Operand
	count int
}

func (l *operandList) add(o ...mir.Operand) { l.count += copy(l.list[l.count:], o) }
func (l *operandList) all() []mir.Operand   { return l.list[:l.count] }

// freshWords returns fresh registers.
func freshWords(b *mir.Builder, n int) (list operandList) {
	for range n {
		list.add(b.Fresh(mir.Word))
	}
	return list
}

// single returns the operand of a constant.
func single(b *mir.Builder, x float32) mir.Operand {
	return mir.Const(b.M.ConstScalar(ir.F32, uint64(math.Float32bits(x))))
}

// isZero reports whether an operand is the constant 0.
func isZero(b *mir.Builder, o mir.Operand) bool { return o.IsConst() && b.Out.Bits(o) == 0 }

// levelOf returns a size at a level other than 0.
func levelOf(b *mir.Builder, size, level mir.Operand) mir.Operand {
	return b.Compute(op.Max, scalar.U32, b.Compute(op.Shr, scalar.U32, size, level), b.U32(1))
}

func (e *emitter) textureSize(b *mir.Builder, i ir.Inst) {
	o := b.F.TextureOperandsOf(i)
	n := b.HandleOf(o.Texture)
	size := freshWords(b, b.M.ShapeOf(b.TextureType(n)).SizeComponents())
	b.EmitTexture(op.TextureSize, n, size.all())
	if o.Level != ir.NoValue {
		if level := b.Slot(o.Level); !isZero(b, level) {
			for k, x := range size.all() {
				size.list[k] = levelOf(b, x, level)
			}
		}
	}
	b.Alias(b.F.Result(i), size.all()...)
}

func (e *emitter) textureNumber(b *mir.Builder, i ir.Inst) {
	b.EmitTexture(b.F.Op(i), b.HandleOf(b.F.Arg(i, 0)), b.Define(b.F.Result(i)))
}

// masked returns the channels that a texture has, and the defaults for those that its format lacks.
// The PTX ISA does not define the latter, and they may hold any bits. The format of a storage
// texture is in its type.
func masked(b *mir.Builder, n uint32, texel []mir.Operand) []mir.Operand {
	t := b.TextureType(n)
	k := b.M.ChannelOf(t)
	if b.M.ShapeOf(t).IsStorage() {
		for c := b.M.FormatOf(t).Info().Channels; c < len(texel); c++ {
			texel[c] = absent(b, k, c)
		}
		return texel
	}
	channels := b.EmitMachine(textureChannels, scalar.U32, mir.Word, n)
	for c := 1; c < len(texel); c++ {
		texel[c] = b.Choose(b.Compute(op.Gt, scalar.U32, channels, b.U32(uint32(c))), texel[c], absent(b, k, c))
	}
	return texel
}

// absent is what a channel is read as that a format lacks.
func absent(b *mir.Builder, k scalar.Kind, channel int) mir.Operand {
	if channel == 3 {
		return b.Int(k, 1)
	}
	return b.Int(k, 0)
}

// textureLoad reads a texel by a texture object, whose addressing does not matter:
// guard.RobustTextures keeps the coordinates inside. A storage texture that is only read is read
// so as well, and the device knows its format.
func (e *emitter) textureLoad(b *mir.Builder, i ir.Inst) {
	f := b.F
	o := f.TextureOperandsOf(i)
	n := b.HandleOf(o.Texture)
	var args operandList
	for _, a := range f.Args(i)[1:] {
		args.add(b.Slots(a)...)
	}
	if b.M.ShapeOf(b.TextureType(n)).IsDepth() {
		b.EmitTexture(op.TextureLoad, n, b.Define(f.Result(i)), args.all()...)
		return
	}
	texel := freshWords(b, 4)
	b.EmitTexture(op.TextureLoad, n, texel.all(), args.all()...)
	b.Alias(f.Result(i), masked(b, n, texel.all())...)
}

// lookup is where a sample is taken.
type lookup struct {
	aux, n      uint32 // the handles, and the texture's number
	shape       texture.Shape
	coordinates operandList
	layer       mir.Operand // or none
	offset      operandList
}

func (e *emitter) lookup(b *mir.Builder, o *ir.TextureOperands) lookup {
	n := b.HandleOf(o.Texture)
	l := lookup{aux: mir.HandlesAux(n, b.HandleOf(o.Sampler)), n: n, shape: b.M.ShapeOf(b.TextureType(n))}
	l.coordinates.add(b.Slots(o.Coordinates)...)
	if o.Layer != ir.NoValue {
		if l.layer = b.Slot(o.Layer); !isZero(b, l.layer) && e.Context.Bounds != opt.BoundsOff {
			layers := freshWords(b, 1)
			b.EmitTexture(op.TextureLayers, n, layers.all())
			l.layer = b.Compute(op.Min, scalar.U32, l.layer, b.Compute(op.Sub, scalar.U32, layers.list[0], b.U32(1)))
		}
	}
	if o.Offset != ir.NoValue && !b.M.IsZero(o.Offset) {
		l.offset.add(b.Slots(o.Offset)...)
	}
	return l
}

// args are the operands of an instruction of the machine level.
func (l *lookup) args(more mir.Operand) operandList {
	args := l.coordinates
	if l.layer != mir.NoOperand {
		args.add(l.layer)
	}
	args.add(more)
	args.add(l.offset.all()...)
	return args
}

func (e *emitter) textureSample(b *mir.Builder, i ir.Inst) {
	o := b.F.TextureOperandsOf(i)
	l := e.lookup(b, &o)
	var level mir.Operand
	if o.GradientX != ir.NoValue {
		level = e.detail(b, &l, b.Slots(o.GradientX), b.Slots(o.GradientY))
	} else {
		level = b.Slot(o.Level)
	}
	args := l.args(level)
	if l.shape.IsDepth() {
		b.EmitTexture(op.TextureSample, l.aux, b.Define(b.F.Result(i)), args.all()...)
		return
	}
	texel := freshWords(b, 4)
	b.EmitTexture(op.TextureSample, l.aux, texel.all(), args.all()...)
	b.Alias(b.F.Result(i), masked(b, l.n, texel.all())...)
}

// minSquare is the square of the smallest length in texels that is told from 0: a level of -50.
const minSquare = 0x1p-100

// detail returns the level of detail that follows from derivatives: log2 of the longer one's length
// in texels.
func (e *emitter) detail(b *mir.Builder, l *lookup, x, y []mir.Operand) mir.Operand {
	if l.shape.Info().Dimension == texture.Cube {
		at := l.coordinates.all()
		c := cubeOf(b, at)
		onX, onY := c.gradient(b, at, x), c.gradient(b, at, y)
		x, y = onX[:], onY[:]
	}
	size := e.sizeOf(b, l, mir.NoOperand)
	square := func(d []mir.Operand) mir.Operand {
		sum := single(b, minSquare)
		for k, s := range size.all() {
			part := b.Compute(op.Mul, scalar.F32, d[k], s)
			sum = b.Compute(op.Fma, scalar.F32, part, part, sum)
		}
		return sum
	}
	xx := square(x)
	longest := b.Compute(op.Max, scalar.F32, xx, square(y))
	return b.Compute(op.Mul, scalar.F32, b.Compute(op.Log2, scalar.F32, longest), single(b, 0.5))
}

// sizeOf returns a texture's size, at a level if it is one, as numbers to compute with.
func (e *emitter) sizeOf(b *mir.Builder, l *lookup, level mir.Operand) operandList {
	size := freshWords(b, l.shape.SizeComponents())
	b.EmitTexture(op.TextureSize, l.n, size.all())
	for k, x := range size.all() {
		if level != mir.NoOperand {
			x = levelOf(b, x, level)
		}
		size.list[k] = b.Convert(scalar.F32, scalar.U32, x)
	}
	return size
}

// textureGather gathers one channel; depths have only one.
func (e *emitter) textureGather(b *mir.Builder, i ir.Inst) {
	o := b.F.TextureOperandsOf(i)
	l := e.lookup(b, &o)
	component := b.Slot(o.Component)
	four := freshWords(b, 4)
	if l.shape.IsDepth() {
		component = b.U32(0)
	}
	args := l.args(component)
	b.EmitTexture(op.TextureGather, l.aux, four.all(), args.all()...)
	if c := int(b.Out.Bits(component)); c > 0 {
		channels := b.EmitMachine(textureChannels, scalar.U32, mir.Word, l.n)
		has := b.Compute(op.Gt, scalar.U32, channels, b.U32(uint32(c)))
		for k, x := range four.all() {
			four.list[k] = b.Choose(has, x, absent(b, b.M.ChannelOf(b.TextureType(l.n)), c))
		}
	}
	b.Alias(b.F.Result(i), four.all()...)
}

// textureCompare lowers comparisons: a gather of the four texels around, and a comparison with
// each. The coordinates are moved to where the four meet, so that the device, which has eight bits
// of fraction, finds those that the weights are for.
func (e *emitter) textureCompare(b *mir.Builder, i ir.Inst) {
	o := b.F.TextureOperandsOf(i)
	l := e.lookup(b, &o)
	how := b.EmitMachine(textureComparison, scalar.U32, mir.Word, l.aux)
	has := func(bit abi.Comparison) mir.Operand {
		return b.Compute(op.Ne, scalar.U32, b.Compute(op.And, scalar.U32, how, b.U32(uint32(bit))), b.U32(0))
	}
	f32 := func(o op.Op, args ...mir.Operand) mir.Operand { return b.Compute(o, scalar.F32, args...) }
	zero, one := single(b, 0), single(b, 1)

	reference := b.Slot(o.Reference)
	reference = b.Choose(has(abi.ComparesUnorm), f32(op.Clamp, reference, zero, one), reference)
	size := e.sizeOf(b, &l, b.Compute(op.Shr, scalar.U32, how, b.U32(abi.ComparisonLevel)))
	at, offset := [2]mir.Operand(l.coordinates.list[:]), l.offset
	var c cube
	isCube := l.shape.Info().Dimension == texture.Cube
	if isCube {
		c = cubeOf(b, l.coordinates.all())
		at = c.faceCoordinates(b, l.coordinates.all())
	}
	var weights, middle [2]mir.Operand
	for k := range middle {
		x := f32(op.Sub, f32(op.Mul, at[k], size.list[k]), single(b, 0.5))
		low := f32(op.Floor, x)
		weights[k] = f32(op.Sub, x, low)
		if offset.count > 0 {
			low = f32(op.Add, low, b.Convert(scalar.F32, scalar.I32, offset.list[k]))
		}
		middle[k] = f32(op.Div, f32(op.Add, low, one), size.list[k])
		// a quarter of a texel inside, where it is clear which face the direction leads to
		if isCube {
			quarter := f32(op.Div, single(b, 0.25), size.list[k])
			middle[k] = f32(op.Clamp, middle[k], quarter, f32(op.Sub, one, quarter))
		}
	}
	l.coordinates, l.offset = operandList{}, operandList{}
	if isCube {
		direction := c.direction(b, middle[0], middle[1])
		l.coordinates.add(direction[:]...)
	} else {
		l.coordinates.add(middle[:]...)
	}
	four, args := freshWords(b, 4), l.args(b.U32(0))
	b.EmitTexture(op.TextureGather, l.aux, four.all(), args.all()...)
	for k, texel := range four.all() {
		relation := b.Choose(b.Compute(op.Eq, scalar.F32, reference, texel), b.U32(uint32(abi.ComparesEqual)), b.U32(uint32(abi.ComparesGreater)))
		relation = b.Choose(b.Compute(op.Lt, scalar.F32, reference, texel), b.U32(uint32(abi.ComparesLess)), relation)
		holds := b.Compute(op.Ne, scalar.U32, b.Compute(op.And, scalar.U32, how, relation), b.U32(0))
		four.list[k] = b.Choose(holds, one, zero)
	}
	if b.F.Op(i) == op.TextureGatherCompare {
		b.Alias(b.F.Result(i), four.all()...)
		return
	}
	linear := has(abi.ComparesLinearly)
	for k, w := range weights { // without a filter the nearest weighs all
		nearest := b.Choose(b.Compute(op.Ge, scalar.F32, w, single(b, 0.5)), one, zero)
		weights[k] = b.Choose(linear, w, nearest)
	}
	mix := func(x, y, weight mir.Operand) mir.Operand { return f32(op.Fma, f32(op.Sub, y, x), weight, x) }
	// a gather yields (0,1) (1,1) (1,0) (0,0)
	b.Alias(b.F.Result(i), mix(mix(four.list[3], four.list[2], weights[0]), mix(four.list[0], four.list[1], weights[0]), weights[1]))
}

// cube is the face of a cube that a direction leads to (WGSL, texture view dimensions). The
// predicates say which of its components is the largest, and sign is 1 or -1.
type cube struct{ z, y, sign mir.Operand }

func cubeOf(b *mir.Builder, d []mir.Operand) (c cube) {
	var size [3]mir.Operand
	for k, x := range d {
		size[k] = b.Compute(op.Abs, scalar.F32, x)
	}
	c.z = b.Compute(op.Ge, scalar.F32, size[2], b.Compute(op.Max, scalar.F32, size[0], size[1]))
	c.y = b.Compute(op.Ge, scalar.F32, size[1], size[0])
	longest := b.Choose(c.z, d[2], b.Choose(c.y, d[1], d[0]))
	c.sign = b.Choose(b.Compute(op.Lt, scalar.F32, longest, single(b, 0)), single(b, -1), single(b, 1))
	return c
}

// on returns a vector's components along the columns and rows of the face, and out of it.
func (c *cube) on(b *mir.Builder, d []mir.Operand) (across, down, out mir.Operand) {
	turned := func(x mir.Operand) mir.Operand { return b.Compute(op.Mul, scalar.F32, x, c.sign) }
	across = b.Choose(c.z, turned(d[0]), b.Choose(c.y, d[0], b.Compute(op.Neg, scalar.F32, turned(d[2]))))
	up := b.Compute(op.Neg, scalar.F32, d[1])
	down = b.Choose(c.z, up, b.Choose(c.y, turned(d[2]), up))
	return across, down, turned(b.Choose(c.z, d[2], b.Choose(c.y, d[1], d[0])))
}

// faceCoordinates returns the coordinates on the face, from 0 to 1.
func (c *cube) faceCoordinates(b *mir.Builder, d []mir.Operand) [2]mir.Operand {
	half := single(b, 0.5)
	across, down, out := c.on(b, d)
	on := func(x mir.Operand) mir.Operand {
		return b.Compute(op.Fma, scalar.F32, b.Compute(op.Div, scalar.F32, x, out), half, half)
	}
	return [...]mir.Operand{on(across), on(down)}
}

// direction returns the direction to coordinates on the face. It is the inverse of faceCoordinates.
func (c *cube) direction(b *mir.Builder, u, v mir.Operand) [3]mir.Operand {
	centred := func(x mir.Operand) mir.Operand {
		return b.Compute(op.Fma, scalar.F32, x, single(b, 2), single(b, -1))
	}
	turned := func(x mir.Operand) mir.Operand { return b.Compute(op.Mul, scalar.F32, x, c.sign) }
	across, down := centred(u), centred(v)
	up := b.Compute(op.Neg, scalar.F32, down)
	return [...]mir.Operand{
		b.Choose(c.z, turned(across), b.Choose(c.y, across, c.sign)),
		b.Choose(c.z, up, b.Choose(c.y, c.sign, up)),
		b.Choose(c.z, c.sign, b.Choose(c.y, turned(down), b.Compute(op.Neg, scalar.F32, turned(across)))),
	}
}

// gradient returns the derivatives of the coordinates on the face from those of the direction: the
// quotient rule.
func (c *cube) gradient(b *mir.Builder, d, derivative []mir.Operand) [2]mir.Operand {
	across, down, out := c.on(b, d)
	acrossBy, downBy, outBy := c.on(b, derivative)
	f32 := func(o op.Op, args ...mir.Operand) mir.Operand { return b.Compute(o, scalar.F32, args...) }
	part := func(x, by mir.Operand) mir.Operand { // (by·out - x·outBy) / 2out²
		change := f32(op.Sub, f32(op.Mul, by, out), f32(op.Mul, x, outBy))
		return f32(op.Div, f32(op.Mul, change, single(b, 0.5)), f32(op.Mul, out, out))
	}
	return [...]mir.Operand{part(across, acrossBy), part(down, downBy)}
}
