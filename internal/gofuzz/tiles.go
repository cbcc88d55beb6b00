package gofuzz

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/gofuzz/tiles"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Tiles are kernels that compute with tiles, generated in a folder as a package. What they leave is
// known from an evaluator of its own.
type Tiles struct {
	Folder string
	list   []*tiles.Kernel
}

// NewTiles generates the kernels of so many seeds. The folder's go.work must have this module.
func NewTiles(folder string, seed, kernels uint64) (*Tiles, error) {
	t := &Tiles{Folder: folder}
	for n := range kernels {
		t.list = append(t.list, tiles.Random(seed+n))
	}
	return t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(tiles.Program(t.list)), 0o644)
}

// plainTile is what a program gets and writes for a kernel.
type plainTile struct {
	N    int
	Data [][]byte
}

// Plain runs the kernels as plain Go, with the race detector if that is chosen. It returns what is
// wrong, a line for each kernel.
func (t *Tiles) Plain(race bool) (wrong []string, err error) {
	program := filepath.Join(t.Folder, "program")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Env = t.Folder, append(os.Environ(), "CGO_ENABLED=0")
	if race {
		build.Args = append(build.Args[:2:2], "-race", "-o", program, ".")
		build.Env[len(build.Env)-1] = "CGO_ENABLED=1"
	}
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the kernels are not built: %w\n%s", err, out)
	}
	var list []plainTile
	for _, k := range t.list {
		x := plainTile{N: int(binary.LittleEndian.Uint32(k.Parameters))}
		for _, s := range k.Slices {
			x.Data = append(x.Data, s.Data)
		}
		list = append(list, x)
	}
	in, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	run := exec.Command(program)
	run.Stdin = bytes.NewReader(in)
	var complaint bytes.Buffer
	run.Stderr = &complaint
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("the kernels do not run as plain Go: %w\n%s", err, complaint.String())
	}
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, err
	}
	for n, k := range t.list {
		for i, s := range k.Slices {
			if got := list[n].Data[i]; !bytes.Equal(got, s.Want) {
				at := 0
				for at < min(len(got), len(s.Want)) && got[at] == s.Want[at] {
					at++
				}
				wrong = append(wrong, fmt.Sprintf("%s: %s: byte %d differs", k.Name, s.Name, at))
			}
		}
	}
	return wrong, nil
}

// Cases compiles the kernels to IR, and returns a case for each.
func (t *Tiles) Cases() ([]difftest.Case, error) {
	var set source.Set
	var list diag.List
	m, err := gokernel.Load(&set, gokernel.Options{Folder: t.Folder}, &list, ".")
	if err != nil {
		return nil, err
	}
	if m == nil {
		var b strings.Builder
		diag.Write(&b, &set, list.Items())
		return nil, fmt.Errorf("the kernels are refused:\n%s", b.String())
	}
	var cases []difftest.Case
	for _, k := range t.list {
		own := m.Clone()
		f := own.Func(k.Name)
		ir.Isolate(own, f)
		c := difftest.Case{Name: "tiles-" + k.Name, Language: "ir", Code: own.Text(), Entry: k.Name, Dispatch: [3]int{k.Groups, 1, 1}}
		for n, s := range k.Slices {
			c.Bindings = append(c.Bindings, difftest.Binding{Binding: n, Name: s.Name, Kind: "storage", Data: s.Data, Want: s.Want, Zeros: s.Float})
		}
		for _, v := range f.Interface {
			switch own.SpaceOf(own.Global(v).Type) {
			case ir.Immediate: // they are few
				c.Immediates = k.Parameters
			case ir.Uniform:
				c.Bindings = append(c.Bindings, difftest.Binding{Binding: len(k.Slices), Name: "parameters", Kind: "uniform", Data: k.Parameters, Want: k.Parameters})
			}
		}
		cases = append(cases, c)
	}
	return cases, nil
}
