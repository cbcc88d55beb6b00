package wgsl

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/gpuc/gpuc/frontend/wgsl/semantics"
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

func (n *namer) init() {
	words := semantics.Vocabulary().Texts
	n.taken = make(map[string]bool, len(words)+64)
	for _, word := range words {
		n.taken[word] = true
	}
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
