package gpu_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// trapSource has a kernel for each way to leave an array. Elements of x are at
// least as many as the invocations of one workgroup.
const trapSource = `
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@group(0) @binding(1) var<storage, read> limit: array<u32, 2>;
var<workgroup> shared_words: array<u32, 8>;
var<private> table: array<u32, 4>;

@compute @workgroup_size(8)
fn store(@builtin(global_invocation_id) id: vec3<u32>) {
  x[id.x + limit[0]] = id.x;
}

@compute @workgroup_size(8)
fn load(@builtin(local_invocation_index) i: u32) {
  let v = x[i32(i) - i32(limit[0])];
  storageBarrier();
  x[i] = v;
}

@compute @workgroup_size(8)
fn group(@builtin(local_invocation_index) i: u32) {
  shared_words[i] = i;
  workgroupBarrier();
  let neighbour = shared_words[i + limit[0]];
  workgroupBarrier();
  x[i] = neighbour;
}

fn pick(i: u32) -> u32 {
  return table[i];
}

@compute @workgroup_size(8)
fn private_array(@builtin(local_invocation_index) i: u32) {
  for (var k = 0u; k < 4u; k++) { table[k] = k + limit[0]; }
  x[i] = pick(i * limit[0]);
}

@compute @workgroup_size(8)
fn vector(@builtin(local_invocation_index) i: u32) {
  var v = vec4<u32>(limit[0]);
  v[i] = 1u;
  x[i] = v[0];
}

@compute @workgroup_size(8)
fn loop_of(@builtin(local_invocation_index) i: u32) {
  var at = 0u;
  for (var k = 0u; k < limit[0]; k++) { at += x[k + 1000u]; }
  storageBarrier();
  x[i] = at;
}
`

// trapRun is a launch in trap mode and what becomes of it.
type trapRun struct {
	entry    string
	groups   uint32
	elements int
	limit    uint32
	// fault is the error without the invocation's part, or nil.
	fault *gpu.KernelError
	// faulty reports whether an invocation may be the one that is named.
	faulty func(x uint32, e *gpu.KernelError) bool
}

var trapRuns = []trapRun{
	{"store", 2, 16, 0, nil, nil},
	{"store", 2, 16, 1, &gpu.KernelError{Line: 9, Column: 3, Length: 18, Name: "x", Elements: 16, Index: 16},
		func(x uint32, e *gpu.KernelError) bool { return x == 15 }},
	{"store", 64, 16, 0, &gpu.KernelError{Line: 9, Column: 3, Length: 18, Name: "x", Elements: 16},
		func(x uint32, e *gpu.KernelError) bool { return x >= 16 && x < 512 && int64(x) == e.Index }},
	{"load", 1, 8, 0, nil, nil},
	{"load", 1, 8, 1, &gpu.KernelError{Line: 14, Column: 11, Length: 25, Name: "x", Elements: 8, Index: -1},
		func(x uint32, e *gpu.KernelError) bool { return x == 0 }},
	{"group", 1, 8, 0, nil, nil},
	{"group", 1, 8, 5, &gpu.KernelError{Line: 23, Column: 19, Length: 26, Name: "shared_words", Elements: 8},
		func(x uint32, e *gpu.KernelError) bool { return x >= 3 && x < 8 && int64(x)+5 == e.Index }},
	{"private_array", 1, 8, 0, nil, nil},
	{"private_array", 1, 8, 1, &gpu.KernelError{Line: 29, Column: 10, Elements: 4},
		func(x uint32, e *gpu.KernelError) bool { return x >= 4 && x < 8 && int64(x) == e.Index }},
	{"vector", 1, 8, 0, &gpu.KernelError{Line: 41, Column: 3, Elements: 4},
		func(x uint32, e *gpu.KernelError) bool { return x >= 4 && x < 8 && int64(x) == e.Index }},
	// a load that does not depend on the loop is not executed if the loop is not
	{"loop_of", 1, 8, 0, nil, nil},
	{"loop_of", 1, 8, 1, &gpu.KernelError{Line: 48, Column: 47, Length: 12, Name: "x", Elements: 8, Index: 1000},
		func(x uint32, e *gpu.KernelError) bool { return x < 8 }},
}

// TestFaults launches kernels in trap mode on every device.
func TestFaults(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Error(err)
	}
	for _, optimize := range []bool{true, false} {
		p, err := jit.Parse("trap.wgsl", trapSource, codegen.Options{Bounds: opt.BoundsTrap, NoOptimize: !optimize})
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range infos {
			d, err := gpu.Open(gpu.Named(info.ID()))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range trapRuns {
				name := fmt.Sprintf("%s/optimized=%v/%s of %d over %d", info.ID(), optimize, r.entry, r.groups, r.limit)
				t.Run(name, func(t *testing.T) { r.run(t, d, p) })
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// open loads the run's kernel and lays out its arguments.
func (r *trapRun) open(t *testing.T, d *gpu.Device, p *jit.Program) (*gpu.Stream, *gpu.Args, *gpu.Buffer[uint32]) {
	t.Helper()
	k, err := p.Load(d, r.entry)
	if err != nil {
		t.Fatal(err)
	}
	x, err := gpu.Alloc[uint32](d, r.elements)
	if err != nil {
		t.Fatal(err)
	}
	limit, err := gpu.Upload(context.Background(), d, []uint32{r.limit, 0})
	if err != nil {
		t.Fatal(err)
	}
	args := k.Args()
	for n, b := range []gpu.Bound{x, limit} {
		if err := args.Set(n, b); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(k.Describe().Arguments()); args.Set(n, x) == nil {
		t.Errorf("binding %d, the record, may be set", n)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, args, x
}

func (r *trapRun) run(t *testing.T, d *gpu.Device, p *jit.Program) {
	s, args, x := r.open(t, d, p)
	for round := range 2 { // the record is empty again for the second
		for range 3 {
			if err := s.Launch(args, gpu.D1(r.groups)); err != nil {
				t.Fatal(err)
			}
		}
		err := s.Wait(context.Background())
		if round == 1 {
			// the same through Read, which fills the memory too
			for range 2 {
				if err := s.Launch(args, gpu.D1(r.groups)); err != nil {
					t.Fatal(err)
				}
			}
			err = x.Read(context.Background(), s, make([]uint32, r.elements))
		}
		var got *gpu.KernelError
		if r.fault == nil {
			if err != nil {
				t.Errorf("round %d: %v", round, err)
			}
			continue
		}
		if !errors.As(err, &got) || !errors.Is(err, gpu.ErrFault) {
			t.Fatalf("round %d: got error %v, want a fault", round, err)
		}
		if got.Invocation[1] != 0 || got.Invocation[2] != 0 || !r.faulty(got.Invocation[0], got) {
			t.Errorf("invocation %v is named with index %d", got.Invocation, got.Index)
		}
		if got.Index >= 0 && got.Index < int64(got.Elements) {
			t.Errorf("index %d of %d is no fault", got.Index, got.Elements)
		}
		want := *r.fault
		want.Kernel, want.File, want.Invocation = r.entry, "trap.wgsl", got.Invocation
		if want.Index == 0 {
			want.Index = got.Index
		}
		if want.Length == 0 { // how much of the line is meant depends on the passes
			want.Length, want.Name = got.Length, got.Name
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("another fault (-want +got):\n%s", diff)
		}
		if err := s.Wait(context.Background()); err != nil {
			t.Errorf("a fault is reported again: %v", err)
		}
	}
}

// TestFaultsOfSeveralKernels keeps kernels and streams apart.
func TestFaultsOfSeveralKernels(t *testing.T) {
	d, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := jit.Parse("trap.wgsl", trapSource, codegen.Options{Bounds: opt.BoundsTrap})
	if err != nil {
		t.Fatal(err)
	}
	bad, args, _ := trapRuns[1].open(t, d, p)
	good, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	load := trapRuns[4]
	_, others, _ := load.open(t, d, p)
	launch := func(s *gpu.Stream, a *gpu.Args, groups uint32) {
		t.Helper()
		if err := s.Launch(a, gpu.D1(groups)); err != nil {
			t.Fatal(err)
		}
	}
	launch(bad, args, 2)
	launch(bad, others, 1)
	// both streams work on one buffer, so one follows the other; an event's wait
	// reports nothing
	done, err := bad.Record()
	if err == nil {
		err = done.Wait(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	launch(good, args, 1)
	if err := good.Wait(context.Background()); err != nil {
		t.Errorf("the other stream's fault is reported: %v", err)
	}
	err = bad.Wait(context.Background())
	var kernels []string
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			var fault *gpu.KernelError
			if errors.As(e, &fault) {
				kernels = append(kernels, fault.Kernel)
			}
		}
	}
	if want := []string{"store", "load"}; !slices.Equal(kernels, want) {
		t.Errorf("got faults of %v, want of %v, from %v", kernels, want, err)
	}
}

// TestFaultRecordsDoNotAllocate is TestLaunchDoesNotAllocate in trap mode.
func TestFaultRecordsDoNotAllocate(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	d, err := gpu.Open(gpu.Named(gpu.Vulkan))
	if errors.Is(err, gpu.ErrNoDevice) {
		t.Skip("skipped: no Vulkan device (lavapipe, of Debian's mesa-vulkan-drivers with libvulkan1, is one)")
	} else if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := jit.Parse("trap.wgsl", trapSource, codegen.Options{Bounds: opt.BoundsTrap})
	if err != nil {
		t.Fatal(err)
	}
	s, args, _ := trapRuns[0].open(t, d, p)
	const launches = 1000
	n := testing.AllocsPerRun(5, func() {
		for range launches {
			if err := s.Launch(args, gpu.D1(1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
	if n > launches/100 {
		t.Errorf("%d launches and a wait allocate %v times", launches, n)
	}
}

// TestKernelErrors goes over errors that are joined and wrapped, and ends where the loop does.
func TestKernelErrors(t *testing.T) {
	a, b, c := &gpu.KernelError{Kernel: "a"}, &gpu.KernelError{Kernel: "b"}, &gpu.KernelError{Kernel: "c"}
	err := errors.Join(errors.New("another"), fmt.Errorf("twice: %w", errors.Join(a, b)), nil, c)
	for n, want := range []string{"", "a", "ab", "abc"} {
		got := ""
		if n > 0 {
			for e := range gpu.KernelErrors(err) {
				if got += e.Kernel; len(got) == n {
					break
				}
			}
		}
		if got != want {
			t.Errorf("the first %d are %s, want %s", n, got, want)
		}
	}
	for range gpu.KernelErrors(errors.Join(nil, (*gpu.KernelError)(nil), errors.New("another"))) {
		t.Error("there is a kernel error where there is none")
	}
	for range gpu.KernelErrors(nil) {
		t.Error("there is a kernel error in nil")
	}
}
