//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package vulkan

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// pipelineCaches replaces a device's functions for pipeline caches: lavapipe keeps nothing in them.
// A pipeline is compiled unless the contents of its cache are those that one with the same name of
// the entry point left there. Other functions are the device's.
type pipelineCaches struct {
	mutex    sync.Mutex
	real     deviceFunctions
	header   []byte
	contents map[handle][]byte // of the caches that live
	last     handle
	compiled int
	given    [][]byte // with which caches were made
	refuses  bool     // contents that a cache is made of
	broken   bool     // the contents cannot be asked for
}

// current is the one that the functions are those of: a process has a limited number of callbacks.
var current *pipelineCaches

var replaced = sync.OnceValue(func() (f struct{ create, data, destroy, pipelines uintptr }) {
	f.create = purego.NewCallback(func(device, info, allocator, out uintptr) uintptr {
		p := current
		p.mutex.Lock()
		defer p.mutex.Unlock()
		i := (*pipelineCacheCreateInfo)(dl.Pointer(info))
		var given []byte
		if i.bytes > 0 {
			given = bytes.Clone(unsafe.Slice((*byte)(i.data), i.bytes))
		}
		if p.given = append(p.given, given); p.refuses && given != nil {
			return ^uintptr(12) // VK_ERROR_UNKNOWN
		}
		if !bytes.HasPrefix(given, p.header) {
			given = p.header
		}
		p.last++
		p.contents[p.last] = given
		*(*handle)(dl.Pointer(out)) = p.last
		return 0
	})
	f.data = purego.NewCallback(func(device, cache, size, data uintptr) uintptr {
		p := current
		p.mutex.Lock()
		defer p.mutex.Unlock()
		contents := p.contents[handle(cache)]
		n := (*uint64)(dl.Pointer(size))
		if data != 0 {
			*n = uint64(copy(dl.Bytes(data, int(*n)), contents))
		}
		if *n = uint64(len(contents)); p.broken && data != 0 {
			return uintptr(incomplete)
		}
		return 0
	})
	f.destroy = purego.NewCallback(func(device, cache, allocator uintptr) uintptr {
		p := current
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if _, ours := p.contents[handle(cache)]; !ours {
			return dl.Call(p.real.DestroyPipelineCache, device, cache, allocator)
		}
		delete(p.contents, handle(cache))
		return 0
	})
	f.pipelines = purego.NewCallback(func(device, cache, count, infos, allocator, out uintptr) uintptr {
		p := current
		p.mutex.Lock()
		defer p.mutex.Unlock()
		contents, ours := p.contents[handle(cache)]
		name := dl.GoString(uintptr(unsafe.Pointer((*computePipelineCreateInfo)(dl.Pointer(infos)).stage.name)))
		if made := append(slices.Clone(p.header), "pipeline of "+name...); ours && !bytes.Equal(contents, made) {
			p.compiled++
			p.contents[handle(cache)] = made
			cache = 0
		} else if ours {
			cache = 0
		}
		return dl.Call(p.real.CreateComputePipelines, device, cache, count, infos, allocator, out)
	})
	return f
})

// starts loads a kernel as a new process would, and returns what was compiled.
func starts(t *testing.T, folder string, a *abi.Artefact, change func(d *device, p *pipelineCaches)) (*pipelineCaches, kernelcache.Stats) {
	t.Helper()
	opened, err := testDriver.Open(0)
	if err != nil {
		t.Skipf("skipped: no Vulkan device: %v", err)
	}
	d := opened.(*device)
	copied := *d.candidate
	d.candidate = &copied
	p := &pipelineCaches{real: d.vk, contents: map[handle][]byte{}, last: 1 << 60}
	current = p
	f := replaced()
	d.vk.CreatePipelineCache, d.vk.PipelineCacheData, d.vk.DestroyPipelineCache, d.vk.CreateComputePipelines = f.create, f.data, f.destroy, f.pipelines
	if change != nil {
		change(d, p)
	}
	if p.header == nil {
		p.header = d.identity.header()
	}
	cache := kernelcache.New(folder, kernelcache.DefaultLimit)
	opened.(driver.Caching).SetCache(cache)
	if _, err := d.Load(a); err != nil {
		t.Fatal(err)
	}
	if len(p.contents) != 0 {
		t.Errorf("%d pipeline caches are left", len(p.contents))
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	stats := cache.Stats()
	stats.Folder = ""
	return p, stats
}

var (
	stored = kernelcache.Stats{Misses: 1, Stored: 1}
	found  = kernelcache.Stats{Hits: 1}
)

// TestCache: a kernel is compiled once for each module, device and build of the driver.
func TestCache(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		what   string
		change func(d *device, p *pipelineCaches)
		kernel func(a *abi.Artefact)
	}{
		{"the first", nil, nil},
		{"another vendor", func(d *device, _ *pipelineCaches) { d.identity.vendor++ }, nil},
		{"another device", func(d *device, _ *pipelineCaches) { d.identity.device++ }, nil},
		{"another driver", func(d *device, _ *pipelineCaches) { d.identity.version++ }, nil},
		{"another build", func(d *device, _ *pipelineCaches) { d.identity.uuid[15]++ }, nil},
		{"another name", func(d *device, _ *pipelineCaches) { d.info.Name += " Ti" }, nil},
		{"another module", nil, func(a *abi.Artefact) { a.Code[8] ^= 1 }}, // the tool that made it
		{"another layout", nil, func(a *abi.Artefact) {
			more := a.Kernel.Bindings[0] // which the module does not have
			more.Binding += 9
			a.Kernel.Bindings = append(slices.Clone(a.Kernel.Bindings), more)
		}},
	} {
		for _, want := range []kernelcache.Stats{stored, found} {
			a := drivertest.Axpy("spirv")
			a.Code = bytes.Clone(a.Code)
			if c.kernel != nil {
				c.kernel(a)
			}
			p, stats := starts(t, folder, a, c.change)
			if stats != want || p.compiled != want.Stored {
				t.Errorf("%s: %d are compiled, %+v, want %+v", c.what, p.compiled, stats, want)
			}
		}
	}
}

// TestCacheDamaged: the driver never sees contents that are damaged, another's or another device's.
func TestCacheDamaged(t *testing.T) {
	folder := t.TempDir()
	starts(t, folder, drivertest.Axpy("spirv"), nil)
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	key := kernelcache.Key(good[24:56]) // as kernelcache writes it
	contents := kernelcache.New(folder, 1<<20).Load(key)
	flipped := bytes.Clone(good)
	flipped[len(flipped)-1] ^= 0x10
	for what, text := range map[string][]byte{"empty": {}, "cut": good[:len(good)-3], "flipped": flipped} {
		if err := os.WriteFile(files[0], text, 0o600); err != nil {
			t.Fatal(err)
		}
		p, stats := starts(t, folder, drivertest.Axpy("spirv"), nil)
		if want := (kernelcache.Stats{Misses: 1, Stored: 1, Dropped: 1}); stats != want || p.compiled != 1 || len(p.given) != 1 || p.given[0] != nil {
			t.Errorf("%s: %d are compiled, %+v, the driver gets %q", what, p.compiled, stats, p.given)
		}
	}
	// a file that is as it was stored, with contents that are not for this device
	for n := range cacheHeader + 1 {
		wrong := bytes.Clone(contents)
		if n < cacheHeader {
			wrong[n] ^= 0x40
		} else {
			wrong = wrong[:cacheHeader]
		}
		kernelcache.New(folder, 1<<20).Store(key, kernelcache.Label{}, wrong)
		p, stats := starts(t, folder, drivertest.Axpy("spirv"), nil)
		if want := (kernelcache.Stats{Misses: 1, Stored: 1, Dropped: 1}); stats != want || p.compiled != 1 || p.given[0] != nil {
			t.Errorf("byte %d of the header: %d are compiled, %+v, the driver gets %q", n, p.compiled, stats, p.given)
		}
	}
	if p, stats := starts(t, folder, drivertest.Axpy("spirv"), nil); stats != found || p.compiled != 0 || !bytes.Equal(p.given[0], contents) {
		t.Errorf("then: %d are compiled, %+v", p.compiled, stats)
	}
	p, stats := starts(t, folder, drivertest.Axpy("spirv"), func(_ *device, p *pipelineCaches) { p.refuses = true })
	if want := (kernelcache.Stats{Misses: 1, Stored: 1, Dropped: 1}); stats != want || p.compiled != 1 {
		t.Errorf("a driver that refuses contents: %d are compiled, %+v", p.compiled, stats)
	}
}

// TestCacheWithout: kernels load where nothing can be kept.
func TestCacheWithout(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := drivertest.Axpy("spirv")
	if p, stats := starts(t, file, a, nil); stats.Err == nil || stats.Stored != 0 || len(p.given) != 0 {
		t.Errorf("without a folder: %+v", stats)
	}
	if _, stats := starts(t, t.TempDir(), a, func(_ *device, p *pipelineCaches) { p.broken = true }); stats != (kernelcache.Stats{Misses: 1}) {
		t.Errorf("without contents: %+v", stats)
	}
	if _, stats := starts(t, t.TempDir(), a, func(_ *device, p *pipelineCaches) { p.header = make([]byte, cacheHeader) }); stats != (kernelcache.Stats{Misses: 1}) {
		t.Errorf("contents with another header: %+v", stats)
	}
	if _, stats := starts(t, "", a, nil); stats != (kernelcache.Stats{}) {
		t.Errorf("off: %+v", stats)
	}
}

// TestCacheOfDriver: what the machine's own driver keeps is found again, if it keeps anything.
func TestCacheOfDriver(t *testing.T) {
	folder := t.TempDir()
	for n := range 2 {
		f := drivertest.New(t, &testDriver, drivertest.Axpy("spirv"))
		cache := kernelcache.New(folder, kernelcache.DefaultLimit)
		f.Device.(driver.Caching).SetCache(cache)
		k, err := f.Device.Load(drivertest.Axpy("spirv"))
		f.Check(err)
		f.Check(k.Close())
		s := cache.Stats()
		if s.Err != nil || s.Dropped != 0 || n == 0 && s.Hits != 0 {
			t.Errorf("start %d: %+v", n, s)
		}
		if n == 0 && s.Stored == 0 {
			t.Logf("%s keeps nothing in pipeline caches", f.Device.Info().Name)
			return
		}
		if n == 1 && s.Hits != 1 {
			t.Errorf("start %d: %+v", n, s)
		}
	}
}
