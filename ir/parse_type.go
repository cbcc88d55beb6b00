package ir

import (
	"math"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file reads types.

// typ reads a type.
func (p *parser) typ() Type {
	p.enter()
	defer func() { p.depth-- }()
	at := p.token
	name := p.name("a type")
	if t, ok := p.structs[name]; ok {
		return t
	}
	if name == "void" {
		return Void
	}
	for k := scalar.Bool; k < scalar.Count; k++ {
		if k.String() == name {
			return Type(k)
		}
	}
	m := p.m
	switch {
	case name == "sampler":
		return m.SamplerOf(false)
	case name == "sampler_comparison":
		return m.SamplerOf(true)
	case name == "buffer":
		return p.buffer()
	}
	if shape, ok := texture.ShapeNamed(name); ok {
		return p.texture(shape)
	}
	p.expect("<")
	var t Type
	switch {
	case len(name) == 4 && name[:3] == "vec" && name[3] >= '2' && name[3] <= '4':
		t = m.VectorOf(p.scalarType(), int(name[3]-'0'))
	case len(name) == 6 && name[:3] == "mat" && name[3] >= '2' && name[3] <= '4' && name[4] == 'x' && name[5] >= '2' && name[5] <= '4':
		element, columns := p.scalarType(), int(name[3]-'0')
		t = m.MatrixOf(element, columns, int(name[5]-'0'))
		if stride, ok := p.stride(); ok {
			t = m.MatrixWithStride(m.Element(t), columns, stride)
		}
	case name == "array":
		t = p.array()
	case name == "ptr":
		t = p.pointer()
	case name == "atomic":
		t = m.AtomicOf(p.scalarType())
	default:
		p.fail(at, "no type is called `"+name+"`")
	}
	p.expect(">")
	return t
}

func (p *parser) scalarType() Type {
	at := p.token
	t := p.typ()
	if !p.m.IsScalar(t) {
		p.fail(at, "expected a scalar type")
	}
	return t
}

func (p *parser) stride() (n uint32, ok bool) {
	if !p.accept(",") {
		return 0, false
	}
	p.expect("stride")
	return uint32(p.integer("a stride")), true
}

func (p *parser) array() Type {
	element := p.typ()
	count := NoValue
	t := p.m.ArrayOf(element, count)
	if !p.accept(",") {
		return t
	}
	if !p.is("stride") {
		at := p.token
		count = p.value()
		if n, ok := p.m.ConstUint(count); (!ok || n > math.MaxUint32) && !count.IsOverride() {
			p.fail(at, "an array's count is a u32 constant or an override")
		}
		t = p.m.ArrayOf(element, count)
		if !p.accept(",") {
			return t
		}
	}
	p.expect("stride")
	return p.m.ArrayWithStride(element, count, uint32(p.integer("a stride")))
}

// buffer reads what may follow a buffer type's name, its size.
func (p *parser) buffer() Type {
	if !p.accept("<") {
		return p.m.BufferOf(NoValue)
	}
	at := p.token
	size := p.value()
	if n, ok := p.m.ConstUint(size); (!ok || n > math.MaxUint32) && !size.IsOverride() {
		p.fail(at, "a buffer's size is a u32 constant or an override")
	}
	p.expect(">")
	return p.m.BufferOf(size)
}

func (p *parser) pointer() Type {
	at := p.token
	space := spaceCount
	for s, name := range spaceNames {
		if p.is(name) {
			space = Space(s)
		}
	}
	if space == spaceCount {
		p.fail(at, "expected an address space, found "+p.describe())
	}
	p.next()
	p.expect(",")
	pointee := p.typ()
	access := DefaultAccess(space)
	if p.accept(",") {
		access = p.access()
	}
	return p.m.PointerTo(space, pointee, access)
}

func (p *parser) access() Access {
	for a, name := range accessNames {
		if p.accept(name) {
			return Access(a)
		}
	}
	p.fail(p.token, "expected an access mode, found "+p.describe())
	return 0
}

func (p *parser) texture(shape texture.Shape) Type {
	sampled := scalar.F32
	switch {
	case shape.IsStorage():
		p.expect("<")
		at := p.token
		name := p.name("a texel format")
		format, ok := texture.FormatNamed(name)
		if !ok || format >= texture.StorageFormats {
			p.fail(at, "no texel format of storage textures is called `"+name+"`")
		}
		p.expect(",")
		access := p.access()
		p.expect(">")
		return p.m.StorageTextureOf(shape, format, access)
	case shape.Typed():
		p.expect("<")
		at := p.token
		sampled = p.m.ScalarOf(p.scalarType())
		if sampled != scalar.F32 && sampled != scalar.I32 && sampled != scalar.U32 {
			p.fail(at, "a texture is read as f32, i32 or u32")
		}
		p.expect(">")
	}
	return p.m.TextureOf(shape, sampled)
}
