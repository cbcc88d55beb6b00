package campaign

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/difftest"
)

// TestLacking: what a target has no type for is left out and counted, if the program is not in
// WGSL. Anything else is a failure.
func TestLacking(t *testing.T) {
	const text = `var @o : ptr<storage, array<TYPE>, read_write> [group 0, binding 0]
kernel @main() [workgroup 1u, 1u, 1u] {
  %p = access @o, 0u : ptr<storage, TYPE, read_write>
  %x = load %p : TYPE
  store %p, %x
  return
}
`
	way, err := Open("wgsl")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		code string
		want string // "" is a failure
	}{
		{strings.ReplaceAll(text, "TYPE", "f64"), "target wgsl has no values of type f64"},
		{strings.ReplaceAll(text, "TYPE", "f65"), ""},
	} {
		c := difftest.Case{Language: "ir", Code: test.code, Entry: "main", Dispatch: [3]int{1, 1, 1},
			Bindings: []difftest.Binding{{Kind: "storage", Data: make([]byte, 8), Want: make([]byte, 8)}}}
		err := way.Run(&c, Configuration{})
		if err == nil {
			t.Fatalf("it runs: %s", test.code)
		}
		if got := lacking(&c, err); got != test.want {
			t.Errorf("%v: %q is lacking, want %q", err, got, test.want)
		}
		if c.Language = ""; lacking(&c, err) != "" {
			t.Errorf("a program in WGSL is left out: %v", err)
		}
	}
}
