package spirv

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/devicetest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file runs random kernels of texture operations on the Vulkan devices that
// are found and compares them with the interpreter. Coordinates of texels lie
// inside and far outside; those of samples keep a quarter of a texel away from
// where another texel is nearest, so that every result is exact.

const textureInvocations = 64

// randomTextures builds a kernel from a seed, with what it is run on.
type randomTextures struct {
	buffers
	random  *rand.Rand
	inputs  [][]byte // by binding of group 0; outputs are zero
	images  []*texture.Image
	handles []texture.Handle // by binding of group 1
}

// newRandomTextures adds textures until there are count buffers: at most 22 more,
// since devices take 32.
func newRandomTextures(seed uint64, buffers int) *randomTextures {
	r := &randomTextures{buffers: *newBuffers(), random: rand.New(rand.NewPCG(seed, 7))}
	for len(r.inputs) < buffers {
		r.operation()
	}
	r.b.Return(0)
	return r
}

// buffer declares a buffer with an element for each invocation.
func (r *randomTextures) buffer(t ir.Type, fill func() uint32) ir.Value {
	n := uint32(len(r.inputs))
	array := r.m.ArrayOf(t, 0)
	data := make([]byte, textureInvocations*r.m.Stride(array))
	for at := 0; fill != nil && at < len(data); at += 4 {
		binary.LittleEndian.PutUint32(data[at:], fill())
	}
	r.inputs = append(r.inputs, data)
	g := r.m.AddGlobal(ir.Global{Name: "g", Type: r.m.PointerTo(ir.Storage, array, ir.ReadWrite), Binding: n, Bound: true})
	return r.b.Access(g, r.index)
}

func (r *randomTextures) input(t ir.Type, fill func() uint32) ir.Value {
	return r.b.Load(r.buffer(t, fill))
}

func (r *randomTextures) keep(o op.Op, args ...ir.Value) {
	t := r.m.TextureResult(o, r.b.F.TypeOf(args[0]))
	v := r.b.Emit(o, t, 0, args...)
	r.b.Store(r.buffer(t, nil), v)
}

func (r *randomTextures) bind(t ir.Type, h texture.Handle) ir.Value {
	g := r.m.AddGlobal(ir.Global{Name: "h", Type: r.m.PointerTo(ir.Handle, t, ir.Read), Group: 1,
		Binding: uint32(len(r.handles)), Bound: true})
	r.handles = append(r.handles, h)
	return r.b.Load(g)
}

// integer is any of either kind.
func (r *randomTextures) integer() scalar.Kind {
	return []scalar.Kind{scalar.U32, scalar.I32}[r.random.IntN(2)]
}

// texelCoordinate returns a coordinate around the size of the images, or an arbitrary one.
func (r *randomTextures) texelCoordinate() uint32 {
	if r.random.IntN(4) == 0 {
		return r.random.Uint32()
	}
	return uint32(r.random.IntN(12) - 2)
}

// real fills with floats from a list.
func (r *randomTextures) real(list ...float32) func() uint32 {
	return func() uint32 { return math.Float32bits(list[r.random.IntN(len(list))]) }
}

// storageFormats are those whose texels here are exact, without a feature.
var storageFormats = []texture.Format{texture.R32Uint, texture.R32Sint, texture.R32Float, texture.RGBA32Uint, texture.RGBA32Sint,
	texture.RGBA32Float, texture.RGBA16Uint, texture.RGBA16Sint, texture.RGBA16Float, texture.RGBA8Uint, texture.RGBA8Sint,
	texture.RGBA8Unorm, texture.RGBA8Snorm}

// operation adds an operation on a new texture.
func (r *randomTextures) operation() {
	s := texture.Shape(r.random.IntN(int(texture.Shapes)))
	info := s.Info()
	if info.Multisampled {
		return // devices do not take their texels from the host
	}
	d := s.Describe(texture.NoFormat, 8, 4, 2, 3, 3)
	var t ir.Type
	access := ir.Read
	switch {
	case s.IsStorage():
		access = []ir.Access{ir.Read, ir.Write, ir.ReadWrite}[r.random.IntN(3)]
		d.Format = storageFormats[r.random.IntN(len(storageFormats))]
		if access == ir.ReadWrite {
			d.Format = storageFormats[r.random.IntN(3)]
		}
		t = r.m.StorageTextureOf(s, d.Format, access)
	case s.IsDepth():
		d.Format = texture.Depth32Float
		t = r.m.TextureOf(s, scalar.F32)
	case s.Typed():
		n := r.random.IntN(3)
		d.Format = []texture.Format{texture.RGBA32Float, texture.RGBA32Sint, texture.RGBA32Uint}[n]
		t = r.m.TextureOf(s, []scalar.Kind{scalar.F32, scalar.I32, scalar.U32}[n])
	default:
		d.Format = texture.RGBA32Float
		t = r.m.TextureOf(s, scalar.F32)
	}
	image := texture.NewImage(&d)
	for level := range d.Levels {
		r.texels(image.Level(level), d.Format)
	}
	r.images = append(r.images, image)
	h := r.bind(t, texture.Handle{Image: image})
	r.queries(s, h)
	if info.Dimension != texture.Cube {
		r.texel(s, access, h)
	}
	if !s.IsStorage() {
		r.sample(s, h)
	}
}

// texels fills with numbers of a format: integers, or floats between 0 and 1.
func (r *randomTextures) texels(data []byte, f texture.Format) {
	info := f.Info()
	for at := 0; at < len(data); at += info.Bits / 8 {
		x := r.random.Uint32() & 0x7f
		if info.Encoding == texture.Float {
			x = []uint32{0, 0x3f000000, 0x3f800000, 0x3e800000, 0x3f400000}[x%5]
			if info.Bits == 16 {
				x = []uint32{0, 0x3c00, 0x3800, 0x3400}[x>>23%4]
			}
		}
		switch {
		case info.Encoding == texture.Unorm: // 0 and 1, which are exact
			data[at] = byte(x&1) * 255
		case info.Encoding == texture.Snorm:
			data[at] = byte(x&1) * 127
		case info.Bits == 8:
			data[at] = byte(x)
		case info.Bits == 16:
			binary.LittleEndian.PutUint16(data[at:], uint16(x))
		default:
			binary.LittleEndian.PutUint32(data[at:], x)
		}
	}
}

// queries keeps the numbers that the texture has.
func (r *randomTextures) queries(s texture.Shape, h ir.Value) {
	r.keep(op.TextureSize, h)
	if s.HasLevels() {
		r.keep(op.TextureLevels, h)
		r.keep(op.TextureSize, h, r.input(ir.Type(r.integer()), r.texelCoordinate))
	}
	if s.Info().Arrayed {
		r.keep(op.TextureLayers, h)
	}
}

// texel loads, reads or stores. All invocations store the same texel, so that it
// does not matter which of them is last.
func (r *randomTextures) texel(s texture.Shape, access ir.Access, h ir.Value) {
	args := []ir.Value{h, r.input(r.vector(r.integer(), s.SizeComponents()), r.texelCoordinate)}
	if s.Info().Arrayed {
		args = append(args, r.input(ir.Type(r.integer()), r.texelCoordinate))
	}
	switch access {
	case ir.Write:
		four := r.m.VectorOf(ir.Type(r.m.ChannelOf(r.b.F.TypeOf(h))), 4)
		parts := make([]ir.Value, 4)
		for n := range parts {
			parts[n] = r.m.ConstInt(r.m.Element(four), int64(r.random.IntN(2)))
		}
		r.b.Emit(op.TextureStore, ir.Void, 0, append(args, r.m.ConstComposite(four, parts))...)
		return
	case ir.ReadWrite:
		r.keep(op.TextureRead, args...)
		return
	}
	if s.HasLevels() {
		args = append(args, r.input(ir.Type(r.integer()), r.texelCoordinate))
	}
	r.keep(op.TextureLoad, args...)
}

// sample takes the nearest texels.
func (r *randomTextures) sample(s texture.Shape, h ir.Value) {
	info := s.Info()
	sampler := texture.Sampler{}
	for n := range sampler.Address {
		sampler.Address[n] = texture.AddressMode(r.random.IntN(int(texture.AddressModes)))
	}
	comparing := sampler
	comparing.Compare = texture.Compare(1 + r.random.IntN(int(texture.Compares)-1))
	nearest := r.bind(r.m.SamplerOf(false), texture.Handle{Sampler: &sampler})
	comparison := r.bind(r.m.SamplerOf(true), texture.Handle{Sampler: &comparing})
	coordinate := r.real(-13./16, -3./16, 1./16, 3./16, 5./16, 7./16, 9./16, 11./16, 13./16, 15./16, 17./16, 27./16)
	var coordinates ir.Value
	if info.Dimension == texture.Cube { // a direction to the middle of a face
		var parts [3]ir.Value
		major := r.random.IntN(3)
		for n := range parts {
			parts[n] = r.input(ir.F32, r.real(-7./16, -3./16, 1./16, 5./16))
			if n == major {
				parts[n] = r.input(ir.F32, r.real(-1, 1))
			}
		}
		coordinates = r.b.Emit(op.Construct, r.vector(scalar.F32, 3), 0, parts[:]...)
	} else {
		coordinates = r.input(r.vector(scalar.F32, s.Coordinates()), coordinate)
	}
	var layer, offset []ir.Value
	if info.Arrayed {
		layer = []ir.Value{r.input(ir.Type(r.integer()), r.texelCoordinate)}
	}
	if info.Dimension != texture.Cube && s != texture.Sampled1D && r.random.IntN(2) == 0 {
		var parts []ir.Value
		for range s.SizeComponents() {
			parts = append(parts, r.m.ConstI32(int32(r.random.IntN(16)-8)))
		}
		offset = []ir.Value{r.m.ConstComposite(r.vector(scalar.I32, len(parts)), parts)}
	}
	with := func(sampler ir.Value, more ...ir.Value) []ir.Value {
		return slices.Concat([]ir.Value{h, sampler, coordinates}, layer, more, offset)
	}
	r.keep(op.TextureSample, with(nearest, r.input(ir.F32, r.real(-1, 0, 1, 2, 5)))...)
	if info.Dimension != texture.Cube {
		// from a texel to a texel, or to the next but one
		gradient := r.vector(scalar.F32, s.Coordinates())
		zero := r.m.Zero(gradient)
		r.keep(op.TextureSampleGradient, with(nearest, r.input(gradient, r.real(0)), zero)...)
	}
	reference := r.real(0, 0.25, 0.5, 0.625, 1)
	if s.IsDepth() {
		r.keep(op.TextureSampleCompare, with(comparison, r.input(ir.F32, reference))...)
	}
	if info.Dimension == texture.D2 || info.Dimension == texture.Cube {
		component := uint32(r.random.IntN(4))
		if s.IsDepth() {
			component = 0
			r.keep(op.TextureGatherCompare, with(comparison, r.input(ir.F32, reference))...)
		}
		r.keep(op.TextureGather, with(nearest, r.m.ConstU32(component))...)
	}
}

// interpreted runs the kernel on the interpreter: what it leaves in the buffers,
// then in the images.
func (r *randomTextures) interpreted(t *testing.T) (contents [][]byte) {
	t.Helper()
	p, err := interp.Compile(r.m, r.m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range r.inputs {
		contents = append(contents, bytes.Clone(data))
	}
	handles := slices.Clone(r.handles)
	var images []*texture.Image
	for n, h := range handles {
		if h.Image == nil {
			continue
		}
		image := texture.NewImage(&h.Image.Description)
		for level := range image.Levels {
			copy(image.Level(level), h.Image.Level(level))
		}
		handles[n].Image = image
		images = append(images, image)
	}
	if _, err := p.Run(&interp.Launch{Buffers: contents, Handles: handles, Grid: [3]uint32{1, 1, 1}, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	return append(contents, levels(images)...)
}

// levels lists the texels of images.
func levels(images []*texture.Image) (list [][]byte) {
	for _, image := range images {
		for level := range image.Levels {
			list = append(list, image.Level(level))
		}
	}
	return list
}

// executed runs an artefact of the kernel on a device.
func (r *randomTextures) executed(t *testing.T, device *gpu.Device, a *abi.Artefact) (contents [][]byte) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	kernel, err := device.Load(a)
	must(err)
	defer kernel.Close()
	stream, err := device.NewStream()
	must(err)
	defer stream.Close()
	arguments := kernel.Args()
	var buffers []*gpu.Buffer[byte]
	for n, data := range r.inputs {
		b, err := gpu.Upload(ctx, device, data)
		must(err)
		defer b.Close()
		must(arguments.Set(n, b))
		buffers = append(buffers, b)
	}
	var textures []*gpu.Texture
	for n, h := range r.handles {
		if h.Sampler != nil {
			s, err := device.NewSampler(*h.Sampler)
			must(err)
			defer s.Close()
			must(arguments.SetSampler(n, s))
			continue
		}
		image, err := device.NewTexture(h.Image.Description)
		must(err)
		defer image.Close()
		for level := range h.Image.Levels {
			must(image.Write(level, h.Image.Level(level)))
		}
		must(arguments.SetTexture(n, image, 0))
		textures = append(textures, image)
	}
	must(stream.Launch(arguments, gpu.Grid{X: 1, Y: 1, Z: 1}))
	for n, b := range buffers {
		data := make([]byte, len(r.inputs[n]))
		must(b.Read(ctx, stream, data))
		contents = append(contents, data)
	}
	must(stream.Wait(ctx))
	for n, image := range textures {
		for level := range r.images[n].Levels {
			data, err := image.Read(level)
			must(err)
			contents = append(contents, data)
		}
	}
	return contents
}

// artefact compiles the kernel and has spirv-val look at it.
func (r *randomTextures) artefact(t *testing.T, o codegen.Options) *abi.Artefact {
	t.Helper()
	var list diag.List
	ir.Verify(r.m, &list)
	o.Context = &opt.Context{Verify: true}
	a := codegen.Compile(r.m, "", &Target, &o, &list)
	if a == nil {
		t.Fatalf("does not compile: %+v\n%s", list.Items(), r.m.Text())
	}
	return a
}

func TestRandomTexturesOnDevices(t *testing.T) {
	seeds := uint64(*seedCount) / 5
	if testing.Short() {
		seeds = 10
	}
	for _, device := range devicetest.Devices(t, abi.SPIRV) {
		for seed := range seeds {
			r := newRandomTextures(seed, 10)
			want := r.interpreted(t)
			for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsTrap}} {
				if o.Bounds == opt.BoundsTrap && seed%4 != 0 {
					continue
				}
				got := r.executed(t, device, r.artefact(t, o))
				for n := range want {
					if !bytes.Equal(want[n], got[n]) {
						at := 0
						for got[n][at] == want[n][at] {
							at++
						}
						t.Fatalf("seed %d on %s: buffer or level %d has from byte %d on\n%x, want\n%x\n%s", seed, device.Info().Name, n, at,
							got[n][at:], want[n][at:], r.m.Text())
					}
				}
			}
		}
	}
}

// TestRandomTexturesAreValid has spirv-val look at more of them, in every way.
func TestRandomTexturesAreValid(t *testing.T) {
	for seed := range uint64(40) {
		r := newRandomTextures(1000+seed, 40)
		for _, bounds := range []opt.Bounds{opt.BoundsRobust, opt.BoundsTrap, opt.BoundsOff} {
			o := codegen.Options{Bounds: bounds, NoOptimize: seed%2 == 0}
			a := r.artefact(t, o)
			validate(t, a.Code)
			if again := r.artefact(t, o); !bytes.Equal(again.Code, a.Code) {
				t.Fatalf("seed %d: a second compilation gives other bytes", seed)
			}
		}
	}
}
