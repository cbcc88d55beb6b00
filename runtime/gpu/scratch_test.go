package gpu

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
)

// TestScratch launches kernels that want 16 bytes for each of the 128 invocations of
// a workgroup, on a device whose buffers have 4096 at most.
func TestScratch(t *testing.T) {
	d, fake := newFake(t)
	a := &abi.Artefact{Target: "fake", Kernel: abi.Kernel{
		Name: "k", Workgroup: [3]uint32{64, 2, 1},
		Bindings: []abi.Binding{
			{Name: "x", Access: abi.Read, Stride: 4, Element: "f32"},
			{Name: "scratch", Binding: 1, Access: abi.ReadWrite, Stride: 16},
			{Name: "tables", Binding: 2, Access: abi.Read, Size: 8},
		},
		Scratch: &abi.Scratch{Stride: 16, Name: "t", NameBytes: 12},
		Tables:  make([]byte, 8),
	}}
	k, other := must(d.Load(a)), must(d.Load(a))
	s := must(d.NewStream())
	x := must(Alloc[float32](d, 8))
	before := fake.count()
	for n, test := range []struct {
		kernel *Kernel
		grid   Grid
		want   uint64 // bytes, 0 for none
	}{
		{k, Grid{X: 1, Y: 1, Z: 1}, 2048}, {k, Grid{X: 0, Y: 100, Z: 10}, 16}, {other, Grid{X: 1, Y: 1, Z: 2}, 4096}, {k, Grid{X: 1, Y: 1, Z: 1}, 2048},
		{k, Grid{X: 1, Y: 1, Z: 3}, 0}, {k, Grid{X: 100, Y: 100, Z: 10}, 0}, {other, Grid{X: 2, Y: 1, Z: 1}, 4096},
	} {
		fake.launches = nil
		err := s.Run(test.kernel, test.grid, x)
		if test.want == 0 {
			const want = "128 invocations with 16 bytes of variables each, the largest is `t` with 12, " +
				"but a buffer on cuda:0 has at most 4096 bytes; launch at most 2 workgroups at a time or use smaller variables"
			if !errors.Is(err, ErrLimit) || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("launch %d: got %v, want … %s", n, err, want)
			}
			continue
		}
		check(t, err)
		if got := fake.launches[0].Bindings; len(got) != 3 || got[1].Offset != 0 || got[1].Bytes != test.want {
			t.Errorf("launch %d: the bindings are %+v, want %d bytes", n, got, test.want)
		}
		if live := fake.count() - before; live != 1 {
			t.Errorf("launch %d: %d allocations are alive, want one for both kernels", n, live)
		}
	}
	check(t, s.Close())
	if live := fake.count() - before; live != 0 {
		t.Errorf("%d allocations outlive the stream", live)
	}
	check(t, errors.Join(k.Close(), other.Close(), x.Close()))
}

// TestDescriptionsThatDoNotFit loads descriptions that name bindings which are not
// there, and scratch memory that is not laid out as its binding.
func TestDescriptionsThatDoNotFit(t *testing.T) {
	d, _ := newFake(t)
	binding := []abi.Binding{{Name: "scratch", Access: abi.ReadWrite, Stride: 16}}
	for n, k := range []abi.Kernel{
		{Fault: new(abi.Fault)},
		{Tables: []byte{1}},
		{Bindings: binding, Scratch: &abi.Scratch{Stride: 16}, Fault: new(abi.Fault)},
		{Bindings: binding, Scratch: &abi.Scratch{Stride: 12}},
		{Bindings: make([]abi.Binding, 1), Scratch: new(abi.Scratch)},
	} {
		if _, err := d.Load(&abi.Artefact{Target: "fake", Kernel: k}); !errors.Is(err, ErrShape) {
			t.Errorf("description %d: got %v, want %v", n, err, ErrShape)
		}
	}
	must(d.Load(&abi.Artefact{Target: "fake", Kernel: abi.Kernel{Bindings: binding, Scratch: &abi.Scratch{Stride: 16}}}))
}
