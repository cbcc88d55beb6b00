package gpu_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// everyMemory runs a test on each device but interpreters: memory needs no kernel.
func everyMemory(t *testing.T, run func(t *testing.T, d *gpu.Device)) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Error(err)
	}
	for _, info := range infos {
		if info.Driver == gpu.CPU && info.Index != 0 {
			continue
		}
		t.Run(info.ID(), func(t *testing.T) {
			d, err := gpu.Open(gpu.Named(info.ID()))
			if err != nil {
				t.Fatal(err)
			}
			run(t, d)
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReusedMemoryIsZero fills buffers of devices, streams and arenas, and closes them. Those that
// get their memory are zeros.
func TestReusedMemoryIsZero(t *testing.T) {
	ctx := context.Background()
	everyMemory(t, func(t *testing.T, d *gpu.Device) {
		failed := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		s, err := d.NewStream()
		failed(err)
		arena, err := s.NewArena(1 << 16)
		failed(err)
		for name, from := range map[string]gpu.Allocator{"device": d, "stream": s, "arena": arena} {
			reserved := uint64(0)
			for round := range 20 {
				var open []*gpu.Buffer[uint32]
				for n := range 4 {
					b, err := gpu.Alloc[uint32](from, 100+3000*n+50*round%200)
					failed(err)
					got := make([]uint32, b.Len())
					failed(b.Read(ctx, s, got))
					for i := range got {
						if got[i] != 0 {
							t.Fatalf("%s, round %d: word %d of %d is %#x", name, round, i, len(got), got[i])
						}
						got[i] = ^uint32(0)
					}
					failed(b.Write(s, got))
					open = append(open, b)
				}
				for _, b := range open {
					failed(b.Close())
				}
				if from == gpu.Allocator(arena) {
					failed(arena.Reset())
				}
				if round == 10 {
					reserved = d.Memory().BlocksReserved
				}
			}
			if m := d.Memory(); m.BlocksReserved != reserved {
				t.Errorf("%s: the last rounds reserve %d blocks: %+v", name, m.BlocksReserved-reserved, m)
			}
		}
		failed(errors.Join(arena.Close(), s.Close(), d.Trim()))
		if m := d.Memory(); m.InUse != 0 || m.Reserved != 0 {
			t.Errorf("all is closed: %+v", m)
		}
	})
}

// TestMemoryLimit allocates beyond a limit on devices.
func TestMemoryLimit(t *testing.T) {
	everyMemory(t, func(t *testing.T, d *gpu.Device) {
		if err := d.SetMemoryLimit(8 << 20); err != nil {
			t.Fatal(err)
		}
		a, err := gpu.Alloc[byte](d, 5<<20)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gpu.Alloc[byte](d, 5<<20); !errors.Is(err, gpu.ErrOutOfMemory) {
			t.Errorf("beyond the limit: %v", err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := gpu.Alloc[byte](d, 7<<20); err != nil {
			t.Errorf("within the limit, once the other is closed: %v", err)
		}
	})
}
