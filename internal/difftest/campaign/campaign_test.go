package campaign

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/runtime/abi"
)

func TestMain(m *testing.M) {
	Serve()
	flag.Parse()
	os.Exit(m.Run())
}

// TestCampaign runs a few programs everywhere but on devices.
func TestCampaign(t *testing.T) {
	r, err := Run(Options{Ways: []string{"cpu", "cpu:checked", "spirv", "ptx"}, Configurations: 2, First: 1, Count: 200,
		Workers: 2, Silence: 2 * time.Minute, Reduced: 1, Patience: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for n := range r.Failures {
		t.Errorf("%s\n%s", &r.Failures[n], r.Failures[n].ReducedCode)
	}
	if r.Programs < 190 || r.Executions < 4*r.Programs {
		t.Errorf("%d of 200 programs in %d executions", r.Programs, r.Executions)
	}
}

// TestWrongResultsAreSeen executes programs and spoils one byte of what they leave.
func TestWrongResultsAreSeen(t *testing.T) {
	way := emulators[0]
	honest := way.execute
	way.execute = func(a *abi.Artefact, c *difftest.Case) ([][]byte, error) {
		got, err := honest(a, c)
		for n := range got {
			if len(got[n]) > 0 {
				got[n][len(got[n])/2] ^= 0x40
				break
			}
		}
		return got, err
	}
	seen := 0
	for seed := range uint64(20) {
		c, err := difftest.Generate(seed + 1).Case()
		if err != nil {
			t.Fatal(err)
		}
		if err := way.Run(c, Configuration{}); err != nil && strings.Contains(err.Error(), ": byte ") {
			seen++
		}
	}
	if seen < 19 {
		t.Errorf("%d of 20 spoiled results are seen", seen)
	}
}

// TestConfigurations reads back what is printed.
func TestConfigurations(t *testing.T) {
	for seed := range uint64(100) {
		for _, c := range configurations(seed, seed%2 == 0, 3) {
			back, err := ParseConfiguration(c.String())
			if err != nil || back != c {
				t.Errorf("%s is read as %s, %v", c, back, err)
			}
			if seed%2 == 0 && c.Bounds != 0 {
				t.Errorf("%s for a program that relies on robust access", c)
			}
		}
	}
	if _, err := ParseConfiguration("robust,quick"); err == nil {
		t.Error("quick is no mode")
	}
}
