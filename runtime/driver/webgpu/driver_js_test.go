package webgpu_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/driver/webgpu"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// These tests run in a browser (webgpu_test.go).

func TestDriver(t *testing.T) {
	const allocates = "values of JavaScript are allocated"
	const blocks = "a goroutine that never waits keeps the page from going on"
	drivertest.RunBut(t, new(webgpu.Driver), drivertest.Axpy("wgsl"), map[string]string{
		"launches do not allocate": allocates, "replays do not allocate": allocates, "transfers do not allocate": allocates,
		"concurrency": blocks,
	})
}

const program = `
var<immediate> factor: u32;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3u) {
	if g.x < arrayLength(&y) { y[g.x] = y[g.x] * factor + x[g.x % arrayLength(&x)]; }
}`

// TestProgram is a program of runtime/gpu as it runs elsewhere, too: buffers of the pool, launches,
// a capture, asynchronous reads.
func TestProgram(t *testing.T) {
	ctx := context.Background()
	ok := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	d, err := gpu.Open(gpu.Named(gpu.WebGPU))
	ok(err)
	parsed, err := jit.Parse("program.wgsl", program, codegen.Options{})
	ok(err)
	k, err := parsed.Load(d, "main")
	ok(err)
	s, err := d.NewStream()
	ok(err)
	const n = 1000
	x, err1 := gpu.Upload(ctx, d, []uint32{1, 2, 3})
	arena, err2 := s.NewArena(1 << 16)
	ok(err1, err2)
	want := make([]uint32, n)
	launched := func(times int) {
		for range times {
			for i := range want {
				want[i] = want[i]*7 + uint32(i%3) + 1
			}
		}
	}
	for _, from := range []gpu.Allocator{d, s, arena} {
		y, err := gpu.Alloc[uint32](from, n)
		ok(err)
		clear(want)
		args := k.Args()
		ok(args.Bind("x", x), args.Bind("y", y), gpu.SetImmediates(args, uint32(7)))
		for range 40 {
			ok(s.Launch(args, k.Cover(n, 1, 1)))
		}
		launched(40)
		r, err := s.Capture(func() error { return errors.Join(s.Launch(args, k.Cover(n, 1, 1)), s.Launch(args, k.Cover(n, 1, 1))) })
		ok(err, r.Replay(s), r.Replay(s))
		launched(4)
		got := make([]uint32, n)
		read, err := y.ReadAsync(s, got)
		ok(err, read.Wait(ctx))
		if !slices.Equal(got, want) {
			t.Errorf("%T: wrong numbers: %v, want %v", from, got[:5], want[:5])
		}
		ok(r.Close(), y.Close())
	}
	ok(arena.Reset(), d.Trim(), d.Close())
}

// TestRefused: what the browser says of a kernel reaches the program, and the device goes on.
func TestRefused(t *testing.T) {
	d, err := gpu.Open(gpu.Named(gpu.WebGPU))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	a := drivertest.Axpy("wgsl")
	a.Code = []byte(strings.Replace(string(a.Code), "arrayLength", "arraylength", 1))
	if _, err := d.Load(a); !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), "arraylength") {
		t.Errorf("a wrong kernel: %v", err)
	}
	if _, err := d.Load(drivertest.Axpy("wgsl")); err != nil {
		t.Error(err)
	}
}
