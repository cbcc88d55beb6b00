//go:build !nodrivers && linux && amd64

package codeobject

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/internal/standin"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// TestCached makes objects with a fake of comgr, which fails where it should not be asked. Objects
// are found for the same text, processor and build of the library, and for no other.
func TestCached(t *testing.T) {
	if standin.Compiler() == "" {
		t.Skip("skipped: there is no " + standin.Missing)
	}
	var shim struct {
		Set uintptr `c:"comgr_set"`
	}
	file, err := standin.Load("testdata/comgr.c", &shim)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	folder := t.TempDir()
	build := "libamd_comgr.so.3 1000 1"
	// each is a process
	makeWith := func(fail uintptr, a *abi.Artefact) ([]byte, kernelcache.Stats, error) {
		dl.Call(shim.Set, 3, fail, 0)
		m := &maker{comgrLibrary{names: []string{file}, files: func(...string) string { return build }}}
		cache := kernelcache.New(folder, kernelcache.DefaultLimit)
		object, err := m.makeCached(a, cache)
		stats := cache.Stats()
		stats.Folder = ""
		return object, stats, err
	}
	expect := func(what string, fail uintptr, a *abi.Artefact, want kernelcache.Stats) {
		t.Helper()
		object, stats, err := makeWith(fail, a)
		if err != nil || len(object) != 64 || !Is(object) || stats != want {
			t.Errorf("%s: %d bytes, %v, %+v, want %+v", what, len(object), err, stats, want)
		}
	}
	stored, found := kernelcache.Stats{Misses: 1, Stored: 1}, kernelcache.Stats{Hits: 1}
	a := artefact("gfx1100", "500")
	expect("the first", 0, a, stored)
	expect("the second", 1, a, found)
	other := artefact("gfx1100", "500")
	other.Code = append(other.Code, "; a comment\n"...)
	if _, stats, err := makeWith(1, other); err == nil || stats != (kernelcache.Stats{Misses: 1}) {
		t.Errorf("another text: %v, %+v", err, stats)
	}
	build = "libamd_comgr.so.3 1001 2"
	if _, stats, err := makeWith(1, a); err == nil || stats != (kernelcache.Stats{Misses: 1}) {
		t.Errorf("another build: %v, %+v", err, stats)
	}
	expect("another build", 0, a, stored)
	expect("another build, again", 1, a, found)

	// what is in the file as it was stored, and no object, or one of another version
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v %v", files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		object := bytes.Clone(text[len(text)-64:])
		object[8]++ // the version
		kernelcache.New(folder, kernelcache.DefaultLimit).Store(kernelcache.Key(text[24:56]), kernelcache.Label{}, object)
	}
	expect("an object of another version", 0, a, kernelcache.Stats{Misses: 1, Stored: 1, Dropped: 1})
	build = ""
	expect("a build that is not known", 0, a, kernelcache.Stats{})
	wrong := artefact("gfx1030", "500")
	wrong.Code = append(wrong.Code, `attributes #0 = { "target-cpu"="gfx1100" }`...)
	build = "1"
	if _, _, err := makeWith(0, wrong); err == nil {
		t.Error("a text for another processor is compiled")
	}
	if _, err := MakeCached(nil, nil); err == nil {
		t.Error("no artefact is compiled")
	}
}
