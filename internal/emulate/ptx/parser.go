package ptx

import (
	"math"
	"strconv"
	"strings"
)

// Parsing of directives: variables, and the signatures of functions. statement.go has the bodies of
// functions, and instruction.go the instructions.

// space is a state space.
type space uint8

const (
	global space = iota
	shared
	local
	constant
	parameter
)

var spaceNames = [...]string{global: "global", shared: "shared", local: "local", constant: "const", parameter: "param"}

// windows are the first addresses of state spaces. They are disjoint, so that an address of one
// space is out of bounds in another. Global memory lies above 4 GiB.
var windows = [...]uint64{shared: 0x1000_0000, local: 0x2000_0000, constant: 0x3000_0000, parameter: 0x4000_0000}

// windowBytes is the largest size of a space.
const windowBytes = 0x1000_0000

// symbol is a variable.
type symbol struct {
	name        string
	space       space
	address     uint64 // of local variables and parameters relative to the function's
	size, align uint64
	block       int    // of a local variable or .param: its scope
	bytes       []byte // of a variable in global memory: its initial value
	input       bool   // whether it is a parameter of the function, not an argument of a call
}

// layout allocates the variables of a space, with guards between them. The shadow has the states of
// the bytes.
type layout struct{ shadow []byte }

// guard is the number of bytes between two variables.
const guard = 64

// The states of a byte in shadow memory and of a register. The state of several is their
// conjunction.
const (
	absent byte = 0 // a byte of no variable; a register that was never written
	// memory that was never written, unspecified results, and values computed from them
	undefined byte = 1
	// a register of a product that is under way
	pending byte = 2
	defined byte = 3
)

// allocate returns the offset of a new variable.
func (l *layout) allocate(size, align uint64) uint64 {
	at := (uint64(len(l.shadow)) + guard + align - 1) &^ (align - 1)
	for uint64(len(l.shadow)) < at {
		l.shadow = append(l.shadow, absent)
	}
	for range size {
		l.shadow = append(l.shadow, undefined)
	}
	return at
}

// function is an entry point or a function.
type function struct {
	name       string
	index      int
	entry      bool
	workgroup  [3]uint32
	parameters []*symbol
	result     *symbol // or nil
	area       layout  // its parameters and those of the calls that it makes
	locals     layout
	code       []instruction
	// values and states are the initial values of the slots: registers and constants.
	values []uint64
	states []byte
	// Slots whose initial value depends on the invocation or on the call.
	specials       []initialSlot
	localAddresses []initialSlot
	registers      map[string]registers // for messages
	products       []int32              // the registers that products of warpgroups have
}

// initialSlot is a slot that is set when a function is entered. value is the index of a special
// register, or an offset in the function's local memory.
type initialSlot struct {
	slot  int32
	value uint64
}

// parser reads a module.
type parser struct {
	lexer
	*Module
	files map[uint64]bool
	f     *function // the current one
	body  *body
}

// versions are the supported targets, each with the first version of PTX that has it (PTX ISA,
// release notes).
var versions = map[string]string{
	"sm_70": "6.3", "sm_75": "6.3", "sm_80": "7.0", "sm_86": "7.1", "sm_89": "7.8", "sm_90": "7.8", "sm_90a": "8.0",
	"sm_100": "8.6", "sm_100a": "8.6", "sm_120": "8.7",
}

// capabilityOf returns the compute capability in a target's name, times 10.
func capabilityOf(target string) int {
	n, _ := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(target, "sm_"), "a"))
	return n
}

// module parses a module.
func (p *parser) module() {
	p.expectName(".version")
	version := p.token.text
	p.advance()
	p.expectName(".target")
	target := p.token.text
	p.target, p.capability = target, capabilityOf(target)
	if versions[target] != version {
		p.refuse("version %s and target %s are not known together", version, target)
	}
	p.advance()
	p.expectName(".address_size")
	if p.integer(64) != 64 {
		p.refuse("expected addresses of 64 bits")
	}
	for p.kind != endToken {
		switch directive := p.token.text; {
		case p.acceptName(".file"):
			p.file()
		case p.acceptName(".shared"):
			p.sharedVariable()
		case p.acceptName(".extern"):
			p.dynamicShared()
		case p.acceptName(".const"):
			p.table(constant)
		case p.acceptName(".global"):
			p.table(global)
		case p.acceptName(".visible"):
			p.expectName(".entry")
			p.entryPoint()
		case p.acceptName(".func"):
			p.callee()
		default:
			p.refuse("directive %q is not known", directive)
		}
	}
}

// file parses .file index "name".
func (p *parser) file() {
	n := p.integer(math.MaxUint32)
	if p.kind != stringToken {
		p.refuse("expected a file's name, found %q", p.token.text)
	}
	if p.files == nil {
		p.files = map[uint64]bool{}
	}
	if n == 0 || p.files[n] {
		p.refuse("file %d is named twice or zero", n)
	}
	p.files[n] = true
	p.advance()
}

// variable parses `.align n .b8 name[size]`, the syntax of all arrays. If sized is false, it
// expects no size, which is then 0.
func (p *parser) variable(s space, sized bool) *symbol {
	p.expectName(".align")
	align := p.integer(1 << 12)
	if align == 0 || align&(align-1) != 0 {
		p.refuse("alignment %d is no power of two", align)
	}
	p.expectName(".b8")
	v := &symbol{name: p.name(), space: s, align: align}
	p.expect('[')
	if sized {
		if v.size = p.integer(windowBytes / 2); v.size == 0 {
			p.refuse("variable %s has no bytes", v.name)
		}
	}
	p.expect(']')
	return v
}

// define declares a variable of the module.
func (p *parser) define(v *symbol) {
	if p.symbols[v.name] != nil || p.function(v.name) != nil {
		p.refuse("name %s is defined twice", v.name)
	}
	p.symbols[v.name] = v
}

func (p *parser) sharedVariable() {
	v := p.variable(shared, true)
	p.expect(';')
	v.address = windows[shared] + p.shared.allocate(v.size, v.align)
	p.define(v)
}

// dynamicShared parses the array of workgroup memory whose size the launch sets.
func (p *parser) dynamicShared() {
	p.expectName(".shared")
	v := p.variable(shared, false)
	p.expect(';')
	if p.dynamic != nil {
		p.refuse("a second array of workgroup memory without a size")
	}
	v.address = windows[shared] + windowBytes/2
	p.define(v)
	p.dynamic = v
}

// table parses a variable in constant or global memory with its initial value.
func (p *parser) table(s space) {
	v := p.variable(s, true)
	image := make([]byte, v.size)
	if p.accept('=') {
		p.expect('{')
		for n := 0; ; n++ {
			b := p.integer(255)
			if n >= len(image) {
				p.refuse("variable %s has more than its %d bytes", v.name, v.size)
			}
			image[n] = byte(b)
			if !p.accept(',') {
				break
			}
		}
		p.expect('}')
	}
	p.expect(';')
	if s == global {
		v.bytes = image
		v.address = globalAddress(len(p.tables), true)
		p.tables = append(p.tables, v)
	} else {
		at := p.constant.allocate(v.size, v.align)
		p.constants = append(append(p.constants, make([]byte, at-uint64(len(p.constants)))...), image...)
		for n := range image {
			p.constant.shadow[at+uint64(n)] = defined
		}
		v.address = windows[constant] + at
	}
	p.define(v)
}

// begin starts a function; its parameters follow.
func (p *parser) begin(entry bool) *function {
	f := &function{index: len(p.functions), entry: entry}
	p.f, p.body = f, newBody()
	f.registers = p.body.registers
	p.constantSlot(0) // slot 0, of missing operands
	return f
}

// finish declares a function.
func (p *parser) finish(f *function, name string) {
	if p.symbols[name] != nil || p.function(name) != nil {
		p.refuse("name %s is defined twice", name)
	}
	f.name = name
	p.functions = append(p.functions, f)
}

// entryPoint parses the rest of .visible .entry.
func (p *parser) entryPoint() {
	f := p.begin(true)
	name := p.name()
	p.expect('(')
	for !p.accept(')') {
		if len(f.parameters) > 0 {
			p.expect(',')
		}
		p.expectName(".param")
		v := &symbol{}
		switch {
		case p.acceptName(".u64"):
			if p.acceptName(".ptr") { // without it, a handle of a texture or surface
				p.expectName(".global")
				p.expectName(".align")
				if n := p.integer(256); n == 0 || n&(n-1) != 0 {
					p.refuse("alignment %d is no power of two", n)
				}
			}
			v.name, v.size, v.align = p.name(), 8, 8
		case p.acceptName(".u32"):
			v.name, v.size, v.align = p.name(), 4, 4
		default:
			v = p.variable(parameter, true)
		}
		p.parameter(v, true)
		f.parameters = append(f.parameters, v)
	}
	p.expectName(".reqntid")
	total := uint64(1)
	for n := range f.workgroup {
		if n > 0 {
			p.expect(',')
		}
		f.workgroup[n] = uint32(p.integer(1024))
		total *= uint64(f.workgroup[n])
	}
	if total == 0 || total > 1024 {
		p.refuse("a workgroup of %d invocations", total)
	}
	if p.acceptName(".minnctapersm") { // of workgroups at a time, which emulation does not have
		p.integer(32)
	}
	p.statements()
	p.finish(f, name)
}

// callee parses the rest of .func.
func (p *parser) callee() {
	f := p.begin(false)
	if p.accept('(') {
		f.result = p.formal()
		p.parameter(f.result, false)
		p.expect(')')
	}
	name := p.name()
	p.expect('(')
	for !p.accept(')') {
		if len(f.parameters) > 0 {
			p.expect(',')
		}
		v := p.formal()
		p.parameter(v, true)
		f.parameters = append(f.parameters, v)
	}
	p.statements()
	p.finish(f, name)
}

// scalarParameters are the types of scalar parameters, with their bytes.
var scalarParameters = map[string]uint64{".b16": 2, ".b32": 4, ".b64": 8}

// formal parses a .param of a function or of a call.
func (p *parser) formal() *symbol {
	p.expectName(".param")
	if size := scalarParameters[p.token.text]; p.kind == nameToken && size != 0 {
		p.advance()
		return &symbol{name: p.name(), space: parameter, size: size, align: size}
	}
	return p.variable(parameter, true)
}

// parameter declares a .param in the current block.
func (p *parser) parameter(v *symbol, input bool) {
	v.space, v.input, v.block = parameter, input, p.body.block
	v.address = p.f.area.allocate(v.size, v.align)
	p.declare(v)
}
