package syntax

import "strings"

// This file interns names. Every identifier of a file passes through here once,
// so the table is open-addressed over slices: no Go map, no allocation per name.
// The words that a parser knows beforehand (the caller's, then keywords and
// reserved words) have the same symbols in every file; what is special about a
// word is then one load from a table by its symbol.

// firstKeyword and keywordCount delimit the keywords among the tokens.
const (
	firstKeyword = KeywordAlias
	keywordCount = int(tokenCount - KeywordAlias)
)

// reservedWords is WGSL §3.10.2 (reserved words), in its order.
const reservedWords = `NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto
await become cast catch class co_await co_return co_yield coherent column_major common compile
compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype delete demote
demote_to_helper do dynamic_cast enum explicit export extends extern external fallthrough filter final
finally friend from fxgroup get goto groupshared highp impl implements import inline instanceof interface
layout lowp macro macro_rules match mediump meta mod module move mut mutable namespace new nil noexcept
noinline nointerpolation non_coherent noncoherent noperspective null nullptr of operator package packoffset
partition pass patch pixelfragment precise precision premerge priv protected pub public readonly ref
regardless register reinterpret_cast require resource restrict self set shared sizeof smooth snorm static
static_assert static_cast std subroutine super target template this thread_local throw trait try type
typedef typeid typename typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl
where with writeonly yield`

// isReserved marks a reserved word in names.special; keywords have their token
// there and all other words EndOfFile.
const isReserved = BadToken

// slotCount is the size of the hash table for files of few names. It holds more than twice
// the predeclared words.
const slotCount = 1024

// slot is an entry of the hash table; symbol 0 is a free one.
type slot struct {
	hash   uint32
	symbol Symbol
}

// names is an interner.
type names struct {
	texts []string
	slots []slot
	// special says by symbol what a predeclared word is. Symbols beyond it are
	// ordinary names.
	special []Token
	// fixed is the table as it stands before a file is read, made for the second file.
	fixed []slot
}

// The hash is FNV-1a, which the lexer computes while it scans a name.
const (
	hashStart = uint32(2166136261)
	hashPrime = uint32(16777619)
)

func hashOf(text string) uint32 {
	h := hashStart
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * hashPrime
	}
	return h
}

// init interns the caller's words, the keywords and the reserved words.
func (n *names) init(words []string) {
	n.texts = make([]string, 1, len(words)+384) // with keywords, reserved words and names of a small file
	n.slots = make([]slot, slotCount)
	for i, word := range words {
		if s := n.intern(word, hashOf(word)); s != Symbol(i+1) {
			panic("syntax: predeclared word " + word + " stands twice or is empty")
		}
	}
	keywords := make([]Symbol, keywordCount)
	for i := range keywords {
		text := spelling[int(firstKeyword)+i]
		keywords[i] = n.intern(text, hashOf(text))
	}
	reserved := make([]Symbol, 0, 192)
	for text := range strings.FieldsSeq(reservedWords) {
		reserved = append(reserved, n.intern(text, hashOf(text)))
	}
	n.special = make([]Token, len(n.texts))
	for i, s := range keywords {
		n.special[s] = firstKeyword + Token(i)
	}
	for _, s := range reserved {
		n.special[s] = isReserved
	}
}

// fix makes the table of the predeclared words alone.
func (n *names) fix() {
	file, count := n.slots, slotCount
	for 2*len(n.special) > count {
		count *= 2
	}
	n.slots = make([]slot, count)
	for s, text := range n.texts[1:len(n.special)] {
		hash := hashOf(text)
		*n.free(hash) = slot{hash, Symbol(s + 1)}
	}
	n.fixed, n.slots = n.slots, file
}

// reset forgets the names of the last file and keeps the predeclared words.
func (n *names) reset() {
	if len(n.texts) == len(n.special) {
		return
	}
	clear(n.texts[len(n.special):]) // let go of the last file's text
	n.texts = n.texts[:len(n.special)]
	if n.fixed == nil {
		n.fix()
	}
	if len(n.slots) == len(n.fixed) {
		copy(n.slots, n.fixed)
		return
	}
	clear(n.slots)
	for _, s := range n.fixed {
		if s.symbol != 0 {
			*n.free(s.hash) = s
		}
	}
}

// free returns the free slot for a hash that is known to be absent.
func (n *names) free(hash uint32) *slot {
	mask := uint32(len(n.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if n.slots[i].symbol == 0 {
			return &n.slots[i]
		}
	}
}

// intern returns the symbol of a text, whose hash the caller has computed.
func (n *names) intern(text string, hash uint32) Symbol {
	mask := uint32(len(n.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := n.slots[i]
		if s.symbol == 0 {
			break
		}
		if s.hash == hash && n.texts[s.symbol] == text {
			return s.symbol
		}
	}
	if len(n.texts)*2 > len(n.slots) {
		old := n.slots
		n.slots = make([]slot, 2*len(old))
		for _, s := range old {
			if s.symbol != 0 {
				*n.free(s.hash) = s
			}
		}
	}
	symbol := Symbol(len(n.texts))
	n.texts = append(n.texts, text)
	*n.free(hash) = slot{hash, symbol}
	return symbol
}

// lookup finds the symbol of a text without adding it.
func (n *names) lookup(text string) (Symbol, bool) {
	hash := hashOf(text)
	mask := uint32(len(n.slots) - 1)
	for i := hash & mask; n.slots[i].symbol != 0; i = (i + 1) & mask {
		if s := n.slots[i]; s.hash == hash && n.texts[s.symbol] == text {
			return s.symbol, true
		}
	}
	return 0, false
}
