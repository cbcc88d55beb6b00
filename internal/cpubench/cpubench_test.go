package cpubench

import (
	"strings"
	"testing"
)

// TestKernels compares all ways with Go, at the sizes of tests.
func TestKernels(t *testing.T) {
	var out strings.Builder
	if err := Run(&out, &Options{Folder: "../../testdata/benchmarks/cpu", Rounds: 1, Small: true}); err != nil {
		t.Fatal(err)
	}
	for _, tier := range tiers() {
		for _, k := range kernels {
			if row := " " + k.name + "  "; !strings.Contains(out.String(), row) {
				t.Errorf("no row of %s in\n%s", k.name, &out)
			}
		}
		if strings.Count(out.String(), " "+tier.String()+" ") < len(kernels) {
			t.Errorf("%s is missing in\n%s", tier, &out)
		}
	}
	t.Logf("\n%s", &out)
}
