package launch

import (
	"bytes"
	"fmt"
	"go/format"

	"github.com/gpuc/gpuc/frontend/gokernel"
)

// This file writes what registers the machine code of kernels that is assembled with the package.

const executablePath = "github.com/gpuc/gpuc/runtime/executable"

// Machine is the machine code of a kernel, as it is registered, or why there is none.
type Machine struct {
	Kernel      string
	Key, Layout string // executable.Linked.Register
	Refused     error
}

// MachineName is the name of the code of a kernel in assembly, and of the variable that says where it is.
func MachineName(kernel string) string { return "gpucCodeOf" + kernel }

// MachineSource returns the text of gpuc_gen_amd64.go for a package.
func MachineSource(p *gokernel.Package, list []Machine) []byte {
	name := free(p.Declared, "executable")
	clause := name + " "
	if name == "executable" {
		clause = ""
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n//go:build amd64 && gc\n\npackage %s\n\nimport %s%q\n\n", Header, p.Name, clause, executablePath)
	b.WriteString("// Where the machine code of kernels is (" + gokernel.AssemblyFile + "). The CPU device calls it for the IR text that it was made of, if the\n" +
		"// processor has the instructions, and compiles else.\nvar (\n")
	for _, m := range list {
		if m.Refused != nil {
			fmt.Fprintf(&b, "\t// %s has no machine code: %v\n", m.Kernel, m.Refused)
			continue
		}
		fmt.Fprintf(&b, "\t%s %s.Linked\n", MachineName(m.Kernel), name)
	}
	b.WriteString(")\n\nfunc init() {\n")
	for _, m := range list {
		if m.Refused == nil {
			fmt.Fprintf(&b, "\t%s.Register(%q,\n\t\t%s)\n", MachineName(m.Kernel), m.Key, quoted(m.Layout))
		}
	}
	b.WriteString("}\n")
	text, err := format.Source(b.Bytes())
	if err != nil {
		panic(fmt.Sprintf("what is generated for the machine code of %s is no Go: %v", p.Path, err))
	}
	return text
}

// quoted returns a string as a literal that people can read: a layout is JSON.
func quoted(text string) string {
	if bytes.IndexByte([]byte(text), '`') < 0 {
		return "`" + text + "`"
	}
	return fmt.Sprintf("%q", text)
}
