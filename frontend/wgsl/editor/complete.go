package editor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/check"
	"github.com/gpuc/gpuc/frontend/wgsl/overload"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
)

// This file completes the word at a position. The tokens before it tell which kind of word is
// expected. The members of types come from a reading with a name at the cursor.

// ItemKind is the kind of a completion item.
type ItemKind uint8

// The kinds of items.
const (
	FunctionItem ItemKind = iota
	VariableItem
	ConstantItem
	MemberItem
	StructItem
	TypeItem
	KeywordItem
	WordItem // context-dependent: an attribute, a builtin value, an extension, an enumerant
)

// Item is a completion.
type Item struct {
	Label  string
	Kind   ItemKind
	Detail string // a type or a signature
	Text   string // a description, or ""
	// Distance is 0 for declarations of the function, 1 for those of the module, and more for
	// others.
	Distance int
}

// expectation is the kind of word that is expected.
type expectation uint8

const (
	nothing expectation = iota
	wantMember
	wantAttribute
	wantBuiltinValue
	wantExtension
	wantFeature
	wantSpace
	wantAccess
	wantFormat
	wantType
	wantValue
	wantStatement
	wantGlobal
)

// Complete returns the completions at an offset, whatever of the word is there. Items of one
// distance are in the order of their declarations or of the language's tables.
func (d *Document) Complete(offset int) []Item {
	tokens := d.check().tokens
	at := wordBefore(tokens, offset)
	if inComment(d.text, tokens, at, offset) {
		return nil
	}
	r := d.readingAt(offset)
	module, local, inFunction := r.visible(offset)
	switch expectedAt(d.text, tokens, at, inFunction) {
	case wantMember:
		return r.membersAt(int(tokens[at-1].End), int(tokens[at].Start))
	case wantAttribute:
		// programs cannot use @const
		return slices.DeleteFunc(wordItems(attributes), func(i Item) bool { return i.Label == "const" })
	case wantBuiltinValue:
		return wordItems(builtinValues)
	case wantExtension:
		return wordItems(extensions)
	case wantFeature:
		return plainItems(check.LanguageFeatures)
	case wantSpace:
		return predeclaredItems(sem.SpaceName)
	case wantAccess:
		return predeclaredItems(sem.AccessName)
	case wantFormat:
		return predeclaredItems(sem.FormatName)
	case wantType:
		return append(r.objectItems(module, local, true), typeItems()...)
	case wantValue:
		return r.values(module, local)
	case wantStatement:
		return append(r.values(module, local), keywordItems(statementWords)...)
	case wantGlobal:
		return keywordItems(globalWords)
	}
	return nil
}

// wordBefore returns the index of the name or keyword that contains an offset or ends there, or
// else of the first token that begins at the offset or later.
func wordBefore(tokens []syntax.Lexeme, offset int) int {
	i := 0
	for i < len(tokens)-1 && int(tokens[i].End) < offset {
		i++
	}
	if t := tokens[i]; t.Kind != syntax.Ident && !t.Kind.IsKeyword() && int(t.End) == offset && i < len(tokens)-1 {
		i++
	}
	return i
}

// inComment reports whether an offset, after the token before an index, is in a comment.
func inComment(text string, tokens []syntax.Lexeme, at, offset int) bool {
	start := 0
	if at > 0 {
		start = int(tokens[at-1].End)
	}
	gap := text[min(start, offset):offset]
	line := gap[strings.LastIndexAny(gap, "\n\r")+1:]
	return strings.Contains(line, "//") || strings.Count(gap, "/*") > strings.Count(gap, "*/")
}

// expectedAt returns the kind of word that is expected at a token.
func expectedAt(text string, tokens []syntax.Lexeme, at int, inFunction bool) expectation {
	kind := func(back int) syntax.Token {
		if at < back {
			return syntax.Semicolon // the file begins like a statement
		}
		return tokens[at-back].Kind
	}
	word := func(back int) string {
		if at < back {
			return ""
		}
		return text[tokens[at-back].Start:tokens[at-back].End]
	}
	switch kind(1) {
	case syntax.Dot:
		return wantMember
	case syntax.At:
		return wantAttribute
	case syntax.KeywordFn, syntax.KeywordStruct, syntax.KeywordLet, syntax.KeywordVar, syntax.KeywordConst, syntax.KeywordAlias, syntax.KeywordOverride,
		syntax.IntLiteral, syntax.FloatLiteral:
		return nothing
	case syntax.LeftParen:
		switch {
		case kind(3) == syntax.At && word(2) == "builtin":
			return wantBuiltinValue
		case kind(3) == syntax.KeywordFn:
			return nothing
		}
	case syntax.TemplateStart, syntax.Less, syntax.Comma:
		if w := expectedInTemplate(text, tokens, at); w != nothing {
			return w
		}
	case syntax.Colon, syntax.Arrow:
		return wantType
	}
	for back := 1; kind(back) == syntax.Ident || kind(back) == syntax.Comma; back++ {
		switch kind(back + 1) {
		case syntax.KeywordEnable:
			return wantExtension
		case syntax.KeywordRequires:
			return wantFeature
		}
	}
	switch kind(1) {
	case syntax.KeywordEnable:
		return wantExtension
	case syntax.KeywordRequires:
		return wantFeature
	}
	starts := kind(1) == syntax.Semicolon || kind(1) == syntax.LeftBrace || kind(1) == syntax.RightBrace
	switch {
	case inFunction && starts:
		return wantStatement
	case inFunction:
		return wantValue
	}
	return expectedInModule(tokens, at, starts)
}

// expectedInModule is expectedAt outside functions.
func expectedInModule(tokens []syntax.Lexeme, at int, starts bool) expectation {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch tokens[i].Kind {
		case syntax.RightBrace, syntax.RightParen:
			depth++
		case syntax.LeftBrace:
			if depth == 0 {
				return nothing // in a structure: a member's name
			}
			depth--
		case syntax.LeftParen:
			depth--
		case syntax.KeywordFn:
			if depth < 0 {
				return nothing // a parameter's name
			}
		case syntax.Assign:
			if i > 1 && tokens[i-2].Kind == syntax.KeywordAlias {
				return wantType
			}
			if !starts && depth <= 0 {
				return wantValue
			}
		case syntax.KeywordConstAssert, syntax.At:
			if !starts && depth <= 0 {
				return wantValue
			}
		}
		if starts && depth == 0 {
			return wantGlobal
		}
		if depth == 0 && tokens[i].Kind == syntax.Semicolon {
			break
		}
	}
	if starts || at == 0 {
		return wantGlobal
	}
	return nothing
}

// templates are the kinds of template arguments, by a prefix of the generator's name. The last row
// is for all other generators.
var templates = [...]struct {
	prefix    string
	arguments []expectation
}{
	{"var", []expectation{wantSpace, wantAccess}}, {"ptr", []expectation{wantSpace, wantType, wantAccess}}, {"array", []expectation{wantType, wantValue}},
	{"texture_storage_", []expectation{wantFormat, wantAccess}}, {"tile", []expectation{wantType, wantValue, wantValue}}, {"buffer", []expectation{wantValue}}, {"", []expectation{wantType}},
}

// expectedInTemplate is expectedAt in a template list; it returns nothing elsewhere. The `<` of an
// unfinished list is no TemplateStart.
func expectedInTemplate(text string, tokens []syntax.Lexeme, at int) expectation {
	depth, argument := 0, 0
	for i := at - 1; i > 0; i-- {
		switch tokens[i].Kind {
		case syntax.Comma:
			if depth == 0 {
				argument++
			}
		case syntax.TemplateEnd, syntax.RightParen, syntax.RightBracket:
			depth++
		case syntax.LeftParen, syntax.LeftBracket:
			if depth--; depth < 0 {
				return nothing
			}
		case syntax.TemplateStart, syntax.Less:
			if depth > 0 {
				depth--
				continue
			}
			owner := text[tokens[i-1].Start:tokens[i-1].End]
			if tokens[i-1].Kind != syntax.KeywordVar && !generates(owner) {
				return nothing
			}
			for _, t := range templates {
				if strings.HasPrefix(owner, t.prefix) && argument < len(t.arguments) {
					return t.arguments[argument]
				}
			}
			return nothing
		case syntax.Semicolon, syntax.LeftBrace, syntax.RightBrace:
			return nothing
		}
	}
	return nothing
}

// generates reports whether a name takes a template list.
func generates(word string) bool {
	symbol := slices.Index(sem.Words(), word)
	if symbol < 0 {
		return false
	}
	p := sem.Lookup(syntax.Symbol(symbol + 1))
	return p.Generates() || p.Kind == sem.BufferName
}

// membersAt returns the members of the value before a dot that ends at an offset. The member's name
// begins there, or at the other offset if it is present.
func (r *reading) membersAt(dot, begins int) []Item {
	for e := range r.tree.Exprs {
		n := &r.tree.Exprs[e]
		if n.Kind != syntax.MemberExpr || e >= len(r.info.Exprs) {
			continue
		}
		if start := r.offset(r.tree.Expr(n.B).Span.Start); start != dot && start != begins {
			continue
		}
		if t := r.accessed(n.A); t != ir.Void {
			return r.parts(t)
		}
	}
	return nil
}

// parts returns the members of a structure, or the components of a vector.
func (r *reading) parts(t ir.Type) (items []Item) {
	m := r.module
	switch m.KindOf(t) {
	case ir.StructType:
		d := r.info.StructDecl(t)
		for i, member := range m.Members(t) {
			item := Item{Label: member.Name, Kind: MemberItem, Detail: r.types.Name(member.Type)}
			if r.layoutText(t) != "" {
				item.Detail += " (offset " + strconv.Itoa(int(member.Offset)) + ")"
			}
			if d != 0 {
				item.Text = r.comment(r.tree.FieldList(r.tree.Decl(d).Members)[i].Span)
			}
			items = append(items, item)
		}
	case ir.VectorType:
		element := r.types.Name(m.Element(t))
		for _, letters := range [2]string{"xyzw", "rgba"} {
			for i := range m.Components(t) {
				items = append(items, Item{Label: letters[i : i+1], Kind: MemberItem, Detail: element})
			}
			for n := 2; n <= m.Components(t); n++ {
				items = append(items, Item{Label: letters[:n], Kind: MemberItem, Detail: "vec" + strconv.Itoa(n) + "<" + element + ">"})
			}
		}
	}
	return items
}

// values returns the completions in an expression.
func (r *reading) values(module, local []sem.Object) []Item {
	items := append(r.objectItems(module, local, false), functionItems()...)
	return append(append(items, typeItems()...), keywordItems(valueWords)...)
}

// objectItems returns the visible declarations of the module and the function, or only their types.
func (r *reading) objectItems(module, local []sem.Object, onlyTypes bool) (items []Item) {
	objects := append(module, local...)
	seen := make(map[syntax.Symbol]bool, len(objects))
	for i := len(objects) - 1; i >= 0; i-- {
		info := &r.info.Objects[objects[i]]
		hidden := seen[info.Name] || r.tree.Text(info.Name) == placeholder
		seen[info.Name] = true
		isType := info.Kind == sem.StructObject || info.Kind == sem.AliasObject
		// only pipelines call entry points
		isEntry := info.Kind == sem.FunctionObject && r.info.Functions[info.Function].Stage != sem.NoStage
		if hidden || isEntry || onlyTypes && !isType {
			continue
		}
		item := Item{Label: r.tree.Text(info.Name), Kind: objectKinds[info.Kind], Detail: r.objectType(objects[i])}
		if i < len(module) {
			item.Distance = 1
		}
		switch info.Kind {
		case sem.ConstObject:
			item.Detail += r.valueText(info.Value)
		case sem.FunctionObject:
			item.Detail = r.functionText(info)
		case sem.StructObject:
			item.Detail = "struct"
		case sem.BadObject:
			item.Detail = ""
		}
		if info.Decl != 0 {
			item.Text = r.comment(r.tree.Decl(info.Decl).Span)
		}
		items = append(items, item)
	}
	slices.Reverse(items)
	return items
}

// objectKinds are the kinds of items for objects.
var objectKinds = [...]ItemKind{
	sem.BadObject: VariableItem, sem.ConstObject: ConstantItem, sem.OverrideObject: VariableItem, sem.GlobalObject: VariableItem,
	sem.LocalObject: VariableItem, sem.LetObject: VariableItem, sem.ParameterObject: VariableItem, sem.FunctionObject: FunctionItem,
	sem.StructObject: StructItem, sem.AliasObject: StructItem,
}

// functionItems returns the builtin functions.
func functionItems() (items []Item) {
	for i, text := range sem.Words() {
		if p := sem.Lookup(syntax.Symbol(i + 1)); p.Kind == sem.FunctionName {
			explanation, _ := find(functions, text)
			items = append(items, Item{text, FunctionItem, overload.Describe(&sem.Builtins[p.A]), explanation, 2})
		}
	}
	return items
}

// typeItems returns the predeclared types.
func typeItems() (items []Item) {
	for i, text := range sem.Words() {
		if p := sem.Lookup(syntax.Symbol(i + 1)); p.Kind.IsType() {
			items = append(items, Item{text, TypeItem, "", wordText(text, p), 2})
		}
	}
	return items
}

// predeclaredItems returns the predeclared words of a kind.
func predeclaredItems(kind sem.PredeclaredKind) (items []Item) {
	for i, text := range sem.Words() {
		if p := sem.Lookup(syntax.Symbol(i + 1)); p.Kind == kind {
			items = append(items, Item{text, WordItem, "", wordText(text, p), 0})
		}
	}
	return items
}

func wordItems(chapters []chapter) (items []Item) {
	for _, c := range chapters {
		for _, w := range c.words {
			items = append(items, Item{w.name, WordItem, "", w.text, 0})
		}
	}
	return items
}

func keywordItems(words []word) (items []Item) {
	for _, w := range words {
		items = append(items, Item{w.name, KeywordItem, "", w.text, 3})
	}
	return items
}

func plainItems(words []string) (items []Item) {
	for _, w := range words {
		items = append(items, Item{Label: w, Kind: WordItem})
	}
	return items
}
