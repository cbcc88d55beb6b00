// Package kernelcheck is an analyzer of golang.org/x/tools/go/analysis that says about kernels
// written in Go what gpuc check says, for linters, vet and whatever else runs analyzers:
//
//	go vet -vettool=$(which gpuc) ./...
//
// Package gokernel has the rules. This one gives it what a pass has, and makes the pass's
// diagnostics of its own. A pass has the bodies of one package only, so functions that
// kernels of other packages may call are looked at where they are declared, and what is wrong with
// them comes as a fact.
package kernelcheck

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Analyzer reports what is wrong with kernels written in Go, functions with the directive
// //gpuc:kernel. The category of a diagnostic is its code, which gpuc doc explains.
var Analyzer = &analysis.Analyzer{
	Name: "gpuc",
	Doc: `report what is wrong with GPU kernels written in Go

Functions with the comment //gpuc:kernel above them are compiled for GPUs. The
analyzer reports constructs that are no part of the Go that kernels are written
in, in the kernels and all that they call, and warns of what is allowed and
hardly meant, as gpuc check does.`,
	URL:       "https://github.com/gpuc/gpuc/blob/main/docs/reference/diagnostics.md",
	Run:       run,
	FactTypes: []analysis.Fact{new(unusable)},
}

// unusable is the fact that kernels cannot call a function.
type unusable struct{ Why gokernel.Reason }

// AFact marks facts.
func (*unusable) AFact() {}

// String describes the fact in tests.
func (u *unusable) String() string { return u.Why.Message }

func run(pass *analysis.Pass) (any, error) {
	unit := gokernel.Unit{
		FileSet: pass.Fset, Syntax: pass.Files, Types: pass.Pkg, Info: pass.TypesInfo, ReadFile: pass.ReadFile,
		Reason: func(f *types.Func) (gokernel.Reason, bool) {
			var fact unusable
			found := pass.ImportObjectFact(f, &fact)
			return fact.Why, found
		},
	}
	unit.Reasons(func(f *types.Func, why gokernel.Reason) { pass.ExportObjectFact(f, &unusable{why}) })
	if !unit.HasKernels() {
		return nil, nil
	}
	r := reporter{pass: pass}
	var list diag.List
	unit.Check(&r.set, &list)
	for _, d := range list.Items() {
		pass.Report(r.diagnostic(d))
	}
	return nil, nil
}

// reporter makes diagnostics of a pass.
type reporter struct {
	pass *analysis.Pass
	set  source.Set
}

// diagnostic returns what gpuc says of a program for one line: notes without a place, which
// say what to write instead, are behind the message, in parentheses, and the code in brackets.
func (r *reporter) diagnostic(d diag.Diagnostic) analysis.Diagnostic {
	r.leaveGenerated(&d)
	var asides []string
	made := analysis.Diagnostic{Category: d.Code.String()}
	made.Pos, made.End = r.place(d.Span)
	for _, n := range d.Notes {
		if !n.Span.Valid() {
			asides = append(asides, n.Message)
			continue
		}
		at, end := r.place(n.Span)
		made.Related = append(made.Related, analysis.RelatedInformation{Pos: at, End: end, Message: n.Message})
	}
	made.Message = d.Message
	if len(asides) > 0 {
		made.Message += " (" + strings.Join(asides, "; ") + ")"
	}
	made.Message += " [" + made.Category + "]"
	for _, f := range d.Fixes {
		at, end := r.place(f.Span)
		made.SuggestedFixes = append(made.SuggestedFixes, analysis.SuggestedFix{Message: f.Message, TextEdits: []analysis.TextEdit{{Pos: at, End: end, NewText: []byte(f.Text)}}})
	}
	return made
}

// leaveGenerated moves what is wrong in a generated file, which nobody can mend there, to the call
// that leads to it.
func (r *reporter) leaveGenerated(d *diag.Diagnostic) {
	if !r.isGenerated(d.Span) {
		return
	}
	for k, n := range d.Notes {
		if n.Span.Valid() && !r.isGenerated(n.Span) {
			at := r.set.Position(d.Span.Start)
			at.File = filepath.Base(at.File)
			d.Message = fmt.Sprintf("this leads to generated code that is not for kernels: %s (%v)", d.Message, at)
			d.Span, d.Notes = n.Span, d.Notes[k+1:]
			return
		}
	}
}

func (r *reporter) isGenerated(s source.Span) bool {
	return filepath.Base(r.set.Position(s.Start).File) == gokernel.GeneratedFile
}

// place returns where the pass has a part of the source. What has no place is at the package
// clause.
func (r *reporter) place(s source.Span) (from, to token.Pos) {
	if f := r.set.File(s.Start); f != nil {
		for _, syntax := range r.pass.Files {
			if in := r.pass.Fset.File(syntax.FileStart); in.Name() == f.Name {
				return in.Pos(int(s.Start - f.Base)), in.Pos(int(s.End - f.Base))
			}
		}
	}
	return r.pass.Files[0].Name.Pos(), token.NoPos
}
