package gokernel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestCgo tests that kernels in files that import "C", and calls of functions in such files, are
// reported at their positions in the original source, not in cgo's output.
func TestCgo(t *testing.T) {
	if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Skip("skipped: cgo is off; CGO_ENABLED=1 turns it on")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("skipped: gcc is not installed (Debian: gcc and libc6-dev)")
	}
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module try\n\ngo 1.26.0\n",
		"go.work": "go 1.26.0\n\nuse (\n\t.\n\t" + repository + "\n)\n",
		"a.go": "package try\n\n// int two(void) { return 2; }\nimport \"C\"\n\nimport \"github.com/gpuc/gpuc/runtime/gpu\"\n\n" +
			"func two() int32 { return int32(C.two()) }\n\n//gpuc:kernel workgroup=64\nfunc InC(it gpu.Item, x []int32) { x[0] = int32(C.two()) }\n",
		"b.go": "package try\n\nimport \"github.com/gpuc/gpuc/runtime/gpu\"\n\n" +
			"//gpuc:kernel workgroup=64\nfunc Calls(it gpu.Item, x []int32) { x[0] = two() }\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var set source.Set
	var list diag.List
	if _, err := gokernel.Load(&set, gokernel.Options{Folder: folder}, &list, "."); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range list.Items() {
		p := set.Position(d.Span.Start)
		got = append(got, p.String()+": "+d.Message)
	}
	slices.Sort(got)
	want := "a.go:11:6: InC is in a file that imports \"C\", and kernels call no C\nb.go:6:45: two is in a file that imports \"C\", and kernels call no C"
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
