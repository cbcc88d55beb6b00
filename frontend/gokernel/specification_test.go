package gokernel_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

var updateSpecification = flag.Bool("update-specification", false, "write docs/go-spec.md anew")

// specificationFile is the document that TestSpecification writes and checks.
var specificationFile = filepath.Join("..", "..", "docs", "go-spec.md")

const specificationHead = `# Kernels and the specification of Go

Each construct of [the Go specification](https://go.dev/ref/spec), chapter by chapter, as kernels may use it. It is compiled, or refused with
this message and way out. ` + "`go test ./frontend/gokernel -run TestSpecification -update-specification`" + ` writes this page: it compiles each example.
In the examples ` + "`it`" + ` is the item, ` + "`i`" + ` its index, ` + "`n`" + ` an int, ` + "`u`" + ` a uint32, ` + "`f`" + ` a float32, ` + "`w`" + ` workgroup memory, ` + "`x`" + ` and ` + "`y`" + ` buffers of
float32 and int32. Declarations outside of the kernel stand in front of ` + "`…`" + `.

What is compiled means what Go says but for the [differences](go-kernels.md#what-differs-from-go). What no kernel calls may be any Go.
`

// specificationPrelude is in front of each example, and around it.
const specificationPrelude = `
//gpuc:kernel workgroup=64
func K%d(it gpu.Item, n int, u uint32, f float32, w *[64]float32, x []float32, y []int32) {
	i := it.Index()
	_ = i
	`

// TestSpecification compiles the example of each row, and holds docs/go-spec.md against what comes
// of them.
func TestSpecification(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			err = os.WriteFile(name, []byte(text), 0o644)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write("go.mod", "module example.com/specification\n\ngo 1.26.0\n")
	write("go.work", "go 1.26.0\n\nuse (\n\t.\n\t"+root+"\n)\n")
	imports := map[string]string{"math": "math", "bits": "math/bits", "atomic": "sync/atomic", "unsafe": "unsafe", "fmt": "fmt", "strings": "strings",
		"slices": "slices", "time": "time", "cmp": "cmp"}
	at := 0
	for _, c := range specification {
		for _, r := range c.rows {
			declared, body, split := strings.Cut(r.example, " … ")
			if !split {
				declared, body = "", r.example
			}
			text := "package p\n\nimport \"github.com/gpuc/gpuc/runtime/gpu\"\n"
			for _, name := range []string{"math", "bits", "atomic", "unsafe", "fmt", "strings", "slices", "time", "cmp"} {
				if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(r.example) {
					text += "import \"" + imports[name] + "\"\n"
				}
			}
			group := "compiled"
			if r.refused != "" {
				group = "refused"
			}
			folderOf := func(n int) string { return fmt.Sprintf("%s/r%03d", group, n) }
			write(folderOf(at)+"/k.go", text+"\n"+declared+"\n"+fmt.Sprintf(specificationPrelude, at)+body+"\n}\n")
			if r.construct == "functions without bodies" {
				write(folderOf(at)+"/k.s", "") // or the compiler wants one
			}
			at++
		}
	}
	outcomes := make([][]string, at)
	for _, group := range []string{"compiled", "refused"} {
		var set source.Set
		var list diag.List
		m, err := gokernel.Load(&set, gokernel.Options{Folder: folder}, &list, "./"+group+"/...")
		if err != nil {
			t.Fatal(err)
		}
		if m != nil {
			ir.Verify(m, &list)
		}
		for _, d := range list.Items() {
			var n int
			if _, err := fmt.Sscanf(set.Position(d.Span.Start).String(), group+"/r%d/", &n); err != nil {
				t.Fatalf("%v: %s", set.Position(d.Span.Start), d.Message)
			}
			if d.Severity != diag.Error {
				continue
			}
			text := d.Message
			if d.Code != diag.GoSubset && d.Code != diag.GoKernel && d.Code != diag.GoDivergentBarrier {
				t.Errorf("row %d is no Go, or worse: %s", n, text)
			}
			if len(d.Notes) > 0 && d.Notes[0].Message != "" {
				text += ": *" + d.Notes[0].Message + "*"
			}
			outcomes[n] = append(outcomes[n], text)
		}
	}
	var b strings.Builder
	b.WriteString(specificationHead)
	at = 0
	for _, c := range specification {
		fmt.Fprintf(&b, "\n## %s\n\n| construct | example | |\n| --- | --- | --- |\n", c.name)
		for _, r := range c.rows {
			outcome := outcomes[at]
			at++
			refused := len(outcome) > 0
			if refused != (r.refused != "") {
				t.Errorf("%s, %s: `%s`: refused is %v: %q", c.name, r.construct, r.example, refused, outcome)
			}
			if refused && !strings.HasPrefix(outcome[0], r.refused) {
				t.Errorf("%s, %s: `%s`: said is %q, want %q", c.name, r.construct, r.example, outcome[0], r.refused)
			}
			shown := "compiled"
			if refused {
				shown = "refused: " + strings.Join(slices.Compact(outcome), "; ")
			}
			escape := strings.NewReplacer("|", `\|`, "\n", " ↵ ")
			fmt.Fprintf(&b, "| %s | `%s` | %s |\n", r.construct, escape.Replace(r.example), escape.Replace(shown))
		}
	}
	if *updateSpecification {
		if err := os.WriteFile(specificationFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(specificationFile); err != nil || string(have) != b.String() {
		t.Errorf("%s is not what comes of the rows (%v); -update-specification writes it anew", specificationFile, err)
	}
}
