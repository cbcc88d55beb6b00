package ir

import (
	"math/bits"

	"github.com/gpuc/gpuc/ir/op"
)

// This file has how a target's invocations hold fragments, where programs see it: a table of the
// instructions that multiply, with the layouts of their operands.

// FragmentTable has the instructions of a target that multiply fragments.
type FragmentTable struct {
	// Subgroup is how many invocations a subgroup has. All of them execute an instruction.
	Subgroup     int
	Instructions []FragmentInstruction
	// LoadsMatrices says that the target has the intrinsic nv_load_matrix.
	LoadsMatrices bool
}

// FragmentInstruction is an instruction that multiplies fragments of one shape. Others have powers
// of two of its rows, columns and depth, and are multiplied by several.
type FragmentInstruction struct {
	FragmentProduct
	// Intrinsic multiplies. Its operands are Number if the first one is a constant, and then the
	// words of the left, the right and the result fragment.
	Intrinsic op.IntrinsicID
	Number    uint32
	// OffsetLeft and OffsetRight say that an operand has unsigned bytes, which the intrinsic takes
	// as signed. So 128 is subtracted from each, and what the sums lack is added.
	OffsetLeft, OffsetRight bool
	// Left, Right and Result are the layouts of the operands.
	LeftLayout, RightLayout, ResultLayout FragmentLayout
}

// FragmentLayout says which elements of a fragment the invocations of a subgroup hold, and in which
// order. Rows has the bits of an element's row, the lowest first, and Columns those of its column.
// A digit is a bit of the number that the element has among those of its invocation. A letter is a
// bit of the invocation's number in the subgroup, and a the lowest:
//
//	"cd1"  row    = invocation / 4 mod 4 + 4·(element / 2 mod 2)
//	"0ab"  column = element mod 2 + 2·(invocation mod 4)
//
// Several invocations hold an element if a bit of their number is nowhere.
type FragmentLayout struct {
	Rows, Columns string
	// Packed is how many elements share a word of 32 bits, the first in the lowest bits. With 1
	// each is a value of its own type.
	Packed int
}

// The characters of the lowest bits in layouts.
const (
	FirstElementBit = '0'
	FirstLaneBit    = 'a'
)

// Elements returns how many elements an invocation holds.
func (l *FragmentLayout) Elements() int {
	if l == nil {
		return 0
	}
	return 1 << l.elementBits()
}

func (l *FragmentLayout) elementBits() (n int) {
	for _, s := range [...]string{l.Rows, l.Columns} {
		for k := range len(s) {
			if s[k] < FirstLaneBit {
				n++
			}
		}
	}
	return n
}

// repeated returns the layout of powers of two as many rows and columns. The blocks of the given
// layout are one after the other, those of a column first.
func (l FragmentLayout) repeated(rows, columns int) FragmentLayout {
	n := l.elementBits()
	for rows = bits.TrailingZeros(uint(rows)); rows > 0; rows-- {
		l.Rows += string(rune(FirstElementBit + n))
		n++
	}
	for columns = bits.TrailingZeros(uint(columns)); columns > 0; columns-- {
		l.Columns += string(rune(FirstElementBit + n))
		n++
	}
	return l
}

// divides reports whether an instruction's product is repeated by that of fragments.
func (p *FragmentProduct) divides(q FragmentProduct) bool {
	times := func(n, of int) bool { return of > 0 && n%of == 0 && n/of&(n/of-1) == 0 }
	return p.Left == q.Left && p.Right == q.Right && p.Sum == q.Sum &&
		times(q.Rows, p.Rows) && times(q.Columns, p.Columns) && times(q.Depth, p.Depth)
}

// Multiplies returns the first instruction that multiplies what a product does, or nil.
func (t *FragmentTable) Multiplies(p FragmentProduct) *FragmentInstruction {
	for n := 0; t != nil && n < len(t.Instructions); n++ {
		if x := &t.Instructions[n]; x.divides(p) {
			return x
		}
	}
	return nil
}

// Layouts returns the layouts of a product's operands: those of an instruction, repeated.
// They are empty if it does not multiply that.
func (x *FragmentInstruction) Layouts(p FragmentProduct) (left, right, result FragmentLayout) {
	if x == nil || !x.divides(p) {
		return left, right, result
	}
	rows, columns, depth := p.Rows/x.Rows, p.Columns/x.Columns, p.Depth/x.Depth
	return x.LeftLayout.repeated(rows, depth), x.RightLayout.repeated(depth, columns), x.ResultLayout.repeated(rows, columns)
}

// FragmentLayout returns the layout of a fragment type of some products. It is the same for all
// that have the type.
func (m *Module) FragmentLayout(table *FragmentTable, list []FragmentProduct, t Type) (l FragmentLayout, ok bool) {
	for _, p := range list {
		x := table.Multiplies(p)
		if x == nil || !m.isOf(t, &p) {
			continue
		}
		left, right, result := x.Layouts(p)
		return [useCount]FragmentLayout{left, right, result}[m.FragmentUse(t)], true
	}
	return l, false
}
