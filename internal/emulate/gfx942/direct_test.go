package gfx942

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/jit"
)

func assembleText(t testing.TB, text []byte) []byte {
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "k.s"), text, 0o600)
	for _, c := range [][]string{{"llvm-mc-19", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", "k.s", "-o", "k.o"}, {"ld.lld-19", "-shared", "k.o", "-o", "k.hsaco"}} {
		x := exec.Command(c[0], c[1:]...)
		x.Dir = dir
		if out, err := x.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	data, _ := os.ReadFile(filepath.Join(dir, "k.hsaco"))
	return data
}

func TestDirectBringUp(t *testing.T) {
	cases := exectest.Cases()
	passed := 0
	reasons := map[string]int{}
	for n := range cases {
		c := &cases[n]
		if len(c.Textures) > 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			for _, v := range variants {
				if c.LeavesVariables && v.options.Bounds != 0 {
					continue
				}
				err := direct(t, c, v.options, v.turn, v.backwards)
				if err == nil {
					passed++
					continue
				}
				s, _, _ := strings.Cut(err.Error(), ", workgroup")
				reasons[s]++
				t.Error(v.name, err)
			}
		})
	}
	t.Logf("%d passed", passed)
}

func direct(t testing.TB, c *exectest.Case, o codegen.Options, turn int, backwards bool) error {
	if c.Strict {
		o.Math = opt.MathStrict
	}
	text, err := os.ReadFile("../../../" + c.File())
	if err != nil {
		return err
	}
	p, err := jit.Parse(c.Name+".wgsl", string(text), o)
	if err != nil {
		return err
	}
	x := &caseRun{c: c, name: c.Name, turn: turn, backwards: backwards}
	var objects []*Object
	for _, d := range c.Dispatches {
		var settings []ir.Setting
		for _, s := range d.Overrides {
			settings = append(settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		target, err := amdgpu.Direct.With(profile)
		if err != nil {
			return err
		}
		var list diag.List
		o.Settings, o.Context = settings, &opt.Context{Verify: true}
		a := codegen.Compile(p.Module(), d.Entry, target, &o, &list)
		if a == nil {
			return errors.New(list.Items()[0].Message)
		}
		if os.Getenv("SHOW") != "" {
			t.Logf("%s", a.Code)
		}
		x.programs = append(x.programs, bench.Program{Code: a.Code, Kernel: &a.Kernel})
		obj, err := Load(assembleText(t, a.Code))
		if err != nil {
			return err
		}
		objects = append(objects, obj)
	}
	at := 0
	return x.runBy(0, func(l *Launch) error {
		l.Kernel = x.programs[at].Kernel.Name
		l.Unit = 2
		o := objects[at]
		at++
		return o.Run(l)
	})
}
