package wgsl

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
)

// This file makes identifiers. Names of the source stay where WGSL allows them (WGSL
// §3.9): no keyword, no reserved word, not _ and nothing that begins with __. Predeclared
// names are left alone too, since the code may use what they mean. No name hides another,
// but blocks beside each other may use the same.

// namer knows which names are taken.
type namer struct {
	taken  map[string]bool
	blocks []string // names in the order they were given, of those that end
}

// init makes keywords, reserved words and predeclared names taken, but for the builtin
// functions that free allows.
func (n *namer) init(free func(name string) bool) {
	v := semantics.Vocabulary()
	n.taken = make(map[string]bool, len(v.Texts)+64)
	for s, word := range v.Texts {
		if s > v.Words || semantics.Lookup(syntax.Symbol(s)).Kind != semantics.FunctionName || !free(word) {
			n.taken[word] = true
		}
	}
}

// initMembers makes only those names taken that no member of a structure may have.
func (n *namer) initMembers() {
	v := semantics.Vocabulary()
	n.taken = make(map[string]bool, len(v.Texts)-v.Words)
	for s, word := range v.Texts {
		if s > v.Words || v.Special[s] != syntax.EndOfFile {
			n.taken[word] = true
		}
	}
}

// builtinsOf returns the names of the builtin functions that a module's code will have.
func builtinsOf(m *ir.Module) map[string]bool {
	names := map[string]bool{"select": true, "bitcast": true, "frexp": true, "min": true, "arrayLength": true, "workgroupUniformLoad": true,
		"atomicLoad": true, "atomicStore": true, "atomicCompareExchangeWeak": true}
	for _, name := range atomicNames {
		names[name] = true
	}
	for _, name := range barriers {
		names[name] = true
	}
	for _, f := range m.Funcs {
		for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
			names[table[f.Op(i)].function], names[textureNames[f.Op(i)]] = true, true
		}
	}
	return names
}

// name returns a name like the hint that nothing visible has, until close.
func (n *namer) name(hint string) string {
	name := n.always(hint)
	n.blocks = append(n.blocks, name)
	return name
}

// always returns a name for good.
func (n *namer) always(hint string) string {
	base := identifier(hint)
	name := base
	if n.taken[name] { // x_1 becomes x_2, and not x_1_1
		if stem := strings.TrimRight(base, "0123456789"); stem != base && len(stem) > 1 && stem[len(stem)-1] == '_' {
			base = stem[:len(stem)-1]
		}
	}
	for i := 1; n.taken[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

// drop makes one name free again.
func (n *namer) drop(name string) {
	for i := len(n.blocks) - 1; i >= 0; i-- {
		if n.blocks[i] == name {
			n.blocks = append(n.blocks[:i], n.blocks[i+1:]...)
			break
		}
	}
	delete(n.taken, name)
}

// mark returns where the names given from now on begin.
func (n *namer) mark() int { return len(n.blocks) }

// close makes the names given since a mark free again.
func (n *namer) close(mark int) {
	for _, name := range n.blocks[mark:] {
		delete(n.taken, name)
	}
	n.blocks = n.blocks[:mark]
}

// identifier turns a hint into an identifier.
func identifier(hint string) string {
	var b strings.Builder
	for i, r := range hint {
		switch {
		case !partOfName(r):
			b.WriteByte('_')
		case i == 0 && r != '_' && !unicode.IsLetter(r):
			b.WriteByte('v')
			fallthrough
		default:
			b.WriteRune(r)
		}
	}
	name := b.String()
	if strings.HasPrefix(name, "__") {
		name = strings.TrimLeft(name, "_")
	}
	if name == "" || name == "_" || unicode.IsDigit(rune(name[0])) {
		name = "v" + name
	}
	return name
}

// partOfName reports whether a character may stand in an identifier, if not at its start.
func partOfName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}
