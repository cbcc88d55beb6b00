package lint

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file finds structures in buffers with avoidable padding.

// padding warns of structures in the kernel's buffers that take more bytes than with another order
// of their fields. Ignored are structures with a blank field or one whose name contains pad, which
// have an intended layout. So are those of other packages, and those with type parameters, which
// have several layouts.
func (l *linter) padding() {
	for _, field := range l.Declaration.Type.Params.List {
		if s, ok := l.Info.TypeOf(field.Type).Underlying().(*types.Slice); ok {
			l.shared(s.Elem())
		}
	}
}

// shared checks a type whose values are in a buffer.
func (l *linter) shared(t types.Type) {
	named, _ := types.Unalias(t).(*types.Named)
	switch u := t.Underlying().(type) {
	case *types.Array:
		l.shared(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			l.shared(f.Type())
		}
		if named != nil && named.Obj().Pkg() == l.Package && named.TypeArgs().Len() == 0 {
			l.wasteful(named.Obj(), u)
		}
	}
}

// wasteful warns of one structure, once.
func (l *linter) wasteful(name *types.TypeName, s *types.Struct) {
	if l.padded[name] {
		return
	}
	if l.padded == nil {
		l.padded = map[*types.TypeName]bool{}
	}
	l.padded[name] = true
	fields := slices.Collect(s.Fields())
	for _, f := range fields {
		if f.Name() == "_" || strings.Contains(strings.ToLower(f.Name()), "pad") {
			return
		}
	}
	// If sizes are multiples of alignments, descending alignments leave no gaps.
	slices.SortStableFunc(fields, func(a, b *types.Var) int {
		_, x := l.Layout(a.Type())
		_, y := l.Layout(b.Type())
		return int(y - x)
	})
	size, _ := l.Layout(s)
	least, _ := l.Layout(types.NewStruct(fields, nil))
	if least >= size {
		return
	}
	order := make([]string, len(fields))
	for n, f := range fields {
		order[n] = f.Name()
	}
	end := name.Pos() + token.Pos(len(name.Name()))
	l.found = append(l.found, diag.Diagnostic{Code: diag.GoPadding, Severity: diag.Warning, Span: l.Span(name.Pos(), end),
		Message: "the structure `" + name.Name() + "` of a buffer has bytes that are empty: it takes " + diag.Plural(int(size), "byte") + ", and could do with " + diag.Plural(int(least), "byte"),
		Notes:   []diag.Note{{Message: "the smaller order is " + strings.Join(order, ", ") + "; a field called _ says that the gap is meant"}}})
}
