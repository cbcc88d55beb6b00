package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// All errors are reported in one run, though each stage requires that the one before it found none.
// So after errors a stage continues with the functions that Go's type checker accepts, and with the
// kernels that the gate accepts.

// isolated runs a stage for what earlier ones accepted, and adds its errors. If the stage panics,
// that may follow from a reported error and is ignored.
func (l *loader) isolated(stage func()) {
	list := l.list
	l.list = new(diag.List)
	func() {
		var stumbled diag.List
		defer diag.Recover(&stumbled, source.Span{}, "looking for more errors", nil)
		stage()
	}()
	for _, d := range l.list.Items() {
		if d.Severity == diag.Error && d.Code != diag.Internal {
			list.Add(d)
		}
	}
	l.list = list
}

// gateOthers checks the kernels without type errors, in packages whose type errors are all in
// function bodies.
func (l *loader) gateOthers() {
	wrong := map[*packages.Package][]token.Pos{}
	keep := l.packages[:0:0]
	requested := 0
	for n, p := range l.packages {
		for _, e := range p.TypeErrors {
			wrong[p] = append(wrong[p], e.Pos)
		}
		onlyTypes := !slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind == packages.ParseError }) &&
			(len(p.Errors) == 0 || len(p.TypeErrors) > 0)
		if !onlyTypes || slices.ContainsFunc(wrong[p], func(at token.Pos) bool { return bodyAt(p, at) == nil }) {
			continue
		}
		if keep = append(keep, p); n < l.requested {
			requested++
		}
	}
	if requested == 0 {
		return
	}
	l.packages, l.requested = keep, requested
	kernels := l.kernels()
	g := l.newGate()
	for p, list := range wrong {
		for _, at := range list {
			if d := bodyAt(p, at); d != nil {
				if f, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
					g.visited[f], g.broken[f] = true, true
				}
			}
		}
	}
	g.kernels(kernels)
}

// bodyAt returns the function whose body contains a position, or nil.
func bodyAt(p *packages.Package, at token.Pos) *ast.FuncDecl {
	for _, f := range p.Syntax {
		if f.FileStart > at || at > f.FileEnd {
			continue
		}
		for d := range functionsOf(f) {
			if d.Body != nil && d.Body.Pos() <= at && at <= d.Body.End() {
				return d
			}
		}
	}
	return nil
}

// translateOthers translates the kernels that the gate accepts when it has rejected others, to find
// their errors.
func (l *loader) translateOthers(kernels []*kernel) {
	kernels = slices.DeleteFunc(slices.Clone(kernels), func(k *kernel) bool { return k.refused || k.base != nil })
	if len(kernels) == 0 {
		return
	}
	m := ir.NewModule(l.set)
	l.build(kernels)
	for _, k := range kernels {
		l.each(k, func(i *instance) { l.translateSeen(m, i) })
	}
	l.divergentOthers(m)
}

// translateSeen translates a kernel, and reports whether it calls functions without bodies here.
// Then nothing is reported about it.
func (l *loader) translateSeen(m *ir.Module, i *instance) (unseen bool) {
	found := l.list
	l.list, l.unseen = new(diag.List), false
	l.translate(m, i)
	if !l.unseen {
		for _, d := range l.list.Items() {
			found.Add(d)
		}
	}
	l.list = found
	return l.unseen
}

// divergentOthers looks for divergent barriers in the kernels that were translated when others were
// not.
func (l *loader) divergentOthers(m *ir.Module) {
	var list diag.List
	if ir.Verify(m, &list); list.Errors() == 0 { // every kernel is complete
		l.divergent(m)
	}
}
