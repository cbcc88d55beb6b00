package bitkernels

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// TestAtomicFloats adds whole numbers, whose sums are exact in any order, on the CPU's tiers, the
// emulators and devices, and as plain Go.
func TestAtomicFloats(t *testing.T) {
	const items = 500
	singles, doubles, halves := make([]float32, items), make([]float64, items), make([]gpu.Float16, items)
	wantSingles, wantDoubles, wantShared := make([]float32, 7), make([]float64, 4), make([]float32, 2)
	small := make([]float64, 5)
	for n := range items {
		x := n*7%23 - 9
		singles[n], doubles[n], halves[n] = float32(x), float64(x), gpu.ToFloat16(float32(n%3-1))
		wantSingles[n%5] += float32(x)
		wantSingles[6] += float32(x)
		wantShared[n&1] += float32(x)
		wantDoubles[n%3] += float64(x)
		small[n%3] += float64(n%3 - 1)
		small[4] += float64(n%3 - 1)
	}
	wantHalves := make([]gpu.Float16, 5)
	for n, x := range small {
		wantHalves[n] = gpu.ToFloat16(float32(x))
	}
	tests := []struct {
		name       string
		x, y, want any
		lack       []string // ways whose targets have no such atomics, or no such numbers
	}{
		{"AtomicFloats", singles, make([]float32, 7), wantSingles, nil},
		{"AtomicShared", singles, make([]float32, 2), wantShared, nil},
		{"AtomicDoubles", doubles, make([]float64, 4), wantDoubles, []string{"msl"}},
		{"AtomicHalves", halves, make([]gpu.Float16, 5), wantHalves, []string{"spirv", "vulkan", "amdgpu", "msl"}},
	}
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{}, &list, ".")
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	for _, name := range []string{"cpu", "cpu:vector", "cpu:interpreter", "cpu:checked", "spirv", "ptx", "vulkan", "cuda", "amdgpu", "msl"} {
		w, err := campaign.Open(name)
		if err != nil && (name == "vulkan" || name == "cuda") {
			t.Log(err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			own := m.Clone()
			ir.Isolate(own, own.Func(test.name))
			c := difftest.Case{Name: test.name, Language: "ir", Code: own.Text(), Entry: test.name, Dispatch: [3]int{(items + 63) / 64, 1, 1},
				Bindings: []difftest.Binding{
					{Binding: 0, Name: "x", Kind: "storage", Data: bytesOf(t, test.x), Want: bytesOf(t, test.x)},
					{Binding: 1, Name: "y", Kind: "storage", Data: bytesOf(t, test.y), Want: bytesOf(t, test.want)},
				}}
			for _, text := range []string{"robust,wgsl", "robust,strict,-O0"} {
				o, err := campaign.ParseConfiguration(text)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Run(&c, o); (err != nil) != slices.Contains(test.lack, name) {
					t.Errorf("%s  %s  %s: %v", test.name, name, text, err)
				}
			}
		}
	}
	plain := func(kernel func(it gpu.Item)) {
		gpu.Each(gpu.D1((items+63)/64), gpu.Int3{X: 64, Y: 1, Z: 1}, kernel)
	}
	plain(func(it gpu.Item) { AtomicFloats(it, singles, tests[0].y.([]float32)) })
	plain(func(it gpu.Item) { AtomicDoubles(it, doubles, tests[2].y.([]float64)) })
	plain(func(it gpu.Item) { AtomicHalves(it, halves, tests[3].y.([]gpu.Float16)) })
	gpu.EachGroup(gpu.D1((items+63)/64), gpu.Int3{X: 64, Y: 1, Z: 1}, func() func(gpu.Item) {
		sums := new([2]float32)
		return func(it gpu.Item) { AtomicShared(it, sums, singles, tests[1].y.([]float32)) }
	})
	for _, test := range tests {
		if got, want := bytesOf(t, test.y), bytesOf(t, test.want); !slices.Equal(got, want) {
			t.Errorf("%s as plain Go: got %v, want %v", test.name, test.y, test.want)
		}
	}
}
