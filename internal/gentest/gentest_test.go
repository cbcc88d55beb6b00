// Package gentest tests gpuc with the go command. Launchers that `gpuc gen` writes are compiled,
// vetted and run; gpuc is a tool of go generate and go vet. The tests share no folder and run side
// by side.
package gentest

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/commandtest"
)

var update = flag.Bool("update", false, "generate the launchers of the examples")

func TestMain(m *testing.M) { commandtest.Main(m) }

// repository is the folder of this module.
var repository = commandtest.Repository

// module copies a module of testdata into a temporary folder, beside a go.work with this
// repository, and returns the folder.
func module(t *testing.T, name string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(repository, "internal/gentest/testdata", name))); err != nil {
		t.Fatal(err)
	}
	makeModule(t, folder, name)
	return folder
}

// makeModule makes a folder a module, beside a go.work with this repository.
func makeModule(t *testing.T, folder, name string) {
	t.Helper()
	put(t, filepath.Join(folder, "go.mod"), "module example.com/"+name+"\n\ngo 1.26.0\n")
	put(t, filepath.Join(folder, "go.work"), "go 1.26.0\n\nuse (\n\t.\n\t"+filepath.ToSlash(repository)+"\n)\n")
}

// put writes a file.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// gpuc runs a command line in a folder and returns its code and what it wrote.
func gpuc(t *testing.T, folder string, line ...string) (code int, stdout, stderr string) {
	t.Helper()
	return gpucIn(t, folder, nil, line...)
}

// gpucIn is gpuc with more in the environment.
func gpucIn(t *testing.T, folder string, environment []string, line ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, failures bytes.Buffer
	c := exec.CommandContext(t.Context(), commandtest.Path(t), line...)
	c.Dir, c.Env, c.Stdout, c.Stderr = folder, slices.Concat(os.Environ(), []string{"PWD=" + folder}, environment), &out, &failures
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), failures.String()
}

// gen runs `gpuc gen` and expects it to succeed.
func gen(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	code, stdout, stderr := gpuc(t, folder, append([]string{"gen"}, arguments...)...)
	if code != 0 || stderr != "" {
		t.Fatalf("gpuc gen %q: code %d\n%s", arguments, code, stderr)
	}
	return stdout
}

// goCommand runs the go command in a folder, without network. cgo is as for these tests, whose
// compiled packages it uses again.
func goCommand(t *testing.T, folder string, environment []string, arguments ...string) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", arguments...)
	c.Dir = folder
	c.Env = slices.Concat(os.Environ(), []string{"GOPROXY=off", "GOFLAGS=", "PWD=" + folder}, environment)
	text, err := c.CombinedOutput()
	return string(text), err
}

// files returns the contents of a folder's files, by path.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		contents[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(contents, "go.work") // has the path of the repository
	return contents
}
