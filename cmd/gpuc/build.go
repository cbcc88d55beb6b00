package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

var buildCommand = command{
	name:      "build",
	summary:   "compile a kernel for a target, or for all of them",
	usage:     "[flags] FILE...",
	watchable: true,
	help: `
Compiles the compute entry points of WGSL files. For each entry point and target
it writes the code and, beside it, a .json description with all that a runtime needs to launch
it: the file and its SHA-256, values of overrides, workgroup size, memory, buffers ("bindings")
with the offsets and sizes of what their structures hold ("structs"), textures and samplers
("handles"), parameters, features of Vulkan. docs/guide/artefacts-and-loading.md has programs that load both.
All files are written or none. A build replaces what a build has written; a file that
gpuc did not make stays, and so does the source.

A target that cannot express a kernel is an error, and nothing is written. With -target all
it is a warning, and its reason stands in the manifest: the other targets are written, and
the exit status is 0 as long as each kernel has one.

  gpuc build saxpy.wgsl                          saxpy.spv and saxpy.json
  gpuc build -target spirv,ptx saxpy.wgsl        saxpy.spv and saxpy.json, and
                                                 saxpy.ptx and saxpy.ptx.json
  gpuc build -target ptx:sm_90 saxpy.wgsl        for devices of compute capability 9.0
                                                 and above; gpuc doc ptx lists profiles
  gpuc build -target amdgpu:gfx1100 saxpy.wgsl   a code object for this processor, by clang-19, or
                                                 llc-19 and ld.lld-19; -S writes the LLVM IR
  gpuc build -target amdgpu:gfx942 -direct saxpy.wgsl
                                                 the same by gpuc alone, of slower code. It lacks
                                                 calls that are not inlined and atomic sums of floats
  gpuc build -strip saxpy.wgsl                   without lines and names of the source; -g=false leaves
                                                 out the lines alone
  gpuc build -lang c saxpy.wgsl                  and saxpy.h, for hosts in C and C++: constants, and
                                                 structures whose offsets are asserted
  gpuc build -target all -o out/ saxpy.wgsl      the code of every target, saxpy.manifest.json with
                                                 all descriptions, and saxpy.h for hosts in C
  gpuc build -target all,ptx:sm_90 saxpy.wgsl    likewise, with a profile for one of them
  gpuc build -target spirv -S saxpy.wgsl         readable assembly on standard output
  gpuc build -target cpu -S saxpy.wgsl           the machine code that the CPU device makes, for
                                                 x86-64, with the lines of the source, or why none
  gpuc build -D tile=32 -o out/ matmul.wgsl      with an override set, into a folder
  gpuc build -entry blur -o blur.spv image.wgsl  one of several entry points
  gpuc build -target ptx:sm_90 -report saxpy.wgsl
                                                 registers, by ptxas if it is on the PATH, and how
                                                 many warps run at once; for amdgpu, by LLVM, waves.
                                                 Instructions by class and accesses by width, of the
                                                 machine code if nvdisasm is there too, and accesses
                                                 that are not proved to be in bounds, and why. It
                                                 writes no files; with -o it does
  gpuc build -o - saxpy.wgsl | spirv-dis         the code of one, to standard output
  gpuc build -target ptx -o - - <saxpy.wgsl      a source from standard input
  gpuc build -o out/ *.wgsl                      several files
  gpuc build -watch saxpy.wgsl                   again whenever it is written
  gpuc build ./physics                           the kernels of a Go package, into its folder
  gpuc build -target ptx -dump after:addresses saxpy.wgsl
                                                 and the IR at that point, to standard error
  gpuc build -target ptx -dump after:flat saxpy.wgsl
                                                 and the machine level that PTX is printed from
`,
}

func init() { buildCommand.run = runBuild }

func runBuild(e *environment, args []string) error {
	var c compileFlags
	f := buildCommand.newFlags()
	c.register(e, f)
	targets := f.String("target", "spirv", "comma-separated `targets`, each with a profile if wanted (ptx:sm_90), or all; gpuc targets lists them")
	assembly := f.Bool("S", false, "write readable assembly, by default to standard output")
	dump := f.String("dump", "", "`after:PASS` or after:all prints the IR at that point to standard error")
	lines := f.Bool("g", true, "keep lines and the names of values of the source in the code; gpuc doc TARGET says what of them there is")
	strip := f.Bool("strip", false, "leave all names of the source but the entry point's out of the code; the description has them")
	direct := f.Bool("direct", false, "of amdgpu:gfx942 make machine code without LLVM; kernels that it cannot express yet are refused")
	report := f.Bool("report", false, "show of each kernel registers, memory and how much runs at once, what its code consists of, and which indices it keeps in bounds, and why; files are written with -o, -S or -lang alone")
	lang := f.String("lang", "", "write a header for hosts in a `language`, which is c; gpuc layout -lang declares structures for others")
	output := f.String("o", "", "output `path`: a file, or a folder if it ends in / or several files are written")
	sources, err := buildCommand.parse(e, f, args)
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		return usagef("want a source file: gpuc build saxpy.wgsl, say")
	}
	chosen, everything, err := buildTargets(*targets)
	if err != nil {
		return err
	}
	if *direct {
		if err := chooseDirect(chosen); err != nil {
			return err
		}
	}
	options, err := c.options()
	if err != nil {
		return err
	}
	options.Lines, options.Strip = *lines && !*strip, *strip
	options.Context = &opt.Context{Dump: e.stderr}
	if options.Context.DumpAfter, err = dumpAfter(*dump, func() []string { return stagesOf(chosen) }); err != nil {
		return err
	}
	withHeader, err := wantsHeader(*lang, *output == "-" || *assembly && *output == "" && !everything)
	if err != nil {
		return err
	}
	if e.envelope != nil && *output == "-" {
		return usagef("-json writes to standard output, and so does -o -; name a file, or leave one of them out")
	}
	defer paceCollector(sources)()
	builds, err := e.startBuilds(sources, &c, &options)
	if err != nil {
		return err
	}
	if err := fits(builds, chosen, everything, *output); err != nil { // said before all is compiled
		return err
	}
	failed := false
	for n := range builds {
		b := &builds[n]
		if err := b.compile(chosen, everything, &options, *assembly, *report); err != nil {
			return err
		}
		if err := b.program.report(e); err == errReported {
			failed = true
		} else if err != nil {
			return err
		}
	}
	if failed {
		return errReported // nothing is written unless everything compiled
	}
	for n := range builds {
		if err := builds[n].makeObjects(chosen, everything); err != nil {
			return err
		}
	}
	reportTo := e.stdout
	if *report && *output == "" && !*assembly && !withHeader { // nothing else was asked for
		e.answerWith(&buildResults{Files: []writtenFile{}})
		return reportUsage(e, reportTo, builds)
	}
	if *output == "-" || *assembly && *output == "" && !everything {
		reportTo = e.stderr // standard output has the code
		err = writeCode(e.stdout, builds)
	} else {
		w := artefactWriter{assembly: *assembly, several: len(builds) > 1, everything: everything, header: withHeader, options: buildOptions{&c, chosen}}
		err = w.write(e, builds, *output)
	}
	if err != nil || !*report {
		return err
	}
	return reportUsage(e, reportTo, builds)
}

// wantsHeader reports whether -lang asks for a header, which takes files to stand beside.
func wantsHeader(lang string, toStdout bool) (bool, error) {
	switch {
	case lang == "":
		return false, nil
	case lang != languageC.name:
		return false, usagef("-lang is c, not `%s`; gpuc layout -lang declares structures for %s", lang, languageNames())
	case toStdout:
		return false, usagef("-lang writes a header beside the code, which goes to standard output; name a file or a folder with -o")
	}
	return true, nil
}

// fits reports whether -o can take the files of builds.
func fits(builds []sourceBuild, chosen []*codegen.Target, everything bool, output string) error {
	count := 0
	for n := range builds {
		if count += len(builds[n].entries) * len(chosen); everything {
			count += 2 // the manifest and the header
		}
	}
	switch {
	case count <= 1: // anything will do
		return nil
	case output == "-":
		return usagef("%d files are to be written, and standard output takes one; choose an entry point with -entry, and one target", count)
	case output != "" && !namesFolder(output):
		return usagef("%d files are to be written, so -o must name a folder: -o %s/", count, output)
	}
	return nil
}

// writeCode writes the code of builds, one behind the other and nothing else.
func writeCode(w io.Writer, builds []sourceBuild) error {
	for n := range builds {
		for k := range builds[n].made {
			if _, err := w.Write(builds[n].made[k].data); err != nil {
				return err
			}
		}
	}
	return nil
}

// sourceBuild is what becomes of one source.
type sourceBuild struct {
	source   string
	program  *program
	entries  []string // that are compiled
	made     []artefactFile
	refusals []refusal // with all targets
}

// startBuilds loads sources and finds their entry points. What is wrong with any of them is
// reported.
func (e *environment) startBuilds(sources []string, c *compileFlags, options *codegen.Options) ([]sourceBuild, error) {
	builds := make([]sourceBuild, 0, len(sources))
	failed := false
	for _, source := range sources {
		p, err := e.loadReported(source, options.Math)
		if err == nil {
			err = c.settings.fit(p)
		}
		var entries []string
		if err == nil {
			if entries, err = entryNames(p, c.entry); err != nil {
				err = p.reportError(e, err)
			}
		}
		if err == errReported {
			failed = true
		} else if err != nil {
			return nil, err
		}
		builds = append(builds, sourceBuild{source: source, program: p, entries: entries})
	}
	if failed {
		return nil, errReported
	}
	return builds, nil
}

// compile makes the files of a build. Diagnostics are left in the program's list.
func (b *sourceBuild) compile(chosen []*codegen.Target, everything bool, options *codegen.Options, assembly, report bool) error {
	p := b.program
	for _, entry := range b.entries {
		for n, t := range chosen {
			list := new(diag.List)
			if report {
				options.Report = new(codegen.Report)
			}
			a := codegen.Compile(p.module, entry, t, options, list)
			if a == nil && everything {
				b.refusals = append(b.refusals, refusal{entry, t, list.Items()})
				continue
			}
			for _, d := range list.Items() {
				b.say(d)
			}
			if a == nil {
				continue
			}
			b.warnOfShortage(entry, t, uint64(a.Kernel.WorkgroupBytes))
			file := artefactFile{entry: entry, target: t, artefact: a, extension: extensionOf(t, chosen, assembly), what: codeOf(t), data: a.Code, kernel: a.Kernel, first: n == 0,
				report: options.Report}
			if !assembly && t.Object != nil {
				file.object = func() ([]byte, error) { return t.Object(a) }
			}
			if assembly {
				var err error
				if file.data, err = assemble(t, a); err != nil {
					return err
				}
				if t.Assemble != nil {
					file.extension += assemblySuffix
					file.what, file.form = assemblyOf(t), "assembly"
				} else if t.Object != nil {
					file.form = objectText
				}
			}
			b.made = append(b.made, file)
		}
	}
	p.suggestNames("", options.Settings)
	b.settle(len(chosen))
	return nil
}

// say adds a diagnostic to the program's list unless it is there: several targets and several
// kernels may say the same.
func (b *sourceBuild) say(d diag.Diagnostic) {
	same := func(o diag.Diagnostic) bool { return o.Code == d.Code && o.Span == d.Span && o.Message == d.Message }
	if !slices.ContainsFunc(b.program.list.Items(), same) {
		b.program.list.Add(d)
	}
}

// stagesOf names what -dump can show of a build for some targets.
func stagesOf(chosen []*codegen.Target) []string {
	var passes []opt.Pass
	for _, t := range chosen {
		for _, way := range t.Ways() {
			passes = append(passes, way.Passes...)
		}
	}
	stages := namesOf(passes)
	if slices.ContainsFunc(chosen, func(t *codegen.Target) bool { return t.Flattens }) {
		stages = append(stages, mir.Stage)
	}
	return stages
}

// artefactFile is one output of a build.
type artefactFile struct {
	entry, extension string
	target           *codegen.Target
	file             string // its name in the folder, with all targets
	form             string // what it is if devices do not load it
	tool             string // what is missing to make what they do
	what             string // the code or assembly of a target, in words
	path             string // where it is written, "" if on standard output
	artefact         *abi.Artefact
	machine          []byte // what object made
	data             []byte
	// makes data once everything has compiled; nil if that is the code
	object   func() ([]byte, error)
	kernel   abi.Kernel
	first    bool // the first target's, whose description has no target in its name
	report   *codegen.Report
	takes    *codegen.Usage // once it was asked for, or takesNot says why that is not known
	takesNot error
}

// shareParameters gives descriptions in a manifest that lack nothing but the parameters of PTX
// code those of it, so that one serves all targets: the others do not look at them.
func shareParameters(made []artefactFile) {
	for _, from := range made {
		for n := range made {
			to := made[n].kernel
			if to.Parameters == nil {
				to.Parameters = from.kernel.Parameters
				if reflect.DeepEqual(to, from.kernel) {
					made[n].kernel = to
				}
			}
		}
	}
}

// describeArtefacts puts the descriptions of a kernel's artefacts into a manifest: one, and others
// for the targets that need others. The artefacts are those of the manifest, in their order.
func describeArtefacts(k *abi.ManifestKernel, made []artefactFile) {
	shareParameters(made)
	// the one that has the entry point's own name, which is no name in some languages
	named := slices.IndexFunc(made, func(m artefactFile) bool { return m.kernel.Name == m.entry })
	k.Kernel = made[max(named, 0)].kernel
	for n := range made {
		if !reflect.DeepEqual(made[n].kernel, k.Kernel) {
			k.Artefacts[n].Kernel = &made[n].kernel
		}
	}
}

// entryNames returns the named entry point, or all of them.
func entryNames(p *program, name string) ([]string, error) {
	var names []string
	for _, k := range p.module.Kernels() {
		names = append(names, k.Name)
	}
	if name == "" && len(names) > 0 {
		return names, nil
	}
	if codegen.Kernel(p.module, name, p.list) == nil {
		p.suggestNames(name, nil)
		return nil, errReported
	}
	return []string{name}, nil
}

// reportError shows the collected diagnostics if that is what err stands for.
func (p *program) reportError(e *environment, err error) error {
	if err == errReported {
		return p.report(e)
	}
	return err
}

func assemble(t *codegen.Target, a *abi.Artefact) (text []byte, err error) {
	if t.Assemble == nil {
		return a.Code, nil
	}
	s, err := t.Assemble(a.Code)
	return []byte(s), err
}

// extensionOf is what the names of a target's files end in: its profile, too, where another
// of the chosen targets has the same extension.
func extensionOf(t *codegen.Target, chosen []*codegen.Target, assembly bool) string {
	extension := t.Extension
	if t.Object != nil && !assembly {
		extension = t.ObjectExtension
	}
	for _, other := range chosen {
		if other != t && other.Extension == t.Extension && t.Profile != nil {
			return "." + t.Profile.Name + extension
		}
	}
	return extension
}

// folderName is what a folder is called, "." too.
func folderName(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return filepath.Base(whole)
	}
	return filepath.Base(path)
}

// namesFolder reports whether -o names a folder.
func namesFolder(output string) bool {
	return strings.HasSuffix(output, "/") || strings.HasSuffix(output, string(filepath.Separator))
}

// artefactWriter writes the files of builds.
type artefactWriter struct {
	file       string // the only one, or ""
	assembly   bool
	several    bool // sources
	everything bool // all targets
	header     bool // for C
	options    buildOptions
	o          outputs
	contents   [][]byte
	lines      []string // what is said about them
}

// write writes the files of builds, all or none, and lists them.
func (w *artefactWriter) write(e *environment, builds []sourceBuild, output string) error {
	folder := ""
	if namesFolder(output) {
		folder = output
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("cannot make the folder %s: %w", folder, err)
		}
	} else {
		w.file = output
	}
	for n := range builds {
		w.o.reads(builds[n].source, "the source")
	}
	plan := w.plan
	if w.everything {
		plan = w.planAll
	}
	for n := range builds {
		if err := plan(&builds[n], folder); err != nil {
			return err
		}
	}
	if err := w.o.writeAll(w.contents); err != nil {
		return err
	}
	for _, line := range w.lines {
		fmt.Fprintln(e.stdout, line)
	}
	e.answerWith(&buildResults{Files: w.written()})
	for n := range builds {
		for k := range builds[n].made {
			if m := &builds[n].made[k]; m.tool != "" {
				fmt.Fprintf(e.stderr, "gpuc build: %s; %s is %s\n", m.tool, m.file, objectText)
			}
		}
	}
	return nil
}

// buildResults are the results of gpuc build for -json, where it writes files.
type buildResults struct {
	Files []writtenFile `json:"files"`
	Usage []usageForm   `json:"usage,omitempty"` // with -report
}

// writtenFile is a file that a command has written.
type writtenFile struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
	Holds string `json:"holds"`
}

// written lists the files that were written.
func (w *artefactWriter) written() []writtenFile {
	files := []writtenFile{}
	for n, f := range w.o.files {
		files = append(files, writtenFile{f.path, len(w.contents[n]), f.use})
	}
	return files
}

func (w *artefactWriter) add(path, use string, kind fileKind, data []byte, line string) error {
	w.lines, w.contents = append(w.lines, path+"  "+line), append(w.contents, data)
	_, err := w.o.plan(path, use, kind)
	return err
}

// place returns where the files of a build go, which is beside the source unless a folder is given,
// and how their names begin.
func (b *sourceBuild) place(folder string) (in, base string) {
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

// stem is how the names of an entry point's files begin.
func (b *sourceBuild) stem(base, entry string) string {
	if len(b.entries) > 1 {
		return base + "." + entry
	}
	return base
}

// plan plans the files of a build, in a folder or beside the source.
func (w *artefactWriter) plan(b *sourceBuild, folder string) error {
	folder, base := b.place(folder)
	for n := range b.made {
		m := &b.made[n]
		stem := filepath.Join(folder, b.stem(base, m.entry))
		path := stem + m.extension
		if w.file != "" {
			path = w.file
			stem = strings.TrimSuffix(path, filepath.Ext(path))
			if err := misnamed(path, m.extension, m.what); err != nil {
				return err
			}
		}
		m.path, m.file = path, filepath.Base(path)
		use := m.what
		if w.several {
			use += " of " + b.source
		}
		if err := w.add(path, use, codeFile, m.data, fmt.Sprintf("%d bytes, entry point %s", len(m.data), m.entry)); err != nil {
			return err
		}
		if w.assembly || w.file != "" && w.o.files[0].direct { // a device takes the code alone
			continue
		}
		if !m.first {
			stem = path // that of the first target has no target in its name
		}
		d := m.target.Describe(m.artefact, m.file, m.data, codegen.Overrides(b.program.module, m.entry, w.options.settings))
		d.Gpuc = release()
		description, err := d.Marshal()
		if err != nil {
			return err
		}
		if err := w.add(stem+".json", "the description of "+path, descriptionFile, append(description, '\n'), "the description"); err != nil {
			return err
		}
	}
	if !w.header {
		return nil
	}
	if w.file != "" {
		folder, base = filepath.Dir(w.file), strings.TrimSuffix(filepath.Base(w.file), filepath.Ext(w.file))
	}
	text := header(b.program.module, b.manifest(w.options), base, "the descriptions beside the code")
	return w.add(filepath.Join(folder, base+headerExtension), "the header of "+b.source, headerFile, text, headerLine)
}
