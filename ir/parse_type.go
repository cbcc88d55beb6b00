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
	at := p.Token
	name := p.Word("a type")
	if t, ok := p.structs[name]; ok {
		return t
	}
	if name == "void" {
		return Void
	}
	if k := scalar.Named(name); k != scalar.None {
		return Type(k)
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
	p.Expect("<")
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
	case name == "tile":
		t = p.tile()
	case name == "fragment":
		t = p.fragment()
	default:
		p.Fail(at, "no type is called `"+name+"`")
	}
	p.Expect(">")
	return t
}

func (p *parser) scalarType() Type {
	at := p.Token
	t := p.typ()
	if !p.m.IsScalar(t) {
		p.Fail(at, "expected a scalar type")
	}
	return t
}

func (p *parser) stride() (n uint32, ok bool) {
	if !p.Accept(",") {
		return 0, false
	}
	p.Expect("stride")
	return uint32(p.Integer("a stride")), true
}

func (p *parser) array() Type {
	element := p.typ()
	count := NoValue
	t := p.m.ArrayOf(element, count)
	if !p.Accept(",") {
		return t
	}
	if !p.Is("stride") {
		at := p.Token
		count = p.value()
		if n, ok := p.m.ConstUint(count); (!ok || n > math.MaxUint32) && !count.IsOverride() {
			p.Fail(at, "an array's count is a u32 constant or an override")
		}
		t = p.m.ArrayOf(element, count)
		if !p.Accept(",") {
			return t
		}
	}
	p.Expect("stride")
	return p.m.ArrayWithStride(element, count, uint32(p.Integer("a stride")))
}

func (p *parser) tile() Type {
	element := p.scalarType()
	p.Expect(",")
	rows := p.Integer("the rows")
	p.Expect(",")
	return p.m.TileOf(element, int(rows), int(p.Integer("the columns")))
}

func (p *parser) fragment() Type {
	at := p.Token
	use, ok := UseNamed(p.Word("the use of a fragment"))
	if !ok {
		p.Fail(at, "a fragment is a left, a right or a result")
	}
	p.Expect(",")
	element := p.scalarType()
	p.Expect(",")
	rows := p.Integer("the rows")
	p.Expect(",")
	return p.m.FragmentOf(use, element, int(rows), int(p.Integer("the columns")))
}

// buffer reads what may follow a buffer type's name, its size.
func (p *parser) buffer() Type {
	if !p.Accept("<") {
		return p.m.BufferOf(NoValue)
	}
	at := p.Token
	size := p.value()
	if n, ok := p.m.ConstUint(size); (!ok || n > math.MaxUint32) && !size.IsOverride() {
		p.Fail(at, "a buffer's size is a u32 constant or an override")
	}
	p.Expect(">")
	return p.m.BufferOf(size)
}

func (p *parser) pointer() Type {
	at := p.Token
	space, ok := SpaceNamed(p.Text(at))
	if !ok {
		p.Fail(at, "expected an address space, found "+p.Describe())
	}
	p.Next()
	p.Expect(",")
	pointee := p.typ()
	access := DefaultAccess(space)
	if p.Accept(",") {
		access = p.access()
	}
	return p.m.PointerTo(space, pointee, access)
}

func (p *parser) access() Access {
	for a, name := range accessNames {
		if p.Accept(name) {
			return Access(a)
		}
	}
	p.Fail(p.Token, "expected an access mode, found "+p.Describe())
	return 0
}

func (p *parser) texture(shape texture.Shape) Type {
	sampled := scalar.F32
	switch {
	case shape.IsStorage():
		p.Expect("<")
		at := p.Token
		name := p.Word("a texel format")
		format, ok := texture.FormatNamed(name)
		if !ok || format >= texture.StorageFormats {
			p.Fail(at, "no texel format of storage textures is called `"+name+"`")
		}
		p.Expect(",")
		access := p.access()
		p.Expect(">")
		return p.m.StorageTextureOf(shape, format, access)
	case shape.Typed():
		p.Expect("<")
		at := p.Token
		sampled = p.m.ScalarOf(p.scalarType())
		if sampled != scalar.F32 && sampled != scalar.I32 && sampled != scalar.U32 {
			p.Fail(at, "a texture is read as f32, i32 or u32")
		}
		p.Expect(">")
	}
	return p.m.TextureOf(shape, sampled)
}
