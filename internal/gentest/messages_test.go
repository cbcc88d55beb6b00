package gentest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// TestGenMessages runs kernels that print in the package's own test: on all devices and as plain
// Go, which print the same lines. Vet knows their formats.
func TestGenMessages(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	for _, bounds := range []string{"robust", "trap"} {
		folder := module(t, "messages")
		gen(t, folder, "-target", "spirv,ptx,cpu,checked", "-debug", "-bounds", bounds, ".")
		gen(t, folder, "-check", ".")
		if text, err := goCommand(t, folder, nil, "test", "."); err != nil {
			t.Errorf("%s: go test: %v\n%s", bounds, err, text)
		}
	}
	folder := module(t, "messages")
	gen(t, folder, "-target", "cpu", ".")
	for _, m := range open(t, folder).Members {
		if strings.HasSuffix(m.Name, ".json") && (strings.Contains(m.Data, `"messages":`) || strings.Contains(m.Data, `"debug":`)) {
			t.Errorf("without -debug %s is %s", m.Name, m.Data)
		}
	}
	put(t, filepath.Join(folder, "wrong.go"), "package messages\n\nimport \"github.com/gpuc/gpuc/runtime/gpu\"\n\nfunc wrong(it gpu.Item) { it.Printf(\"%d\", 1.5); it.Assert(false, \"%t\", 1) }\n")
	if text, err := goCommand(t, folder, nil, "vet", "."); err == nil || strings.Count(text, "wrong type") != 2 {
		t.Errorf("go vet says %v\n%s", err, text)
	}
}
