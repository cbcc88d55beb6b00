package flat_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/flat"
	"github.com/gpuc/gpuc/codegen/legalize"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is a machine of the tests: a target whose code is the machine level itself, which it
// executes. It is the smallest target there is on this level, and what a new one begins
// with: its traits, its builtin values, and what it does with each operation.

// machine executes the functions of one kernel.
type machine struct {
	m      *ir.Module
	kernel *flat.Func
	funcs  map[uint32]*flat.Func // by number in the module
	info   *abi.Kernel
	places map[place]uint64 // of the symbols
	sizes  [ir.Immediate + 1]uint64
	table  []byte // the space of constants

	buffers    [][]byte // by binding
	immediates []byte
	shared     []byte
	grid, id   [3]uint32 // of workgroups
	steps      int
}

// place names a symbol of a function.
type place struct {
	f *flat.Func
	n uint32
}

// target makes the target that leaves what it emits in a machine.
func (x *machine) target(traits flat.Traits) *codegen.Target {
	return &codegen.Target{
		Name: "toy", Extension: ".toy", NoHandles: true, Unsupported: new([op.Count]string),
		Legalize: []opt.Pass{legalize.ZeroWorkgroup, legalize.Robust, legalize.SpillIndexed, legalize.Copies, legalize.Scalarise,
			legalize.Totalise(legalize.GuardBitField), legalize.Aggregates, legalize.Addresses, opt.Gvn, opt.Dce},
		Needs: ir.Bound | ir.Rooted | ir.Addressed | ir.Robust | ir.ZeroedMemory | ir.Spilled | ir.Scalar,
		Emit: func(e *codegen.Emission) []byte {
			*x = machine{m: e.Module, info: e.Info, funcs: map[uint32]*flat.Func{}, places: map[place]uint64{}}
			reach := ir.ReachOf(e.Module, e.Kernel)
			text := ""
			for n, f := range e.Module.Funcs {
				if !isIn(reach.Funcs, f) {
					continue
				}
				var b flat.Builder
				b.Begin(e.Context, e.Module, x, &traits, &reach, e.Bindings, uint32(e.Info.ImmediateBytes()))
				lowered := b.Lower(f)
				x.add(lowered)
				x.funcs[uint32(n)] = lowered
				if f == e.Kernel {
					x.kernel = lowered
				}
				text += lowered.Text()
			}
			return []byte(text)
		},
	}
}

func isIn(list []*ir.Func, f *ir.Func) bool {
	for _, other := range list {
		if other == f {
			return true
		}
	}
	return false
}

// add gives the symbols of a function their places: those of variables of the module once.
func (x *machine) add(f *flat.Func) {
	for n := range f.Symbols[1:] {
		s := &f.Symbols[n+1]
		space := s.Space
		if space == ir.Function {
			space = ir.Private
		}
		at := (x.sizes[space] + 15) &^ 15
		if s.Variable.IsGlobal() {
			for other, known := range x.places {
				if other.f.Symbols[other.n].Variable == s.Variable {
					at = known
				}
			}
		}
		x.places[place{f, uint32(n + 1)}] = at
		x.sizes[space] = max(x.sizes[space], at+uint64(s.Bytes))
		if space == ir.Constant {
			x.table = append(x.table, make([]byte, x.sizes[space]-uint64(len(x.table)))...)
			if init := x.m.Global(s.Variable).Init; init != 0 {
				x.m.PutConst(x.table[at:], init)
			}
		}
	}
}

// Native leaves all to the machine level: there are no subgroups.
func (x *machine) Native(*flat.Builder, ir.Inst) bool { return false }

// Builtin asks the machine for each.
func (x *machine) Builtin(b *flat.Builder, v ir.Builtin, component int) flat.Operand {
	return b.Own(flat.Builtin, scalar.None, flat.Word, uint32(v)*4+uint32(component))
}

func (x *machine) builtin(v ir.Builtin, local [3]uint32, c uint32) uint32 {
	w, g := x.info.Workgroup, x.grid
	index := local[0] + w[0]*(local[1]+w[1]*local[2])
	group := x.id[0] + g[0]*(x.id[1]+g[1]*x.id[2])
	switch v {
	case ir.LocalInvocationID:
		return local[c]
	case ir.LocalInvocationIndex:
		return index
	case ir.WorkgroupID:
		return x.id[c]
	case ir.NumWorkgroups:
		return g[c]
	case ir.GlobalInvocationID:
		return x.id[c]*w[c] + local[c]
	case ir.WorkgroupIndex:
		return group
	case ir.GlobalInvocationIndex:
		y, z := x.id[1]*w[1]+local[1], x.id[2]*w[2]+local[2]
		return x.id[0]*w[0] + local[0] + g[0]*w[0]*(y+g[1]*w[1]*z)
	}
	panic("the machine has no " + v.String())
}

// invocation is the state of one.
type invocation struct {
	local  [3]uint32
	memory []byte
	frames []frame
}

type frame struct {
	f         *flat.Func
	at        flat.Inst
	registers map[flat.Operand]uint64
	results   []flat.Operand // of the caller, which take what is returned
}

// run executes the kernel on a grid.
func (x *machine) run(grid [3]uint32) error {
	x.grid = grid
	w := x.info.Workgroup
	for n := range grid[0] * grid[1] * grid[2] {
		x.id = [3]uint32{n % grid[0], n / grid[0] % grid[1], n / grid[0] / grid[1]}
		x.shared = make([]byte, x.sizes[ir.Workgroup])
		var all []*invocation
		for k := range w[0] * w[1] * w[2] {
			i := &invocation{local: [3]uint32{k % w[0], k / w[0] % w[1], k / w[0] / w[1]}, memory: make([]byte, x.sizes[ir.Private])}
			i.frames = []frame{{f: x.kernel, at: x.kernel.First(x.kernel.Order[0]), registers: map[flat.Operand]uint64{}}}
			all = append(all, i)
		}
		for len(all) > 0 { // all run to the next barrier
			var waiting []*invocation
			for _, i := range all {
				waits, err := x.proceed(i)
				if err != nil {
					return err
				}
				if waits {
					waiting = append(waiting, i)
				}
			}
			if len(waiting) != 0 && len(waiting) != len(all) {
				return fmt.Errorf("%d of %d invocations wait at a barrier", len(waiting), len(all))
			}
			all = waiting
		}
	}
	return nil
}

// proceed runs an invocation to the next barrier or its end.
func (x *machine) proceed(i *invocation) (waits bool, err error) {
	for {
		fr := &i.frames[len(i.frames)-1]
		f, at := fr.f, fr.at
		if x.steps++; x.steps > 200e6 {
			return false, fmt.Errorf("it does not end")
		}
		value := func(o flat.Operand) uint64 {
			if o.IsConst() {
				return f.Bits(o)
			}
			return fr.registers[o]
		}
		set := func(n int, v uint64) { fr.registers[f.Results(at)[n]] = v }
		var args []uint64
		for _, a := range f.Args(at) {
			args = append(args, value(a))
		}
		fr.at = f.Next(at)
		jump := func(e flat.Edge) {
			taken := map[flat.Operand]uint64{}
			for n, p := range f.BlockParams(e.To) {
				taken[p] = value(f.EdgeArgs(e)[n])
			}
			maps.Copy(fr.registers, taken)
			fr.at = f.First(e.To)
		}
		switch o := f.Op(at); o {
		case flat.Jump:
			jump(f.Edges(at)[0])
		case flat.Branch:
			jump(f.Edges(at)[1-args[0]])
		case flat.Return:
			i.frames = i.frames[:len(i.frames)-1]
			if len(i.frames) == 0 {
				return false, nil
			}
			caller := &i.frames[len(i.frames)-1]
			for n, r := range fr.results {
				caller.registers[r] = args[n]
			}
		case flat.Trap:
			return false, fmt.Errorf("a trap is reached")
		case flat.Op(op.Call):
			callee := x.funcs[f.Aux(at)]
			next := frame{f: callee, at: callee.First(callee.Order[0]), registers: map[flat.Operand]uint64{}, results: f.Results(at)}
			for n, p := range callee.Params {
				next.registers[p] = args[n]
			}
			i.frames = append(i.frames, next)
		case flat.Op(op.ControlBarrier):
			return true, nil
		case flat.Builtin:
			set(0, uint64(x.builtin(ir.Builtin(f.Aux(at)/4), i.local, f.Aux(at)%4)))
		case flat.BindingAddress:
			set(0, uint64(f.Aux(at)+1)<<32)
		case flat.BindingLength:
			n := f.Aux(at)
			set(0, uint64(x.info.Bindings[n].Length(uint64(len(x.buffers[n])))))
		case flat.SymbolAddress:
			set(0, x.places[place{f, f.Aux(at)}])
		case flat.MulWide:
			if f.Kind(at) == scalar.I32 {
				set(0, uint64(int64(int32(args[0]))*int64(int32(args[1]))))
			} else {
				set(0, args[0]*args[1])
			}
		case flat.Join:
			bits, sum := f.Kind(at).Bits()/len(args), uint64(0)
			for n, a := range args {
				sum |= a << (n * bits)
			}
			set(0, sum)
		case flat.Split:
			results := f.Results(at)
			bits := f.Kind(at).Bits() / len(results)
			for n := range results {
				set(n, args[0]>>(n*bits)&(1<<bits-1))
			}
		case flat.Op(op.Convert):
			set(0, eval.Convert(f.To(at), f.Kind(at))(args[0]))
		case flat.Op(op.Load), flat.Op(op.Store), flat.Op(op.AtomicLoad), flat.Op(op.AtomicStore),
			flat.Op(op.AtomicReadModifyWrite), flat.Op(op.AtomicCompareExchange):
			if err := x.access(i, fr, at, value, args); err != nil {
				return false, fmt.Errorf("%s: %w", f.InstText(at), err)
			}
		default:
			if err := x.compute(fr, at, args); err != nil {
				return false, err
			}
		}
	}
}

// compute does what an operation of the IR means.
func (x *machine) compute(fr *frame, at flat.Inst, args []uint64) error {
	f := fr.f
	o, results := op.Op(f.Op(at)), f.Results(at)
	var four [4]uint64
	copy(four[:], args)
	switch function := eval.For(o, f.Kind(at)); {
	case function != nil:
		fr.registers[results[0]] = function(four[0], four[1], four[2], four[3])
	case o == op.Dot4I8:
		fr.registers[results[0]] = eval.Dot4I8(args[0], args[1])
	case o == op.Dot4U8:
		fr.registers[results[0]] = eval.Dot4U8(args[0], args[1])
	case len(results) > 1:
		out := make([]uint64, len(results))
		eval.Unpack(o, args[0], out)
		for n, r := range results {
			fr.registers[r] = out[n]
		}
	case len(args) > 1:
		fr.registers[results[0]] = eval.Pack(o, args)
	default:
		return fmt.Errorf("the machine has no %s", f.InstText(at))
	}
	return nil
}

// access does what a memory instruction means.
func (x *machine) access(i *invocation, fr *frame, at flat.Inst, value func(flat.Operand) uint64, args []uint64) error {
	f := fr.f
	m := f.Memory(at)
	address := x.places[place{f, m.Symbol}]
	if m.Base != flat.NoOperand {
		address = value(m.Base)
	}
	if m.Index != flat.NoOperand {
		address += value(m.Index)
	}
	address += uint64(m.Offset)
	bytes := map[ir.Space][]byte{ir.Private: i.memory, ir.Workgroup: x.shared, ir.Constant: x.table, ir.Immediate: x.immediates}[m.Space]
	if m.Space == ir.Storage || m.Space == ir.Uniform {
		bytes, address = x.buffers[address>>32-1], address&math.MaxUint32
	} else if m.Space != ir.Constant {
		address &= math.MaxUint32
	}
	width := uint64(m.Kind.Bytes())
	count := uint64(max(len(f.Results(at)), 1))
	if f.Op(at) == flat.Op(op.Store) {
		count = uint64(len(args))
	}
	if address%uint64(m.Align) != 0 || address+count*width > uint64(len(bytes)) {
		return fmt.Errorf("address %#x of %#x bytes", address, len(bytes))
	}
	read := func(n uint64) uint64 {
		var word [8]byte
		copy(word[:], bytes[address+n*width:][:width])
		return binary.LittleEndian.Uint64(word[:])
	}
	write := func(n, v uint64) {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v)
		copy(bytes[address+n*width:][:width], word[:])
	}
	old := read(0)
	switch op.Op(f.Op(at)) {
	case op.Store, op.AtomicStore:
		for n, v := range args {
			write(uint64(n), v)
		}
		return nil
	case op.AtomicReadModifyWrite:
		write(0, x.modify(op.AtomicOperation(f.Aux(at)), m.Kind, old, args[0]))
	case op.AtomicCompareExchange:
		if old == args[0] {
			write(0, args[1])
		}
	default:
		for n, r := range f.Results(at) {
			fr.registers[r] = read(uint64(n))
		}
		return nil
	}
	for _, r := range f.Results(at) {
		fr.registers[r] = old
	}
	return nil
}

func (x *machine) modify(o op.AtomicOperation, k scalar.Kind, old, v uint64) uint64 {
	if o == op.AtomicExchange {
		return v
	}
	plain := map[op.AtomicOperation]op.Op{op.AtomicAdd: op.Add, op.AtomicSub: op.Sub, op.AtomicMin: op.Min, op.AtomicMax: op.Max,
		op.AtomicAnd: op.And, op.AtomicOr: op.Or, op.AtomicXor: op.Xor}[o]
	return eval.For(plain, k)(old, v, 0, 0)
}
