package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/textdiff"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/frontend/wgsl/format"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

var fmtCommand = cli.Command{
	Name:    "fmt",
	Run:     runFmt,
	Summary: "format WGSL files",
	Usage:   "[-l] [-d] [-w] [FILE...]",
	Help: `
Formats WGSL. Only white space changes. There is one style, without options
(docs/guide/editors.md). A file with syntax errors is reported and not changed.

  gpuc fmt a.wgsl             writes the formatted text to standard output
  gpuc fmt -w a.wgsl shaders  formats files, and all *.wgsl in folders, in place
  gpuc fmt -l .               lists files that are not formatted; exit status 1 if there are any
  gpuc fmt -d .               shows the changes as a unified diff
  gpuc fmt <a.wgsl            formats standard input, as - does, for editors

Files that are formatted already are not written. Folders and files that begin with a dot
are skipped, unless they are named.
`,
}

// formatting is a run of gpuc fmt.
type formatting struct {
	list, diff, write bool
	differs           bool // a file is not formatted and was not written
	results           []formattedFile
}

// formattedFile is a file without syntax errors, for -json.
type formattedFile struct {
	File      string `json:"file"`
	Formatted bool   `json:"formatted"` // before
	Written   bool   `json:"written"`
	Text      string `json:"text,omitempty"` // the formatted text, without -l, -d and -w
	Diff      string `json:"diff,omitempty"` // with -d
}

// fmtResults are the results of gpuc fmt for -json.
type fmtResults struct {
	Files []formattedFile `json:"files"`
}

func runFmt(e *cli.Env, args []string) error {
	f := e.NewFlags()
	e.ColourFlag(f)
	var job formatting
	f.BoolVar(&job.list, "l", false, "list the files that are not formatted")
	f.BoolVar(&job.diff, "d", false, "show what formatting changes, as a unified diff")
	f.BoolVar(&job.write, "w", false, "write files that are not formatted, instead of standard output")
	names, err := e.Parse(f, args)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	if job.write && slices.Contains(names, "-") {
		return usage.Errorf("-w writes files, and standard input is none")
	}
	failed := false
	report := func(err error) {
		if err != nil && err != cli.ErrReported {
			e.Complain(err)
		}
		failed = failed || err != nil
	}
	for _, name := range names {
		paths, err := wgslFiles(name)
		report(err)
		for _, path := range paths {
			report(job.format(e, path))
		}
	}
	e.SetResults(fmtResults{append([]formattedFile{}, job.results...)})
	if failed || job.differs {
		return cli.ErrReported
	}
	return nil
}

// wgslFiles returns a file, or the WGSL files in and below a folder.
func wgslFiles(name string) ([]string, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, nil // if it does not exist, reading fails
	}
	var paths []string
	err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != name && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return filepath.SkipDir
			}
		case entry.Type().IsRegular() && filepath.Ext(path) == ".wgsl":
			paths = append(paths, path)
		}
		return nil
	})
	var at *fs.PathError
	if errors.As(err, &at) {
		err = fmt.Errorf("cannot read %s: %w", at.Path, at.Err)
	}
	return paths, err
}

// format formats a file as the flags say.
func (job *formatting) format(e *cli.Env, name string) error {
	text, err := e.ReadInput(name)
	if err != nil {
		return err
	}
	shown := name
	if name == "-" {
		shown = "stdin.wgsl"
	}
	p := loader.Program{Set: new(source.Set), List: new(diag.List)}
	file, err := p.Set.Add(shown, text)
	if err != nil {
		return err
	}
	formatted, ok := format.Source(file, p.List)
	if !ok {
		return p.Report(e)
	}
	job.results = append(job.results, formattedFile{File: shown, Formatted: formatted == text})
	result := &job.results[len(job.results)-1]
	if !job.list && !job.diff && !job.write {
		result.Text = formatted
		_, err := io.WriteString(e.Stdout, formatted)
		return err
	}
	if formatted == text {
		return nil
	}
	if job.list {
		fmt.Fprintln(e.Stdout, shown)
	}
	if job.diff {
		result.Diff = fmt.Sprintf("--- %s.orig\n+++ %s\n%s", shown, shown, textdiff.Unified(text, formatted))
		fmt.Fprint(e.Stdout, result.Diff)
	}
	if !job.write {
		job.differs = true
		return nil
	}
	var o outfile.Plan
	to, err := o.AddRegular(name, "the formatted source", outfile.Kind{})
	if err != nil {
		return err
	}
	err = to.Write([]byte(formatted))
	result.Written = err == nil
	return err
}
