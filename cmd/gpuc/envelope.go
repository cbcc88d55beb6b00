package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is -json, which all commands but serve have: one JSON object on standard output,
// whether the command succeeds or fails, and nothing else there or on standard error.
// docs/reference/output.schema.json describes it, and TestEnvelopes holds all commands against
// that.
//
// Commands need not know of it. What they write is kept and becomes a member of the object;
// where a form of its own says more than the text, they leave it with answerWith.

// envelope is what a command with -json writes.
type envelope struct {
	Gpuc    string `json:"gpuc"` // the version
	Command string `json:"command"`
	OK      bool   `json:"ok"`
	Exit    int    `json:"exit"` // the exit status
	// Errors are what is wrong where no source is to blame.
	Errors      []string    `json:"errors,omitempty"`
	Diagnostics []diag.Form `json:"diagnostics"` // in the order in which sources were read
	// Messages are lines that are shown on standard error else.
	Messages []string `json:"messages,omitempty"`
	// Results are those of the command: an object, or null where it failed before there were any.
	Results any `json:"results"`
}

// textResults are the results of commands whose answer is text.
type textResults struct {
	Text string `json:"text"`
}

// jsonFlag is the flag, which stands for itself: it has no value.
const jsonFlag = "json"

// asksForJSON reports whether -json is among arguments, even where others are wrong.
func asksForJSON(args []string) bool { return hasFlag(args, jsonFlag) }

// hasFlag reports whether a flag without a value is among arguments.
func hasFlag(args []string, name string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "-"+name) || slices.Contains(args, "--"+name)
}

// answer runs a command and writes the object.
func (c *command) answer(e *environment, args []string) int {
	version, _ := builtFrom()
	a := envelope{Gpuc: version, Command: c.name, Diagnostics: []diag.Form{}}
	var stdout, stderr bytes.Buffer
	inner := *e
	inner.stdout, inner.stderr, inner.terminal, inner.colour, inner.envelope = &stdout, &stderr, false, false, &a
	a.Exit = c.finish(&inner, args)
	e.watched, e.unwatchable = inner.watched, inner.unwatchable
	a.OK = a.Exit == exitOK
	for line := range strings.Lines(stderr.String()) {
		a.Messages = append(a.Messages, strings.TrimRight(line, "\r\n"))
	}
	if a.Results == nil && stdout.Len() > 0 {
		a.Results = textResults{stdout.String()}
	}
	encoder := json.NewEncoder(e.stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(&a); err != nil {
		fmt.Fprintf(e.stderr, "gpuc %s: cannot write the result: %v\n", c.name, err)
		return max(a.Exit, exitDiagnostics)
	}
	return a.Exit
}

// answerWith gives the results that -json writes in the place of text.
func (e *environment) answerWith(results any) {
	if e.envelope != nil {
		e.envelope.Results = results
	}
}

// complain says what is wrong where no source is to blame.
func (e *environment) complain(c *command, err error) {
	if e.envelope != nil {
		e.envelope.Errors = append(e.envelope.Errors, err.Error())
		return
	}
	fmt.Fprintf(e.stderr, "gpuc %s: %v\n", c.name, err)
}

// show shows diagnostics.
func (e *environment) show(set *source.Set, items []diag.Diagnostic) error {
	if e.envelope != nil {
		e.envelope.Diagnostics = diag.AppendForms(e.envelope.Diagnostics, set, items)
		return nil
	}
	return diag.WriteStyled(e.stderr, set, items, e.palette())
}
