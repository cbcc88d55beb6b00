package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

// archiveOfMany returns an archive with kernels k0, k1, … that do nothing, and "other" without
// code for the fake.
func archiveOfMany(t testing.TB, n int) string {
	t.Helper()
	var archive abi.Archive
	index := abi.ArchiveIndex{Targets: []string{"fake"}}
	for i := range n {
		a := artefact()
		a.Kernel.Name = fmt.Sprint("k", i)
		k := abi.ArchiveKernel{Name: a.Kernel.Name}
		check(t, archive.Add(&k, ".code", a))
		index.Kernels = append(index.Kernels, k)
	}
	index.Kernels = append(index.Kernels, abi.ArchiveKernel{Name: "other"})
	return string(must(archive.Marshal(&index)))
}

// TestPreload: all kernels of an archive are loaded once, while others use them, with as many at a
// time as there are processors.
func TestPreload(t *testing.T) {
	archive := archiveOfMany(t, 40)
	d, fake := newFake(t)
	var now, most atomic.Int64
	fake.onLoad = func(*abi.Artefact) error {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		runtime.Gosched()
		return nil
	}
	p := d.Preload(t.Context(), archive)
	s := must(d.NewStream())
	x, y := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64))
	for n := range 40 { // at the same time, the last first
		e := Embedded{Archive: archive, Name: fmt.Sprint("k", 39-n)}
		check(t, e.Launch(s, D1(1), []uint32{1, 2}, x, y))
	}
	check(t, p.Wait())
	check(t, p.Wait())
	if fake.loads != 40 || len(d.embedded) != 41 || most.Load() > int64(runtime.GOMAXPROCS(0))+1 {
		t.Errorf("%d loads of %d kernels, up to %d at a time", fake.loads, len(d.embedded), most.Load())
	}
	if err := d.Preload(t.Context(), archive, "k3", "other").Wait(); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "load kernel other") {
		t.Errorf("a named kernel without code: %v", err)
	}
	if fake.loads != 40 {
		t.Errorf("%d loads", fake.loads)
	}
}

// TestPreloadWaits: a launch waits for a kernel that is being loaded, and does not load it again.
func TestPreloadWaits(t *testing.T) {
	archive := archiveOfMany(t, 1)
	d, fake := newFake(t)
	begun, end := make(chan bool), make(chan bool)
	fake.onLoad = func(*abi.Artefact) error {
		close(begun)
		<-end
		return nil
	}
	p := d.Preload(t.Context(), archive, "k0")
	<-begun
	var launch sync.WaitGroup
	e := Embedded{Archive: archive, Name: "k0"}
	launch.Go(func() { must(e.Load(d)) })
	close(end)
	launch.Wait()
	check(t, p.Wait())
	if fake.loads != 1 {
		t.Errorf("%d loads", fake.loads)
	}
}

// TestPreloadFails: Wait has all errors, and so has the use of a kernel, which tries again.
func TestPreloadFails(t *testing.T) {
	archive := archiveOfMany(t, 5)
	d, fake := newFake(t)
	var broken atomic.Bool
	broken.Store(true)
	fake.onLoad = func(a *abi.Artefact) error {
		if broken.Load() && (a.Kernel.Name == "k1" || a.Kernel.Name == "k3") {
			return fmt.Errorf("load kernel %s: as asked", a.Kernel.Name)
		}
		return nil
	}
	p := d.Preload(t.Context(), archive)
	if err := p.Wait(); err == nil || err.Error() != "load kernel k1: as asked\nload kernel k3: as asked" {
		t.Errorf("got %v", err)
	}
	e := Embedded{Archive: archive, Name: "k3"}
	if _, err := e.Load(d); err == nil || err.Error() != "load kernel k3: as asked" {
		t.Errorf("its use: %v", err)
	}
	broken.Store(false)
	must(e.Load(d))
	if fake.loads != 4 {
		t.Errorf("%d loads", fake.loads)
	}
	for what, c := range map[string]struct {
		archive string
		names   []string
		want    string
	}{
		"no archive":             {"", nil, "preload kernels: archive of kernels: "},
		"another file":           {strings.Repeat("PK", 100), []string{"k1"}, "preload kernels: archive of kernels: "},
		"a kernel that is not":   {archive, []string{"k9"}, "load kernel k9: wrong shape: the archive has no such kernel"},
		"a kernel without a way": {archive, []string{""}, "wrong shape"},
	} {
		if err := d.Preload(t.Context(), c.archive, c.names...).Wait(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
	}
}

// TestPreloadEnds: when ctx ends or the device is closed, what is being loaded finishes and nothing
// else begins.
func TestPreloadEnds(t *testing.T) {
	for what, c := range map[string]struct {
		end  func(d *Device, cancel func())
		want error
	}{
		"cancelled": {func(d *Device, cancel func()) { cancel() }, context.Canceled},
		"closed": {func(d *Device, cancel func()) {
			go d.Close()
			for d.enter() == nil { // until it is closing
				d.leave()
				runtime.Gosched()
			}
		}, ErrClosed},
	} {
		archive := archiveOfMany(t, 100)
		d, fake := newFake(t)
		ctx, cancel := context.WithCancel(t.Context())
		var begun atomic.Int64
		ended := make(chan bool)
		var once sync.Once
		fake.onLoad = func(*abi.Artefact) error {
			if begun.Add(1); begun.Load() >= 1 {
				once.Do(func() { go func() { c.end(d, cancel); close(ended) }() })
			}
			<-ended
			return nil
		}
		if err := d.Preload(ctx, archive).Wait(); !errors.Is(err, c.want) || strings.Count(err.Error(), "\n") != 0 {
			t.Errorf("%s: %v", what, err)
		}
		if n := begun.Load(); n > int64(runtime.GOMAXPROCS(0)) {
			t.Errorf("%s: %d kernels are loaded", what, n)
		}
		cancel()
	}
	d, fake := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Preload(ctx, archiveOfMany(t, 3)).Wait(); !errors.Is(err, context.Canceled) || fake.loads != 0 {
		t.Errorf("cancelled before: %v", err)
	}
}

// cachingDriver is a fake whose devices take a cache.
type cachingDriver struct {
	fakeDriver
	opened *cachingDevice
}

type cachingDevice struct {
	*fakeDevice
	cache *kernelcache.Cache
	calls int
}

func (d *cachingDevice) SetCache(c *kernelcache.Cache) { d.cache, d.calls = c, d.calls+1 }

func (d *cachingDriver) Open(index int) (driver.Device, error) {
	d.opened = &cachingDevice{fakeDevice: &fakeDevice{about: d.info(index)}}
	return d.opened, nil
}

// TestKernelCache: a device gets the cache that the option or the environment names, and says what
// it did.
func TestKernelCache(t *testing.T) {
	mine, others := t.TempDir(), t.TempDir()
	d := &cachingDriver{fakeDriver: fakeDriver{name: CUDA, kinds: []driver.Kind{driver.GPU}}}
	for _, c := range []struct {
		variable string
		options  []Option
		want     string
	}{
		{mine, nil, mine},
		{mine, []Option{KernelCache(others)}, others},
		{mine, []Option{KernelCache("off")}, ""},
		{"off", nil, ""},
		{"off", []Option{KernelCache(others), Named(CUDA)}, others},
	} {
		t.Setenv(kernelcache.Variable, c.variable)
		device := must(open([]driver.Driver{d}, c.options))
		cache := d.opened.cache
		if got := device.CacheStats(); got.Folder != c.want || got.Err != nil || d.opened.calls != 1 || cache.On() != (c.want != "") {
			t.Errorf("%+v: %+v", c, got)
		}
		cache.Store(kernelcache.Key{1}, kernelcache.Label{}, []byte("code"))
		if got := device.CacheStats(); got.Stored != 1 && c.want != "" {
			t.Errorf("%+v: %+v", c, got)
		}
		check(t, device.Close())
	}
	device := must(open([]driver.Driver{d}, []Option{KernelCache("relative")}))
	if got := device.CacheStats(); got.Err == nil || !strings.Contains(got.Err.Error(), `its folder is "relative"`) {
		t.Errorf("a relative folder: %+v", got)
	}
	check(t, device.Close())
	without, _ := newFake(t)
	if got := without.CacheStats(); got != (CacheStats{}) {
		t.Errorf("a driver that keeps nothing: %+v", got)
	}
}
