package printer

import (
	"strconv"
	"strings"
	"unicode"
)

// This file makes identifiers. Names of the source stay where the language allows them. No
// name hides another, but blocks beside each other may use the same.

// Namer knows which names are taken.
type Namer struct {
	// ASCII says that the language's identifiers have no other letters.
	ASCII bool
	// Reserved are words that are always taken. Namers share them.
	Reserved map[string]bool
	taken    map[string]bool
	blocks   []string // names in the order they were given, of those that end
}

// Init makes room for so many names that Take will take. All others are free.
func (n *Namer) Init(names int) { n.taken = make(map[string]bool, names) }

// Take makes a name taken for good.
func (n *Namer) Take(name string) { n.taken[name] = true }

// Name returns a name like the hint that nothing visible has, until Close.
func (n *Namer) Name(hint string) string {
	name := n.Always(hint)
	n.blocks = append(n.blocks, name)
	return name
}

// Always returns a name for good.
func (n *Namer) Always(hint string) string {
	base := identifier(hint, n.ASCII)
	name := base
	if n.isTaken(name) { // x_1 becomes x_2, and not x_1_1
		if stem := strings.TrimRight(base, "0123456789"); stem != base && len(stem) > 1 && stem[len(stem)-1] == '_' {
			base = stem[:len(stem)-1]
		}
	}
	for i := 1; n.isTaken(name); i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

func (n *Namer) isTaken(name string) bool { return n.taken[name] || n.Reserved[name] }

// Drop makes one name free again.
func (n *Namer) Drop(name string) {
	for i := len(n.blocks) - 1; i >= 0; i-- {
		if n.blocks[i] == name {
			n.blocks = append(n.blocks[:i], n.blocks[i+1:]...)
			break
		}
	}
	delete(n.taken, name)
}

// Mark returns where the names given from now on begin.
func (n *Namer) Mark() int { return len(n.blocks) }

// Close makes the names given since a mark free again.
func (n *Namer) Close(mark int) {
	for _, name := range n.blocks[mark:] {
		delete(n.taken, name)
	}
	n.blocks = n.blocks[:mark]
}

// identifier turns a hint into an identifier, which never begins with two underscores.
func identifier(hint string, ascii bool) string {
	var b strings.Builder
	for i, r := range hint {
		switch {
		case ascii && r >= 0x80 && PartOfName(r):
			b.WriteString("u" + strconv.FormatInt(int64(r), 16))
		case !PartOfName(r):
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

// PartOfName reports whether a character may stand in an identifier, if not at its start.
func PartOfName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}
