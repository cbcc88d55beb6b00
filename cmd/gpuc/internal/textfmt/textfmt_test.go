package textfmt

import (
	"testing"
)

// TestMetric formats numbers with SI prefixes.
func TestMetric(t *testing.T) {
	for x, want := range map[float64]string{0: "0 ", 999: "999 ", 1000: "1 k", 1234567: "1.23 M", 2.5e9: "2.5 G", 9.99e15: "9.99e+03 T"} {
		if got := Metric(x); got != want {
			t.Errorf("%v: got %q, want %q", x, got, want)
		}
	}
}
