//go:build !js

package webgpu_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/browser"
	"github.com/gpuc/gpuc/internal/testmode"
)

// page runs a test binary. Its output goes to the console of the page, its exit code to the title.
const page = `<!doctype html><title>running</title><link rel="icon" href="data:,"><script src="wasm_exec.js"></script><script>
const go = new Go();
go.argv = ["test", "-test.v", "-test.timeout=100s"];
go.exit = (code) => { document.title = "exit " + code; };
WebAssembly.instantiateStreaming(fetch("main.wasm"), go.importObject).then((program) => go.run(program.instance));
</script>`

// TestInBrowser runs this package's tests in a browser, whose adapter is software.
func TestInBrowser(t *testing.T) {
	testmode.Long(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "index.html"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	b := open(t, folder, "", "test", "-c")
	b.Wait(`document.title.startsWith("exit")`)
	if output, title := said(b), b.Eval("document.title"); title != "exit 0" {
		t.Errorf("%s\n%s", title, output)
	} else {
		t.Log(output)
	}
}

// TestExample opens the page of examples/browser.
func TestExample(t *testing.T) {
	testmode.Long(t)
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../../../examples/browser")); err != nil {
		t.Fatal(err)
	}
	b := open(t, folder, "?device=webgpu", "build", "../../../examples/browser")
	b.Wait(`document.title == "done"`)
	if text, want := b.Eval(`document.querySelector("pre").textContent`), "6171 has 261 steps, by webgpu:0\n"; text != want {
		t.Errorf("the page has %q, want %q\n%s", text, want, said(b))
	}
}

// open compiles a program for browsers into a folder with a page, and opens that.
func open(t *testing.T, folder, query, command string, more ...string) *browser.Browser {
	build := exec.Command("go", append([]string{command, "-o", filepath.Join(folder, "main.wasm")}, more...)...)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "wasm_exec.js"), script, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(server.Close)
	b := browser.Start(t, 400, 300, "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader")
	b.Open(server.URL + "/" + query)
	return b
}

// said returns what the page has written to its console.
func said(b *browser.Browser) string {
	var output strings.Builder
	for _, said := range b.Said() {
		var line struct{ Args []struct{ Value string } }
		if err := json.Unmarshal([]byte(said), &line); err != nil || len(line.Args) == 0 {
			fmt.Fprintln(&output, said)
		}
		for _, a := range line.Args {
			fmt.Fprintln(&output, a.Value)
		}
	}
	return output.String()
}
