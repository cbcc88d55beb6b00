package ir

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/scalar"
)

// This file has the rules for fragments.

// MaxFragmentSide is the greatest number of rows or columns of a fragment.
const MaxFragmentSide = 128

// fragmentElements are the kinds of a fragment's elements.
var fragmentElements = scalar.Of(scalar.F16, scalar.BF16, scalar.F32, scalar.F64, scalar.I8, scalar.U8, scalar.I32, scalar.U32)

// fragmentWords are the kinds of the scalars or components of an array in memory that has elements
// of fragments.
var fragmentWords = scalar.Of(scalar.F16, scalar.F32, scalar.I32, scalar.U32)

// IsFragmentElement reports whether fragments may have elements of a kind.
func IsFragmentElement(k scalar.Kind) bool { return fragmentElements.Has(k) }

// fragmentProblem says why a fragment type is not valid, or "".
func (m *Module) fragmentProblem(t Type) string {
	k, rows, columns := m.FragmentShape(t)
	switch {
	case !IsFragmentElement(k):
		return "fragments have no elements of type " + k.String()
	case k == scalar.BF16 && m.FragmentUse(t) == ResultUse:
		return "results have no elements of type bf16, which there is no arithmetic for"
	case rows < 1 || columns < 1 || rows > MaxFragmentSide || columns > MaxFragmentSide:
		return fmt.Sprintf("a fragment has 1 to %d rows and columns", MaxFragmentSide)
	}
	return ""
}

// The operands of fragment_load and fragment_store: the array, and where in it the elements are.
// Those after the offset are one further in fragment_store, which has the fragment between them.
const (
	FragmentArray = iota
	FragmentOffset
	FragmentByColumn // a constant
	FragmentStride
)

// FragmentStored is the operand of fragment_store that is stored.
const FragmentStored = 2

// FragmentPosition returns the operands of fragment_load and fragment_store that say where the
// elements are in the array.
func (f *Func) FragmentPosition(i Inst) (offset, byColumn, stride Value) {
	args := f.Args(i)
	return args[FragmentOffset], args[len(args)-2], args[len(args)-1]
}

// fragmentMemory checks the operands of fragment_load and fragment_store, for fragments of type t.
func (v *verifier) fragmentMemory(i Inst, t Type) string {
	if !v.m.IsFragment(t) {
		return v.m.TypeString(t) + " is no fragment"
	}
	array, space, message := v.pointer(i, FragmentArray)
	if message != "" {
		return message
	}
	if v.m.KindOf(array) != ArrayType || space != Storage && space != Workgroup {
		return "operand 1 points to no array in storage or workgroup memory"
	}
	k, _, _ := v.m.FragmentShape(t)
	of := v.m.Element(array)
	word := of == v.m.FragmentScalar(t) || v.m.Components(of) > 0 && fragmentWords.Has(v.m.ScalarOf(of))
	if !word || v.m.Stride(array)%uint32(k.Bytes()) != 0 {
		return fmt.Sprintf("%s has no elements of type %s", v.m.TypeString(array), k)
	}
	offset, byColumn, stride := v.f.FragmentPosition(i)
	if v.f.TypeOf(offset) != U32 || v.f.TypeOf(stride) != U32 {
		return "the offset and the stride are u32"
	}
	if v.f.TypeOf(byColumn) != Bool || !byColumn.IsConst() {
		return "the order is a constant bool"
	}
	return ""
}

func fragmentLoadTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 4); message != "" {
		return message
	}
	if message := v.fragmentMemory(i, v.f.Type(i)); message != "" {
		return message
	}
	if v.m.AccessOf(v.typeOf(i, FragmentArray)) == Write {
		return "the memory is write-only"
	}
	return v.result(i, v.f.Type(i))
}

func fragmentStoreTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 5); message != "" {
		return message
	}
	if message := v.fragmentMemory(i, v.typeOf(i, FragmentStored)); message != "" {
		return message
	}
	if v.m.AccessOf(v.typeOf(i, FragmentArray)) == Read {
		return "the memory is read-only"
	}
	return v.result(i, Void)
}

func fragmentSplatTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 1); message != "" {
		return message
	}
	t := v.f.Type(i)
	if !v.m.IsFragment(t) || v.typeOf(i, 0) != v.m.FragmentScalar(t) {
		return "the operand is no element of the result"
	}
	return v.result(i, t)
}

// fragmentUses are the uses of the operands of fragment_mul_add.
var fragmentUses = [...]Use{LeftUse, RightUse, ResultUse}

func fragmentMulAddTypes(v *verifier, i Inst) string {
	if message := v.operands(i, len(fragmentUses)); message != "" {
		return message
	}
	var kind [len(fragmentUses)]scalar.Kind
	var rows, columns [len(fragmentUses)]int
	for n, use := range fragmentUses {
		t := v.typeOf(i, n)
		if !v.m.IsFragment(t) || v.m.FragmentUse(t) != use {
			return fmt.Sprintf("operand %d is %s, want a %s fragment", n+1, v.m.TypeString(t), use)
		}
		kind[n], rows[n], columns[n] = v.m.FragmentShape(t)
	}
	if columns[0] != rows[1] || rows[0] != rows[2] || columns[1] != columns[2] {
		return fmt.Sprintf("a product of %d×%d and %d×%d is not %d×%d", rows[0], columns[0], rows[1], columns[1], rows[2], columns[2])
	}
	if kind[0] != kind[1] && (kind[0].Bits() != 8 || kind[1].Bits() != 8) {
		return fmt.Sprintf("there is no product of %s and %s", kind[0], kind[1])
	}
	return v.result(i, v.typeOf(i, 2))
}

func fragmentElementTypes(v *verifier, i Inst) string {
	if message := v.operands(i, 2); message != "" {
		return message
	}
	t := v.f.Type(i)
	if !v.m.IsFragment(t) || v.typeOf(i, 0) != t || v.typeOf(i, 1) != t {
		return "the operands and the result are fragments of one type"
	}
	if k, _, _ := v.m.FragmentShape(t); k == scalar.BF16 {
		return "there is no arithmetic for elements of type bf16"
	}
	return v.result(i, t)
}

// fragmentIndex checks that the operands are a fragment, the index of an element, and more.
func (v *verifier) fragmentIndex(i Inst, operands int) (t Type, message string) {
	if message := v.operands(i, operands); message != "" {
		return Void, message
	}
	if t = v.typeOf(i, 0); !v.m.IsFragment(t) {
		return Void, "operand 1 is " + v.m.TypeString(t) + ", want a fragment"
	}
	if operands > 1 && v.typeOf(i, 1) != U32 {
		return Void, "operand 2 is " + v.m.TypeString(v.typeOf(i, 1)) + ", want u32"
	}
	return t, ""
}

func fragmentCountTypes(v *verifier, i Inst) string {
	if _, message := v.fragmentIndex(i, 1); message != "" {
		return message
	}
	return v.result(i, U32)
}

func fragmentPositionTypes(v *verifier, i Inst) string {
	if _, message := v.fragmentIndex(i, 2); message != "" {
		return message
	}
	return v.result(i, U32)
}

func fragmentGetTypes(v *verifier, i Inst) string {
	t, message := v.fragmentIndex(i, 2)
	if message != "" {
		return message
	}
	return v.result(i, v.m.FragmentScalar(t))
}

func fragmentSetTypes(v *verifier, i Inst) string {
	t, message := v.fragmentIndex(i, 3)
	if message != "" {
		return message
	}
	if got, want := v.typeOf(i, 2), v.m.FragmentScalar(t); got != want {
		return "operand 3 is " + v.m.TypeString(got) + ", want " + v.m.TypeString(want)
	}
	return v.result(i, t)
}
