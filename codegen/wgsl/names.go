package wgsl

import (
	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
)

// This file makes identifiers. Names of the source stay where WGSL allows them (WGSL
// §3.9): no keyword, no reserved word, not _ and nothing that begins with __. Predeclared
// names are left alone too, since the code may use what they mean; of gpuc's extensions it
// uses none. No name hides another, but blocks beside each other may use the same.

// initNames reserves keywords, reserved words and predeclared names, except for the types of tiles
// and the builtin functions that free allows.
func initNames(n *printer.Namer, free func(name string) bool) {
	v := sem.Vocabulary()
	n.Init(len(v.Texts) + 64)
	for s, word := range v.Texts {
		switch kind := sem.Lookup(syntax.Symbol(s)).Kind; {
		case s <= v.Words && (kind == sem.TileName || kind == sem.TileViewName):
		case s > v.Words || kind != sem.FunctionName || !free(word):
			n.Take(word)
		}
	}
}

// initMembers reserves only the names that no member of a structure may have.
func initMembers(n *printer.Namer) {
	v := sem.Vocabulary()
	n.Init(len(v.Texts) - v.Words)
	for s, word := range v.Texts {
		if s > v.Words || v.Special[s] != syntax.EndOfFile {
			n.Take(word)
		}
	}
}

// builtinsOf returns the names of the builtin functions that a module's code may use.
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
