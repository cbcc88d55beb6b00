package lint

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
)

// This file finds structures of buffers with empty bytes in them.

// padding warns of structures that the kernel's buffers hold, or that are in those, and take more
// bytes than another order of their fields would. One with a blank field, or one called padding,
// was laid out with thought, and passes; so does one of another package, and one with type
// parameters, which has several layouts.
func (l *linter) padding() {
	for _, field := range l.Declaration.Type.Params.List {
		if s, ok := l.Info.TypeOf(field.Type).Underlying().(*types.Slice); ok {
			l.shared(s.Elem())
		}
	}
}

// shared looks at a type whose values lie in a buffer.
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
	// Of types whose sizes are multiples of their alignments the order from the largest alignment
	// down has no gaps.
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
