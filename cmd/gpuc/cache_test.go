package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// storedKernels makes a folder with three kernels, one of them damaged, and a file that is not the
// cache's.
func storedKernels(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv(kernelcache.Variable, folder)
	c := kernelcache.FromEnvironment()
	now := time.Now()
	for n, k := range []struct {
		label kernelcache.Label
		bytes int
		days  int
	}{
		{kernelcache.Label{Driver: "cuda", Device: "NVIDIA H200", Kernel: "saxpy"}, 20000, 0},
		{kernelcache.Label{Driver: "vulkan", Device: "NVIDIA H200", Kernel: "soften\x1b[2J"}, 100, 12},
		{kernelcache.Label{Driver: "cuda", Device: "NVIDIA H200", Kernel: "cut"}, 3000, 1},
	} {
		key := kernelcache.Key{byte(n)}
		c.Store(key, k.label, make([]byte, k.bytes))
		name := filepath.Join(folder, key.String()+".kernel")
		if k.label.Kernel == "cut" {
			if err := os.Truncate(name, 500); err != nil {
				t.Fatal(err)
			}
		}
		used := now.Add(-time.Duration(k.days) * 24 * time.Hour)
		if err := os.Chtimes(name, used, used); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Stats().Err; err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "notes.txt"), "mine")
	return folder
}

// TestCache lists kernels and removes them, in text and as JSON.
func TestCache(t *testing.T) {
	folder := storedKernels(t)
	got, _ := succeed(t, "cache")
	want := folder + `: 3 kernels, 20.4 KiB of 256.0 MiB
cuda      19.7 KiB  today         saxpy, NVIDIA H200
damaged      500 B  a day ago     not used any more
vulkan       228 B  12 days ago   soften?[2J, NVIDIA H200
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	text, _ := succeed(t, "cache", "-json")
	var object struct{ Results cacheResults }
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	r := object.Results
	if r.Folder != folder || len(r.Kernels) != 3 || r.Limit != kernelcache.DefaultLimit || r.Removed != nil || r.Bytes != 20128+500+228 {
		t.Errorf("%s", text)
	}
	if k, used := r.Kernels[2], time.Now().Add(-12*24*time.Hour).Format(time.DateOnly); k.Driver != "vulkan" || k.Device != "NVIDIA H200" || k.Kernel != "soften\x1b[2J" || k.Bytes != 228 || k.Used != used || !r.Kernels[1].Damaged || r.Kernels[1].Kernel != "" {
		t.Errorf("%+v", r.Kernels)
	}

	got, _ = succeed(t, "cache", "-clear")
	if want := folder + ": 3 kernels of 20.4 KiB removed\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if files, _ := os.ReadDir(folder); len(files) != 1 || files[0].Name() != "notes.txt" {
		t.Errorf("%v is left", files)
	}
	if got, _ = succeed(t, "cache"); got != folder+": 0 kernels, 0 B of 256.0 MiB\n" {
		t.Errorf("an empty cache: %q", got)
	}
	t.Setenv(kernelcache.Variable, filepath.Join(folder, "none"))
	if got, _ = succeed(t, "cache", "-clear"); got != filepath.Join(folder, "none")+": 0 kernels of 0 B removed\n" {
		t.Errorf("a folder that is not there: %q", got)
	}
	if _, err := os.Stat(filepath.Join(folder, "none")); err == nil {
		t.Error("clearing makes a folder")
	}
}

// TestCacheFails: what is wrong with the folder is said.
func TestCacheFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	write(t, name, "")
	for folder, want := range map[string]string{
		"here": `its folder is "here", which is neither off nor an absolute path (the environment variable GPUC_CACHE)`,
		name:   "make the folder of the kernel cache: ",
	} {
		t.Setenv(kernelcache.Variable, folder)
		for _, args := range [][]string{{"cache"}, {"cache", "-clear"}} {
			if _, said, code := execute(args...); code != 1 || !strings.Contains(said, want) {
				t.Errorf("%q ends with %d and says %q, want %q", args, code, said, want)
			}
		}
	}
}
