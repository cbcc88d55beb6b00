package editor

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/frontend/wgsl/format"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file answers queries about the whole text: outline, formatting, layouts.

// Symbol is a declaration at module scope, or a member of a structure.
type Symbol struct {
	Name   string
	Kind   ItemKind
	Detail string
	// Declaration is the range of the declaration, Range that of its name.
	Declaration, Range Range
	Members            []Symbol
}

// symbolKinds are the kinds of symbols for declarations.
var symbolKinds = [...]ItemKind{
	syntax.BadDecl: VariableItem, syntax.VarDecl: VariableItem, syntax.ConstDecl: ConstantItem, syntax.OverrideDecl: ConstantItem, syntax.FunctionDecl: FunctionItem,
	syntax.StructDecl: StructItem, syntax.AliasDecl: TypeItem, syntax.LetDecl: VariableItem, syntax.ConstAssertDecl: KeywordItem,
}

// Symbols returns the declarations at module scope, in source order.
func (d *Document) Symbols() (symbols []Symbol) {
	r := d.reading()
	for _, g := range r.tree.Globals {
		n := r.tree.Decl(g)
		if n.Name == 0 {
			continue
		}
		s := Symbol{Name: r.tree.Text(n.Name), Kind: symbolKinds[n.Kind], Declaration: r.rangeOf(n.Span), Range: r.rangeOf(n.NameSpan)}
		if o := r.info.DeclObjects[g]; o != 0 && n.Kind != syntax.StructDecl && n.Kind != syntax.BadDecl {
			if n.Kind == syntax.FunctionDecl {
				text := r.functionText(&r.info.Objects[o])
				s.Detail = text[strings.Index(text, s.Name+"(")+len(s.Name):]
			} else {
				s.Detail = r.objectType(o)
			}
		}
		if n.Kind == syntax.StructDecl {
			for _, f := range r.tree.FieldList(n.Members) {
				s.Members = append(s.Members, Symbol{r.tree.Text(f.Name), MemberItem, r.source(r.tree.Expr(f.Type).Span), r.rangeOf(f.Span), r.rangeOf(f.NameSpan), nil})
			}
		}
		symbols = append(symbols, s)
	}
	return symbols
}

// Format returns the edit that formats the text as gpuc fmt does, or nil if it is formatted. The
// edit replaces whole lines, without unchanged ones at either end. It returns an error if the text
// does not parse.
func (d *Document) Format() (*Edit, error) {
	var set source.Set
	var list diag.List
	file, err := set.Add(d.name, d.text)
	if err != nil {
		return nil, err
	}
	to, ok := format.Source(file, &list)
	if !ok {
		first := &list.Items()[0]
		return nil, &unformatted{file.LineOf(max(first.Span.Start, file.Base)), first.Message}
	}
	if to == d.text {
		return nil, nil
	}
	from := d.text
	start := commonLines(from, to)
	from, to = from[start:], to[start:]
	for {
		a, b := lastLine(from), lastLine(to)
		if a == "" || a != b {
			break
		}
		from, to = from[:len(from)-len(a)], to[:len(to)-len(b)]
	}
	return &Edit{Range{start, start + len(from)}, to}, nil
}

// unformatted is the error of a text that does not parse.
type unformatted struct {
	line    int
	message string
}

func (u *unformatted) Error() string {
	return "only files without syntax errors are formatted: line " + strconv.Itoa(u.line) + ": " + u.message
}

// commonLines returns the length in bytes of the common first lines of two texts.
func commonLines(a, b string) (n int) {
	for {
		end := strings.IndexByte(a[n:], '\n') + 1
		if end == 0 || !strings.HasPrefix(b[n:], a[n:n+end]) {
			return n
		}
		n += end
	}
}

// lastLine returns the last line of a text, with its line break.
func lastLine(text string) string {
	return text[strings.LastIndexByte(strings.TrimSuffix(text, "\n"), '\n')+1:]
}

// Hint is an inlay hint.
type Hint struct {
	At    int // the offset after which it is shown
	Label string
	Text  string // its tooltip
}

// Hints returns the layouts of structures in storage and uniform buffers and in immediates, and of
// their members, for declarations that end in a range.
func (d *Document) Hints(within Range) (hints []Hint) {
	r := d.reading()
	add := func(at int, h Hint) {
		if h.At = at; within.touches(at) {
			hints = append(hints, h)
		}
	}
	for _, t := range r.module.StructsOf(r.module.SharedTypes()) {
		d := r.info.StructDecl(t)
		if d == 0 || r.layoutText(t) == "" {
			continue
		}
		n := r.tree.Decl(d)
		add(r.rangeOf(n.NameSpan).End, Hint{Label: r.layoutText(t)})
		for i, f := range r.tree.FieldList(n.Members) {
			add(r.rangeOf(f.Span).End, Hint{Label: r.memberLayout(t, i), Text: r.layoutText(r.module.Members(t)[i].Type)})
		}
	}
	slices.SortFunc(hints, func(a, b Hint) int { return a.At - b.At })
	return hints
}
