package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
)

// tileProgram multiplies a tile of some rows, with so many bytes of workgroup memory of its own.
func tileProgram(rows, own int) string {
	return fmt.Sprintf(`enable gpuc_tile;
		@group(0) @binding(0) var<storage, read> a: array<f32>;
		@group(0) @binding(1) var<storage, read_write> c: array<f32>;
		var<workgroup> kept: array<u32, %d>;
		@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
			kept[i] = i; workgroupBarrier();
			let x = tileLoad<tile<f32, %d, 64>>(&a, tile_view(0, %[2]d, 64, 64, 1), 0, 0);
			let y = tileLoad<tile<f32, 64, 64>>(&a, tile_view(0, 64, 64, 64, 1), 0, 0);
			tileStore(&c, tile_view(0, %[2]d, 64, 64, 1), 0, 0, tileMulAdd(x, y, tile<f32, %[2]d, 64>()));
			workgroupBarrier(); c[i] = f32(kept[31 - i]);
		}`, own/4, rows)
}

// TestTileMemory: a kernel whose tiles have no room is refused, and the note names a size. The
// kernel with that size is compiled. Where fragments have no room, products are without them.
func TestTileMemory(t *testing.T) {
	const limit = 32 << 10 // of msl
	target, err := all.Find("msl:apple7")
	if err != nil {
		t.Fatal(err)
	}
	compile := func(rows, own int) (report codegen.Report, bytes uint32, note string) {
		var c compiler
		m, list := c.load(t, "tiles.wgsl", tileProgram(rows, own))
		a := codegen.Compile(m, "", target, &codegen.Options{Report: &report}, list)
		if a != nil {
			return report, a.Kernel.WorkgroupBytes, ""
		}
		items := list.Items()
		return report, 0, items[len(items)-1].Notes[0].Message
	}
	for _, test := range []struct {
		rows, own int
		fits      int // rows, by the note; 0 if the kernel is compiled
		unit      bool
	}{
		{64, 1 << 10, 0, true}, {1024, 1 << 10, 0, false}, {1024, limit - 2000, 256, false}, {512, limit - 3000, 0, false},
	} {
		report, bytes, note := compile(test.rows, test.own)
		switch {
		case test.fits == 0 && (bytes == 0 || bytes > limit):
			t.Errorf("%+v: %d bytes, %q", test, bytes, note)
		case test.fits == 0 && (report.Products[0].NoUnit == "") != test.unit:
			t.Errorf("%+v: products are by fragments: %v, %q", test, !test.unit, report.Products[0].NoUnit)
		case test.fits == 0:
		case !strings.Contains(note, fmt.Sprintf("the tile of %d×64 f32, ", test.rows)) || !strings.Contains(note, fmt.Sprintf("one of %d×64 would have", test.fits)):
			t.Errorf("%+v: %q", test, note)
		default:
			if _, bytes, note := compile(test.fits, test.own); bytes == 0 {
				t.Errorf("%+v: %d rows do not fit either: %q", test, test.fits, note)
			}
		}
	}
}
