package sem

import (
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
)

// This file lists the names that every program starts with (WGSL §6.9 types,
// §6.4 enumerants, §17 builtin functions). They are the words that the parser
// knows beforehand, so that what a predeclared name means is one load by its
// symbol. Names that stand in contexts of their own (attributes, builtin values,
// extensions) do not resolve through scopes and are not among them.
//
// The names with their meanings are in vocabulary_gen.go, which internal/vocabulary makes of
// the tables of builtins, textures and kinds: there are 270, and putting them together would
// cost each process as much as checking a small program.

//go:generate go run ./internal/vocabulary/run

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

// Rows is a run of rows in Builtins.
type Rows struct{ First, Count uint16 }

// Vocabulary returns the predeclared names, for syntax.NewParser: a tree that is
// checked must come from a parser with these words.
func Vocabulary() *syntax.Vocabulary { return &vocabulary }

// Words returns the predeclared names: the one of symbol 1 is the first.
func Words() []string { return vocabulary.Texts[1 : 1+vocabulary.Words] }

// Lookup returns what a name means before the program declares it.
func Lookup(s syntax.Symbol) Predeclared {
	if int(s) < len(meaning) {
		return meaning[s]
	}
	return Predeclared{}
}

// BinaryRows returns the rows of a binary operator.
func BinaryRows(t syntax.Token) Rows { return binaryRows[t] }

// UnaryRows returns the rows of a unary operator.
func UnaryRows(t syntax.Token) Rows { return unaryRows[t] }
