package gofuzz

import (
	"cmp"
	"flag"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/internal/testmode"
)

var (
	seed     = flag.Uint64("seed", 1, "the seed of the first package")
	packages = flag.Int("packages", 1, "how many packages")
	kernels  = flag.Int("kernels", 0, "how many kernels each has; 0 is the mode's number")
)

// TestGenerated runs random kernels on emulators and on the CPU, with and without passes, and
// compares what they leave with what Go leaves.
func TestGenerated(t *testing.T) {
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	var ways []*campaign.Way
	for _, name := range []string{"cpu", "cpu:checked", "spirv", "ptx"} {
		w, err := campaign.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		ways = append(ways, w)
	}
	executions := 0
	for n := range *packages {
		folder := t.TempDir()
		if err := Workspace(folder, repository); err != nil {
			t.Fatal(err)
		}
		cases, err := Cases(folder, *seed+uint64(n), cmp.Or(*kernels, testmode.Count(5, 40, 40)), true)
		if err != nil {
			t.Fatal(err)
		}
		for k := range cases {
			for _, w := range ways {
				for _, text := range []string{"robust,wgsl", "robust,wgsl,-O0", "trap,wgsl"} {
					o, err := campaign.ParseConfiguration(text)
					if err != nil {
						t.Fatal(err)
					}
					executions++
					if err := w.Run(&cases[k], o); err != nil {
						t.Errorf("%s  %s  %s: %v", cases[k].Name, w.Name, text, err)
					}
				}
			}
		}
	}
	t.Logf("%d executions", executions)
}

// TestTiles runs random kernels with tiles as plain Go, on emulators and on the CPU, and compares
// what they leave with what the evaluator of package tiles says.
func TestTiles(t *testing.T) {
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := Workspace(folder, repository); err != nil {
		t.Fatal(err)
	}
	list, err := NewTiles(folder, 1, uint64(testmode.Count(2, 3, 8)))
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := list.Plain(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range wrong {
		t.Errorf("plain Go: %s", line)
	}
	cases, err := list.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cpu", "cpu:checked", "spirv", "ptx", "spirv:1.6_coopmat", "ptx:sm_80", "ptx:tensor"} {
		w, err := campaign.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for n := range cases {
			if err := w.Run(&cases[n], campaign.Configuration{}); err != nil {
				t.Errorf("%s  %s: %v", cases[n].Name, name, err)
			}
		}
	}
}
