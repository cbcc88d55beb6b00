package campaign

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/emulate/fibers"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
)

func TestMain(m *testing.M) {
	emulators = append(emulators, deadly)
	Serve()
	flag.Parse()
	os.Exit(m.Run())
}

// deadly is a way that ends its process when a program divides.
var deadly = Way{Name: "deadly", target: emulators[0].target, execute: func(a *abi.Artefact, c *difftest.Case, step func(string)) ([][]byte, error) {
	if step("running"); strings.Contains(c.Code, " / ") {
		os.Exit(7)
	}
	return emulators[0].execute(a, c, step)
}}

// TestDeadlyProgramsAreReduced reduces a program that ends the process that runs it. The
// reduction ends by itself; patience is for machines that are busy.
func TestDeadlyProgramsAreReduced(t *testing.T) {
	r, err := Run(Options{Ways: []string{"deadly"}, Configurations: 1, First: 1, Count: 6, Workers: 2, Silence: 2 * time.Minute,
		Reduced: 1, Patience: silences * 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) == 0 {
		t.Fatal("no program divides")
	}
	f := &r.Failures[0]
	original, err := difftest.Generate(f.Seed).Case()
	if err != nil {
		t.Fatal(err)
	}
	if !f.Died || !strings.Contains(f.Reason, "exit status 7") || !strings.Contains(f.ReducedCode, " / ") || len(f.ReducedCode) > len(original.Code) {
		t.Errorf("%+v of %d bytes", f, len(original.Code))
	}
	t.Logf("%d bytes of %d are left", len(f.ReducedCode), len(original.Code))
}

// TestExecuted has a function execute what a module of its own would: the bench, and one that
// leaves everything as it is.
func TestExecuted(t *testing.T) {
	if missing := amdgpu.Missing(); missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	target, err := all.Find("amdgpu:gfx942")
	if err != nil {
		t.Fatal(err)
	}
	right, err := Executed(target, AMDGPUBench.Run)
	if err != nil {
		t.Fatal(err)
	}
	idle, err := Executed(target, func([]*abi.Artefact, []*fibers.Job) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	const count = 3
	for _, test := range []struct {
		way      *Way
		failures int
	}{{right, 0}, {idle, count}} {
		report, err := test.way.RunSeeds("arithmetic", 1, count, 1)
		if err != nil {
			t.Fatal(err)
		}
		var cases []difftest.Case
		for seed := range uint64(count) {
			cases = append(cases, *familyCase(t, "arithmetic", seed+1))
		}
		same := test.way.RunCases(cases, []Configuration{{}})
		for _, r := range []*Report{report, same} {
			if r.Programs != count || r.Executions != count || len(r.Failures) != test.failures {
				t.Errorf("%d programs, %d executions, %d failures, want %d: %v", r.Programs, r.Executions, len(r.Failures), test.failures, r.Failures)
			}
		}
	}
}

// campaigns are what CI runs in long mode with these seeds, and other seeds each day (.ci/run).
var campaigns = []struct {
	name, family, containing string
	ways                     []string
	first                    uint64
	usual, long              int
}{
	{name: "whole programs", ways: []string{"cpu", "cpu:checked", "spirv", "ptx", "wgsl"}, first: 1, usual: 20, long: 120},
	{name: "Metal", ways: []string{"msl", "msl:spaces"}, first: 1, usual: 6, long: 30},
	{name: "Metal's textures", ways: []string{"msl", "msl:spaces"}, containing: "textureStore(", first: 100, long: 80},
	{name: "Metal's and AMD's tiles", family: "tiles", ways: []string{"msl", "amdgpu", "amdgpu:gfx942"}, first: 100, usual: 2, long: 6},
	{name: "AMD", ways: []string{"amdgpu", "amdgpu:gfx942"}, first: 1, usual: 6, long: 30},
}

// TestCampaigns runs whole programs and those of each family.
func TestCampaigns(t *testing.T) {
	list := campaigns
	for _, f := range difftest.Families {
		list = append(list, campaigns[0])
		c := &list[len(list)-1]
		c.name, c.family, c.usual, c.long = f.Name, f.Name, 5, 25
	}
	for n, c := range list {
		t.Run(c.name, func(t *testing.T) {
			if n > 0 {
				testmode.Pick(t, c.name)
			}
			long := c.long
			if c.containing == "" { // CI has campaigns with other seeds, too
				long = max(c.usual, c.long/testmode.Parts())
			}
			count := testmode.Count(2, c.usual, long)
			if count == 0 || c.usual == 0 && !testmode.IsLong() {
				testmode.Long(t)
			}
			for _, name := range c.ways {
				if _, err := Open(name); err != nil {
					t.Skip("skipped: " + err.Error())
				}
			}
			r, err := Run(Options{Ways: c.ways, Family: c.family, Containing: c.containing, Configurations: 2, First: c.first, Count: uint64(count),
				Workers: 2, Silence: 2 * time.Minute, Reduced: 1, Patience: 5 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			for n := range r.Failures {
				t.Errorf("%s\n%s", &r.Failures[n], r.Failures[n].ReducedCode)
			}
			if c.containing != "" {
				count = 10
			}
			if r.Programs < uint64(count)*9/10 || r.Executions < 2*r.Programs {
				t.Errorf("%d of %d programs in %d executions", r.Programs, count, r.Executions)
			}
		})
	}
}

// TestContaining runs only the programs with a text.
func TestContaining(t *testing.T) {
	const first, count = 140, 20
	want := uint64(0)
	for seed := range uint64(count) {
		c, err := difftest.Generate(first + seed).Case()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c.Code, "textureStore(") {
			want++
		}
	}
	r, err := Run(Options{Ways: []string{"cpu"}, Configurations: 1, First: first, Count: count, Containing: "textureStore(",
		Workers: 2, Silence: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if want == 0 || want == count || r.Programs != want || r.Discarded != count-want {
		t.Errorf("expected %d programs of %d, found %d and %d discarded", want, count, r.Programs, r.Discarded)
	}
}

// TestWrongResultsAreSeen executes programs and spoils one byte of what they leave.
func TestWrongResultsAreSeen(t *testing.T) {
	way := emulators[0]
	honest := way.execute
	way.execute = func(a *abi.Artefact, c *difftest.Case, step func(string)) ([][]byte, error) {
		got, err := honest(a, c, step)
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

// TestFaultsAreSeen has the checked interpreter run a program that leaves the right result after
// and is undefined all the same.
func TestFaultsAreSeen(t *testing.T) {
	way, err := Open("cpu:checked")
	if err != nil {
		t.Fatal(err)
	}
	c := &difftest.Case{Code: `@group(0) @binding(0) var<storage, read_write> out: u32;
@compute @workgroup_size(4) fn main() { out = 7u; }`, Entry: "main", Dispatch: [3]int{1, 1, 1},
		Bindings: []difftest.Binding{{Name: "out", Data: make([]byte, 4), Want: []byte{7, 0, 0, 0}}}}
	if err := way.Run(c, Configuration{}); err == nil || !strings.Contains(err.Error(), "race") {
		t.Errorf("got %v, want a race", err)
	}
}

// TestConfigurations reads back what is printed.
func TestConfigurations(t *testing.T) {
	for seed := range uint64(100) {
		for _, c := range configurations(seed, seed%2 == 0, seed%3 == 0, 3) {
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

// TestOptional has campaigns visit the absence of each pass that makes code faster, in all forms of
// kernels, and holds the list of those passes against one by hand. A pass of a target's plan that
// is in neither is found.
func TestOptional(t *testing.T) {
	want := []string{"dce", "gvn", "indvar-normalize", "inline", "launch-bounds-versioning", "licm", "mem2reg", "merge-branches", "range-simplify",
		"reassociate-division", "runtime-unroll", "simplify", "software-pipeline", "sroa", "strip-mine", "thread-coarsening", "unroll", "unroll-arrays",
		"unroll-by-period", "unroll-short", "unroll-strided"}
	if got := slices.Sorted(slices.Values(optional())); !slices.Equal(got, want) {
		t.Errorf("the passes that may be left out are %v, want %v", got, want)
	}
	type form struct {
		without string
		coarse  bool
	}
	seen := map[form]bool{}
	for seed := range uint64(1000) {
		for _, c := range configurations(seed, false, false, 2) {
			seen[form{c.Without, c.Coarse}] = true
		}
	}
	for _, name := range want {
		for _, coarse := range [...]bool{false, true} {
			if !seen[form{name, coarse}] {
				t.Errorf("no program of 1,000 is compiled without %s, coarse: %t", name, coarse)
			}
		}
	}
}

// TestFile runs cases of a file: one that is right, one that never ends, and one that expects
// another result. The endless one is reported with its way and costs no other case.
func TestFile(t *testing.T) {
	testmode.Quick(t, "it waits for a program that never ends")
	const silence = 5 * time.Second
	program := func(name, body string, want byte) difftest.Case {
		return difftest.Case{Name: name, Entry: "main", Dispatch: [3]int{1, 1, 1},
			Code: "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n" +
				"@compute @workgroup_size(1) fn main() { " + body + " }\n",
			Bindings: []difftest.Binding{{Name: "a", Kind: "storage", Data: make([]byte, 4), Want: []byte{want, 0, 0, 0}}}}
	}
	data, err := json.Marshal([]difftest.Case{program("right", "a[0] = 7u;", 7),
		program("endless", "while (a[0] * 2u != 1u) { a[0] += 1u; }", 0), program("wrong", "a[0] = 7u;", 8)})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cases.json")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Run(Options{Ways: []string{"cpu"}, File: file, Texts: []string{"robust,wgsl"}, Count: 3, Workers: 1, Silence: silence, Reduced: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Programs != 3 || len(r.Failures) != 2 {
		t.Fatalf("%d programs, failures %v", r.Programs, r.Failures)
	}
	if f := r.Failures[0]; f.Seed != 1 || f.Way != "cpu" || f.Configuration != "robust,wgsl" || !f.Died || !strings.HasPrefix(f.Message, fmt.Sprint("no answer for ", silence, " while ")) {
		t.Errorf("the endless one: %+v", f)
	}
	if f := r.Failures[1]; f.Seed != 2 || f.Died || !strings.Contains(f.Message, "a: byte 0") {
		t.Errorf("the wrong one: %+v", f)
	}
}
