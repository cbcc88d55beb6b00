package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/instrument"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/gokernel/launch"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

var genCommand = command{
	name:    "gen",
	summary: "make the launchers of kernels written in Go",
	usage:   "[flags] PACKAGES",
	help: `
Compiles the kernels of Go packages and writes the Go functions that launch them. Ask for it
where the kernels are

  //go:generate go tool gpuc gen .

  //gpuc:kernel workgroup=64
  func Scale(it gpu.Item, factor float32, x []float32) {
      if i := it.Index(); i < len(x) {
          x[i] *= factor
      }
  }

and have go generate write gpuc_gen.go and the folder gpuc, which it embeds:

  go get -tool github.com/gpuc/gpuc/cmd/gpuc     once in a module; go.mod keeps the version
  go generate ./...

For each kernel there are three functions, with the kernel's own parameters:

  LaunchScale(stream, grid, 2, buffer)           with buffers; it does not wait
  RunScale(ctx, device, grid, 2, slice)          with slices: upload, launch, wait, read back
  GoScale(grid, 2, slice)                        as plain Go, for tests and debuggers

A generic kernel says which types it is compiled for, and its launchers take these:

  //gpuc:kernel workgroup=64 types=float32,int32
  func Scale[E gpu.Number](it gpu.Item, factor E, x []E) {

Commit what is written: who builds the package needs no gpuc. Programs with it link no front end,
and of the compiler only what the CPU device makes its code by.

  gpuc gen ./...                                 all packages that have kernels
  gpuc gen -check ./...                          writes nothing and fails if a file is stale, for CI;
                                                 the options are those the files were made with
  gpuc gen -target spirv,cpu .                   code for some devices only
  gpuc gen -bounds trap .                        launches report accesses outside of slices
  gpuc gen -debug .                              it.Printf prints, and it.Assert is looked at
  gpuc gen -native .                             machine code for the CPU, too: gpuc_gen_amd64.s, which
                                                 the CPU device calls instead of compiling

All files are written or none. Files of kernels that are gone are removed if gpuc gen wrote them;
a file that it did not make stays.
`,
}

func init() { genCommand.run = runGen }

// genTargets are the targets of the devices that there are, the checked one aside.
const genTargets = "spirv,ptx,cpu"

// generation is what a run of the command works with.
type generation struct {
	*environment
	set  source.Set
	list diag.List
	// folder is the one that the command runs in, and patterns name packages.
	folder   string
	patterns []string
}

// genOptions are how packages are compiled, as flags say it.
type genOptions struct {
	math, bounds, targets string
	debug, native         bool
}

// generated is a package with the files that it should have.
type generated struct {
	*gokernel.Package
	files []generatedFile
}

// generatedFile is a file that a package should have. Its name is relative to the package.
type generatedFile struct {
	name     string
	kind     fileKind
	contents []byte
}

func runGen(e *environment, args []string) error {
	var c compileFlags
	f := genCommand.newFlags()
	e.colourFlag(f)
	check := f.Bool("check", false, "write nothing; fail if a file is stale")
	targets := f.String("target", genTargets, "comma-separated `targets` to make code for; gpuc targets lists them")
	native := f.Bool("native", false, "make machine code for the CPU (x86-64-v3), too, as Go assembly in the package")
	c.registerModes(f)
	patterns, err := genCommand.parse(e, f, args)
	if err != nil {
		return err
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	g := &generation{environment: e, patterns: patterns}
	if g.folder, err = os.Getwd(); err != nil {
		return err
	}
	options := genOptions{c.math, c.bounds, strings.ReplaceAll(*targets, " ", ""), c.debug, *native}
	packages, err := g.packages(options, patterns)
	if err != nil {
		return err
	}
	if *check {
		return g.check(packages, options)
	}
	return g.write(packages, options)
}

// packages loads packages, and reports what is wrong with them.
func (g *generation) packages(o genOptions, patterns []string) ([]*gokernel.Package, error) {
	_, options, err := o.parse()
	if err != nil {
		return nil, err
	}
	packages, err := gokernel.LoadPackages(&g.set, gokernel.Options{Math: options.Math, Shown: g.shown}, &g.list, patterns...)
	if err != nil {
		return nil, err
	}
	return packages, g.report()
}

// report shows the diagnostics so far.
func (g *generation) report() error {
	p := program{set: &g.set, list: &g.list}
	return p.report(g.environment)
}

// shown is what a file is called: the way to it from the folder.
func (g *generation) shown(path string) string {
	if relative, err := filepath.Rel(g.folder, path); err == nil {
		path = relative
	}
	return filepath.ToSlash(path)
}

// parse gives the flags their meaning.
func (o genOptions) parse() ([]*codegen.Target, codegen.Options, error) {
	c := compileFlags{math: o.math, bounds: o.bounds, debug: o.debug}
	options, err := c.options()
	if err != nil {
		return nil, options, err
	}
	options.ByValue, options.Coarse = true, true
	targets, err := chooseTargets(o.targets)
	if err == nil && o.native && !slices.ContainsFunc(targets, func(t *codegen.Target) bool { return t.Name == abi.CPU }) {
		err = usagef("-native makes machine code of the code for the target cpu, which is none of the targets; it takes -target %s,cpu", o.targets)
	}
	return targets, options, err
}

// generate makes the files of a package. There are none if it has no kernels.
func (g *generation) generate(p *gokernel.Package, o genOptions) (*generated, error) {
	made := &generated{Package: p}
	if len(p.Kernels) == 0 {
		return made, nil
	}
	targets, options, err := o.parse()
	if err != nil {
		return nil, err
	}
	before := previous(p.Folder)
	m := &abi.Manifest{Gpuc: release(), Package: p.Path, Math: o.math, Bounds: o.bounds, Debug: o.debug, Native: o.native, Targets: strings.Split(o.targets, ",")}
	var forCPU []*abi.Artefact
	for _, k := range p.Kernels {
		about := abi.ManifestKernel{Digest: digest(k.Module, m)}
		var kernels []artefactFile
		for _, t := range targets {
			// what the checked device reports has places in the source, which are a part of its
			// code
			options.Lines, options.Excerpt = t.Name == abi.Checked, g.inModule
			a := codegen.Compile(k.Module, k.Name, t, &options, &g.list)
			if a == nil {
				continue
			}
			g.relocate(&a.Kernel)
			if t.Name == abi.CPU {
				forCPU = append(forCPU, a)
			}
			add := func(name string, code []byte) string {
				name += extensionOf(t, targets, true)
				made.files = append(made.files, generatedFile{filepath.Join(abi.Folder, name), before.kindOf(name), code})
				return name
			}
			listed := abi.ManifestArtefact{Target: a.Target, CodeFile: abi.CodeFile{File: add(k.Name, a.Code)}}
			if v := a.ByValue; v != nil {
				listed.ByValue = &abi.ManifestByValue{File: add(k.Name+valuesSuffix, v.Code), Parameters: v.Parameters}
			}
			if v := a.Coarse; v != nil {
				g.relocate(&v.Artefact.Kernel)
				listed.Coarse = &abi.ManifestCoarse{Factor: v.Factor, Least: v.Least, Within: v.Within, ManifestArtefact: abi.ManifestArtefact{
					Target: a.Target, CodeFile: abi.CodeFile{File: add(k.Name+coarseSuffix, v.Artefact.Code)}, Kernel: &v.Artefact.Kernel}}
				if v := v.Artefact.ByValue; v != nil {
					listed.Coarse.ByValue = &abi.ManifestByValue{File: add(k.Name+coarseSuffix+valuesSuffix, v.Code), Parameters: v.Parameters}
				}
			}
			about.Artefacts = append(about.Artefacts, listed)
			kernels = append(kernels, artefactFile{entry: k.Name, kernel: a.Kernel})
		}
		if len(kernels) < len(targets) {
			continue // there are errors in the list
		}
		describeArtefacts(&about, kernels)
		m.Kernels = append(m.Kernels, about)
	}
	if g.list.Errors() > 0 {
		return nil, g.report()
	}
	slices.SortFunc(m.Kernels, func(a, b abi.ManifestKernel) int { return strings.Compare(a.Kernel.Name, b.Kernel.Name) })
	text, err := m.Marshal()
	if err != nil {
		return nil, err
	}
	launchers := launch.Source(p, m, &g.list)
	made.files = append(made.files,
		generatedFile{filepath.Join(abi.Folder, abi.ManifestFile), manifestFile, append(text, '\n')},
		generatedFile{gokernel.GeneratedFile, launchersFile, launchers})
	if o.native && g.list.Errors() == 0 {
		files, err := g.nativeFiles(p, forCPU)
		if err != nil {
			return nil, err
		}
		made.files = append(made.files, files...)
	}
	return made, g.report()
}

// valuesSuffix is behind the name of a kernel in that of the file with the form that takes uniform
// buffers by value, and coarseSuffix in that of the coarse form.
const valuesSuffix, coarseSuffix = ".values", ".coarse"

// digest returns the digest of what a kernel's code depends on.
func digest(m *ir.Module, o *abi.Manifest) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%s\n", o.Gpuc, o.Math, o.Bounds, strings.Join(o.Targets, ","))
	if o.Debug {
		fmt.Fprintln(h, "debug")
	} else if len(m.Messages) > 0 { // of which nothing is left
		m = m.Clone()
		instrument.RemovePrintf.Run(nil, m)
	}
	h.Write(m.AppendText(nil, ir.PrintOptions{}))
	return hex.EncodeToString(h.Sum(nil))
}

// relocate names the files of faults and messages relative to the modules that they are in, since a
// program is not run where it was made.
func (g *generation) relocate(k *abi.Kernel) {
	if k.Fault != nil {
		for n := range k.Fault.Sites {
			k.Fault.Sites[n].File = g.inModule(k.Fault.Sites[n].File)
		}
	}
	if k.Messages != nil {
		for n := range k.Messages.List {
			k.Messages.List[n].File = g.inModule(k.Messages.List[n].File)
		}
	}
}

// inModule names a file relative to the module that it is in.
func (g *generation) inModule(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(g.folder, filepath.FromSlash(path))
	}
	for folder := filepath.Dir(path); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			if relative, err := filepath.Rel(folder, path); err == nil {
				return filepath.ToSlash(relative)
			}
			break
		}
	}
	return filepath.Base(path)
}

// record is what a manifest says that gpuc gen has written. Without a manifest it is empty.
type record struct {
	*abi.Manifest
	files []string // in the folder of the manifest
}

// previous reads the manifest of a package, if there is one that can be understood.
func previous(folder string) (r record) {
	data, err := os.ReadFile(filepath.Join(folder, abi.Folder, abi.ManifestFile))
	if err != nil || !manifestFile.recognise(unix(data)) {
		return r
	}
	if r.Manifest, err = abi.UnmarshalManifest(data); err != nil {
		return record{}
	}
	for _, k := range r.Kernels {
		for _, a := range k.Artefacts {
			r.files = append(r.files, a.Files()...)
		}
	}
	return r
}

// kindOf is what a file with code must be to be replaced: any, if it is known that gpuc gen has
// made it.
func (r record) kindOf(name string) fileKind {
	if slices.Contains(r.files, name) {
		return fileKind{}
	}
	return codeFile
}

// leftOver returns the files of a package, relative to it, that were made, that are there, and that
// are no longer made. Launchers and a manifest that have since become another's are not among them.
func (p *generated) leftOver(r record) (names []string) {
	candidates := []generatedFile{
		{name: filepath.Join(abi.Folder, abi.ManifestFile), kind: manifestFile},
		{name: gokernel.GeneratedFile, kind: launchersFile},
		{name: gokernel.MachineFile, kind: launchersFile},
		{name: gokernel.AssemblyFile, kind: assemblyFile},
	}
	for _, name := range r.files {
		candidates = append(candidates, generatedFile{name: filepath.Join(abi.Folder, name), kind: r.kindOf(name)})
	}
	for _, c := range candidates {
		if slices.ContainsFunc(p.files, func(f generatedFile) bool { return f.name == c.name }) {
			continue
		}
		path := filepath.Join(p.Folder, c.name)
		if info, err := os.Lstat(path); err != nil || info.IsDir() {
			continue
		}
		if data, err := os.ReadFile(path); err == nil && (c.kind.recognise == nil || c.kind.recognise(unix(data))) {
			names = append(names, c.name)
		}
	}
	return names
}

// state says how a file is compared with what it should hold.
func (f *generatedFile) state(folder string) string {
	data, err := os.ReadFile(filepath.Join(folder, f.name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case err != nil || !bytes.Equal(unix(data), unix(f.contents)):
		return "is stale"
	}
	return ""
}

// unix returns text as it was before git gave its lines the ends that they have on Windows. Code
// that is no text has zeros.
func unix(data []byte) []byte {
	if bytes.IndexByte(data, 0) >= 0 {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// write writes the files of all packages.
func (g *generation) write(packages []*gokernel.Package, options genOptions) (err error) {
	var o outputs
	var contents [][]byte
	var lines, folders []string
	defer func() {
		for _, folder := range folders {
			_ = os.Remove(folder) // those that nothing was written to
		}
	}()
	for _, p := range packages {
		made, err := g.generate(p, options)
		if err != nil {
			return err
		}
		folder := filepath.Join(p.Folder, abi.Folder)
		if len(made.files) > 0 {
			if err := os.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("cannot make the folder %s: %w", g.shown(folder), errors.Unwrap(err))
			}
		}
		folders = append(folders, folder)
		written := 0
		for _, f := range made.files {
			if f.state(p.Folder) == "" {
				continue
			}
			path := filepath.Join(p.Folder, f.name)
			if _, err := o.plan(filepath.FromSlash(g.shown(path)), "generated code", f.kind); err != nil {
				return err
			}
			contents = append(contents, f.contents)
			written++
		}
		names := made.leftOver(previous(p.Folder))
		for _, name := range names {
			o.leftOver = append(o.leftOver, filepath.Join(p.Folder, name))
		}
		if line := summary(len(p.Kernels), written, len(names)); line != "" {
			lines = append(lines, g.shown(p.Folder)+"  "+line)
		}
	}
	if len(lines) == 0 {
		return fmt.Errorf("%s: no function is a kernel; one is if //gpuc:kernel workgroup=64 stands above it", strings.Join(g.patterns, " "))
	}
	if err := o.writeAll(contents); err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(g.stdout, line)
	}
	files := []writtenFile{}
	for n, f := range o.files {
		files = append(files, writtenFile{f.path, len(contents[n]), f.use})
	}
	g.answerWith(genResults{files, len(o.leftOver)})
	return nil
}

// genResults are the results of gpuc gen for -json, where it writes files.
type genResults struct {
	Files   []writtenFile `json:"files"`
	Removed int           `json:"removed"`
}

// summary says what became of a package, or "" if it has no kernels and had none.
func summary(kernels, written, removed int) string {
	if kernels == 0 && removed == 0 {
		return ""
	}
	text := counted(kernels, "kernel")
	if written+removed == 0 {
		return text + ", up to date"
	}
	if written > 0 {
		text += ", " + counted(written, "file") + " written"
	}
	if removed > 0 {
		text += ", " + counted(removed, "file") + " removed"
	}
	return text
}

// counted is a number of things, in words.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// check says which files are stale. The options of a package are those that it was made with, if
// that is known.
func (g *generation) check(packages []*gokernel.Package, given genOptions) error {
	stale := false
	for _, p := range packages {
		options, before := given, previous(p.Folder)
		if before.Manifest != nil {
			made := genOptions{before.Math, before.Bounds, strings.Join(before.Targets, ","), before.Debug, before.Native}
			if _, _, err := made.parse(); err == nil { // or another version has more of them
				options = made
			}
		}
		if options.math != given.math && len(p.Kernels) > 0 { // which the module depends on
			again, err := g.packages(options, []string{p.Folder})
			if err != nil {
				return err
			}
			p = again[0]
		}
		made, err := g.generate(p, options)
		if err != nil {
			return err
		}
		complain := func(name, state string) {
			stale = true
			fmt.Fprintf(g.stderr, "%s %s; run `gpuc gen %s`, or `go generate` there\n",
				g.shown(filepath.Join(p.Folder, name)), state, pattern(g.shown(p.Folder)))
		}
		for _, f := range made.files {
			if state := f.state(p.Folder); state != "" {
				complain(f.name, state)
			}
		}
		for _, name := range made.leftOver(before) {
			complain(name, "belongs to a kernel that is gone")
		}
	}
	if stale {
		return errReported
	}
	return nil
}

// pattern names a folder as the go command takes it.
func pattern(folder string) string {
	if folder == "." || folder == ".." || strings.HasPrefix(folder, "../") || filepath.IsAbs(folder) {
		return folder
	}
	return "./" + folder
}
