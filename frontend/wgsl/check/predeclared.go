package check

import (
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file lists the names that every program starts with (WGSL §6.9 types,
// §6.4 enumerants, §17 builtin functions). They are the words that the parser
// knows beforehand, so that what a predeclared name means is one load by its
// symbol. Names that stand in contexts of their own (attributes, builtin values,
// extensions) do not resolve through scopes and are not among them.

// predeclaredKind says what a predeclared name means.
type predeclaredKind uint8

const (
	notPredeclared predeclaredKind = iota
	scalarName                     // a: kind
	vectorName                     // a: components, b: kind or None for the generator
	matrixName                     // a: columns, b: rows, c: kind or None
	arrayName                      //
	atomicName                     //
	pointerName                    //
	samplerName                    // a: 1 for comparison
	bufferName                     //
	textureName                    // a: texture.Shape
	functionName                   // a, b: first row and number of rows in Builtins
	spaceName                      // a: ir.Space
	accessName                     // a: ir.Access
	formatName                     // a: texture.Format
)

// predeclared is what a predeclared name means.
type predeclared struct {
	kind    predeclaredKind
	a, b, c uint16
}

// vocabulary is the predeclared names by symbol.
type vocabulary struct {
	words   []string
	meaning []predeclared // by symbol
	// operators gives the rows of binary and unary operators by token.
	binary, unary [256]rows
}

// rows is a run of rows in Builtins.
type rows struct{ first, count uint16 }

// Words returns the predeclared names, for syntax.NewParser: a tree that is
// checked must come from a parser with these words.
func Words() []string { return names.words }

// names is made once and never changed.
var names = makeVocabulary()

func makeVocabulary() *vocabulary {
	v := &vocabulary{meaning: make([]predeclared, 1)}
	add := func(word string, kind predeclaredKind, a, b, c int) {
		v.words = append(v.words, word)
		v.meaning = append(v.meaning, predeclared{kind, uint16(a), uint16(b), uint16(c)})
	}
	suffixes := []struct {
		letter string
		kind   scalar.Kind
	}{{"", scalar.None}, {"i", scalar.I32}, {"u", scalar.U32}, {"f", scalar.F32}, {"h", scalar.F16}}
	for _, k := range []scalar.Kind{scalar.Bool, scalar.I32, scalar.U32, scalar.F32, scalar.F16} {
		add(k.String(), scalarName, int(k), 0, 0)
	}
	for n := 2; n <= 4; n++ {
		for _, s := range suffixes {
			add("vec"+digit(n)+s.letter, vectorName, n, int(s.kind), 0)
		}
	}
	for columns := 2; columns <= 4; columns++ {
		for rows := 2; rows <= 4; rows++ {
			for _, s := range suffixes {
				if s.kind == scalar.None || s.kind.IsFloat() {
					add("mat"+digit(columns)+"x"+digit(rows)+s.letter, matrixName, columns, rows, int(s.kind))
				}
			}
		}
	}
	add("array", arrayName, 0, 0, 0)
	add("atomic", atomicName, 0, 0, 0)
	add("ptr", pointerName, 0, 0, 0)
	add("sampler", samplerName, 0, 0, 0)
	add("sampler_comparison", samplerName, 1, 0, 0)
	add("buffer", bufferName, 0, 0, 0)
	for s := range texture.Shapes {
		add(s.String(), textureName, int(s), 0, 0)
	}
	for _, s := range []ir.Space{ir.Function, ir.Private, ir.Workgroup, ir.Uniform, ir.Storage, ir.Immediate} {
		add(s.String(), spaceName, int(s), 0, 0)
	}
	for _, a := range []ir.Access{ir.Read, ir.Write, ir.ReadWrite} {
		add(a.String(), accessName, int(a), 0, 0)
	}
	for f := texture.NoFormat + 1; f < texture.StorageFormats; f++ {
		add(f.String(), formatName, int(f), 0, 0)
	}
	for i := 1; i < len(Builtins); {
		n := 1
		for i+n < len(Builtins) && Builtins[i+n].Name == Builtins[i].Name {
			n++
		}
		if Builtins[i].Flags&Operator != 0 {
			v.addOperator(Builtins[i].Name, rows{uint16(i), uint16(n)})
		} else {
			add(Builtins[i].Name, functionName, i, n, 0)
		}
		i += n
	}
	return v
}

func (v *vocabulary) addOperator(name string, r rows) {
	table := &v.binary
	if len(name) > len("unary ") {
		table, name = &v.unary, name[len("unary "):]
	}
	for t := syntax.Assign; t <= syntax.ShiftRight; t++ {
		if t.String() == name {
			table[t] = r
			return
		}
	}
	panic("check: no token for operator " + name)
}

func digit(n int) string { return string(rune('0' + n)) }

// lookup returns the meaning of a predeclared name.
func (v *vocabulary) lookup(s syntax.Symbol) predeclared {
	if int(s) < len(v.meaning) {
		return v.meaning[s]
	}
	return predeclared{}
}
