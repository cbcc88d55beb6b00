package mir_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
)

// wide and narrow are two machines: one with an index and any constant in its memory operands,
// and one with hardly a constant.
var (
	wide   = mir.Traits{LowOffset: -1 << 62, HighOffset: 1 << 62, Indexed: true, Lanes: 16}
	narrow = mir.Traits{LowOffset: 0, HighOffset: 7}
)

// TestKernels executes the kernels that every device must run alike on the machine of the
// tests, saxpy and tiled products among them, and compares with the cases' own references.
// Every function verifies.
func TestKernels(t *testing.T) {
	ran, left := 0, 0
	for n, c := range exectest.Cases() {
		if !testmode.Sampled(n, 3) {
			continue
		}
		if c.NeedsSubgroups {
			left++
			continue
		}
		ran++
		t.Run(c.Name, func(t *testing.T) {
			execute(t, &c, "narrow", narrow, codegen.Options{})
			execute(t, &c, "wide", wide, codegen.Options{})
			if !testing.Short() {
				execute(t, &c, "narrow, plain", narrow, codegen.Options{NoOptimize: true})
			}
		})
	}
	t.Logf("%d cases run, %d have subgroups", ran, left)
}

func execute(t *testing.T, c *exectest.Case, variant string, traits mir.Traits, o codegen.Options) {
	t.Helper()
	o.Context = &opt.Context{Verify: true}
	if c.Strict {
		o.Math = opt.MathStrict
	}
	text, err := os.ReadFile("../../" + c.File())
	if err != nil {
		t.Fatal(err)
	}
	var set source.Set
	var list diag.List
	file, err := set.Add(c.File(), string(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{Lower: lower.Options{Math: o.Math}}, &list)
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	contents := c.Contents()
	for n, d := range c.Dispatches {
		var x machine
		toy := x.target(traits)
		if err := toy.Check(); err != nil {
			t.Fatal(err)
		}
		o.Settings = nil
		for _, s := range d.Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		a := codegen.Compile(m, d.Entry, toy, &o, &list)
		if a == nil {
			t.Fatalf("%s: %s does not compile: %v", variant, d.Entry, list.Items())
		}
		for _, f := range x.funcs {
			if err := f.Verify(); err != nil {
				t.Fatalf("%s: %v in\n%s", variant, err, f.Text())
			}
			var live mir.Liveness
			live.Analyse(f, false)
			if first := live.LiveIn(nil, f.Order[0]); len(first) > 0 {
				t.Errorf("%s: %s is live where the function begins", variant, f.OperandString(first[0]))
			}
		}
		k := &a.Kernel
		x.immediates = c.ImmediatesOf(n)
		images := bindTextures(&x, c, n, contents)
		for _, b := range k.Arguments() {
			for n := range c.Buffers {
				if c.Buffers[n].Name == b.Name {
					x.buffers = append(x.buffers, contents[n])
				}
			}
		}
		_, fault, scratch, tables := k.Hidden()
		if fault >= 0 {
			x.buffers = append(x.buffers, make([]byte, 64))
		}
		if scratch >= 0 {
			x.buffers = append(x.buffers, bytes.Repeat([]byte{0xaa}, int(k.Scratch.Bytes(d.Grid, k.Workgroup))))
		}
		if tables >= 0 {
			x.buffers = append(x.buffers, k.Tables)
		}
		if err := x.run(d.Grid); err != nil {
			t.Fatalf("%s: %s: %v", variant, d.Entry, err)
		}
		for k, image := range images {
			for level := range image.Levels {
				copy(contents[c.Level(k, level)], image.Level(level))
			}
		}
	}
	if err := exectest.Compare(c, c.Expected(), contents); err != nil {
		t.Errorf("%s: %v", variant, err)
	}
}

// bindTextures gives the machine the textures and samplers of a dispatch, and returns the images of
// the case's textures, whose texels are those of the contents.
func bindTextures(x *machine, c *exectest.Case, dispatch int, contents [][]byte) []*texture.Image {
	images := make([]*texture.Image, len(c.Textures))
	for k := range c.Textures {
		images[k] = texture.NewImage(&c.Textures[k].Description)
		for level := range images[k].Levels {
			copy(images[k].Level(level), contents[c.Level(k, level)])
		}
	}
	for _, h := range x.info.Handles {
		if h.Texture == nil {
			for k := range c.Samplers {
				if c.Samplers[k].Name == h.Name {
					x.handles = append(x.handles, texture.Handle{Sampler: &c.Samplers[k].Description})
				}
			}
			continue
		}
		k, view := c.View(&c.Dispatches[dispatch], h.Name)
		x.handles = append(x.handles, texture.Handle{Image: images[k], Level: view.Level, Levels: view.Levels})
	}
	return images
}
