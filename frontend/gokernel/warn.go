package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gpuc/gpuc/frontend/gokernel/lint"
	"github.com/gpuc/gpuc/frontend/suppress"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file runs the linter on compiled functions, and applies the comments that suppress warnings.
// Both cover the requested packages only.

// warn adds the warnings, if they are enabled, and removes those that comments suppress. Warnings
// with the unsought codes may not have been looked for: comments that suppress them are not
// reported as unused.
func (l *loader) warn(unsought ...diag.Code) {
	if !l.options.Warn && len(l.list.Items()) == 0 {
		return
	}
	var functions []lint.Function
	comments := map[*source.File]*suppress.Comments{}
	var order []*suppress.Comments
	for _, p := range l.packages[:min(l.requested, len(l.packages))] {
		for _, f := range p.Syntax {
			if l.isOfCgo(p, f.FileStart) {
				continue
			}
			file := l.file(l.files.PositionFor(f.FileStart, false).Filename)
			if file == nil {
				continue
			}
			c := suppress.Read(file, l.commentsOf(f))
			comments[file], order = c, append(order, c)
			for d := range functionsOf(f) {
				if object, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok && d.Body != nil && l.compiled[object] {
					functions = append(functions, lint.Function{Declaration: d, File: f, Info: p.TypesInfo, Package: p.Types, Kernel: directiveOf(d) != nil})
				}
			}
		}
	}
	silenced := func(d *diag.Diagnostic) bool {
		c := comments[l.set.File(d.Span.Start)]
		return d.Severity != diag.Error && d.Span.Valid() && c != nil && c.Silence(d)
	}
	l.list.Keep(func(d *diag.Diagnostic) bool { return !silenced(d) })
	if !l.options.Warn {
		return
	}
	found := lint.Check(&lint.Program{Functions: functions, Span: l.span, Layout: Layout, Runtime: gpuPath,
		Idle: func(call token.Pos) bool {
			orders, seen := l.ordering[call]
			return seen && !orders
		}})
	for n := range found {
		if !silenced(&found[n]) {
			l.list.Add(found[n])
		}
	}
	for _, c := range order {
		c.Unused(l.list, unsought...)
	}
}

// commentsOf returns a function that reports whether a comment begins at an offset of a file.
func (l *loader) commentsOf(f *ast.File) func(offset int) bool {
	at := map[int]bool{}
	for _, group := range f.Comments {
		for _, c := range group.List {
			at[l.files.PositionFor(c.Pos(), false).Offset] = true
		}
	}
	return func(offset int) bool { return at[offset] }
}
