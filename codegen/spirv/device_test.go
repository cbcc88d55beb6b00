package spirv

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/internal/devicetest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file runs modules on the Vulkan devices that are found and compares them
// with the interpreter: a valid module is not yet a right one.

// execute runs one workgroup of a module with bindings 0, 1, … of group 0.
func execute(t *testing.T, device *gpu.Device, code []byte, invocations uint32, buffers [][]byte) {
	t.Helper()
	k := abi.Kernel{Name: "main", Workgroup: [3]uint32{invocations, 1, 1}}
	for n, b := range buffers {
		k.Bindings = append(k.Bindings, abi.Binding{Name: "b", Binding: uint32(n), Access: abi.ReadWrite, Size: uint32(len(b))})
	}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	kernel, err := device.Load(&abi.Artefact{Target: abi.SPIRV, Code: code, Kernel: k})
	must(err)
	defer kernel.Close()
	stream, err := device.NewStream()
	must(err)
	defer stream.Close()
	arguments := kernel.Args()
	memory := make([]*gpu.Buffer[byte], len(buffers))
	for n, b := range buffers {
		memory[n], err = gpu.Upload(ctx, device, b)
		must(err)
		defer memory[n].Close()
		must(arguments.Set(n, memory[n]))
	}
	must(stream.Launch(arguments, gpu.Grid{X: 1, Y: 1, Z: 1}))
	for n := range buffers {
		must(memory[n].Read(ctx, stream, buffers[n]))
	}
}

func TestRandomControlOnDevices(t *testing.T) {
	seeds := min(*seedCount, 60)
	if testing.Short() {
		seeds = 20
	}
	for _, device := range devicetest.Devices(t, abi.SPIRV) {
		for seed := range seeds {
			m := newRandomControl(uint64(seed))
			want := interpret(t, m)
			var list diag.List
			got := make([]byte, len(want))
			execute(t, device, compileModule(m, false, &list), 32, [][]byte{got})
			if !bytes.Equal(got, want) {
				t.Errorf("seed %d computes %x on %s, want %x", seed, got, device.Info().Name, want)
			}
		}
	}
}

// exact reports whether an operation has one right result on a kind.
func exact(o op.Op, k scalar.Kind) bool {
	s := op.SignatureOf(o)
	return s.Special == "" && !o.Is(op.Convergent) && s.Class != op.NoClass && s.Class.Contains(k) && !k.IsFloat()
}

// invocations is how many run the kernels of integerKernels.
const invocations = 64

// integerKernels makes a kernel for every operation that is exact on integers and bools, on scalars
// and vectors. Operands favour the edges: zeros, ones, the lowest and the highest values. It passes
// the kernels to visit with the buffers before and after a run on the interpreter.
func integerKernels(t *testing.T, visit func(name string, m *ir.Module, before, after [][]byte)) {
	random := rand.New(rand.NewPCG(1, 2))
	for o := op.Invalid + 1; o < op.Count; o++ {
		for _, kind := range []scalar.Kind{scalar.Bool, scalar.I32, scalar.U32, scalar.I64, scalar.U64} {
			if !exact(o, kind) {
				continue
			}
			k := newBuffers()
			s := op.SignatureOf(o)
			for _, n := range []int{1, 2, 3} {
				if n == 1 && !s.Scalar || n > 1 && !s.Vector {
					continue
				}
				typ := ir.Type(kind)
				if n > 1 {
					typ = k.m.VectorOf(typ, n)
				}
				args := make([]ir.Value, s.Count)
				for a := range args {
					args[a] = k.load(k.m.PatternType(s.Operands[a], typ))
				}
				k.store(k.b.Op(o, args...))
			}
			k.b.Return(0)
			before := make([][]byte, len(k.m.Globals))
			for n := range before {
				t := k.m.Element(k.m.Globals[n].Type)
				before[n] = make([]byte, invocations*k.m.Stride(t))
				fillWithEdges(random, before[n], k.m.ScalarOf(k.m.Element(t)))
			}
			visit(o.String()+" on "+kind.String(), k.m, before, interpreted(t, k.m, before))
		}
	}
}

// interpreted runs a kernel on copies of the buffers.
func interpreted(t *testing.T, m *ir.Module, buffers [][]byte) [][]byte {
	t.Helper()
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	out := clones(buffers)
	if _, err := p.Run(&interp.Launch{Buffers: out, Grid: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	return out
}

// same reports the first byte in which two sets of buffers differ.
func same(t *testing.T, what string, got, want [][]byte) {
	t.Helper()
	for n := range got {
		for at := range got[n] {
			if got[n][at] != want[n][at] {
				t.Errorf("%s: byte %d of buffer %d is %#x, want %#x", what, at, n, got[n][at], want[n][at])
				return
			}
		}
	}
}

// TestLegalisersKeepIntegers runs the kernels before and after all of the
// target's legalisers.
func TestLegalisersKeepIntegers(t *testing.T) {
	integerKernels(t, func(name string, m *ir.Module, before, after [][]byte) {
		var list diag.List
		c := &opt.Context{List: &list, Verify: true}
		legal := m.Clone()
		c.Run(legal, Target.Lowering(workaround.All), ir.Initial)
		same(t, name, interpreted(t, legal, before), after)
	})
}

func TestIntegersOnDevices(t *testing.T) {
	devices := devicetest.Devices(t, abi.SPIRV)
	integerKernels(t, func(name string, m *ir.Module, before, after [][]byte) {
		var list diag.List
		code := compileModule(m, false, &list)
		for _, device := range devices {
			got := clones(before)
			execute(t, device, code, invocations, got)
			same(t, name+", "+device.Info().Name, got, after)
		}
	})
}

func clones(buffers [][]byte) [][]byte {
	out := make([][]byte, len(buffers))
	for n := range buffers {
		out[n] = bytes.Clone(buffers[n])
	}
	return out
}

// fillWithEdges fills memory with values of a kind.
func fillWithEdges(random *rand.Rand, memory []byte, k scalar.Kind) {
	width := k.Bytes()
	for at := 0; at+width <= len(memory); at += width {
		x := random.Uint64()
		switch random.IntN(6) {
		case 0:
			x = 0
		case 1:
			x = ^uint64(0)
		case 2:
			x = 1 << (k.Bits() - 1)
		case 3:
			x %= 70
		}
		if k == scalar.Bool {
			x &= 1
		}
		for n := range width {
			memory[at+n] = byte(x >> (8 * n))
		}
	}
}
