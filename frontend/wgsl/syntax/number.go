package syntax

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file scans numeric literals (WGSL §3.5.2). Values are rounded once, from all digits as
// written to the literal's type. The specification allows stopping at the 20th significant decimal
// digit.

// literal is the value of a numeric literal, in package scalar's representation.
type literal struct {
	kind scalar.Kind
	bits uint64
}

// numberText is a number split into its parts.
type numberText struct {
	text                  string // without suffix
	significand, exponent string // without prefix, sign included
	suffix                byte   // 0, or one of i, u, f, h
	hexadecimal, float    bool
}

// suffixKind returns the kind of a literal with a suffix, or without one (0).
func suffixKind(suffix byte, float bool) scalar.Kind {
	switch suffix {
	case 'i':
		return scalar.I32
	case 'u':
		return scalar.U32
	case 'f':
		return scalar.F32
	case 'h':
		return scalar.F16
	}
	if float {
		return scalar.AbstractFloat
	}
	return scalar.AbstractInt
}

// number scans a number, which begins with a digit, or with a dot and a digit, and appends its
// token. A malformed number is reported and has the value zero.
func (l *lexer) number(start int) int {
	n, end, problem := splitNumber(l.text, start)
	if rest := l.trailing(end); rest > end {
		if problem == "" {
			problem = trailingProblem(l.text[start:end], l.text[end:rest])
		}
		end = rest
	}
	value := literal{kind: suffixKind(n.suffix, n.float)}
	if problem == "" {
		value.bits, problem = n.value(value.kind)
	}
	if problem != "" {
		l.report(diag.InvalidToken, start, end, problem)
	}
	kind := IntLiteral
	if value.kind.IsFloat() {
		kind = FloatLiteral
	}
	l.tokens = append(l.tokens, token{start: uint32(start), end: uint32(end), value: uint32(len(l.literals)), kind: kind})
	l.literals = append(l.literals, value)
	return end
}

// trailing returns the end of the letters and digits at i, where a number ends and none may follow.
func (l *lexer) trailing(i int) int {
	for i < len(l.text) && classes[l.text[i]]&letterClass != 0 {
		i++
	}
	return i
}

func trailingProblem(number, rest string) string {
	switch {
	case rest[0] == '_':
		return "numbers are written without digit separators in WGSL"
	case number == "0" && classes[rest[0]]&digitClass != 0:
		return "a decimal integer does not begin with 0; octal numbers do not exist in WGSL"
	case number == "0" && (rest[0] == 'b' || rest[0] == 'B' || rest[0] == 'o'):
		return "WGSL has decimal and hexadecimal numbers only"
	}
	return fmt.Sprintf("`%s` is no suffix of the number %s; the suffixes are i, u, f and h", shorten(rest), shorten(number))
}

// shorten cuts long program text for use in a message.
func shorten(text string) string {
	const most = 32
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}

// digits returns the end of the run of digits of a class at i.
func digits(text string, i int, class uint8) int {
	for i < len(text) && classes[text[i]]&class != 0 {
		i++
	}
	return i
}

// splitNumber finds the parts of the number at start and its end. A problem is
// what is wrong with its form, or "".
func splitNumber(text string, start int) (n numberText, end int, problem string) {
	i := start
	class, marker := uint8(digitClass), byte('e')
	if text[i] == '0' && i+1 < len(text) && text[i+1]|0x20 == 'x' {
		n.hexadecimal = true
		class, marker = hexClass, 'p'
		i += 2
	}
	first := i
	i = digits(text, i, class)
	whole := i - first
	fraction := 0
	if i < len(text) && text[i] == '.' {
		n.float = true
		after := digits(text, i+1, class)
		fraction = after - i - 1
		i = after
	}
	n.significand = text[first:i]
	if whole+fraction == 0 { // only after 0x
		return n, i, "a hexadecimal number needs digits after 0x"
	}
	hasExponent := false
	if i < len(text) && text[i]|0x20 == marker {
		n.float, hasExponent = true, true
		sign := i + 1
		if sign < len(text) && (text[sign] == '+' || text[sign] == '-') {
			sign++
		}
		after := digits(text, sign, digitClass)
		if after == sign {
			return n, after, "the exponent of the number needs digits"
		}
		n.exponent = text[i+1 : after]
		i = after
	}
	n.text = text[start:i]
	if i >= len(text) {
		return n, i, n.zeros(whole)
	}
	switch c := text[i]; {
	case !n.float && (c == 'i' || c == 'u'):
		n.suffix = c
		i++
	case (c == 'f' || c == 'h') && n.hexadecimal && !hasExponent:
		return n, i, "a hexadecimal number needs an exponent before the suffix " + string(c) + ": write p0" + string(c)
	case c == 'f' || c == 'h':
		if problem = n.zeros(whole); problem != "" {
			return n, i + 1, problem
		}
		n.suffix = c
		n.float = true
		i++
	}
	return n, i, n.zeros(whole)
}

// zeros finds fault with 01, 01u and 01f; floating-point literals with a point
// or an exponent may begin with zeros.
func (n *numberText) zeros(whole int) string {
	plain := !n.hexadecimal && (!n.float || len(n.significand) == whole && n.exponent == "")
	if plain && whole > 1 && n.significand[0] == '0' {
		return "a decimal integer does not begin with 0; octal numbers do not exist in WGSL"
	}
	return ""
}

// value converts the number to a kind.
func (n *numberText) value(kind scalar.Kind) (value uint64, problem string) {
	overflow, exact := false, true
	switch {
	case !n.float:
		return n.integer(kind)
	case n.hexadecimal:
		value, exact, overflow = n.hexadecimalFloat(kind)
	case kind == scalar.F16:
		value, overflow = n.decimalHalf()
	case kind == scalar.F32:
		x, err := strconv.ParseFloat(n.text, 32)
		value, overflow = scalar.FromFloat64(kind, x), err != nil && math.IsInf(x, 0)
	default:
		x, err := strconv.ParseFloat(n.text, 64)
		value, overflow = scalar.FromFloat64(kind, x), err != nil && math.IsInf(x, 0)
	}
	switch {
	case overflow:
		return 0, fmt.Sprintf("%s is too large for %s", shorten(n.text), kind)
	case !exact && kind != scalar.AbstractFloat:
		return 0, fmt.Sprintf("%s cannot be represented exactly as %s", shorten(n.text), kind)
	}
	return value, ""
}

// integer converts an integer literal.
func (n *numberText) integer(kind scalar.Kind) (value uint64, problem string) {
	limit := uint64(math.MaxInt64)
	switch kind {
	case scalar.I32:
		limit = math.MaxInt32
	case scalar.U32:
		limit = math.MaxUint32
	}
	base := uint64(10)
	if n.hexadecimal {
		base = 16
	}
	for i := range len(n.significand) {
		digit := hexValue(n.significand[i])
		if value > (limit-digit)/base {
			return 0, fmt.Sprintf("%s is too large for %s, whose largest value is %d", shorten(n.text), kind, limit)
		}
		value = value*base + digit
	}
	return value, ""
}

func hexValue(c byte) uint64 {
	if c <= '9' {
		return uint64(c - '0')
	}
	return uint64(c|0x20-'a') + 10
}

// exponentValue returns the exponent, or one beyond every range when it is long.
func (n *numberText) exponentValue() int64 {
	const beyond = 1 << 40
	text, sign := n.exponent, int64(1)
	if text != "" && (text[0] == '+' || text[0] == '-') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	value := int64(0)
	for i := range len(text) {
		value = min(value*10+int64(text[i]-'0'), beyond)
	}
	return sign * value
}

// format describes a binary interchange format: bits of precision, the exponent
// of the smallest normal number, and the largest finite number.
type format struct {
	precision, minimum int64
	largest            float64
}

func formatOf(kind scalar.Kind) format {
	switch kind {
	case scalar.F16:
		return format{11, -14, 65504}
	case scalar.F32:
		return format{24, -126, math.MaxFloat32}
	}
	return format{53, -1022, math.MaxFloat64}
}

// hexadecimalFloat converts a hexadecimal floating-point literal, to nearest even.
func (n *numberText) hexadecimalFloat(kind scalar.Kind) (value uint64, exact, overflow bool) {
	// The value is significand·2^exponent. If sticky is set, nonzero bits were dropped below it.
	significand, exponent, sticky := uint64(0), n.exponentValue(), false
	point := false
	for i := range len(n.significand) {
		c := n.significand[i]
		switch {
		case c == '.':
			point = true
			continue
		case significand>>56 == 0:
			significand = significand<<4 | hexValue(c)
			if point {
				exponent -= 4
			}
		default:
			sticky = sticky || c != '0'
			if !point {
				exponent += 4
			}
		}
	}
	if significand == 0 {
		return 0, true, false
	}
	f := formatOf(kind)
	length := int64(bits.Len64(significand))
	keep := f.precision // the format's bits of precision at this magnitude
	if leading := exponent + length - 1; leading < f.minimum {
		keep -= f.minimum - leading
	}
	drop := length - keep
	switch {
	case drop > length:
		return 0, false, false // less than half the smallest number
	case drop > 0:
		rest, half := significand&(1<<drop-1), uint64(1)<<(drop-1)
		significand >>= drop
		exponent += drop
		exact = rest == 0 && !sticky
		if rest > half || rest == half && (sticky || significand&1 == 1) {
			significand++
		}
	default:
		exact = !sticky
	}
	x := math.Ldexp(float64(significand), int(max(min(exponent, 1<<20), -1<<20)))
	if x > f.largest {
		return 0, false, true
	}
	return scalar.FromFloat64(kind, x), exact, false
}

// decimalHalf converts a decimal literal to f16. Rounding to f64 first and then to f16 is wrong if
// the first rounding yields the midpoint between two f16 numbers. Then the digits decide on which
// side of it the number is.
func (n *numberText) decimalHalf() (value uint64, overflow bool) {
	x, _ := strconv.ParseFloat(n.text, 64)
	below, above := math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1))
	if scalar.HalfFromFloat64(below) != scalar.HalfFromFloat64(above) {
		switch n.compare(x) {
		case -1:
			x = below
		case 1:
			x = above
		}
	}
	value = uint64(scalar.HalfFromFloat64(x))
	return value, value == 0x7C00
}

// compare compares a decimal literal with a positive x that has at most 40
// significant decimal digits, exactly.
func (n *numberText) compare(x float64) int {
	var buffer [64]byte
	exact := strconv.AppendFloat(buffer[:0], x, 'e', 40, 64) // d.ddde±dd
	end := 42
	power, _ := strconv.Atoi(string(exact[end+1:]))
	at := 0 // in exact; its point is skipped
	next := func() byte {
		if at == 1 {
			at++
		}
		if at >= end {
			return '0'
		}
		at++
		return exact[at-1]
	}

	whole := len(n.significand)
	for i := range len(n.significand) {
		if n.significand[i] == '.' {
			whole = i
		}
	}
	position, started := int64(whole), false
	for i := range len(n.significand) {
		c := n.significand[i]
		if c == '.' {
			continue
		}
		position--
		if !started {
			if c == '0' {
				continue
			}
			started = true
			if mine := position + n.exponentValue(); mine != int64(power) {
				if mine < int64(power) {
					return -1
				}
				return 1
			}
		}
		if d := next(); c != d {
			if c < d {
				return -1
			}
			return 1
		}
	}
	for at < end {
		if next() != '0' {
			return -1
		}
	}
	return 0
}
