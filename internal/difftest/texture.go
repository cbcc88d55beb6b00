package difftest

// Textures: how their texels lie in memory, and the builtins that read and write them (WGSL
// §17.7). There are only those whose results are exact: no sampling, and no conversion to a texel
// format that would round.

import (
	"fmt"
	"slices"
	"strings"
)

// encoding says how a channel's bits encode a value.
type encoding uint8

const (
	encodesUint encoding = iota
	encodesSint
	encodesFloat
	encodesUnorm // exact for 0 and 1 only, which is all that textures hold here
	encodesSnorm // -1, 0 and 1
)

// TexelFormat is how texels lie in memory.
type TexelFormat struct {
	Name     string
	Channels int
	Bytes    int // of a channel
	encoding encoding
	storage  bool // textures that programs write may have it
}

var texelFormats = []TexelFormat{
	{"r8uint", 1, 1, encodesUint, false}, {"r8sint", 1, 1, encodesSint, false},
	{"rg8uint", 2, 1, encodesUint, false}, {"rg8sint", 2, 1, encodesSint, false},
	{"rgba8uint", 4, 1, encodesUint, true}, {"rgba8sint", 4, 1, encodesSint, true},
	{"rgba8unorm", 4, 1, encodesUnorm, true}, {"rgba8snorm", 4, 1, encodesSnorm, true},
	{"r16uint", 1, 2, encodesUint, false}, {"rg16sint", 2, 2, encodesSint, false}, {"r16float", 1, 2, encodesFloat, false},
	{"rgba16uint", 4, 2, encodesUint, true}, {"rgba16sint", 4, 2, encodesSint, true}, {"rgba16float", 4, 2, encodesFloat, true},
	{"r32uint", 1, 4, encodesUint, true}, {"r32sint", 1, 4, encodesSint, true}, {"r32float", 1, 4, encodesFloat, true},
	{"rg32uint", 2, 4, encodesUint, true}, {"rg32sint", 2, 4, encodesSint, true}, {"rg32float", 2, 4, encodesFloat, true},
	{"rgba32uint", 4, 4, encodesUint, true}, {"rgba32sint", 4, 4, encodesSint, true}, {"rgba32float", 4, 4, encodesFloat, true},
}

// channel is the type of a channel as programs see it.
func (f *TexelFormat) channel() *Type {
	switch f.encoding {
	case encodesUint:
		return u32Type
	case encodesSint:
		return i32Type
	}
	return f32Type
}

// texelBytes is the size of a texel.
func (f *TexelFormat) texelBytes() int { return f.Channels * f.Bytes }

// holds says whether a channel has exactly the value of a word.
func (f *TexelFormat) holds(w uint32) bool {
	low := uint32(1) << (8*f.Bytes - 1)
	switch f.encoding {
	case encodesUint:
		return f.Bytes == 4 || w < 2*low
	case encodesSint:
		return f.Bytes == 4 || w+low < 2*low
	case encodesUnorm:
		return wide(w) == 0 || wide(w) == 1
	case encodesSnorm:
		return wide(w) == 0 || wide(w) == 1 || wide(w) == -1
	}
	return f.Bytes == 4 || representable(wide(w), F16)
}

// encode is a channel's bits for a value that it holds.
func (f *TexelFormat) encode(w uint32) uint32 {
	switch f.encoding {
	case encodesUnorm:
		return uint32(255 * wide(w))
	case encodesSnorm:
		return uint32(int32(127 * wide(w)))
	case encodesFloat:
		if f.Bytes == 2 {
			return uint32(halfBits(f32(w)))
		}
	}
	return w
}

// decode is the value of a channel's bits.
func (f *TexelFormat) decode(bits uint32) uint32 {
	shift := 32 - 8*f.Bytes
	switch f.encoding {
	case encodesSint:
		return uint32(int32(bits<<shift) >> shift)
	case encodesUnorm:
		return word(float32(bits) / 255)
	case encodesSnorm:
		return word(float32(int32(bits<<shift)>>shift) / 127)
	case encodesFloat:
		if f.Bytes == 2 {
			return word(halfValue(uint16(bits)))
		}
	}
	return bits
}

// Texels describes what is bound to a texture variable. Var.Data are the texels without gaps: level
// by level, in each layer by layer or slice by slice, row by row.
type Texels struct {
	Format *TexelFormat
	Size   [3]int // width, height, depth or layers; 1 where the texture has none
	Levels int
}

// levelSize is the size of a level. Layers stay as many as they are.
func (x *Texels) levelSize(t *Type, level int) [3]int {
	size := x.Size
	for i := range t.Count {
		size[i] = max(1, size[i]>>level)
	}
	return size
}

// texels is the number of texels of the levels before one.
func (x *Texels) texels(t *Type, level int) int {
	n := 0
	for l := range level {
		size := x.levelSize(t, l)
		n += size[0] * size[1] * size[2]
	}
	return n
}

// texelWords is how many words a texel has: one for each channel.
const texelWords = 4

// Texels are four words for each texel of a texture: integers as they are, the bits of f32, and
// 0, 0 and 1 for channels that the format has not.
func (b *Binding) Texels() []uint32 {
	f := b.format()
	words := make([]uint32, texelWords*len(b.Data)/f.texelBytes())
	f.load(words, b.Data)
	return words
}

// OfTexels is the inverse of Texels: bytes to compare with Want.
func (b *Binding) OfTexels(words []uint32) []byte { return b.format().store(words) }

func (b *Binding) format() *TexelFormat {
	return &texelFormats[slices.IndexFunc(texelFormats, func(f TexelFormat) bool { return f.Name == b.Texture.Format })]
}

// image is a texture in the machine.
type image struct {
	v     *Var
	start int // its first texel in machine.texels
}

// load puts texels into words. Channels that the format has not are 0, 0 and 1.
func (f *TexelFormat) load(words []uint32, data []byte) {
	one := uint32(1)
	if f.channel() == f32Type {
		one = word(1)
	}
	for ; len(words) > 0; words = words[texelWords:] {
		words[3] = one
		for c := range f.Channels {
			bits := uint32(0)
			for k := range f.Bytes {
				bits |= uint32(data[k]) << (8 * k)
			}
			words[c] = f.decode(bits)
			data = data[f.Bytes:]
		}
	}
}

// store is the inverse of load.
func (f *TexelFormat) store(words []uint32) []byte {
	var data []byte
	for ; len(words) > 0; words = words[texelWords:] {
		for _, w := range words[:f.Channels] {
			bits := f.encode(w)
			for k := range f.Bytes {
				data = append(data, byte(bits>>(8*k)))
			}
		}
	}
	return data
}

// words are the image's texels in the machine's.
func (i *image) words(texels []uint32) []uint32 {
	x := i.v.Texels
	n := x.texels(i.v.Type, x.Levels)
	return texels[texelWords*i.start:][:texelWords*n]
}

// binding describes a texture after the run m.
func (i *image) binding(m *machine) Binding {
	v, x := i.v, i.v.Texels
	b := Binding{
		Group: v.Group, Binding: v.Binding, Name: v.Name, Kind: "texture",
		Data: append([]byte{}, v.Data...), Want: x.Format.store(i.words(m.texels)), Floats: []FloatField{},
		Texture: &TextureShape{Dimension: dimensionName(v.Type, "-"), Format: x.Format.Name, Size: x.Size, Levels: x.Levels},
	}
	if v.Type.Format != nil {
		b.Kind = "storage-texture"
		b.Texture.Access = []string{ReadWrite: "read-write", Read: "read-only", Write: "write-only"}[v.Type.Access]
	} else {
		b.Texture.Sample = map[Kind]string{I32: "sint", U32: "uint", F32: "unfilterable-float"}[v.Type.Elem.Kind]
	}
	b.Stride = x.Format.texelBytes()
	b.Count = len(b.Data) / b.Stride
	if x.Format.encoding == encodesFloat {
		for c := range x.Format.Channels {
			b.Floats = append(b.Floats, FloatField{c * x.Format.Bytes, x.Format.Bytes == 2})
		}
	}
	return b
}

// dimensionName is "1d", "2d", "3d" or "2d" and "array", joined.
func dimensionName(t *Type, join string) string {
	name := fmt.Sprintf("%dd", t.Count)
	if t.Layered {
		name += join + "array"
	}
	return name
}

// textureType is the WGSL name of a texture type.
func textureType(t *Type) string {
	if t.Format == nil {
		return "texture_" + dimensionName(t, "_") + "<" + []string{I32: "i32", U32: "u32", F32: "f32"}[t.Elem.Kind] + ">"
	}
	access := []string{ReadWrite: "read_write", Read: "read", Write: "write"}[t.Access]
	return "texture_storage_" + dimensionName(t, "_") + "<" + t.Format.Name + ", " + access + ">"
}

func isTexture(name string) bool { return strings.HasPrefix(name, "texture") }

// isTextureQuery says whether a builtin tells what a texture is like, and does not look into it.
func isTextureQuery(name string) bool {
	return strings.HasPrefix(name, "textureDimensions") || strings.HasPrefix(name, "textureNum")
}

// coordinateType is the type of a texture's coordinates, of i32 or u32.
func (t *Type) coordinateType(scalar *Type) *Type { return vectorOf(scalar, t.Count) }

// textureArguments are the indices of a textureLoad's or textureStore's arguments after the
// coordinates, 0 for those that it does not have.
func textureArguments(e *Expr) (layer, level, value int) {
	next := 2
	if e.Args[0].Type.Layered {
		layer, next = next, next+1
	}
	if e.Name == "textureStore" {
		return layer, 0, next
	}
	if e.Args[0].Type.Format == nil {
		level = next
	}
	return layer, level, 0
}

// texel finds the index of a texel among those of the machine.
func (t *thread) texel(i *image, coordinates []uint32, layer, level uint32) (at int, ok bool) {
	x, shape := i.v.Texels, i.v.Type
	if level >= uint32(x.Levels) {
		return 0, false
	}
	size := x.levelSize(shape, int(level))
	reference := [3]uint32{}
	copy(reference[:], coordinates)
	if shape.Layered {
		reference[2] = layer
	}
	for k := range reference {
		if reference[k] >= uint32(size[k]) { // negative ones, too
			return 0, false
		}
	}
	at = int(reference[2])*size[0]*size[1] + int(reference[1])*size[0] + int(reference[0])
	return i.start + x.texels(shape, int(level)) + at, true
}

// textureShadow is the shadow of texels, a cell for each.
const textureShadow = 2

// texture compiles a builtin of a texture.
func (c *compiler) texture(e *Expr) code {
	args := make([]code, len(e.Args))
	at := make([]int, len(e.Args))
	for i, a := range e.Args {
		args[i] = c.expr(a)
		at[i] = c.temp(args[i].n)
	}
	evaluate := func(t *thread) *image {
		for i := range args {
			args[i].into(t, t.frameOf(at[i], args[i].n))
		}
		return &c.out.images[t.frameOf(at[0], 1)[0]]
	}
	word := func(t *thread, i int) uint32 { return t.frameOf(at[i], 1)[0] }
	layer, level, value := 0, 0, 0
	if !isTextureQuery(e.Name) {
		layer, level, value = textureArguments(e)
	}
	find := func(t *thread, i *image) (int, bool) {
		layerAt, levelAt := uint32(0), uint32(0)
		if layer > 0 {
			layerAt = word(t, layer)
		}
		if level > 0 {
			levelAt = word(t, level)
		}
		return t.texel(i, t.frameOf(at[1], args[1].n), layerAt, levelAt)
	}
	robust, texture := c.p.Robust, e.Args[0].Type
	switch e.Name {
	case "textureLoad":
		return manyCode(texelWords, func(t *thread, out []uint32) {
			i := evaluate(t)
			k, ok := find(t, i)
			if !ok {
				t.m.fault(FaultRange, e, nil, "a load outside of a texture")
				return
			}
			t.touch(textureShadow, k, 1, false, e)
			copy(out, t.m.texels[texelWords*k:][:texelWords])
		})
	case "textureStore":
		return manyCode(0, func(t *thread, out []uint32) {
			i := evaluate(t)
			k, ok := find(t, i)
			if !ok {
				t.m.outside = true
				if !robust {
					t.m.fault(FaultRange, e, nil, "a store outside of a texture")
				}
				return
			}
			t.touch(textureShadow, k, 1, true, e)
			for n, w := range t.frameOf(at[value], texelWords)[:texture.Format.Channels] {
				if !texture.Format.holds(w) {
					t.m.fault(FaultFloat, e, nil, "a value that the texel format has not")
					return
				}
				t.m.texels[texelWords*k+n] = w
			}
		})
	case "textureDimensions":
		return maker(e.Type.leaves(), c.temp(1), func(t *thread, out []uint32) {
			i, level := evaluate(t), 0
			if len(args) > 1 {
				if level = int(word(t, 1)); level >= i.v.Texels.Levels {
					t.m.fault(FaultRange, e, nil, "the size of a level that a texture has not")
					level = 0
				}
			}
			size := i.v.Texels.levelSize(i.v.Type, level)
			for k := range out {
				out[k] = uint32(size[k])
			}
		})
	case "textureNumLevels":
		return oneCode(func(t *thread) uint32 { return uint32(evaluate(t).v.Texels.Levels) })
	case "textureNumLayers":
		return oneCode(func(t *thread) uint32 { return uint32(evaluate(t).v.Texels.Size[2]) })
	}
	panic("unknown builtin " + e.Name)
}
