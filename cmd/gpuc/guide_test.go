package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/internal/testmode"
)

// guides are the pages of docs with examples: those of a row share a folder.
var guides = [][]string{{"guide/go-kernels.md", "guide/go-kernels-advanced.md"}, {"guide/wgsl.md"}, {"guide/running-and-debugging.md"},
	{"guide/artefacts-and-loading.md"}, {"guide/memory.md"}, {"guide/transfers.md"}, {"guide/replay.md"}, {"guide/profiling.md"}, {"guide/several-devices.md"}, {"guide/expressions.md"}, {"guide/linear-algebra.md"}, {"guide/sequences.md"}, {"guide/images.md"}, {"guide/signals.md"}, {"guide/browser.md"}, {"guide/kernel-cache.md"}, {"guide/tuning.md"}, {"guide/editors.md"}, {"internals/architecture.md"}}

// longGuides are pages that run in long mode: this one builds three programs.
var longGuides = map[string]bool{"guide/tuning.md": true}

// block is a fenced part of a page: its language, and its text. fileName is the name of the file
// that it is, the last one in the text before it.
var (
	block    = regexp.MustCompile("(?ms)^```(\\w+)\\n(.*?)^```\\n")
	fileName = regexp.MustCompile("`([a-z_]+\\.(?:go|wgsl))`")
)

// words are the packages that examples without a package clause use.
var words = map[string]string{"gpu": "github.com/gpuc/gpuc/runtime/gpu", "math": "math", "atomic": "sync/atomic", "context": "context", "collective": "github.com/gpuc/gpuc/runtime/collective", "abi": "github.com/gpuc/gpuc/runtime/abi", "fs": "io/fs",
	"debug": "github.com/gpuc/gpuc/runtime/gpu/debug", "http": "net/http", "driver": "github.com/gpuc/gpuc/runtime/driver"}

// TestGuide compiles and runs the examples of pages. A file is written to the folder of its page,
// declarations in Go are compiled as a package, and the tests of the folder pass. A console shows a
// command with all of its output, an excerpt with some of its lines in their order. A Go file that
// a command after it refuses is removed.
func TestGuide(t *testing.T) {
	testmode.Quick(t, "it runs many commands")
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, pages := range guides {
		t.Run(strings.TrimSuffix(filepath.Base(pages[0]), ".md"), func(t *testing.T) {
			if longGuides[pages[0]] {
				testmode.Long(t)
			}
			t.Chdir(t.TempDir())
			g := &guide{T: t}
			write(g.T, "go.mod", "module example.com/scale\n\ngo 1.26.0\n")
			write(g.T, "go.work", "go 1.26.0\n\nuse (\n\t.\n\t"+root+"\n)\n")
			for _, page := range pages {
				g.page(filepath.Join(root, "docs", filepath.FromSlash(page)))
			}
			if g.examples == 0 {
				t.Error("there are no examples")
			}
			if files, _ := filepath.Glob("*_test.go"); files == nil {
				return
			}
			if output, err := exec.Command("go", "test", ".").CombinedOutput(); err != nil {
				t.Errorf("go test: %v\n%s", err, output)
			}
		})
	}
}

// guide runs the examples of pages in one folder.
type guide struct {
	*testing.T
	examples int
}

// page runs the examples of one page, and compares or updates it.
func (g *guide) page(path string) {
	text := read(g.T, path)
	last, shown, at := "", "", 0
	for _, m := range block.FindAllStringSubmatchIndex(text, -1) {
		before, language, body := text[at:m[0]], text[m[2]:m[3]], text[m[4]:m[5]]
		shown += text[at:m[4]]
		at = m[5]
		names := fileName.FindAllStringSubmatch(before, -1)
		switch {
		case language == "wgsl" || language == "go" && strings.Contains("\n"+body, "\npackage "):
			g.examples++
			if len(names) == 0 {
				g.Fatalf("the page does not say which file this is:\n%s", body)
			}
			last = names[len(names)-1][1]
			write(g.T, last, body)
		case language == "go":
			g.examples++
			g.compile(body)
		case language == "console":
			g.examples++
			line, _, _ := strings.Cut(strings.TrimPrefix(body, "$ "), "\n")
			output, code := g.command(line)
			if code != 0 && filepath.Ext(last) == ".go" {
				os.Remove(last)
			}
			body = "$ " + line + "\n" + output
		case language == "excerpt":
			g.examples++
			g.excerpt(path, body)
		}
		shown += body
	}
	shown += text[at:]
	if *update {
		write(g.T, path, shown)
	} else if diff := cmp.Diff(text, shown); diff != "" {
		g.Errorf("%s is stale (-page +commands); go test ./cmd/gpuc -run TestGuide -update writes it:\n%s", filepath.Base(path), diff)
	}
}

// excerpt looks for the lines of an excerpt in the output of its command. A line that consists of
// an ellipsis is for the reader.
func (g *guide) excerpt(path, body string) {
	line, want, _ := strings.Cut(strings.TrimPrefix(body, "$ "), "\n")
	output, _ := g.command(line)
	lines := strings.Split(output, "\n")
	for shown := range strings.SplitSeq(strings.TrimSuffix(want, "\n"), "\n") {
		if shown == "…" {
			continue
		}
		n := slices.Index(lines, shown)
		if n < 0 {
			g.Errorf("%s is stale: %s does not print, or not in this order:\n%s\nIt prints:\n%s", filepath.Base(path), line, shown, output)
			return
		}
		lines = lines[n+1:]
	}
}

// compile checks declarations as a package.
func (g *guide) compile(body string) {
	header := "package example\n\n"
	for word, path := range words {
		if strings.Contains(body, word+".") {
			header += "import \"" + path + "\"\n"
		}
	}
	if err := os.MkdirAll("example", 0o755); err != nil {
		g.Fatal(err)
	}
	write(g.T, "example/example.go", header+"\n"+body)
	if !strings.Contains(body, "//gpuc:kernel") {
		if output, err := exec.Command("go", "vet", "./example").CombinedOutput(); err != nil {
			g.Errorf("an example does not compile: %v\n%s", err, output)
		}
	} else if output, code := g.command("gpuc check ./example"); code != 0 {
		g.Errorf("an example does not compile:\n%s", output)
	}
}

// command runs a command line of gpuc, or a program.
func (g *guide) command(line string) (output string, code int) {
	var out bytes.Buffer
	if line == "go run ." {
		command := exec.Command("go", "run", ".")
		command.Stdout, command.Stderr = &out, &out
		if err := command.Run(); err != nil {
			g.Errorf("%s: %v\n%s", line, err, out.String())
		}
		return out.String(), command.ProcessState.ExitCode()
	}
	code = gpuc.Execute(&cli.Env{Stdout: &out, Stderr: &out}, splitWords(g.T, strings.TrimPrefix(line, "gpuc ")))
	return normalise(out.String()), code
}
