// Package printf knows the formats of the messages that kernels print: which verbs there are, which
// values each takes, and what the text is. They are a part of those of Go's package fmt. So a
// kernel that runs as plain Go prints the same as one on a device, and go vet understands the
// calls. Front ends check formats with it, and runtimes make texts.
package printf

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/ir/scalar"
)

// Argument is the type of a value that a message shows: a number, a bool or, if Count is not 0, a
// vector of so many.
type Argument struct {
	Kind  scalar.Kind
	Count int
}

// Name returns what people call the type: "u32", or "3 of f32".
func (a Argument) Name() string {
	if a.Count == 0 {
		return a.Kind.String()
	}
	return fmt.Sprintf("%d of %s", a.Count, a.Kind)
}

// class is a set of kinds.
type class uint8

const (
	integers class = 1 << iota
	floats
	bools
	all = integers | floats | bools
)

func classOf(k scalar.Kind) class {
	switch {
	case k == scalar.Bool:
		return bools
	case k.IsFloat():
		return floats
	}
	return integers
}

// verbs are those that there are, by letter, with the kinds that they take.
var verbs = [128]class{
	'v': all, 't': bools,
	'd': integers, 'x': integers, 'X': integers, 'o': integers, 'b': integers, 'c': integers,
	'e': floats, 'E': floats, 'f': floats, 'F': floats, 'g': floats, 'G': floats,
}

// classNames say what the verbs of a class take.
var classNames = [all]string{integers: "an integer", floats: "a float", bools: "a bool"}

const verbsHint = "the verbs are %v, %d, %x, %X, %o, %b, %c, %e, %f, %g and %t, with flags, a width and a precision, in this order and without `*`, and %% is a percent sign"

// maxWidth is the largest width and precision that package fmt promises to accept.
const maxWidth = 1_000_000

// options returns where the flags, the width and the precision end of a verb whose percent sign is
// before i, and whether both are at most maxWidth.
func options(format string, i int) (end int, fit bool) {
	number := func() bool {
		n := 0
		for ; i < len(format) && '0' <= format[i] && format[i] <= '9'; i++ {
			n = min(10*n+int(format[i]-'0'), maxWidth+1)
		}
		return n <= maxWidth
	}
	for i < len(format) && strings.IndexByte("+-# 0", format[i]) >= 0 {
		i++
	}
	fit = number()
	if i < len(format) && format[i] == '.' {
		i++
		fit = number() && fit
	}
	return i, fit
}

// Problem is what is wrong with a format: a sentence, what to write instead, and the argument that
// it is about, or -1.
type Problem struct {
	Text, Hint string
	Argument   int
}

// Check compares a format with the types of its values, and returns nil if they fit. A kind of
// scalar.None fits all verbs: what it is is not known yet.
func Check(format string, arguments []Argument) *Problem {
	if !utf8.ValidString(format) {
		return &Problem{"the format is no UTF-8", `\u00e4 is a character by its number, and \x80 to \xff are parts of one`, -1}
	}
	next := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		start := i
		fit := false
		i, fit = options(format, i+1)
		if i == len(format) {
			return &Problem{fmt.Sprintf("the format ends in `%s`, which is no verb", format[start:]), verbsHint, -1}
		}
		if format[i] == '%' && i == start+1 {
			continue
		}
		letter := []rune(format[i:])[0]
		verb := format[start:i] + string(letter)
		var takes class
		if letter < 128 {
			takes = verbs[letter]
		}
		switch {
		case takes == 0:
			return &Problem{fmt.Sprintf("messages have no verb `%s`", verb), verbsHint, -1}
		case !fit:
			return &Problem{fmt.Sprintf("`%s` has a width or a precision of more than %d", verb, maxWidth), "write a smaller one", -1}
		case next == len(arguments):
			return &Problem{fmt.Sprintf("the format has a verb `%s` for which there is no value", verb), "each verb takes one value, in their order, and %% is a percent sign", -1}
		case arguments[next].Kind != scalar.None && classOf(arguments[next].Kind)&takes == 0:
			return &Problem{fmt.Sprintf("`%s` takes %s, and this is %s", verb, classNames[takes], arguments[next].Name()),
				"%v takes anything, %d integers, %f and %g floats, and %t bools", next}
		}
		next++
	}
	if next < len(arguments) {
		return &Problem{"the format has no verb for this value", "each value needs one, such as %v", next}
	}
	return nil
}

// Words returns how many 32-bit words a value takes in a record: one for each number, two for those
// of 64 bits.
func (a Argument) Words() int {
	words := 1
	if a.Kind.Bits() == 64 {
		words = 2
	}
	return words * max(a.Count, 1)
}

// Value returns what package fmt prints for a value that lies in the words of a record.
func (a Argument) Value(words []uint32) any {
	one := func(n int) any {
		switch w := words[n]; a.Kind {
		case scalar.Bool:
			return w != 0
		case scalar.F16, scalar.F32: // devices widen the former
			return math.Float32frombits(w)
		case scalar.I32:
			return int32(w)
		case scalar.I16:
			return int16(w)
		case scalar.I8:
			return int8(w)
		case scalar.U16:
			return uint16(w)
		case scalar.U8:
			return uint8(w)
		case scalar.I64, scalar.U64, scalar.F64:
			bits := uint64(words[2*n]) | uint64(words[2*n+1])<<32
			if a.Kind == scalar.F64 {
				return math.Float64frombits(bits)
			} else if a.Kind == scalar.I64 {
				return int64(bits)
			}
			return bits
		default:
			return w
		}
	}
	if a.Count == 0 {
		return one(0)
	}
	list := make([]any, a.Count)
	for n := range list {
		list[n] = one(n)
	}
	return list
}

// Text returns the text of a message, which is a line: a line break at the end of the format is
// left out.
func Text(format string, values []any) string {
	return fmt.Sprintf(strings.TrimSuffix(format, "\n"), values...)
}
