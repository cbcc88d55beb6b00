package semantics

import (
	"strconv"

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

// PredeclaredKind says what a predeclared name means.
type PredeclaredKind uint8

// The kinds, with what stands in Predeclared.
const (
	NotPredeclared PredeclaredKind = iota
	ScalarName                     // A: kind
	VectorName                     // A: components, B: kind or None for the generator
	MatrixName                     // A: columns, B: rows, C: kind or None
	ArrayName                      //
	AtomicName                     //
	PointerName                    //
	SamplerName                    // A: 1 for comparison
	BufferName                     //
	TextureName                    // A: texture.Shape
	FunctionName                   // A, B: first row and number of rows in Builtins
	SpaceName                      // A: ir.Space
	AccessName                     // A: ir.Access
	FormatName                     // A: texture.Format
)

// Predeclared is what a predeclared name means.
type Predeclared struct {
	Kind    PredeclaredKind
	A, B, C uint16
}

// IsType reports whether names of a kind name types or type generators.
func (k PredeclaredKind) IsType() bool { return k >= ScalarName && k <= TextureName }

// Generates reports whether a name is that of a type generator, which is a type only with
// template arguments. Of a buffer they are optional.
func (p Predeclared) Generates() bool {
	switch p.Kind {
	case VectorName:
		return scalar.Kind(p.B) == scalar.None
	case MatrixName:
		return scalar.Kind(p.C) == scalar.None
	case TextureName:
		return texture.Shape(p.A).IsStorage() || texture.Shape(p.A).Typed()
	}
	return p.Kind == ArrayName || p.Kind == AtomicName || p.Kind == PointerName
}

// vocabulary is the predeclared names by symbol.
type vocabulary struct {
	words   []string
	meaning []Predeclared // by symbol
	// binary and unary are the rows of operators by token.
	binary, unary [256]Rows
}

// Rows is a run of rows in Builtins.
type Rows struct{ First, Count uint16 }

// Words returns the predeclared names, for syntax.NewParser: a tree that is
// checked must come from a parser with these words.
func Words() []string { return names.words }

// names is made once and never changed.
var names = makeVocabulary()

func makeVocabulary() *vocabulary {
	most := len(Builtins) + 128 // of words
	v := &vocabulary{words: make([]string, 0, most), meaning: make([]Predeclared, 1, most)}
	add := func(word string, kind PredeclaredKind, a, b, c int) {
		v.words = append(v.words, word)
		v.meaning = append(v.meaning, Predeclared{kind, uint16(a), uint16(b), uint16(c)})
	}
	suffixes := []struct {
		letter string
		kind   scalar.Kind
	}{{"", scalar.None}, {"i", scalar.I32}, {"u", scalar.U32}, {"f", scalar.F32}, {"h", scalar.F16}}
	for _, k := range []scalar.Kind{scalar.Bool, scalar.I32, scalar.U32, scalar.F32, scalar.F16} {
		add(k.String(), ScalarName, int(k), 0, 0)
	}
	for n := 2; n <= 4; n++ {
		for _, s := range suffixes {
			add("vec"+strconv.Itoa(n)+s.letter, VectorName, n, int(s.kind), 0)
		}
	}
	for columns := 2; columns <= 4; columns++ {
		for rows := 2; rows <= 4; rows++ {
			for _, s := range suffixes {
				if s.kind == scalar.None || s.kind.IsFloat() {
					add("mat"+strconv.Itoa(columns)+"x"+strconv.Itoa(rows)+s.letter, MatrixName, columns, rows, int(s.kind))
				}
			}
		}
	}
	add("array", ArrayName, 0, 0, 0)
	add("atomic", AtomicName, 0, 0, 0)
	add("ptr", PointerName, 0, 0, 0)
	add("sampler", SamplerName, 0, 0, 0)
	add("sampler_comparison", SamplerName, 1, 0, 0)
	add("buffer", BufferName, 0, 0, 0)
	for s := range texture.Shapes {
		add(s.String(), TextureName, int(s), 0, 0)
	}
	for _, s := range []ir.Space{ir.Function, ir.Private, ir.Workgroup, ir.Uniform, ir.Storage, ir.Immediate} {
		add(s.String(), SpaceName, int(s), 0, 0)
	}
	for _, a := range []ir.Access{ir.Read, ir.Write, ir.ReadWrite} {
		add(a.String(), AccessName, int(a), 0, 0)
	}
	for f := texture.NoFormat + 1; f < texture.StorageFormats; f++ {
		add(f.String(), FormatName, int(f), 0, 0)
	}
	for i := 1; i < len(Builtins); {
		n := 1
		for i+n < len(Builtins) && Builtins[i+n].Name == Builtins[i].Name {
			n++
		}
		if Builtins[i].Flags&Operator != 0 {
			v.addOperator(Builtins[i].Name, Rows{uint16(i), uint16(n)})
		} else {
			add(Builtins[i].Name, FunctionName, i, n, 0)
		}
		i += n
	}
	return v
}

func (v *vocabulary) addOperator(name string, r Rows) {
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
	panic("semantics: no token for operator " + name)
}

// Lookup returns what a name means before the program declares it.
func Lookup(s syntax.Symbol) Predeclared {
	if int(s) < len(names.meaning) {
		return names.meaning[s]
	}
	return Predeclared{}
}

// BinaryRows returns the rows of a binary operator.
func BinaryRows(t syntax.Token) Rows { return names.binary[t] }

// UnaryRows returns the rows of a unary operator.
func UnaryRows(t syntax.Token) Rows { return names.unary[t] }
