package ir_test

import (
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// FuzzText feeds any text to the parser. What parses must print to a text that
// parses to the same text again, and must be verified without a panic.
func FuzzText(f *testing.F) {
	f.Add(sample)
	for _, b := range broken {
		f.Add(brokenHead + b.body + "\n}\n")
	}
	f.Add("source \"a\" \"b\"\nfn @f() !1-2 {\n return !1-2\n}\n")
	f.Add("fn @f() {\n %a = shuffle : ptr<storage, f32>\n return\n}\n")
	f.Add("var @a : ptr<storage, array<vec3<f16>, stride 7>> [group 1, binding 2]")
	f.Fuzz(func(t *testing.T, text string) {
		m, _, _ := ir.ParseString(text)
		if m == nil {
			return
		}
		first := m.Text()
		again, _, items := ir.ParseString(first)
		if again == nil {
			t.Fatalf("the printed text does not parse: %s\n%s", items[0].Message, first)
		}
		if second := again.Text(); second != first {
			t.Fatalf("printing is no fixpoint:\n%s\n%s", first, second)
		}
		var list diag.List
		if ir.Verify(m, &list); list.Errors() == 0 {
			ir.CheckProperties(m, ^ir.Property(0), &list)
		}
	})
}
