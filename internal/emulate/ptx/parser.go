package ptx

import (
	"math"
	"strconv"
	"strings"
)

// This file reads a module's directives: its variables, and the heads and the
// declarations of its functions. Instructions are read in instruction.go.

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

// Addresses of state spaces begin at places of their own, so that an address of
// one space is none of another. Those of 32 bits are offsets in their window
// (PTX ISA, State Spaces); what lies in global memory is above 4 GiB.
var windows = [...]uint64{shared: 0x1000_0000, local: 0x2000_0000, constant: 0x3000_0000, parameter: 0x4000_0000}

// windowBytes is the most that a space holds.
const windowBytes = 0x1000_0000

// symbol is a variable.
type symbol struct {
	name        string
	space       space
	address     uint64 // of local variables and parameters: from where the function's begin
	size, align uint64
	block       int    // of a function's .param: where it is known
	bytes       []byte // of a variable in global memory: its image
	input       bool   // a parameter of the function itself
}

// layout places variables of a space one behind the other, with guards between
// them, and records which bytes are theirs.
type layout struct{ shadow []byte }

// guard is the least distance of two variables.
const guard = 64

// The states of a byte in shadow memory and of a register. The conjunction of
// some is what is known of all of them together.
const (
	absent    byte = 0 // of no variable; a register that was never written
	undefined byte = 1 // memory that was never written, unspecified results, and what came of them
	defined   byte = 3
)

// place returns where a variable begins.
func (l *layout) place(size, align uint64) uint64 {
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
	area       layout  // parameters of its own and of the calls it makes
	locals     layout
	code       []instruction
	// values and states are what the slots hold as the function is entered: the
	// registers first or among the constants, which have slots of their own.
	values []uint64
	states []byte
	// specials and places are the slots that each invocation and each call fills.
	specials  []filled
	places    []filled
	registers map[string]registers // for messages
}

// filled is a slot that is filled as a function is entered: with the special
// register of a number, or with an address from where the local memory begins.
type filled struct {
	slot  int32
	value uint64
}

// parser reads a module.
type parser struct {
	lexer
	*Module
	files map[uint64]bool
	f     *function // being read
	body  *body
}

// versions are the targets that are known, with the version of PTX that first has each (PTX
// ISA, release notes).
var versions = map[string]string{
	"sm_70": "6.3", "sm_75": "6.3", "sm_80": "7.0", "sm_86": "7.1", "sm_89": "7.8", "sm_90": "7.8", "sm_90a": "8.0",
	"sm_100": "8.6", "sm_100a": "8.6", "sm_120": "8.7",
}

// machineOf returns the number in a target's name.
func machineOf(target string) int {
	n, _ := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(target, "sm_"), "a"))
	return n
}

// module reads a module from its first token on.
func (p *parser) module() {
	p.expectName(".version")
	version := p.token.text
	p.advance()
	p.expectName(".target")
	target := p.token.text
	p.machine = machineOf(target)
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

// file reads .file number "name".
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

// variable reads `.align n .b8 name[size]`, the form of all variables that are
// arrays. Without sized, there is no size, and it is 0.
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

// define makes a module's variable known.
func (p *parser) define(v *symbol) {
	if p.symbols[v.name] != nil || p.function(v.name) != nil {
		p.refuse("name %s is defined twice", v.name)
	}
	p.symbols[v.name] = v
}

func (p *parser) sharedVariable() {
	v := p.variable(shared, true)
	p.expect(';')
	v.address = windows[shared] + p.shared.place(v.size, v.align)
	p.define(v)
}

// dynamicShared reads the array of workgroup memory whose size the launch says.
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

// table reads a variable in constant or global memory and its initial bytes.
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
		at := p.constant.place(v.size, v.align)
		p.constants = append(append(p.constants, make([]byte, at-uint64(len(p.constants)))...), image...)
		for n := range image {
			p.constant.shadow[at+uint64(n)] = defined
		}
		v.address = windows[constant] + at
	}
	p.define(v)
}

// begin makes a function, whose parameters come next.
func (p *parser) begin(entry bool) *function {
	f := &function{index: len(p.functions), entry: entry}
	p.f, p.body = f, newBody()
	f.registers = p.body.registers
	p.constantSlot(0) // slot 0, which stands for operands that are not there
	return f
}

// finish gives a function its name; nothing else has it.
func (p *parser) finish(f *function, name string) {
	if p.symbols[name] != nil || p.function(name) != nil {
		p.refuse("name %s is defined twice", name)
	}
	f.name = name
	p.functions = append(p.functions, f)
}

// entryPoint reads what follows .visible .entry.
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
			if p.acceptName(".ptr") { // or a handle of a texture or surface
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
	p.statements()
	p.finish(f, name)
}

// callee reads what follows .func.
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

// scalarParameters are the types of parameters that are scalars, with their bytes.
var scalarParameters = map[string]uint64{".b16": 2, ".b32": 4, ".b64": 8}

// formal reads a .param of a function or of a call.
func (p *parser) formal() *symbol {
	p.expectName(".param")
	if size := scalarParameters[p.token.text]; p.kind == nameToken && size != 0 {
		p.advance()
		return &symbol{name: p.name(), space: parameter, size: size, align: size}
	}
	return p.variable(parameter, true)
}

// parameter makes a .param known in the block being read.
func (p *parser) parameter(v *symbol, input bool) {
	v.space, v.input, v.block = parameter, input, p.body.block
	v.address = p.f.area.place(v.size, v.align)
	p.declare(v)
}
