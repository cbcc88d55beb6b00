package opt_test

import (
	"cmp"
	"encoding/binary"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
)

// This file runs modules before and after passes and compares what they leave in
// their buffers.

// testElements is the length given to runtime-sized arrays of pass tests.
const testElements = 64

// testImmediate is each word of the immediates of pass tests.
const testImmediate = 19

// contents returns a buffer that depends on its binding and the seed: words that
// make sense as integers and as floats.
func contents(b interp.Binding, seed uint64) []byte {
	size := int(b.Size) + testElements*int(b.Stride)
	if b.Stride == 4 && b.Size == 0 {
		size = max(size, irgen.BufferSizes()[irgen.OutputWords])
	}
	data := make([]byte, (size+3)/4*4)
	random := rand.New(rand.NewPCG(seed, uint64(b.Group)<<32|uint64(b.Binding)))
	for at := 0; at < len(data); at += 4 {
		x := uint32(random.IntN(200))
		if random.IntN(3) == 0 {
			x = math.Float32bits(float32(random.IntN(100)-50) / 4)
		}
		binary.LittleEndian.PutUint32(data[at:], x)
	}
	return data[:size]
}

// handles returns textures of three levels at most, filled depending on binding and
// seed, and samplers.
func handles(p *interp.Program, seed uint64) (list []texture.Handle) {
	for _, h := range p.Handles() {
		if h.Sampler {
			s := texture.Smooth
			if h.Comparison {
				s.Compare = texture.Less
			}
			list = append(list, texture.Handle{Sampler: &s})
			continue
		}
		random := rand.New(rand.NewPCG(seed, uint64(h.Group)<<32|uint64(h.Binding)))
		m := texture.NewImage(describe(&h))
		for level := range m.Levels {
			data := m.Level(level)
			for at := 0; at+4 <= len(data); at += 4 {
				x := uint32(random.IntN(200))
				if h.Channel == scalar.F32 {
					x = math.Float32bits(float32(x) / 4)
				}
				binary.LittleEndian.PutUint32(data[at:], x)
			}
		}
		list = append(list, texture.Handle{Image: m})
	}
	return list
}

// describe returns a small texture that fits a handle.
func describe(h *interp.Handle) *texture.Description {
	format := h.Format
	switch h.Shape.Info().Class {
	case texture.Depth:
		format = texture.Depth32Float
	case texture.Sampled:
		format = map[scalar.Kind]texture.Format{scalar.F32: texture.RGBA32Float, scalar.I32: texture.RGBA32Sint, scalar.U32: texture.RGBA32Uint}[h.Channel]
	}
	d := h.Shape.Describe(format, 8, 4, 2, 3, 3)
	return &d
}

// run runs a kernel and returns its buffers, and the first levels of its textures,
// by group and binding.
func run(t testing.TB, m *ir.Module, kernel *ir.Func, seed uint64) map[[2]uint32][]byte {
	t.Helper()
	p, err := interp.Compile(m, kernel)
	if err != nil {
		t.Fatalf("compile: %v\n%s", err, m.Text())
	}
	buffers := map[[2]uint32][]byte{}
	var list [][]byte
	for _, b := range p.Bindings() {
		data := contents(b, seed)
		buffers[[2]uint32{b.Group, b.Binding}] = data
		list = append(list, data)
	}
	textures := handles(p, seed)
	for i, h := range p.Handles() {
		if !h.Sampler {
			buffers[[2]uint32{h.Group, h.Binding}] = textures[i].Image.Level(0)
		}
	}
	launch := &interp.Launch{Buffers: list, Handles: textures, Grid: [3]uint32{irgen.Groups, groupsInY(kernel), 1}, Workers: 1, Fuel: 1 << 22}
	launch.Immediates = make([]byte, p.Immediates())
	for at := 0; at+4 <= len(launch.Immediates); at += 4 {
		binary.LittleEndian.PutUint32(launch.Immediates[at:], testImmediate)
	}
	for n, factor := range kernel.Coarse {
		if factor > 0 { // the same launch, in fewer workgroups
			size, _ := m.ConstUint(kernel.Workgroup[n])
			launch.Extent[n] = launch.Grid[n] * uint32(size)
			launch.Grid[n] = (launch.Grid[n] + factor - 1) / factor
		}
	}
	items, err := p.Run(launch)
	if err != nil || len(items) > 0 {
		t.Fatalf("run: %v %v\n%s", err, items, m.Text())
	}
	return buffers
}

// groupsInY is how many workgroups run in the second dimension: several if a workgroup has several
// invocations there.
func groupsInY(kernel *ir.Func) uint32 {
	if size, ok := kernel.Module.ConstUint(kernel.Workgroup[1]); ok && size > 1 {
		return irgen.Groups
	}
	return 1
}

// compareRuns fails if two modules with the same kernels leave different buffers or
// textures. What b no longer binds, it leaves as it was.
func compareRuns(t testing.TB, a, b *ir.Module, seed uint64) {
	t.Helper()
	for _, kernel := range a.Kernels() {
		want := run(t, a, kernel, seed)
		got := run(t, b, b.Func(kernel.Name), seed)
		p, _ := interp.Compile(a, kernel)
		initial := map[[2]uint32][]byte{}
		for _, binding := range p.Bindings() {
			initial[[2]uint32{binding.Group, binding.Binding}] = contents(binding, seed)
		}
		untouched := handles(p, seed)
		for i, h := range p.Handles() {
			if !h.Sampler {
				initial[[2]uint32{h.Group, h.Binding}] = untouched[i].Image.Level(0)
			}
		}
		for key := range want {
			data, ok := got[key]
			if !ok {
				data = initial[key]
			}
			for at := 0; at+4 <= len(data); at += 4 {
				x, y := binary.LittleEndian.Uint32(want[key][at:]), binary.LittleEndian.Uint32(data[at:])
				if x != y && !(isNaN(x) && isNaN(y)) {
					t.Fatalf("@%s: byte %d of group and binding %d is %#x, before %#x\nbefore:\n%s\nafter:\n%s",
						kernel.Name, at, key, y, x, a.Text(), b.Text())
				}
			}
		}
	}
}

// isNaN reports whether a word is a NaN of f32: one may become another.
func isNaN(x uint32) bool { return x&0x7fffffff > 0x7f800000 }

// generated are the shapes of random modules that the passes are tried on.
var generated = []irgen.Options{
	{},
	{Instructions: 600},
	{NoCalls: true, NoBarriers: true},
	{Kinds: []scalar.Kind{scalar.I32, scalar.F32, scalar.F16, scalar.I64, scalar.U64}},
}

// tryPasses runs a pipeline over a random module, checks it after every pass and
// compares what it computes.
func tryPasses(t testing.TB, pipeline []opt.Pass, seed uint64) {
	m := irgen.Generate(seed, generated[seed%uint64(len(generated))])
	before := m.Clone()
	c := &opt.Context{List: new(diag.List), Verify: true, Math: opt.MathStrict}
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("seed %d: %v\n%s", seed, r, before.Text())
		}
	}()
	c.Run(m, pipeline, ir.Initial)
	compareRuns(t, before, m, seed)
}

// seeds is how many random modules TestPassesOnGeneratedModules tries each pass on.
var seeds = flag.Uint64("seeds", 0, "how many random modules each pass is tried on; 0 is the mode's number")

// TestPassesOnGeneratedModules tries each pass alone, and whole pipelines.
func TestPassesOnGeneratedModules(t *testing.T) {
	count := cmp.Or(*seeds, uint64(testmode.Scaled(200)))
	for _, p := range opt.Passes {
		t.Run(p.Name, func(t *testing.T) {
			for seed := range count {
				tryPasses(t, []opt.Pass{*p}, seed)
			}
		})
	}
	t.Run("standard", func(t *testing.T) {
		for seed := range count {
			tryPasses(t, opt.Standard(), seed)
		}
	})
	t.Run("minimal", func(t *testing.T) {
		for seed := range count {
			tryPasses(t, opt.Minimal(), seed)
		}
	})
}

func FuzzPasses(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, seed*0x9E3779B97F4A7C15)
	}
	f.Fuzz(func(t *testing.T, seed, order uint64) {
		pipeline := make([]opt.Pass, 0, 8)
		for range 8 {
			pipeline = append(pipeline, *opt.Passes[order%uint64(len(opt.Passes))])
			order /= uint64(len(opt.Passes))
		}
		for n := range pipeline { // any order is right, if not good
			pipeline[n].Gives, pipeline[n].Needs = 0, 0
		}
		tryPasses(t, pipeline, seed)
	})
}
