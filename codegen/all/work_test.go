package all_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

const workHead = "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"

// inKernel makes a program of a kernel's repeated lines, in which v is a sum and i an unknown
// value.
func inKernel(unit string) func(n int) string {
	return func(n int) string {
		return workHead + "@compute @workgroup_size(1) fn main() {\nlet i = o[2];\nvar v = 0u;\n" + numbered(n, unit) + "o[0] = v;\n}\n"
	}
}

// laborious are programs whose compilation is linear in the number of parts.
var laborious = []struct {
	name string
	text func(n int) string
}{
	{"straight lines", inKernel("v = v * §u + (i ^ §u); o[§ % 100] = v;\n")},
	{"reads that wait", func(n int) string {
		return workHead + "@compute @workgroup_size(1) fn main() {\n" + numbered(n, "let a§ = o[§];\n") + numbered(n, "o[§ + 7] = a§ * 3;\n") + "}\n"
	}},
	{"else-ifs", func(n int) string {
		return inKernel("if i == 9999 {}" + numbered(n, "else if i == §u { v += §u * 5; }\n"))(1)
	}},
	{"ifs", inKernel("if i > §u { v += §u; o[§ % 50] = v; }\n")},
	{"early returns", inKernel("if i == §u { o[0] = §u; return; }\n")},
	{"loops", inKernel("for (var j = 0u; j < i; j++) { v = v * §u + j; o[§ % 50] = v; }\n")},
	{"cases", inKernelOnce("switch i {", "case §u: { v = §u; }\n", "default: {} }\n")},
	{"switches", inKernel("switch i { case § + 9: { v += §u; } case 3, 5: { v *= 3; } default: {} }\n")},
	{"functions", func(n int) string {
		return workHead + numbered(n, "fn f§(x: u32) -> u32 { if x > § { return o[x]; } return x * §; }\n") +
			"@compute @workgroup_size(1) fn main() {\n" + numbered(n, "o[§] = f§(o[§ + 1]);\n") + "}\n"
	}},
}

// numbered repeats a unit, in which § is its index.
func numbered(n int, unit string) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(strings.ReplaceAll(unit, "§", fmt.Sprint(k)))
	}
	return b.String()
}

func inKernelOnce(before, unit, after string) func(n int) string {
	return func(n int) string { return inKernel(before + numbered(n, unit) + after)(1) }
}

// TestWork: an eight times larger program is about eight times as much work for each target,
// counted in statements that an instrumented compiler executes. That does not depend on the
// machine.
func TestWork(t *testing.T) {
	testmode.LongPart(t, 0)
	const small, times, most = 150, 8, 9.5
	folder := t.TempDir()
	compiler := filepath.Join(folder, "gpuc")
	if runtime.GOOS == "windows" {
		compiler += ".exe"
	}
	const module = "github.com/gpuc/gpuc/"
	packages := []string{"cmd/gpuc/...", "codegen/...", "opt/...", "ir/...", "frontend/wgsl/..."}
	build := exec.Command("go", "build", "-cover", "-covermode=count", "-coverpkg="+module+strings.Join(packages, ","+module), "-o", compiler, "./cmd/gpuc")
	build.Dir = filepath.Join("..", "..")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	file, counts, profile := filepath.Join(folder, "k.wgsl"), filepath.Join(folder, "counts"), filepath.Join(folder, "profile")
	building := func(target abi.Target, flags ...string) []string {
		return slices.Concat([]string{"build"}, flags, []string{"-target", string(target), "-o", filepath.Join(folder, "out")})
	}
	running := []string{"run", "-device", "cpu", "-bind", "o=zeros(20000)", "-grid", "1"}
	work := func(text, tier string, command []string) (statements map[string]int, sum float64) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(counts); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(counts, 0o777); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(compiler, slices.Concat(command, []string{file})...)
		c.Env = append(os.Environ(), "GOCOVERDIR="+counts, cpu.Variable+"="+tier)
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c.Args, err, text)
		}
		if text, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+counts, "-o="+profile).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		lines, err := os.ReadFile(profile)
		if err != nil {
			t.Fatal(err)
		}
		statements = map[string]int{}
		for line := range strings.Lines(string(lines)) { // file:from,to statements count
			fields := strings.Fields(line)
			if len(fields) != 3 {
				continue
			}
			n, err := strconv.Atoi(fields[2])
			if err != nil {
				t.Fatal(line)
			}
			statements[strings.TrimPrefix(fields[0], module)] = n
			sum += float64(n)
		}
		return statements, sum
	}
	// Not linear on the CPU device so far: reconvergence points are searched from each branch on,
	// up to a limit (codegen/cpu/lower). Liveness is listed for each block (codegen/mir), and
	// conditions on an index are collected from all ifs before it (opt).
	open := map[string]bool{"else-ifs": true, "early returns": true, "cases": true, "reads that wait": true, "functions": true}
	for n, l := range laborious {
		for k, way := range []struct {
			name, tier string
			command    []string
		}{{"SPIR-V", "", building(abi.SPIRV)}, {"PTX", "", building(abi.PTX)}, {"WGSL", "", building(abi.WGSL)}, {"WGSL at -O0", "", building(abi.WGSL, "-O0")}, {"MSL", "", building(abi.MSL)}, {"MSL at -O0", "", building(abi.MSL, "-O0")},
			{"the CPU", "", building(abi.CPU)}, {"the vector engine", "vector", running}, {"machine code", "jit", running}} {
			// a third: each takes a second
			if open[l.name] && way.tier != "" || (n+k)%3 != 0 || !testmode.Sampled((n+k)/3, 1) {
				continue
			}
			few, little := work(l.text(small), way.tier, way.command)
			many, much := work(l.text(small*times), way.tier, way.command)
			if little > 0 && much <= most*little {
				continue
			}
			worst, excess := "", 0
			for statement, n := range many {
				if over := n - times*few[statement]; over > excess {
					worst, excess = statement, over
				}
			}
			t.Errorf("%s for %s: %d times as many are %.1f times as much work; most at %s, %d times and %d times", l.name, way.name, times, much/little, worst, few[worst], many[worst])
		}
	}
}
