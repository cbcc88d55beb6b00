package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/serve"
)

// TestLSP: the command answers with gpuc's version, and ends with 0 after a shutdown. Its other
// answers are tested in frontend/wgsl/lsp.
func TestLSP(t *testing.T) {
	var in, out, failed bytes.Buffer
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`, `{"jsonrpc":"2.0","method":"exit"}`,
	} {
		fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	version, _ := cli.Version()
	if code := gpuc.Execute(&cli.Env{Stdin: &in, Stdout: &out, Stderr: &failed}, []string{"lsp", "--stdio"}); code != cli.ExitOK || failed.Len() > 0 {
		t.Errorf("ends with %d: %s", code, failed.String())
	}
	if want := `"serverInfo":{"name":"gpuc","version":"` + version + `"}`; !strings.Contains(out.String(), want) {
		t.Errorf("%s\ndoes not say %s", out.String(), want)
	}
}

// TestMain lets the test binary be a worker process of gpuc serve, which starts its own executable.
func TestMain(m *testing.M) {
	if serve.IsWorker() {
		os.Exit(gpuc.Execute(&cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// TestIsVet: what go vet calls a tool with is told from gpuc's own command lines.
func TestIsVet(t *testing.T) {
	for line, want := range map[string]bool{
		"-V=full": true, "-flags": true, "/tmp/b001/vet.cfg": true, "-json /tmp/b001/vet.cfg": true, "-gpuc -c=2 vet.cfg": true,
		"": false, "help": false, "-version": false, "-v": false, "build a.cfg": false, "check -json a.cfg": false, "-h": false, "version": false,
	} {
		if got := isVet(strings.Fields(line)); got != want {
			t.Errorf("gpuc %s: %v", line, got)
		}
	}
}
