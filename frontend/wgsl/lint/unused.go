package lint

import (
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file warns of unused declarations. Those at module scope count only if there are entry
// points: other files are parts of programs. Constants, types and parameters pass, since headers
// and signatures are shared. So do unused entry point interfaces, which WGSL leaves out. A leading
// underscore marks a name as intentionally unused.

// unused warns of variables, values, functions, bindings and overrides.
func (l *linter) unused() {
	read, named := l.reads()
	global := make([]bool, len(l.tree.Decls))
	for _, d := range l.tree.Globals {
		global[d] = true
	}
	for o := range l.info.Objects {
		info := &l.info.Objects[o]
		if read[o] || strings.HasPrefix(l.tree.Text(info.Name), "_") {
			continue
		}
		switch info.Kind {
		case sem.LetObject:
			l.warn(diag.UnusedVariable, info.Span, "the value "+l.named(info)+" is never used", l.drop(info))
		case sem.ConstObject:
			if !global[info.Decl] {
				l.warn(diag.UnusedVariable, info.Span, "the constant "+l.named(info)+" is never used", l.drop(info))
			}
		case sem.LocalObject:
			l.unusedVariable(info, named[o])
		case sem.GlobalObject:
			l.unusedGlobal(info, named[o])
		case sem.OverrideObject:
			if l.entries {
				l.warn(diag.UnusedOverride, info.Span, "the override "+l.named(info)+" is never used",
					diag.Note{Message: "a value that the host gives it changes nothing"})
			}
		case sem.FunctionObject:
			if l.entries && l.info.Functions[info.Function].Stage == sem.NoStage {
				l.warn(diag.UnusedFunction, info.Span, "the function "+l.named(info)+" is never called", diag.Note{Message: "remove it, or call it"})
			}
		}
	}
}

// drop returns the note on what to do with an unused value.
func (l *linter) drop(o *sem.ObjectInfo) diag.Note {
	text := "remove it, or begin its name with an underscore"
	if n := l.tree.Decl(o.Decl); n.Init != 0 && l.tree.Expr(n.Init).Kind == syntax.CallExpr {
		text = "remove it, or write `_ = ` where only the call is meant"
	}
	return diag.Note{Message: text}
}

func (l *linter) unusedVariable(o *sem.ObjectInfo, named bool) {
	if named {
		l.warn(diag.UnusedVariable, o.Span, "the variable "+l.named(o)+" is assigned to and never read",
			diag.Note{Message: "remove it and the assignments, or use its value"})
		return
	}
	l.warn(diag.UnusedVariable, o.Span, "the variable "+l.named(o)+" is never used", l.drop(o))
}

// unusedGlobal warns of a variable at module scope. Writes to memory that the host sees are uses.
func (l *linter) unusedGlobal(o *sem.ObjectInfo, named bool) {
	if !l.entries {
		return
	}
	switch global := &l.module.Globals[o.Value.Index()]; l.module.SpaceOf(global.Type) {
	case ir.Private, ir.Workgroup:
		l.unusedVariable(o, named)
	default:
		if !named {
			l.unusedBinding(o)
		}
	}
}

// unusedBinding notes a resource that no function uses. All of a file are one remark and no
// warning, since files for a common layout have unused bindings.
func (l *linter) unusedBinding(o *sem.ObjectInfo) {
	if l.binding > 0 {
		d := &l.found[l.binding-1]
		last := len(d.Notes) - 1 // the advice stays last
		d.Notes = append(d.Notes[:last], diag.Note{Span: o.Span, Message: "nor this one, " + l.named(o)}, d.Notes[last])
		return
	}
	l.found = append(l.found, diag.Diagnostic{Code: diag.UnusedBinding, Severity: diag.Info, Span: o.Span, Message: "no function uses the binding " + l.named(o),
		Notes: []diag.Note{{Message: "WebGPU's automatic layouts leave it out; remove it, or keep it there by `_ = &" + l.tree.Text(o.Name) + ";` in an entry point"}}})
	l.binding = len(l.found)
}

// reads returns by object whether expressions read or call it, and whether they name it at all. The
// variable on the left of an assignment is named, not read.
func (l *linter) reads() (read, named []bool) {
	read, named = make([]bool, len(l.info.Objects)), make([]bool, len(l.info.Objects))
	written := make([]bool, len(l.tree.Exprs))
	for i := range l.tree.Stmts {
		switch n := &l.tree.Stmts[i]; n.Kind {
		case syntax.AssignStmt, syntax.IncrementStmt, syntax.DecrementStmt:
			written[l.target(n.A)] = true
		}
	}
	for e := range l.tree.Exprs {
		if o := l.info.Exprs[e].Object; o != 0 && l.tree.Exprs[e].Kind == syntax.IdentExpr {
			named[o] = true
			read[o] = read[o] || !written[e]
		}
	}
	return read, named
}

// target returns the identifier of the variable that a left side writes without reading it, or 0.
func (l *linter) target(e syntax.Expr) syntax.Expr {
	for {
		switch n := l.tree.Expr(e); n.Kind {
		case syntax.ParenExpr, syntax.IndexExpr, syntax.MemberExpr:
			e = n.A
		case syntax.IdentExpr:
			if o := l.info.Exprs[e].Object; o != 0 {
				switch l.info.Objects[o].Kind {
				case sem.LocalObject, sem.GlobalObject:
					return e
				}
			}
			return 0
		default:
			return 0
		}
	}
}
