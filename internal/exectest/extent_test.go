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

// TestExtentsOnEmulators: emulators, which share nothing with the compiler, run exactly the items of an extent that fills no
// workgroups. Where its words lie among the immediates is written down here a second time.
func TestExtentsOnEmulators(t *testing.T) {
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: "../../cmd/gpuc/testdata/gen/extent"}, &list, ".")
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
				words := binary.LittleEndian.AppendUint32(nil, width) // the value, and behind it two dimensions
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
