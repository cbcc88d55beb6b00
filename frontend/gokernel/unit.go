package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file checks a package that another tool has loaded, as go vet and linters do. Such tools
// provide the syntax of one package, and only the types of its imports. So the errors of a function
// are found when its own package is checked, and the tool remembers them as a Reason. A kernel is
// translated only if all functions that it calls are in its package.

// Unit is a package that another tool has loaded and type-checked without errors.
type Unit struct {
	FileSet *token.FileSet
	// Syntax are all files of the package. Those of tests are not compiled for devices.
	Syntax []*ast.File
	Types  *types.Package
	Info   *types.Info
	// ReadFile returns the contents of a file, by its name in FileSet. If it is nil, files are read
	// from disk.
	ReadFile func(name string) ([]byte, error)
	// Reason returns why kernels cannot call a function of another package, or false if they can.
	// If it is nil, they can call all.
	Reason func(f *types.Func) (Reason, bool)
}

// Reason is why kernels cannot call a function: an error in it or in a function that it calls.
type Reason struct {
	Position string // of the error: path of the package, file, line and column
	Message  string
	Hint     string // what to write instead
}

// HasKernels reports whether the package has kernels, or comments that seem intended as a
// directive. It only inspects comments.
func (u *Unit) HasKernels() bool {
	return u != nil && slices.ContainsFunc(u.files(), func(f *ast.File) bool {
		return slices.ContainsFunc(f.Comments, func(group *ast.CommentGroup) bool {
			return slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return isDirective(c) || isMisspelt(c) || isTune(c) })
		})
	})
}

// Check adds the errors and warnings about the package's kernels to list, as Load does. Files are
// in set under their names in the unit's FileSet.
//
// Load finds more. In functions of other packages it reports all errors at their positions, where
// Check reports the first Reason at the call. Errors found in translation, such as barriers in
// divergent control flow, Check reports only for kernels that call functions of their own package
// only.
func (u *Unit) Check(set *source.Set, list *diag.List) {
	list = diag.Some(list)
	if set == nil || !u.isLoaded() {
		list.Add(diag.Diagnostic{Code: diag.GoError, Message: "there is no package to check: the unit lacks its FileSet, Types or Info, or the set of sources is nil"})
		return
	}
	defer diag.Recover(list, source.Span{}, "checking Go kernels", nil)
	l := u.loader(set, list)
	before := list.Errors()
	kernels := l.kernels()
	l.gate(kernels)
	if list.Errors() > before {
		l.isolated(func() { l.translateOthers(kernels) })
		return
	}
	if len(kernels) == 0 {
		return
	}
	if kernels, _ = l.vary(kernels); list.Errors() > before {
		return
	}
	l.build(kernels)
	m, partly := ir.NewModule(set), false
	for _, k := range kernels {
		if k.base != nil {
			continue
		}
		l.each(k, func(i *instance) {
			partly = l.translateSeen(m, i) || partly
		})
	}
	if list.Errors() == before {
		l.divergent(m)
	} else {
		l.isolated(func() { l.divergentOthers(m) })
	}
	if list.Errors() == before {
		l.translateVariants(m, kernels)
	}
	if list.Errors() > before {
		return
	}
	if partly { // some barriers have not been seen
		l.ordering = nil
		l.warn(diag.SuspiciousBarrier)
		return
	}
	l.warn()
}

// Reasons calls report for each exported function that kernels cannot call, in the order of
// declarations. Package gpu and the standard library have none.
func (u *Unit) Reasons(report func(f *types.Func, why Reason)) {
	if !u.isLoaded() || report == nil {
		return
	}
	if path := u.Types.Path(); path == gpuPath || isStandard(path) {
		return
	}
	g := u.loader(new(source.Set), new(diag.List)).newGate()
	g.reasons = map[*types.Func]Reason{}
	for _, f := range u.files() {
		for d := range functionsOf(f) {
			object, ok := u.Info.Defs[d.Name].(*types.Func)
			if !ok || !d.Name.IsExported() {
				continue
			}
			g.subject = object
			g.enter(&ast.CallExpr{Fun: d.Name}, object) // as a kernel does
			if why, bad := g.reasons[object]; bad {
				report(object, why)
			}
		}
	}
}

// isLoaded reports whether the unit is complete.
func (u *Unit) isLoaded() bool {
	return u != nil && u.FileSet != nil && u.Types != nil && u.Info != nil
}

// files returns the files that are compiled for devices.
func (u *Unit) files() []*ast.File {
	return slices.DeleteFunc(slices.Clone(u.Syntax), func(f *ast.File) bool { return strings.HasSuffix(u.name(f), "_test.go") })
}

func (u *Unit) name(f *ast.File) string { return u.FileSet.PositionFor(f.FileStart, false).Filename }

func (u *Unit) loader(set *source.Set, list *diag.List) *loader {
	p := &packages.Package{PkgPath: u.Types.Path(), Name: u.Types.Name(), Types: u.Types, TypesInfo: u.Info, Syntax: u.files()}
	for _, f := range p.Syntax {
		if !isMadeByCgo(f) {
			p.GoFiles = append(p.GoFiles, u.name(f))
		}
	}
	return &loader{options: Options{Warn: true, DisplayPath: func(name string) string { return name }}, set: set, list: list, files: u.FileSet,
		packages: []*packages.Package{p}, requested: 1, texts: map[string]*source.File{}, ordering: map[token.Pos]bool{}, unit: u}
}

// isMadeByCgo reports whether cgo has generated a file from one that imports "C". Tools list both
// kinds together.
func isMadeByCgo(f *ast.File) bool {
	return len(f.Comments) > 0 && strings.HasPrefix(f.Comments[0].List[0].Text, "// Code generated by cmd/cgo; DO NOT EDIT.")
}

// program returns an SSA program of the package. Its imports have no bodies in it.
func (u *Unit) program(of *packages.Package) *ssa.Program {
	made := map[*types.Package]*packages.Package{}
	var imported func(p *types.Package) *packages.Package
	imported = func(p *types.Package) *packages.Package {
		if made[p] == nil {
			made[p] = &packages.Package{ID: p.Path(), PkgPath: p.Path(), Fset: u.FileSet, Types: p, Imports: map[string]*packages.Package{}}
			for _, i := range p.Imports() {
				made[p].Imports[i.Path()] = imported(i)
			}
		}
		return made[p]
	}
	p := imported(of.Types)
	p.Syntax, p.TypesInfo = of.Syntax, of.TypesInfo
	if of.Types == u.Types {
		p.Syntax = u.Syntax // of tests, too: their variables are initialised with the others
	}
	program, _ := ssautil.Packages([]*packages.Package{p}, ssa.InstantiateGenerics)
	return program
}

// hasSource reports whether errors of a function are reported in the function itself, or once at
// its call.
func (g *gate) hasSource(f *types.Func) bool {
	return g.declarations[f].declaration != nil ||
		g.unit != nil && f.Pkg() != nil && f.Pkg().Path() != gpuPath && !isStandard(f.Pkg().Path())
}

// reportForeignCall reports the call of a function of another package if there is a Reason, once
// for each function.
func (g *gate) reportForeignCall(n *ast.CallExpr, f *types.Func) {
	if g.unit.Reason == nil {
		return
	}
	why, bad := g.unit.Reason(f)
	switch {
	case !bad:
	case g.subject != nil:
		g.blame(why)
	case !g.visited[f]:
		g.visited[f] = true
		g.refuse(n, why.Hint, "%s cannot be called by kernels: %s (%s)", nameOf(f), why.Message, why.Position)
	}
}

// blame records a Reason for the subject, and for the functions through which the subject calls the
// one with the error.
func (g *gate) blame(why Reason) {
	if g.subject == nil || why == (Reason{}) {
		return
	}
	note := func(f *types.Func) {
		if _, known := g.reasons[f]; !known {
			g.reasons[f] = why
		}
	}
	note(g.subject)
	for _, c := range g.calls {
		note(c.callee)
	}
}

// isDecided reports whether a Reason for the current function has been found; one is enough.
func (g *gate) isDecided() bool {
	if g.subject == nil || len(g.calls) == 0 {
		return false
	}
	_, known := g.reasons[g.calls[len(g.calls)-1].callee]
	return known
}

// reason returns an error in the package as a Reason.
func (g *gate) reason(at ast.Node, message, hint string) Reason {
	location := g.files.Position(at.Pos())
	location.Filename = path.Join(g.unit.Types.Path(), filepath.Base(location.Filename))
	return Reason{location.String(), message, hint}
}
