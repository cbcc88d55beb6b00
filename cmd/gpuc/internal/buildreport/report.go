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

// This file is `gpuc build -report`: what each artefact takes of a device and how much of it runs
// at once, what its code consists of, and which indices it keeps in bounds, and why
// (build_checks.go). What it takes is known where a tool makes machine code here. Where that is not
// made before a device loads the code, a line says so.

// unknownUsage is said of code that no tool here makes machine code of.
const unknownUsage = "not known: no machine code is made before a device loads it"

// WriteReports writes the lines of reports behind the names of their files. Lines that are the same
// for several artefacts are written once.
func WriteReports(w io.Writer, forms []*UsageForm) error {
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

// ReportedArtefact is an artefact and what the compiler knows of it.
type ReportedArtefact struct {
	File     string // or, if it goes to standard output, the kernel and the target
	Target   *codegen.Target
	Artefact *abi.Artefact
	Object   []byte // what devices load, if that is not the artefact's code
	Report   *codegen.Report
	Set      *source.Set // of the positions in the report
}

// UsageForm is the report of an artefact for -json, and its lines for people.
type UsageForm struct {
	lines        []string
	File         string            `json:"file"` // or the kernel, where it goes to standard output
	Usage        string            `json:"usage"`
	Resources    *resourceForm     `json:"resources,omitempty"`
	Instructions *instructionsForm `json:"instructions,omitempty"`
	Checks       []checkForm       `json:"checks"`
	Unchecked    string            `json:"unchecked,omitempty"`
	Calls        []callForm        `json:"calls,omitempty"`
}

// resourceForm is what an artefact takes.
type resourceForm struct {
	Device  string      `json:"device"`
	Takes   []countForm `json:"takes"`
	Running uint32      `json:"running"`
	Most    uint32      `json:"most"`
	Unit    string      `json:"unit"`
	Limits  []string    `json:"limits"`
}

// countForm is a number of something.
type countForm struct {
	What   string `json:"what"`
	Number uint64 `json:"number"`
}

// instructionsForm is what code consists of.
type instructionsForm struct {
	Of     string    `json:"of"`
	Kernel partForm  `json:"kernel"`
	Loop   *partForm `json:"hotLoop,omitempty"`
}

// partForm is what a part of code consists of.
type partForm struct {
	Instructions uint64       `json:"instructions"`
	Classes      []countForm  `json:"classes"`
	Accesses     []accessForm `json:"accesses"`
}

// accessForm is how many accesses there are of a width.
type accessForm struct {
	Memory string `json:"memory"`
	Store  bool   `json:"store"`
	Bits   uint64 `json:"bits"`
	Number uint64 `json:"number"`
}

// NewUsageForm makes the report of an artefact.
func NewUsageForm(m *ReportedArtefact) *UsageForm {
	f := &UsageForm{File: m.File, Usage: unknownUsage, Checks: []checkForm{}}
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
	f.addChecks(m)
	f.addCalls(m)
	return f
}

// say adds a line for people.
func (f *UsageForm) say(format string, args ...any) {
	f.lines = append(f.lines, fmt.Sprintf(format, args...))
}

// addInstructions reports what an artefact's code consists of.
func (f *UsageForm) addInstructions(m *ReportedArtefact) {
	mix := &m.Report.Mix
	if m.Target.Mix != nil {
		counted, err := m.Target.Mix(m.Artefact)
		if err != nil {
			f.say("what the code consists of is not known: %v", err)
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

func countForms(counts []codegen.Count) []countForm {
	forms := []countForm{}
	for _, c := range counts {
		forms = append(forms, countForm{c.What, c.Number})
	}
	return forms
}

func newPartForm(p *codegen.Part) partForm {
	form := partForm{Instructions: p.Instructions, Classes: countForms(p.Classes), Accesses: []accessForm{}}
	for _, a := range p.Accesses {
		form.Accesses = append(form.Accesses, accessForm{a.Memory, a.Store, a.Bits, a.Number})
	}
	return form
}
