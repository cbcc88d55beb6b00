package interp

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/ir"
)

// part is a type as messages need it: what lies where. Numbers have none.
type part struct {
	stride  uint64       // of an array, a matrix or a vector
	element *part        // of these
	vector  bool         // whose elements have names
	members []partMember // of a structure
}

type partMember struct {
	name         string
	offset, size uint64
	*part
}

// partOf returns the parts of a type.
func (c *compiler) partOf(t ir.Type) *part {
	if p, ok := c.parts[t]; ok {
		return p
	}
	m := c.m
	p := new(part)
	switch m.KindOf(t) {
	case ir.ArrayType, ir.MatrixType:
		p.stride, p.element = uint64(m.Stride(t)), c.partOf(m.Element(t))
	case ir.VectorType:
		p.stride, p.element, p.vector = uint64(m.Size(m.Element(t))), new(part), true
	case ir.StructType:
		for _, x := range m.Members(t) {
			p.members = append(p.members, partMember{x.Name, uint64(x.Offset), uint64(m.Size(x.Type)), c.partOf(x.Type)})
		}
		if n := len(p.members) - 1; n >= 0 && m.IsRuntimeArray(m.Members(t)[n].Type) {
			p.members[n].size = 1 << 62
		}
	}
	if c.parts == nil {
		c.parts = map[ir.Type]*part{}
	}
	c.parts[t] = p
	return p
}

// elementAt names what a variable has at an offset: x[3].at.y.
func (r *root) elementAt(offset uint64) string {
	var b strings.Builder
	b.WriteString(r.name)
	for p := r.part; p != nil; {
		switch {
		case p.vector:
			if n := offset / p.stride; n < 4 {
				fmt.Fprintf(&b, ".%c", "xyzw"[n])
			}
			return b.String()
		case p.element != nil && p.stride > 0:
			fmt.Fprintf(&b, "[%d]", offset/p.stride)
			offset, p = offset%p.stride, p.element
		default:
			var in *partMember
			for n := range p.members {
				if x := &p.members[n]; x.offset <= offset && offset < x.offset+x.size {
					in = x
				}
			}
			if in == nil {
				return b.String()
			}
			b.WriteByte('.')
			b.WriteString(in.name)
			offset, p = offset-in.offset, in.part
		}
	}
	return b.String()
}
