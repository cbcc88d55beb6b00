package suppress

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/ir/source"
)

// TestRead reads the codes of comments. Words that only begin like the mark are text.
func TestRead(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"x // gpuc:allow unused-variable", []string{"unused-variable"}},
		{"x // gpuc:allow a, b-c because it must be", []string{"a", "b-c"}},
		{"x // gpuc:allow", []string{""}},
		{"x // gpuc:allow\ny // gpuc:allow a", []string{"", "a"}},
		{"x // gpuc:allowed everywhere", nil},
		{"x // see gpuc:allow a", nil},
	} {
		var set source.Set
		file, err := set.Add("x.wgsl", test.text)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range Read(file, nil).list {
			names = append(names, a.name)
		}
		if !slices.Equal(names, test.want) {
			t.Errorf("%q: %q, want %q", test.text, names, test.want)
		}
	}
}
