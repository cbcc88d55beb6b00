package gofuzz

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/internal/gofuzz/spec"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestSpec runs the kernels of package spec as plain Go, on emulators and on the CPU, and compares
// their slices.
func TestSpec(t *testing.T) {
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: "spec"}, &list, ".")
	if err != nil {
		t.Fatal(err)
	}
	if m == nil || list.Errors() > 0 {
		var text strings.Builder
		diag.Write(&text, &set, list.Items())
		t.Fatal(text.String())
	}
	if n := len(m.Kernels()); n != len(spec.Kernels) {
		t.Errorf("the package has %d kernels, and lists %d", n, len(spec.Kernels))
	}
	for name, k := range spec.Kernels {
		own := m.Clone()
		ir.Isolate(own, own.Func(name))
		c := difftest.Case{Name: name, Language: "ir", Code: own.Text(), Entry: name, Dispatch: [3]int{spec.Groups, 1, 1}}
		before, after := specData(), specData()
		gpu.EachGroup(gpu.D1(spec.Groups), gpu.Int3{X: spec.Size, Y: 1, Z: 1}, func() func(gpu.Item) {
			tile := new(spec.Tile)
			return func(it gpu.Item) { k(it, tile, len(after.In), after.In, after.Cells, after.Out) }
		})
		put := func(name, kind string, before, after any) {
			b := difftest.Binding{Binding: len(c.Bindings), Name: name, Kind: kind}
			b.Data, _ = binary.Append(nil, binary.LittleEndian, before)
			b.Want, _ = binary.Append(nil, binary.LittleEndian, after)
			c.Bindings = append(c.Bindings, b)
		}
		put("in", "storage", before.In, after.In)
		put("cells", "storage", before.Cells, after.Cells)
		put("out", "storage", before.Out, after.Out)
		c.Immediates, _ = binary.Append(nil, binary.LittleEndian, int32(len(before.In)))
		for _, way := range []string{"cpu", "cpu:checked", "spirv", "ptx"} {
			w, err := campaign.Open(way)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"robust,wgsl", "robust,wgsl,-O0", "trap,wgsl"} {
				o, err := campaign.ParseConfiguration(text)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Run(&c, o); err != nil {
					t.Errorf("%s  %s  %s: %v", name, way, text, err)
				}
			}
		}
	}
}

// specContents are the slices of the kernels.
type specContents struct {
	In    []uint32
	Cells []spec.Cell
	Out   [][spec.Results]uint32
}

func specData() *specContents {
	c := &specContents{
		In:    make([]uint32, 13),
		Cells: make([]spec.Cell, 10),
		Out:   make([][spec.Results]uint32, spec.Groups*spec.Size),
	}
	for n := range c.In {
		c.In[n] = uint32(n*n*7 + 5)
	}
	for n := range c.Cells {
		c.Cells[n] = spec.Cell{N: uint32(n + 40), A: [4]uint32{uint32(n), 9, uint32(3 * n), 1}}
	}
	return c
}
