package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/explain"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir/op"
)

var targetsCommand = cli.Command{
	Name:    "targets",
	Run:     runTargets,
	Summary: "list the targets",
	Help:    "Lists the targets that gpuc compiles to. `gpuc doc TARGET` lists what a target cannot express.",
}

func runTargets(e *cli.Env, args []string) error {
	if err := e.ParseFlags(e.NewFlags(), args); err != nil {
		return err
	}
	var results targetResults
	for _, t := range all.Targets {
		missing := 0
		for _, u := range explain.Unsupported(t) {
			missing += len(u.Ops)
		}
		fmt.Fprintf(e.Stdout, "%-7s %-11s %s", t.Name, t.Extension, t.Doc)
		if missing > 0 {
			fmt.Fprintf(e.Stdout, " (lacks %d of %d operations)", missing, op.Count-1)
		}
		fmt.Fprintln(e.Stdout)
		form := targetForm{string(t.Name), t.Extension, t.Doc, []string{}, missing}
		for _, p := range t.Profiles {
			form.Profiles = append(form.Profiles, p.Name)
		}
		results.Targets = append(results.Targets, form)
	}
	e.SetResults(results)
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

var versionCommand = cli.Command{
	Name:    "version",
	Run:     runVersion,
	Summary: "print the version",
	Help:    "Prints the version of gpuc and of the Go tool chain that built it.",
}

func runVersion(e *cli.Env, args []string) error {
	if err := e.ParseFlags(e.NewFlags(), args); err != nil {
		return err
	}
	version, revision := cli.Version()
	if revision != "" {
		revision = " " + revision
	}
	e.SetResults(versionResults{version, strings.TrimSpace(revision), runtime.Version(), runtime.GOOS, runtime.GOARCH})
	fmt.Fprintf(e.Stdout, "gpuc %s%s %s %s/%s\n", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
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
