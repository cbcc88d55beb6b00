package jit

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/frontend"
	wgsllower "github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// compiled is a kernel of the CPU target as a program.
func compiled(t testing.TB, m *ir.Module, entry string, o *codegen.Options) (*lower.Program, *abi.Kernel, error) {
	t.Helper()
	var p *lower.Program
	var refused error
	target := cpu.Target
	target.Emit = func(e *codegen.Emission) []byte {
		p, refused = lower.Build(e.Module, e.Kernel)
		return []byte("code")
	}
	var list diag.List
	a := codegen.Compile(m, entry, &target, o, &list)
	if a == nil {
		t.Fatalf("%s does not compile: %v", entry, list.Items())
	}
	return p, &a.Kernel, refused
}

func module(t testing.TB, name string, math opt.Math) *ir.Module {
	t.Helper()
	text, err := os.ReadFile("../../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	var set source.Set
	var list diag.List
	file, err := set.Add(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{Lower: wgsllower.Options{Math: math}}, &list)
	if err != nil || m == nil {
		t.Fatal(err, list.Items())
	}
	return m
}

// TestKernels executes the kernels that every device must run alike, and compares with the cases'
// own references. It does so with one block of lanes at a time, several together, and as many as
// are chosen. What is not refused is verified (isVerified).
func TestKernels(t *testing.T) {
	needCode(t)
	for _, c := range exectest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			testmode.Pick(t, c.Name)
			if err := execute(t, &c, 1, 2, 4, 0); err != nil {
				t.Fatalf("it is refused: %v", err)
			}
		})
	}
}

// isVerified reports whether the register assignment of the n-th program, which has so many
// instructions, is verified in its k-th of four forms: in one by rotation. If everything runs, all
// forms of short programs are. Those of the largest programs never are. The verifier takes most of
// the time, which grows with the square of the instructions.
func isVerified(n, k, instructions int) bool {
	const all, most = 2000, 8000
	return instructions <= most && (testmode.IsWhole() && instructions <= all || n%4 == k%4)
}

// machineFor returns the machine for the n-th program: this one, and every second time one with as
// many registers as all of its kind have.
func machineFor(n int) Machine {
	if n%2 == 1 && runtime.GOARCH == "amd64" {
		return AMD64
	}
	return Host
}

// execute compiles the kernels of a case, executes them for each number of blocks of lanes that are
// executed together, 0 for the chosen one, and compares what they leave.
func execute(t *testing.T, c *exectest.Case, together ...int) error {
	t.Helper()
	defer func() { forced = 0 }()
	o := codegen.Options{Context: &opt.Context{Verify: true}}
	if c.Strict {
		o.Math = opt.MathStrict
	}
	m := module(t, c.File(), o.Math)
	contents := make([][][]byte, len(together))
	for at := range contents {
		contents[at] = c.Contents()
	}
	for n, d := range c.Dispatches {
		o.Settings = nil
		for _, s := range d.Overrides {
			o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
		}
		p, info, err := compiled(t, m, d.Entry, &o)
		if err != nil {
			return err
		}
		for at := range together {
			forced = together[at]
			machine := machineFor(at)
			code, err := Compile(p, Options{Machine: machine})
			if err == nil && isVerified(len(c.Name)+n, at, code.Instructions) {
				code, err = Compile(p, Options{Verify: true, Machine: machine})
			}
			if err != nil {
				return err
			}
			k, err := code.load()
			if err != nil {
				return err
			}
			runDispatch(t, c, n, k, p, info, contents[at])
			t.Logf("%s: %d instructions, %d bytes, %d kept in memory, %d together", d.Entry, code.Instructions, len(code.Text), code.Spilled, code.Together)
		}
	}
	expected := c.Expected()
	for at := range contents {
		if err := exectest.Compare(c, expected, contents[at]); err != nil {
			t.Errorf("%d together: %v", together[at], err)
		}
	}
	return nil
}

// runDispatch runs the n-th dispatch of a case on its contents.
func runDispatch(t *testing.T, c *exectest.Case, n int, k *Kernel, p *lower.Program, info *abi.Kernel, contents [][]byte) {
	t.Helper()
	d := &c.Dispatches[n]
	launch := interp.Launch{Grid: d.Grid, Immediates: c.ImmediatesOf(n)}
	images := bindTextures(&launch, c, d, p, info, contents)
	for _, b := range p.Bindings {
		at := slices.IndexFunc(info.Bindings, func(x abi.Binding) bool { return x.Group == b.Group && x.Binding == b.Binding })
		name := info.Bindings[at].Name
		for k := range c.Buffers {
			if c.Buffers[k].Name == name {
				launch.Buffers = append(launch.Buffers, contents[k])
			}
		}
	}
	_, err := k.Run(&launch)
	for k, image := range images {
		for level := range image.Levels {
			copy(contents[c.Level(k, level)], image.Level(level))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// bindTextures gives a launch the textures and samplers of a dispatch, and returns the images of
// the case's textures, whose texels are those of the contents.
func bindTextures(launch *interp.Launch, c *exectest.Case, d *exectest.Dispatch, p *lower.Program, info *abi.Kernel, contents [][]byte) []*texture.Image {
	images := make([]*texture.Image, len(c.Textures))
	for k := range c.Textures {
		images[k] = texture.NewImage(&c.Textures[k].Description)
		for level := range images[k].Levels {
			copy(images[k].Level(level), contents[c.Level(k, level)])
		}
	}
	m := p.F.Module
	for _, v := range ir.ReachOf(m, p.F.Source).Handles {
		g := m.Global(v)
		at := slices.IndexFunc(info.Handles, func(h abi.Handle) bool { return h.Group == g.Group && h.Binding == g.Binding })
		name := info.Handles[at].Name
		if info.Handles[at].Texture == nil {
			k := slices.IndexFunc(c.Samplers, func(s exectest.Sampler) bool { return s.Name == name })
			launch.Handles = append(launch.Handles, texture.Handle{Sampler: &c.Samplers[k].Description})
			continue
		}
		k, view := c.View(d, name)
		launch.Handles = append(launch.Handles, texture.Handle{Image: images[k], Level: view.Level, Levels: view.Levels})
	}
	return images
}

// TestReused: compilations that use the memory of others, at the same time or one after the other,
// make the code that the first one made.
func TestReused(t *testing.T) {
	var programs []*lower.Program
	var want [][]byte
	for _, name := range []string{"sort_bitonic", "view_phases", "language_early_return", "matrix_products", "saxpy", "atomics", "softmax"} {
		file := "testdata/exec/" + name + ".wgsl"
		for _, k := range module(t, file, 0).Kernels() {
			var list diag.List
			a := codegen.Compile(module(t, file, 0), k.Name, &cpu.Target, &codegen.Options{}, &list)
			if a == nil {
				t.Fatal(list.Items())
			}
			m, f, _, err := lower.Read("", a.Code)
			if err != nil {
				t.Fatal(err)
			}
			p, err := lower.Build(m, f)
			if err != nil {
				t.Fatal(err)
			}
			selectors = sync.Pool{New: selectors.New}
			code, err := Compile(p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			programs, want = append(programs, p), append(want, code.Text)
		}
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(5, uint64(worker)))
			for range 16 {
				n := rng.IntN(len(programs))
				code, err := Compile(programs[n], Options{Verify: rng.IntN(8) == 0, List: rng.IntN(8) == 0})
				if err != nil || !bytes.Equal(code.Text, want[n]) {
					t.Errorf("the code of %s is another: %v", programs[n].F.Source.Name, err)
				}
			}
		})
	}
	group.Wait()
}

// TestEndless: a launch ends when its context does, though its code does not.
func TestEndless(t *testing.T) {
	needCode(t)
	m := parsed(t, `
@group(0) @binding(0) var<storage, read_write> more: array<atomic<u32>>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  while atomicLoad(&more[id.x & 1u]) != 7u { atomicAdd(&more[2], 1u); }
}`)
	p, _, err := compiled(t, m, "main", &codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := Load(p, Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]uint32, 4)
	memory := unsafe.Slice((*byte)(unsafe.Pointer(&buffer[0])), 16)
	for range 3 { // contexts are used again
		ctx, cancel := context.WithCancel(t.Context())
		before := atomic.LoadUint32(&buffer[2])
		go func() {
			for atomic.LoadUint32(&buffer[2]) == before {
				runtime.GC() // it waits for code to return
			}
			cancel()
		}()
		if _, err := k.Run(&interp.Launch{Grid: [3]uint32{3, 1, 1}, Buffers: [][]byte{memory}, Context: ctx}); !errors.Is(err, context.Canceled) {
			t.Errorf("the launch ended with %v", err)
		}
	}
	atomic.StoreUint32(&buffer[0], 7)
	atomic.StoreUint32(&buffer[1], 7)
	if _, err := k.Run(&interp.Launch{Grid: [3]uint32{3, 1, 1}, Buffers: [][]byte{memory}, Context: t.Context()}); err != nil {
		t.Error(err)
	}
}

// TestLeftTogether: lanes that are left of a loop by a break of their own leave it together, at its
// last block, and go on after it.
func TestLeftTogether(t *testing.T) {
	needCode(t)
	m := parsed(t, `
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3u) {
  var fuel = o[lane];
  loop {
    if (fuel == 0u) { break; }
    fuel--;
    if (!(id.y < 1u)) { continue; }
    o[lane] = lane + 7u;
    break;
  }
}`)
	p, _, err := compiled(t, m, "main", &codegen.Options{NoOptimize: true})
	if err != nil {
		t.Fatal(err)
	}
	k, err := Load(p, Options{Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, 64)
	for n := range words {
		words[n] = uint32(n % 3) // of which those that are 0 leave first
	}
	memory := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4*len(words))
	if _, err := k.Run(&interp.Launch{Grid: [3]uint32{1, 1, 1}, Buffers: [][]byte{memory}}); err != nil {
		t.Fatal(err)
	}
	for n, got := range words {
		want := uint32(0)
		if n%3 != 0 {
			want = uint32(n + 7)
		}
		if got != want {
			t.Errorf("lane %d: expected %d, found %d", n, want, got)
		}
	}
}

// TestTakes: launches with buffers that are too small for the code, or with fuel, are for others.
func TestTakes(t *testing.T) {
	needCode(t)
	m := parsed(t, `
struct S { a: vec4u, b: array<vec2u> }
@group(0) @binding(0) var<storage, read_write> s: S;
@compute @workgroup_size(1) fn main() { s.b[0] = s.a.xy; }`)
	p, _, err := compiled(t, m, "main", &codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	k, err := Load(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bytes int
		fuel  uint64
		want  bool
	}{{23, 0, false}, {24, 0, true}, {0, 0, false}, {24, 1, false}} {
		if got := k.Takes(&interp.Launch{Buffers: [][]byte{make([]byte, c.bytes)}, Fuel: c.fuel}); got != c.want {
			t.Errorf("%d bytes, fuel %d: %v", c.bytes, c.fuel, got)
		}
	}
}
