package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// write writes a file.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read returns the contents of a file.
func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// execute runs a command line with empty standard input.
func execute(line ...string) (stdout, stderr string, code int) {
	var out, failed bytes.Buffer
	code = gpuc.Execute(&cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &failed}, line)
	return out.String(), failed.String(), code
}

// succeed is execute for a command line that must succeed.
func succeed(t *testing.T, line ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := execute(line...)
	if code != cli.ExitOK {
		t.Fatalf("gpuc %q ends with %d:\n%s%s", line, code, stdout, stderr)
	}
	return stdout, stderr
}
