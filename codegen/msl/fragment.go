package msl

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen/printer"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file writes fragments as matrices of a SIMD-group (MSL 2.4 and 6.7). They are in variables
// that the library's functions change, and so are never const.

// fragmentSide is the number of rows and of columns of all matrices that Metal has (MSL 2.4).
const fragmentSide = 8

// elementsOfThread is how many elements of a matrix each thread holds. Which they are is not
// specified, but it is the same for all matrices of one type (thread_elements).
const elementsOfThread = fragmentSide * fragmentSide / subgroupSize

// fragmentProducts are the products that simdgroup_multiply_accumulate computes. Table 6.10 of the
// specification has one type of elements for all operands. The library takes sums of float with
// operands of half, too, as programs for these devices commonly have them.
var fragmentProducts = []ir.FragmentProduct{
	{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F32, Rows: fragmentSide, Columns: fragmentSide, Depth: fragmentSide},
	{Left: scalar.F16, Right: scalar.F16, Sum: scalar.F16, Rows: fragmentSide, Columns: fragmentSide, Depth: fragmentSide},
	{Left: scalar.F32, Right: scalar.F32, Sum: scalar.F32, Rows: fragmentSide, Columns: fragmentSide, Depth: fragmentSide},
	{Left: scalar.BF16, Right: scalar.BF16, Sum: scalar.F32, Rows: fragmentSide, Columns: fragmentSide, Depth: fragmentSide},
}

// fragmentProductsBefore31 is how many of them there are before bfloat, which is in MSL 3.1.
const fragmentProductsBefore31 = 3

// fragmentType spells the type of a matrix. The use of a fragment makes no difference.
func (w *emitter) fragmentType(t ir.Type) string {
	k, rows, columns := w.M.FragmentShape(t)
	if (k != scalar.F16 && k != scalar.F32 && k != scalar.BF16) || rows != fragmentSide || columns != fragmentSide {
		w.refuse("the type " + w.M.TypeString(t))
	}
	return "simdgroup_" + w.elementName(k) + "8x8"
}

// elementName returns a type of elements. Programs compute with the patterns of bfloat16, so that
// only matrices have the type bfloat.
func (w *emitter) elementName(k scalar.Kind) string {
	if k == scalar.BF16 {
		return "bfloat"
	}
	return w.scalarName(k)
}

// filled writes a matrix whose elements are all equal.
func (w *emitter) filled(t ir.Type, x printer.Expr) printer.Expr {
	k, _, _ := w.M.FragmentShape(t)
	if k == scalar.BF16 {
		x = printer.Call("as_type<bfloat>", []printer.Expr{x})
	}
	return printer.Call("make_filled_simdgroup_matrix<"+w.elementName(k)+", 8, 8>", []printer.Expr{x})
}

// zero writes the zero of a type that holds matrices. Their constructor without arguments sets no
// elements.
func (w *emitter) zero(t ir.Type) printer.Expr {
	m := w.M
	if m.IsFragment(t) {
		return w.filled(t, w.scalarConstant(scalar.Kind(m.FragmentScalar(t)), 0))
	}
	name, known := w.helper(zeroHelper, t)
	if !known {
		typeName := w.typeName(t)
		result := w.globals.Always("zero_" + typeName)
		*name = result
		var b strings.Builder
		b.WriteString("inline " + typeName + " " + result + "() {\n  " + typeName + " made")
		if m.KindOf(t) == ir.StructType {
			b.WriteString(" = {};\n")
			for n, member := range m.Members(t) {
				if m.HoldsFragment(member.Type) {
					b.WriteString("  made." + w.memberNames(t)[n] + " = " + w.zero(member.Type).Text + ";\n")
				}
			}
		} else {
			n, _ := m.Count(t)
			b.WriteString(";\n  for (uint i = 0u; i < " + strconv.Itoa(int(n)) + "u; i++) {\n    made.at[i] = " + w.zero(m.Element(t)).Text + ";\n  }\n")
		}
		w.declare(b.String() + "  return made;\n}\n\n")
		return printer.Atom(result + "()")
	}
	return printer.Atom(*name + "()")
}

// matrix returns the text of a fragment that the library takes by reference: a variable.
func (w *emitter) matrix(v ir.Value) printer.Expr {
	x := w.Take(v)
	if strings.Contains(x.Text, "(") {
		return w.Let(ir.NoValue, w.F.TypeOf(v), x)
	}
	return x
}

// fragment writes an operation on fragments.
func (w *emitter) fragment(i ir.Inst) {
	f := w.F
	w.subgroups = true
	switch o := f.Op(i); o {
	case op.FragmentLoad:
		args := w.fragmentPosition(i)
		w.Line("simdgroup_load(", w.Destination(i, "m"), ", ", args, ");")
	case op.FragmentStore:
		x, args := w.Take(f.Arg(i, ir.FragmentStored)), w.fragmentPosition(i)
		w.Flush(w.Root(f.Arg(i, ir.FragmentArray)))
		w.Line("simdgroup_store(", x.Text, ", ", args, ");")
	case op.FragmentSplat:
		w.Define(i, w.filled(f.Type(i), w.Take(f.Arg(i, 0))))
	case op.FragmentMulAdd:
		left, right := w.matrix(f.Arg(i, 0)), w.matrix(f.Arg(i, 1))
		sum := w.changed(i, 2)
		w.Line("simdgroup_multiply_accumulate(", sum, ", ", left.Text, ", ", right.Text, ", ", sum, ");")
	default:
		y := w.matrix(f.Arg(i, 1))
		x := w.changed(i, 0)
		for n := range elementsOfThread {
			element := ".thread_elements()[" + strconv.Itoa(n) + "]"
			w.Line(x, element, " ", fragmentOperators[o], " ", y.Text, element, ";")
		}
	}
}

// fragmentOperators are the operators of assignments to elements.
var fragmentOperators = [op.Count]string{op.FragmentAdd: "+=", op.FragmentSub: "-=", op.FragmentMul: "*="}

// changed returns the variable that has the value of an operand and is to hold the result.
func (w *emitter) changed(i ir.Inst, operand int) string {
	return w.Insertion(i, operand, w.Take(w.F.Arg(i, operand)))
}

// fragmentPosition writes the arguments of a load or store after the matrix: the address of the
// first element, and the distance of the lines. If these are columns, the matrix_origin follows and
// that the matrix is transposed.
func (w *emitter) fragmentPosition(i ir.Inst) string {
	f, m := w.F, w.M
	pointer := f.Arg(i, ir.FragmentArray)
	t := m.Element(f.TypeOf(pointer))
	if w.isPadded(t) {
		w.refuse("a fragment of " + m.TypeString(t))
	}
	offset, byColumn, stride := f.FragmentPosition(i)
	first := w.part(w.Take(pointer), t, w.formOf(pointer), offset)
	text := "&" + first.Text + ", " + w.Take(stride).Text
	if m.ScalarOf(m.Element(t)) == scalar.U16 { // the patterns of bfloat16
		constant := ""
		if m.AccessOf(f.TypeOf(pointer)) == ir.Read {
			constant = " const"
		}
		text = "(" + spaces[m.SpaceOf(f.TypeOf(pointer))].word + " bfloat" + constant + "*)" + text
	}
	if m.ConstBits(byColumn) != 0 {
		text += ", ulong2(0), true"
	}
	return text
}
