package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// oneLine returns text with each run of white space as one blank. Text of more than so many
// characters is cut and ends in an ellipsis.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// dimensions writes a size as 640×480×3. Trailing ones are left out.
func dimensions(x, y, z uint32) string {
	s := strconv.FormatUint(uint64(x), 10)
	if y > 1 || z > 1 {
		s += "×" + strconv.FormatUint(uint64(y), 10)
	}
	if z > 1 {
		s += "×" + strconv.FormatUint(uint64(z), 10)
	}
	return s
}

// duration writes a time in µs, ms or s.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3f ms", float64(d.Nanoseconds())/1e6)
	}
	return fmt.Sprintf("%.3f s", d.Seconds())
}

// metric writes a number with a prefix of the SI.
func metric(x float64) string {
	for _, prefix := range []string{"", "k", "M", "G", "T"} {
		if x < 1000 || prefix == "T" {
			return fmt.Sprintf("%.3g %s", x, prefix)
		}
		x /= 1000
	}
	return ""
}
