// Package ptx executes PTX text without a device, to judge what a compiler
// emitted. It shares no code with the compiler and is stricter than hardware and
// its assembler. It refuses every directive, instruction, modifier, type and
// operand that its tables do not list, and reports as an error what the PTX ISA
// leaves undefined: stray and misaligned accesses, uses of what was never written or
// of quotients by zero, data races, barriers that some invocations miss, exchanges
// with lanes that do not take part.
//
// Parse reads a module and decodes it once into dense records; Module.Run
// executes an entry point by the calling convention of runtime/driver/cuda. What
// is accepted is a subset of PTX ISA 6.3 for sm_70, and what of later ones a module's
// target has.
package ptx

import (
	"fmt"

	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Module is a module that was read. It is not changed by running, so that
// launches may share it.
type Module struct {
	functions []*function
	symbols   map[string]*symbol // variables of the module
	constants []byte             // the image of constant memory
	constant  layout
	tables    []*symbol // variables in global memory
	shared    layout    // workgroup memory that is declared
	dynamic   *symbol   // workgroup memory of a size that the launch gives
	machine   int       // the least compute capability that runs it, times 10
	// logarithm of the bytes that a stamp stands for: 2, or those of the least access to shared or
	// global memory
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

// Parse reads a module. The error names the line and what was not understood.
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

// Workgroup returns the number of invocations of an entry point by dimension, as
// its text says, or false if there is no such entry point.
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
