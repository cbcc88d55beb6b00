package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/autofix"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
)

var checkCommand = cli.Command{
	Name:      "check",
	Run:       runCheck,
	Summary:   "report errors and warnings in source files, and fix them",
	Usage:     "[flags] FILE...",
	Watchable: true,
	Help: `
Checks WGSL files, all stages, without compiling them, and the kernels of Go packages. One
run reports every independent error, with its position and what was expected. If there is
no error, it warns of code that is allowed but probably not meant: unreachable code, unused
names, comparisons that are always true or false, barriers without effect, padding in
structures, literals that are not exact.

  gpuc check *.wgsl           exit status 1 if there is an error
  gpuc check -Werror *.wgsl   or a warning
  gpuc check - <a.wgsl        a source from standard input
  gpuc check -fix *.wgsl      applies the fixes that messages offer, and lists them
  gpuc check -fix -n a.wgsl   shows the fixes as a unified diff, and changes nothing; exit
                              status 1 if there are any
  gpuc check -watch *.wgsl    again whenever one of the files is written
  gpuc check ./physics        the kernels of a Go package and all that they call
  gpuc check ./...            the kernels of all Go packages in and below a folder
  go vet -vettool=$(which gpuc) ./...    the same with go vet
  gpuc doc type-mismatch      explains the code in brackets after a message

A comment silences a warning with that code: on the same line, or if it is alone on a line, on
the next one. The reason may follow the code. A comment that silences nothing is a warning.

  let old = x; // gpuc:allow unused-variable
  if u >= 0 { //gpuc:allow constant-comparison

-fix applies a fix if its message has only one. It checks again until no fix is left, and
reports what remains. All files are written, or none. Two fixes that overlap are an error. For
a Go package only its own files are changed, for a Go file only that file. Files that gofmt
has formatted stay formatted.
`,
}

func runCheck(e *cli.Env, args []string) error {
	f := e.NewFlags()
	e.ColourFlag(f)
	fatal := f.Bool("Werror", false, "treat warnings as errors")
	fix := f.Bool("fix", false, "apply the fixes that messages offer")
	dry := f.Bool("n", false, "with -fix, show the changes and write nothing")
	files, err := e.Parse(f, args)
	switch {
	case err != nil:
		return err
	case len(files) == 0:
		return usage.Errorf("want source files: gpuc check saxpy.wgsl, say")
	case *dry && !*fix:
		return usage.Errorf("-n belongs to -fix: gpuc check -fix -n %s", files[0])
	case *fix && slices.Contains(files, "-"):
		return usage.Errorf("-fix changes files, and standard input is none")
	}
	if files, err = loader.ExpandPatterns(files); err != nil {
		return err
	}
	job := checking{fatal: *fatal, fix: *fix, dry: *dry}
	for _, name := range files {
		c := job.check(e, name)
		if !*fix {
			if err := job.show(e, &c); err != nil {
				return err
			}
		}
		job.files = append(job.files, c)
	}
	if *fix {
		if err := job.finish(e); err != nil {
			return err
		}
	}
	e.SetResults(checkResults{job.files})
	if job.failed {
		return cli.ErrReported
	}
	return nil
}

// checkResults are the results of gpuc check for -json.
type checkResults struct {
	Files []checkedFile `json:"files"`
}

// checking is a run of gpuc check.
type checking struct {
	fatal, fix, dry bool
	fixer           autofix.Fixer
	files           []checkedFile
	failed          bool
}

// checkedFile is a file with what was found and fixed in it.
type checkedFile struct {
	File     string           `json:"file"`
	Errors   int              `json:"errors"`
	Warnings int              `json:"warnings"`
	Changes  []autofix.Change `json:"changes,omitempty"`

	err     error           // why it could not be checked, or nil
	program *loader.Program // with its diagnostics
	diff    string          // of the fixes
}

// check checks a file.
func (job *checking) check(e *cli.Env, name string) (c checkedFile) {
	c.File = name
	options := frontend.Options{Warn: true}
	if job.fix {
		var r *autofix.Result
		if r, c.err = job.fixer.Fix(e, name, options, job.dry); r != nil {
			c.program, c.Changes, c.diff = r.Program, r.Changes, r.Diff
		}
	} else {
		c.program, c.err = loader.Load(e, name, options)
	}
	if c.err != nil {
		c.Errors, c.Changes = 1, nil
		return c
	}
	c.program.WarnOfShortages()
	list := c.program.List
	if job.fatal {
		list.Keep(func(d *diag.Diagnostic) bool {
			if d.Severity == diag.Warning {
				d.Severity = diag.Error
			}
			return true
		})
	}
	c.Errors = list.Errors()
	for _, d := range list.Items() {
		if d.Severity == diag.Warning {
			c.Warnings++
		}
	}
	return c
}

// show reports the diagnostics of a file.
func (job *checking) show(e *cli.Env, c *checkedFile) error {
	job.failed = job.failed || c.Errors > 0
	if c.err != nil {
		e.Complain(c.err)
		return nil
	}
	if err := c.program.Report(e); err != cli.ErrReported {
		return err
	}
	return nil
}

// finish writes the fixed files, unless one could not be checked or fixed. It reports the changes,
// and the diagnostics that are left.
func (job *checking) finish(e *cli.Env) error {
	stuck := slices.ContainsFunc(job.files, func(c checkedFile) bool { return c.err != nil })
	if !job.dry && !stuck {
		if err := job.fixer.Write(); err != nil {
			return err
		}
	}
	waiting := false
	for n := range job.files {
		c := &job.files[n]
		switch {
		case stuck && c.err == nil:
			waiting = waiting || len(c.Changes) > 0
			c.Changes = nil // the file is not written
			continue
		case job.dry && len(c.Changes) > 0:
			job.failed = true
			if _, err := io.WriteString(e.Stdout, c.diff); err != nil {
				return err
			}
		default:
			for _, change := range c.Changes {
				fmt.Fprintf(e.Stdout, "%s:%d:%d: %s\n", cmp.Or(change.File, c.File), change.Line, change.Column, change)
			}
		}
		if err := job.show(e, c); err != nil {
			return err
		}
	}
	if waiting {
		return errors.New("the other files are not changed, either: fix that, or leave it out")
	}
	return nil
}
