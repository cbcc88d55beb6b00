// Package buildreport reports what artefacts need of a device, what instructions their code has,
// and which indices they keep in bounds, and why (gpuc build -report).
package buildreport

import (
	"fmt"
	"io"
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// unknownUsage is the usage of code that no tool here compiles to machine code.
const unknownUsage = "not known: no machine code is made before a device loads it"

// Write writes reports for people. Lines that are the same for several artefacts are written once.
func Write(w io.Writer, forms []*Report) error {
	width := 0
	for _, f := range forms {
		width = max(width, len(f.File))
	}
	for n, f := range forms {
		lines := f.lines
		for _, before := range forms[:n] {
			if len(lines) > 2 && slices.Equal(before.lines[1:], lines[1:]) {
				lines = []string{f.Usage, "the rest is as for " + before.File}
				break
			}
		}
		name := f.File
		for _, line := range lines {
			if _, err := fmt.Fprintf(w, "%-*s  %s\n", width, name, line); err != nil {
				return err
			}
			name = ""
		}
	}
	return nil
}

// Artefact is an artefact with what the compiler knows about it.
type Artefact struct {
	File     string // or the kernel and the target, if the code is in no file
	Target   *codegen.Target
	Artefact *abi.Artefact
	Object   []byte // what devices load, or nil if that is the artefact's code
	Report   *codegen.Report
	Set      *source.Set // of the positions in Report
}

// Report is the report of an artefact.
type Report struct {
	lines        []string          // for people
	File         string            `json:"file"`
	Usage        string            `json:"usage"`
	Resources    *resourceForm     `json:"resources,omitempty"`
	Instructions *instructionsForm `json:"instructions,omitempty"`
	Checks       []checkForm       `json:"checks"`
	NoTensor     string            `json:"noTensor,omitempty"`
	Unchecked    string            `json:"unchecked,omitempty"`
	Calls        []callForm        `json:"calls,omitempty"`
	Products     []productForm     `json:"products,omitempty"`
	Tiles        []tileForm        `json:"tiles,omitempty"`
	Tensor       *tensorForm       `json:"tensor,omitempty"`
}

// resourceForm has the resources that an artefact needs.
type resourceForm struct {
	Device     string      `json:"device"`
	Takes      []countForm `json:"takes"`
	Running    uint32      `json:"running"`
	MaxRunning uint32      `json:"most"`
	Unit       string      `json:"unit"`
	Limits     []string    `json:"limits"`
}

// countForm is a count.
type countForm struct {
	Name   string `json:"what"`
	Number uint64 `json:"number"`
}

// instructionsForm has the instructions of code.
type instructionsForm struct {
	Of     string    `json:"of"`
	Kernel partForm  `json:"kernel"`
	Loop   *partForm `json:"hotLoop,omitempty"`
}

// partForm has the instructions of a part of code.
type partForm struct {
	Instructions uint64       `json:"instructions"`
	Classes      []countForm  `json:"classes"`
	Accesses     []accessForm `json:"accesses"`
}

// accessForm has the number of accesses of a width.
type accessForm struct {
	Memory string `json:"memory"`
	Store  bool   `json:"store"`
	Bits   uint64 `json:"bits"`
	Number uint64 `json:"number"`
}

// New makes the report of an artefact.
func New(m *Artefact) *Report {
	f := &Report{File: m.File, Usage: unknownUsage, Checks: []checkForm{}}
	if m.Target.Resources != nil {
		u, err := m.Target.Resources(m.Artefact, m.Object)
		switch {
		case err != nil:
			f.Usage = "not known: " + err.Error()
		case u != nil:
			f.Usage = u.String()
			f.Resources = &resourceForm{u.Device, countForms(u.Counts), u.Running, u.Most, u.Unit, append([]string{}, u.Limits...)}
		}
	}
	f.say("%s", f.Usage)
	f.addInstructions(m)
	f.addProducts(m)
	f.addChecks(m)
	f.addCalls(m)
	return f
}

// say adds a line for people.
func (f *Report) say(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

// addInstructions reports the instructions of the code.
func (f *Report) addInstructions(m *Artefact) {
	mix := &m.Report.Mix
	if m.Target.Mix != nil {
		counted, err := m.Target.Mix(m.Artefact)
		if err != nil {
			f.say("the composition of the code is not known: %v", err)
			return
		}
		mix = counted
	}
	f.Instructions = &instructionsForm{Of: mix.Of, Kernel: newPartForm(&mix.Kernel)}
	if mix.Kernel.Instructions == 0 {
		f.say("no instructions in %s", mix.Of)
		return
	}
	f.say("%s of %s; %s", diag.Plural(int(mix.Kernel.Instructions), "instruction"), mix.Of, mix.Kernel.String())
	if mix.Loop.Instructions > 0 {
		loop := newPartForm(&mix.Loop)
		f.Instructions.Loop = &loop
		f.say("of these %d in the innermost loop; %s", mix.Loop.Instructions, mix.Loop.String())
	}
}

// countForms returns the forms of counts; not nil.
func countForms(counts []codegen.Count) []countForm {
	forms := []countForm{}
	for _, c := range counts {
		forms = append(forms, countForm{c.What, c.Number})
	}
	return forms
}

// newPartForm returns the form of a part.
func newPartForm(p *codegen.Part) partForm {
	form := partForm{Instructions: p.Instructions, Classes: countForms(p.Classes), Accesses: []accessForm{}}
	for _, a := range p.Accesses {
		form.Accesses = append(form.Accesses, accessForm{a.Memory, a.Store, a.Bits, a.Number})
	}
	return form
}
