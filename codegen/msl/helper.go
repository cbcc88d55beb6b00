package msl

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file writes helper functions, each on its first use. There is one for each address space.
// Overloads that differ only in the space would be one function to a compiler without spaces.

// The kinds of helpers. Those for pairs of spaces and for operations come after.
const (
	makeHelper    = iota
	zeroHelper    // of what holds matrices
	neverHelper   // without a type
	copyHelpers   // by two spaces
	loadHelpers   = copyHelpers + spaceCount*spaceCount
	setHelpers    = loadHelpers + spaceCount
	casHelpers    = setHelpers + spaceCount
	fromHelpers   = casHelpers + spaceCount // conversions, by the scalar that is converted
	operationsAt  = fromHelpers + int(scalar.Count)
	helperKinds   = operationsAt + int(op.Count)
	spaceCount    = 4
	deviceAt      = 0
	constantAt    = 1
	threadgroupAt = 2
	threadAt      = 3
)

// spaceIndex gives the index of an address space in the tables of helpers.
var spaceIndex = [...]int{ir.Storage: deviceAt, ir.Uniform: constantAt, ir.Immediate: constantAt, ir.Constant: constantAt,
	ir.Workgroup: threadgroupAt, ir.Private: threadAt, ir.Function: threadAt}

// helper returns the name of a helper for a type, and whether it was there.
func (w *emitter) helper(kind int, t ir.Type) (name *string, known bool) {
	for int(t) >= len(w.helperNames[kind]) {
		w.helperNames[kind] = append(w.helperNames[kind], "")
	}
	name = &w.helperNames[kind][t]
	return name, *name != ""
}

func (w *emitter) declare(text string) { w.declarations = append(w.declarations, text...) }

// copyHelper returns the function that copies an aggregate part by part. C++ does not copy objects
// between address spaces, and padding need not be copied.
func (w *emitter) copyHelper(t ir.Type, to, from ir.Space) string {
	name, known := w.helper(copyHelpers+spaceIndex[to]*spaceCount+spaceIndex[from], t)
	if known {
		return *name
	}
	m := w.M
	typeName := w.typeName(t)
	result := w.globals.Always("copy_" + spaces[to].name + "_" + spaces[from].name + "_" + typeName)
	*name = result
	source := spaces[from].word + " "
	if spaceIndex[from] != constantAt {
		source = spaces[from].word + " const "
	}
	var b strings.Builder
	b.WriteString("inline void " + result + "(" + spaces[to].word + " " + typeName + "& to, " + source + typeName + "& from) {\n")
	each := func(margin, left, right string, part ir.Type, p memoryType) {
		switch {
		case p.packed:
			for k := range m.Components(part) {
				at := "[" + strconv.Itoa(k) + "]"
				b.WriteString(margin + left + at + " = " + right + at + ";\n")
			}
		case w.isLeaf(part):
			b.WriteString(margin + left + " = " + right + ";\n")
		default:
			b.WriteString(margin + w.copyHelper(part, to, from) + "(" + left + ", " + right + ");\n")
		}
	}
	if m.KindOf(t) == ir.StructType {
		for n, member := range m.Members(t) {
			at := "." + w.memberNames(t)[n]
			each("  ", "to"+at, "from"+at, member.Type, w.partOf(t, uint32(n)))
		}
	} else {
		n, _ := m.Count(t)
		at := ".at[i]"
		if w.isPadded(t) {
			at += ".value"
		}
		b.WriteString("  for (uint i = 0u; i < " + strconv.Itoa(int(n)) + "u; i++) {\n")
		each("    ", "to"+at, "from"+at, m.Element(t), w.partOf(t, 0))
		b.WriteString("  }\n")
	}
	b.WriteString("}\n\n")
	w.declare(b.String())
	return result
}

// loadHelper returns the function that loads an aggregate.
func (w *emitter) loadHelper(t ir.Type, from ir.Space) string {
	name, known := w.helper(loadHelpers+spaceIndex[from], t)
	if known {
		return *name
	}
	copies := w.copyHelper(t, ir.Function, from)
	typeName := w.typeName(t)
	result := w.globals.Always("load_" + spaces[from].name + "_" + typeName)
	*name = result
	source := spaces[from].word + " "
	if spaceIndex[from] != constantAt {
		source = spaces[from].word + " const "
	}
	w.declare("inline " + typeName + " " + result + "(" + source + typeName + "& from) {\n  " + typeName + " to;\n  " + copies + "(to, from);\n  return to;\n}\n\n")
	return result
}

// maker returns the function that constructs an aggregate from its parts.
func (w *emitter) maker(t ir.Type) string {
	name, known := w.helper(makeHelper, t)
	if known {
		return *name
	}
	m := w.M
	typeName := w.typeName(t)
	result := w.globals.Always("make_" + typeName)
	*name = result
	n, _ := m.Count(t)
	var parameters, lines []string
	for i := range n {
		part, at := m.PartType(t, i), ".at["+strconv.Itoa(int(i))+"]"
		if m.KindOf(t) == ir.StructType {
			at = "." + w.memberNames(t)[i]
		} else if w.isPadded(t) {
			at += ".value"
		}
		parameter := "x" + strconv.Itoa(int(i))
		parameters = append(parameters, w.typeName(part)+" "+parameter)
		switch p := w.partOf(t, i); {
		case p.packed:
			lines = append(lines, w.setPacked(part, ir.Function)+"(made"+at+", "+w.packedOf(part, parameter)+");")
		case w.isLeaf(part) && w.holdsBool(part):
			lines = append(lines, "made"+at+" = "+p.name+"("+parameter+");")
		default:
			lines = append(lines, "made"+at+" = "+parameter+";")
		}
	}
	w.declare("inline " + typeName + " " + result + "(" + strings.Join(parameters, ", ") + ") {\n  " + typeName + " made;\n  " +
		strings.Join(lines, "\n  ") + "\n  return made;\n}\n\n")
	return result
}

// packedOf converts a value to the parameter type of setPacked.
func (w *emitter) packedOf(t ir.Type, value string) string {
	if w.holdsBool(t) {
		return w.vectorName(scalar.U32, w.M.Components(t)) + "(" + value + ")"
	}
	return value
}

// setPacked returns the function that stores a packed vector.
func (w *emitter) setPacked(t ir.Type, space ir.Space) string {
	k, n := w.M.ScalarOf(t), w.M.Components(t)
	if k == scalar.Bool { // the same as for u32
		t, k = w.M.VectorOf(ir.U32, n), scalar.U32
	}
	name, known := w.helper(setHelpers+spaceIndex[space], t)
	if known {
		return *name
	}
	vector := w.vectorName(k, n)
	result := w.globals.Always("set_" + spaces[space].name + "_packed_" + vector)
	*name = result
	text := "inline void " + result + "(" + spaces[space].word + " packed_" + vector + "& to, " + vector + " from) {\n"
	for k := range n {
		text += "  to[" + strconv.Itoa(k) + "] = from." + "xyzw"[k:][:1] + ";\n"
	}
	w.declare(text + "}\n\n")
	return result
}

// exchangeHelper returns the function for compare-and-exchange without spurious failures, which the
// library's may have (MSL 6.15.3).
func (w *emitter) exchangeHelper(t ir.Type, space ir.Space) string {
	name, known := w.helper(casHelpers+spaceIndex[space], t)
	if known {
		return *name
	}
	typeName := w.typeName(t)
	result := w.globals.Always("compare_exchange_" + spaces[space].name + "_" + typeName)
	*name = result
	w.declare("inline " + typeName + " " + result + "(" + spaces[space].word + " atomic_" + typeName + "* at, " + typeName + " expected, " + typeName + " value) {\n" +
		"  " + typeName + " old = expected;\n" +
		"  while (!atomic_compare_exchange_weak_explicit(at, &old, value, memory_order_relaxed, memory_order_relaxed) && old == expected) {\n  }\n" +
		"  return old;\n}\n\n")
	return result
}

// Test returns the first statement of a loop that may not end: an access to a volatile object. C++
// assumes that a loop without side effects ends ([intro.progress]), and has undefined behaviour
// otherwise.
func (w *emitter) Test() string {
	name, known := w.helper(neverHelper, ir.Void)
	if !known {
		*name = w.globals.Always("never")
		w.declare("// C++ lets a compiler assume that a loop ends, unless it does something like this.\n" +
			"inline bool " + *name + "() {\n  volatile bool no = false;\n  return no;\n}\n\n")
	}
	return "if (" + *name + "()) { break; }"
}

// operationHelper returns the function for an operation on a type. For a scalar it is the row's
// formula, in which T is the type, U its unsigned counterpart and W its width. For a vector it
// works component by component.
func (w *emitter) operationHelper(o op.Op, t, result ir.Type, r *row) string {
	name, known := w.helper(operationsAt+int(o), t)
	if known {
		return *name
	}
	m := w.M
	k := m.ScalarOf(t)
	typeName, resultName := w.typeName(t), w.typeName(result)
	if m.IsVector(t) {
		scalarResult := ir.Type(m.ScalarOf(result))
		inner := w.operationHelper(o, ir.Type(k), scalarResult, r)
		*name = inner
		var parameters, parts []string
		for n := range r.operands {
			parameters = append(parameters, typeName+" "+"xyz"[n:][:1])
		}
		for c := range m.Components(t) {
			var args []string
			for n := range r.operands {
				args = append(args, "xyz"[n:][:1]+"."+"xyzw"[c:][:1])
			}
			parts = append(parts, inner+"("+strings.Join(args, ", ")+")")
		}
		w.declare("inline " + resultName + " " + inner + "(" + strings.Join(parameters, ", ") + ") {\n  return " + resultName + "(" +
			strings.Join(parts, ", ") + ");\n}\n\n")
		return inner
	}
	if w.operationNames[o] == "" {
		w.operationNames[o] = w.globals.Always(r.helper)
	}
	*name = w.operationNames[o]
	formula := r.formula
	if r.formulaOf != nil {
		formula = r.formulaOf(k)
	}
	var parameters []string
	for n := range r.operands {
		parameters = append(parameters, typeName+" "+"xyz"[n:][:1])
	}
	unsigned := ""
	if u := unsignedKinds[k]; u != 0 {
		unsigned = w.scalarName(u)
	}
	formula = strings.NewReplacer("$T", typeName, "$U", unsigned, "$W", strconv.Itoa(k.Bits()), "$S", strconv.Itoa(k.Bits()-1)).Replace(formula)
	w.declare("inline " + resultName + " " + *name + "(" + strings.Join(parameters, ", ") + ") {\n  return " + formula + ";\n}\n\n")
	return *name
}

// bounds are, by what is converted to, the lowest and the highest number of f32 and of f16 that
// truncate to it.
var bounds = [scalar.Count][2][2]string{
	scalar.I32: {{"-2147483648.0f", "2147483520.0f"}, {"-65504.0f", "65504.0f"}},
	scalar.U32: {{"0.0f", "4294967040.0f"}, {"0.0f", "65504.0f"}},
	scalar.I64: {{"-9223372036854775808.0f", "9223371487098961920.0f"}, {"-65504.0f", "65504.0f"}},
	scalar.U64: {{"0.0f", "18446742974197923840.0f"}, {"0.0f", "65504.0f"}},
}

// truncation returns the function that converts a float to an integer as WGSL does (WGSL §15.7.6).
// A value that is too large becomes the nearest that both kinds have, and a NaN becomes 0. NaNs are
// recognised by their bits, since Metal's mathematics may assume that there are none.
func (w *emitter) truncation(from, to scalar.Kind) string {
	name, known := w.helper(fromHelpers+int(from), ir.Type(to))
	if known {
		return *name
	}
	toName, fromName := w.scalarName(to), w.scalarName(from)
	*name = w.globals.Always(toName + "_of_" + fromName)
	column, isNaN := 0, "(as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u"
	if from == scalar.F16 {
		column, isNaN = 1, "(as_type<ushort>(x) & 0x7fff) > 0x7c00"
	}
	b := bounds[to][column]
	w.declare("inline " + toName + " " + *name + "(" + fromName + " x) {\n  if (" + isNaN + ") {\n    return 0;\n  }\n  return " +
		toName + "(min(max(float(x), " + b[0] + "), " + b[1] + "));\n}\n\n")
	return *name
}

// vectorTruncation is truncation of vectors.
func (w *emitter) vectorTruncation(from, to ir.Type) string {
	m := w.M
	inner := w.truncation(m.ScalarOf(from), m.ScalarOf(to))
	name, known := w.helper(fromHelpers+int(m.ScalarOf(from)), to)
	if known {
		return *name
	}
	*name = inner
	text := "inline " + w.typeName(to) + " " + inner + "(" + w.typeName(from) + " x) {\n  return " + w.typeName(to) + "("
	for c := range m.Components(to) {
		if c > 0 {
			text += ", "
		}
		text += inner + "(x." + "xyzw"[c:][:1] + ")"
	}
	w.declare(text + ");\n}\n\n")
	return inner
}

// dotHelper returns the function that adds the products of components in order, those of integers
// unsigned.
func (w *emitter) dotHelper(t ir.Type) string {
	name, known := w.helper(operationsAt+int(op.Dot), t)
	if known {
		return *name
	}
	m := w.M
	k := m.ScalarOf(t)
	if w.operationNames[op.Dot] == "" {
		w.operationNames[op.Dot] = w.globals.Always("sum_of_products")
	}
	*name = w.operationNames[op.Dot]
	terms := make([]string, m.Components(t))
	wrap := ""
	if k.IsInteger() && k.IsSigned() {
		wrap = w.scalarName(unsignedKinds[k])
	}
	for c := range terms {
		at := "." + "xyzw"[c:][:1]
		terms[c] = "x" + at + " * y" + at
		if wrap != "" {
			terms[c] = wrap + "(x" + at + ") * " + wrap + "(y" + at + ")"
		}
	}
	sum := strings.Join(terms, " + ")
	if wrap != "" {
		sum = w.scalarName(k) + "(" + sum + ")"
	}
	vector := w.typeName(t)
	w.declare("inline " + w.scalarName(k) + " " + *name + "(" + vector + " x, " + vector + " y) {\n  return " + sum + ";\n}\n\n")
	return *name
}
