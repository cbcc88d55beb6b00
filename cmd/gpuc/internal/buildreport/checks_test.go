package buildreport

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/source"
)

// TestTextAt: the text for a position in Go is the expression around the operator.
func TestTextAt(t *testing.T) {
	const text = "x0 := from[at.Y*width+at.X] + f(a, g[1]) > 2 * (b\n)"
	set := new(source.Set)
	f, err := set.Add("k.go", text)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]string{"[at": "from[at.Y*width+at.X]", "[1": "g[1]", "(a": "f(a, g[1])", "> ": "", "(b": "", "x0": "x0"} {
		n := strings.Index(text, at)
		if got := textAt(set, f.Span(n, n+1)); got != want {
			t.Errorf("at %q it is %q, want %q", at, got, want)
		}
	}
	if got := textAt(set, f.Span(6, 27)); got != "from[at.Y*width+at.X]" {
		t.Errorf("of the whole it is %q", got)
	}
	if got := textAt(set, source.Span{}); got != "" {
		t.Errorf("of no location it is %q", got)
	}
}
