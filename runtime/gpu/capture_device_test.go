package gpu_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// everyKernel runs a test on each device but the checked interpreter, with a kernel of WGSL.
func everyKernel(t *testing.T, text string, o codegen.Options, run func(t *testing.T, d *gpu.Device, s *gpu.Stream, k *gpu.Kernel)) {
	program, err := jit.Parse("capture.wgsl", text, o)
	if err != nil {
		t.Fatal(err)
	}
	everyMemory(t, func(t *testing.T, d *gpu.Device) {
		k, err := program.Load(d, "main")
		if errors.Is(err, gpu.ErrUnsupported) {
			t.Skipf("skipped: %s has no such kernel: %v", d.Info().ID(), err)
		}
		s, other := d.NewStream()
		if err := errors.Join(err, other); err != nil {
			t.Fatal(err)
		}
		run(t, d, s, k)
	})
}

// ok ends a test on an error.
func ok(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestReplayFaults: the wait behind a replay reports the faults of its launches, also on another
// stream, and once.
func TestReplayFaults(t *testing.T) {
	const text = `
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(1) fn main() { x[x[0]] = 7u; }`
	everyKernel(t, text, codegen.Options{Bounds: opt.BoundsTrap}, func(t *testing.T, d *gpu.Device, s *gpu.Stream, k *gpu.Kernel) {
		ctx := context.Background()
		other, err := d.NewStream()
		x, err2 := gpu.Upload(ctx, d, []uint32{50, 0, 0, 0})
		y, err3 := gpu.Upload(ctx, d, []uint32{1, 0, 0, 0})
		ok(t, err, err2, err3)
		var launch *gpu.Captured
		r, err := s.Capture(func() error {
			err := s.Run(k, gpu.D1(1), x)
			launch = s.Captured()
			return err
		})
		ok(t, err, s.Wait(ctx))
		faults := func(s *gpu.Stream) (n int) {
			for e := range gpu.KernelErrors(s.Wait(ctx)) {
				if n++; e.Index != 50 {
					t.Errorf("%v", e)
				}
			}
			return n
		}
		for _, s := range []*gpu.Stream{s, other} {
			ok(t, r.Replay(s), r.Replay(s))
			if first, second := faults(s), faults(s); first != 1 || second != 0 {
				t.Errorf("%d faults, and then %d", first, second)
			}
		}
		ok(t, r.Replay(s), r.Replay(other), other.After(event(t, s)))
		if first, second := faults(s), faults(other); first != 0 || second != 1 {
			t.Errorf("%d faults on the first stream, and %d on the last", first, second)
		}
		ok(t, k.Close())
		if err := launch.Change(func() error { return s.Run(k, gpu.D1(1), y) }); !errors.Is(err, gpu.ErrClosed) {
			t.Errorf("a launch of a closed kernel instead: %v", err)
		}
		ok(t, r.Replay(s))
		if n := faults(s); n != 1 {
			t.Errorf("%d faults of a closed kernel", n)
		}
		ok(t, r.Replay(s), r.Close(), s.Wait(ctx))
	})
}

func event(t *testing.T, s *gpu.Stream) *gpu.Event {
	t.Helper()
	e, err := s.Record()
	ok(t, err)
	return e
}

// TestReplayTextures: launches with textures are recorded, and their textures stay open.
func TestReplayTextures(t *testing.T) {
	const text = `
@group(0) @binding(0) var source: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> x: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { x[i] += textureLoad(source, vec2u(i, 0), 0).x; }`
	everyKernel(t, text, codegen.Options{}, func(t *testing.T, d *gpu.Device, s *gpu.Stream, k *gpu.Kernel) {
		image, err := d.NewTexture(gpu.TextureDescription{Dimension: texture.D2, Format: texture.R32Uint, Width: 4, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1})
		x, err2 := gpu.Alloc[uint32](d, 4)
		ok(t, err, err2)
		args := k.Args()
		ok(t, args.Bind("source", image), args.Bind("x", x))
		r, err := s.Capture(func() error { return s.Launch(args, gpu.D1(1)) })
		ok(t, err, image.Write(0, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}), image.Close(), k.Close(), r.Replay(s), r.Replay(s))
		var got [4]uint32
		ok(t, x.Read(context.Background(), s, got[:]), r.Close())
		if got != [4]uint32{2, 4, 6, 8} {
			t.Errorf("got %v", got)
		}
	})
}

// TestReplayMessages: the wait behind replays delivers what their launches have printed.
func TestReplayMessages(t *testing.T) {
	const text = `enable gpuc_debug;
@group(0) @binding(0) var<storage, read_write> x: array<u32, 4>;
@compute @workgroup_size(1) fn main() { printf("x is %d", x[0]); x[0]++; }`
	everyKernel(t, text, codegen.Options{Debug: true}, func(t *testing.T, d *gpu.Device, s *gpu.Stream, k *gpu.Kernel) {
		var lines []string
		d.SetMessages(gpu.MessageOptions{Handle: func(m gpu.Messages) {
			for _, message := range m.List {
				lines = append(lines, message.Text)
			}
		}})
		x, err := gpu.Alloc[uint32](d, 4)
		ok(t, err)
		y, err := gpu.Alloc[uint32](d, 4)
		ok(t, err, s.Wait(context.Background()))
		var second *gpu.Captured
		r, err := s.Capture(func() error {
			err := errors.Join(s.Run(k, gpu.D1(1), x), s.Run(k, gpu.D1(1), x))
			second = s.Captured()
			return err
		})
		ok(t, err, r.Replay(s), r.Replay(s), s.Wait(context.Background()))
		if got := strings.Join(lines, ", "); got != "x is 0, x is 1, x is 2, x is 3" {
			t.Errorf("got %s", got)
		}
		lines = nil
		ok(t, second.Change(func() error { return s.Run(k, gpu.D1(1), y) }), r.Replay(s), s.Wait(context.Background()), r.Close())
		if got := strings.Join(lines, ", "); got != "x is 4, x is 0" {
			t.Errorf("after a change: got %s", got)
		}
	})
}
