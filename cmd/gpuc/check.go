package main

import (
	"fmt"

	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
)

var checkCommand = command{
	name:    "check",
	summary: "report what is wrong with source files",
	usage:   "[-json] FILE...",
	help: `
Checks WGSL files, all stages, without compiling them. Every mistake that stands
for itself is reported in one run, with its place and what was expected.

  gpuc check *.wgsl           exit code 1 if there is an error
  gpuc check - <a.wgsl        a source from standard input
  gpuc check ./physics        the kernels of a Go package and all that they call
  go vet -vettool=$(which gpuc) ./...    the kernels of all Go packages, by go vet
  gpuc check -json a.wgsl     one JSON object a diagnostic, for tools
  gpuc doc type-mismatch      explains the code in brackets behind a message

With -json, standard output has one object a line, in source order:

  {"severity":"error", "code":"type-mismatch", "message":"…",
   "place":{"file":"a.wgsl", "line":3, "column":7, "endLine":3, "endColumn":9,
            "offset":40, "endOffset":42},
   "label":"…", "notes":[{"message":"…", "place":{…}}],
   "fixes":[{"message":"…", "place":{…}, "text":"…"}]}

severity is error, warning or info; code is one of docs/diagnostics.md. Lines and
columns count from 1, columns in code points; offsets count bytes from 0, and an end
lies behind the last byte. A fix replaces its place by text. label, notes and fixes
are left out where empty, place where there is none. Names and meanings of fields
stay; more fields may come. At most 100 diagnostics of a file are kept.
`,
}

func init() { checkCommand.run = runCheck }

func runCheck(e *environment, args []string) error {
	f := checkCommand.newFlags()
	e.colourFlag(f)
	asJSON := f.Bool("json", false, "write one JSON object a diagnostic to standard output")
	files, err := checkCommand.parse(e, f, args)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return usagef("want source files")
	}
	failed := false
	for _, name := range files {
		p, err := e.load(name, frontend.Options{Warn: true})
		if err != nil {
			fmt.Fprintf(e.stderr, "gpuc check: %v\n", err)
			failed = true
			continue
		}
		failed = failed || p.list.Errors() > 0
		if *asJSON {
			if err := diag.WriteJSON(e.stdout, p.set, p.list.Items()); err != nil {
				return err
			}
		} else if err := p.report(e); err != nil && err != errReported {
			return err
		}
	}
	if failed {
		return errReported
	}
	return nil
}
