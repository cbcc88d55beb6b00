package syntax

import (
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file parses directives, attributes and declarations (WGSL §4 to §7, §11.1,
// §12).

// translationUnit parses the file.
func (p *Parser) translationUnit() {
	for p.isDirective() {
		start := p.at
		p.directive()
		p.resume(start)
	}
	for p.kind() != EndOfFile {
		start := p.at
		p.globalDeclaration()
		p.resume(start)
	}
}

// resume ends a failure at module scope.
func (p *Parser) resume(start int) {
	if p.failed {
		p.recover(start, &moduleStops)
	}
	if p.at == start {
		p.next()
	}
	p.failed, p.leaving, p.depth, p.chained = false, false, 0, 0
	p.exprs, p.stmts, p.clauses = p.exprs[:0], p.stmts[:0], p.clauses[:0]
}

func (p *Parser) isDirective() bool {
	k := p.kind()
	return k == KeywordEnable || k == KeywordRequires || k == KeywordDiagnostic
}

// directive parses a global_directive.
func (p *Parser) directive() {
	start := p.at
	d := Directive{Kind: EnableDirective}
	k := p.kind()
	p.next()
	switch k {
	case KeywordDiagnostic:
		d.Kind = DiagnosticDirective
		d.Names = p.diagnosticControl()
	case KeywordRequires:
		d.Kind = RequiresDirective
		d.Names = p.extensionNames(k)
	default:
		d.Names = p.extensionNames(k)
	}
	p.semicolon("the " + k.String() + " directive")
	if !p.failed {
		d.Span = p.from(start)
		p.tree.Directives = append(p.tree.Directives, d)
	}
}

// extensionNames parses names separated by commas, with an optional comma at
// the end.
func (p *Parser) extensionNames(directive Token) List {
	base := len(p.exprs)
	for p.kind() == Ident {
		p.exprs = append(p.exprs, p.ident())
		if !p.accept(Comma) {
			break
		}
	}
	if len(p.exprs) == base {
		p.fail(diag.UnknownDirective, p.here(), "expected the name of an extension after `"+directive.String()+"`, "+p.found(), "")
	}
	return move(&p.exprs, &p.tree.ExprLists, base)
}

// diagnosticControl parses a diagnostic_control.
func (p *Parser) diagnosticControl() List {
	base := len(p.exprs)
	if p.expect(LeftParen, "after `diagnostic`") {
		p.diagnosticName("a severity: error, warning, info or off")
		if !p.failed && p.expect(Comma, "after the severity") {
			p.diagnosticName("the name of a diagnostic rule")
			p.accept(Comma)
			if !p.failed {
				p.expect(RightParen, "after the diagnostic rule")
			}
		}
	}
	return move(&p.exprs, &p.tree.ExprLists, base)
}

// diagnosticName parses a name, or two with a dot between them. Only rules have the latter; the
// checker rejects it for severities.
func (p *Parser) diagnosticName(description string) {
	name, span, ok := p.name(description)
	if !ok {
		return
	}
	e := p.addExpr(ExprNode{Kind: IdentExpr, Name: name, Span: span})
	if description[0] == 't' && p.accept(Dot) {
		second, secondSpan, ok := p.name(description)
		if !ok {
			return
		}
		member := p.addExpr(ExprNode{Kind: IdentExpr, Name: second, Span: secondSpan})
		e = p.addExpr(ExprNode{Kind: MemberExpr, A: e, B: member, Name: second, Span: span.To(secondSpan)})
	}
	p.exprs = append(p.exprs, e)
}

// attributes parses attributes, if there are any.
func (p *Parser) attributes() List {
	base := len(p.tree.Attributes)
	for !p.failed {
		switch k := p.kind(); {
		case k == At:
			p.next()
			p.attribute(p.at - 1)
			continue
		case k == LeftBracket && p.following() == LeftBracket:
			p.bracketed()
			continue
		case k == Ident && beforeAttributed[p.following()] && slices.Contains(attributeWords[:], p.tokenText(p.at)):
			at := p.file.Span(int(p.tokens[p.at].start), int(p.tokens[p.at].start))
			p.fail(diag.Syntax, p.here(), "expected `@` before the attribute `"+p.tokenText(p.at)+"`", "",
				diag.Fix{Kind: diag.FixAttributeSign, Span: at, Text: "@", Message: "insert `@`"})
			p.failed = false
			p.attribute(p.at)
			continue
		}
		break
	}
	return List{uint32(base), uint32(len(p.tree.Attributes) - base)}
}

// attributeWords are the names read as an attribute without its `@`, if one of beforeAttributed
// follows. No grammar rule begins so.
var attributeWords = [...]string{
	"compute", "vertex", "fragment", "workgroup_size", "group", "binding",
	"builtin", "location", "align", "size", "id", "interpolate",
	"invariant", "must_use",
}

var beforeAttributed = [tokenCount]bool{LeftParen: true, At: true, KeywordFn: true, KeywordVar: true, KeywordOverride: true}

// withdrawn are the attributes before 2022 that have no successor, and what to write instead, if
// anything.
var withdrawn = diag.Words{
	{"block", ""},
	{"stride", "the stride of an array follows from the type of its elements; @size or @align on a member changes that type's"},
	{"access", "the access mode follows the address space, as in var<storage, read_write>"},
}

// bracketed parses attributes as WGSL wrote them before 2022, [[group(0), binding(0)]], and reports
// them in one message.
func (p *Parser) bracketed() {
	start := p.at
	p.next()
	p.next()
	text, hint := "", ""
	for !p.failed && p.kind() != RightBracket {
		first, kept := p.at, len(p.tree.Attributes)
		name := p.tokenText(first)
		p.attribute(first)
		if h, ok := withdrawn.Find(name); ok && !p.failed { // it has no successor
			hint = h
			p.tree.Attributes = p.tree.Attributes[:kept]
		} else if p.at > first { // a name was read
			text += " @" + p.text[p.tokens[first].start:p.tokens[p.at-1].end]
		}
		if !p.accept(Comma) {
			break
		}
	}
	if p.failed || !p.expect(RightBracket, "after the attributes") || !p.expect(RightBracket, "after the attributes") {
		return
	}
	text = strings.TrimSpace(text)
	message := "write " + shorten(text)
	if text == "" {
		message = "remove it"
	}
	p.fail(diag.Syntax, p.from(start), "attributes are written @name(arguments), without brackets", hint,
		diag.Fix{Kind: diag.FixAttributeBrackets, Span: p.from(start), Text: text, Message: message})
	p.failed = false
}

// attribute parses one attribute from its name on; its span begins at token start. The checker
// knows which arguments each has, except for the two keywords with their own grammar.
func (p *Parser) attribute(start int) {
	a := Attribute{NameSpan: p.here(), Name: Symbol(p.tokens[p.at].value)}
	switch p.kind() {
	case KeywordConst:
		p.next()
	case KeywordDiagnostic:
		p.next()
		a.HasParens = true
		a.Arguments = p.diagnosticControl()
	case Ident:
		p.checkName()
		p.next()
		if p.accept(LeftParen) {
			a.HasParens = true
			a.Arguments = p.expressions(RightParen, "in the attribute's arguments")
		}
	default:
		p.expected("the name of an attribute after `@`")
	}
	if p.failed {
		return
	}
	a.Span = p.from(start)
	p.tree.Attributes = append(p.tree.Attributes, a)
}

// globalDeclaration parses a global_decl, a global_assert or a `;`.
func (p *Parser) globalDeclaration() {
	if p.accept(Semicolon) {
		return
	}
	start := p.at
	attributes := p.attributes()
	if p.failed {
		return
	}
	k := p.kind()
	takesAttributes := true
	var d Decl
	switch k {
	case KeywordFn:
		d = p.function(start, attributes)
	case KeywordVar, KeywordOverride:
		d = p.valueDeclaration(start, attributes)
	case KeywordConst:
		takesAttributes = false
		d = p.valueDeclaration(start, List{})
	case KeywordStruct:
		takesAttributes = false
		d = p.structure(start)
	case KeywordAlias:
		takesAttributes = false
		d = p.alias(start)
	case KeywordConstAssert:
		takesAttributes = false
		d = p.constAssert(start)
	default:
		p.noDeclaration(attributes)
	}
	if attributes.Len > 0 && !takesAttributes {
		list := p.tree.AttributeList(attributes)
		p.list.Add(diag.Diagnostic{Code: diag.InvalidAttribute, Span: list[0].Span.To(list[len(list)-1].Span),
			Message: "attributes cannot be placed on `" + k.String() + "`"})
	}
	if d != 0 {
		p.tree.Globals = append(p.tree.Globals, d)
	}
}

// noDeclaration reports a token that begins no declaration.
func (p *Parser) noDeclaration(attributes List) {
	statement := p.beginsStatement()
	if !statement {
		p.foreign++
	}
	switch k := p.kind(); {
	case p.isDirective():
		p.fail(diag.UnknownDirective, p.here(), "expected a declaration, found the directive `"+k.String()+"`",
			"directives come at the beginning of the file, before all declarations and semicolons")
	case k == KeywordLet:
		p.expectedHint("a declaration", "`let` is for functions; at module scope write `const`, or `override` for a value given when the pipeline is created")
	case k == Ident && p.following() == LeftParen:
		p.expectedHint("a declaration", "functions begin with `fn`")
	case k == Ident && p.tokenText(p.at) == "void":
		p.expectedHint("a declaration", "functions are written fn name(parameter: type) -> type { … }; without a result, there is no `->`")
	case k == LeftBracket:
		p.expectedHint("a declaration", "attributes are written @name(arguments), such as @workgroup_size(64)")
	case attributes.Len > 0:
		p.expected("a declaration after the attributes")
	case statement && k != RightBrace:
		p.expectedHint("a declaration", "statements are allowed in functions only; is there a `}` too many above?")
		p.passStatements()
	default:
		p.expected("a declaration: fn, var, const, override, struct, alias or const_assert")
	}
}

// finish adds a declaration. One that failed remains as a BadDecl when its name
// is known, so that uses of the name need no error of their own.
func (p *Parser) finish(start int, n DeclNode) Decl {
	n.Span = p.from(start)
	if p.failed {
		if n.Name == 0 {
			return 0
		}
		n = DeclNode{Kind: BadDecl, Name: n.Name, NameSpan: n.NameSpan, Span: n.Span}
	}
	return p.addDecl(n)
}

// valueKinds describes the declarations of values: their kinds, names in
// messages, and whether the grammar demands an initial value.
var valueKinds = [tokenCount]struct {
	kind       DeclKind
	name, what string
	needsValue bool
}{
	KeywordVar:      {VarDecl, "the name of a variable after `var`", "the variable declaration", false},
	KeywordLet:      {LetDecl, "the name of a value after `let`", "the value declaration", true},
	KeywordConst:    {ConstDecl, "the name of a constant after `const`", "the constant declaration", true},
	KeywordOverride: {OverrideDecl, "the name of an override after `override`", "the override declaration", false},
}

// valueDeclaration parses a var, let, const or override declaration with its `;`.
func (p *Parser) valueDeclaration(start int, attributes List) Decl {
	keyword := p.kind()
	d := p.value(start, attributes)
	if !p.failed {
		p.semicolon(valueKinds[keyword].what)
	}
	if p.failed && d != 0 {
		p.tree.Decls[d].Kind = BadDecl
	}
	return d
}

// value parses a var, let, const or override declaration without its `;`.
func (p *Parser) value(start int, attributes List) Decl {
	row := &valueKinds[p.kind()]
	n := DeclNode{Kind: row.kind, Attributes: attributes}
	p.next()
	if row.kind == VarDecl && p.kind() == TemplateStart {
		n.HasTemplate = true
		n.Template = p.templateList()
	}
	if p.failed {
		return 0
	}
	if row.kind == LetDecl && p.kind() == Ident && p.following() == Ident && p.tokenText(p.at) == "mut" {
		span := p.span(start).To(p.here())
		p.fail(diag.Syntax, span, "WGSL has no `let mut`; what can be assigned to is a `var`", "",
			diag.Fix{Kind: diag.FixLetMut, Span: span, Text: "var", Message: "replace it by `var`"})
		p.failed = false
		p.next()
		n.Kind, row = VarDecl, &valueKinds[KeywordVar]
	}
	var ok bool
	if n.Name, n.NameSpan, ok = p.name(row.name); !ok {
		return 0
	}
	if p.accept(Colon) {
		n.Type = p.typeSpecifier("after `:`")
	}
	switch {
	case p.failed:
	case p.accept(Assign):
		n.Init = p.expression()
	case p.kind() == Equal:
		p.fail(diag.Syntax, p.here(), "expected `=`, found `==`", p.hint(),
			diag.Fix{Kind: diag.FixEqual, Span: p.here(), Text: "=", Message: "replace `==` by `=`"})
	case row.needsValue:
		description := "`=` and the initial value in " + row.what
		if n.Type == 0 {
			description = "`:` and a type or " + description
		}
		p.expected(description)
	case p.kind() == Ident && n.Type == 0:
		p.expectedHint("`:`, `=` or `;` in "+row.what, "declarations are written var name: type = value")
	}
	return p.finish(start, n)
}

// constAssert parses a const_assert with its `;`.
func (p *Parser) constAssert(start int) Decl {
	n := DeclNode{Kind: ConstAssertDecl}
	p.next()
	n.Init = p.expression()
	p.semicolon("const_assert")
	return p.finish(start, n)
}

// alias parses a type_alias_decl with its `;`.
func (p *Parser) alias(start int) Decl {
	n := DeclNode{Kind: AliasDecl}
	p.next()
	var ok bool
	if n.Name, n.NameSpan, ok = p.name("the name of a type after `alias`"); ok && p.expect(Assign, "after the alias's name") {
		n.Type = p.typeSpecifier("after `=`")
		p.semicolon("the alias declaration")
	}
	return p.finish(start, n)
}

// structure parses a struct_decl.
func (p *Parser) structure(start int) Decl {
	n := DeclNode{Kind: StructDecl}
	p.next()
	var ok bool
	if n.Name, n.NameSpan, ok = p.name("the name of a structure after `struct`"); !ok || !p.expect(LeftBrace, "after the structure's name") {
		return p.finish(start, n)
	}
	base := len(p.tree.Fields)
	if p.kind() == RightBrace {
		p.expected("a member: a structure has at least one")
	}
	for !p.failed && p.kind() != RightBrace {
		p.field("the name of a member", "after `:` in the structure")
		if p.failed {
			break
		}
		if p.kind() == Semicolon {
			p.fail(diag.Syntax, p.here(), "expected `,` or `}` after the member, found `;`", "the members of a structure are separated by commas",
				diag.Fix{Kind: diag.FixComma, Span: p.here(), Text: ",", Message: "replace `;` by `,`"})
			p.failed = false
			p.next()
		} else if !p.accept(Comma) {
			break
		}
	}
	n.Members = List{uint32(base), uint32(len(p.tree.Fields) - base)}
	if !p.failed && !p.accept(RightBrace) {
		p.expected("`,` or `}` after the member")
	}
	return p.finish(start, n)
}

// field parses a struct_member or a param. The texts complete messages: name names the member or
// parameter, and context follows "a type".
func (p *Parser) field(name, context string) {
	start := p.at
	f := Field{Attributes: p.attributes()}
	if p.failed {
		return
	}
	var ok bool
	if f.Name, f.NameSpan, ok = p.name(name); !ok {
		return
	}
	if p.kind() != Colon {
		hint := p.hint()
		if hint == "" && p.kind() == Ident {
			hint = "the name comes before the type: name: type"
		}
		p.expectedHint("`:` and a type after "+name, hint)
		return
	}
	p.next()
	f.Type = p.typeSpecifier(context)
	if p.failed {
		return
	}
	f.Span = p.from(start)
	p.tree.Fields = append(p.tree.Fields, f)
}

// function parses a function_decl.
func (p *Parser) function(start int, attributes List) Decl {
	n := DeclNode{Kind: FunctionDecl, Attributes: attributes}
	p.next()
	var ok bool
	if n.Name, n.NameSpan, ok = p.name("the name of a function after `fn`"); !ok || !p.expect(LeftParen, "after the function's name") {
		return p.finish(start, n)
	}
	base := len(p.tree.Fields)
	for !p.failed && p.kind() != RightParen {
		p.field("the name of a parameter", "after `:` in the parameter list")
		if p.failed || !p.accept(Comma) {
			break
		}
	}
	n.Parameters = List{uint32(base), uint32(len(p.tree.Fields) - base)}
	if !p.failed && !p.accept(RightParen) {
		p.expected("`,` or `)` after the parameter")
	}
	if !p.failed && p.accept(Arrow) {
		n.ResultAttributes = p.attributes()
		if !p.failed {
			n.Result = p.typeSpecifier("after `->`")
		}
	}
	if p.failed {
		return p.finish(start, n)
	}
	switch p.kind() {
	case Colon:
		p.fail(diag.Syntax, p.here(), "expected `->` or `{` after the parameters, found `:`", "the result type of a function follows `->`",
			diag.Fix{Kind: diag.FixArrow, Span: p.here(), Text: "->", Message: "replace `:` by `->`"})
	case Ident:
		var fixes []diag.Fix
		if word := p.tokenText(p.at); p.namesType(word) {
			fixes = []diag.Fix{{Kind: diag.FixMissingArrow, Span: p.here(), Text: "-> " + word, Message: "insert `->`"}}
		}
		p.fail(diag.Syntax, p.here(), "expected `->` or `{` after the parameters, "+p.found(), "the result type of a function follows `->`", fixes...)
	case Semicolon:
		p.expectedHint("`{` and the function's body", "functions need no declaration before their use in WGSL")
	default:
		n.Body = p.compound("of the function", source.Span{})
	}
	return p.finish(start, n)
}
