package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
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
