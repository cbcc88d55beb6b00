package editor

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/overload"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Hover is the description of a word.
type Hover struct {
	Range // of the word
	// Code is a declaration, or the meaning of the word as WGSL; it may have several lines.
	Code string
	// Text has paragraphs, none of them empty.
	Text []string
}

func (h *Hover) say(paragraph string) {
	if paragraph != "" {
		h.Text = append(h.Text, paragraph)
	}
}

// Hover returns the description of the word at an offset, or nil.
func (d *Document) Hover(offset int) *Hover {
	r := d.reading()
	n := r.nameAt(offset)
	if n == nil {
		return r.hoverContext(offset)
	}
	h := &Hover{Range: n.at}
	switch {
	case n.meaning.object != 0:
		r.hoverObject(h, n.meaning.object)
	case n.meaning.member != 0:
		r.hoverMember(h, n.meaning.member-1)
	case n.meaning.word != 0:
		r.hoverWord(h, n)
	case n.expr != 0 && r.tree.Expr(n.expr).Kind == syntax.MemberExpr && r.info.Exprs[n.expr].Type != ir.Void:
		t := r.info.ValueType(n.expr) // a swizzle, or a member of what a builtin function returns
		h.Code = r.text[n.at.Start:n.at.End] + ": " + r.types.Name(t) + r.valueText(r.info.Exprs[n.expr].Value)
	default:
		return nil
	}
	return h
}

func (r *reading) hoverObject(h *Hover, o sem.Object) {
	info := &r.info.Objects[o]
	h.Code = r.declarationText(o)
	switch info.Kind {
	case sem.GlobalObject, sem.LocalObject:
		h.say(r.layoutText(info.Type))
	case sem.AliasObject:
		h.say(r.layoutText(info.Type))
	case sem.ParameterObject:
		h.say("a parameter of `" + r.tree.Text(r.info.Objects[r.info.Functions[info.Function].Object].Name) + "`")
		h.say(r.builtinValueText(o))
	}
	if info.Decl != 0 {
		h.say(r.comment(r.tree.Decl(info.Decl).Span))
	}
}

// builtinValueText describes the builtin value of a parameter.
func (r *reading) builtinValueText(o sem.Object) string {
	f := r.info.Objects[o].Function
	if f < 0 {
		return ""
	}
	for _, field := range r.tree.FieldList(r.tree.Decl(r.info.Functions[f].Decl).Parameters) {
		if field.NameSpan == r.info.Objects[o].Span {
			return r.builtinAttribute(field.Attributes)
		}
	}
	return ""
}

// builtinAttribute describes the builtin value among attributes.
func (r *reading) builtinAttribute(list syntax.List) string {
	for _, a := range r.tree.AttributeList(list) {
		if arguments := r.tree.ExprList(a.Arguments); r.tree.Text(a.Name) == "builtin" && len(arguments) > 0 {
			text, _ := find(builtinValues, r.source(r.tree.Expr(arguments[0]).Span))
			return text
		}
	}
	return ""
}

// hoverMember describes a member, an index in Tree.Fields.
func (r *reading) hoverMember(h *Hover, field uint32) {
	f := &r.tree.Fields[field]
	h.Code = r.attributesText(f.Attributes) + r.tree.Text(f.Name) + ": " + r.source(r.tree.Expr(f.Type).Span)
	for d := range r.tree.Decls {
		n := &r.tree.Decls[d]
		if n.Kind != syntax.StructDecl || field < n.Members.Start || field >= n.Members.Start+n.Members.Len {
			continue
		}
		h.say("a member of `" + r.tree.Text(n.Name) + "`")
		o := r.info.DeclObjects[d]
		if o == 0 {
			continue
		}
		if t := r.info.Objects[o].Type; r.layoutText(t) != "" {
			i := int(field - n.Members.Start)
			h.say(r.memberLayout(t, i) + "; " + r.layoutText(r.module.Members(t)[i].Type))
		}
	}
	h.say(r.builtinAttribute(f.Attributes))
	h.say(r.comment(f.Span))
}

// hoverWord describes a predeclared word.
func (r *reading) hoverWord(h *Hover, n *name) {
	text := r.text[n.at.Start:n.at.End]
	p := sem.Lookup(n.meaning.word)
	if p.Kind != sem.FunctionName {
		h.Code = text
		if written := r.source(r.tree.Expr(n.expr).Span); p.Kind.IsType() {
			h.Code = written
		}
		h.say(wordText(text, p))
		return
	}
	h.Code = strings.Join(overloads(p), "\n")
	if call := r.callOf(n.expr); call != 0 {
		h.Code = r.callText(text, call) + "\n\n" + h.Code
	}
	explanation, section := find(functions, text)
	h.say(explanation)
	h.say(section)
}

// maxOverloads is the greatest number of overloads that are shown.
const maxOverloads = 8

// overloads formats the overloads of a builtin function.
func overloads(p sem.Predeclared) (lines []string) {
	for i := range p.B {
		if i == maxOverloads {
			return append(lines, "// and "+strconv.Itoa(int(p.B-i))+" more")
		}
		lines = append(lines, overload.Describe(&sem.Builtins[p.A+i]))
	}
	return lines
}

// callOf returns the call of a builtin function by its callee, or 0.
func (r *reading) callOf(callee syntax.Expr) syntax.Expr {
	for e := range r.tree.Exprs {
		if n := &r.tree.Exprs[e]; n.Kind == syntax.CallExpr && n.A == callee && r.info.Exprs[e].Call == sem.BuiltinCall {
			return syntax.Expr(e)
		}
	}
	return 0
}

// callText formats a call with types: max(f32, f32) -> f32.
func (r *reading) callText(name string, call syntax.Expr) string {
	var arguments []string
	for _, a := range r.tree.ExprList(r.tree.Expr(call).List) {
		arguments = append(arguments, r.types.Name(r.info.ValueType(a)))
	}
	text := name + "(" + strings.Join(arguments, ", ") + ")"
	if x := &r.info.Exprs[call]; x.Type != ir.Void {
		text += " -> " + r.types.Name(x.Type) + r.valueText(x.Value)
	}
	return text
}

// wordText describes a predeclared word that is no function.
func wordText(text string, p sem.Predeclared) string {
	switch p.Kind {
	case sem.VectorName:
		if k := scalar.Kind(p.B); k != scalar.None {
			size := int(p.A) * k.Bytes()
			align := size
			if p.A == 3 {
				align = 4 * k.Bytes()
			}
			return "A vector of " + strconv.Itoa(int(p.A)) + " " + k.String() + ": " + bytes(uint32(size)) + ", aligned to " + strconv.Itoa(align) + "."
		}
		return "A vector of " + strconv.Itoa(int(p.A)) + " components."
	case sem.MatrixName:
		text := "A matrix of " + strconv.Itoa(int(p.A)) + " columns, which are vectors of " + strconv.Itoa(int(p.B))
		if k := scalar.Kind(p.C); k != scalar.None {
			text += " " + k.String()
		}
		return text + "."
	case sem.FormatName:
		return "A texel format, the first argument of a storage texture's type."
	}
	explanation, _ := find(predeclared, text)
	return explanation
}

// hoverContext describes a context-dependent word: an attribute, builtin value or extension.
func (r *reading) hoverContext(offset int) *Hover {
	for i := range r.tree.Attributes {
		a := &r.tree.Attributes[i]
		if at := r.rangeOf(a.NameSpan); at.touches(offset) && at.End > at.Start {
			return described(attributes, at, "@"+r.tree.Text(a.Name))
		}
		if r.tree.Text(a.Name) != "builtin" {
			continue
		}
		for _, e := range r.tree.ExprList(a.Arguments) {
			if at := r.rangeOf(r.tree.Expr(e).Span); at.touches(offset) && at.End > at.Start {
				return described(builtinValues, at, r.text[at.Start:at.End])
			}
		}
	}
	for i := range r.tree.Directives {
		for _, e := range r.tree.ExprList(r.tree.Directives[i].Names) {
			if at := r.rangeOf(r.tree.Expr(e).Span); at.touches(offset) && at.End > at.Start {
				return described(extensions, at, r.text[at.Start:at.End])
			}
		}
	}
	return nil
}

// described returns the description of a word in chapters, or nil.
func described(chapters []chapter, at Range, code string) *Hover {
	text, section := find(chapters, strings.TrimPrefix(code, "@"))
	if text == "" {
		return nil
	}
	return &Hover{at, code, []string{text, section}}
}
