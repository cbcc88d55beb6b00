package gen

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// countCode adds 1 to y[w] in workgroup w, so that it counts launches of each size.
const countCode = `struct P [size 8, align 4] { a: u32 [offset 0], b: u32 [offset 4] }
var @x : ptr<storage, array<f32>> [group 0, binding 0]
var @y : ptr<storage, array<f32>, read_write> [group 0, binding 1]
var @p : ptr<immediate, P>

kernel @main(%id: vec3<u32> [workgroup_id]) [workgroup 1u, 1u, 1u] {
  %.0 = extract %id, 0u : u32
  %.1 = convert %.0 : i64
  %.2 = mul %.1, 4li : i64
  %.3 = address @y, %.2 [inbounds] : ptr<storage, f32, read_write>
  %.4 = load %.3 : f32
  %.5 = add %.4, 1f : f32
  store %.3, %.5
  return
}
`

// archive returns an archive with kernels of these names, which all count launches. The digest is
// that of each.
func archive(t testing.TB, digest string, names ...string) string {
	t.Helper()
	index := &abi.ArchiveIndex{Package: "example.com/p", Targets: []string{"cpu"}}
	var a abi.Archive
	for _, name := range names {
		k := abi.ArchiveKernel{Name: name, Digest: digest}
		check(t, a.Add(&k, ".ir", &abi.Artefact{Target: abi.CPU, Code: []byte(countCode), Kernel: abi.Kernel{Name: "main", Workgroup: [3]uint32{1, 1, 1},
			Bindings:   []abi.Binding{{Name: "x", Access: abi.Read, Stride: 4, Element: "f32"}, {Name: "y", Binding: 1, Access: abi.ReadWrite, Stride: 4, Element: "f32"}},
			Immediates: &abi.Immediates{Name: "p", Size: 8}}}))
		index.Kernels = append(index.Kernels, k)
	}
	return string(must(a.Marshal(index)))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openCPU opens the CPU device and makes a stream.
func openCPU(t testing.TB) (*gpu.Device, *gpu.Stream) {
	d := must(gpu.Open(gpu.Named(gpu.CPU)))
	t.Cleanup(func() { d.Close() })
	return d, must(d.NewStream())
}

// TestRun uploads, runs and reads back what is written, and nothing else.
func TestRun(t *testing.T) {
	e := &gpu.Embedded{Archive: archive(t, "", "k"), Name: "k"}
	d, _ := openCPU(t)
	x, y := []float32{1, 2, 3, 4, 5}, []float32{6, 7, 8, 9, 10, 11}
	check(t, Run(t.Context(), e, d, gpu.D1(2), []uint32{1, 2}, HostOf(x), HostOf(y)))
	if !slices.Equal(x, []float32{1, 2, 3, 4, 5}) || !slices.Equal(y, []float32{7, 8, 8, 9, 10, 11}) {
		t.Errorf("got %v and %v", x, y)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := Run(ended, e, d, gpu.D1(1), []uint32{1, 2}, HostOf(x), HostOf(y)); !errors.Is(err, context.Canceled) {
		t.Errorf("in a context that has ended: %v", err)
	}
	if got := d.EmbeddedPackages(); !slices.Equal(got, []string{"example.com/p"}) {
		t.Errorf("packages %v", got)
	}
}

// TestRefused: what is wrong is an error that says what, nil and zero values too.
func TestRefused(t *testing.T) {
	e := &gpu.Embedded{Archive: archive(t, "", "k"), Name: "k"}
	d, _ := openCPU(t)
	host := make([]float32, 64)
	run := func(d *gpu.Device, slices ...Host) error {
		return Run(t.Context(), e, d, gpu.D1(1), []uint32{1, 2}, slices...)
	}
	_, two := OneVariant("k", []int{1, 2})
	for name, test := range map[string]struct {
		err  error
		is   error
		says string
	}{
		"no kernel":         {Run(t.Context(), nil, d, gpu.D1(1), nil), gpu.ErrShape, "no archive"},
		"no device":         {run(nil, HostOf(host), HostOf(host)), gpu.ErrClosed, "device"},
		"a zero device":     {run(new(gpu.Device), HostOf(host), HostOf(host)), gpu.ErrClosed, "device: it is nil or none that Open made"},
		"one slice":         {run(d, HostOf(host)), gpu.ErrShape, "1 buffers for 2"},
		"many slices":       {run(d, HostOf(host), HostOf(host), HostOf(host)), gpu.ErrShape, "3 slices"},
		"no slice":          {run(d, HostOf(host), nil), gpu.ErrShape, "y is nil"},
		"an empty slice":    {run(d, HostOf(host), HostOf(host[:0])), gpu.ErrShape, "(y)"},
		"shared memory":     {run(d, HostOf(host[:40]), HostOf(host[39:])), gpu.ErrAlias, "x and y"},
		"no numbers":        {run(d, HostOf(host), HostOf([]string{"a"})), gpu.ErrShape, "string"},
		"a large parameter": {TooLarge("k", "n", 1<<31), gpu.ErrLimit, "n is 2147483648"},
		"no instance":       {NoInstance[func(int8, string)]("k"), gpu.ErrShape, "no instance for func(int8, string)"},
		"two variants":      {two, gpu.ErrShape, "it is given 2"},
	} {
		if !errors.Is(test.err, test.is) || !strings.Contains(test.err.Error(), test.says) {
			t.Errorf("%s: %v; want %v that says %q", name, test.err, test.is, test.says)
		}
	}
}
