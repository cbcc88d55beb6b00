package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir/op"
)

var targetsCommand = command{
	name:    "targets",
	run:     runTargets,
	summary: "list the targets",
	help:    "Lists what gpuc compiles to. `gpuc doc TARGET` says what a target cannot express.",
}

func runTargets(e *environment, args []string) error {
	if err := e.parseFlags(e.newFlags(), args); err != nil {
		return err
	}
	var results targetResults
	for _, t := range all.Targets {
		missing := 0
		for _, u := range unsupportedOps(t) {
			missing += len(u.ops)
		}
		fmt.Fprintf(e.stdout, "%-7s %-11s %s", t.Name, t.Extension, t.Doc)
		if missing > 0 {
			fmt.Fprintf(e.stdout, " (lacks %d of %d operations)", missing, op.Count-1)
		}
		fmt.Fprintln(e.stdout)
		form := targetForm{string(t.Name), t.Extension, t.Doc, []string{}, missing}
		for _, p := range t.Profiles {
			form.Profiles = append(form.Profiles, p.Name)
		}
		results.Targets = append(results.Targets, form)
	}
	e.answerWith(results)
	return nil
}

// targetResults are the results of gpuc targets for -json.
type targetResults struct {
	Targets []targetForm `json:"targets"`
}

type targetForm struct {
	Name      string   `json:"name"`
	Extension string   `json:"extension"`
	Doc       string   `json:"doc"`
	Profiles  []string `json:"profiles"`
	Lacks     int      `json:"lacks"` // operations
}

var versionCommand = command{
	name:    "version",
	run:     runVersion,
	summary: "print the version",
	help:    "Prints the version of gpuc and of the Go tool chain that built it.",
}

func runVersion(e *environment, args []string) error {
	if err := e.parseFlags(e.newFlags(), args); err != nil {
		return err
	}
	version, revision := builtFrom()
	if revision != "" {
		revision = " " + revision
	}
	e.answerWith(versionResults{version, strings.TrimSpace(revision), runtime.Version(), runtime.GOOS, runtime.GOARCH})
	fmt.Fprintf(e.stdout, "gpuc %s%s %s %s/%s\n", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// versionResults are the results of gpuc version for -json.
type versionResults struct {
	Version      string `json:"version"`
	Revision     string `json:"revision,omitempty"`
	Go           string `json:"go"`
	System       string `json:"system"`
	Architecture string `json:"architecture"`
}

// builtFrom returns the version of the module that the command was built from, and the revision if
// it was built in a working copy.
func builtFrom() (version, revision string) {
	version = development
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	return version, revision
}

// development is the version of a command that was not built from a release.
const development = "(devel)"

// release returns the version if it is one that others can ask for, and development if not.
func release() string {
	if version, revision := builtFrom(); revision == "" {
		return version
	}
	return development
}
