package main

import (
	"fmt"
	"io"
)

// This file is `gpuc build -report`: what each artefact takes of a device and how much of it runs at once. It is known where a tool makes
// machine code here. Where that is not made before a device loads the code, a line says so.

// unknownUsage is said of code that no tool here makes machine code of.
const unknownUsage = "not known: no machine code is made before a device loads it"

// reportUsage shows what was built, a line for each artefact.
func reportUsage(e *environment, w io.Writer, builds []sourceBuild) error {
	var lines []usageForm
	width := 0
	for n := range builds {
		for k := range builds[n].made {
			m := &builds[n].made[k]
			name := m.path
			if name == "" { // it went to standard output
				name = m.entry + " for " + m.target.Title()
			}
			width = max(width, len(name))
			lines = append(lines, usageForm{name, m.usage()})
		}
	}
	if e.envelope != nil {
		if results, ok := e.envelope.Results.(*buildResults); ok {
			results.Usage = lines
		}
	}
	for _, l := range lines {
		if _, err := fmt.Fprintf(w, "%-*s  %s\n", width, l.File, l.Usage); err != nil {
			return err
		}
	}
	return nil
}

// usageForm is what an artefact takes.
type usageForm struct {
	File  string `json:"file"` // or the kernel, where it goes to standard output
	Usage string `json:"usage"`
}

// usage says what an artefact takes, or why that is not known.
func (m *artefactFile) usage() string {
	if m.target.Resources == nil {
		return unknownUsage
	}
	u, err := m.target.Resources(m.artefact, m.machine)
	if err != nil {
		return "not known: " + err.Error()
	}
	return u.String()
}
