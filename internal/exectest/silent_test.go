package exectest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

// These tests hold what is compiled without debugging against the same source without the calls:
// not a byte differs, neither in the code nor in the description, for any target. The calls are put
// where statements begin, so that no list of them has to be kept.

// positions match statements that a call is put before: lines that assign to an element or a
// variable, or call.
var positions = regexp.MustCompile(`(?m)^(\s+)([a-z][a-zA-Z0-9_.]*(\[[^\n]*\])? [-+*/|&^]?= [^\n;{]+;)`)

// TestSilentWGSL puts calls into the programs of testdata/exec.
func TestSilentWGSL(t *testing.T) {
	files, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(files) < 100 {
		t.Fatal(err, len(files))
	}
	calls, compared := 0, 0
	for n, file := range files {
		if !testmode.Sampled(n, 4) {
			continue
		}
		contents, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(contents)
		if strings.Contains(text, "fn printf") || strings.Contains(text, "fn assert") {
			continue
		}
		without := "enable gpuc_debug;\n" + text
		here := 0
		with := positions.ReplaceAllStringFunc(without, func(s string) string {
			m := positions.FindStringSubmatch(s)
			if strings.HasPrefix(m[2], "let ") || strings.HasPrefix(m[2], "var ") || strings.HasPrefix(m[2], "const ") {
				return s
			}
			here++
			return m[1] + `printf("step %d of %v", ` + fmt.Sprint(here) + `, 1.5 * f32(` + fmt.Sprint(here) + `)); assert(true, "never %t", false); ` + m[2]
		})
		calls += here
		before, after := parse(t, file, without), parse(t, file, with)
		for _, f := range before.Kernels() {
			compared += compareSilent(t, file, f.Name, before, after)
		}
	}
	// and a program whose calls read memory and compute
	lines := regexp.MustCompile(`(?m)^ *(printf|assert)\(.*$`)
	before, after := parse(t, "talkative.wgsl", lines.ReplaceAllString(talkative, "")), parse(t, "talkative.wgsl", strings.Replace(talkative, `"done"`, `"done %v", x[n]`, 1))
	compared += compareSilent(t, "talkative.wgsl", "main", before, after)
	if testmode.IsWhole() && (calls < 100 || compared < 500) || compared == 0 {
		t.Errorf("%d calls were put in, and %d artefacts compared", calls, compared)
	}
	t.Logf("%d calls, %d artefacts compared", calls, compared)
}

func parse(t *testing.T, name, text string) *ir.Module {
	t.Helper()
	p, err := jit.Parse(name, text, codegen.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return p.Module()
}

// compareSilent compares what two modules become without debugging, and returns how many artefacts
// there were.
func compareSilent(t *testing.T, file, kernel string, before, after *ir.Module) (compared int) {
	t.Helper()
	for _, target := range all.Targets {
		for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsTrap}} {
			var refused [2]diag.List
			x, y := codegen.Compile(before, kernel, target, &o, &refused[0]), codegen.Compile(after, kernel, target, &o, &refused[1])
			switch name := fmt.Sprintf("%s, %s for %s, -O0 %v, bounds %v", filepath.Base(file), kernel, target.Name, o.NoOptimize, o.Bounds); {
			case x == nil || y == nil:
				if x != nil || y != nil {
					t.Errorf("%s: %v, %v", name, refused[0].Items(), refused[1].Items())
				}
			case o.Bounds == opt.BoundsTrap: // whose description has columns
				x.Kernel.Fault, y.Kernel.Fault = nil, nil
				fallthrough
			default:
				compared++
				code := [2][]byte{withoutRanges(x.Code), withoutRanges(y.Code)}
				if target.UsesMIR && o.NoOptimize {
					code = [2][]byte{renumbered(code[0]), renumbered(code[1])}
				}
				if !bytes.Equal(code[0], code[1]) {
					t.Errorf("%s: the code differs (- without the calls, + with them)\n%s", name, cmp.Diff(text(code[0]), text(code[1])))
				}
				if !reflect.DeepEqual(x.Kernel, y.Kernel) {
					t.Errorf("%s: the description differs\n%+v\nwithout the calls\n%+v", name, y.Kernel, x.Kernel)
				}
			}
		}
	}
	return compared
}

// localNames are how the machine level names variables that no pass has removed, by the number of a
// value: there are gaps where messages were.
var localNames = regexp.MustCompile(`local_[0-9]+`)

// renumbered gives the variables numbers in their order.
func renumbered(code []byte) []byte {
	seen := map[string]string{}
	return localNames.ReplaceAllFunc(code, func(name []byte) []byte {
		if seen[string(name)] == "" {
			seen[string(name)] = fmt.Sprintf("local #%d", len(seen))
		}
		return []byte(seen[string(name)])
	})
}

// sourceRanges are the ranges of the source in the CPU device's IR text, and the source itself.
var sourceRanges = regexp.MustCompile(`(?m)^source "[^\n]*\n| ![0-9]+-[0-9]+`)

// withoutPlaces removes them: moving a statement along its line is not a difference.
func withoutRanges(code []byte) []byte { return sourceRanges.ReplaceAll(code, nil) }

func text(code []byte) string {
	if bytes.IndexByte(code, 0) >= 0 {
		return fmt.Sprintf("%d bytes of a binary", len(code))
	}
	return string(code)
}

const silentGo = `package silent

import "github.com/gpuc/gpuc/runtime/gpu"

type body struct{ At, Speed gpu.Vec3f }

func (b *body) move(it gpu.Item, by float32) {
	b.At = b.At.Add(b.Speed.Scale(by))
	it.Printf("moved to %v", b.At) // call
}

//gpuc:kernel workgroup=64
func Move(it gpu.Item, by float32, bodies []body, energy []float32) {
	it.Printf("begin") // call
	i := it.Index()
	b := &bodies[i]
	for n := range 4 {
		it.Printf("iteration %d: %v", n, b.Speed) // call
		b.move(it, by*float32(n))
	}
	it.Assert(gpu.Length(b.Speed) < 100, "%v is too fast", gpu.Length(b.Speed)) // call
	energy[i] = b.Speed.Dot(b.Speed) / 2
}

//gpuc:kernel workgroup=64
func Sum(it gpu.Item, shared *[64]float32, x, sums []float32) {
	l := it.LocalIndex()
	shared[l] = x[it.Index()]
	for step := 32; step > 0; step /= 2 {
		it.Barrier()
		if l < step {
			it.Printf("%d adds %g to %g", l, shared[l+step], shared[l]) // call
			shared[l] += shared[l+step]
		}
	}
	if l == 0 {
		sums[it.Group().X] = shared[0]
		it.Printf("%v: %x %t", it.Group(), uint64(l)+1, shared[0] > 0) // call
	}
}
`

// TestSilentGo deletes the lines of calls in kernels written in Go.
func TestSilentGo(t *testing.T) {
	testmode.Quick(t, "it loads a Go package")
	load := func(text string) *ir.Module {
		folder, err := os.MkdirTemp(".", "silent")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(folder) })
		if err := os.WriteFile(filepath.Join(folder, "silent.go"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var set source.Set
		var list diag.List
		m, err := gokernel.Load(&set, gokernel.Options{Folder: folder}, &list, ".")
		if err != nil || m == nil {
			t.Fatal(err, list.Items())
		}
		return m
	}
	after, before := load(silentGo), load(regexp.MustCompile(`(?m)^.*// call$`).ReplaceAllString(silentGo, ""))
	for _, f := range before.Kernels() {
		if compareSilent(t, "silent.go", f.Name, before, after) < 12 {
			t.Errorf("%s was not compared", f.Name)
		}
	}
}
