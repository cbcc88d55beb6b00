package gentest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/internal/commandtest"
	"github.com/gpuc/gpuc/internal/testmode"
)

// vetted are the files of a module with kernels, right and wrong ones, and what go vet says of
// them.
var vetted = map[string]string{
	"right/right.go": `package right

import (
	"example.com/vetted/helpers"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//gpuc:kernel workgroup=64
func Scale(it gpu.Item, factor float32, x []float32) {
	if i := it.Index(); i < len(x) {
		x[i] = helpers.Square(x[i]) * factor
	}
}
`,
	"helpers/helpers.go": `package helpers

func Square(x float32) float32 { return x * x }

func Mean(x []float32) float32 {
	total := 0i
	for _, v := range x {
		total += complex(float64(v), 0)
	}
	return float32(real(total)) / float32(len(x))
}
`,
	"wrong/wrong.go": `package wrong

import (
	"fmt"

	"example.com/vetted/helpers"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func within(x []float32) { fmt.Println(x) }

//gpuc:kernel workgroup=64
func Means(it gpu.Item, width int, x, means []float32) {
	row := make([]float32, width)
	within(row)
	means[it.Index()] = helpers.Mean(x)
}

// gpuc:kernel workgroup=64
func Misspelt(it gpu.Item, x []float32) {}
`,
	"barrier/barrier.go": `package barrier

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func Late(it gpu.Item, shared *[64]float32, x []float32) {
	if it.Index() < len(x) {
		it.Barrier()
	}
}
`,
	"barrier/barrier_test.go": "package barrier\n\nimport \"testing\"\n\nfunc TestNothing(t *testing.T) {}\n",
	"with/c.go": `package with

// int two(void) { return 2; }
import "C"

import "github.com/gpuc/gpuc/runtime/gpu"

func two() int32 { return int32(C.two()) }

//gpuc:kernel workgroup=64
func InC(it gpu.Item, x []int32) { x[0] = two() }
`,
	"with/go.go": `package with

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=64
func Calls(it gpu.Item, x []int32) { x[0] = two() }
`,
}

// vetSays is what go vet says of the packages with wrong kernels. That of the last is known only
// where cgo is on.
var vetSays = map[string]string{
	"./barrier": `barrier/barrier.go:8:3: all items of a workgroup must reach a barrier, and only a part of them may reach this one (keep the barrier out of the branch, and put into it what only some of the items do) [go-divergent-barrier]
barrier/barrier.go:7:5: 	this condition depends on it.Index() or it.Global()
`,
	"./wrong": `wrong/wrong.go:10:28: kernels do not call fmt.Println (it.Printf prints on devices with -debug; or write the values to a slice) [go-subset]
wrong/wrong.go:15:2: 	within is called here
wrong/wrong.go:14:9: kernels do not call make (kernels make no slices: an array, var a [64]float32, is a variable of each item, and a[:] is a slice of it) [go-subset]
wrong/wrong.go:16:22: helpers.Mean cannot be called by kernels: kernels have no values of type complex128 (example.com/vetted/helpers/helpers.go:6:2) (write a structure of two float32 and its methods) [go-subset]
wrong/wrong.go:19:1: the directive of kernels is //gpuc:kernel (without a space, and with a small k) [go-kernel]
`,
	"./with": `with/go.go:6:45: two is in a file that imports "C", and kernels call no C (write it in Go, in a file that does not import "C") [go-subset]
with/c.go:11:6: InC is in a file that imports "C", and kernels call no C (move the kernel to a file that does not import it) [go-kernel]
`,
}

// TestVet: gpuc is a tool for go vet, which needs no network for that.
func TestVet(t *testing.T) {
	testmode.Quick(t, "it builds Go packages")
	t.Parallel()
	folder := t.TempDir()
	tool := commandtest.Path(t)
	for name, text := range vetted {
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(folder, name), text)
	}
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, "go.sum"), string(sums))
	put(t, filepath.Join(folder, "go.mod"), "module example.com/vetted\n\ngo 1.26.0\n\nrequire github.com/gpuc/gpuc v0.0.0\n\nreplace github.com/gpuc/gpuc => "+
		filepath.ToSlash(repository)+"\n")
	vet := func(cgo string, arguments ...string) (string, error) {
		text, err := goCommand(t, folder, []string{"GOFLAGS=-mod=mod", "GOWORK=off", "CGO_ENABLED=" + cgo}, append([]string{"vet", "-vettool=" + tool}, arguments...)...)
		return strings.ReplaceAll(text, `\`, "/"), err
	}
	if text, err := vet("0", "./right", "./helpers"); err != nil || text != "" {
		t.Errorf("of kernels that are right go vet says (%v):\n%s", err, text)
	}
	wrong := func(cgo, pattern string) {
		text, err := vet(cgo, pattern)
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
			t.Errorf("%s: go vet exits with %v", pattern, err)
		}
		// which not all versions of go have
		text = strings.TrimPrefix(text, "# example.com/vetted/"+pattern[2:]+"\n")
		if diff := cmp.Diff(vetSays[pattern], text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
	wrong("0", "./wrong")
	wrong("0", "./barrier")
	if text, err := vet("0", "-json", "./wrong"); err != nil || strings.Count(text, `"category": "go-subset"`) != 3 {
		t.Errorf("go vet -json (%v):\n%s", err, text)
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("skipped the rest: gcc is not installed (Debian: gcc and libc6-dev)")
	}
	wrong("1", "./with")
}

// TestPlugin compiles the plugin for golangci-lint that docs/guide/go-kernels-advanced.md shows,
// against declarations like those of that program's module, which is no dependency of this one.
func TestPlugin(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	plugin, err := os.ReadFile(filepath.Join("testdata", "plugin", "plugin.go"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"register", "kernels"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(folder, "kernels", "plugin.go"), string(plugin))
	put(t, filepath.Join(folder, "kernels", "go.mod"), "module example.com/tools/kernels\n\ngo 1.26.0\n")
	put(t, filepath.Join(folder, "register", "go.mod"), "module github.com/golangci/plugin-module-register/register\n\ngo 1.26.0\n")
	put(t, filepath.Join(folder, "register", "register.go"), `package register

import "golang.org/x/tools/go/analysis"

const LoadModeTypesInfo = "typesinfo"

type LinterPlugin interface {
	BuildAnalyzers() ([]*analysis.Analyzer, error)
	GetLoadMode() string
}

func Plugin(name string, make func(settings any) (LinterPlugin, error)) {}
`)
	put(t, filepath.Join(folder, "go.work"), "go 1.26.0\n\nuse (\n\t./kernels\n\t./register\n\t"+filepath.ToSlash(repository)+"\n)\n")
	if text, err := goCommand(t, folder, nil, "vet", "./kernels"); err != nil {
		t.Errorf("go vet: %v\n%s", err, text)
	}
}
