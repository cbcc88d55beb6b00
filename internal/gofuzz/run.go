package gofuzz

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// contents are the slices of a kernel in the output of a generated program.
type contents struct {
	In     []int32
	Words  []uint32
	Reals  []float32
	Out    []uint32
	Own    []pair
	Counts []uint32
	Longs  []int64
	Bytes  []uint8
	Mixed  json.RawMessage

	OwnLongs []int64
	OwnWords []uint64
}

// mixed is the structure of the programs with explicit padding.
type mixed struct {
	A  int8
	P0 [7]uint8
	L  int64
	W  uint16
	P1 [6]uint8
	F  float64
	Q  [3]uint8
	P2 [5]uint8
	U  uint64
	H  int16
	P3 [6]uint8
}

type pair struct {
	X int32
	Y uint32
	Z [3]int32
}

// single is mixed in a program without numbers of type float64.
type single struct {
	A  int8
	P0 [7]uint8
	L  int64
	W  uint16
	Q  [3]uint8
	P2 [3]uint8
	U  uint64
	H  int16
	P3 [6]uint8
}

// parameters are the value parameters of the kernels in the layout of devices; the last is a
// float64.
var parameters = struct {
	N    int32
	Mask uint32
	Pair pair
	Flag uint32
	Long int64
	Real float64
}{5, 0x9e3779b9, pair{-3, 17, [3]int32{1, 2, 3}}, 1, -5000000000, 3.75}

// slices returns the contents in the order of the kernels' parameters.
func (c *contents) slices(doubles bool) ([]any, error) {
	m, s := []mixed{}, []single{}
	into := any(&s)
	if doubles {
		into = &m
	}
	if err := json.Unmarshal(c.Mixed, into); err != nil {
		return nil, err
	}
	list := []any{c.In, c.Words, c.Reals, c.Out, c.Own, c.Counts, c.Longs, c.Bytes, m, c.OwnLongs, c.OwnWords}
	if !doubles {
		list[8] = s
	}
	return list, nil
}

var names = [...]string{"in", "words", "reals", "out", "own", "counts", "longs", "bytes", "mix", "ownLongs", "ownWords"}

// Cases generates a package in a folder, builds and runs it, compiles its kernels to IR, and
// returns a case for each. The folder's go.work must have this module.
func Cases(folder string, seed uint64, kernels int, doubles bool) ([]difftest.Case, error) {
	text := Package(seed, kernels, doubles)
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(text), 0o644); err != nil {
		return nil, err
	}
	program := filepath.Join(folder, "program")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Env = folder, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("seed %d does not build: %w\n%s", seed, err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		return nil, fmt.Errorf("seed %d does not run: %w", seed, err)
	}
	var expected map[string][2]*contents
	if err := json.Unmarshal(out, &expected); err != nil {
		return nil, err
	}
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: folder}, &list, ".")
	if err != nil {
		return nil, err
	}
	if m == nil {
		var b strings.Builder
		diag.Write(&b, &set, list.Items())
		return nil, fmt.Errorf("seed %d is refused:\n%s", seed, b.String())
	}
	plain, err := binary.Append(nil, binary.LittleEndian, parameters)
	if err != nil {
		return nil, err
	}
	if !doubles {
		plain = plain[:len(plain)-8]
	}
	var cases []difftest.Case
	for n := range kernels {
		name := fmt.Sprintf("K%d", n)
		own := m.Clone()
		ir.Isolate(own, own.Func(name))
		c := difftest.Case{Name: fmt.Sprintf("go-%d-%s", seed, name), Language: "ir", Code: own.Text(), Entry: name,
			Dispatch: [3]int{groups, 1, 1}}
		before, err := expected[name][0].slices(doubles)
		if err != nil {
			return nil, err
		}
		after, err := expected[name][1].slices(doubles)
		if err != nil {
			return nil, err
		}
		for k := range before {
			b := difftest.Binding{Binding: k, Name: names[k], Kind: "storage"}
			if b.Data, err = binary.Append(nil, binary.LittleEndian, before[k]); err != nil {
				return nil, err
			}
			if b.Want, err = binary.Append(nil, binary.LittleEndian, after[k]); err != nil {
				return nil, err
			}
			c.Bindings = append(c.Bindings, b)
		}
		c.Bindings = append(c.Bindings, difftest.Binding{Binding: len(names), Name: "parameters", Kind: "uniform", Data: plain, Want: plain})
		cases = append(cases, c)
	}
	return cases, nil
}

// Workspace writes a go.work to a folder, so that its packages can import this module, which is in
// repository.
func Workspace(folder, repository string) error {
	for name, text := range map[string]string{
		"go.mod":  "module example.com/generated\n\ngo 1.26.0\n",
		"go.work": "go 1.26.0\n\nuse (\n\t.\n\t" + repository + "\n)\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
