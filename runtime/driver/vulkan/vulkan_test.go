package vulkan

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/driver/drivertest"
)

// testDriver is shared, because an instance is made once per process.
var testDriver Driver

func TestDriver(t *testing.T)      { drivertest.Run(t, &testDriver, drivertest.AxpySPIRV()) }
func BenchmarkDriver(b *testing.B) { drivertest.Bench(b, &testDriver, drivertest.AxpySPIRV()) }

// TestLoadRefusals are the limits that only Vulkan has.
func TestLoadRefusals(t *testing.T) {
	f := drivertest.New(t, &testDriver, drivertest.AxpySPIRV())
	for name, change := range map[string]func(a *abi.Artefact){
		"a truncated module":     func(a *abi.Artefact) { a.Code = a.Code[:18] },
		"a group past the limit": func(a *abi.Artefact) { a.Kernel.Bindings[0].Group = 1 << 16 },
		"an unknown access":      func(a *abi.Artefact) { a.Kernel.Bindings[0].Access = "append" },
	} {
		a := drivertest.AxpySPIRV()
		change(a)
		if _, err := f.Device.Load(a); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: got %v, want ErrUnsupported", name, err)
		}
	}
}

// TestBarriers counts barriers: one opens a batch, the others stand only before
// commands that conflict with an earlier one. (Lavapipe runs commands in order,
// so results do not show a missing barrier.)
func TestBarriers(t *testing.T) {
	f := drivertest.New(t, &testDriver, drivertest.AxpySPIRV())
	a, x, y, z := f.Alloc(4), f.Alloc(256), f.Alloc(256), f.Alloc(256)
	w := f.Alloc(256)
	for _, c := range []struct {
		name string
		want uint32
		run  func() error
	}{
		{"first", 1, func() error { return f.Stream.Launch(drivertest.Launch(f.Kernel, x, y, a)) }},
		{"other output, shared input", 1, func() error { return f.Stream.Launch(drivertest.Launch(f.Kernel, x, z, a)) }},
		{"read after write", 2, func() error { return f.Stream.Launch(drivertest.Launch(f.Kernel, y, w, a)) }},
		{"read after read", 2, func() error { return f.Stream.Copy(drivertest.Whole(x), drivertest.Whole(z)) }},
		{"write after read", 3, func() error { return f.Stream.Write(drivertest.Whole(z), make([]byte, 256)) }},
		{"write after write", 4, func() error { return f.Stream.Copy(drivertest.Whole(z), drivertest.Whole(y)) }},
		{"write of memory untouched since", 4, func() error { return f.Stream.Write(drivertest.Whole(a), make([]byte, 4)) }},
	} {
		f.Check(c.run())
		if got := f.Stream.(*stream).batch.epoch; got != c.want {
			t.Errorf("%s: %d barriers, want %d", c.name, got, c.want)
		}
	}
	f.Check(f.Stream.Wait(context.Background()))
}

// TestBlock takes and gives spans at random: they never overlap, keep their
// alignment, and leave one free span in the end.
func TestBlock(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	b := &block{bytes: 1 << 16, free: []span{{0, 1 << 16}}}
	var taken []span
	for range 5000 {
		if len(taken) > 0 && random.IntN(2) == 0 {
			i := random.IntN(len(taken))
			b.give(taken[i])
			taken = append(taken[:i], taken[i+1:]...)
			continue
		}
		alignment := uint64(1) << random.IntN(9)
		s, ok := b.take(1+random.Uint64N(3000), alignment)
		if !ok {
			continue
		}
		if s.offset%alignment != 0 || s.offset+s.bytes > b.bytes {
			t.Fatalf("span %+v for alignment %d", s, alignment)
		}
		for _, o := range taken {
			if s.offset < o.offset+o.bytes && o.offset < s.offset+s.bytes {
				t.Fatalf("span %+v overlaps %+v", s, o)
			}
		}
		taken = append(taken, s)
	}
	for _, s := range taken {
		b.give(s)
	}
	if len(b.free) != 1 || b.free[0] != (span{0, 1 << 16}) {
		t.Errorf("free spans in the end: %+v", b.free)
	}
}
