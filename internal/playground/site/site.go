// Package site has the files of the page of `gpuc playground`, builds the compiler for browsers,
// which is one of them, and serves them.
package site

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/internal/explore"
)

//go:embed index.html playground.css playground.js run.js worker.js examples.json examples
var files embed.FS

// File is a file of the page.
type File struct {
	Name string
	Data []byte
}

// The names of the files that are not in the package.
const (
	compiler = "gpuc.wasm.gz"
	loader   = "wasm_exec.js"
)

// Files returns all files of the page, sorted by name. If the program does not contain the
// compiler, the go command builds it from the module's source. That takes a while, and say is
// called before.
func Files(say func(string)) ([]File, error) {
	wasm, script, err := carried()
	if errors.Is(err, errNotCarried) {
		wasm, script, err = fromSource(say)
	}
	if err != nil {
		return nil, err
	}
	examples, err := Examples()
	if err != nil {
		return nil, err
	}
	list := []File{{"examples.json", examples}, {"explore.css", []byte(explore.Style)}, {"explore.js", []byte(explore.Script)}, {compiler, wasm}}
	for _, name := range []string{"index.html", "playground.css", "playground.js", "run.js"} {
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, File{name, data})
	}
	worker, err := files.ReadFile("worker.js")
	if err != nil {
		return nil, err
	}
	return append(list, File{loader, script}, File{"worker.js", worker}), nil
}

// built caches the compiler that this process has built.
var built struct {
	sync.Mutex
	wasm, script []byte
}

// fromSource builds the compiler from the module's source.
func fromSource(say func(string)) (wasm, script []byte, err error) {
	built.Lock()
	defer built.Unlock()
	if built.wasm == nil {
		folder, err := sourceFolder()
		if err != nil {
			return nil, nil, err
		}
		say("building gpuc for browsers in " + folder + ", which the go command keeps for the next time")
		if built.wasm, built.script, err = Build(folder); err != nil {
			return nil, nil, err
		}
	}
	return built.wasm, built.script, nil
}

// Examples returns examples.json with the sources in it.
func Examples() ([]byte, error) {
	text, err := files.ReadFile("examples.json")
	if err != nil {
		return nil, err
	}
	var list []map[string]any
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("examples.json: %w", err)
	}
	for _, x := range list {
		name, _ := x["file"].(string)
		source, err := files.ReadFile("examples/" + name)
		if err != nil {
			return nil, err
		}
		x["source"] = string(source)
		delete(x, "file")
	}
	return json.Marshal(list)
}

// errNotCarried says that the program does not contain the compiler for browsers.
var errNotCarried = errors.New("this gpuc holds no compiler for browsers")

const modulePath = "module github.com/gpuc/gpuc\n"

// SourceFolder is the folder of the module's source, if a test knows it. Programs find it.
var SourceFolder string

// sourceFolder returns the folder of the module's source: where this program was built, or a parent
// of the working folder.
func sourceFolder() (string, error) {
	if SourceFolder != "" {
		return SourceFolder, nil
	}
	// …/internal/playground/site/site.go, unless paths were trimmed
	_, here, _, _ := runtime.Caller(0)
	folders := []string{filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(here))))}
	if working, err := os.Getwd(); err == nil {
		for ; filepath.Dir(working) != working; working = filepath.Dir(working) {
			folders = append(folders, working)
		}
	}
	for _, folder := range folders {
		if text, err := os.ReadFile(filepath.Join(folder, "go.mod")); err == nil && filepath.IsAbs(folder) && bytes.HasPrefix(text, []byte(modulePath)) {
			return folder, nil
		}
	}
	return "", errors.New("this gpuc holds no compiler for browsers, and its source is not on this machine: take a release of gpuc, which holds it, or run `go run ./cmd/gpuc playground` in a clone of the repository")
}

// Build builds gpuc for browsers in a folder with the module's source. It returns the compiler
// compressed by gzip, and Go's script that loads it. The result is reproducible. More is added to
// the go command's environment.
func Build(folder string, more ...string) (packed, script []byte, err error) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return nil, nil, errors.New("this gpuc holds no compiler for browsers, and to build it takes the go command, which is not on the PATH: take a release of gpuc, which holds it, or install Go (https://go.dev/dl)")
	}
	root, err := output(folder, more, goCommand, "env", "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	for _, sub := range []string{"lib/wasm", "misc/wasm"} { // misc before Go 1.24
		if script, err = os.ReadFile(filepath.Join(root, sub, loader)); err == nil {
			break
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the script of Go for WebAssembly is missing: %w; install all of Go (Debian: golang-go, not its parts)", err)
	}
	temporary, err := os.MkdirTemp("", "gpuc-playground-*")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(temporary)
	path := filepath.Join(temporary, "gpuc.wasm")
	if _, err := output(folder, more, goCommand, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", path, "./internal/playground/wasm"); err != nil {
		return nil, nil, fmt.Errorf("gpuc cannot be built for browsers: %w", err)
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	// without a name and a time in the header, the bytes are reproducible
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(wasm)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), script, err
}

// output runs the go command for browsers and returns its output.
func output(folder string, more []string, command string, arguments ...string) (string, error) {
	c := exec.Command(command, arguments...)
	c.Dir = folder
	c.Env = append(append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOWASM="), more...)
	out, err := c.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("go %s: %w\n%s", arguments[0], err, failed.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// Tag is the build tag of programs that contain the compiler for browsers.
const Tag = "playground"

// Overlay writes the file for the go command's -overlay that adds the results of Build to the
// source in root. It writes into a folder, and returns the path of the file.
func Overlay(folder, root string, packed, script []byte) (string, error) {
	replace := map[string]string{}
	for name, data := range map[string][]byte{compiler: packed, loader: script} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(root, "internal", "playground", "site", name)] = path
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}
