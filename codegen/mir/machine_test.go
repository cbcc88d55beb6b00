package mir_test

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/guard"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/eval"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file is a machine of the tests: a target whose code is the machine level itself, which it
// executes. It is the smallest target there is on this level, and what a new one begins with: its
// traits, its builtin values, and what it does with each operation.

// machine executes the functions of one kernel.
type machine struct {
	m         *ir.Module
	funcs     map[*ir.Func]*mir.Func
	info      *abi.Kernel
	addresses map[any]uint64 // by result of symbol
	sizes     [ir.Immediate + 1]uint64
	table     []byte // the space of constants

	buffers            [][]byte         // by binding
	handles            []texture.Handle // textures and samplers
	immediates, shared []byte           // shared is workgroup memory
	grid, id           [3]uint32        // of workgroups
	steps              int
}

// target makes the target that leaves what it emits in a machine.
func (x *machine) target(traits mir.Traits) *codegen.Target {
	return &codegen.Target{
		Name: "toy", Extension: ".toy", Unsupported: new([op.Count]string), Handles: "those of package texture",
		Lower: []opt.Pass{guard.ZeroInitWorkgroup, guard.Robustness, guard.RobustTextures, lower.VarForDynamicIndex, lower.Copies, lower.Scalarize,
			lower.DefineArithmetic(lower.GuardBitField), lower.DecomposeAggregates, lower.LowerAccess, opt.Gvn, opt.Dce},
		Needs: ir.Bound | ir.Rooted | ir.Addressed | ir.Robust | ir.ZeroedMemory | ir.Spilled | ir.Scalar,
		Emit: func(e *codegen.Emission) (text []byte) {
			*x = machine{m: e.Module, info: e.Info, funcs: map[*ir.Func]*mir.Func{}, addresses: map[any]uint64{}}
			reach := ir.ReachOf(e.Module, e.Kernel)
			for _, f := range reach.Funcs {
				var b mir.Builder
				b.Begin(mir.Settings{Verify: e.Context.Verify, Dump: e.Context.DumpOf(mir.Stage)}, e.Module, x, &traits, &reach, e.Bindings, uint32(e.Info.ImmediateBytes()))
				lowered := b.Lower(f).Text()
				x.funcs[f] = read(e.Module, lowered) // what the text says is what runs
				x.add(x.funcs[f])
				text = append(text, lowered...)
			}
			return text
		},
	}
}

// read reads the text of one function of a module.
func read(m *ir.Module, text string) *mir.Func {
	var set source.Set
	var list diag.List
	file, err := set.Add("mir.txt", text)
	if err != nil {
		panic(err)
	}
	functions := mir.Parse(m, nil, file, &list)
	if len(functions) != 1 {
		panic(fmt.Sprintf("%d functions: %+v in\n%s", len(functions), list.Items(), text))
	}
	if again := functions[0].Text(); again != text {
		panic("printed\n" + text + "and after reading\n" + again)
	}
	return functions[0]
}

// symbol is what a symbol names: a variable of the module, in all functions the same, or itself.
func symbol(f *mir.Func, n uint32) any {
	if v := f.Symbols[n].Variable; v.IsGlobal() {
		return v
	}
	return &f.Symbols[n]
}

// add assigns offsets to the symbols of a function.
func (x *machine) add(f *mir.Func) {
	for n := range f.Symbols[1:] {
		s, name := &f.Symbols[n+1], symbol(f, uint32(n+1))
		if _, known := x.addresses[name]; known {
			continue
		}
		space := s.Space
		if space == ir.Function {
			space = ir.Private
		}
		at := (x.sizes[space] + 15) &^ 15
		x.addresses[name], x.sizes[space] = at, at+uint64(s.Bytes)
		if space == ir.Constant {
			x.table = append(x.table, make([]byte, x.sizes[space]-uint64(len(x.table)))...)
			x.m.PutConst(x.table[at:], x.m.Global(s.Variable).Init)
		}
	}
}

// Native leaves all to the machine level: there are no subgroups.
func (x *machine) Native(*mir.Builder, ir.Inst) bool { return false }

// Builtin asks the machine for each.
func (x *machine) Builtin(b *mir.Builder, v ir.Builtin, component int) mir.Operand {
	return b.EmitMachine(mir.Builtin, scalar.None, mir.Word, uint32(v)*4+uint32(component))
}

func (x *machine) builtin(v ir.Builtin, local [3]uint32, component uint32) uint32 {
	var all, global [3]uint32 // how many invocations there are, and which this is
	w := x.info.Workgroup
	for c, size := range w {
		all[c], global[c] = x.grid[c]*size, x.id[c]*size+local[c]
	}
	values, ok := map[ir.Builtin][3]uint32{
		ir.LocalInvocationID: local, ir.WorkgroupID: x.id, ir.GlobalInvocationID: global, ir.NumWorkgroups: x.grid,
		ir.LocalInvocationIndex: {linear(local, w)}, ir.WorkgroupIndex: {linear(x.id, x.grid)}, ir.GlobalInvocationIndex: {linear(global, all)},
	}[v]
	if !ok {
		panic("the machine has no " + v.String())
	}
	return values[component]
}

// linear is the number of a point of a grid, and point is its inverse.
func linear(at, size [3]uint32) uint32 { return at[0] + size[0]*(at[1]+size[1]*at[2]) }
func point(n uint32, size [3]uint32) [3]uint32 {
	return [3]uint32{n % size[0], n / size[0] % size[1], n / size[0] / size[1]}
}

// invocation is the state of one.
type invocation struct {
	local  [3]uint32
	memory []byte
	wait   func(error) bool // for the others, or with an error for ever
}

// run executes the kernel on a grid.
func (x *machine) run(grid [3]uint32) error {
	x.grid = grid
	w := x.info.Workgroup
	for n := range grid[0] * grid[1] * grid[2] {
		x.id, x.shared = point(n, grid), make([]byte, x.sizes[ir.Workgroup])
		var all []func() (error, bool)
		for k := range w[0] * w[1] * w[2] {
			resume, _ := iter.Pull(func(wait func(error) bool) {
				i := invocation{point(k, w), make([]byte, x.sizes[ir.Private]), wait}
				if _, err := x.execute(&i, x.funcs[x.m.Kernels()[0]], nil); err != nil {
					wait(err)
				}
			})
			all = append(all, resume)
		}
		for len(all) > 0 { // all run to the next barrier
			var waiting []func() (error, bool)
			for _, resume := range all {
				switch err, waits := resume(); {
				case err != nil:
					return err
				case waits:
					waiting = append(waiting, resume)
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

// maxSteps is how many instructions a machine executes before it gives up.
const maxSteps = 200e6

// execute runs a function.
func (x *machine) execute(i *invocation, f *mir.Func, params []uint64) (results []uint64, err error) {
	registers := map[mir.Operand]uint64{}
	set := func(to []mir.Operand, values []uint64) {
		for n, r := range to {
			registers[r] = values[n]
		}
	}
	get := func(operands ...mir.Operand) (values []uint64) {
		for _, o := range operands {
			if o.IsConst() {
				values = append(values, f.Bits(o))
			} else {
				values = append(values, registers[o])
			}
		}
		return values
	}
	set(f.Params, params)
	for at := f.First(f.Order[0]); x.steps < maxSteps; x.steps++ {
		args, out, next := get(f.Args(at)...), make([]uint64, max(len(f.Results(at)), 1)), f.Next(at)
		switch o := f.Op(at); o {
		case mir.Jump, mir.Branch:
			e := f.Edges(at)[0]
			if o == mir.Branch && args[0] == 0 {
				e = f.Edges(at)[1]
			}
			set(f.BlockParams(e.To), get(f.EdgeArgs(e)...))
			next = f.First(e.To)
		case mir.Return:
			return args, nil
		case mir.Trap:
			err = fmt.Errorf("it is reached")
		case mir.Op(op.Call):
			out, err = x.execute(i, x.funcs[x.m.Funcs[f.Aux(at)]], args)
		case mir.Op(op.ControlBarrier):
			i.wait(nil)
		case mir.Builtin:
			out[0] = uint64(x.builtin(ir.Builtin(f.Aux(at)/4), i.local, f.Aux(at)%4))
		case mir.BindingAddress:
			out[0] = uint64(f.Aux(at)+1) << 32
		case mir.BindingLength:
			out[0] = uint64(x.info.Bindings[f.Aux(at)].Length(uint64(len(x.buffers[f.Aux(at)]))))
		case mir.SymbolAddress:
			out[0] = x.addresses[symbol(f, f.Aux(at))]
		case mir.MulWide:
			widen := eval.Convert(scalar.U64, f.Kind(at))
			out[0] = widen(args[0]) * widen(args[1])
		case mir.Join:
			for n, a := range args {
				out[0] |= a << (n * f.Kind(at).Bits() / len(args))
			}
		case mir.Split:
			bits := f.Kind(at).Bits() / len(out)
			for n := range out {
				out[n] = args[0] >> (n * bits) & (1<<bits - 1)
			}
		case mir.Op(op.Load), mir.Op(op.Store), mir.Op(op.AtomicLoad), mir.Op(op.AtomicStore),
			mir.Op(op.AtomicReadModifyWrite), mir.Op(op.AtomicCompareExchange):
			parts := get(f.Memory(at).Base, f.Memory(at).Index)
			err = x.access(i, f, at, parts[0]+parts[1], args, out)
		default:
			if n := op.Op(o); n >= op.TextureSize && n <= op.TextureGatherCompare {
				x.texture(f, at, args, out)
				break
			}
			err = compute(f, at, args, out)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.InstText(at), err)
		}
		set(f.Results(at), out)
		at = next
	}
	return nil, fmt.Errorf("it does not end")
}

// compute does what an operation of the IR means.
func compute(f *mir.Func, at mir.Inst, args, out []uint64) error {
	four := [4]uint64(append(args, 0, 0, 0, 0))
	switch o, function := op.Op(f.Op(at)), eval.For(op.Op(f.Op(at)), f.Kind(at)); {
	case function != nil:
		out[0] = function(four[0], four[1], four[2], four[3])
	case o == op.Convert:
		out[0] = eval.Convert(f.To(at), f.Kind(at))(args[0])
	case o == op.Dot4I8:
		out[0] = eval.Dot4I8(args[0], args[1])
	case o == op.Dot4U8:
		out[0] = eval.Dot4U8(args[0], args[1])
	case len(out) > 1:
		eval.Unpack(o, args[0], out)
	case len(args) > 1:
		out[0] = eval.Pack(o, args)
	default:
		return fmt.Errorf("the machine does not have it")
	}
	return nil
}

// access does what a memory instruction means.
func (x *machine) access(i *invocation, f *mir.Func, at mir.Inst, address uint64, args, out []uint64) error {
	m := f.Memory(at)
	address += x.addresses[symbol(f, m.Symbol)] + uint64(m.Offset)
	bytes := map[ir.Space][]byte{ir.Private: i.memory, ir.Workgroup: x.shared, ir.Constant: x.table, ir.Immediate: x.immediates}[m.Space]
	if m.Space == ir.Storage || m.Space == ir.Uniform {
		bytes = x.buffers[address>>32-1]
	}
	if m.Space != ir.Constant {
		address &= 1<<32 - 1
	}
	o, width, count := op.Op(f.Op(at)), uint64(m.Kind.Bytes()), len(out)
	if o == op.Store {
		count = len(args)
	}
	if address%uint64(m.Align) != 0 || address+uint64(count)*width > uint64(len(bytes)) {
		return fmt.Errorf("address %#x of %#x bytes", address, len(bytes))
	}
	cell := func(n int) []byte { return bytes[address+uint64(n)*width:][:width] }
	put := func(n int, v uint64) { copy(cell(n), binary.LittleEndian.AppendUint64(nil, v)) }
	for n := range out {
		out[n] = binary.LittleEndian.Uint64(append(slices.Clone(cell(n)), make([]byte, 8)...))
	}
	switch o {
	case op.Store, op.AtomicStore:
		for n, v := range args {
			put(n, v)
		}
	case op.AtomicReadModifyWrite:
		v := args[0]
		if modify, ok := atomics[op.AtomicOperation(f.Aux(at))]; ok {
			v = eval.For(modify, m.Kind)(out[0], v, 0, 0)
		}
		put(0, v)
	case op.AtomicCompareExchange:
		if out[0] == args[0] {
			put(0, args[1])
		}
	}
	return nil
}

// atomics are what changes memory by more than an exchange.
var atomics = map[op.AtomicOperation]op.Op{op.AtomicAdd: op.Add, op.AtomicSub: op.Sub, op.AtomicMin: op.Min, op.AtomicMax: op.Max,
	op.AtomicAnd: op.And, op.AtomicOr: op.Or, op.AtomicXor: op.Xor}

// texture does what an operation on a texture means (package texture). Its operands come in the
// order of the table of operations: coordinates, a layer, and what the operation takes besides.
func (x *machine) texture(f *mir.Func, at mir.Inst, args, out []uint64) {
	n, sampler := mir.AuxHandles(f.Aux(at))
	h, shape := &x.handles[n], x.info.Handles[n].Texture.Shape
	o, info := op.Op(f.Op(at)), shape.Info()
	take := func(count int) (taken []uint64) {
		taken, args = args[:count], args[count:]
		return taken
	}
	var p texture.TexelAddress
	var l texture.Lookup
	single := func(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }
	if o >= op.TextureSample {
		for k, bits := range take(shape.Coordinates()) {
			l.Coordinates[k] = single(bits)
		}
	} else if o >= op.TextureLoad {
		for k, coordinate := range take(shape.SizeComponents()) {
			*[...]*uint32{&p.X, &p.Y, &p.Z}[k] = uint32(coordinate)
		}
	}
	if info.Arrayed && o >= op.TextureLoad {
		p.Layer = uint32(take(1)[0])
		l.Layer = p.Layer
	}
	var texel texture.Texel
	switch o {
	case op.TextureSize:
		var level uint32
		if len(args) > 0 {
			level = uint32(args[0])
		}
		width, height, depth := h.SizeOf(shape, level)
		texel = texture.Texel{uint64(width), uint64(height), uint64(depth)}
	case op.TextureLayers:
		texel[0] = uint64(h.LayerCount(shape))
	case op.TextureLevels:
		texel[0] = uint64(h.LevelCount(shape))
	case op.TextureSamples:
		texel[0] = uint64(h.Image.Samples)
	case op.TextureLoad, op.TextureRead:
		switch {
		case info.Multisampled:
			p.Sample = uint32(args[0])
		case shape.HasLevels():
			p.Level = uint32(args[0])
		}
		texel = h.Load(shape, &p)
	case op.TextureStore:
		h.Store(shape, &p, texture.Texel(args))
	default:
		if o == op.TextureSampleGradient {
			for k, bits := range take(shape.Coordinates()) {
				l.GradientX[k] = single(bits)
			}
			for k, bits := range take(shape.Coordinates()) {
				l.GradientY[k] = single(bits)
			}
		} else {
			bits := take(1)[0] // a level, a reference or a component
			l.Detail, l.Reference, l.Component = single(bits), single(bits), uint32(bits)
		}
		for k, offset := range args {
			l.Offset[k] = int32(offset)
		}
		with := x.handles[sampler].Sampler
		switch o {
		case op.TextureSample:
			texel = h.Sample(shape, with, &l)
		case op.TextureSampleGradient:
			texel = h.SampleGradient(shape, with, &l)
		case op.TextureSampleCompare:
			texel[0] = uint64(math.Float32bits(h.SampleCompare(shape, with, &l)))
		case op.TextureGather:
			texel = h.Gather(shape, with, &l)
		case op.TextureGatherCompare:
			texel = h.GatherCompare(shape, with, &l)
		}
	}
	copy(out, texel[:])
}
