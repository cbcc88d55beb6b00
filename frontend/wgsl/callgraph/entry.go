package callgraph

import (
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file checks entry points once all functions are known (WGSL §13): their stage, interface and
// resources.

// entryPoint checks a function with a stage.
func (r *Recorder) entryPoint(index int32) {
	f := &r.info.Functions[index]
	n := r.tree.Decl(f.Decl)
	in := ioScope{stage: f.Stage}
	fields := r.tree.FieldList(n.Parameters)
	for i := range fields {
		t := r.object(f.Parameters[i]).Type
		r.interfaceValue(&in, t, &r.Interface[int(n.Parameters.Start)+i], fields[i].NameSpan, func(member int, b uint8) {
			f.Builtins = append(f.Builtins, sem.ParameterBuiltin{Parameter: i, Member: member, Builtin: BuiltinValues[b-1].value, Name: BuiltinValues[b-1].Name})
		})
	}
	position := slices.IndexFunc(BuiltinValues, func(v builtinValue) bool { return v.Name == "position" })
	out := ioScope{stage: f.Stage, output: true}
	if n.Result != 0 {
		span := r.tree.Expr(n.Result).Span
		if f.Stage == sem.Compute {
			r.error(diag.InvalidEntryPoint, span, "a compute entry point has no result")
		} else {
			r.interfaceValue(&out, f.Result, &r.functions[index].result, span, func(int, uint8) {})
		}
	}
	if f.Stage == sem.Vertex && !out.builtins[position].Valid() {
		r.error(diag.InvalidEntryPoint, n.NameSpan, "a vertex entry point has the result @builtin(position)")
	}
	r.entryResources(index)
	if bytes := r.workgroupBytes(f.Globals); bytes > uint64(r.limits.WorkgroupStorage) {
		r.list.Add(diag.Diagnostic{Code: diag.LimitExceeded, Severity: diag.Warning, Span: n.NameSpan,
			Message: "the entry point uses " + strconv.FormatUint(bytes, 10) + " bytes of workgroup memory, and every device supports " + strconv.Itoa(int(r.limits.WorkgroupStorage))})
	}
	facts := &r.functions[index]
	for i := range restrictionRows {
		row := &restrictionRows[i]
		if facts.restricted&row.flag != 0 && !row.stages[f.Stage] {
			use := &facts.restrictions[i]
			notes := []diag.Note{r.info.DeclaredHere(f.Object)}
			if other, ok := insteadOf.Find(use.name); ok {
				notes = append(notes, diag.Note{Message: other})
			}
			r.error(diag.InvalidEntryPoint, use.span, "`"+use.name+"` "+row.text+", and a "+f.Stage.String()+" entry point uses it", notes...)
		}
	}
}

// insteadOf says what to write in stages that lack an operation: discard, and samples whose level
// of detail comes from derivatives.
var insteadOf = diag.Words{
	{"discard", "`return` ends an invocation of a compute shader"},
	{"textureSample", "its level of detail follows from neighbouring fragments; `textureSampleLevel` takes the level as an argument"},
	{"textureSampleBias", "its level of detail follows from neighbouring fragments; `textureSampleLevel` takes the level as an argument"},
	{"textureSampleCompare", "its level of detail follows from neighbouring fragments; `textureSampleCompareLevel` samples level 0"},
}

// noInterface reports attributes of the interface on a function that is no entry point.
func (r *Recorder) noInterface(index int32) {
	f := &r.info.Functions[index]
	parameters := r.tree.Decl(f.Decl).Parameters
	for i := range parameters.Len {
		if io := &r.Interface[parameters.Start+i]; io.any() {
			r.error(diag.InvalidAttribute, io.Span, "only the parameters of entry points have attributes of the interface")
		}
	}
	if io := &r.functions[index].result; io.any() {
		r.error(diag.InvalidAttribute, io.Span, "only the results of entry points have attributes of the interface")
	}
}

// stageVariable reports whether a stage can use a variable (WGSL §7.3).
func (r *Recorder) stageVariable(stage sem.Stage, g *ir.Global) bool {
	m := r.module
	switch space := m.SpaceOf(g.Type); {
	case space == ir.Workgroup:
		return stage == sem.Compute
	case stage != sem.Vertex:
		return true
	case space == ir.Storage:
		return m.AccessOf(g.Type) == ir.Read
	case space == ir.Handle:
		t := m.Element(g.Type)
		if m.KindOf(t) == ir.TextureType {
			shape := m.ShapeOf(t)
			return !shape.IsStorage() || m.AccessOf(t) == ir.Read
		}
	}
	return true
}

// entryResources checks the variables that an entry point uses.
func (r *Recorder) entryResources(index int32) {
	m := r.module
	f := &r.info.Functions[index]
	for i, g := range f.Globals {
		a := &m.Globals[g]
		if !r.stageVariable(f.Stage, a) {
			r.error(diag.InvalidEntryPoint, a.Span, "the "+f.Stage.String()+" entry point `"+r.tree.Text(r.object(f.Object).Name)+"` uses the variable `"+a.Name+"`, which that stage cannot")
		}
		if m.SpaceOf(a.Type) == ir.Immediate {
			r.entryImmediate(f, i)
		}
		if !a.Bound {
			continue
		}
		for _, h := range f.Globals[:i] {
			b := &m.Globals[h]
			if b.Bound && a.Group == b.Group && a.Binding == b.Binding {
				r.error(diag.InvalidBinding, a.Span, "two resources of the entry point `"+r.tree.Text(r.object(f.Object).Name)+"` have @group("+strconv.Itoa(int(a.Group))+") @binding("+strconv.Itoa(int(a.Binding))+")",
					diag.Note{Span: b.Span, Message: "the other one"}, diag.Note{Message: "give one of them another @binding"})
			}
		}
	}
}

// entryImmediate checks that an entry point uses one immediate, within the limit.
func (r *Recorder) entryImmediate(f *sem.FunctionInfo, i int) {
	m := r.module
	g := &m.Globals[f.Globals[i]]
	for _, h := range f.Globals[:i] {
		if other := &m.Globals[h]; m.SpaceOf(other.Type) == ir.Immediate {
			r.error(diag.InvalidEntryPoint, g.Span, "the entry point `"+r.tree.Text(r.object(f.Object).Name)+"` uses two variables in address space immediate, and one is allowed",
				diag.Note{Span: other.Span, Message: "the other one"})
			return
		}
	}
	if bytes := m.Size(m.Element(g.Type)); bytes > r.limits.Immediates {
		r.list.Add(diag.Diagnostic{Code: diag.LimitExceeded, Severity: diag.Warning, Span: g.Span,
			Message: "`" + g.Name + "` takes " + strconv.Itoa(int(bytes)) + " bytes of immediates, and every device supports " + strconv.Itoa(int(r.limits.Immediates))})
	}
}
