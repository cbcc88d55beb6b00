package gfx942

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os/exec"
	"strings"
)

// The loader of code objects and kernel descriptors (LLVM, User Guide for AMDGPU Backend, "Kernel
// Descriptor").

// Object is a loaded code object. It caches decoded instructions, so only one goroutine at a time
// may execute it.
type Object struct {
	image   []byte // as it lies in memory
	kernels map[string]*kernel
	code    map[uint64]*instruction // decoded, by address in the image
	foreign *foreignDecoder
}

// kernel is a kernel descriptor.
type kernel struct {
	name                         string
	shared, private, argumentsOf uint32 // in bytes
	entry                        uint64
	userScalars                  operand // how many registers precede the workgroup id
	// whether the user scalars have the addresses of the dispatch packet and of the arguments
	packet, arguments bool
	group             [3]bool // the dimensions of the workgroup id in registers
	identifiers       uint32  // the dimensions of the local invocation id in registers, minus one
}

// Bits of a descriptor's words.
const (
	machine942        = 0x4C // EF_AMDGPU_MACH of gfx942
	packetPointer     = 1 << 1
	argumentsPointer  = 1 << 3
	descriptorBytes   = 64
	descriptorSuffix  = ".kd"
	mostUserScalars   = 16
	allowedProperties = packetPointer | argumentsPointer
)

// Load reads a code object.
func Load(data []byte) (*Object, error) {
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if file.Machine != 224 || len(data) < 52 || data[48] != machine942 {
		return nil, fmt.Errorf("this is no code object for gfx942")
	}
	o := &Object{kernels: map[string]*kernel{}, code: map[uint64]*instruction{}, foreign: newForeignDecoder()}
	for _, p := range file.Progs {
		if p.Type != elf.PT_LOAD {
			continue
		}
		if end := p.Vaddr + p.Memsz; end > uint64(len(o.image)) {
			if end > 1<<28 {
				return nil, fmt.Errorf("a segment ends at %#x", end)
			}
			o.image = append(o.image, make([]byte, end-uint64(len(o.image)))...)
		}
		if _, err := p.ReadAt(o.image[p.Vaddr:p.Vaddr+p.Filesz], 0); err != nil {
			return nil, err
		}
	}
	symbols, err := file.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if name, ok := bytes.CutSuffix([]byte(s.Name), []byte(descriptorSuffix)); ok {
			if s.Size != descriptorBytes || s.Value+s.Size > uint64(len(o.image)) {
				return nil, fmt.Errorf("%s is no descriptor", s.Name)
			}
			k, err := describe(string(name), s.Value, o.image[s.Value:])
			if err != nil {
				return nil, err
			}
			o.kernels[k.name] = k
		}
	}
	return o, nil
}

// describe reads a descriptor at an address. Features that no kernel of gpuc uses are errors.
func describe(name string, at uint64, d []byte) (*kernel, error) {
	u32 := func(n int) uint32 { return binary.LittleEndian.Uint32(d[n:]) }
	k := &kernel{name: name, shared: u32(0), private: u32(4), argumentsOf: u32(8), entry: at + binary.LittleEndian.Uint64(d[16:])}
	registers, properties := u32(52), binary.LittleEndian.Uint16(d[56:])
	if properties&^allowedProperties != 0 || binary.LittleEndian.Uint16(d[58:]) != 0 {
		return nil, fmt.Errorf("the descriptor of %s has the properties %#x, of which only %#x are known here", name, properties, allowedProperties)
	}
	k.userScalars = operand(registers >> 1 & 31)
	k.packet, k.arguments = properties&packetPointer != 0, properties&argumentsPointer != 0
	for n := range k.group {
		k.group[n] = registers>>(7+n)&1 != 0
	}
	k.identifiers = registers >> 11 & 3
	if registers>>10&1 != 0 || k.userScalars > mostUserScalars {
		return nil, fmt.Errorf("the descriptor of %s has %#x for its registers", name, registers)
	}
	return k, nil
}

// disassembled returns the first instruction of code as LLVM disassembles it, or its bytes if
// LLVM's assembler is missing.
func disassembled(code []byte) string {
	text := ""
	for _, b := range code[:min(len(code), 8)] {
		text += fmt.Sprintf("0x%02x ", b)
	}
	c := exec.Command("llvm-mc-19", "--disassemble", "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942")
	c.Stdin = strings.NewReader(text)
	out, _ := c.Output() // the bytes after the instruction may be invalid
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '.' {
			return line
		}
	}
	return text
}

// at returns the instruction at an address of the image.
func (o *Object) at(address uint64) *instruction {
	if i := o.code[address]; i != nil {
		return i
	}
	if address%4 != 0 || address >= uint64(len(o.image)) {
		fail("execution goes to %#x, where there is no code", address)
	}
	code := o.image[address:]
	i, err := decode(code)
	if err != nil {
		fail("%v: %s", err, disassembled(code))
	}
	if err := o.foreign.attach(i, code); err != nil {
		fail("%s: %v", i.name(), err)
	}
	o.code[address] = i
	return i
}
