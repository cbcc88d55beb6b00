// Package commandtest builds the command for tests that run it as a process. Most tests of commands
// call functions of cmd/gpuc; those that need a process are separate packages, since Go limits the
// tests of a package to ten minutes.
package commandtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// Repository is the root folder of this module, for packages two folders below it.
var Repository = func() string {
	path, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err)
	}
	return path
}()

// folder has the command, if a test has built it.
var folder string

// Main is the TestMain of a package: it runs the tests and removes the command.
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

// Path returns the path of the command, which the first call builds.
func Path(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
