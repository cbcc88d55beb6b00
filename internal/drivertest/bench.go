// What launches and copies cost.

package drivertest

import (
	"context"
	"errors"
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// Bench measures launches and copies.
func Bench(b *testing.B, d driver.Driver, artefact *abi.Artefact) {
	wait := context.Background()
	b.Run("launch", func(b *testing.B) { // one of many in flight
		f, l := small(b, d, artefact)
		b.ReportAllocs()
		for b.Loop() {
			f.Check(f.Stream.Launch(l))
		}
		f.Check(f.Stream.Wait(wait))
	})
	b.Run("launch and wait", func(b *testing.B) {
		f, l := small(b, d, artefact)
		b.ReportAllocs()
		for b.Loop() {
			f.Check(f.Stream.Launch(l))
			f.Check(f.Stream.Wait(wait))
		}
	})
	b.Run("launch with textures", func(b *testing.B) {
		f := New(b, d, artefact)
		texels := plane(texture.R32Uint, 8, 8, 1)
		if m, err := f.Device.NewTexture(&texels); errors.Is(err, driver.ErrUnsupported) {
			b.Skipf("skipped: %s has no textures", f.Device.Info().Name)
		} else {
			f.Check(err)
			f.Check(m.Free())
		}
		l := &driver.Launch{
			Kernel: f.Compile(TextureKernels, "plus"), Bindings: []driver.Slice{f.step(1)},
			Handles: []driver.Handle{handle(f.texture(texels)), handle(f.texture(texels))}, Grid: [3]uint32{1, 1, 1},
		}
		b.ReportAllocs()
		for b.Loop() {
			f.Check(f.Stream.Launch(l))
		}
		f.Check(f.Stream.Wait(wait))
	})
	b.Run("alloc and free 1 MiB", func(b *testing.B) {
		f, _ := small(b, d, artefact)
		for b.Loop() {
			f.Check(f.Alloc(1 << 20).Free())
		}
	})
	for _, c := range []struct {
		name string
		size int
	}{{"4KiB", 4 << 10}, {"64KiB", 64 << 10}, {"1MiB", 1 << 20}, {"16MiB", 16 << 20}, {"128MiB", 128 << 20}} {
		f := New(b, d, artefact)
		host, m := make([]byte, c.size), f.Alloc(c.size)
		b.Run("write "+c.name, func(b *testing.B) {
			b.SetBytes(int64(c.size))
			for b.Loop() {
				f.Check(f.Stream.Write(Whole(m), host))
				f.Check(f.Stream.Wait(wait))
			}
		})
		b.Run("read "+c.name, func(b *testing.B) {
			b.SetBytes(int64(c.size))
			for b.Loop() {
				f.Check(f.Stream.Read(host, Whole(m)))
			}
		})
		f.Check(m.Free())
	}
}

// small is a launch of a single workgroup, which costs what launching costs.
func small(b *testing.B, d driver.Driver, artefact *abi.Artefact) (*Fixture, *driver.Launch) {
	f := New(b, d, artefact)
	return f, Launch(f.Kernel, f.Alloc(256), f.Alloc(256), f.Upload([]float32{1}))
}
