package launch

import (
	"bytes"
	"fmt"
	"go/format"

	"github.com/gpuc/gpuc/frontend/gokernel"
)

// This file writes the file that registers the machine code of kernels that is assembled with the
// package.

const execmemPath = "github.com/gpuc/gpuc/runtime/execmem"

// Machine is the machine code of a kernel as it is registered, or why there is none.
type Machine struct {
	Kernel      string
	Coarse      bool   // of the large-launch variant
	Key, Layout string // execmem.Linked.Register
	Refused     error
}

// Name is the symbol of the code in assembly, and the variable with its address.
func (m *Machine) Name() string {
	if m.Coarse {
		return "gpucCoarseCodeOf" + m.Kernel
	}
	return "gpucCodeOf" + m.Kernel
}

// MachineSource returns the text of gpuc_gen_amd64.go for a package.
func MachineSource(p *gokernel.Package, list []Machine) []byte {
	name := free(p.Declared, "execmem")
	clause := name + " "
	if name == "execmem" {
		clause = ""
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n//go:build amd64 && gc\n\npackage %s\n\nimport %s%q\n\n", Header, p.Name, clause, execmemPath)
	b.WriteString("// Where the machine code of kernels is (" + gokernel.AssemblyFile + "). The CPU device calls it for the IR text that it was made of, if the\n" +
		"// processor has the instructions, and compiles else.\nvar (\n")
	for n := range list {
		switch m := &list[n]; {
		case m.Refused == nil:
			fmt.Fprintf(&b, "\t%s %s.Linked\n", m.Name(), name)
		case m.Coarse:
			fmt.Fprintf(&b, "\t// The large-launch variant of %s has no machine code: %v\n", m.Kernel, m.Refused)
		default:
			fmt.Fprintf(&b, "\t// %s has no machine code: %v\n", m.Kernel, m.Refused)
		}
	}
	b.WriteString(")\n\nfunc init() {\n")
	for n := range list {
		if m := &list[n]; m.Refused == nil {
			fmt.Fprintf(&b, "\t%s.Register(%q,\n\t\t%s)\n", m.Name(), m.Key, quoted(m.Layout))
		}
	}
	b.WriteString("}\n")
	text, err := format.Source(b.Bytes())
	if err != nil {
		panic(fmt.Sprintf("what is generated for the machine code of %s is no Go: %v", p.Path, err))
	}
	return text
}

// quoted returns a string literal, a raw one if possible: a layout is JSON.
func quoted(text string) string {
	if bytes.IndexByte([]byte(text), '`') < 0 {
		return "`" + text + "`"
	}
	return fmt.Sprintf("%q", text)
}
