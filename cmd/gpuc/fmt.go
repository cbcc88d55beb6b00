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

	"github.com/gpuc/gpuc/frontend/wgsl/format"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file is gpuc fmt, which has the flags of gofmt. Only what it answers to -l and -d is
// another: by its exit code, so that a check in a build needs no shell around it.

var fmtCommand = command{
	name:    "fmt",
	summary: "give WGSL files the one style",
	usage:   "[-l] [-d] [-w] [FILE...]",
	help: `
Formats WGSL: blankspace changes, and nothing else. There is one style and no options
for it (docs/guide/editors.md). What does not parse is reported and left alone.

  gpuc fmt a.wgsl             the formatted text on standard output
  gpuc fmt -w a.wgsl shaders  files, and all *.wgsl in folders, where they are
  gpuc fmt -l .               names those that are not formatted; exit code 1 if there are any
  gpuc fmt -d .               shows what would change, for people and patch
  gpuc fmt <a.wgsl            a source from standard input, as - is, for editors

Files that are formatted already are not written. Folders and files that begin with a dot
are passed by, unless they are named.
`,
}

func init() { fmtCommand.run = runFmt }

// wgslFile is a source, which gpuc fmt writes over when it has read it.
var wgslFile = fileKind{}

// formatting is what gpuc fmt is to do with each file.
type formatting struct {
	list, diff, write bool
	differs           bool // a file is not formatted, and stays so
	results           []formattedFile
}

// formattedFile is a file that could be formatted, for -json.
type formattedFile struct {
	File      string `json:"file"`
	Formatted bool   `json:"formatted"` // it was, before
	Written   bool   `json:"written"`
	// the formatted text, where it would go to standard output
	Text string `json:"text,omitempty"`
	Diff string `json:"diff,omitempty"` // with -d
}

// fmtResults are the results of gpuc fmt for -json.
type fmtResults struct {
	Files []formattedFile `json:"files"`
}

func runFmt(e *environment, args []string) error {
	f := fmtCommand.newFlags()
	e.colourFlag(f)
	var job formatting
	f.BoolVar(&job.list, "l", false, "list the files that are not formatted")
	f.BoolVar(&job.diff, "d", false, "show what formatting changes, as a unified diff")
	f.BoolVar(&job.write, "w", false, "write files that are not formatted, instead of standard output")
	names, err := fmtCommand.parse(e, f, args)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	if job.write && slices.Contains(names, "-") {
		return usagef("-w writes files, and standard input is none")
	}
	failed := false
	report := func(err error) {
		if err != nil && err != errReported {
			e.complain(&fmtCommand, err)
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
	e.answerWith(fmtResults{append([]formattedFile{}, job.results...)})
	if failed || job.differs {
		return errReported
	}
	return nil
}

// wgslFiles returns the file of a name, or the WGSL files in a folder and those in it.
func wgslFiles(name string) ([]string, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, nil // who reads it says why it cannot
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

// format formats a file and does with it what the flags say.
func (job *formatting) format(e *environment, name string) error {
	text, err := e.readInput(name)
	if err != nil {
		return err
	}
	shown := name
	if name == "-" {
		shown = "stdin.wgsl"
	}
	p := program{set: new(source.Set), list: new(diag.List)}
	file, err := p.set.Add(shown, text)
	if err != nil {
		return err
	}
	formatted, ok := format.Source(file, p.list)
	if !ok {
		return p.report(e)
	}
	job.results = append(job.results, formattedFile{File: shown, Formatted: formatted == text})
	result := &job.results[len(job.results)-1]
	if !job.list && !job.diff && !job.write {
		result.Text = formatted
		_, err := io.WriteString(e.stdout, formatted)
		return err
	}
	if formatted == text {
		return nil
	}
	if job.list {
		fmt.Fprintln(e.stdout, shown)
	}
	if job.diff {
		result.Diff = fmt.Sprintf("--- %s.orig\n+++ %s\n%s", shown, shown, unifiedDiff(text, formatted))
		fmt.Fprint(e.stdout, result.Diff)
	}
	if !job.write {
		job.differs = true
		return nil
	}
	var o outputs
	to, err := o.plan(name, "the formatted source", wgslFile)
	if err != nil {
		return err
	}
	if to.direct {
		return fmt.Errorf("cannot write %s: it is no regular file", name)
	}
	err = to.write([]byte(formatted))
	result.Written = err == nil
	return err
}
