//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// compiler is a fake of a driver's compiler: it links "binary of TEXT" of a text, and notes what it
// does.
type compiler struct {
	build   string // of the driver
	broken  bool   // it links nothing
	refuses string // an image that starts with this is refused
	linked  int
	loaded  []string // the first word of each image
}

// openCached opens a device with a compiler and a cache, as a new process would.
func openCached(t *testing.T, m *compiler, folder string, change func(d *device)) (*device, *kernelcache.Cache) {
	t.Helper()
	api := fakeAPI
	t.Cleanup(func() { fakeAPI = api })
	fakeAPI.Linking = "options"
	fakeAPI.Link = func(c *Functions, image []byte) []byte {
		if m.linked++; m.broken {
			return nil
		}
		return append([]byte("binary of "), image...)
	}
	fakeAPI.Load = func(c *Functions, module *uintptr, image []byte) (uintptr, string) {
		word, _, _ := strings.Cut(strings.TrimSpace(string(image)), " ")
		m.loaded = append(m.loaded, word)
		if m.refuses != "" && bytes.HasPrefix(image, []byte(m.refuses)) {
			return 1, "line 1: refused"
		}
		return dl.Call(c.ModuleLoad, uintptr(unsafe.Pointer(module)), uintptr(dl.First(image))), ""
	}
	_, d, _ := openFake(t)
	d.c.build = func() string { return m.build }
	if change != nil {
		change(d)
	}
	cache := kernelcache.New(folder, kernelcache.DefaultLimit)
	d.SetCache(cache)
	return d, cache
}

func text(s string) *abi.Artefact {
	a := drivertest.AxpyPTX()
	a.Code = []byte("text " + s)
	return a
}

// starts loads a kernel in a new process, and returns what was linked and loaded.
func starts(t *testing.T, m *compiler, folder string, a *abi.Artefact, change func(d *device)) (linked int, loaded string, stats kernelcache.Stats) {
	t.Helper()
	d, cache := openCached(t, m, folder, change)
	m.linked, m.loaded = 0, nil
	_, err := d.Load(a)
	check(t, err)
	check(t, d.Close())
	stats = cache.Stats()
	stats.Folder = ""
	return m.linked, strings.Join(m.loaded, " "), stats
}

// TestCache: a kernel is compiled once for each text, device, build of the driver and options, and
// later processes load the binary.
func TestCache(t *testing.T) {
	folder := t.TempDir()
	m := &compiler{build: "1"}
	other := func(change func(i *driver.Info)) func(d *device) { return func(d *device) { change(&d.info) } }
	for _, c := range []struct {
		what   string
		change func(d *device)
		text   string
		build  string
	}{
		{"the first", nil, "a", "1"},
		{"another text", nil, "b", "1"},
		{"another build of the driver", nil, "a", "2"},
		{"another device", other(func(i *driver.Info) { i.Name = "other" }), "a", "1"},
		{"another version or architecture", other(func(i *driver.Info) { i.Version = "compute capability 9.1" }), "a", "1"},
		{"other options", func(*device) { fakeAPI.Linking = "other" }, "a", "1"},
	} {
		m.build = c.build
		linked, loaded, stats := starts(t, m, folder, text(c.text), c.change)
		if linked != 1 || loaded != "binary" || stats != (kernelcache.Stats{Misses: 1, Stored: 1}) {
			t.Errorf("%s: %d compilations, loads %s, %+v", c.what, linked, loaded, stats)
		}
		linked, loaded, stats = starts(t, m, folder, text(c.text), c.change)
		if linked != 0 || loaded != "binary" || stats != (kernelcache.Stats{Hits: 1}) {
			t.Errorf("%s, again: %d compilations, loads %s, %+v", c.what, linked, loaded, stats)
		}
	}
}

// file returns the only file of a cache.
func file(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	return files[0]
}

// TestCacheDamaged: damaged and foreign files, and binaries that the driver refuses, are compiled
// anew and replaced.
func TestCacheDamaged(t *testing.T) {
	folder := t.TempDir()
	m := &compiler{build: "1"}
	starts(t, m, folder, text("a"), nil)
	good, err := os.ReadFile(file(t, folder))
	check(t, err)
	elsewhere := t.TempDir()
	starts(t, m, elsewhere, text("b"), nil)
	foreign, err := os.ReadFile(file(t, elsewhere))
	check(t, err)
	flipped := bytes.Clone(good)
	flipped[len(flipped)-1] ^= 1
	for what, contents := range map[string][]byte{"empty": {}, "cut": good[:len(good)-1], "flipped": flipped, "another's": foreign} {
		check(t, os.WriteFile(file(t, folder), contents, 0o600))
		linked, loaded, stats := starts(t, m, folder, text("a"), nil)
		if linked != 1 || loaded != "binary" || stats != (kernelcache.Stats{Misses: 1, Stored: 1, Dropped: 1}) {
			t.Errorf("%s: %d compilations, loads %s, %+v", what, linked, loaded, stats)
		}
		if now, err := os.ReadFile(file(t, folder)); err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s: it is not replaced: %v", what, err)
		}
	}
	m.refuses = "binary"
	linked, loaded, stats := starts(t, m, folder, text("a"), nil)
	if linked != 1 || loaded != "binary binary text" || stats != (kernelcache.Stats{Misses: 1, Dropped: 1}) {
		t.Errorf("a driver that refuses: %d compilations, loads %s, %+v", linked, loaded, stats)
	}
	if files, _ := os.ReadDir(folder); len(files) != 0 {
		t.Errorf("what was refused is stored: %v", files)
	}
}

// TestCacheOff: texts are loaded as they are if nothing can be linked, the driver's build is not
// known, or the disk fails; their errors are the same.
func TestCacheOff(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(name, nil, 0o600))
	for _, c := range []struct {
		what   string
		m      compiler
		folder string
		linked int
		fails  bool // Stats has an error
	}{
		{"nothing is linked", compiler{build: "1", broken: true}, t.TempDir(), 1, false},
		{"the build is not known", compiler{}, t.TempDir(), 0, true},
		{"no folder", compiler{build: "1"}, name, 0, true},
		{"off", compiler{build: "1"}, "", 0, false},
	} {
		linked, loaded, stats := starts(t, &c.m, c.folder, text("a"), nil)
		if linked != c.linked || loaded != "text" || stats.Stored != 0 || (stats.Err != nil) != c.fails {
			t.Errorf("%s: %d compilations, loads %s, %+v", c.what, linked, loaded, stats)
		}
		c.m.refuses = "text"
		d, _ := openCached(t, &c.m, c.folder, nil)
		if _, err := d.Load(text("a")); err == nil || !strings.Contains(err.Error(), "line 1: refused") || errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: %v", c.what, err)
		}
		check(t, d.Close())
	}
}
