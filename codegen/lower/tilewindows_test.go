package lower_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
)

func (w *kernelWriter) load(t tileType) string {
	from, barrier := "@in_"+t.kind, ""
	if t.kind == "f32" && w.r.IntN(3) == 0 {
		from = "@shared"
	}
	if w.r.IntN(4) == 0 {
		barrier = " [workgroup]"
	}
	if w.r.IntN(4) == 0 {
		return w.result(t, "tile_load_windows %s%s%s", from, w.windows(), barrier)
	}
	return w.result(t, "tile_load %s, %di, %di, %di, %di, %di, %di, %di%s", from, w.r.IntN(6), w.r.IntN(6), 1+w.r.IntN(2), 2+w.r.IntN(4), 2+w.r.IntN(4), w.r.IntN(4)-1, w.r.IntN(4)-1, barrier)
}

// windows returns the operands of a load of windows after its array: mostly small numbers, and
// some that are zero or negative.
func (w *kernelWriter) windows() string {
	var b strings.Builder
	some := func(count, least, different int) {
		for range count {
			fmt.Fprintf(&b, ", %di", least+w.r.IntN(different))
		}
	}
	some(1, 0, 3)  // the offset
	some(1, 1, 3)  // images
	some(2, 2, 4)  // rows, pixels
	some(1, 1, 3)  // channels
	some(4, 0, 7)  // strides
	some(2, 1, 3)  // taps
	some(2, 1, 2)  // steps
	some(2, -1, 3) // padding
	some(2, 1, 2)  // dilations
	some(2, 1, 4)  // positions
	some(2, -1, 4) // where the tile begins
	if w.r.IntN(8) == 0 {
		b.Reset()
		some(22-1, -1, 3)
	}
	return b.String()
}

// randomConvolution writes a kernel with one product, of which one operand or both are windows. Its
// tiles take several slices and several elements of each invocation.
func randomConvolution(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	kinds := [...][3]string{{"f32", "f32", "f32"}, {"f16", "f16", "f32"}, {"i8", "i8", "i32"}, {"f64", "f64", "f64"}}[r.IntN(4)]
	items := [...]int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}[r.IntN(10)]
	side := func(most int) int {
		if n := 1 + r.IntN(most); r.IntN(3) == 0 {
			return n
		} else {
			return (n + 3) / 4 * 4
		}
	}
	rows, depth, columns := side(20), side(100), side(20)
	var b strings.Builder
	for n := range 2 {
		fmt.Fprintf(&b, "var @in_%s : ptr<storage, array<%s, 1500u>> [group 0, binding %d]\n", kinds[n], kinds[n], n)
		if kinds[0] == kinds[1] {
			break
		}
	}
	fmt.Fprintf(&b, "var @out_%s : ptr<storage, array<%s, %du>, read_write> [group 0, binding 2]\n", kinds[2], kinds[2], rows*columns)
	fmt.Fprintf(&b, "kernel @main(%%l: u32 [local_invocation_index]) [workgroup %du, 1u, 1u] {\n", items)
	windows := 1 + r.IntN(3)
	for n, shape := range [...][2]int{{rows, depth}, {depth, columns}} {
		t := tileType{kinds[n], shape[0], shape[1]}
		first := func() int { return max(r.IntN(8)-4, -2) }
		if windows>>n&1 == 0 {
			fmt.Fprintf(&b, "  %%x%d = tile_load @in_%s, %di, %di, 1i, %di, %di, %di, %di : %s\n", n, t.kind, r.IntN(9), 1+r.IntN(t.columns), t.rows-2+r.IntN(6), t.columns-2+r.IntN(6), first(), first(), t)
			continue
		}
		h, w, c, taps, pad := 3+r.IntN(9), 3+r.IntN(9), side(8), [2]int{1 + r.IntN(3), 1 + r.IntN(3)}, [2]int{r.IntN(3), r.IntN(3)}
		fmt.Fprintf(&b, "  %%x%d = tile_load_windows @in_%s, %di, %di, %di, %di, %di, %di, %di, %di, 1i, %di, %di, %di, %di, %di, %di, %di, %di, %di, %di, %di, %di : %s\n",
			n, t.kind, r.IntN(9), 1+r.IntN(4), h, w, c, h*w*c, w*c, c, taps[0], taps[1], 1+r.IntN(2), 1+r.IntN(2), pad[0], pad[1], 1+r.IntN(2), 1+r.IntN(2), h, w, first(), first(), t)
	}
	sum := tileType{kinds[2], rows, columns}
	fmt.Fprintf(&b, "  %%y = tile_mul_add %%x0, %%x1, zero<%s> [contract] : %s\n", sum, sum)
	fmt.Fprintf(&b, "  tile_store @out_%s, 0i, %di, 1i, %di, %di, 0i, 0i, %%y\n  return\n}\n", kinds[2], columns, rows, columns)
	return b.String()
}

// TestWindowsInProducts compares products of windows with their lowering, also to fragments.
func TestWindowsInProducts(t *testing.T) {
	native, zeros, results := 0, 0, 0
	for seed := range 4 * seedCount() {
		m := irtest.Parse(t, randomConvolution(seed))
		want, _ := launchTiles(t, m.Clone(), seed, interp.Launch{})
		for n, list := range [...][]ir.FragmentProduct{nil, randomProducts(seed)} {
			lowered := m.Clone()
			c := &opt.Context{List: new(diag.List), Verify: true, FragmentSubgroup: 1 + uint32(seed%2), Fragments: list}
			c.Run(lowered, []opt.Pass{opt.PromoteTiles, lower.Tiles}, ir.Initial)
			if lowered.HasFragments() {
				native++
			}
			size := int(c.FragmentSubgroup)
			c.FragmentSubgroup = 0
			c.Run(lowered, []opt.Pass{lower.Fragments}, ir.Initial)
			got, items := launchTiles(t, lowered, seed, interp.Launch{SubgroupSize: size, Checked: n == 0})
			for _, d := range items {
				if d.Severity == diag.Error {
					t.Fatalf("seed %d: %s\n%s", seed, d.Message, lowered.Text())
				}
			}
			for name := range got {
				if !bytes.Equal(want[name], got[name]) {
					t.Fatalf("seed %d: buffer %s differs:\n%x\nwant\n%x\n%s", seed, name, got[name], want[name], m.Text())
				}
				if strings.HasPrefix(name, "out") {
					results++
					if len(bytes.Trim(got[name], "\x00")) == 0 {
						zeros++
					}
				}
			}
		}
	}
	if native == 0 || 2*zeros > results {
		t.Errorf("%d kernels have fragments, and %d of %d results are zero", native, zeros, results)
	}
	t.Logf("%d kernels have fragments, and %d of %d results are zero", native, zeros, results)
}
