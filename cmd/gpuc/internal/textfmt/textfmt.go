// Package textfmt formats quantities for people: sizes, times, counts with SI prefixes.
package textfmt

import (
	"fmt"
	"strings"
	"time"

	"github.com/gpuc/gpuc/ir/diag"
)

// Bytes returns a number of bytes with the unit.
func Bytes(n uint32) string { return diag.Plural(int(n), "byte") }

// OneLine returns text with each run of white space as one blank. Text of more than most characters
// is cut, and ends in an ellipsis.
func OneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Size returns a size as 640×480×3. Dimensions at the end that are 1 are left out.
func Size(x, y, z uint32) string {
	switch {
	case z > 1:
		return fmt.Sprintf("%d×%d×%d", x, y, z)
	case y > 1:
		return fmt.Sprintf("%d×%d", x, y)
	}
	return fmt.Sprint(x)
}

// Duration returns a time in µs, ms or s.
func Duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3f ms", float64(d.Nanoseconds())/1e6)
	}
	return fmt.Sprintf("%.3f s", d.Seconds())
}

// Metric returns a number with three digits and an SI prefix, which ends in a blank: "1.5 G".
func Metric(x float64) string {
	for _, prefix := range []string{"", "k", "M", "G", "T"} {
		if x < 1000 || prefix == "T" {
			return fmt.Sprintf("%.3g %s", x, prefix)
		}
		x /= 1000
	}
	return ""
}
