package main

import (
	"bytes"
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/internal/testmode"
)

// update is set to rewrite expected output and generated pages.
var update = flag.Bool("update", false, "rewrite the expected output of the scripts")

// TestScripts runs the scripts in testdata/script. A script is a txtar archive. Its comment has
// lines `$ gpuc …`, which run until one fails. Its files are written before. The files stdout,
// stderr and code are the expected output and exit status. A file want/NAME is the expected
// contents of NAME, and absent/NAME says that NAME must not exist. NAME.base64 is a binary file
// NAME. In go.work, $REPOSITORY is this module.
func TestScripts(t *testing.T) { scripts(t, "testdata/script") }

// scripts runs the scripts of a folder.
func scripts(t *testing.T, folder string) {
	names, err := filepath.Glob(folder + "/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts")
	}
	for _, name := range names {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { script(t, path) })
	}
}

// script runs a script.
func script(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(archive.Comment)) {
		if line, ok := strings.CutPrefix(line, "$ gpuc "); ok {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	if len(lines) == 0 {
		t.Fatal("the comment has no line `$ gpuc …`")
	}
	if slices.ContainsFunc(archive.Files, isSlow) {
		testmode.Share(t, filepath.Base(path), 3)
	}
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var stdin []byte
	for _, f := range archive.Files {
		switch {
		case f.Name == "stdin":
			stdin = f.Data
		case !isExpectation(f.Name):
			if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
				t.Fatal(err)
			}
			name, data := f.Name, f.Data
			if plain, ok := strings.CutSuffix(name, ".base64"); ok {
				if data, err = base64.StdEncoding.DecodeString(string(data)); err != nil {
					t.Fatal(err)
				}
				name = plain
			}
			if name == "go.work" {
				data = bytes.ReplaceAll(data, []byte("$REPOSITORY"), []byte(repository))
			}
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var stdout, stderr bytes.Buffer
	e := &cli.Env{Stdin: bytes.NewReader(stdin), Stdout: &stdout, Stderr: &stderr}
	code := 0
	for _, line := range lines {
		if code = gpuc.Execute(e, splitWords(t, line)); code != 0 {
			break
		}
	}
	got := map[string]string{
		"stdout": normalise(stdout.String()),
		"stderr": normalise(stderr.String()),
		"code":   strconv.Itoa(code) + "\n",
	}
	if *update {
		rewrite(t, path, archive, got)
		return
	}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "absent/"); ok {
			if _, err := os.Lstat(name); err == nil {
				t.Errorf("%s is there", name)
			}
		} else if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Errorf("%s was not written: %v", name, err)
			} else if diff := cmp.Diff(string(f.Data), normaliseFile(data)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		} else if isExpectation(f.Name) {
			if diff := cmp.Diff(string(f.Data), got[f.Name]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", f.Name, diff)
			}
			delete(got, f.Name)
		}
	}
	for name, text := range got {
		if text != "" && text != "0\n" {
			t.Errorf("the script does not expect this %s:\n%s", name, text)
		}
	}
}

// TestWithoutGo: without the go command, kernels in Go are refused with one message.
func TestWithoutGo(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("PATH", t.TempDir())
	write(t, "k.go", "package try\n")
	const want = "gpuc check: kernels in Go need the go command, which finds their packages, and there is none on the PATH (https://go.dev/dl)\n"
	if _, said, code := execute("check", "k.go"); code != cli.ExitDiagnostics || said != want {
		t.Errorf("ends with %d and says %q", code, said)
	}
}

// isSlow reports whether a file of a script makes it slow: packages in Go, which the go command
// loads, and loops that run until their fuel is exhausted.
func isSlow(f txtar.File) bool {
	return filepath.Ext(f.Name) == ".go" || f.Name == "stderr" && bytes.Contains(f.Data, []byte("[fuel-exhausted]"))
}

// isExpectation reports whether a file of a script is an expectation.
func isExpectation(name string) bool {
	return name == "stdout" || name == "stderr" || name == "code" || isState(name)
}

// isState reports whether an expectation is about a file.
func isState(name string) bool {
	return strings.HasPrefix(name, "want/") || strings.HasPrefix(name, "absent/")
}

// These match what differs between machines, runs and versions of the compiler.
var (
	volatile = regexp.MustCompile(`(?m)^(time +|device +\S+ +).*$|^gpuc \S+.* go1.*$`)
	codeSize = regexp.MustCompile(`(?m)^(\S+  )\d+( bytes, entry point \S+)$`)
	rates    = regexp.MustCompile(`(?m)^(rate     )\S+ \S*B/s, \S+ \S*FLOP/s`)
	fastest  = regexp.MustCompile(`("fastest":)[^,]*(,"median":)[^,]*(,"p95":)[^,]*(,"slowest":)[^,]*`)
	inJSON   = regexp.MustCompile(`("deviceName":"|"gpuc":"|"seconds":\[)[^]"]*`)
	sizeJSON = regexp.MustCompile(`("bytes":)\d+(,"holds")`)
)

// normalise replaces what differs in the output of a script.
func normalise(s string) string {
	s = fastest.ReplaceAllString(rates.ReplaceAllString(s, "$1…"), "${1}0${2}0${3}0${4}0")
	s = codeSize.ReplaceAllString(volatile.ReplaceAllString(s, "$1…"), "$1…$2")
	return inJSON.ReplaceAllString(sizeJSON.ReplaceAllString(s, "${1}0$2"), "$1…")
}

// These match the sizes and digests of code in descriptions, manifests and headers.
var (
	digests   = regexp.MustCompile(`"bytes": \d+,(\s+)"sha256": "[0-9a-f]{64}"`)
	fileBytes = regexp.MustCompile(`(_FILE_BYTES) \d+`)
)

// normaliseFile is normalise for files.
func normaliseFile(data []byte) string {
	return fileBytes.ReplaceAllString(digests.ReplaceAllString(string(data), `"bytes": 0,$1"sha256": "…"`), "$1 0")
}

// splitWords splits a command line at spaces; single quotes keep words together.
func splitWords(t *testing.T, line string) []string {
	var words []string
	for n, part := range strings.Split(line, "'") {
		if n%2 == 0 {
			words = append(words, strings.Fields(part)...)
		} else {
			words = append(words, part)
		}
	}
	return words
}

// rewrite updates the expectations of a script.
func rewrite(t *testing.T, path string, archive *txtar.Archive, got map[string]string) {
	files := archive.Files[:0:0]
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f.Data = []byte(normaliseFile(data))
		}
		if !isExpectation(f.Name) || isState(f.Name) {
			files = append(files, f)
		}
	}
	for _, name := range []string{"stdout", "stderr", "code"} {
		if got[name] != "" && got[name] != "0\n" {
			files = append(files, txtar.File{Name: name, Data: []byte(got[name])})
		}
	}
	archive.Files = files
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
