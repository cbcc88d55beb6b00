// Package commandtest builds the command for tests that run it as a process, as other programs do.
// Most tests of commands run in place, in cmd/gpuc; those for which a process is what matters are
// packages of their own, since Go ends a package's tests after ten minutes, also on a machine that
// has much else to do.
package commandtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// Repository is the folder of this module, as seen from the folder of a package two below it.
var Repository = func() string {
	path, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err)
	}
	return path
}()

// folder holds the command, if a test needed it.
var folder string

// Main runs the tests of a package and removes the command. Its TestMain calls it.
func Main(m *testing.M) {
	code := m.Run()
	if folder != "" {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

var build = sync.OnceValues(func() (string, error) {
	var err error
	if folder, err = os.MkdirTemp("", "gpuc"); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "gpuc")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	c := exec.Command("go", "build", "-o", path, "./cmd/gpuc")
	c.Dir = Repository
	if text, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, text)
	}
	return path, nil
})

// Path is the path of the command, which the first call builds. It skips the test in short mode.
func Path(t testing.TB) string {
	t.Helper()
	testmode.Quick(t, "it builds the command")
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
