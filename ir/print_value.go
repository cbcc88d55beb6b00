package ir

import (
	"math"
	"strconv"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file writes types, constants, the names of values, and what is in brackets after an
// instruction.

func (p *printer) values(values []Value) {
	for n, v := range values {
		if n > 0 {
			p.text(", ")
		}
		p.value(v)
	}
}

func (p *printer) value(v Value) {
	switch {
	case v == 0:
		p.text("none")
	case v.IsLocal():
		p.text("%")
		if int(v) < len(p.names) && p.names[v] != "" {
			p.text(p.names[v])
		} else {
			p.text("?")
			p.number(uint64(v))
		}
	case v.IsOverride():
		p.nameModule()
		p.text("@", p.globals[v.Index()])
	case v.IsGlobal():
		p.nameModule()
		p.text("@", p.globals[len(p.m.Overrides)+int(v.Index())])
	default:
		p.constant(v)
	}
}

func (p *printer) constant(v Value) {
	c := &p.m.consts[v.Index()]
	switch c.kind {
	case constScalar:
		p.scalar(scalar.Kind(c.typ), c.bits)
	case constZero:
		p.text("zero<")
		p.typ(c.typ)
		p.text(">")
	default:
		p.typ(c.typ)
		p.text("(")
		p.values(p.m.parts(c))
		p.text(")")
	}
}

// suffixes spell a number's kind after it.
var suffixes = [scalar.Count]string{
	scalar.I32: "i", scalar.U32: "u", scalar.F32: "f", scalar.F16: "h", scalar.I64: "li", scalar.U64: "lu",
	scalar.I8: "bi", scalar.U8: "bu", scalar.I16: "si", scalar.U16: "su", scalar.F64: "lf",
	scalar.AbstractInt: "ai", scalar.AbstractFloat: "af",
}

func (p *printer) scalar(k scalar.Kind, bits uint64) {
	switch {
	case k == scalar.Bool:
		p.b = strconv.AppendBool(p.b, bits != 0)
		return
	case k.IsFloat():
		x := scalar.ToFloat64(k, bits)
		if math.IsInf(x, 0) || math.IsNaN(x) { // by its bits, payload and all
			p.text(k.String(), "(0x", strconv.FormatUint(bits, 16), ")")
			return
		}
		width := 64
		if k == scalar.F32 {
			width = 32
		}
		p.b = strconv.AppendFloat(p.b, x, 'g', -1, width)
	case k.IsSigned():
		p.b = strconv.AppendInt(p.b, scalar.ToInt64(k, bits), 10)
	default:
		p.number(bits)
	}
	p.text(suffixes[k])
}

func (p *printer) typ(t Type) {
	m := p.m
	r := &m.types[t]
	switch r.kind {
	case VoidType:
		p.text("void")
	case ScalarType:
		p.text(scalar.Kind(t).String())
	case VectorType:
		p.text("vec")
		p.number(uint64(r.b))
		p.text("<")
		p.typ(Type(r.a))
		p.text(">")
	case MatrixType:
		column := Type(r.a)
		p.text("mat")
		p.number(uint64(r.b))
		p.text("x")
		p.number(uint64(m.Components(column)))
		p.text("<")
		p.typ(m.Element(column))
		p.stride(t, column)
		p.text(">")
	case ArrayType:
		p.text("array<")
		p.typ(Type(r.a))
		if r.b != 0 {
			p.text(", ")
			p.value(Value(r.b))
		}
		p.stride(t, Type(r.a))
		p.text(">")
	case StructType:
		p.nameStructs()
		p.text(p.structs[r.c])
	case PointerType:
		p.text("ptr<", Space(r.b).String(), ", ")
		p.typ(Type(r.a))
		if Access(r.c) != DefaultAccess(Space(r.b)) {
			p.text(", ", Access(r.c).String())
		}
		p.text(">")
	case AtomicType:
		p.text("atomic<")
		p.typ(Type(r.a))
		p.text(">")
	case SamplerType:
		p.text("sampler")
		if r.a == 1 {
			p.text("_comparison")
		}
	case BufferType:
		p.text("buffer")
		if r.b != 0 {
			p.text("<")
			p.value(Value(r.b))
			p.text(">")
		}
	case TileType:
		p.text("tile<")
		p.typ(Type(r.a))
		p.text(", ")
		p.number(uint64(r.b))
		p.text(", ")
		p.number(uint64(r.c))
		p.text(">")
	case FragmentType:
		element, rows, columns := p.m.FragmentShape(t)
		p.text("fragment<", p.m.FragmentUse(t).String(), ", ", element.String(), ", ")
		p.number(uint64(rows))
		p.text(", ")
		p.number(uint64(columns))
		p.text(">")
	case TextureType:
		shape := p.m.ShapeOf(t)
		p.text(shape.String())
		if shape.IsStorage() {
			p.text("<", p.m.FormatOf(t).String(), ", ", Access(r.c).String(), ">")
		} else if shape.Typed() {
			p.text("<", p.m.ChannelOf(t).String(), ">")
		}
	}
}

// stride prints a stride that is not the one the layout rules give.
func (p *printer) stride(t, element Type) {
	if p.m.Stride(t) != roundUp(p.m.Size(element), p.m.Align(element)) {
		p.text(", stride ")
		p.number(uint64(p.m.Stride(t)))
	}
}

// aux prints the attribute in brackets where the operation has one to show.
func (p *printer) aux(o op.Op, aux uint32, t Type) {
	switch o.Info().Attribute {
	case op.Swizzle:
		if p.m.Components(t) == 0 { // no vector, which Verify refuses
			return
		}
		p.text(" [")
		for i := range p.m.Components(t) {
			c := op.SwizzleComponent(aux, i)
			p.b = append(p.b, "xyzw"[c])
		}
		p.text("]")
	case op.AtomicRMW:
		p.text(" [", op.AtomicOperation(aux).String(), "]")
	case op.IntrinsicName:
		p.text(" [", op.IntrinsicID(aux).String(), "]")
	case op.MessageNumber:
		p.text(" [message ")
		p.number(uint64(aux))
		p.text("]")
	case op.BarrierScope:
		separator := " ["
		for i := range op.MemoryBits {
			if aux>>i&1 == 1 {
				p.text(separator, op.Memory(0).Name(i))
				separator = ", "
			}
		}
		if separator == ", " {
			p.text("]")
		}
	case op.ByteOffset:
		if aux != 0 {
			p.text(" [offset ", strconv.Itoa(int(int32(aux))), "]")
		}
	case op.Alignment:
		if aux != 0 {
			p.text(" [align ")
			p.number(uint64(aux))
			p.text("]")
		}
	}
}

func (p *printer) flags(flags Flags) {
	separator := " ["
	for i := range flagCount {
		if flags>>i&1 == 1 {
			p.text(separator, flagNames[i])
			separator = ", "
		}
	}
	if separator == ", " {
		p.text("]")
	}
}

func (p *printer) span(s source.Span) {
	if p.options.SourceMap != nil && s.Valid() {
		p.options.SourceMap(len(p.b), s)
	}
	if p.options.Spans && s.Valid() {
		if p.moved != nil {
			s = source.Span{Start: p.moved(s.Start), End: p.moved(s.End)}
		}
		p.text(" !")
		p.number(uint64(s.Start))
		p.text("-")
		p.number(uint64(s.End))
	}
}
