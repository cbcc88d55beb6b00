// Package scalartext parses and formats scalar values, and puts them into memory, where they are
// little-endian. Bits are a value as package scalar has it.
package scalartext

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/scalar"
)

// ParseNumber parses a number as WGSL or Go write it, or true or false as 1 or 0.
func ParseNumber(text string) (float64, error) {
	switch text {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	digits := withoutSuffix(text)
	if n, err := strconv.ParseInt(digits, 0, 64); err == nil {
		if x := float64(n); x < math.MaxInt64 && int64(x) == n {
			return x, nil
		}
		return 0, fmt.Errorf("`%s` has more digits than a setting keeps, which is a 64-bit float", text)
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, fmt.Errorf("`%s` is neither a number, such as 64 or 0.5, nor true or false", text)
	}
	return x, nil
}

// withoutSuffix returns a number without the letter for its type in WGSL.
func withoutSuffix(text string) string {
	if strings.HasPrefix(text, "0x") {
		return text
	}
	return strings.TrimRight(text, "iufh")
}

// Parse parses a value of a kind. Floats are rounded to nearest. A value out of range is an error.
func Parse(text string, k scalar.Kind) (bits uint64, err error) {
	x, err := ParseNumber(text)
	if k == scalar.Bool {
		if err != nil || x != 0 && x != 1 {
			return 0, fmt.Errorf("`%s` is neither true nor false, which bool takes", text)
		}
		return uint64(x), nil
	}
	digits := withoutSuffix(text)
	outside := fmt.Errorf("`%s` is out of range of %s, which is %s", text, k, k.Range())
	if k.IsFloat() {
		if err != nil {
			if x, err = strconv.ParseFloat(digits, 64); err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
				return 0, fmt.Errorf("`%s` is no number", text)
			}
		}
		if bits = scalar.FromFloat64(k, x); math.IsInf(scalar.ToFloat64(k, bits), 0) {
			return 0, outside
		}
		return bits, nil
	}
	if k == scalar.U64 {
		if bits, wide := strconv.ParseUint(digits, 0, 64); wide == nil {
			return bits, nil
		}
	}
	n, whole := strconv.ParseInt(digits, 0, 64)
	switch {
	case whole == nil:
	case err != nil:
		if _, big := strconv.ParseFloat(digits, 64); big == nil {
			return 0, outside
		}
		return 0, err
	case x != math.Trunc(x):
		return 0, fmt.Errorf("`%s` is no whole number, which %s takes: write %.0f or %.0f", text, k, math.Floor(x), math.Ceil(x))
	case math.Abs(x) > 1<<53:
		return 0, outside
	default:
		n = int64(x)
	}
	bits = scalar.FromInt64(k, n)
	if scalar.ToInt64(k, bits) != n || n < 0 && k == scalar.U64 {
		return 0, outside
	}
	return bits, nil
}

// AppendFloat appends x as a value of a kind. For integers x is truncated.
func AppendFloat(data []byte, k scalar.Kind, x float64) []byte {
	bits := uint64(int64(x))
	if k.IsFloat() {
		bits = scalar.FromFloat64(k, x)
	}
	return Append(data, k, bits)
}

// Append appends a value of a kind.
func Append(data []byte, k scalar.Kind, bits uint64) []byte {
	switch k.Bytes() {
	case 1:
		return append(data, byte(bits))
	case 2:
		return binary.LittleEndian.AppendUint16(data, uint16(bits))
	case 4:
		return binary.LittleEndian.AppendUint32(data, uint32(bits))
	}
	return binary.LittleEndian.AppendUint64(data, bits)
}

// Put overwrites the beginning of data with a value of a kind.
func Put(data []byte, k scalar.Kind, bits uint64) { Append(data[:0], k, bits) }

// Read returns element i of an array of values of a kind.
func Read(k scalar.Kind, data []byte, i int) uint64 {
	switch k.Bytes() {
	case 1:
		return uint64(data[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return binary.LittleEndian.Uint64(data[8*i:])
}

// Format formats a value; floats have six digits.
func Format(k scalar.Kind, bits uint64) string {
	switch {
	case k.IsFloat():
		return strconv.FormatFloat(scalar.ToFloat64(k, bits), 'g', 6, 64)
	case k == scalar.U64:
		return strconv.FormatUint(bits, 10)
	}
	return strconv.FormatInt(scalar.ToInt64(k, bits), 10)
}
