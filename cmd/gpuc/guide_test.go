package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

const guidePath = "../../docs/go-kernels.md"

// block matches a fenced part of a page: its language and its text. fileName matches the name of a
// file.
var (
	block    = regexp.MustCompile("(?ms)^```(\\w+)\\n(.*?)^```\\n")
	fileName = regexp.MustCompile("`([a-z_]+\\.go)`")
)

// words are the packages that examples without an import clause use, by name.
var words = map[string]string{"gpu": "github.com/gpuc/gpuc/runtime/gpu", "math": "math", "atomic": "sync/atomic"}

// TestGuide compiles and runs the examples of docs/go-kernels.md. A file gets the last file name in
// the text before it. Declarations become a package. Commands must have the output on the page; a
// file that a command refuses is removed. At the end the tests must pass.
func TestGuide(t *testing.T) {
	page, err := filepath.Abs(guidePath)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, page)
	repository := filepath.Dir(filepath.Dir(page))
	t.Chdir(t.TempDir())
	write(t, "go.mod", "module example.com/scale\n\ngo 1.26.0\n")
	write(t, "go.work", "go 1.26.0\n\nuse (\n\t.\n\t"+repository+"\n)\n")
	run := func(line string) (output string, code int) {
		var out bytes.Buffer
		code = gpuc.Execute(&cli.Env{Stdout: &out, Stderr: &out}, splitWords(t, strings.TrimPrefix(line, "gpuc ")))
		return normalise(out.String()), code
	}
	last, examples := "", 0
	shown, at := "", 0
	for _, m := range block.FindAllStringSubmatchIndex(text, -1) {
		before, language, body := text[at:m[0]], text[m[2]:m[3]], text[m[4]:m[5]]
		shown += text[at:m[4]]
		at = m[5]
		switch language {
		case "go":
			examples++
			if strings.HasPrefix(body, "package ") || strings.Contains(body, "\npackage ") {
				names := fileName.FindAllStringSubmatch(before, -1)
				if len(names) == 0 {
					t.Fatalf("the page does not say which file this is:\n%s", body)
				}
				last = names[len(names)-1][1]
				write(t, last, body)
				break
			}
			header := "package example\n\n"
			for word, path := range words {
				if strings.Contains(body, word+".") {
					header += "import \"" + path + "\"\n"
				}
			}
			if err := os.MkdirAll("example", 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, "example/example.go", header+"\n"+body)
			if output, code := run("check ./example"); code != 0 {
				t.Errorf("an example does not compile:\n%s", output)
			}
		case "console":
			examples++
			line, _, _ := strings.Cut(strings.TrimPrefix(body, "$ "), "\n")
			output, code := run(line)
			if code != 0 && last != "" {
				os.Remove(last)
			}
			body = "$ " + line + "\n" + output
		}
		shown += body
	}
	shown += text[at:]
	if *update {
		write(t, page, shown)
	} else if diff := cmp.Diff(text, shown); diff != "" {
		t.Errorf("docs/go-kernels.md is stale (-page +commands); go test ./cmd/gpuc -run TestGuide -update writes it anew:\n%s", diff)
	}
	if examples < 10 {
		t.Errorf("the page has %d examples", examples)
	}
	if output, err := exec.Command("go", "test", ".").CombinedOutput(); err != nil {
		t.Errorf("go test: %v\n%s", err, output)
	}
}
