package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// TestMistakes shows the messages for common mistakes, so that they can be read together. The
// archives in testdata/mistakes have wrong sources and wrong command lines. The messages are the
// last file.
func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		archive string
		least   int // how many mistakes there are
		lines   func(a *txtar.Archive) []string
	}{
		{"source.txtar", 28, func(a *txtar.Archive) (lines []string) {
			for _, f := range a.Files {
				if filepath.Ext(f.Name) == ".wgsl" {
					lines = append(lines, "$ gpuc check "+f.Name+"\n")
				}
			}
			return lines
		}},
		{"command.txtar", 25, func(a *txtar.Archive) (lines []string) {
			for line := range strings.Lines(string(a.Comment)) {
				if strings.HasPrefix(line, "$ gpuc ") {
					lines = append(lines, line)
				}
			}
			return lines
		}},
	} {
		t.Run(test.archive, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join("testdata", "mistakes", test.archive))
			if err != nil {
				t.Fatal(err)
			}
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			want, inputs := "", archive.Files[:0:0]
			for _, f := range archive.Files {
				if f.Name == "said" {
					want = string(f.Data)
					continue
				}
				inputs = append(inputs, f)
				write(t, f.Name, string(f.Data))
			}
			lines := test.lines(archive)
			if len(lines) < test.least {
				t.Errorf("there are %d mistakes, want %d", len(lines), test.least)
			}
			var said bytes.Buffer
			for _, line := range lines {
				said.WriteString(line)
				e := &cli.Env{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said}
				code := gpuc.Execute(e, splitWords(t, strings.TrimPrefix(line, "$ gpuc ")))
				fmt.Fprintf(&said, "exit %d\n\n", code)
				if code != cli.ExitDiagnostics && code != cli.ExitUsage {
					t.Errorf("%sends with %d", line, code)
				}
			}
			if *update {
				archive.Files = append(inputs, txtar.File{Name: "said", Data: said.Bytes()})
				if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(want, said.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			entries, err := os.ReadDir(".")
			if err != nil || len(entries) != len(inputs) {
				t.Errorf("mistakes left files behind: %v %v", entries, err)
			}
		})
	}
}
