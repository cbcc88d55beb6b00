package strict

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// workgroup is the number of items of a workgroup.
const workgroup = 256

// wordOf returns the kind of integers as which kernels read and write values of a kind.
func wordOf(k scalar.Kind) scalar.Kind {
	if k.Bits() == 64 {
		return scalar.U64
	}
	return scalar.U32
}

// kernel is a kernel under construction, with the values of the inputs for an item.
type kernel struct {
	*ir.Builder
	module *ir.Module
	index  ir.Value
	next   uint32
}

func newKernel() *kernel {
	m := ir.NewModule(nil)
	f := m.NewFunc("main", ir.Void)
	f.Kernel = true
	f.Workgroup = [3]ir.Value{m.ConstU32(workgroup), m.ConstU32(1), m.ConstU32(1)}
	f.Builtins = []ir.Builtin{ir.GlobalInvocationIndex}
	index := f.AddParam(f.Entry, ir.U32)
	return &kernel{Builder: ir.NewBuilder(f), module: m, index: index}
}

func (k *kernel) buffer(name string, word scalar.Kind, access ir.Access) ir.Value {
	g := k.module.AddGlobal(ir.Global{Name: fmt.Sprint(name, k.next), Binding: k.next, Bound: true,
		Type: k.module.PointerTo(ir.Storage, k.module.ArrayOf(ir.Type(word), 0), access)})
	k.next++
	return k.Access(g, k.index)
}

// input reads an item's value of a kind.
func (k *kernel) input(kind scalar.Kind) ir.Value {
	return k.fromWord(k.Load(k.buffer("in", wordOf(kind), ir.Read)), kind)
}

func (k *kernel) fromWord(x ir.Value, kind scalar.Kind) ir.Value {
	switch kind {
	case scalar.Bool:
		return k.Op(op.Ne, x, k.module.ConstU32(0))
	case scalar.F16:
		return k.Extract(k.Bitcast(k.module.VectorOf(ir.F16, 2), x), 0)
	case scalar.U32, scalar.U64:
		return x
	}
	return k.Bitcast(ir.Type(kind), x)
}

// output stores an item's value of a kind.
func (k *kernel) output(x ir.Value, kind scalar.Kind) {
	switch kind {
	case scalar.Bool:
		x = k.Convert(scalar.U32, x)
	case scalar.F16:
		x = k.Bitcast(ir.U32, k.Construct(k.module.VectorOf(ir.F16, 2), x, k.module.ConstFloat(ir.F16, 0)))
	case scalar.U32, scalar.U64:
	default:
		x = k.Bitcast(ir.Type(wordOf(kind)), x)
	}
	k.Store(k.buffer("out", wordOf(kind), ir.ReadWrite), x)
}

// ErrLacks is the error of a device that does not support a kind.
var ErrLacks = errors.New("the device lacks a kind of number")

// Load compiles a module for a device.
func Load(device *gpu.Device, m *ir.Module, math ir.Math, optimise bool) (*gpu.Kernel, error) {
	target := all.Lookup(string(device.Info().Target))
	var list diag.List
	a := codegen.Compile(m, "main", target, &codegen.Options{Math: math, NoOptimize: !optimise, Context: new(opt.Context)}, &list)
	if a == nil {
		return nil, fmt.Errorf("%s", list.Items()[0].Message)
	}
	for _, f := range a.Kernel.Requires {
		if f != abi.Subgroups && !slices.Contains(device.Info().Features, f) {
			return nil, fmt.Errorf("%w: %s", ErrLacks, f)
		}
	}
	return device.Load(a)
}

// Run runs a loaded kernel for n items on the columns of its inputs, and returns those of its
// outputs.
func Run(device *gpu.Device, k *gpu.Kernel, n int, inputs [][]uint64, in, out []scalar.Kind) ([][]uint64, error) {
	ctx := context.Background()
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	arguments := k.Args()
	bytesOf := func(kind scalar.Kind) int { return wordOf(kind).Bits() / 8 * n }
	var buffers []*gpu.Buffer[byte]
	defer func() {
		for _, b := range buffers {
			b.Close()
		}
	}()
	for a, kind := range in {
		b, err := gpu.Upload(ctx, device, pack(kind, inputs[a][:n]))
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, b)
	}
	for _, kind := range out {
		b, err := gpu.Alloc[byte](device, bytesOf(kind))
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, b)
	}
	for a, b := range buffers {
		if err := arguments.Set(a, b); err != nil {
			return nil, err
		}
	}
	if err := stream.Launch(arguments, gpu.Grid{X: uint32(n / workgroup), Y: 1, Z: 1}); err != nil {
		return nil, err
	}
	results := make([][]uint64, len(out))
	for a, kind := range out {
		data := make([]byte, bytesOf(kind))
		if err := buffers[len(in)+a].Read(ctx, stream, data); err != nil {
			return nil, err
		}
		results[a] = make([]uint64, n)
		parallel(n, func(from, to int) {
			for i := from; i < to; i++ {
				results[a][i] = stored(kind, data, i)
			}
		})
	}
	return results, nil
}

// Module returns the kernel of one operation.
func (o *Operation) Module() *ir.Module {
	k := newKernel()
	var x []ir.Value
	for _, kind := range o.In {
		x = append(x, k.input(kind))
	}
	k.output(o.Build(k.Builder, x), o.Out)
	k.Return(0)
	return k.module
}

// Sweep returns the kernel of an operation on one value of 32 bits: the first input plus the item's
// index times a stride.
func (o *Operation) Sweep() *ir.Module {
	k := newKernel()
	item := k.index
	k.index = k.module.ConstU32(0)
	from, stride := k.Load(k.buffer("in", scalar.U32, ir.Read)), k.Load(k.buffer("in", scalar.U32, ir.Read))
	k.index = item
	x := k.fromWord(k.Op(op.Add, from, k.Op(op.Mul, item, stride)), o.In[0])
	k.output(o.Build(k.Builder, []ir.Value{x}), o.Out)
	k.Return(0)
	return k.module
}

// SweepBlock runs it for n items and returns the indices of wrong results.
func (o *Operation) SweepBlock(device *gpu.Device, k *gpu.Kernel, out *gpu.Buffer[byte], n int, from, stride uint32, data []byte) ([]int, error) {
	ctx := context.Background()
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	arguments := k.Args()
	for a, x := range []uint32{from, stride} {
		b, err := gpu.Upload(ctx, device, []uint32{x})
		if err != nil {
			return nil, err
		}
		defer b.Close()
		if err := arguments.Set(a, b); err != nil {
			return nil, err
		}
	}
	if err := arguments.Set(2, out); err != nil {
		return nil, err
	}
	if err := stream.Launch(arguments, gpu.Grid{X: uint32(n / workgroup), Y: 1, Z: 1}); err != nil {
		return nil, err
	}
	if err := out.Read(ctx, stream, data); err != nil {
		return nil, err
	}
	var mutex sync.Mutex
	var wrong []int
	parallel(n, func(first, last int) {
		x := make([]uint64, 1)
		for i := first; i < last; i++ {
			x[0] = uint64(from + uint32(i)*stride)
			if want := o.Go(x); !same(o.Out, stored(o.Out, data, i), want) {
				mutex.Lock()
				wrong = append(wrong, i)
				mutex.Unlock()
			}
		}
	})
	slices.Sort(wrong)
	return wrong, nil
}

// pack returns the memory of values.
func pack(k scalar.Kind, column []uint64) []byte {
	data := make([]byte, 0, wordOf(k).Bits()/8*len(column))
	for _, x := range column {
		if k.Bits() == 64 {
			data = binary.LittleEndian.AppendUint64(data, x)
		} else {
			data = binary.LittleEndian.AppendUint32(data, uint32(x))
		}
	}
	return data
}

// stored reads a value that pack wrote.
func stored(k scalar.Kind, data []byte, i int) uint64 {
	if k.Bits() == 64 {
		return binary.LittleEndian.Uint64(data[8*i:])
	}
	return uint64(binary.LittleEndian.Uint32(data[4*i:]))
}

// same reports whether two stored values are the same, or both NaN.
func same(k scalar.Kind, x, y uint64) bool { return x == y || isNaN(k, x) && isNaN(k, y) }

func isNaN(k scalar.Kind, x uint64) bool {
	l, ok := layout[k]
	return ok && x&(1<<(l[0]+l[1])-1) > (1<<l[0]-1)<<l[1]
}

// parallel calls f for parts of n on all processors.
func parallel(n int, f func(from, to int)) {
	parts := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for p := range parts {
		wait.Go(func() { f(n*p/parts, n*(p+1)/parts) })
	}
	wait.Wait()
}
