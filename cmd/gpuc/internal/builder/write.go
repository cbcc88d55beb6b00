package builder

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/buildreport"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/hostdecl"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
)

// ReportUsage writes what is known of the artefacts of builds (-report), and adds it to the results
// for -json.
func ReportUsage(e *cli.Env, w io.Writer, builds []Build, results *Results) error {
	for n := range builds {
		for k := range builds[n].made {
			m := &builds[n].made[k]
			name := m.path
			if name == "" { // it is in no file
				name = m.Entry + " for " + m.target.Title()
				if len(builds) > 1 {
					name = builds[n].source + ": " + name
				}
			}
			results.Usage = append(results.Usage, buildreport.New(&buildreport.Artefact{File: name, Target: m.target, Artefact: m.artefact, Object: m.object, Report: m.report, Set: builds[n].Program.Set}))
		}
	}
	if results.Files != nil {
		e.SetResults(results)
	}
	return buildreport.Write(w, results.Usage)
}

// CheckOutput returns an error if -o cannot take the files of builds.
func CheckOutput(builds []Build, o *Options, output string) error {
	count := 0
	for n := range builds {
		if count += len(builds[n].Entries) * len(o.Targets); o.AllTargets {
			count += 2 // the manifest and the header
		}
	}
	switch {
	case count <= 1:
		return nil
	case output == "-":
		return usage.Errorf("%d files are to be written, and standard output takes one; choose an entry point with -entry, and one target", count)
	case output != "" && !namesFolder(output):
		return usage.Errorf("%d files are to be written, so -o must name a folder: -o %s/", count, output)
	}
	return nil
}

// WriteCode writes the code of builds, and nothing else.
func WriteCode(w io.Writer, builds []Build) error {
	for n := range builds {
		for k := range builds[n].made {
			if _, err := w.Write(builds[n].made[k].data); err != nil {
				return err
			}
		}
	}
	return nil
}

// folderName returns the name of a folder, also of ".".
func folderName(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return filepath.Base(path)
}

// namesFolder reports whether -o names a folder.
func namesFolder(output string) bool {
	return strings.HasSuffix(output, "/") || strings.HasSuffix(output, string(filepath.Separator))
}

// writer writes the files of builds.
type writer struct {
	*Options
	file    string // the only file, or ""
	several bool   // several sources
	files   outfile.Plan
	lines   []string // that list the files
}

// Write writes the files of builds, all or none, and lists them on standard output.
func Write(e *cli.Env, builds []Build, o *Options, output string) ([]outfile.Written, error) {
	w := &writer{Options: o, several: len(builds) > 1}
	folder := ""
	if namesFolder(output) {
		folder = output
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, fmt.Errorf("cannot make the folder %s: %w", folder, err)
		}
	} else {
		w.file = output
	}
	for n := range builds {
		w.files.Reads(builds[n].source, "the source")
	}
	plan := w.plan
	if w.AllTargets {
		plan = w.planAll
	}
	for n := range builds {
		if err := plan(&builds[n], folder); err != nil {
			return nil, err
		}
	}
	if err := w.files.Commit(); err != nil {
		return nil, err
	}
	for _, line := range w.lines {
		fmt.Fprintln(e.Stdout, line)
	}
	for n := range builds {
		for k := range builds[n].made {
			if m := &builds[n].made[k]; m.tool != "" {
				fmt.Fprintf(e.Stderr, "gpuc build: %s; %s is %s\n", m.tool, m.file, objectText)
			}
		}
	}
	return w.files.Written(), nil
}

// Results are the results for -json of a command that writes files.
type Results struct {
	Files []outfile.Written     `json:"files"`
	Usage []*buildreport.Report `json:"usage,omitempty"` // with -report
}

// add plans a file with its contents, and a line that lists it.
func (w *writer) add(path, use string, kind outfile.Kind, data []byte, line string) error {
	f, err := w.files.Add(path, use, kind)
	if err != nil {
		return err
	}
	f.Contents, w.lines = data, append(w.lines, path+"  "+line)
	return nil
}

// Location returns the folder for the files of a build, and how their names begin. The folder is
// that of the source if "" is given.
func (b *Build) Location(folder string) (in, base string) {
	in = filepath.Dir(b.source)
	base = strings.TrimSuffix(filepath.Base(b.source), filepath.Ext(b.source))
	if info, err := os.Stat(b.source); err == nil && info.IsDir() {
		in, base = b.source, folderName(b.source)
	}
	if b.source == "-" {
		base = "kernel"
	}
	if folder != "" {
		in = folder
	}
	return in, base
}

// stem returns how the names of an entry point's files begin.
func (b *Build) stem(base, entry string) string {
	if len(b.Entries) > 1 {
		return base + "." + entry
	}
	return base
}

// tensorSuffix is before the extension of the variant with tensor maps.
const tensorSuffix = ".tensor"

// plan plans the files of a build, in a folder or beside the source.
func (w *writer) plan(b *Build, folder string) error {
	folder, base := b.Location(folder)
	for n := range b.made {
		m := &b.made[n]
		stem := filepath.Join(folder, b.stem(base, m.Entry))
		path := stem + m.extension
		if w.file != "" {
			path = w.file
			stem = strings.TrimSuffix(path, filepath.Ext(path))
			if err := CheckExtension(path, m.extension, m.what); err != nil {
				return err
			}
		}
		m.path, m.file = path, filepath.Base(path)
		use := m.what
		if w.several {
			use += " of " + b.source
		}
		if err := w.add(path, use, CodeFile, m.data, fmt.Sprintf("%d bytes, entry point %s", len(m.data), m.Entry)); err != nil {
			return err
		}
		if w.Assembly || w.file != "" && w.files.Files[0].Direct { // code alone goes to a pipe
			continue
		}
		if !m.first {
			stem = path
		}
		d := m.target.Describe(m.artefact, m.file, m.data, codegen.Overrides(b.Program.Module, m.Entry, w.Settings))
		d.Gpuc = cli.Release()
		if v := m.artefact.Tensor; v != nil {
			file := stem + tensorSuffix + m.extension
			if err := w.add(file, "the variant of "+path+" with tensor maps", CodeFile, v.Artefact.Code, fmt.Sprintf("%d bytes, with tensor maps", len(v.Artefact.Code))); err != nil {
				return err
			}
			d.Tensor = v.Describe(filepath.Base(file))
		}
		description, err := d.Marshal()
		if err != nil {
			return err
		}
		if err := w.add(stem+".json", "the description of "+path, descriptionFile, append(description, '\n'), "the description"); err != nil {
			return err
		}
	}
	if !w.Header {
		return nil
	}
	if w.file != "" {
		folder, base = filepath.Dir(w.file), strings.TrimSuffix(filepath.Base(w.file), filepath.Ext(w.file))
	}
	text := hostdecl.CHeader(b.Program.Module, b.manifest(w.Options), base, "the descriptions beside the code")
	return w.add(filepath.Join(folder, base+headerExtension), "the header of "+b.source, headerFile, text, headerLine)
}

// The extensions of the files beside the code.
const (
	ManifestExtension = ".manifest.json"
	headerExtension   = ".h"
)

// headerLine lists a header.
const headerLine = "structures and constants for C"

// planAll plans the files of a build for all targets.
func (w *writer) planAll(b *Build, folder string) error {
	folder, base := b.Location(folder)
	of := ""
	if w.several {
		of = " of " + b.source
	}
	for n := range b.made {
		m := &b.made[n]
		m.file = b.stem(base, m.Entry) + m.extension
		m.path = filepath.Join(folder, m.file)
		line := fmt.Sprintf("%d bytes, entry point %s", len(m.data), m.Entry)
		if err := w.add(m.path, m.what+of, CodeFile, m.data, line); err != nil {
			return err
		}
	}
	manifest := b.manifest(w.Options)
	manifest.Header = base + headerExtension
	text, err := manifest.Marshal()
	if err != nil {
		return err
	}
	err = w.add(filepath.Join(folder, base+ManifestExtension), "the manifest"+of, manifestFile, append(text, '\n'), "the manifest")
	if err != nil {
		return err
	}
	return w.add(filepath.Join(folder, manifest.Header), "the header"+of, headerFile, hostdecl.CHeader(b.Program.Module, manifest, base, base+ManifestExtension), headerLine)
}
