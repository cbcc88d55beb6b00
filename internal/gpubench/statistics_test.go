package gpubench

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
)

var (
	update   = flag.Bool("update", false, "write the statistics that the tests find")
	compiler = flag.String("nvcc", "", "with -update, an nvcc that the statistics of CUDA C and of gpuc in other modes are taken with, too")
)

// folder has the kernels and their statistics.
const folder = "../../testdata/benchmarks/gpu"

// taken compares statistics with a file, or updates it.
func taken(t *testing.T, file, version string, rows []Row) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintln(&b, "#", version)
	for n := range rows {
		b.WriteString(rows[n].String())
	}
	path := filepath.Join(folder, file)
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if first != "# "+version {
		t.Skipf("skipped: %s was taken with %s (NVIDIA's wheel nvidia-cuda-nvcc-cu12 in its last version has it), and here is %s; -update takes it with this one", file, strings.TrimPrefix(first, "# "), version)
	}
	want, got := strings.Split(string(text), "\n"), strings.Split(b.String(), "\n")
	for n := range max(len(want), len(got)) {
		at := func(lines []string) string {
			if n < len(lines) {
				return lines[n]
			}
			return "nothing"
		}
		if at(want) != at(got) {
			t.Errorf("the code changed, for better or worse; go test ./internal/gpubench -update accepts it\n got  %s\n want %s", at(got), at(want))
		}
	}
}

// TestAssembly compares the PTX of the bench with its statistics.
func TestAssembly(t *testing.T) {
	var found []Row
	for n := range Kernels {
		k := &Kernels[n]
		a, err := k.Compile(folder, "ptx:"+Profile, modes[0].options)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, Assembly(k, modes[0].name, a.Code)...)
	}
	taken(t, "ptx.txt", "PTX", found)
}

// TestMachine compares the machine code of the bench with its statistics.
func TestMachine(t *testing.T) {
	testmode.Long(t)
	tools, err := FindTools()
	if err != nil {
		t.Skipf("skipped: %v", err)
	}
	version, err := tools.Version()
	if err != nil {
		t.Fatal(err)
	}
	held, others := make([][]Row, len(Kernels)), make([][]Row, len(Kernels))
	t.Run("kernels", func(t *testing.T) {
		for n := range Kernels {
			k := &Kernels[n]
			t.Run(k.Name, func(t *testing.T) {
				t.Parallel()
				count := func(way string, a *abi.Artefact, err error) []Row {
					var rows []Row
					if err == nil {
						rows, err = tools.Machine(k, way, a)
					}
					if err != nil {
						t.Fatal(err)
					}
					return rows
				}
				for i, mode := range modes {
					if i > 0 && *compiler == "" {
						return
					}
					a, err := k.Compile(folder, "ptx:"+Profile, mode.options)
					if rows := count(mode.name, a, err); i == 0 {
						held[n] = rows
					} else {
						others[n] = append(others[n], rows...)
					}
				}
				a, err := k.CUDA(folder, *compiler, Profile)
				others[n] = append(others[n], count(nvcc, a, err)...)
			})
		}
	})
	if t.Failed() {
		return
	}
	taken(t, "machine.txt", version, slices.Concat(held...))
	if *compiler != "" {
		text, err := CompilerVersion(*compiler)
		if err != nil {
			t.Fatal(err)
		}
		taken(t, "peers.txt", text+" -O3 --use_fast_math, "+version, slices.Concat(others...))
	}
}

// mostOfNVCC is the largest allowed ratio of the bytes of a kernel's machine code to nvcc's. larger
// are the kernels with another limit.
const mostOfNVCC = 3

var larger = []struct {
	kernel string
	times  float64
	why    string
}{
	{"kmeans", 7.5, "ptxas unrolls all 64 iterations of a loop over centres, which nvcc prevents: 1.11 of nvcc's speed"},
}

// TestSize compares the size of the machine code with nvcc's, from the stored statistics, so it
// needs no tools. A kernel that needs no exception must not have one.
func TestSize(t *testing.T) {
	rows := map[string]int{}
	for _, file := range []string{"machine.txt", "peers.txt"} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		list, err := Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for n := range list {
			if r := &list[n]; r.Part == "takes" {
				rows[r.Kernel+" "+r.Way] = r.Counts["code"]
			}
		}
	}
	sum := 0.0
	for n := range Kernels {
		k := &Kernels[n]
		ours, theirs := rows[k.Name+" "+modes[0].name], rows[k.Name+" "+nvcc]
		if ours == 0 || theirs == 0 {
			t.Errorf("%s: the size of its machine code is not known: ours %d, nvcc's %d", k.Name, ours, theirs)
			continue
		}
		times, most := float64(ours)/float64(theirs), float64(mostOfNVCC)
		sum += math.Log(times)
		for _, l := range larger {
			if l.kernel == k.Name {
				if most = l.times; times <= mostOfNVCC {
					t.Errorf("%s needs no exception", k.Name)
				}
			}
		}
		if t.Logf("%-16s nvcc %6d ours %6d %.2f", k.Name, theirs, ours, times); times > most {
			t.Errorf("%s: %d bytes of machine code, nvcc's has %d, %.2f times as many; at most %.2f are allowed", k.Name, ours, theirs, times, most)
		}
	}
	t.Logf("%.3f times nvcc's in the mean", math.Exp(sum/float64(len(Kernels))))
}
