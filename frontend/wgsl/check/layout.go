package check

import (
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks the layout that an address space asks for (WGSL §14.4.4).
// All have the natural alignments, except uniform, where arrays and structures
// are aligned to 16 bytes.

// standardLayout says that the language feature uniform_buffer_standard_layout
// is there, which lifts the constraints of address space uniform.
const standardLayout = false

// requiredAlign is RequiredAlignOf.
func (c *Checker) requiredAlign(t ir.Type, space ir.Space) uint32 {
	m := c.module
	align := m.Align(t)
	if space == ir.Uniform && !standardLayout && (m.KindOf(t) == ir.ArrayType || m.KindOf(t) == ir.StructType) {
		return (align + 15) / 16 * 16
	}
	return align
}

// checkLayout checks that a type, with all it consists of, obeys the constraints
// of an address space.
func (c *Checker) checkLayout(space ir.Space, t ir.Type, span source.Span) bool {
	m := c.module
	switch m.KindOf(t) {
	case ir.ArrayType:
		element := m.Element(t)
		if !c.checkLayout(space, element, span) {
			return false
		}
		need := c.requiredAlign(element, space)
		if space == ir.Uniform && !standardLayout {
			need = max(need, 16)
		}
		if m.Stride(t)%need != 0 {
			c.error(diag.InvalidLayout, span, "address space "+space.String()+" needs arrays whose elements are a multiple of "+itoa(uint64(need))+" bytes apart; those of "+c.typeName(t)+" are "+itoa(uint64(m.Stride(t)))+" apart",
				diag.Note{Message: "use elements of 16 bytes, such as vec4, or put @size(16) on the member of a structure"})
			return false
		}
	case ir.StructType:
		// remembered, since structures may share members: n levels have 2^n paths
		for len(c.layouts) <= int(t) {
			c.layouts = append(c.layouts, 0)
		}
		if c.layouts[t]>>space&1 != 0 {
			return true
		}
		members := m.Members(t)
		for i := range members {
			if !c.checkLayout(space, members[i].Type, span) {
				return false
			}
			place := span
			if d := c.structDecl(t); d != 0 {
				place = c.tree.Fields[int(c.tree.Decl(d).Members.Start)+i].NameSpan
			}
			if need := c.requiredAlign(members[i].Type, space); members[i].Offset%need != 0 {
				c.error(diag.InvalidLayout, place, "address space "+space.String()+" needs the member `"+members[i].Name+"` at a multiple of "+itoa(uint64(need))+" bytes; it is at "+itoa(uint64(members[i].Offset)),
					diag.Note{Span: span, Message: "used in address space " + space.String() + " here"}, diag.Note{Message: "@align(" + itoa(uint64(need)) + ") on the member does that"})
				return false
			}
			if space != ir.Uniform || standardLayout || i == 0 || m.KindOf(members[i-1].Type) != ir.StructType {
				continue
			}
			if end := members[i-1].Offset + (m.Size(members[i-1].Type)+15)/16*16; members[i].Offset < end {
				c.error(diag.InvalidLayout, place, "address space uniform needs the member behind a structure at a multiple of 16 bytes, at least "+itoa(uint64(end))+"; `"+members[i].Name+"` is at "+itoa(uint64(members[i].Offset)),
					diag.Note{Span: span, Message: "used in address space uniform here"}, diag.Note{Message: "@align(16) on the member does that"})
				return false
			}
		}
		c.layouts[t] |= 1 << space
	}
	return true
}
