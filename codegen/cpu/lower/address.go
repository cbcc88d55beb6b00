package lower

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file decomposes addresses. An address in a buffer has 64 bits. Most often it is the buffer's
// own, plus what lanes have in common, plus a word times a constant, by which they differ:
//
//	%4 = mulwide.u32 %i, 12
//	%5 = add.u64 %buffer, %4      uniform %buffer, word %i times 12, uniform %row
//	load [%5 + %row + 8]
//
// An executor then adds the uniform part once, and reads the word.

// Addend is one of the values whose sum is an operand of an address.
type Addend struct {
	Kind AddendKind
	// Value is the addend itself, a register or a constant.
	Value mir.Operand
	// Word and Factor are set for ScaledWord: Value is Word, extended to 64 bits by its sign if
	// Signed is set, times Factor.
	Word   mir.Operand
	Factor int64
	Signed bool
}

// AddendKind says how the values of an addend in different lanes are related.
type AddendKind uint8

// The kinds of addends.
const (
	UniformAddend AddendKind = iota // all lanes have the same value
	ScaledWord                      // a word that varies, times a constant
	OtherAddend                     // it varies, and nothing is known about it
)

// AppendAddends appends the addends of an operand of an address, which may be NoOperand. Uniform
// operands are not decomposed further.
func (p *Program) AppendAddends(list []Addend, u *Uniform, o mir.Operand) []Addend {
	f := p.F
	switch {
	case o == mir.NoOperand:
		return list
	case !u.Varies(o):
		return append(list, Addend{Value: o})
	case o.Class() != mir.Long:
		return append(list, Addend{Kind: OtherAddend, Value: o})
	}
	i := p.Def(o)
	if i == 0 {
		return append(list, Addend{Kind: OtherAddend, Value: o})
	}
	x := Addend{Kind: ScaledWord, Value: o, Signed: f.Kind(i).IsSigned()}
	switch f.Op(i) {
	case mir.Op(op.Add):
		list = p.AppendAddends(list, u, f.Arg(i, 0))
		return p.AppendAddends(list, u, f.Arg(i, 1))
	case mir.MulWide:
		for k := range 2 {
			if by := f.Arg(i, 1-k); by.IsConst() {
				x.Word, x.Factor = f.Arg(i, k), int64(int32(f.Bits(by)))
				return append(list, x)
			}
		}
	case mir.Op(op.Convert):
		if f.Kind(i).Bits() == 32 && f.Kind(i).IsInteger() {
			x.Word, x.Factor = f.Arg(i, 0), 1
			return append(list, x)
		}
	}
	return append(list, Addend{Kind: OtherAddend, Value: o})
}

// Clamped returns the operands of a minimum of unsigned words of which one varies and the other,
// the bound, does not. Robust accesses have such indices.
func (p *Program) Clamped(u *Uniform, o mir.Operand) (word, bound mir.Operand, ok bool) {
	f := p.F
	i := p.Def(o)
	if i == 0 || f.Op(i) != mir.Op(op.Min) || f.Kind(i) != scalar.U32 {
		return 0, 0, false
	}
	word, bound = f.Arg(i, 0), f.Arg(i, 1)
	if !u.Varies(word) {
		word, bound = bound, word
	}
	return word, bound, u.Varies(word) && !u.Varies(bound)
}
