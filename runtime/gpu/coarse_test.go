package gpu

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// coarseArtefact is an artefact with workgroups of 64 by 2 and a large-launch variant. A workgroup
// of the variant does the work of three in y. It needs 1,000 invocations, and 56 more than the word
// of the immediates to be an index of the first buffer.
func coarseArtefact() *abi.Artefact {
	a := artefact()
	form := artefact()
	form.Kernel.Immediates = &abi.Immediates{Name: "n", Size: 4}
	a.Kernel.Immediates = &abi.Immediates{Name: "n", Size: 4}
	form.Kernel.Extent = &abi.Extent{Offset: 4, Dimensions: []int{1}}
	a.Coarse = &abi.Coarse{Factor: [3]uint32{1, 3, 1}, MinInvocations: 1000, Artefact: form,
		Checks: []abi.BoundsCheck{{Sum: []abi.Product{{Factor: 1, Of: []abi.Quantity{{Kind: abi.Word}}}, {Factor: 56}}}}}
	return a
}

// coarseArgs are arguments of its kernel, for which what a coarse launch demands holds.
func coarseArgs(t *testing.T, d *Device, k *Kernel) *Args {
	args := k.Args()
	check(t, args.Set(0, must(Alloc[float32](d, 64))))
	check(t, args.Set(1, must(Alloc[float32](d, 64))))
	check(t, args.Set(2, must(Alloc[uint32](d, 2))))
	check(t, args.SetImmediates([]byte{7, 0, 0, 0}))
	return args
}

// TestCoarse says which form launches have, over how many workgroups and with which immediates:
// those of the program, and after them in the coarse form how many rows there are.
func TestCoarse(t *testing.T) {
	d, fake := newFake(t)
	k := must(d.Load(coarseArtefact()))
	s := must(d.NewStream())
	args := coarseArgs(t, d, k)
	if fake.loads != 1 {
		t.Errorf("%d kernels were loaded before a launch is large", fake.loads)
	}
	for _, test := range []struct {
		grid   Grid
		want   [3]uint32
		coarse bool
		rows   uint32
	}{
		{D2(2, 3), [3]uint32{2, 3, 1}, false, 0},   // 256 invocations would be left
		{D2(8, 3), [3]uint32{8, 1, 1}, true, 6},    // 1,024
		{D2(8, 4), [3]uint32{8, 2, 1}, true, 8},    // the last workgroup has one to do
		{D2(7, 3), [3]uint32{7, 3, 1}, false, 0},   // 896
		{D2(0, 30), [3]uint32{0, 30, 1}, false, 0}, // nothing
		{Items2(640, 12), [3]uint32{10, 2, 1}, true, 12},
	} {
		check(t, s.Launch(args, test.grid))
		l := fake.launches[len(fake.launches)-1]
		want := []byte{7, 0, 0, 0}
		if test.coarse {
			want = binary.LittleEndian.AppendUint32(want, test.rows)
		}
		if l.Grid != test.want || (l.Kernel != k.kernel) != test.coarse || !slices.Equal(l.Immediates, want) {
			t.Errorf("%v: grid %v, immediates %v, coarse %v", test.grid, l.Grid, l.Immediates, l.Kernel != k.kernel)
		}
	}
	if fake.loads != 2 {
		t.Errorf("%d kernels were loaded, want one for each form", fake.loads)
	}
	form := k.coarse.loaded.(*fakeKernel)
	check(t, k.Close())
	check(t, s.Wait(t.Context()))
	if !form.closed {
		t.Error("the coarse form was not closed")
	}
}

// TestCoarseTables says that each form has its own tables, and one memory if those are the same.
func TestCoarseTables(t *testing.T) {
	for _, same := range []bool{false, true} {
		d, fake := newFake(t)
		a := coarseArtefact()
		forms := []*abi.Kernel{&a.Kernel, &a.Coarse.Artefact.Kernel}
		want := [][]byte{{1, 2, 3, 4, 5, 6, 7, 8}, {5, 6, 7, 8, 1, 2, 3, 4}}
		if same {
			want[1] = want[0]
		}
		for n, k := range forms {
			k.Bindings = append(slices.Clone(k.Bindings), abi.Binding{Name: "constant.tables", Binding: 3, Access: abi.Read, Size: 8})
			k.Tables = want[n]
		}
		k := must(d.Load(a))
		s := must(d.NewStream())
		args := coarseArgs(t, d, k)
		var memory [2]driver.Memory
		for _, form := range []int{0, 1, 0, 1} {
			check(t, s.Launch(args, []Grid{D2(2, 3), D2(8, 3)}[form]))
			l := fake.launches[len(fake.launches)-1]
			if (l.Kernel != k.kernel) != (form == 1) || len(l.Bindings) != 4 {
				t.Fatalf("form %d: another form was launched, or with %d bindings", form, len(l.Bindings))
			}
			tables := l.Bindings[3]
			got := make([]byte, tables.Bytes)
			check(t, s.stream.Read(got, tables))
			if !slices.Equal(got, want[form]) {
				t.Errorf("form %d has the tables %v, expected %v", form, got, want[form])
			}
			memory[form] = tables.Memory
		}
		if (memory[0] == memory[1]) != same {
			t.Errorf("the forms share their tables: %v", !same)
		}
		check(t, k.Close())
		check(t, s.Close())
	}
}

// TestCoarseElsewhere loads what says nothing right of a coarse form, whose launches are those of
// the other one.
func TestCoarseElsewhere(t *testing.T) {
	d, fake := newFake(t)
	for name, change := range map[string]func(*abi.Coarse){
		"other bindings": func(c *abi.Coarse) { c.Artefact.Kernel.Bindings = c.Artefact.Kernel.Bindings[:2] },
		"other bindings of the runtime": func(c *abi.Coarse) {
			k := &c.Artefact.Kernel
			k.Bindings, k.Tables = slices.Clone(k.Bindings), []byte{1, 2, 3, 4, 5, 6, 7, 8}
		},
		"a factor of zero":           func(c *abi.Coarse) { c.Factor[2] = 0 },
		"no artefact":                func(c *abi.Coarse) { c.Artefact = nil },
		"a buffer that is too small": func(c *abi.Coarse) { c.Checks[0].Sum[1].Factor++ },
		"no such buffer":             func(c *abi.Coarse) { c.Checks[0].Binding = 3 },
		"too many positions":         func(c *abi.Coarse) { c.Artefact.Kernel.Workgroup[0] = 1 << 30 },
	} {
		a := coarseArtefact()
		change(a.Coarse)
		k := must(d.Load(a))
		s := must(d.NewStream())
		args := coarseArgs(t, d, k)
		check(t, s.Launch(args, D2(8, 3)))
		if l := fake.launches[len(fake.launches)-1]; l.Kernel != k.kernel || l.Grid != [3]uint32{8, 3, 1} {
			t.Errorf("%s: launched over %v", name, l.Grid)
		}
		check(t, s.Close())
	}
}
