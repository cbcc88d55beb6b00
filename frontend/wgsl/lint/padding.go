package lint

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// padding warns of structures in buffers in which a vec3 causes padding that another member order
// avoids. Structures with layout attributes, or members called padding, pass.
func (l *linter) padding() {
	for _, t := range l.module.StructsOf(l.module.SharedTypes()) {
		l.padded(t)
	}
}

// padded checks one structure.
func (l *linter) padded(t ir.Type) {
	m, d := l.module, l.info.StructDecl(t)
	if d == 0 {
		return
	}
	const most = 256 // members up to which an order is suggested
	fields, members := l.tree.FieldList(l.tree.Decl(d).Members), m.Members(t)
	if len(members) > most {
		return
	}
	for k := range fields {
		if fields[k].Attributes.Len > 0 || strings.Contains(strings.ToLower(l.tree.Text(fields[k].Name)), "pad") {
			return
		}
	}
	hole := -1 // the first vec3 with a gap beside it
	for k := range members {
		end, next := members[k].Offset+m.Size(members[k].Type), m.Size(t)
		if m.IsRuntimeArray(members[k].Type) {
			return
		}
		if k+1 < len(members) {
			next = members[k+1].Offset
		}
		if end < next && hole < 0 {
			for _, beside := range [2]int{k, k + 1} {
				if beside < len(members) && m.IsVector(members[beside].Type) && m.Components(members[beside].Type) == 3 {
					hole = beside
					break
				}
			}
		}
	}
	if hole < 0 {
		return
	}
	dense, size := m.DenseOrder(members)
	if size >= m.Size(t) {
		return
	}
	order := make([]string, len(dense))
	for k := range dense {
		order[k] = dense[k].Name
	}
	name, t3 := l.named(&l.info.Objects[l.info.DeclObjects[d]]), members[hole].Type
	l.warn(diag.Vec3Padding, fields[hole].Span, "beside this vec3 the structure "+name+" has memory that is empty: it takes "+
		bytes(m.Size(t))+", and could do with "+strconv.Itoa(int(size)),
		diag.Note{Message: "a vec3 like this begins at a multiple of " + bytes(m.Align(t3)) + " and fills " + strconv.Itoa(int(m.Size(t3))) + " of them"},
		diag.Note{Message: "the smaller order is " + strings.Join(order, ", ") + "; `gpuc layout` draws both, and declares the structure for the host"})
}

func bytes(n uint32) string { return diag.Plural(int(n), "byte") }
