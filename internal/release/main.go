// Command release builds the files of a release: an archive of the gpuc command for each system,
// with the licence. It also writes a list of the modules of each (SBOM), and the checksums of all
// files. The command contains gpuc for browsers. Builds are reproducible: the same commit and
// version of Go give the same bytes.
//
//	go run ./internal/release -o dist
//	go run ./internal/release -o dist -only linux/amd64 -verify
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/internal/playground/site"
)

// system is a target system of gpuc.
type system struct {
	os, arch string
	// drivers says that gpuc supports GPUs there. On other systems it compiles, and runs kernels on
	// the CPU.
	drivers bool
}

func (s system) String() string { return s.os + "/" + s.arch }

// systems are the systems of a release. Those with drivers are the ones that runtime/dl supports.
var systems = []system{
	{"linux", "amd64", true}, {"linux", "arm64", true}, {"darwin", "amd64", true}, {"darwin", "arm64", true},
	{"windows", "amd64", true}, {"windows", "arm64", true},
	{"linux", "386", false}, {"linux", "arm", false}, {"linux", "riscv64", false}, {"linux", "ppc64le", false}, {"linux", "s390x", false},
	{"freebsd", "amd64", false}, {"freebsd", "arm64", false}, {"openbsd", "amd64", false}, {"netbsd", "amd64", false}, {"android", "arm64", false},
	{"js", "wasm", false}, {"wasip1", "wasm", false},
}

func main() {
	output := flag.String("o", "dist", "the `folder` for the files, which must be empty or missing")
	only := flag.String("only", "", "comma-separated `systems`, such as linux/amd64, instead of all")
	verify := flag.Bool("verify", false, "build each twice, the second time without Go's cache, and compare")
	dirty := flag.Bool("dirty", false, "allow uncommitted changes")
	list := flag.Bool("list", false, "print the systems and exit")
	flag.Parse()
	if *list {
		for _, s := range systems {
			fmt.Println(s)
		}
		return
	}
	if err := release(*output, *only, *verify, *dirty); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release builds all files.
func release(output, only string, verify, dirty bool) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(output); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; remove it or name another folder", output)
	}
	if err := os.MkdirAll(output, 0o755); err != nil {
		return err
	}
	made, err := commitTime()
	if err != nil {
		return err
	}
	if changes, err := run(nil, "git", "status", "--porcelain"); err != nil || len(changes) > 0 && !dirty {
		return fmt.Errorf("there are uncommitted changes; commit them, or use -dirty (%v)\n%s", err, changes)
	}
	overlay, remove, err := forBrowsers(verify)
	if err != nil {
		return err
	}
	defer remove()
	var sums bytes.Buffer
	for _, s := range chosen {
		files, err := one(output, s, overlay, made, verify)
		if err != nil {
			return fmt.Errorf("%v: %w", s, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(filepath.Join(output, file))
			if err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), file)
			fmt.Printf("%9d  %s\n", len(data), file)
		}
	}
	return os.WriteFile(filepath.Join(output, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// forBrowsers builds gpuc for the page of gpuc playground. It returns a go build overlay that
// embeds it in the command, and a function that removes it.
func forBrowsers(verify bool) (overlay string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "gpuc-release-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(folder) }
	defer func() {
		if err != nil {
			remove()
		}
	}()
	root, err := moduleRoot()
	if err != nil {
		return "", nil, err
	}
	packed, script, err := site.Build(root)
	if err != nil {
		return "", nil, err
	}
	if verify {
		cache := filepath.Join(folder, "cache")
		if err := os.Mkdir(cache, 0o755); err != nil {
			return "", nil, err
		}
		again, _, err := site.Build(root, "GOCACHE="+cache)
		if err != nil {
			return "", nil, err
		}
		if !bytes.Equal(packed, again) {
			return "", nil, errors.New("a second build for browsers has different bytes: the build is not reproducible")
		}
	}
	overlay, err = site.Overlay(folder, root, packed, script)
	return overlay, remove, err
}

// moduleRoot returns the folder of the module.
func moduleRoot() (string, error) {
	out, err := run(nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/gpuc/gpuc")
	return strings.TrimSpace(string(out)), err
}

// choose parses -only.
func choose(only string) ([]system, error) {
	if only == "" {
		return systems, nil
	}
	var chosen []system
	for name := range strings.SplitSeq(only, ",") {
		n := slices.IndexFunc(systems, func(s system) bool { return s.String() == name })
		if n < 0 {
			return nil, fmt.Errorf("there is no system %s; -list prints them", name)
		}
		chosen = append(chosen, systems[n])
	}
	return chosen, nil
}

// one builds the files of a system and returns their names.
func one(output string, s system, overlay string, made time.Time, verify bool) (files []string, err error) {
	folder, err := os.MkdirTemp("", "gpuc-release-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	binary, err := build(folder, s, overlay, nil)
	if err != nil {
		return nil, err
	}
	if verify {
		if err := again(folder, s, overlay, binary); err != nil {
			return nil, err
		}
	}
	list, version, err := sbom(binary, made)
	if err != nil {
		return nil, err
	}
	base := fmt.Sprintf("gpuc_%s_%s_%s", version, s.os, s.arch)
	archive, extension, err := pack(binary, base, s, made)
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{base + extension, archive}, {base + ".cdx.json", list}} {
		if err := os.WriteFile(filepath.Join(output, f.name), f.data, 0o644); err != nil {
			return nil, err
		}
		files = append(files, f.name)
	}
	return files, nil
}

// build builds the command for a system in a folder and returns its path. The build is
// reproducible: it has no paths, build id or C. The overlay, if not "", embeds gpuc for browsers on
// systems that can serve a page.
func build(folder string, s system, overlay string, more []string) (string, error) {
	name := filepath.Join(folder, "gpuc")
	switch {
	case s.os == "windows":
		name += ".exe"
	case s.arch == "wasm":
		name += ".wasm"
	}
	environment := append([]string{"GOOS=" + s.os, "GOARCH=" + s.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOARM=7", "GO386=sse2"}, more...)
	arguments := []string{"build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", name}
	if overlay != "" && s.arch != "wasm" {
		arguments = append(arguments, "-overlay", overlay, "-tags", site.Tag)
	}
	_, err := run(environment, "go", append(arguments, "github.com/gpuc/gpuc/cmd/gpuc")...)
	return name, err
}

// again builds the command again, without the build cache, and compares.
func again(folder string, s system, overlay, first string) error {
	second := filepath.Join(folder, "again")
	cache := filepath.Join(folder, "cache")
	if err := errors.Join(os.Mkdir(second, 0o755), os.Mkdir(cache, 0o755)); err != nil {
		return err
	}
	other, err := build(second, s, overlay, []string{"GOCACHE=" + cache})
	if err != nil {
		return err
	}
	return same(first, other)
}

// same compares two files.
func same(first, second string) error {
	a, err := os.ReadFile(first)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(second)
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return errors.New("a second build has different bytes: the build is not reproducible")
	}
	return nil
}

// commitTime returns the time of the current commit, which is that of all files in archives.
func commitTime() (time.Time, error) {
	out, err := run(nil, "git", "show", "-s", "--format=%cI", "HEAD")
	if err != nil {
		return time.Time{}, err
	}
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(string(out)))
	return t.UTC(), err
}

// run runs a command in this folder and returns what it prints.
func run(environment []string, name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), environment...)
	var failed bytes.Buffer
	c.Stderr = &failed
	out, err := c.Output()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failed.Bytes())
	}
	return out, nil
}
