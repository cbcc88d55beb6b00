package editor

import (
	"cmp"
	"slices"
	"sort"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/source"
)

// This file resolves the names in a text. The checker has resolved its expressions; here they are
// sorted by position, for binary search. That is done on the first query, since diagnostics do not
// need it.

// meaning is what a name refers to: one of its fields, or none if unknown.
type meaning struct {
	object sem.Object
	member uint32        // of a structure: 1 + its index in Tree.Fields
	word   syntax.Symbol // predeclared
}

func (m meaning) isResolved() bool { return m != meaning{} }

// name is an occurrence of a name.
type name struct {
	at      Range
	meaning meaning
	// expr is the identifier or member expression, or 0 at a declaration.
	expr syntax.Expr
}

// index returns the names in declarations, expressions and types, in the order of the text, without
// context-dependent names (attributes, builtin values, extensions).
func (r *reading) index() []name {
	if r.indexed {
		return r.names
	}
	r.indexed, r.names = true, r.names[:0]
	contextual := r.contextual()
	for o := 1; o < len(r.info.Objects); o++ {
		if !r.unknown(sem.Object(o)) {
			r.addName(r.info.Objects[o].Span, meaning{object: sem.Object(o)}, 0)
		}
	}
	for d := range r.tree.Decls {
		if n := &r.tree.Decls[d]; n.Kind == syntax.StructDecl {
			for i := range n.Members.Len {
				r.addName(r.tree.Fields[n.Members.Start+i].NameSpan, meaning{member: n.Members.Start + i + 1}, 0)
			}
		}
	}
	for e := 1; e < min(len(r.tree.Exprs), len(r.info.Exprs)); e++ {
		n := &r.tree.Exprs[e]
		switch {
		case n.Kind == syntax.MemberExpr && !contextual[e]:
			r.addName(r.tree.Expr(n.B).Span, r.memberMeaning(syntax.Expr(e)), syntax.Expr(e))
		case n.Kind == syntax.IdentExpr && !contextual[e] && n.Name != 0:
			m := meaning{object: r.info.Exprs[e].Object}
			if r.unknown(m.object) {
				m.object = 0
			}
			if m.object == 0 && sem.Lookup(n.Name).Kind != sem.NotPredeclared {
				m.word = n.Name
			}
			span := n.Span // of the template arguments, too
			span.End = span.Start + source.Pos(len(r.tree.Text(n.Name)))
			r.addName(span, m, syntax.Expr(e))
		}
	}
	slices.SortStableFunc(r.names, func(a, b name) int {
		return cmp.Or(cmp.Compare(a.at.Start, b.at.Start), cmp.Compare(resolvedRank(b), resolvedRank(a)))
	})
	r.names = slices.CompactFunc(r.names, func(a, b name) bool { return a.at == b.at })
	return r.names
}

func resolvedRank(n name) int {
	if n.meaning.isResolved() {
		return 1
	}
	return 0
}

// unknown reports whether an object is the checker's for an undeclared name.
func (r *reading) unknown(o sem.Object) bool {
	info := &r.info.Objects[o]
	return info.Kind == sem.BadObject && info.Decl == 0
}

// addName adds a name, unless it is inserted.
func (r *reading) addName(span source.Span, m meaning, e syntax.Expr) {
	if at := r.rangeOf(span); span.Valid() && at.End > at.Start {
		r.names = append(r.names, name{at, m, e})
	}
}

// contextual marks, by expression, context-dependent names, and the names of members, which their
// member expression represents.
func (r *reading) contextual() []bool {
	contextual := make([]bool, len(r.tree.Exprs))
	mark := func(list syntax.List) {
		for _, e := range r.tree.ExprList(list) {
			for e != 0 && !contextual[e] {
				contextual[e] = true
				contextual[r.tree.Expr(e).B] = true
				e = r.tree.Expr(e).A
			}
		}
	}
	for i := range r.tree.Attributes {
		a := &r.tree.Attributes[i]
		switch r.tree.Text(a.Name) {
		case "builtin", "interpolate", "diagnostic":
			mark(a.Arguments)
		}
	}
	for i := range r.tree.Directives {
		mark(r.tree.Directives[i].Names)
	}
	for e := range r.tree.Exprs {
		if n := &r.tree.Exprs[e]; n.Kind == syntax.MemberExpr && !contextual[e] {
			contextual[n.B] = true
		}
	}
	return contextual
}

// memberMeaning returns the member that an expression names, or no meaning for swizzles, members of
// result structures, and unknown ones.
func (r *reading) memberMeaning(e syntax.Expr) meaning {
	if r.info.Exprs[e].Type == ir.Void {
		return meaning{}
	}
	d := r.info.StructDecl(r.accessed(r.tree.Expr(e).A))
	if d == 0 {
		return meaning{}
	}
	return meaning{member: r.tree.Decl(d).Members.Start + uint32(r.info.Exprs[e].Member) + 1}
}

// accessed returns the type of a value whose parts are accessed, through pointers.
func (r *reading) accessed(e syntax.Expr) ir.Type {
	t := r.info.ValueType(e)
	if t != ir.Void && r.module.IsPointer(t) {
		t = r.module.Element(t)
	}
	return t
}

// nameAt returns the name at an offset, or nil.
func (r *reading) nameAt(offset int) *name {
	names := r.index()
	i := sort.Search(len(names), func(i int) bool { return names[i].at.End >= offset })
	if i < len(names) && names[i].at.touches(offset) {
		return &names[i]
	}
	return nil
}

// declaration returns the range of the name in the declaration of a meaning.
func (r *reading) declaration(m meaning) (Range, bool) {
	var span source.Span
	switch {
	case m.object != 0:
		span = r.info.Objects[m.object].Span
	case m.member != 0:
		span = r.tree.Fields[m.member-1].NameSpan
	}
	if !span.Valid() {
		return Range{}, false
	}
	return r.rangeOf(span), true
}

// Definition returns the range of the name in the declaration of the name at an offset. It reports
// false if there is no name, or it is not declared in the text.
func (d *Document) Definition(offset int) (Range, bool) {
	r := d.reading()
	n := r.nameAt(offset)
	if n == nil {
		return Range{}, false
	}
	return r.declaration(n.meaning)
}

// References returns the occurrences of the name at an offset, in order, with or without its
// declaration. It is nil if there is no name or its meaning is unknown. Predeclared names have
// references, too.
func (d *Document) References(offset int, declaration bool) (list []Range) {
	r := d.reading()
	n := r.nameAt(offset)
	if n == nil || !n.meaning.isResolved() {
		return nil
	}
	at, declared := r.declaration(n.meaning)
	for _, other := range r.index() {
		if other.meaning == n.meaning && (declaration || !declared || other.at != at) {
			list = append(list, other.at)
		}
	}
	return list
}
