package textfmt

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gpuc/gpuc/ir/diag"
)

// Bytes is a number of bytes with the unit.
func Bytes(n uint32) string { return diag.Plural(int(n), "byte") }

// OneLine returns text with each run of white space as one blank. Text of more than so many
// characters is cut and ends in an ellipsis.
func OneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Size writes a size as 640×480×3. Trailing ones are left out.
func Size(x, y, z uint32) string {
	s := strconv.FormatUint(uint64(x), 10)
	if y > 1 || z > 1 {
		s += "×" + strconv.FormatUint(uint64(y), 10)
	}
	if z > 1 {
		s += "×" + strconv.FormatUint(uint64(z), 10)
	}
	return s
}

// Duration writes a time in µs, ms or s.
func Duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3f ms", float64(d.Nanoseconds())/1e6)
	}
	return fmt.Sprintf("%.3f s", d.Seconds())
}

// Metric writes a number with a prefix of the SI.
func Metric(x float64) string {
	for _, prefix := range []string{"", "k", "M", "G", "T"} {
		if x < 1000 || prefix == "T" {
			return fmt.Sprintf("%.3g %s", x, prefix)
		}
		x /= 1000
	}
	return ""
}
