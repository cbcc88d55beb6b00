package uniform

import (
	"slices"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file words the diagnostics: the operation, its chain of dependences, and why the last of
// them may be non-uniform.

// maxSteps is the greatest number of steps of a chain in a diagnostic.
const maxSteps = 5

// maxAlike is the greatest number of further operations that a diagnostic about a branch names.
const maxAlike = 4

// finding is a diagnostic about a branch or about one operation.
type finding struct {
	branch     syntax.Expr // the condition that may be non-uniform, or 0
	rule       string
	alike      int // further operations
	diagnostic diag.Diagnostic
}

// report reports a requirement that fails. A branch gets one diagnostic for all operations that it
// affects.
func (u *Analyzer) report(r *requirement) {
	if slices.Contains(u.blamed, r.origin.span) {
		return // what is wrong with the call has been said
	}
	if r.origin.tiles {
		u.blamed = append(u.blamed, r.origin.span)
	}
	branch := u.branchOf(r)
	for i := range u.findings {
		f := &u.findings[i]
		if branch == 0 || f.branch != branch || f.diagnostic.Severity != r.severity || f.rule != r.origin.rule {
			continue
		}
		if f.alike++; f.alike <= maxAlike {
			f.diagnostic.Notes = append(f.diagnostic.Notes, diag.Note{Span: r.origin.span, Message: "the same holds for `" + r.origin.name + "` here"})
		}
		return
	}
	u.findings = append(u.findings, finding{branch: branch, rule: r.origin.rule, diagnostic: u.word(r)})
}

// branchOf returns the condition that makes control flow at an operation non-uniform: the last one
// on the path to mayBeNonUniform, since the others are inside the branch it controls. It is 0 for
// an operand.
func (u *Analyzer) branchOf(r *requirement) syntax.Expr {
	if r.origin.operand {
		return 0
	}
	if len(u.conditions) == 0 {
		u.findConditions()
	}
	for x := mayBeNonUniform; x != r.node; {
		x = u.parents[x]
		if e := u.exprs[x]; u.conditions[e] {
			return e
		}
	}
	return 0
}

// findConditions marks the conditions of branches.
func (u *Analyzer) findConditions() {
	u.conditions = ir.Zeroed(u.conditions, len(u.tree.Exprs))
	for i := range u.tree.Stmts {
		switch n := &u.tree.Stmts[i]; n.Kind {
		case syntax.IfStmt, syntax.SwitchStmt, syntax.ForStmt, syntax.WhileStmt:
			u.conditions[n.A] = n.A != 0
		case syntax.LoopStmt:
			u.conditions[n.B] = n.B != 0
		}
	}
}

// show adds the findings of a function to the diagnostics.
func (u *Analyzer) show() {
	for i := range u.findings {
		f := &u.findings[i]
		d := &f.diagnostic
		if more := f.alike - maxAlike; more > 0 {
			d.Notes = append(d.Notes, diag.Note{Message: "and for " + diag.Plural(more, "further operation")})
		}
		if f.rule != "" {
			d.Notes = append(d.Notes, diag.Note{Message: "diagnostic(off, " + f.rule + ") turns this check off"})
		}
		u.list.Add(*d)
	}
	u.findings, u.blamed = u.findings[:0], u.blamed[:0]
}

// word makes the diagnostic of a requirement.
func (u *Analyzer) word(r *requirement) diag.Diagnostic {
	group := "invocations"
	if u.subgroup {
		group = "invocations of a subgroup"
	}
	o := &r.origin
	d := diag.Diagnostic{Code: diag.NonUniform, Severity: r.severity, Span: o.span,
		Message: "`" + o.name + "` must be reached by all " + group + ", and control flow may differ between them here"}
	if o.operand {
		d.Message = "`" + o.name + "` needs an argument that is the same for all " + group + ", and this one may differ"
	}
	first := "control flow depends on this"
	if o.operand {
		first = "the argument depends on this"
	}
	if o.at != o.span {
		d.Notes = append(d.Notes, diag.Note{Span: o.at, Message: "`" + o.name + "` is called here"})
	}
	if o.through != 0 {
		d.Notes = append(d.Notes, diag.Note{Span: u.object(o.through).Span, Message: first})
		first = "it is given this value"
	}
	d.Notes = append(d.Notes, u.chain(r.node, first)...)
	if o.operand && o.tiles {
		d.Notes = append(d.Notes, diag.Note{Message: "a tile is one value of all invocations; what differs by row and column is computed in a function for tileMap"})
	}
	if !o.operand {
		d.Notes = append(d.Notes, diag.Note{Message: "call it where all " + group + " reach it, before or after what depends on that"})
	}
	return d
}

// steps returns the expressions on the path from a node to mayBeNonUniform that the last search
// found, and the last node of the path. Expressions inside the previous one are left out.
func (u *Analyzer) steps(from node) (steps []syntax.Expr, last node) {
	last = u.parents[mayBeNonUniform]
	for x := mayBeNonUniform; x != from; {
		x = u.parents[x]
		if e := u.exprs[x]; e != 0 && (len(steps) == 0 || steps[len(steps)-1] != e) {
			steps = append(steps, e)
		}
	}
	slices.Reverse(steps)
	kept := steps[:0]
	for i, e := range steps {
		span := u.tree.Expr(e).Span
		if n := len(kept); n > 0 && i < len(steps)-1 && within(span, u.tree.Expr(kept[n-1]).Span) {
			continue // a part of the previous step
		}
		kept = append(kept, e)
	}
	if n := len(kept); n > maxSteps {
		kept = append(kept[:maxSteps-2], kept[n-2:]...)
	}
	return kept, last
}

func within(inner, outer source.Span) bool {
	return inner.Start >= outer.Start && inner.End <= outer.End
}

// chain words the path from a node to mayBeNonUniform. The first message is about the first step.
func (u *Analyzer) chain(from node, first string) []diag.Note {
	if from == mayBeNonUniform {
		return nil
	}
	steps, last := u.steps(from)
	var notes []diag.Note
	for i, e := range steps {
		message := "which depends on this"
		if i == 0 {
			message = first
		}
		if i == len(steps)-1 {
			reason := u.reason(e)
			if i == 0 && first != "" {
				reason = first + ": " + reason
			}
			message = reason
		}
		notes = append(notes, diag.Note{Span: u.tree.Expr(e).Span, Message: message})
	}
	if at := slices.IndexFunc(u.causes, func(c calleeCause) bool { return c.node == last }); at >= 0 && u.causes[at].note.Message != "" {
		notes = append(notes, u.causes[at].note)
	}
	return notes
}

// cause words the last step of the path from a node to mayBeNonUniform.
func (u *Analyzer) cause(from node) diag.Note {
	notes := u.chain(from, "")
	if len(notes) == 0 {
		return diag.Note{}
	}
	return notes[len(notes)-1]
}

// reason says why an expression may be non-uniform.
func (u *Analyzer) reason(e syntax.Expr) string {
	n := u.tree.Expr(e)
	if n.Kind == syntax.CallExpr {
		if x := &u.info.Exprs[e]; x.Call == sem.UserCall || x.Call == sem.BuiltinCall {
			return "the result of " + "`" + u.tree.Text(u.tree.Expr(n.A).Name) + "`" + " may differ between invocations"
		}
		return "this value may differ between invocations"
	}
	root := u.info.RootOf(e)
	if root == 0 {
		return "this value may differ between invocations"
	}
	o := u.object(root)
	name := "`" + u.tree.Text(o.Name) + "`"
	switch o.Kind {
	case sem.GlobalObject:
		switch space := u.module.SpaceOf(u.module.Globals[o.Value.Index()].Type); space {
		case ir.Private:
			return name + " is private memory, of which each invocation has its own"
		case ir.Workgroup:
			return name + " is workgroup memory, which other invocations may write in the meantime; workgroupUniformLoad reads it for all"
		case ir.Storage:
			return name + " is " + space.String() + " memory, which other invocations may write in the meantime"
		}
	case sem.ParameterObject:
		if builtin := u.builtinName(root); builtin != "" {
			return name + " is the builtin value " + builtin + ", which differs between invocations"
		}
	case sem.LocalObject:
		if u.info.Exprs[e].Type != ir.Void && u.module.IsPointer(u.info.Exprs[e].Type) && !u.info.Exprs[e].Reference {
			return "the call may leave a value in " + name + " that differs between invocations"
		}
	}
	return name + " may differ between invocations"
}

// builtinName returns the builtin value of an entry point's parameter, or "".
func (u *Analyzer) builtinName(o sem.Object) string {
	f := &u.info.Functions[u.object(o).Function]
	for _, b := range f.Builtins {
		if b.Member < 0 && f.Parameters[b.Parameter] == o {
			return b.Name
		}
	}
	return ""
}
