package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is -json: a command writes one JSON object to standard output, whether it succeeds or
// fails, and nothing else. docs/reference/output.schema.json describes the object. Commands need
// not know of -json: the text that they print becomes a member of the object. A command whose
// results have their own form calls SetResults.

// envelope is the object that -json writes.
type envelope struct {
	Gpuc    string `json:"gpuc"` // the version
	Command string `json:"command"`
	OK      bool   `json:"ok"`
	Exit    int    `json:"exit"` // the exit status
	// Errors are the errors that are not about a source.
	Errors      []string    `json:"errors,omitempty"`
	Diagnostics []diag.Form `json:"diagnostics"` // in the order in which sources were read
	// Messages are the lines that go to standard error without -json.
	Messages []string `json:"messages,omitempty"`
	// Results is an object, or null if the command failed before it had results.
	Results any `json:"results"`
}

// textResults are the results of a command that prints text.
type textResults struct {
	Text string `json:"text"`
}

// jsonFlag is the name of the flag, which takes no value.
const jsonFlag = "json"

// hasFlag reports whether a flag without a value is among the arguments.
func hasFlag(args []string, name string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "-"+name) || slices.Contains(args, "--"+name)
}

// runForJSON runs the command, writes the object, and returns the exit status.
func (e *Env) runForJSON(args []string) int {
	version, _ := Version()
	a := envelope{Gpuc: version, Command: e.command.Name, Diagnostics: []diag.Form{}}
	var stdout, stderr bytes.Buffer
	inner := *e
	inner.Stdout, inner.Stderr, inner.Terminal, inner.Colour, inner.envelope = &stdout, &stderr, false, false, &a
	a.Exit = inner.run(args)
	e.watcher = inner.watcher
	a.OK = a.Exit == ExitOK
	for line := range strings.Lines(stderr.String()) {
		a.Messages = append(a.Messages, strings.TrimRight(line, "\r\n"))
	}
	if a.Results == nil && stdout.Len() > 0 {
		a.Results = textResults{stdout.String()}
	}
	encoder := json.NewEncoder(e.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(&a); err != nil {
		fmt.Fprintf(e.Stderr, "gpuc %s: cannot write the result: %v\n", e.command.Name, err)
		return max(a.Exit, ExitDiagnostics)
	}
	return a.Exit
}

// SetResults gives the results for -json, in the form that the schema has for the command.
func (e *Env) SetResults(results any) {
	if e.envelope != nil {
		e.envelope.Results = results
	}
}

// Complain reports an error that is not about a source.
func (e *Env) Complain(err error) {
	if e.envelope != nil {
		e.envelope.Errors = append(e.envelope.Errors, err.Error())
		return
	}
	fmt.Fprintf(e.Stderr, "gpuc %s: %v\n", e.command.Name, err)
}

// Show shows diagnostics.
func (e *Env) Show(set *source.Set, items []diag.Diagnostic) error {
	if e.envelope != nil {
		e.envelope.Diagnostics = diag.AppendForms(e.envelope.Diagnostics, set, items)
		return nil
	}
	palette := new(diag.Palette)
	if e.Colour {
		palette = &diag.Coloured
	}
	return diag.WriteStyled(e.Stderr, set, items, palette)
}

// WantsJSON reports whether -json is given.
func (e *Env) WantsJSON() bool { return e.envelope != nil }
