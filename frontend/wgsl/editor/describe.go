package editor

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/frontend/wgsl/types"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// This file formats results of the checker: declarations with types, values of constants, layouts
// of types.

// typeName formats a type, or returns its source if it is in error.
func (r *reading) typeName(t ir.Type, written syntax.Expr) string {
	switch {
	case t != ir.Void:
		return r.types.Name(t)
	case written != 0:
		return r.source(r.tree.Expr(written).Span)
	}
	return "?"
}

// source returns the text of a span in one line, without insertions.
func (r *reading) source(span source.Span) string {
	text := strings.Join(strings.Fields(r.tree.Source(span)), " ")
	if len(r.added) > 0 {
		text = strings.ReplaceAll(text, placeholder, "…")
	}
	return text
}

// attributesText returns the source of attributes, each followed by a blank.
func (r *reading) attributesText(list syntax.List) string {
	text := ""
	for _, a := range r.tree.AttributeList(list) {
		text += r.source(a.Span) + " "
	}
	return text
}

// objectType formats the type of an object.
func (r *reading) objectType(o sem.Object) string {
	info := &r.info.Objects[o]
	written := syntax.Expr(0)
	if info.Decl != 0 {
		written = r.tree.Decl(info.Decl).Type
	}
	return r.typeName(info.Type, written)
}

// declarationText formats the declaration of an object without its body.
func (r *reading) declarationText(o sem.Object) string {
	info := &r.info.Objects[o]
	named := r.tree.Text(info.Name)
	if info.Kind == sem.ParameterObject {
		return r.parameterText(o)
	}
	if info.Decl == 0 {
		return named
	}
	n := r.tree.Decl(info.Decl)
	switch n.Kind {
	case syntax.ConstDecl:
		return "const " + named + ": " + r.objectType(o) + r.valueText(info.Value)
	case syntax.LetDecl:
		return "let " + named + ": " + r.objectType(o) + r.valueText(r.info.Exprs[n.Init].Value)
	case syntax.OverrideDecl:
		text := r.attributesText(n.Attributes) + "override " + named + ": " + r.objectType(o)
		if n.Init != 0 {
			text += " = " + r.source(r.tree.Expr(n.Init).Span)
		}
		return text
	case syntax.VarDecl:
		template := ""
		if arguments := r.tree.ExprList(n.Template); len(arguments) > 0 {
			template = "<" + r.source(r.tree.Expr(arguments[0]).Span.To(r.tree.Expr(arguments[len(arguments)-1]).Span)) + ">"
		}
		return r.attributesText(n.Attributes) + "var" + template + " " + named + ": " + r.objectType(o)
	case syntax.AliasDecl:
		return "alias " + named + " = " + r.objectType(o)
	case syntax.FunctionDecl:
		return r.functionText(info)
	case syntax.StructDecl:
		return r.structText(info)
	}
	return named
}

// parameterText formats a parameter: `@builtin(position) at: vec4<f32>`.
func (r *reading) parameterText(o sem.Object) string {
	info := &r.info.Objects[o]
	text := r.tree.Text(info.Name) + ": " + r.typeName(info.Type, 0)
	if f := info.Function; f >= 0 {
		for _, field := range r.tree.FieldList(r.tree.Decl(r.info.Functions[f].Decl).Parameters) {
			if field.NameSpan == info.Span {
				return r.attributesText(field.Attributes) + r.tree.Text(info.Name) + ": " + r.typeName(info.Type, field.Type)
			}
		}
	}
	return text
}

// functionText formats the head of a function.
func (r *reading) functionText(info *sem.ObjectInfo) string {
	n := r.tree.Decl(info.Decl)
	parameters := make([]string, n.Parameters.Len)
	for i := range parameters {
		parameters[i] = r.parameter(info.Function, i)
	}
	text := r.attributesText(n.Attributes)
	if text != "" {
		text = strings.TrimSpace(text) + "\n"
	}
	return text + "fn " + r.tree.Text(info.Name) + "(" + strings.Join(parameters, ", ") + ")" + r.resultText(n)
}

// parameter formats a parameter of a function.
func (r *reading) parameter(function int32, i int) string {
	f := &r.info.Functions[function]
	if i < len(f.Parameters) {
		return r.parameterText(f.Parameters[i])
	}
	field := &r.tree.FieldList(r.tree.Decl(f.Decl).Parameters)[i]
	return r.source(field.Span) // its head has not been checked
}

// resultText formats the result of a function, with its arrow.
func (r *reading) resultText(n *syntax.DeclNode) string {
	if n.Result == 0 {
		return ""
	}
	return " -> " + r.attributesText(n.ResultAttributes) + r.source(r.tree.Expr(n.Result).Span)
}

// structText formats a structure, with its layout in comments.
func (r *reading) structText(info *sem.ObjectInfo) string {
	n := r.tree.Decl(info.Decl)
	t := info.Type
	laid := r.layoutText(t) != ""
	text := "struct " + r.tree.Text(info.Name) + " {"
	if laid {
		text += " // " + r.layoutText(t)
	}
	for i, field := range r.tree.FieldList(n.Members) {
		text += "\n    " + r.attributesText(field.Attributes) + r.tree.Text(field.Name) + ": " + r.source(r.tree.Expr(field.Type).Span) + ","
		if laid {
			text += " // " + r.memberLayout(t, i)
		}
	}
	return text + "\n}"
}

// memberLayout formats the offset of a structure member in bytes, and the padding after it.
func (r *reading) memberLayout(t ir.Type, i int) string {
	m := r.module
	member := m.Members(t)[i]
	text := "offset " + strconv.Itoa(int(member.Offset))
	if unused := paddingAfter(m, t, i); unused > 0 {
		text += ", " + bytes(unused) + " unused after it"
	}
	return text
}

// paddingAfter returns the bytes of padding after a structure member; there are none after a
// runtime-sized array.
func paddingAfter(m *ir.Module, t ir.Type, i int) uint32 {
	members := m.Members(t)
	if m.IsRuntimeArray(members[i].Type) {
		return 0
	}
	next := m.Size(t)
	if i+1 < len(members) {
		next = members[i+1].Offset
	}
	return next - members[i].Offset - m.Size(members[i].Type)
}

func bytes(n uint32) string { return diag.Plural(int(n), "byte") }

// layoutText formats the size and the alignment of a host-shareable type, or returns "" for others.
func (r *reading) layoutText(t ir.Type) string {
	m := r.module
	if t == ir.Void || !r.types.Is(t, types.HostShareable|types.Plain) {
		return ""
	}
	aligned := "aligned to " + strconv.Itoa(int(m.Align(t)))
	if m.KindOf(t) == ir.ArrayType {
		stride := ", elements " + bytes(m.Stride(t)) + " apart"
		if _, known := m.Count(t); !known {
			return aligned + stride
		}
		aligned += stride
	}
	if r.types.ClassOf(t)&types.HoldsRuntime != 0 {
		members := m.Members(t)
		return bytes(members[len(members)-1].Offset) + " before the last member, " + aligned
	}
	return bytes(m.Size(t)) + ", " + aligned
}

// valueText formats ` = ` and the value of a constant, or returns "" for an unknown one.
func (r *reading) valueText(v ir.Value) string {
	if v == 0 || !v.IsConst() {
		return ""
	}
	return " = " + r.constantText(v, 0)
}

// maxParts is the greatest number of parts of a constant that are shown.
const maxParts = 16

// constantText formats a constant as WGSL, shortened.
func (r *reading) constantText(v ir.Value, depth int) string {
	m := r.module
	t := m.TypeOf(v)
	if m.IsScalar(t) {
		return types.ScalarText(scalar.Kind(t), m.ConstBits(v))
	}
	count, _ := m.Count(t)
	if m.KindOf(t) == ir.StructType {
		count = uint32(len(m.Members(t)))
	}
	if depth > 3 {
		return "…"
	}
	parts := make([]string, 0, min(count, maxParts))
	for i := range min(count, maxParts) {
		parts = append(parts, r.constantText(m.ConstPart(v, i), depth+1))
	}
	if count > maxParts {
		parts = append(parts, "…")
	}
	return r.types.Name(t) + "(" + strings.Join(parts, ", ") + ")"
}

// comment returns the text of the comment lines directly above a declaration.
func (r *reading) comment(span source.Span) string {
	text := strings.TrimRight(r.file.Text[:min(int(span.Start-r.file.Base), len(r.file.Text))], " \t")
	at := len(text)
	if at > 0 && text[at-1] != '\n' && text[at-1] != '\r' {
		return "" // other code precedes it on its line
	}
	var lines []string
	for at > 0 {
		text = strings.TrimSuffix(text[:at-1], "\r")
		at = strings.LastIndexAny(text, "\n\r") + 1
		line, isComment := strings.CutPrefix(strings.TrimSpace(text[at:]), "//")
		if !isComment {
			break
		}
		lines = append([]string{strings.TrimSpace(strings.TrimLeft(line, "/!"))}, lines...)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
