package syntax

import (
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is the parser's error handling: the messages, and panic-mode recovery, which skips to a
// synchronizing token.

// fail reports an error, unless its statement is already being abandoned, and abandons the
// statement. A token that the lexer has reported is not reported again.
func (p *Parser) fail(code diag.Code, span source.Span, message, hint string, fixes ...diag.Fix) {
	if !p.failed && p.kind() != BadToken {
		d := diag.Diagnostic{Code: code, Span: span, Message: message, Fixes: fixes}
		if hint != "" {
			d.Notes = []diag.Note{{Message: hint}}
		}
		p.list.Add(d)
	}
	p.failed = true
}

// found describes the current token for the end of a message.
func (p *Parser) found() string {
	if p.kind() == EndOfFile {
		return "found the end of the file"
	}
	return "found `" + shorten(p.tokenText(p.at)) + "`"
}

// expected fails because another token was expected.
func (p *Parser) expected(description string) {
	p.expectedHint(description, p.hint())
}

func (p *Parser) expectedHint(description, hint string) {
	p.fail(diag.Syntax, p.here(), "expected "+description+", "+p.found(), hint)
}

// unclosed fails because the file ends inside the braces that the token at an
// index opens.
func (p *Parser) unclosed(opening int, what string) {
	if !p.failed {
		note, ok := p.misindented(opening)
		if !ok {
			note = diag.Note{Span: p.span(opening), Message: "opened here"}
		}
		p.list.Add(diag.Diagnostic{Code: diag.Syntax, Span: p.here(), Message: "expected `}` at the end of " + what + ", " + p.found(), Notes: []diag.Note{note}})
	}
	p.failed, p.leaving = true, true
}

// nested fails because of a declaration of module scope in a function, most likely after a block
// without its `}`.
func (p *Parser) nested() {
	if !p.failed {
		k := p.kind().String()
		d := diag.Diagnostic{Code: diag.Syntax, Span: p.here(), Message: "expected a statement or `}`, " + p.found(),
			Notes: []diag.Note{{Message: "`" + k + "` is allowed at module scope only; is a `}` missing before it?"}}}
		function := p.at - 1
		for function > 0 && p.tokens[function].kind != KeywordFn {
			function--
		}
		if note, ok := p.misindented(function); ok {
			d.Notes = append(d.Notes, note)
		}
		p.list.Add(d)
	}
	p.failed, p.leaving = true, true
}

// misindented finds the brace, from a token to the current one, that seems unclosed by the lines'
// indentation. The `}` that the grammar pairs with it is indented less than the line of the brace,
// so that the parser misses a `}` much later.
func (p *Parser) misindented(from int) (diag.Note, bool) {
	var open []int
	for i := from; i < p.at; i++ {
		switch p.tokens[i].kind {
		case LeftBrace:
			open = append(open, i)
		case RightBrace:
			if len(open) == 0 {
				return diag.Note{}, false
			}
			opening := open[len(open)-1]
			open = open[:len(open)-1]
			if !p.brokenLine(i) {
				continue
			}
			left, right := p.indentation(i), p.indentation(opening)
			if len(left) < len(right) && strings.HasPrefix(right, left) {
				return diag.Note{Span: p.span(opening), Message: "opened here, and not closed if the lines are indented rightly: the next `}` is indented less"}, true
			}
		}
	}
	return diag.Note{}, false
}

// indentation returns what the line of a token begins with.
func (p *Parser) indentation(index int) string {
	line := p.text[:p.tokens[index].start]
	line = line[strings.LastIndexAny(line, "\n\r")+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// expect consumes a token of kind k, or fails. The context completes the message and begins with a
// word such as "after".
func (p *Parser) expect(k Token, context string) bool {
	if p.tokens[p.at].kind == k {
		p.next()
		return true
	}
	p.expected("`" + k.String() + "` " + context)
	return false
}

// brokenLine reports whether a line ends before the token at an index.
func (p *Parser) brokenLine(index int) bool {
	return index > 0 && strings.ContainsAny(p.text[p.tokens[index-1].end:p.tokens[index].start], "\n\r")
}

// semicolon consumes the `;` after what. If it seems forgotten, parsing continues as if it were
// there.
func (p *Parser) semicolon(what string) {
	if p.tokens[p.at].kind == Semicolon {
		p.next()
		return
	}
	if p.failed {
		return
	}
	k := p.kind()
	forgotten := k != BadToken && (k == RightBrace || k == EndOfFile || statementStops[k] == stopBefore || moduleStops[k] == stopBefore ||
		p.brokenLine(p.at) && (k == Ident || k == At || k == Underscore))
	if !forgotten {
		p.expected("`;` after " + what)
		return
	}
	end := int(p.tokens[p.at-1].end)
	after := p.file.Span(end, end)
	p.fail(diag.Syntax, after, "expected `;` after "+what+", "+p.found(), "",
		diag.Fix{Kind: diag.FixSemicolon, Span: after, Text: ";", Message: "insert `;`"})
	p.failed = false
}

// stop is the effect of a token on skip.
type stop uint8

const (
	_          stop = iota
	stopBefore      // a statement, clause or declaration begins here
	stopAfter       // the failed one ends here
	stopOuter       // stopBefore, unless in parentheses
	stopModule      // only module scope has this: abandon everything up to it
)

var statementStops = [tokenCount]stop{
	Semicolon:  stopAfter,
	KeywordVar: stopBefore, KeywordLet: stopBefore, KeywordConst: stopBefore, KeywordConstAssert: stopBefore,
	KeywordIf: stopBefore, KeywordFor: stopBefore, KeywordWhile: stopBefore, KeywordLoop: stopBefore,
	KeywordSwitch: stopBefore, KeywordReturn: stopBefore, KeywordBreak: stopBefore, KeywordContinue: stopBefore,
	KeywordDiscard: stopBefore, KeywordContinuing: stopBefore, KeywordCase: stopBefore, KeywordDefault: stopBefore,
	KeywordFn: stopModule, KeywordStruct: stopModule, KeywordAlias: stopModule, KeywordOverride: stopModule,
}

var clauseStops = [tokenCount]stop{
	KeywordCase: stopBefore, KeywordDefault: stopBefore,
	KeywordFn: stopModule, KeywordStruct: stopModule, KeywordAlias: stopModule, KeywordOverride: stopModule,
}

var moduleStops = [tokenCount]stop{
	Semicolon: stopAfter,
	KeywordFn: stopBefore, KeywordStruct: stopBefore, KeywordAlias: stopBefore, KeywordOverride: stopBefore,
	KeywordVar: stopBefore, KeywordConst: stopBefore, KeywordConstAssert: stopBefore,
	KeywordEnable: stopBefore, KeywordRequires: stopBefore, KeywordDiagnostic: stopOuter, At: stopOuter,
}

// declares are the tokens that follow a declared name, in WGSL or in another language.
var declares = [tokenCount]bool{Assign: true, Colon: true, Semicolon: true, Comma: true, LeftBracket: true}

// maxLost bounds the number of names in Tree.Lost.
const maxLost = 1000

// lose records the name at an index as possibly declared in a part of the program that was not
// understood.
func (p *Parser) lose(index int) {
	if len(p.tree.Lost) < maxLost {
		p.tree.Lost = append(p.tree.Lost, Symbol(p.tokens[index].value))
	}
}

// recover ends the failure of what began at token start: it skips past it and records the names
// that it may have declared.
func (p *Parser) recover(start int, stops *[tokenCount]stop) {
	p.skip(start, stops)
	// Nested statements that are all abandoned end at the same token: the inner one's range is not
	// searched again.
	inner := p.searched
	p.searched = [2]int{start, p.at}
	if inner[0] < start || inner[0] >= p.at {
		inner = [2]int{p.at, p.at}
	}
	p.search(start, inner[0])
	p.search(inner[1], p.at)
}

// search records the names that a range of tokens may have declared.
func (p *Parser) search(from, to int) {
	for i := from; i < to; i++ {
		p.reread++
		if p.tokens[i].kind == Ident && declares[p.tokens[i+1].kind] {
			p.lose(i)
		}
	}
}

// skip moves to the next token where stops allows parsing to resume. It counts brackets from start
// on, so that a body is skipped with its malformed head. At the end of the file or at a declaration
// that only module scope has, everything is abandoned.
func (p *Parser) skip(start int, stops *[tokenCount]stop) {
	if p.leaving {
		return
	}
	braces, parens := 0, 0
	heading := p.tokens[start].kind == KeywordFor // its header holds semicolons
	for i := start; ; i++ {
		p.reread++
		reached := i >= p.at
		k := p.tokens[i].kind
		switch k {
		case EndOfFile:
			p.at, p.leaving = i, true
			return
		case LeftBrace:
			braces++
			continue
		case RightBrace:
			if braces > 0 {
				braces--
			} else if reached { // closes the enclosing block
				p.at, p.failed = i, false
				return
			}
			if braces == 0 && reached && p.tokens[i+1].kind != KeywordElse {
				p.at, p.failed = i+1, false
				return
			}
			continue
		case LeftParen:
			parens++
		case RightParen:
			parens = max(parens-1, 0)
		}
		if !reached {
			continue
		}
		switch action := stops[k]; {
		case action == stopModule:
			p.at, p.leaving = i, true
			return
		case braces > 0 && !(stops == &moduleStops && statementStops[k] == stopModule):
		case heading && parens > 0:
		case action == stopAfter:
			if p.tokens[i+1].kind == KeywordElse {
				continue // if (a) b = 1; else …
			}
			p.at, p.failed = i+1, false
			return
		case stops == &statementStops && !p.brokenLine(i): // as in `let a = if …`
		case i == start || i > 0 && (p.tokens[i-1].kind == KeywordElse || p.tokens[i-1].kind == At):
		case action == stopBefore, action == stopOuter && parens == 0:
			p.at, p.failed = i, false
			return
		}
	}
}

// beginsStatement reports whether the current token may begin or end a statement. Statements are at
// module scope if a brace too many has ended a function.
func (p *Parser) beginsStatement() bool {
	switch k := p.kind(); k {
	case Ident:
		next := p.following()
		return !p.tokens[p.at].badName && next != Ident && next != TemplateStart
	case RightBrace, KeywordElse, Underscore, Star, And, LeftParen:
		return true
	default:
		return statementStops[k] == stopBefore
	}
}

// passStatements skips the rest of a function, to the next token that only module scope has.
func (p *Parser) passStatements() {
	for ; p.kind() != EndOfFile; p.next() {
		switch p.kind() {
		case KeywordFn, KeywordStruct, KeywordAlias, KeywordOverride, At:
			return
		case KeywordVar:
			if p.following() == TemplateStart {
				return
			}
		}
	}
}

// foreignTypes maps type names of other languages to WGSL's.
var foreignTypes = diag.Words{
	{"int", "i32"}, {"uint", "u32"}, {"unsigned", "u32"}, {"float", "f32"}, {"half", "f16"}, {"boolean", "bool"},
	{"float2", "vec2f"}, {"float3", "vec3f"}, {"float4", "vec4f"}, {"int2", "vec2i"}, {"int3", "vec3i"}, {"int4", "vec4i"},
	{"uint2", "vec2u"}, {"uint3", "vec3u"}, {"uint4", "vec4u"}, {"uvec2", "vec2u"}, {"uvec3", "vec3u"}, {"uvec4", "vec4u"},
	{"ivec2", "vec2i"}, {"ivec3", "vec3i"}, {"ivec4", "vec4i"}, {"mat2", "mat2x2f"}, {"mat3", "mat3x3f"}, {"mat4", "mat4x4f"},
}

// foreignHint says what to write instead of a word of another language, or "".
func foreignHint(word string) string {
	if t, ok := foreignTypes.Find(word); ok {
		return "the type is called " + t + " in WGSL"
	}
	hint, _ := foreignWords.Find(word)
	return hint
}

// foreignWords says what to write instead of words of other languages. It is used only where the
// word is a syntax error.
var foreignWords = diag.Words{
	{"double", "WGSL has no f64; the largest floating-point type is f32"},
	{"string", "WGSL has no strings"}, {"char", "the smallest integer type in WGSL is 32 bits wide"},
	{"void", "a function without a result has no `->` in WGSL"},
	{"function", "functions begin with `fn` in WGSL"}, {"func", "functions begin with `fn` in WGSL"},
	{"def", "functions begin with `fn` in WGSL"}, {"kernel", "kernels are functions with @compute @workgroup_size(…) in WGSL"},
	{"type", "type names are declared with `alias` in WGSL"}, {"typedef", "type names are declared with `alias` in WGSL"},
	{"using", "type names are declared with `alias` in WGSL"}, {"enum", "WGSL has no enumerations; use const declarations"},
	{"class", "WGSL has structures only: `struct`"}, {"union", "WGSL has no unions; bitcast converts between types of equal size"},
	{"static", "module-scope constants are declared with `const`, variables with `var<private>`"}, {"mut", "variables are declared with `var`, values with `let`"},
	{"constexpr", "constants are declared with `const`"}, {"import", "a WGSL module is one file"}, {"module", "a WGSL module is one file"},
	{"shared", "workgroup memory is declared with `var<workgroup>`"}, {"groupshared", "workgroup memory is declared with `var<workgroup>`"},
	{"do", "WGSL has no do-while; write loop { … continuing { break if !condition; } }"}, {"null", "WGSL has no null"},
	{"as", "a conversion is written like a call: f32(x)"}, {"in", "WGSL has no for-in; write for (var i = 0; i < n; i++) { … }"},
	{"match", "write switch x { case 0: { … } default: { … } }"},
	{"then", "the body of an if statement is in braces"}, {"use", "a WGSL module is one file"},
	{"precision", "types say their precision in WGSL: f32 or f16"}, {"__syncthreads", "the barrier is workgroupBarrier()"},
	{"elif", "write `else if`"}, {"elseif", "write `else if`"}, {"until", "write while with the opposite condition"},
	{"and", "the operator is `&&`"}, {"or", "the operator is `||`"}, {"not", "the operator is `!`"},
	{"goto", "WGSL has no goto"}, {"sizeof", "WGSL has no sizeof; arrayLength(&a) counts the elements of a runtime-sized array"},
	{"inline", "functions have no such attribute; gpuc inlines by itself"}, {"uniform", "uniform buffers are declared with `var<uniform>`"},
	{"buffer", "storage buffers are declared with `var<storage, read_write>`"}, {"layout", "bindings are declared with @group(0) @binding(0)"},
}

const conversionHint = "a conversion is written like a call: f32(x)"

// What hint says in several cases.
const (
	noTemplateHint  = "the `<` opens no template list, because no `>` closes it"
	valueHint       = "values are made by calls: array(1, 2, 3), or the name of a structure and its members' values"
	arrayTypeHint   = "an array type is written array<f32, 4>, after the name and a colon"
	assignmentsHint = "assignments are statements in WGSL and have no value; `==` compares"
)

// pairHints explain a token that is a syntax error after another one: the previous token, then the
// wrong one. C and Rust allow values in brackets after some tokens.
var pairHints = [...]struct {
	previous, wrong Token
	text            string
}{
	{Assign, LeftBrace, valueHint}, {LeftParen, LeftBrace, valueHint}, {Comma, LeftBrace, valueHint}, {KeywordReturn, LeftBrace, valueHint},
	{Assign, LeftBracket, valueHint}, {LeftParen, LeftBracket, valueHint}, {Comma, LeftBracket, valueHint}, {KeywordReturn, LeftBracket, valueHint},
	{Ident, LeftBrace, "a structure is made like a call: S(1.0, 2), with its members' values in order"},
	{Ident, Less, noTemplateHint},
	{Ident, LeftBracket, arrayTypeHint},
	{TemplateEnd, LeftBracket, arrayTypeHint},
	{Dot, Dot, "WGSL has no ranges; write for (var i = 0; i < n; i++) { … }"},
	{Equal, Assign, "WGSL compares with `==`"},
	{Colon, Colon, "WGSL has no namespaces"},
	{Assign, Greater, "WGSL has no `=>`"},
	{Ident, Equal, "`=` gives a value, `==` compares"},
}

// hint explains the current token, which is a syntax error, or returns "".
func (p *Parser) hint() string {
	previous, k := EndOfFile, p.kind()
	if p.at > 0 {
		previous = p.tokens[p.at-1].kind
	}
	if previous == TemplateEnd && k != LeftParen && p.tokens[p.at-2].kind != TemplateStart {
		return "a `<` after a name and its `>` are read as a template list; write (a < b) where a comparison is meant"
	}
	for n := range pairHints {
		if h := &pairHints[n]; h.previous == previous && h.wrong == k {
			return h.text
		}
	}
	switch {
	case k == KeywordIf || k == KeywordSwitch:
		return "`" + k.String() + "` is a statement in WGSL and has no value; select(value_if_false, value_if_true, condition) chooses a value"
	case k == Comma && p.at > 3 && p.tokens[p.at-2].kind == Less && p.tokens[p.at-3].kind == Ident:
		return noTemplateHint
	case (k == AndAnd || k == OrOr) && p.following() == Assign:
		return "WGSL has no `" + k.String() + "=`; write a = a " + k.String() + " b"
	case previous == RightParen && p.at > 3 && startsOperand[k] && p.tokens[p.at-2].kind == Ident && p.tokens[p.at-3].kind == LeftParen:
		return conversionHint
	}
	if h := p.nameHint(previous, k); h != "" {
		return h
	}
	switch {
	case k == PlusPlus || k == MinusMinus:
		return "`" + k.String() + "` is a statement in WGSL and has no value"
	case k >= PlusAssign && k <= ShiftRightAssign || k == Assign:
		return assignmentsHint
	case k == Arrow && previous != RightParen:
		return "members are accessed with `.` in WGSL, through pointers too"
	}
	return ""
}

// nameHint is the hint for a word of another language, which is the current token k or the previous
// one.
func (p *Parser) nameHint(previous, k Token) (hint string) {
	if k == Ident {
		hint = foreignHint(p.tokenText(p.at))
	}
	if hint == "" && previous == Ident && (k == Ident || startsOperand[k]) {
		hint = foreignHint(p.tokenText(p.at - 1))
	}
	return hint
}
