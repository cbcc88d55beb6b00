package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/gpuc/gpuc/codegen"
)

// This file is `gpuc build -report`: what each artefact takes of a device and how much of it runs
// at once, what its code consists of, and which indices it keeps in bounds, and why
// (build_checks.go). What it takes is known where a tool makes machine code here. Where that is not
// made before a device loads the code, a line says so.

// unknownUsage is said of code that no tool here makes machine code of.
const unknownUsage = "not known: no machine code is made before a device loads it"

// reportUsage shows what was built, some lines for each artefact.
func reportUsage(e *environment, w io.Writer, builds []sourceBuild) error {
	var forms []usageForm
	var details [][]string
	width := 0
	for n := range builds {
		for k := range builds[n].made {
			m := &builds[n].made[k]
			name := m.path
			if name == "" { // it is in no file
				name = m.entry + " for " + m.target.Title()
				if len(builds) > 1 {
					name = builds[n].source + ": " + name
				}
			}
			width = max(width, len(name))
			form := usageForm{File: name, Usage: m.usage()}
			lines := m.reportInstructions(&form)
			lines = append(lines, m.reportChecks(&form, builds[n].program.set)...)
			lines = append(lines, m.reportCalls(&form, builds[n].program.set)...)
			forms, details = append(forms, form), append(details, lines)
		}
	}
	if e.envelope != nil {
		if results, ok := e.envelope.Results.(*buildResults); ok {
			results.Usage = forms
		}
	}
	for n, f := range forms {
		lines := details[n]
		for k := range n {
			if len(lines) > 1 && slices.Equal(details[k], lines) {
				lines = []string{"the rest is as for " + forms[k].File}
				break
			}
		}
		lines = append([]string{f.Usage}, lines...)
		for k, line := range lines {
			name := ""
			if k == 0 {
				name = f.File
			}
			if _, err := fmt.Fprintf(w, "%-*s  %s\n", width, name, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// usageForm is what is reported of an artefact.
type usageForm struct {
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

// usage says what an artefact takes, or why that is not known.
func (m *artefactFile) usage() string {
	u, err := m.resources()
	switch {
	case err != nil:
		return "not known: " + err.Error()
	case u == nil:
		return unknownUsage
	}
	return u.String()
}

// resources asks once what an artefact takes; it is nil where nobody knows.
func (m *artefactFile) resources() (*codegen.Usage, error) {
	if m.target.Resources == nil {
		return nil, nil
	}
	if m.takes == nil && m.takesNot == nil {
		m.takes, m.takesNot = m.target.Resources(m.artefact, m.machine)
	}
	return m.takes, m.takesNot
}

// reportInstructions says what an artefact's code consists of.
func (m *artefactFile) reportInstructions(form *usageForm) []string {
	if u, err := m.resources(); err == nil && u != nil {
		form.Resources = &resourceForm{u.Device, countForms(u.Counts), u.Running, u.Most, u.Unit, append([]string{}, u.Limits...)}
	}
	mix := &m.report.Mix
	if m.target.Mix != nil {
		counted, err := m.target.Mix(m.artefact)
		if err != nil {
			return []string{"what the code consists of is not known: " + err.Error()}
		}
		mix = counted
	}
	form.Instructions = &instructionsForm{Of: mix.Of, Kernel: newPartForm(&mix.Kernel)}
	if mix.Kernel.Instructions == 0 {
		return []string{"no instructions in " + mix.Of}
	}
	lines := []string{fmt.Sprintf("%s of %s; %s", counted(int(mix.Kernel.Instructions), "instruction"), mix.Of, mix.Kernel.String())}
	if mix.Loop.Instructions > 0 {
		loop := newPartForm(&mix.Loop)
		form.Instructions.Loop = &loop
		lines = append(lines, fmt.Sprintf("of these %d in the innermost loop; %s", mix.Loop.Instructions, mix.Loop.String()))
	}
	return lines
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
