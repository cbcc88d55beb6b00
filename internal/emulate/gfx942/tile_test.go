package gfx942

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// tileKernel multiplies matrices of f16 by two waves.
const tileKernel = `enable f16;
enable gpuc_tile;
@group(0) @binding(0) var<storage, read> views: array<tile_view, 3>;
@group(0) @binding(1) var<storage, read> a: array<f16>;
@group(0) @binding(2) var<storage, read> b: array<f16>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) group: vec3u) {
  let row = 32 * i32(group.y);
  let column = 32 * i32(group.x);
  var sum = tileSplat<tile<f32, 32, 32>>(0.5);
  for (var k = 0; k < i32(views[0].columns); k += 32) {
    let x = tileLoad<tile<f16, 32, 32>>(&a, views[0], row, k);
    let y = tileLoad<tile<f16, 32, 32>>(&b, views[1], k, column);
    sum = tileMulAdd(x, y, sum);
  }
  tileStore(&c, views[2], row, column, sum);
}`

// TestTiles executes a product of tiles, which becomes products of fragments. The matrices are no
// multiples of the tiles. In strict mode there are no instructions for matrices.
func TestTiles(t *testing.T) {
	needTools(t)
	const rows, inner, columns = 40, 70, 50
	random := rand.New(rand.NewPCG(7, 8))
	a, b := make([]int, rows*inner), make([]int, inner*columns)
	for _, list := range [][]int{a, b} {
		for n := range list {
			list[n] = random.IntN(9) - 4
		}
	}
	var views, halvesOfA, halvesOfB, want []byte
	for _, x := range []uint32{0, rows, inner, inner, 1, 0, inner, columns, columns, 1, 0, rows, columns, columns, 1} {
		views = binary.LittleEndian.AppendUint32(views, x)
	}
	for _, x := range a {
		halvesOfA = binary.LittleEndian.AppendUint16(halvesOfA, uint16(numberHalf.of(x)))
	}
	for _, x := range b {
		halvesOfB = binary.LittleEndian.AppendUint16(halvesOfB, uint16(numberHalf.of(x)))
	}
	for row := range rows {
		for column := range columns {
			sum := 0.5
			for k := range inner {
				sum += float64(a[row*inner+k] * b[k*columns+column])
			}
			want = binary.LittleEndian.AppendUint32(want, math.Float32bits(float32(sum)))
		}
	}
	for _, strict := range []bool{false, true} {
		o := codegen.Options{}
		if strict {
			o.Math = opt.MathStrict
		}
		p, err := jit.Parse("tiles.wgsl", tileKernel, o)
		if err != nil {
			t.Fatal(err)
		}
		byLLVM, err := compile(p, "main", o, nil)
		if err != nil {
			t.Fatal(err)
		}
		assembled, err := bench.Assemble(profile, []bench.Program{byLLVM})
		if err != nil {
			t.Fatal(err)
		}
		target, err := amdgpu.Direct().With(profile)
		if err != nil {
			t.Fatal(err)
		}
		o.Context = &opt.Context{Verify: true}
		var list diag.List
		direct := codegen.Compile(p.Module(), "main", target, &o, &list)
		if direct == nil {
			t.Fatal(list.Items())
		}
		for _, c := range []struct {
			kernel  string
			object  []byte
			program bench.Program
		}{
			{bench.KernelName(0), assembled.Data, byLLVM}, {direct.Kernel.Name, direct.Code, bench.Program{Kernel: &direct.Kernel}},
		} {
			loaded, err := Load(c.object)
			if err != nil {
				t.Fatal(err)
			}
			result := make([]byte, len(want))
			l := launchOf(0, c.program.Kernel, [3]uint32{(columns + 31) / 32, (rows + 31) / 32, 1}, [][]byte{views, halvesOfA, halvesOfB, result}, nil)
			l.Kernel, l.Unit, l.TimeSlice = c.kernel, 2, 50
			products := 0
			l.Count = func(name string, _ bool) {
				if strings.HasPrefix(name, "v_mfma") {
					products++
				}
			}
			if err := loaded.Run(l); err != nil {
				t.Errorf("%s: %v", c.kernel, err)
				continue
			}
			if (products > 0) == strict {
				t.Errorf("%s: %d products of matrices, strict: %v", c.kernel, products, strict)
			}
			for n := 0; n < len(want); n += 4 {
				if got, want := binary.LittleEndian.Uint32(result[n:]), binary.LittleEndian.Uint32(want[n:]); got != want {
					t.Errorf("%s: element %d is %g, not %g", c.kernel, n/4, math.Float32frombits(got), math.Float32frombits(want))
					break
				}
			}
		}
	}
}
