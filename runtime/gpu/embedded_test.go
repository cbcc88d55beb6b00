package gpu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
)

// embedded is a kernel in an archive: artefact, whose last binding is a uniform buffer, or one with
// as many immediates instead.
func embedded(t testing.TB, uniform bool) *Embedded {
	a := artefact()
	if !uniform {
		a.Kernel.Bindings = a.Kernel.Bindings[:2]
		a.Kernel.Immediates = &abi.Immediates{Name: "p", Size: 8}
	}
	return &Embedded{Name: "k", Archive: archiveOf(t, a)}
}

// archiveOf returns an archive with a kernel.
func archiveOf(t testing.TB, a *abi.Artefact) string {
	t.Helper()
	var archive abi.Archive
	k := abi.ArchiveKernel{Name: "k"}
	check(t, archive.Add(&k, ".code", a))
	return string(must(archive.Marshal(&abi.ArchiveIndex{Targets: []string{string(a.Target)}, Kernels: []abi.ArchiveKernel{k}})))
}

// TestEmbeddedLoads: a kernel is loaded once for each device, and again after it was closed.
func TestEmbeddedLoads(t *testing.T) {
	e := embedded(t, true)
	d, fake := newFake(t)
	var all sync.WaitGroup
	kernels := make([]*Kernel, 20)
	for n := range kernels {
		all.Go(func() { kernels[n] = must(e.Load(d)) })
	}
	all.Wait()
	if fake.loads != 1 || slices.ContainsFunc(kernels, func(k *Kernel) bool { return k != kernels[0] }) {
		t.Errorf("%d loads", fake.loads)
	}
	other, _ := newFake(t)
	if must(e.Load(other)) == kernels[0] {
		t.Error("devices share a kernel")
	}
	s := must(d.NewStream())
	x, y := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64))
	for n := range 3 {
		if n == 2 {
			check(t, must(e.Load(d)).Close())
		}
		check(t, e.Launch(s, D1(1), []uint32{1, 2}, x, y))
	}
	if fake.loads != 2 || len(fake.launches) != 3 {
		t.Errorf("%d loads for %d launches, want 2 for 3", fake.loads, len(fake.launches))
	}
}

// TestEmbeddedTensor: the driver gets the variant with tensor maps, which it chooses itself.
func TestEmbeddedTensor(t *testing.T) {
	a, v := artefact(), artefact()
	v.Code = []byte("variant")
	a.Tensor = &abi.Tensor{Artefact: v, Maps: []abi.TensorMap{{Element: "f16", Box: [2]uint32{64, 64}, Layout: abi.ValueAt{Binding: -1}}}}
	e := &Embedded{Name: "k", Archive: archiveOf(t, a)}
	d, fake := newFake(t)
	must(e.Load(d))
	if got := fake.loaded.Tensor; !reflect.DeepEqual(got, a.Tensor) {
		t.Errorf("the driver gets %+v, want %+v", got, a.Tensor)
	}
}

// TestEmbeddedValues: each launch gets its values, each stream has a uniform buffer of its own, and
// nothing is left when streams are closed.
func TestEmbeddedValues(t *testing.T) {
	for _, uniform := range []bool{true, false} {
		e := embedded(t, uniform)
		d, fake := newFake(t)
		x, y := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64))
		before := fake.count()
		a, b := must(d.NewStream()), must(d.NewStream())
		for n, s := range []*Stream{a, b, a, a, b} {
			want := []uint32{uint32(min(n, 2)), 0xfffffffe}
			fake.launches = nil
			check(t, e.Launch(s, D1(1), want, x, y))
			l := fake.launches[0]
			got := l.Immediates
			if uniform {
				got = part(l.Bindings[2])
			}
			if w := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, want[0]), want[1]); !bytes.Equal(got, w) {
				t.Errorf("launch %d: values %v, want %v", n, got, w)
			}
		}
		if uniform && fake.count() != before+2 {
			t.Errorf("%d uniform buffers for two streams", fake.count()-before)
		}
		check(t, errors.Join(a.Close(), b.Close()))
		if fake.count() != before {
			t.Errorf("%d allocations are left", fake.count()-before)
		}
	}
}

// TestEmbeddedAllocates counts what launches allocate, with arguments that change each time.
func TestEmbeddedAllocates(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	for _, uniform := range []bool{true, false} {
		e := embedded(t, uniform)
		d, fake := newFake(t)
		s := must(d.NewStream())
		x, y, z := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64))
		for range 10 { // all that the fake device notes
			check(t, e.Launch(s, D1(1), []uint32{1, 2}, x, y))
		}
		values := []uint32{0, 0}
		if n := testing.AllocsPerRun(100, func() {
			values[0]++
			y, z = z, y
			if err := e.Launch(s, D1(1), values, x, y); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations for each launch, %d launches", n, len(fake.launches))
		}
	}
}

// TestEmbeddedRefuses: what is wrong is an error that says what, zero values too.
func TestEmbeddedRefuses(t *testing.T) {
	e := embedded(t, true)
	d, _ := newFake(t)
	s := must(d.NewStream())
	x, y := must(Alloc[float32](d, 64)), must(Alloc[float32](d, 64))
	values := []uint32{1, 2}
	none := &Embedded{Name: "k", Archive: "PK"}
	unknown := &Embedded{Name: "other", Archive: e.Archive}
	other := artefact()
	other.Target = abi.PTX
	elsewhere := &Embedded{Name: "k", Archive: archiveOf(t, other)}
	for name, test := range map[string]struct {
		err  error
		is   error
		says string
	}{
		"no stream":          {e.Launch(nil, D1(1), values, x, y), ErrClosed, "stream"},
		"a zero stream":      {e.Launch(new(Stream), D1(1), values, x, y), ErrClosed, "stream"},
		"no embedded kernel": {(*Embedded)(nil).Launch(s, D1(1), values, x, y), ErrShape, "no archive"},
		"a zero one":         {new(Embedded).Launch(s, D1(1), values, x, y), ErrShape, "no archive"},
		"no archive":         {none.Launch(s, D1(1), values, x, y), nil, "no zip file"},
		"another name":       {unknown.Launch(s, D1(1), values, x, y), ErrShape, "no such kernel"},
		"another target":     {elsewhere.Launch(s, D1(1), values, x, y), ErrUnsupported, "gpuc gen -target ptx,fake makes it"},
		"no buffer":          {e.Launch(s, D1(1), values, x, nil), ErrShape, "(y): "},
		"no pointer":         {e.Launch(s, D1(1), values, (*Buffer[float32])(nil), y), ErrShape, "(x): "},
		"a zero buffer":      {e.Launch(s, D1(1), values, x, new(Buffer[float32])), ErrShape, "(y): "},
		"few buffers":        {e.Launch(s, D1(1), values, x), ErrShape, "1 buffers for 2"},
		"many buffers":       {e.Launch(s, D1(1), values, x, y, y), ErrShape, "3 buffers for 2"},
		"few values":         {e.Launch(s, D1(1), values[:1], x, y), ErrShape, "1 words"},
		"many values":        {e.Launch(s, D1(1), append(values, 3), x, y), ErrShape, "3 words"},
		"another element":    {e.Launch(s, D1(1), values, must(Alloc[int32](d, 64)), y), ErrShape, "i32"},
		"one buffer twice":   {e.Launch(s, D1(1), values, x, x), ErrAlias, "x"},
		"a grid of nothing":  {e.Launch(s, Grid{X: 1, Y: 0, Z: 1}, values, x, y), ErrShape, "grid"},
	} {
		if test.err == nil || test.is != nil && !errors.Is(test.err, test.is) || !strings.Contains(test.err.Error(), test.says) {
			t.Errorf("%s: %v; want %v that says %q", name, test.err, test.is, test.says)
		}
	}
	check(t, e.Launch(s, D1(1), values, x, y))
	check(t, y.Close())
	if err := e.Launch(s, D1(1), values, x, y); !errors.Is(err, ErrClosed) {
		t.Errorf("with a buffer that was closed: %v", err)
	}
	check(t, s.Close())
	if err := e.Launch(s, D1(1), values, x, x); !errors.Is(err, ErrClosed) {
		t.Errorf("on a closed stream: %v", err)
	}
}
