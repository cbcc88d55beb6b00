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
	Summary:   "report what is wrong with source files, and mend it",
	Usage:     "[flags] FILE...",
	Watchable: true,
	Help: `
Checks WGSL files, all stages, without compiling them, and the kernels of Go packages.
Every mistake that stands for itself is reported in one run, with its place and what was
expected. If there is none, it warns of what is allowed and hardly meant: code that nothing
reaches, what nothing uses, comparisons with one outcome, barriers that order nothing, memory
that structures leave empty, numbers that are not what was written.

  gpuc check *.wgsl           exit code 1 if there is an error
  gpuc check -Werror *.wgsl   or a warning
  gpuc check - <a.wgsl        a source from standard input
  gpuc check -fix *.wgsl      makes the changes that messages offer as a fix, and lists them
  gpuc check -fix -n a.wgsl   shows them as a unified diff, and changes nothing; exit code 1
                              if there are any
  gpuc check -watch *.wgsl    again whenever one of them is written
  gpuc check ./physics        the kernels of a Go package and all that they call
  gpuc check ./...            those of all Go packages in a folder and below it
  go vet -vettool=$(which gpuc) ./...    the kernels of all Go packages, by go vet
  gpuc doc type-mismatch      explains the code in brackets behind a message

A comment silences a warning with that code, on its line or, alone on a line, on the next
one. What stands behind the code is the reason. A comment that silences nothing is warned of.

  let old = x; // gpuc:allow unused-variable
  if u >= 0 { //gpuc:allow constant-comparison

-fix makes a change where a message offers one and not several to choose from. It checks
again until there is nothing left to make; what is reported then is what is left. All files
are written or, if anything about that is wrong, none. Two changes of one place are an error.
Of a Go package its own files are mended, and stay as gofmt has them; of a Go file that alone.
`,
}

func runCheck(e *cli.Env, args []string) error {
	f := e.NewFlags()
	e.ColourFlag(f)
	fatal := f.Bool("Werror", false, "take warnings for errors")
	fix := f.Bool("fix", false, "change files as messages offer, where there is one way")
	dry := f.Bool("n", false, "with -fix, show what would change and change nothing")
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

// checkResults are the results for -json.
type checkResults struct {
	Files []checkedFile `json:"files"`
}

// checking is what gpuc check does on a command line.
type checking struct {
	fatal, fix, dry bool
	fixer           autofix.Fixer
	files           []checkedFile
	failed          bool
}

// checkedFile is a file and what became of it.
type checkedFile struct {
	File     string           `json:"file"`
	Errors   int              `json:"errors"`
	Warnings int              `json:"warnings"`
	Changes  []autofix.Change `json:"changes,omitempty"`

	err     error           // that it could not be checked
	program *loader.Program // or its diagnostics
	diff    string          // what -fix changes
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

// show reports what was found in a file.
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

// finish writes what -fix has changed, unless a file could not be read or mended, and reports
// what it was and what is left.
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
			c.Changes = nil // and what would be left is not there
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
		return errors.New("the other files are left as they are, too: mend that, or leave it out")
	}
	return nil
}
