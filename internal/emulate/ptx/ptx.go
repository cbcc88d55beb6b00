// Package ptx is an interpreter of PTX text, to test what the compiler emits. It shares no code
// with the compiler and is stricter than hardware and its assembler. It refuses every directive,
// instruction, modifier, type and operand that its tables do not list. It reports as an error what
// the PTX ISA leaves undefined:
//   - accesses out of bounds and misaligned accesses
//   - uses of values that were never written, or of quotients by zero
//   - data races
//   - barriers that some invocations miss, and exchanges with lanes that do not take part
//   - uses of what asynchronous copies and products read or write before a wait for them
//
// Asynchronous operations take effect as late as the ISA allows.
//
// Parse decodes a module into an internal form. Module.Run executes an entry point by the calling
// convention of runtime/driver/cuda, and Module.RunTensor a variant with tensor maps. The accepted
// subset is that of PTX ISA 6.3 for sm_70, with instructions of later versions if the module's
// target has them.
package ptx

import (
	"fmt"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Module is a decoded module. Running does not change it, so launches may share it.
type Module struct {
	functions []*function
	symbols   map[string]*symbol // variables of the module
	constants []byte             // the image of constant memory
	constant  layout
	tables    []*symbol // variables in global memory
	shared    layout    // static workgroup memory
	dynamic   *symbol   // workgroup memory whose size the launch sets
	// asynchronous says that it has instructions of sm_90.
	asynchronous bool
	copies       bool // it has cp.async
	target       string
	capability   int // the least compute capability that runs it, times 10
	// granule is the logarithm of the bytes for which there is one stamp: those of the narrowest
	// access to shared or global memory, at most 4.
	granule uint8
}

// Run reads a module and executes one of its entry points.
func Run(text []byte, kernel *abi.Kernel, launch *emulate.Launch) error {
	m, err := Parse(text)
	if err != nil {
		return err
	}
	return m.Run(kernel, launch)
}

// Parse reads a module. The error names the line and what is refused.
func Parse(text []byte) (m *Module, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			m, err = nil, r
		default:
			panic(r)
		}
	}()
	p := &parser{lexer: lexer{text: text, line: 1}, Module: &Module{symbols: map[string]*symbol{}, granule: 2}}
	p.advance()
	p.module()
	return p.Module, nil
}

// Workgroup returns the number of invocations of an entry point's workgroups by dimension
// (.reqntid), or false if there is no such entry point.
func (m *Module) Workgroup(entry string) ([3]uint32, bool) {
	if f := m.function(entry); f != nil && f.entry {
		return f.workgroup, true
	}
	return [3]uint32{}, false
}

func (m *Module) function(name string) *function {
	for _, f := range m.functions {
		if f.name == name {
			return f
		}
	}
	return nil
}

// refusal is why a module is not executed.
type refusal struct {
	line    int
	message string
}

func (r refusal) Error() string { return fmt.Sprintf("line %d: %s", r.line, r.message) }
