//go:build !nodrivers && linux && amd64

package metal

import (
	"bytes"
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

// Failures of archives (shim_archives).
const (
	noArchives = 1 + iota
	noArchive
	noArchiveOfFile
	notAdded
	notWritten
	notFound
)

const systemVersion = "Version 14.5 (Build 23F79)"

// archives sets what fails and the system's version, and returns how many pipelines were compiled
// before.
func (l *library) archives(failure uintptr, version string) int {
	return int(int32(dl.Call(l.Archives, failure, uintptr(unsafe.Pointer(dl.CString(version))))))
}

// starts loads a kernel as a new process would, and returns how often it is compiled.
func (l *library) starts(t *testing.T, folder string, a *abi.Artefact, failure uintptr, version string) (compiled int, stats kernelcache.Stats) {
	t.Helper()
	d, err := l.driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	cache := kernelcache.New(folder, kernelcache.DefaultLimit)
	d.(driver.Caching).SetCache(cache)
	l.archives(failure, version)
	k, err := d.Load(a)
	compiled = l.archives(0, systemVersion)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	stats = cache.Stats()
	stats.Folder = ""
	return compiled, stats
}

// TestCache: a pipeline is compiled once for each text and version of the system, and again where
// its archive cannot be used.
func TestCache(t *testing.T) {
	l := open(t, settings{dry: true})
	folder := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	a := drivertest.Axpy("msl")
	other := drivertest.Axpy("msl")
	other.Code = append(bytes.Clone(other.Code), "// another\n"...)
	stored, found := kernelcache.Stats{Misses: 1, Stored: 1}, kernelcache.Stats{Hits: 1}
	replaced := kernelcache.Stats{Misses: 1, Stored: 1, Dropped: 1}
	dropped := kernelcache.Stats{Misses: 1, Dropped: 1}
	for n, c := range []struct {
		a        *abi.Artefact
		failure  uintptr
		version  string
		compiled int
		want     kernelcache.Stats
		problem  string
	}{
		{a, 0, systemVersion, 1, stored, ""},
		{a, 0, systemVersion, 0, found, ""},
		{other, 0, systemVersion, 1, stored, ""},
		{a, 0, "Version 15.0 (Build 24A335)", 1, stored, ""},
		{a, 0, "Version 15.0 (Build 24A335)", 0, found, ""},
		{a, noArchiveOfFile, systemVersion, 1, replaced, ""},
		{a, notFound, systemVersion, 1, replaced, ""},
		{a, 0, systemVersion, 0, found, ""},
		{a, noArchives, systemVersion, 1, kernelcache.Stats{}, ""},
		{a, 0, "", 1, kernelcache.Stats{}, ""},
		{a, noArchive, systemVersion, 1, dropped, "make an archive for the kernel cache: no archive, as asked"},
		{a, notAdded, systemVersion, 1, kernelcache.Stats{Misses: 1}, "make an archive for the kernel cache: not added, as asked"},
		{a, notWritten, systemVersion, 1, kernelcache.Stats{Misses: 1}, "make an archive for the kernel cache: not written, as asked"},
		{a, 0, systemVersion, 1, stored, ""},
	} {
		compiled, stats := l.starts(t, folder, c.a, c.failure, c.version)
		problem := ""
		if stats.Err != nil {
			problem = stats.Err.Error()
		}
		stats.Err = nil
		if compiled != c.compiled || stats != c.want || problem != c.problem {
			t.Errorf("start %d: compiled %d times, %+v %q, want %d, %+v %q", n, compiled, stats, problem, c.compiled, c.want, c.problem)
		}
	}
	if files, err := os.ReadDir(os.TempDir()); err != nil || len(files) != 0 {
		t.Errorf("%v is left, %v", files, err)
	}
	t.Setenv("TMPDIR", filepath.Join(folder, "none"))
	if compiled, stats := l.starts(t, t.TempDir(), a, 0, systemVersion); compiled != 1 || stats.Stored != 0 || stats.Err == nil || !strings.Contains(stats.Err.Error(), "make a folder") {
		t.Errorf("without a folder for archives: compiled %d times, %+v", compiled, stats)
	}
	if compiled, stats := l.starts(t, "", a, 0, systemVersion); compiled != 1 || stats != (kernelcache.Stats{}) {
		t.Errorf("off: compiled %d times, %+v", compiled, stats)
	}
}

// TestCacheErrors: errors are those of loading without a cache.
func TestCacheErrors(t *testing.T) {
	l := open(t, settings{dry: true})
	d, err := l.driver.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.(driver.Caching).SetCache(kernelcache.New(t.TempDir(), kernelcache.DefaultLimit))
	a := drivertest.Axpy("msl")
	a.Code = bytes.ReplaceAll(a.Code, []byte("kernel void axpy("), []byte("kernel void unlinkable("))
	a.Kernel.Name = "unlinkable"
	if _, err := d.Load(a); err == nil || !strings.Contains(err.Error(), "make a pipeline: the function cannot be linked") {
		t.Errorf("got %v", err)
	}
}
