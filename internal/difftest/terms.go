package difftest

// Integer expressions of the families, as text.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// term is an expression of type u32 or i32. Two constant ones are not joined: an overflow in a
// const-expression is an error.
type term struct {
	text     string
	signed   bool
	constant bool
	value    uint32 // of a constant
}

func lit(signed bool, v uint32) term { return term{numeral(signed, v), signed, true, v} }

func unsigned(text string) term { return term{text: text} }

// as converts a term to u32 or i32.
func (x term) as(signed bool) term {
	switch {
	case x.signed == signed:
		return x
	case x.constant:
		return lit(signed, x.value)
	case signed:
		return term{text: "i32(" + x.text + ")", signed: true}
	}
	return term{text: "u32(" + x.text + ")"}
}

// join makes an expression of two terms, of the type of the first.
func join(format string, x, y term) term {
	if x.constant && y.constant {
		return x
	}
	return term{text: fmt.Sprintf(format, x.text, y.as(x.signed).text), signed: x.signed}
}

func plus(x, y term) term  { return join("(%s + %s)", x, y) }
func minus(x, y term) term { return join("(%s - %s)", x, y) }
func times(x, y term) term { return join("(%s * %s)", x, y) }

// choose makes a term that is y where a condition holds, and else x.
func choose(x, y term, condition string) term {
	return join("select(%s, %s, "+strings.ReplaceAll(condition, "%", "%%")+")", x, y)
}

// joins are the operators and functions of two integers that never fault.
var joins = []string{"(%s + %s)", "(%s - %s)", "(%s * %s)", "(%s ^ %s)", "(%s & %s)", "(%s | %s)", "min(%s, %s)", "max(%s, %s)"}

// by makes a quotient, a remainder or a shift by a constant.
func by(operator string, x term, c uint32) term {
	if x.constant {
		return x
	}
	return term{text: fmt.Sprintf("(%s %s %s)", x.text, operator, numeral(x.signed && operator[0] != '<' && operator[0] != '>', c)), signed: x.signed}
}

var byOperators = []string{"/", "%", "<<", ">>"}

// relation makes a comparison of the type of the first term.
func relation(x term, operator string, y term) string {
	return fmt.Sprintf("(%s %s %s)", x.text, operator, y.as(x.signed).text)
}

// expressions makes integer expressions of scalars or vectors.
type expressions struct {
	r      *rand.Rand
	scalar string // u32 or i32
	width  int    // 1 for scalars
	// unary and binary are formats, in which T is the type and U the unsigned one.
	unary, binary []string
	leaves        []string
	truths        []string // conditions of the same width
}

var (
	unaryFormats = []string{"~(%s)", "~(%s)", "(T(0) - %s)", "(~T(0) - %s)", "countOneBits(%s)", "reverseBits(%s)", "countLeadingZeros(%s)",
		"firstTrailingBit(%s)", "abs(%s)"}
	binaryFormats = []string{"(%s + %s)", "(%s - %s)", "(%s * %s)", "(%s & %s)", "(%s | %s)", "(%s ^ %s)", "min(%s, %s)", "max(%s, %s)", "(%s / %s)", "(%s %% %s)",
		"select(%[2]s, ~%[1]s, %[1]s == %[2]s)", "select(%[1]s, %[2]s, %[1]s < %[2]s)", "(%s << (U(%s) & U(31)))", "(%s >> (U(%s) & U(31)))",
		"extractBits(%s, u32(%s), 7u)", "insertBits(%s, %s, u32(%[2]s) & 15u, 9u)"}
	// what compilers merge into min and max
	minMaxUnary    = []string{"~(%s)", "(T(0) - %s)", "(~T(0) - %s)", "abs(%s)"}
	minMaxBinary   = []string{"(%s + %s)", "(%s - %s)", "min(%s, %s)", "max(%s, %s)", "select(%[1]s, %[2]s, %[1]s < %[2]s)"}
	productFormats = []string{"(%s + %s)", "(%s - %s)", "(%s * %s)", "min(%s, %s)", "max(%s, %s)", "(%s << (U(%s) & U(31)))"}
)

// newExpressions chooses the operations: all of them, or those of a few rules.
func newExpressions(r *rand.Rand, scalar string, width int) *expressions {
	e := &expressions{r: r, scalar: scalar, width: width, unary: unaryFormats, binary: binaryFormats}
	switch r.IntN(5) {
	case 0, 1:
		e.unary, e.binary = minMaxUnary, minMaxBinary
	case 2:
		e.unary, e.binary = minMaxUnary, productFormats
	}
	if width > 1 {
		e.binary = slices.DeleteFunc(slices.Clone(e.binary), func(f string) bool { return strings.Contains(f, "u32(") })
	}
	return e
}

// typed is a type of the expressions' width.
func (e *expressions) typed(scalar string) string {
	if e.width == 1 {
		return scalar
	}
	return fmt.Sprintf("vec%d<%s>", e.width, scalar)
}

// constant is what rules match: masks, powers of two, limits, or the same value everywhere.
func (e *expressions) constant() string {
	class, same := e.r.IntN(9), e.r.IntN(4) == 0
	parts := make([]string, e.width)
	for n := range parts {
		if parts[n] = numeral(e.scalar == "i32", constantOfClass(e.r, class)); same {
			parts[n] = parts[0]
		}
		if e.r.IntN(2) == 0 {
			class = e.r.IntN(9)
		}
	}
	if e.width == 1 {
		return parts[0]
	}
	return e.typed(e.scalar) + "(" + strings.Join(parts, ", ") + ")"
}

func constantOfClass(r *rand.Rand, class int) uint32 {
	n := r.IntN(33)
	switch class {
	case 0, 1:
		return uint32(uint64(1)<<[...]int{n, 31, 32}[r.IntN(3)] - 1)
	case 2:
		return ^uint32(uint64(1)<<n - 1)
	case 3:
		return 1 << (n & 31)
	case 4:
		return 1<<31 - uint32(r.IntN(2))
	case 5:
		return -uint32(r.IntN(2))
	}
	return edge(r)
}

// make returns an expression of at most a depth, and whether it is a constant.
func (e *expressions) make(depth int) (text string, constant bool) {
	r := e.r
	if depth == 0 || r.IntN(8) == 0 {
		if r.IntN(4) == 0 {
			return e.constant(), true
		}
		return pick(r, e.leaves), false
	}
	x, constant := e.make(depth - 1)
	if constant {
		return x, true
	}
	switch k := r.IntN(10); {
	case k < 3:
		return fmt.Sprintf(e.spell(pick(r, e.unary)), x), false
	case k == 3 && e.width == 1:
		return fmt.Sprintf("(%s %s %du)", x, pick(r, []string{"<<", ">>"}), r.IntN(32)), false
	case k == 4 && len(e.truths) > 0:
		y, _ := e.make(depth - 1)
		return fmt.Sprintf("select(%s, %s, %s)", x, y, pick(r, e.truths)), false
	}
	y, constant := e.make(depth - 1)
	format := pick(r, e.binary)
	if constant && (strings.Contains(format, "/") || strings.Contains(format, "%%") || strings.Contains(format, "Bits(")) {
		format = e.binary[0] // constant divisors of 0 and fields out of range are errors
	}
	if r.IntN(3) == 0 && !constant {
		x, y = y, x
	}
	return fmt.Sprintf(e.spell(format), x, y), false
}

// truth makes a condition of each component.
func (e *expressions) truth(depth int) string {
	x, constant := e.make(depth)
	if constant {
		x = e.leaves[0]
	}
	y, _ := e.make(depth)
	switch e.r.IntN(4) {
	case 0: // a comparison with a part of the same value
		return fmt.Sprintf("(%s %s (%s & %s))", x, pick(e.r, comparisons), x, e.constant())
	case 1:
		if len(e.truths) > 0 {
			return fmt.Sprintf(pick(e.r, []string{"(%s & !%s)", "(%s | %s)", "(%s == %s)"}), pick(e.r, e.truths), pick(e.r, e.truths))
		}
	}
	return fmt.Sprintf("(%s %s %s)", x, pick(e.r, comparisons), y)
}

var typePlaceholders = strings.NewReplacer("T(", "\x00T(", "U(", "\x00U(")

// spell puts the type's name into a format.
func (e *expressions) spell(format string) string {
	if !strings.ContainsAny(format, "TU") {
		return format
	}
	return strings.NewReplacer("\x00T(", e.typed(e.scalar)+"(", "\x00U(", e.typed("u32")+"(").Replace(typePlaceholders.Replace(format))
}
