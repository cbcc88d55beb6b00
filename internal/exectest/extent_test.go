package exectest_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestExtentsOnEmulators: emulators, which share nothing with the compiler, run exactly the items
// of an extent that fills no workgroups. Where its words lie among the immediates is written down
// here a second time.
func TestExtentsOnEmulators(t *testing.T) {
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: "../gentest/testdata/extent"}, &list, ".")
	if err != nil || list.Errors() > 0 {
		t.Fatal(err, list.Items())
	}
	for _, target := range []abi.Target{abi.SPIRV, abi.PTX} {
		for _, plain := range []bool{false, true} {
			for _, extent := range [][3]uint32{{1, 1, 1}, {7, 3, 1}, {8, 4, 1}, {9, 5, 1}, {17, 2, 1}} {
				name := fmt.Sprint(target, " ", extent, " -O0 ", plain)
				const width = 40
				a := codegen.Compile(m, "Square", all.Lookup(string(target)), &codegen.Options{NoOptimize: plain}, &list)
				if a == nil {
					t.Fatal(list.Items())
				}
				data := make([]byte, 4*width*16)
				// the value, and after it two dimensions
				words := binary.LittleEndian.AppendUint32(nil, width)
				words = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(words, extent[0]), extent[1])
				launch := &emulate.Launch{Entry: "Square", Grid: [3]uint32{(extent[0] + 7) / 8, (extent[1] + 3) / 4, 1}, Immediates: words,
					Buffers: []emulate.Buffer{{Data: data}}}
				if target == abi.SPIRV {
					err = spirv.Run(a.Code, launch)
				} else {
					err = ptx.Run(a.Code, &a.Kernel, launch)
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for i := range uint32(width * 16) {
					want, x, y := uint32(0), i%width, i/width
					if x < extent[0] && y < extent[1] {
						want = 100*y + x + 1
					}
					if got := binary.LittleEndian.Uint32(data[4*i:]); got != want {
						t.Fatalf("%s: x[%d] is %d, want %d", name, i, got, want)
					}
				}
			}
		}
	}
}

// TestOwnGuardsOnEmulators: kernels that test whether an item has anything to do run the
// items for which both holds, that and the extent, whichever is smaller in a dimension. Half of a
// guard is completed.
func TestOwnGuardsOnEmulators(t *testing.T) {
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: "../../frontend/gokernel/testdata/blocks"}, &list, ".")
	if err != nil || list.Errors() > 0 {
		t.Fatal(err, list.Items())
	}
	const across, down = 24, 16
	for _, kernel := range []struct {
		name  string
		group [2]uint32
		wide  bool // it has a width, which its guard reads
		high  uint32
	}{
		{"Guarded", [2]uint32{8, 1}, false, 1}, {"Unguarded", [2]uint32{8, 1}, false, 1},
		{"GuardedTwice", [2]uint32{8, 4}, true, 9}, {"GuardedByHalf", [2]uint32{8, 4}, true, down},
	} {
		for _, target := range []abi.Target{abi.SPIRV, abi.PTX} {
			for _, plain := range []bool{false, true} {
				a := codegen.Compile(m, kernel.name, all.Lookup(string(target)), &codegen.Options{NoOptimize: plain}, &list)
				if a == nil {
					t.Fatal(list.Items())
				}
				for _, extent := range [][2]uint32{{1, 1}, {7, 3}, {8, 4}, {9, 5}, {17, 2}, {24, 11}, {23, 10}} {
					width := uint32(across)
					var words []byte
					if kernel.wide {
						width = 15
						words = binary.LittleEndian.AppendUint32(nil, width)
					} else {
						extent[1] = 1
					}
					for _, n := range extent[:len(a.Kernel.Extent.Dimensions)] {
						words = binary.LittleEndian.AppendUint32(words, n)
					}
					data := make([]byte, 4*across*down)
					launch := &emulate.Launch{Entry: kernel.name, Immediates: words, Buffers: []emulate.Buffer{{Data: data}},
						Grid: [3]uint32{(extent[0] + kernel.group[0] - 1) / kernel.group[0], (extent[1] + kernel.group[1] - 1) / kernel.group[1], 1}}
					if target == abi.SPIRV {
						err = spirv.Run(a.Code, launch)
					} else {
						err = ptx.Run(a.Code, &a.Kernel, launch)
					}
					if err != nil {
						t.Fatalf("%s for %s, %v: %v", kernel.name, target, extent, err)
					}
					for i := range uint32(across * down) {
						x, y, want := i%width, i/width, uint32(0)
						if x < extent[0] && y < min(extent[1], kernel.high) {
							want = 1
						}
						if got := binary.LittleEndian.Uint32(data[4*i:]); got != want {
							t.Fatalf("%s for %s, %v, -O0 %v: y[%d] is %d, want %d", kernel.name, target, extent, plain, i, got, want)
						}
					}
				}
			}
		}
	}
}
