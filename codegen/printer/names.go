package printer

import (
	"math"
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
	full     map[string]int // by name without its number: all numbers from 1 to this one are taken
	blocks   []string       // names in the order they were given, of those that end
}

// Init makes room for so many names that Take will take. All others are free.
func (n *Namer) Init(names int) {
	n.taken, n.full = make(map[string]bool, names), map[string]int{}
}

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
	if n.isTaken(name) {
		if stem, _, numbered := withoutNumber(base); numbered { // x_1 becomes x_2, and not x_1_1
			base = stem
		}
		number := n.full[base]
		for n.isTaken(name) {
			number++
			name = base + "_" + strconv.Itoa(number)
		}
		n.full[base] = number
	}
	n.taken[name] = true
	return name
}

// withoutNumber splits x_1 into x and 1.
func withoutNumber(name string) (stem string, number int, numbered bool) {
	stem = strings.TrimRight(name, "0123456789")
	if stem == name || len(stem) < 2 || stem[len(stem)-1] != '_' {
		return name, 0, false
	}
	number, err := strconv.Atoi(name[len(stem):])
	if err != nil { // more digits than names have that are made here
		number = math.MaxInt
	}
	return stem[:len(stem)-1], number, true
}

// free makes a name free again.
func (n *Namer) free(name string) {
	delete(n.taken, name)
	if stem, number, numbered := withoutNumber(name); numbered && n.full[stem] >= number {
		n.full[stem] = max(number-1, 0)
	}
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
	n.free(name)
}

// Mark returns where the names given from now on begin.
func (n *Namer) Mark() int { return len(n.blocks) }

// Close makes the names given since a mark free again.
func (n *Namer) Close(mark int) {
	for _, name := range n.blocks[mark:] {
		n.free(name)
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

// PartOfName reports whether a character may be in an identifier, if not at its start.
func PartOfName(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}
