package exectest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// tensorSource is a product in WGSL, whose views are in a uniform buffer. ELEMENT and DEPTH are
// replaced.
const tensorSource = `enable f16;
enable gpuc_tile;

struct Sizes {
  @align(16) @size(32) a: tile_view,
  @align(16) @size(32) b: tile_view,
  @align(16) @size(32) c: tile_view,
}

@group(0) @binding(0) var<storage, read> a: array<ELEMENT>;
@group(0) @binding(1) var<storage, read> b: array<ELEMENT>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> p: Sizes;

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let across = (p.c.columns + 63) / 64;
  let tiles = (p.c.rows + 63) / 64 * across;
  for (var n = group.x; n < tiles; n += groups.x) {
    let row = n / across * 64;
    let column = n % across * 64;
    var sum = tile<f32, 64, 64>();
    for (var k = 0u; k < p.a.columns; k += DEPTH) {
      let x = tileLoad<tile<ELEMENT, 64, DEPTH>>(&a, p.a, row, k);
      let y = tileLoad<tile<ELEMENT, DEPTH, 64>>(&b, p.b, k, column);
      sum = tileMulAdd(x, y, sum);
    }
    tileStore(&c, p.c, row, column, sum);
  }
}
`

func loadTensorSource(t *testing.T, text string) *ir.Module {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("product.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	return m
}

// runTensorSource runs a kernel of tensorSource, and notes whether it was with tensor maps.
func runTensorSource(a *abi.Artefact, p tensorProduct, l tensorLaunch, byValue bool, isTensor *bool) error {
	return p.run(l, func(arguments ...any) (err error) {
		launch := launchOf(a, l.groups, arguments...)
		sizes := &launch.Buffers[3]
		layouts := sizes.Data // of 20 bytes each, which are 32 apart in uniform memory
		sizes.Data = make([]byte, 96)
		for n := range 3 {
			copy(sizes.Data[32*n:], layouts[20*n:20*n+20])
		}
		*isTensor, err = runTensorLaunch(a, byValue, launch)
		return err
	})
}

// TestTensorWGSL runs a kernel in WGSL, whose views have u32 members, with tensor maps.
func TestTensorWGSL(t *testing.T) {
	for element, depth := range map[string]int{"f16": 64, "f32": 32} {
		t.Run(element, func(t *testing.T) {
			text := strings.NewReplacer("ELEMENT", element, "DEPTH", fmt.Sprint(depth)).Replace(tensorSource)
			a := compileTensor(t, loadTensorSource(t, text), "main")
			if a.Tensor.Artefact.Valued() == nil {
				t.Error("its uniform buffer cannot be passed by value")
			}
			p := tensorProduct{element: element, result: "f32"}
			for n, l := range []tensorLaunch{{64, 64, depth, 1, 0, false}, {72, 136, 200, 2, 8, false}, {70, 136, 40, 1, 0, false}, {30, 20, 10, 1, 1, true}} {
				isTensor := false
				err := runTensorSource(a, p, l, n%2 == 0, &isTensor)
				if err != nil || isTensor == l.plain {
					t.Errorf("%+v: the variant with tensor maps ran: %v, %v", l, isTensor, err)
				}
			}
		})
	}
}

// TestTensorStoresInOrder stores each tile twice. Without a wait the second copy may be overtaken
// by the first one.
func TestTensorStoresInOrder(t *testing.T) {
	for element, depth := range map[string]int{"f16": 64, "f32": 32} {
		text := strings.NewReplacer("ELEMENT, 64, DEPTH", fmt.Sprintf("%s, 256, %d", element, depth), "ELEMENT", element, "DEPTH", fmt.Sprint(depth),
			"tile<f32, 64, 64>", "tile<f32, 256, 64>", "(p.c.rows + 63) / 64", "(p.c.rows + 255) / 256", "n / across * 64", "n / across * 256",
			"    tileStore", "    for (var times = 0; times < 2; times++) {\n    tileStore", "sum);\n  }\n", "sum);\n    }\n  }\n").Replace(tensorSource)
		a := compileTensor(t, loadTensorSource(t, text), "main")
		const wait = "cp.async.bulk.wait_group 0;"
		code := a.Tensor.Artefact.Code
		if !strings.Contains(string(code), wait) {
			t.Errorf("%s: the code has no wait", element)
		}
		for n, c := range []string{string(code), strings.ReplaceAll(string(code), wait, "")} {
			a.Tensor.Artefact.Code = []byte(c)
			err := runTensorSource(a, tensorProduct{element: element, result: "f32"}, tensorLaunch{72, 136, 200, 2, 8, false}, false, new(bool))
			if n == 0 && err != nil || n == 1 && (err == nil || !strings.Contains(err.Error(), "may write later")) {
				t.Errorf("%s, without waits %v: %v", element, n == 1, err)
			}
		}
	}
}
