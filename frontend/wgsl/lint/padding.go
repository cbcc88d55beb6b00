package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file finds the padding that vectors of three bring into structures that a host fills.

// padding warns of a structure in a buffer where a vec3 leaves bytes empty, 12 or 4 beside it,
// which another order of the members would use. One whose members have attributes or are called
// padding was laid out with thought, and passes.
func (l *linter) padding() {
	m := l.module
	var seen []bool
	var visit func(t ir.Type)
	visit = func(t ir.Type) {
		for m.KindOf(t) == ir.ArrayType {
			t = m.Element(t)
		}
		if m.KindOf(t) != ir.StructType || seen[t] {
			return
		}
		seen[t] = true
		for _, member := range m.Members(t) {
			visit(member.Type)
		}
		l.padded(t)
	}
	seen = make([]bool, m.TypeCount())
	for i := range m.Globals {
		switch g := &m.Globals[i]; m.SpaceOf(g.Type) {
		case ir.Storage, ir.Uniform, ir.Immediate:
			visit(m.Element(g.Type))
		}
	}
}

// padded warns of one structure.
func (l *linter) padded(t ir.Type) {
	m, d := l.module, l.info.StructDecl(t)
	if d == 0 {
		return
	}
	const most = 256 // members that are worth an order
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
	order, size := l.dense(members)
	if size >= m.Size(t) {
		return
	}
	name, t3 := l.named(&l.info.Objects[l.info.DeclObjects[d]]), members[hole].Type
	l.warn(diag.Vec3Padding, fields[hole].Span, "beside this vec3 the structure "+name+" has memory that is empty: it takes "+
		bytes(m.Size(t))+", and could do with "+strconv.Itoa(int(size)),
		diag.Note{Message: "a vec3 like this begins at a multiple of " + bytes(m.Align(t3)) + " and fills " + strconv.Itoa(int(m.Size(t3))) + " of them"},
		diag.Note{Message: "the smaller order is " + strings.Join(order, ", ") + "; `gpuc layout` draws both, and declares the structure for the host"})
}

func bytes(n uint32) string { return diag.Plural(int(n), "byte") }

// dense returns an order of members that needs little memory, and how much: what is aligned most
// comes first, and behind each what fits in the gap it leaves.
func (l *linter) dense(members []ir.Member) (order []string, size uint32) {
	m := l.module
	rest := slices.Clone(members)
	slices.SortStableFunc(rest, func(a, b ir.Member) int { return int(m.Align(b.Type)) - int(m.Align(a.Type)) })
	var fields []ir.Member
	for end := uint32(0); len(rest) > 0; {
		next := max(0, slices.IndexFunc(rest, func(f ir.Member) bool { return end%m.Align(f.Type) == 0 }))
		f := rest[next]
		rest = slices.Delete(rest, next, next+1)
		end = (end+m.Align(f.Type)-1)/m.Align(f.Type)*m.Align(f.Type) + m.Size(f.Type)
		fields, order = append(fields, f), append(order, f.Name)
	}
	size, _ = m.LayoutStruct(fields, nil, nil)
	return order, size
}
