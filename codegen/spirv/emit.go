// Package spirv writes SPIR-V 1.3 modules for Vulkan 1.1 compute pipelines
// (Shader capability, GLSL450 memory model; with cooperative matrices that of Vulkan).
//
// The IR is structured SSA, and so is SPIR-V, so emission is one walk:
//
//	emit.go         the module: sections, capabilities, functions, lines
//	types.go        types in their forms, constants
//	memory.go       variables, access chains, loads and stores
//	control.go      if, switch, loop and scope as merges and phis
//	ops.go          one row for each operation
//	strict.go       what strict arithmetic asks of a driver
//	special.go      arithmetic and composites that are more than one instruction
//	synchronise.go  atomics, barriers, subgroups
//	texture.go      textures and samplers
//	fragment.go     fragments as cooperative matrices, and the Vulkan memory model
//	assemble.go     readable text of a module
//	vulkan.go       what a module takes of Vulkan
//
// The lowering in target.go replaces what SPIR-V lacks by what it has.
package spirv

import (
	"encoding/binary"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

const generator = 0 // not registered

// emitter is the state of one emission. Its memory serves the next one too.
type emitter struct {
	e *codegen.Emission
	m *ir.Module

	// The sections, in the order of a module's layout (SPIR-V §2.4).
	capabilities, entry, modes, strings, names, decorations, globals, code section
	// vars holds the variables of the current function, which precede its code.
	vars, body section

	next        uint32 // the next free id
	glsl        uint32 // the extended instruction set
	declared    []uint32
	bytes       bool     // whether buffers have scalars of 8 bits
	fused       uint32   // the specialisation constant of lower.Exact, if there is one
	valueTypes  []uint32 // by ir.Type: as values and in function, private and workgroup memory
	memoryTypes []uint32 // by ir.Type: with explicit layout, in storage and uniform memory
	pointers    []pointerRecord
	pairs       []pairRecord
	blocks      []blockRecord
	images      []imageRecord
	// fragments says that the module has fragments, and so the Vulkan memory model; fragmentTypes
	// what is known of types (holdsFragment). brain says that there are fragments of bfloat16.
	fragments     bool
	brain         bool
	fragmentTypes []uint8
	sampler       uint32   // the type of samplers
	functions     []uint32 // by index in Module.Funcs
	signatures    []signature
	consts        []uint32 // by constant index
	nulls         []uint32 // by id of a type
	variables     []variable
	builtins      [ir.BuiltinCount]uint32
	interfaces    []uint32 // input variables of the entry point
	fileStrings   []uint32
	files         []*source.File
	scratch       []uint32
	chosen        []bool // for the switches around: whether something selects each block

	// The current function.
	f          *ir.Func
	ids        []uint32 // by local value
	uses       []uint32
	label      uint32 // the block being written
	line       linePosition
	controls   []construct // by instruction
	edges      []edge
	edgeIDs    []uint32
	zeroValues []ir.Value
	continues  int // how many continuing blocks enclose the current position
}

type linePosition struct {
	file         uint32
	line, column int
}

// emit writes the module of a kernel.
func emit(e *codegen.Emission) []byte {
	w := opt.Scratch[emitter](e.Context, "spirv")
	w.reset(e)
	w.capability(grammar.CapabilityShader)
	if w.fragments = w.holdsFragments(); w.fragments {
		w.useFragments()
	}
	for n, f := range w.m.Funcs {
		w.functions[n] = w.id()
		w.name(w.functions[n], f.Name)
	}
	for n, f := range w.m.Funcs {
		w.function(f, w.functions[n])
	}
	code := w.join()
	w.e, w.m, w.f = nil, nil, nil // the memory stays, the kernel need not
	clear(w.files)
	return code
}

func (w *emitter) reset(e *codegen.Emission) {
	w.e, w.m, w.f = e, e.Module, nil
	for _, s := range [...]*section{&w.capabilities, &w.entry, &w.modes, &w.strings, &w.names, &w.decorations, &w.globals, &w.code, &w.vars, &w.body} {
		s.words = s.words[:0]
	}
	w.next = 1
	w.glsl = w.id()
	w.bytes, w.brain, w.fused = false, false, 0
	w.declared, w.pointers, w.pairs, w.blocks, w.signatures, w.interfaces = w.declared[:0], w.pointers[:0], w.pairs[:0], w.blocks[:0], w.signatures[:0], w.interfaces[:0]
	w.fileStrings, w.files = w.fileStrings[:0], w.files[:0]
	w.valueTypes = ir.Zeroed(w.valueTypes, w.m.TypeCount())
	w.memoryTypes = ir.Zeroed(w.memoryTypes, w.m.TypeCount())
	w.fragmentTypes = ir.Zeroed(w.fragmentTypes, w.m.TypeCount())
	w.consts = w.consts[:0]
	w.nulls = w.nulls[:0]
	w.images, w.sampler = w.images[:0], 0
	w.variables = ir.Zeroed(w.variables, len(w.m.Globals))
	w.functions = ir.Zeroed(w.functions, len(w.m.Funcs))
	w.builtins = [ir.BuiltinCount]uint32{}
}

// otherVariables lists the variables of the module that are no inputs. It has only what its
// kernel reaches.
func (w *emitter) otherVariables() (ids []uint32) {
	words := w.globals.words
	for at := 0; at < len(words); at += int(words[at] >> 16) {
		if words[at]&0xffff == grammar.OpVariable && words[at+3] != grammar.StorageClassInput {
			ids = append(ids, words[at+2])
		}
	}
	return ids
}

// join puts the sections together.
func (w *emitter) join() []byte {
	k := w.e.Kernel
	start := w.entry.begin(grammar.OpEntryPoint, grammar.ExecutionModelGLCompute, w.functionID(k))
	w.entry.text(w.entryName())
	w.entry.add(w.interfaces...)
	if w.e.Profile.Version >= interfacesHaveAll {
		w.entry.add(w.otherVariables()...)
	}
	w.entry.end(start)
	var size [3]uint32
	for n, v := range k.Workgroup {
		x, _ := w.m.ConstUint(v)
		size[n] = uint32(x)
	}
	w.modes.op(grammar.OpExecutionMode, w.functionID(k), grammar.ExecutionModeLocalSize, size[0], size[1], size[2])
	controls := w.e.Context.Math == opt.MathStrict && w.floatControls(w.functionID(k))

	w.scratch = append(w.scratch[:0], grammar.MagicNumber, w.e.Profile.Version, generator, w.next, 0)
	var head section
	head.words = append(w.scratch, w.capabilities.words...)
	if w.bytes && w.e.Profile.Version < 0x10500 {
		start = head.begin(grammar.OpExtension)
		head.text("SPV_KHR_8bit_storage")
		head.end(start)
	}
	if controls && w.e.Profile.Version < interfacesHaveAll { // 1.4 has them, too
		start = head.begin(grammar.OpExtension)
		head.text("SPV_KHR_float_controls")
		head.end(start)
	}
	model := grammar.MemoryModelGLSL450
	if w.fragments {
		start = head.begin(grammar.OpExtension)
		head.text(cooperative)
		head.end(start)
		model = grammar.MemoryModelVulkan
	}
	if w.brain {
		start = head.begin(grammar.OpExtension)
		head.text(brain)
		head.end(start)
	}
	start = head.begin(grammar.OpExtInstImport, w.glsl)
	head.text("GLSL.std.450")
	head.end(start)
	head.op(grammar.OpMemoryModel, grammar.AddressingModelLogical, model)
	w.scratch = head.words
	parts := [...][]uint32{w.scratch, w.entry.words, w.modes.words, w.strings.words, w.names.words, w.decorations.words, w.globals.words, w.code.words}
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	out := make([]byte, 4*n)
	rest := out
	for _, p := range parts {
		for ; len(p) >= 2; p = p[2:] { // one store for two words
			binary.LittleEndian.PutUint64(rest, uint64(p[0])|uint64(p[1])<<32)
			rest = rest[8:]
		}
		if len(p) > 0 {
			binary.LittleEndian.PutUint32(rest, p[0])
			rest = rest[4:]
		}
	}
	return out
}

func (w *emitter) entryName() string {
	if w.e.Info != nil && w.e.Info.Name != "" {
		return w.e.Info.Name
	}
	return w.e.Kernel.Name
}

func (w *emitter) functionID(f *ir.Func) uint32 {
	for n, other := range w.m.Funcs {
		if other == f {
			return w.functions[n]
		}
	}
	panic("spirv: the function belongs to another module")
}

// id returns a new id.
func (w *emitter) id() uint32 {
	id := w.next
	w.next++
	return id
}

// capability declares a capability once.
func (w *emitter) capability(c uint32) {
	for _, other := range w.declared {
		if other == c {
			return
		}
	}
	w.declared = append(w.declared, c)
	w.capabilities.op(grammar.OpCapability, c)
}

// requires notes that the kernel needs a feature of the device.
func (w *emitter) requires(feature abi.Feature) {
	if w.e.Info == nil {
		return
	}
	for _, other := range w.e.Info.Requires {
		if other == feature {
			return
		}
	}
	w.e.Info.Requires = append(w.e.Info.Requires, feature)
}

func (w *emitter) name(id uint32, name string) {
	if name == "" || w.e.Strip {
		return
	}
	start := w.names.begin(grammar.OpName, id)
	w.names.text(name)
	w.names.end(start)
}

func (w *emitter) decorate(id, decoration uint32, operands ...uint32) {
	start := w.decorations.begin(grammar.OpDecorate, id, decoration)
	w.decorations.add(operands...)
	w.decorations.end(start)
}

// unsupported reports a construct that SPIR-V for Vulkan 1.1 cannot express.
func (w *emitter) unsupported(span source.Span, message string) {
	w.e.Context.List.Add(diag.Diagnostic{Code: diag.TargetUnsupported, Span: span,
		Message: "the target spirv cannot express this: " + message})
}

// lacks reports an instruction that has no form; its result is then anything.
func (w *emitter) lacks(i ir.Inst, message string) {
	w.unsupported(w.f.SpanOf(i), message)
	if r := w.f.Result(i); r != 0 && !w.m.IsPointer(w.f.Type(i)) {
		w.ids[r] = w.undefined(w.f.Type(i))
	}
}

// signature is a declared function type: operands of its OpTypeFunction in the
// globals section.
type signature struct{ start, count, id uint32 }

func (w *emitter) functionType(f *ir.Func) uint32 {
	w.scratch = append(w.scratch[:0], w.valueType(f.ResultType))
	if !f.Kernel {
		for _, p := range f.Params(f.Entry) {
			w.scratch = append(w.scratch, w.valueType(f.TypeOf(p)))
		}
	}
search:
	for _, s := range w.signatures {
		if int(s.count) != len(w.scratch) {
			continue
		}
		for n, word := range w.scratch {
			if w.globals.words[int(s.start)+n] != word {
				continue search
			}
		}
		return s.id
	}
	id := w.id()
	w.globals.begin(grammar.OpTypeFunction, id)
	start := len(w.globals.words)
	w.globals.add(w.scratch...)
	w.globals.end(start - 2)
	w.signatures = append(w.signatures, signature{uint32(start), uint32(len(w.scratch)), id})
	return id
}

// function writes a function.
func (w *emitter) function(f *ir.Func, id uint32) {
	w.f = f
	w.ids = ir.Zeroed(w.ids, f.ValueCount())
	w.controls = ir.Zeroed(w.controls, f.InstCount())
	w.edges, w.edgeIDs = append(w.edges[:0], edge{}), w.edgeIDs[:0]
	w.uses = f.CountUses(w.uses)
	w.continues = 0
	w.line = linePosition{}
	w.vars.words, w.body.words = w.vars.words[:0], w.body.words[:0]
	w.countExits(f.Entry)

	functionType := w.functionType(f)
	w.code.op(grammar.OpFunction, w.valueType(f.ResultType), id, grammar.FunctionControlNone, functionType)
	if !f.Kernel {
		for _, p := range f.Params(f.Entry) {
			w.ids[p] = w.id()
			w.code.op(grammar.OpFunctionParameter, w.valueType(f.TypeOf(p)), w.ids[p])
			w.localName(p)
		}
	}
	w.label = w.id()
	w.code.op(grammar.OpLabel, w.label)
	if f.Kernel {
		for n, p := range f.Params(f.Entry) {
			if w.uses[p] != 0 {
				w.ids[p] = w.builtin(f.Builtins[n])
				w.localName(p)
			}
		}
	}
	w.block(f.Entry)
	w.code.words = append(w.code.words, w.vars.words...)
	w.code.words = append(w.code.words, w.body.words...)
	w.code.op(grammar.OpFunctionEnd)
}

// localName gives a local value its name, which is for debugging only.
func (w *emitter) localName(v ir.Value) {
	if w.e.Lines {
		w.name(w.ids[v], w.f.ValueName(v))
	}
}

// block writes the instructions of a block and reports whether control can reach its end. A
// terminator that leads after an inlined scope counts as reaching it.
func (w *emitter) block(b ir.Block) bool {
	f := w.f
	for i := f.First(b); i != 0; i = f.Next(i) {
		o := f.Op(i)
		if w.e.Lines {
			w.sourceLine(i)
		}
		switch {
		case o.Is(op.Control):
			if !w.control(i) {
				return false
			}
		case o.Is(op.Terminator):
			return w.terminator(i)
		default:
			w.instruction(i)
			if w.e.Lines && f.Result(i) != 0 {
				w.localName(f.Result(i))
			}
		}
	}
	panic("spirv: a block without terminator")
}

// sourceLine writes OpLine for an instruction if its source position differs from the last one.
func (w *emitter) sourceLine(i ir.Inst) {
	span := w.f.SpanOf(i)
	if !span.Valid() || w.m.Sources == nil || w.f.Op(i) == op.Var {
		return
	}
	at := w.m.Sources.Position(span.Start)
	file := w.m.Sources.File(span.Start)
	if file == nil {
		return
	}
	position := linePosition{w.fileString(file), at.Line, at.Column}
	if position != w.line {
		w.line = position
		w.body.op(grammar.OpLine, position.file, uint32(position.line), uint32(position.column))
	}
}

func (w *emitter) fileString(file *source.File) uint32 {
	for n, other := range w.files {
		if other == file {
			return w.fileStrings[n]
		}
	}
	id := w.id()
	start := w.strings.begin(grammar.OpString, id)
	w.strings.text(file.Name)
	w.strings.end(start)
	w.files, w.fileStrings = append(w.files, file), append(w.fileStrings, id)
	return id
}

// value returns the id of any value but a pointer to a module variable.
func (w *emitter) value(v ir.Value) uint32 {
	if v.IsLocal() {
		id := w.ids[v]
		if id == 0 {
			panic("spirv: a value is used before its definition")
		}
		return id
	}
	return w.constant(v)
}

// result starts an instruction with a result: it gives the value an id.
func (w *emitter) result(i ir.Inst) (resultType, id uint32) {
	id = w.id()
	w.ids[w.f.Result(i)] = id
	return w.valueType(w.f.Type(i)), id
}

// emit writes an instruction that has a result, and returns its id.
func (w *emitter) emit(opcode, resultType uint32, operands ...uint32) uint32 {
	id := w.id()
	start := w.body.begin(opcode, resultType, id)
	w.body.add(operands...)
	w.body.end(start)
	return id
}

// extended writes an instruction of GLSL.std.450.
func (w *emitter) extended(number, resultType uint32, operands ...uint32) uint32 {
	id := w.id()
	start := w.body.begin(grammar.OpExtInst, resultType, id, w.glsl, number)
	w.body.add(operands...)
	w.body.end(start)
	return id
}
