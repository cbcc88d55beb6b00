package expr

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// This file runs the kernels of graphs on the emulators of PTX and SPIR-V, with the sizes of their
// plans, and compares the results with those of the CPU device. All targets compile them.

// emulated is a graph of TestEmulated.
type emulated struct {
	name  string
	build func(c *Context) *Tensor
	// tensor says that the last kernel is for a launch with tensor maps.
	tensor bool
}

// normal makes a tensor of normal numbers.
func normal[T Element](c *Context, of func(float32) T, shape ...int) *Tensor {
	r := rand.New(rand.NewPCG(9, uint64(len(shape))))
	list := make([]T, count(shape))
	for n := range list {
		list[n] = of(float32(r.NormFloat64()))
	}
	return From(c, list, shape...)
}

func same(x float32) float32 { return x }

var emulatedGraphs = []emulated{
	{"elements", func(c *Context) *Tensor {
		return normal(c, same, 3, 1, 8).Add(normal(c, same, 5, 1)).GELU().Mul(normal(c, gpu.ToBFloat16, 8)).Greater(c.Scalar(0)).Where(normal(c, same, 8), c.Scalar(2))
	}, false},
	{"bfloat16", func(c *Context) *Tensor { return normal(c, gpu.ToFloat16, 7, 3).Transpose().Convert(BFloat16).SiLU() }, false},
	{"softmax", func(c *Context) *Tensor { return normal(c, same, 3, 520).Softmax(-1) }, false},
	{"short rows", func(c *Context) *Tensor { return normal(c, same, 30, 7).LayerNorm(nil, nil, 1e-5).Max(0) }, false},
	{"a sum in two kernels", func(c *Context) *Tensor { return normal(c, same, 2, 9000).Sum(-1).Neg() }, false},
	{"columns in two kernels", func(c *Context) *Tensor { return normal(c, same, 300, 12).Abs().Sum(0) }, false},
	{"a batch of products", func(c *Context) *Tensor {
		return normal(c, same, 2, 5, 9).MatMul(normal(c, same, 9, 6)).Add(normal(c, same, 6)).ReLU()
	}, false},
	{"float16 with tensor maps", func(c *Context) *Tensor {
		return normal(c, gpu.ToFloat16, 72, 64).MatMul(normal(c, gpu.ToFloat16, 64, 128)).Add(normal(c, gpu.ToFloat16, 128)).GELU()
	}, true},
	{"float32 with tensor maps", func(c *Context) *Tensor {
		return normal(c, same, 72, 64).MatMul(normal(c, same, 64, 64)).Add(normal(c, same, 72, 64))
	}, true},
}

// bytesOf returns the elements of a slice as they are in memory.
func bytesOf(t *testing.T, host any, element Type) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch list := host.(type) {
	case []gpu.Float16:
		for _, x := range list {
			err = binary.Write(&b, binary.LittleEndian, x.Bits())
		}
	case []gpu.BFloat16:
		for _, x := range list {
			err = binary.Write(&b, binary.LittleEndian, x.Bits())
		}
	default:
		err = binary.Write(&b, binary.LittleEndian, list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return padded(b.Bytes())
}

// padded returns whole words.
func padded(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }

// numberAt returns an element as a float.
func numberAt(b []byte, n int, element Type) float64 {
	switch element {
	case Float16:
		return float64(gpu.Float16FromBits(binary.LittleEndian.Uint16(b[2*n:])).Float32())
	case BFloat16:
		return float64(gpu.BFloat16FromBits(binary.LittleEndian.Uint16(b[2*n:])).Float32())
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*n:])))
	}
	return float64(int32(binary.LittleEndian.Uint32(b[4*n:])))
}

// executors run a kernel on an emulator. They report whether it was the variant with tensor maps.
var executors = []struct {
	target abi.Target
	run    func(a *abi.Artefact, l *emulate.Launch) (isTensor bool, err error)
}{
	{"ptx:sm_90a", func(a *abi.Artefact, l *emulate.Launch) (bool, error) {
		if a.Tensor != nil {
			m, err := ptx.Parse(a.Tensor.Artefact.Code)
			if err != nil {
				return false, err
			}
			if isTensor, err := m.RunTensor(a.Tensor, l); isTensor || err != nil {
				return isTensor, err
			}
		}
		return false, ptx.Run(a.Code, &a.Kernel, l)
	}},
	{"ptx", func(a *abi.Artefact, l *emulate.Launch) (bool, error) { return false, ptx.Run(a.Code, &a.Kernel, l) }},
	{"spirv", func(a *abi.Artefact, l *emulate.Launch) (bool, error) { return false, spirv.Run(a.Code, l) }},
}

// TestEmulated runs graphs on the emulators.
func TestEmulated(t *testing.T) {
	d, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	for n, test := range emulatedGraphs {
		if !testmode.Sampled(n, 3) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			x := test.build(c)
			if err := c.gather([]*Tensor{x}); err != nil {
				t.Fatal(err)
			}
			p, err := c.planFor([]*Tensor{x})
			if err != nil {
				t.Fatal(err)
			}
			leaves := map[int][]byte{}
			for n, l := range c.nodes {
				if l.op == opData {
					leaves[n] = bytesOf(t, l.host, l.element)
				}
			}
			for _, s := range p.steps { // which evaluation would write
				for _, w := range s.scalars {
					s.words[w.word] = scalarBits(c.nodes[w.node])
				}
			}
			host := memories[x.element].make(x.count())
			if err := c.Run(x); err != nil {
				t.Fatal(err)
			}
			if err := memories[x.element].read(context.Background(), x.device.buffer, c.stream, host); err != nil {
				t.Fatal(err)
			}
			want := bytesOf(t, host, x.element)
			for _, e := range executors {
				got, isTensor, err := emulatePlan(p, leaves, e.target, e.run)
				if err != nil {
					t.Errorf("%s: %v", e.target, err)
					continue
				}
				if isTensor != (test.tensor && e.target == "ptx:sm_90a") {
					t.Errorf("%s: the variant with tensor maps ran: %v", e.target, isTensor)
				}
				for n := range x.count() {
					a, b := numberAt(got, n, x.element), numberAt(want, n, x.element)
					if !(math.Abs(a-b) <= 1e-2*math.Abs(b)+1e-4) {
						t.Errorf("%s: element %d is %v, and %v on the CPU", e.target, n, a, b)
						break
					}
				}
			}
			for _, target := range []abi.Target{"msl", "wgsl", "amdgpu:gfx942"} {
				for _, s := range p.steps {
					program, err := jit.Parse("expr.wgsl", s.text, codegen.Options{})
					if err == nil {
						_, err = program.Compile(target, "main")
					}
					if err != nil {
						t.Errorf("%s: %s: %v", s.name, target, err)
					}
				}
			}
		})
	}
}

// emulatePlan runs the steps of a plan for a target and returns the result of the last one.
func emulatePlan(p *plan, leaves map[int][]byte, target abi.Target, run func(a *abi.Artefact, l *emulate.Launch) (bool, error)) (result []byte, isTensor bool, err error) {
	slots := map[int][]byte{}
	for n, b := range leaves {
		slots[n] = b
	}
	for _, s := range p.steps {
		program, err := jit.Parse("expr.wgsl", s.text, codegen.Options{})
		if err != nil {
			return nil, false, err
		}
		a, err := program.Compile(target, "main")
		if err != nil {
			return nil, false, err
		}
		l := &emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{s.grid[0], s.grid[1], 1}, Steps: 1 << 30}
		words, err := binary.Append(nil, binary.LittleEndian, s.words)
		if err != nil {
			return nil, false, err
		}
		bind := func(data []byte) {
			l.Buffers = append(l.Buffers, emulate.Buffer{Binding: uint32(len(l.Buffers)), Data: data})
		}
		bind(words)
		for _, n := range s.inputs {
			bind(slots[n])
		}
		result = padded(make([]byte, p.slots[s.output].count*types[p.slots[s.output].element].bytes))
		bind(result)
		slots[s.output] = result
		if isTensor, err = run(a, l); err != nil {
			return nil, false, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return result, isTensor, nil
}
