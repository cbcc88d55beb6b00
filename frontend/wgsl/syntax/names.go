package syntax

import (
	"slices"
	"strings"
)

// This file interns names. Every identifier of a file passes through it, so the table is
// open-addressed over slices: no Go map, no allocation per name. The words predeclared for a parser
// (the caller's, then keywords and reserved words) have the same symbols in every file. Whether a
// word is special is then one load from a table by its symbol.

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

// isReserved marks a reserved word in Vocabulary.Special; keywords have their token
// there and all other words EndOfFile.
const isReserved = BadToken

// Slot is an entry of the hash table. A free one has symbol 0.
type Slot struct {
	Hash   uint32
	Symbol Symbol
}

// Vocabulary is the words predeclared for a parser, by symbol. It is immutable, and generated as a
// composite literal so that no parser has to build it.
type Vocabulary struct {
	Words int // the number of the caller's words, whose symbols are 1 to Words
	// Texts and Special have the words and their classes: a keyword's token, isReserved, or
	// EndOfFile for the caller's. Symbols beyond them are ordinary names.
	Texts   []string
	Special []Token
	Slots   []Slot
}

// NewVocabulary returns the vocabulary of a caller's words, keywords and reserved words. It panics
// if a word of the caller's is empty or occurs twice. A word that is also a keyword or reserved
// remains that.
func NewVocabulary(words []string) *Vocabulary {
	n := names{texts: []string{""}, slots: make([]Slot, 1024)}
	for i, word := range words {
		if s := n.intern(word, hashOf(word)); s != Symbol(i+1) {
			panic("syntax: predeclared word " + word + " occurs twice or is empty")
		}
	}
	keywords := make([]Symbol, keywordCount)
	for i := range keywords {
		text := spelling[int(firstKeyword)+i]
		keywords[i] = n.intern(text, hashOf(text))
	}
	var reserved []Symbol
	for text := range strings.FieldsSeq(reservedWords) {
		reserved = append(reserved, n.intern(text, hashOf(text)))
	}
	special := make([]Token, len(n.texts))
	for i, s := range keywords {
		special[s] = firstKeyword + Token(i)
	}
	for _, s := range reserved {
		special[s] = isReserved
	}
	return &Vocabulary{len(words), n.texts, special, n.slots}
}

// names is an interner.
type names struct {
	texts []string
	slots []Slot
	// initial is the content of texts and slots before a file is read, and special its Special.
	initial *Vocabulary
	special []Token
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

// init loads a vocabulary.
func (n *names) init(v *Vocabulary) {
	n.texts = append(make([]string, 0, len(v.Texts)+128), v.Texts...) // and names of a small file
	n.slots, n.initial, n.special = slices.Clone(v.Slots), v, v.Special
}

// reset forgets the names of the last file and keeps the predeclared words.
func (n *names) reset() {
	if len(n.texts) == len(n.special) {
		return
	}
	clear(n.texts[len(n.special):]) // let go of the last file's text
	n.texts = n.texts[:len(n.special)]
	if len(n.slots) == len(n.initial.Slots) {
		copy(n.slots, n.initial.Slots)
		return
	}
	clear(n.slots)
	for _, s := range n.initial.Slots {
		if s.Symbol != 0 {
			*n.free(s.Hash) = s
		}
	}
}

// free returns the free slot for a hash that is known to be absent.
func (n *names) free(hash uint32) *Slot {
	mask := uint32(len(n.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if n.slots[i].Symbol == 0 {
			return &n.slots[i]
		}
	}
}

// intern returns the symbol of a text, whose hash the caller has computed.
func (n *names) intern(text string, hash uint32) Symbol {
	mask := uint32(len(n.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := n.slots[i]
		if s.Symbol == 0 {
			break
		}
		if s.Hash == hash && n.texts[s.Symbol] == text {
			return s.Symbol
		}
	}
	if len(n.texts)*2 > len(n.slots) {
		old := n.slots
		n.slots = make([]Slot, 2*len(old))
		for _, s := range old {
			if s.Symbol != 0 {
				*n.free(s.Hash) = s
			}
		}
	}
	symbol := Symbol(len(n.texts))
	n.texts = append(n.texts, text)
	*n.free(hash) = Slot{hash, symbol}
	return symbol
}

// lookup finds the symbol of a text without adding it.
func (n *names) lookup(text string) (Symbol, bool) {
	hash := hashOf(text)
	mask := uint32(len(n.slots) - 1)
	for i := hash & mask; n.slots[i].Symbol != 0; i = (i + 1) & mask {
		if s := n.slots[i]; s.Hash == hash && n.texts[s.Symbol] == text {
			return s.Symbol, true
		}
	}
	return 0, false
}
