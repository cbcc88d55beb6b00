package spirv

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Decoding of a module: header, instructions, capabilities, decorations. declare.go reads the
// declarations, and build.go the functions.

// Error names an instruction that is refused or whose behaviour is undefined.
type Error struct {
	Instruction string // its name, or "" if the error concerns the module
	Result      uint32 // its result's id, or 0
	Word        uint32 // where it begins in the module
	Message     string
	// Invocation is the global invocation id, where one executed it.
	Invocation *[3]uint32
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("spirv: ")
	if e.Instruction != "" {
		if e.Result != 0 {
			fmt.Fprintf(&b, "%%%d = ", e.Result)
		}
		fmt.Fprintf(&b, "%s (word %d)", e.Instruction, e.Word)
		if e.Invocation != nil {
			fmt.Fprintf(&b, " of invocation %v", *e.Invocation)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	return b.String()
}

// raw is a decoded instruction of the module.
type raw struct {
	opcode    uint16
	word      uint32
	typ       uint32   // the id of the result's type, or 0
	result    uint32   // or 0
	operands  []uint32 // the words after the result
	name      string
	operation *operation // of an arithmetic instruction
}

// identKind is what an id denotes.
type identKind uint8

const (
	noID identKind = iota
	typeID
	constantID
	variableID
	functionID
	labelID
	valueID
	setID // the extended instruction set
	stringID
)

// ident describes an id.
type ident struct {
	kind identKind
	t    *typ     // the type itself, or that of a value
	slot uint32   // the first slot of a value: a register, or of the pool, see pooled
	bits []uint64 // of a constant
	// index is that of a variable or function.
	index uint32
	// The definition of a value or label: the indices of its function, block, and instruction in
	// the block.
	function, block, order int32
}

// pooled marks the slot of a constant that lies in the pool, which all invocations share, and not
// in the registers of each.
const pooled = 1 << 31

// registerConstant is the largest number of slots of a constant that is copied to the registers:
// the operands of arithmetic are at most vectors.
const registerConstant = 4

// decorated is the decorations of an id.
type decorated struct {
	set, binding, builtin, stride uint32 // or absent
	block, readOnly, writeOnly    bool
}

type member struct{ structure, index uint32 }

// decoder reads a module. It refuses a module by a panic with an *Error, which read recovers.
type decoder struct {
	program
	words        []uint32
	ids          []ident
	decorations  []decorated
	offsets      map[member]uint32
	functions    []*function
	entryName    string
	entryID      uint32
	listed       []uint32 // the variables that the entry point names
	localSized   uint32   // the function that has a LocalSize
	capabilities []uint32 // those that the module declares
	storageOnly  []raw    // the decorations that only storage images may have
	byteStorage  bool     // whether the module declares the extension byteStorage
	controlled   bool     // whether the module declares the extension floatControls
	matrixed     bool     // whether the module declares the extension matrixExtension
	brained      bool     // whether the module declares the extension brainExtension
	// arraySteps are the last indices of access chains into arrays, by their result.
	arraySteps map[uint32]arrayStep
	modelled   bool // whether there is an OpMemoryModel
}

func (d *decoder) fail(i *raw, format string, args ...any) {
	e := &Error{Message: fmt.Sprintf(format, args...)}
	if i != nil {
		e.Instruction, e.Word, e.Result = i.name, i.word, i.result
	}
	panic(e)
}

// read decodes a module for one of its entry points.
func read(code []byte, entry string) (p *program, err error) {
	d := decoder{program: program{grain: 2}, entryName: entry, offsets: map[member]uint32{}, arraySteps: map[uint32]arrayStep{}}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Error:
			p, err = nil, r
		default:
			panic(r)
		}
	}()
	d.header(code)
	d.module()
	d.build()
	return &d.program, nil
}

func (d *decoder) header(code []byte) {
	if len(code)%4 != 0 || len(code) < 20 {
		d.fail(nil, "the module is not a header and words")
	}
	d.words = make([]uint32, len(code)/4)
	for n := range d.words {
		d.words[n] = binary.LittleEndian.Uint32(code[4*n:])
	}
	if d.words[0] != 0x07230203 {
		d.fail(nil, "the first word is %#x, not the magic number", d.words[0])
	}
	if v := d.words[1]; v < 0x10300 || v > 0x10600 || v&0xFF != 0 {
		d.fail(nil, "not supported: version %d.%d", v>>16, v>>8&0xFF)
	}
	bound := d.words[3]
	if bound == 0 || bound > 1<<22 {
		d.fail(nil, "the bound of ids is %d", bound)
	}
	d.ids = make([]ident, bound)
	d.decorations = make([]decorated, bound)
	for n := range d.decorations {
		d.decorations[n] = decorated{set: absent, binding: absent, builtin: absent, stride: absent}
	}
}

func (d *decoder) module() {
	var f *function
	for at := uint32(5); at < uint32(len(d.words)); {
		length := d.words[at] >> 16
		if length == 0 || length > uint32(len(d.words))-at {
			d.fail(nil, "the instruction at word %d is longer than the module", at)
		}
		i := d.instruction(at, d.words[at:at+length])
		at += length
		switch {
		case i.opcode == opLine:
		case i.opcode == opFunction:
			f = d.beginFunction(&i)
		case i.opcode == opFunctionEnd:
			if f == nil {
				d.fail(&i, "outside of a function")
			}
			f = nil
		case f != nil:
			f.body = append(f.body, i)
			d.localResult(f, &i)
		default:
			d.global(&i)
		}
	}
	if f != nil {
		d.fail(nil, "the last function does not end")
	}
}

// instruction decodes an instruction by its operand format.
func (d *decoder) instruction(at uint32, words []uint32) raw {
	i := raw{opcode: uint16(words[0]), word: at}
	f, ok := forms[i.opcode]
	if !ok {
		if name, ok := refused[i.opcode]; ok {
			d.fail(nil, "not supported: %s", name)
		}
		d.fail(nil, "not supported: opcode %d at word %d", i.opcode, at)
	}
	i.name, i.operation = f.name, f.operation
	rest := words[1:]
	operands := f.operands
	take := func() uint32 {
		if len(rest) == 0 {
			d.fail(&i, "the instruction lacks an operand")
		}
		word := rest[0]
		rest = rest[1:]
		return word
	}
	id := func(word uint32) uint32 {
		if word == 0 || word >= uint32(len(d.ids)) {
			d.fail(&i, "id %d is outside of the bound", word)
		}
		return word
	}
	if strings.HasPrefix(operands, "t") {
		i.typ, operands = id(take()), operands[1:]
	}
	if strings.HasPrefix(operands, "r") {
		i.result, operands = id(take()), operands[1:]
		if k := d.ids[i.result].kind; k != noID {
			d.fail(&i, "the id is defined twice")
		}
	}
	i.operands = rest
	for n := 0; n < len(operands); n++ {
		letter, repeat := operands[n], byte(0)
		if n+1 < len(operands) && (operands[n+1] == '?' || operands[n+1] == '*') {
			n++
			repeat = operands[n]
		}
		for (repeat == 0 || len(rest) > 0) && !(letter == 'x' && len(rest) == 0) {
			switch letter {
			case 'i':
				id(take())
			case 'l', 'e':
				take()
			case 'p':
				id(take())
				id(take())
			case 'q':
				take()
				id(take())
			case 's':
				_, n := text(rest)
				rest = rest[n:]
			case 'c', 'x': // all the rest
				rest = nil
			}
			if repeat != '*' {
				break
			}
		}
	}
	if len(rest) > 0 {
		d.fail(&i, "the instruction has %d words too many", len(rest))
	}
	return i
}

// text reads a string and returns how many words it has.
func text(words []uint32) (s string, n int) {
	var b []byte
	for n := range words {
		for shift := 0; shift < 32; shift += 8 {
			c := byte(words[n] >> shift)
			if c == 0 {
				return string(b), n + 1
			}
			b = append(b, c)
		}
	}
	return string(b), len(words)
}

// known refuses an enumerant that is not in a table.
func (d *decoder) known(i *raw, what string, n enumerants, value uint32) {
	if _, ok := n[value]; !ok {
		d.fail(i, "not supported: %s %d", what, value)
	}
}

// byteStorage is the extension of StorageBuffer8BitAccess, which is part of version 1.5.
const (
	byteStorage        = "SPV_KHR_8bit_storage"
	byteStorageVersion = 0x10500
)

// floatControls is the extension of the execution modes in floatModes, which are part of version
// 1.4. The emulator's floats always behave as these modes require.
const (
	floatControls        = "SPV_KHR_float_controls"
	floatControlsVersion = 0x10400
)

// floatModes are execution modes with the capabilities that they need.
var floatModes = map[uint32]uint32{4459: capabilityDenormPreserve, 4461: capabilityZeroInfNan, 4462: capabilityToEven}

// global reads an instruction outside of functions.
func (d *decoder) global(i *raw) {
	w := i.operands
	switch i.opcode {
	case opName, opMemberName:
	case opString:
		d.ids[i.result].kind = stringID
	case opCapability:
		d.known(i, "capability", capabilities, w[0])
		d.capabilities = append(d.capabilities, w[0])
	case opExtension:
		switch s, _ := text(w); s {
		case byteStorage:
			d.byteStorage = true
		case floatControls:
			d.controlled = true
		case matrixExtension:
			d.matrixed = true
		case brainExtension:
			d.brained = true
		default:
			d.fail(i, "not supported: extension %q", s)
		}
	case opExtInstImport:
		if s, _ := text(w); s != "GLSL.std.450" {
			d.fail(i, "not supported: extended instructions %q", s)
		}
		d.ids[i.result].kind = setID
	case opMemoryModel:
		if d.vulkanModel = w[1] == memoryModelVulkan; d.vulkanModel {
			d.needs(i, capabilityVulkanModel)
		}
		if w[0] != addressingLogical || w[1] != memoryModelGLSL450 && !d.vulkanModel {
			d.fail(i, "not supported: addressing model %d with memory model %d", w[0], w[1])
		}
		d.modelled = true
	case opEntryPoint:
		if w[0] != executionModelGLCompute {
			d.fail(i, "not supported: execution model %d", w[0])
		}
		if s, n := text(w[2:]); s == d.entryName {
			d.entryID, d.listed = w[1], w[2+n:]
		}
	case opExecutionMode:
		if capability, ok := floatModes[w[1]]; ok && len(w) == 3 {
			d.needs(i, capability)
			break
		}
		if w[1] != executionModeLocalSize || len(w) != 5 {
			d.fail(i, "not supported: execution mode %d", w[1])
		}
		if w[0] == d.entryID {
			d.size, d.localSized = [3]uint32(w[2:]), w[0]
		}
	case opDecorate:
		d.decorate(i, w[0], w[1], w[2:])
	case opMemberDecorate:
		if w[2] != decorationOffset || len(w) != 4 {
			d.fail(i, "not supported: decoration %d of a member", w[2])
		}
		d.offsets[member{w[0], w[1]}] = w[3]
	case opVariable:
		d.variable(i)
	case opConstantTrue, opConstantFalse, opConstant, opSpecConstant, opConstantComposite, opConstantNull:
		d.constant(i)
	case opTypeMatrix:
		d.matrixType(i)
	case opUndef:
		d.fail(i, "not supported: OpUndef outside of a function")
	default:
		if i.opcode < opTypeVoid || i.opcode > opTypeFunction {
			d.fail(i, "the instruction is not allowed outside of a function")
		}
		d.makeType(i)
	}
}

func (d *decoder) decorate(i *raw, id, decoration uint32, operands []uint32) {
	d.known(i, "decoration", decorations, decoration)
	x := &d.decorations[id]
	var to *uint32
	switch decoration {
	case decorationSpecID:
		return
	case decorationBlock:
		x.block = true
	case decorationNonWritable:
		x.readOnly = true
	case decorationNonReadable:
		x.writeOnly = true
		d.storageOnly = append(d.storageOnly, *i)
	case decorationCoherent:
		if slices.Contains(d.capabilities, capabilityVulkanModel) {
			d.fail(i, "Coherent in the Vulkan memory model")
		}
		d.storageOnly = append(d.storageOnly, *i)
	case decorationArrayStride:
		to = &x.stride
	case decorationBuiltIn:
		to = &x.builtin
	case decorationBinding:
		to = &x.binding
	case decorationSet:
		to = &x.set
	case decorationOffset:
		d.fail(i, "Offset decorates members only")
	}
	if to == nil && len(operands) == 0 {
		return
	}
	if to == nil || len(operands) != 1 {
		d.fail(i, "a decoration with %d operands", len(operands))
	}
	*to = operands[0]
}
