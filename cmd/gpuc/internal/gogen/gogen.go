// Package gogen is gpuc gen and gpuc tune. The first compiles the kernels of Go packages and writes
// the functions that launch them. The second measures variants of kernels for packages to ship.
package gogen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/builder"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/targetflag"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/instrument"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/gokernel/launch"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Command is gpuc gen.
var Command = cli.Command{
	Name:    "gen",
	Run:     runGen,
	Summary: "make the launchers of kernels written in Go",
	Usage:   "[flags] PACKAGES",
	Help: `
Compiles the kernels of Go packages and writes the Go functions that launch them. Put a
go:generate comment into the package of the kernels

  //go:generate go tool gpuc gen .

  //gpuc:kernel workgroup=64
  func Scale(it gpu.Item, factor float32, x []float32) {
      if i := it.Index(); i < len(x) {
          x[i] *= factor
      }
  }

and have go generate write gpuc_gen.go and the archive gpuc_gen.zip, which it embeds:

  go get -tool github.com/gpuc/gpuc/cmd/gpuc     once in a module; go.mod keeps the version
  go generate ./...

For each kernel there are three functions, with the kernel's own parameters and doc comment:

  LaunchScale(stream, grid, 2, buffer)           with buffers; it does not wait
  RunScale(ctx, device, grid, 2, slice)          with slices: upload, launch, wait, read back
  GoScale(grid, 2, slice)                        as plain Go, for tests and debuggers

A generic kernel lists the types that it is compiled for. Its launchers are generic, too:

  //gpuc:kernel workgroup=64 types=float32,int32
  func Scale[E gpu.Number](it gpu.Item, factor E, x []E) {

Commit the files: to build the package nobody needs gpuc. A program with the package links no
front end, and of the compiler only what the CPU device needs.

  gpuc gen ./...                                 all packages that have kernels
  gpuc gen -check ./...                          writes nothing and fails if a file is stale, for CI;
                                                 with the options that the files were made with
  gpuc gen -target spirv,cpu .                   code for some devices only
  gpuc gen -bounds trap .                        launches report accesses outside of slices
  gpuc gen -debug .                              it.Printf prints, and it.Assert is checked
  gpuc gen -native .                             machine code for the CPU, too: gpuc_gen_amd64.s, which
                                                 the CPU device calls instead of compiling

  gpuc gen -list .                               what the archive holds: a zip file with the code and
                                                 a description of it for each kernel and target
  gpuc gen -extract DIR .                        the same files, written to the folder DIR

All files are written or none. Files that are no longer made are removed if gpuc gen wrote them; a
file that it did not make stays.
`,
}

// genTargets are the default targets: those of all devices, without the checked CPU device.
const genTargets = "spirv,ptx,cpu"

// The kinds of files that gpuc gen writes, beside code.
var (
	launchersFile = outfile.Kind{Magic: launch.Header, Foreign: "gpuc gen did not make it"}
	assemblyFile  = outfile.Kind{Magic: amd64.Plan9Head, Foreign: "gpuc gen did not make it"}
	archiveFile   = outfile.Kind{Recognise: recogniseArchive, Foreign: "gpuc gen did not make it"}
)

// generation is a run of the command.
type generation struct {
	*cli.Env
	set      source.Set
	list     diag.List
	folder   string   // the working directory
	patterns []string // of packages
}

// genOptions are the flags for how packages are compiled.
type genOptions struct {
	math, bounds, targets string
	debug, native         bool
}

// generated is a package with its generated files.
type generated struct {
	*gokernel.Package
	files []generatedFile
}

// generatedFile is a generated file. Its name is relative to the package.
type generatedFile struct {
	name     string
	kind     outfile.Kind
	contents []byte
}

func runGen(e *cli.Env, args []string) error {
	var c loader.Flags
	f := e.NewFlags()
	e.ColourFlag(f)
	check := f.Bool("check", false, "write nothing; fail if a file is stale")
	targets := f.String("target", genTargets, "comma-separated `targets` to make code for; gpuc targets lists them")
	listing := f.Bool("list", false, "list the files in the archives of folders, and compile nothing")
	extract := f.String("extract", "", "write the files in the archive of a folder to the folder `DIR`, and compile nothing")
	native := f.Bool("native", false, "make machine code for the CPU (x86-64-v3), too, as Go assembly in the package")
	c.RegisterModes(f)
	patterns, err := e.Parse(f, args)
	if err != nil {
		return err
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	g := &generation{Env: e, patterns: patterns}
	if g.folder, err = os.Getwd(); err != nil {
		return err
	}
	switch {
	case *extract != "" && (*listing || *check || len(patterns) > 1):
		return usage.Errorf("-extract takes one folder, and neither -list nor -check")
	case *extract != "":
		return g.extract(patterns[0], *extract)
	case *listing:
		return g.listArchives(patterns)
	}
	options := genOptions{c.Math, c.Bounds, strings.ReplaceAll(*targets, " ", ""), c.Debug, *native}
	packages, err := g.packages(options, patterns)
	if err != nil {
		return err
	}
	if *check {
		return g.check(packages, options)
	}
	return g.write(packages, options)
}

// packages loads packages, and reports their diagnostics.
func (g *generation) packages(o genOptions, patterns []string) ([]*gokernel.Package, error) {
	_, options, err := o.parse()
	if err != nil {
		return nil, err
	}
	packages, err := gokernel.LoadPackages(&g.set, gokernel.Options{Math: options.Math, DisplayPath: g.displayName}, &g.list, patterns...)
	if err != nil {
		return nil, err
	}
	return packages, g.report()
}

// report shows the diagnostics and clears the list.
func (g *generation) report() error {
	p := loader.Program{Set: &g.set, List: &g.list}
	return p.Report(g.Env)
}

// displayName returns the name of a file in messages: the path from the working directory.
func (g *generation) displayName(path string) string {
	if relative, err := filepath.Rel(g.folder, path); err == nil {
		path = relative
	}
	return filepath.ToSlash(path)
}

// parse returns the targets and options for the flags.
func (o genOptions) parse() ([]*codegen.Target, codegen.Options, error) {
	c := loader.Flags{Math: o.math, Bounds: o.bounds, Debug: o.debug}
	options, err := c.CodegenOptions()
	if err != nil {
		return nil, options, err
	}
	options.ByValue, options.Coarse, options.Tensor = true, true, true
	targets, err := targetflag.Choose(o.targets)
	if err == nil && o.native && !slices.ContainsFunc(targets, func(t *codegen.Target) bool { return t.Name == abi.CPU }) {
		err = usage.Errorf("-native makes machine code of the code for the target cpu, which is none of the targets; it takes -target %s,cpu", o.targets)
	}
	return targets, options, err
}

// generate makes the files of a package; none if it has no kernels.
func (g *generation) generate(p *gokernel.Package, o genOptions) (*generated, error) {
	made := &generated{Package: p}
	if len(p.Kernels) == 0 {
		return made, nil
	}
	targets, options, err := o.parse()
	if err != nil {
		return nil, err
	}
	index := &abi.ArchiveIndex{Gpuc: cli.Release(), Package: p.Path, Math: o.math, Bounds: o.bounds, Debug: o.debug, Native: o.native, Targets: strings.Split(o.targets, ",")}
	var archive abi.Archive
	var forCPU []*abi.Artefact
	kernels := slices.Clone(p.Kernels)
	slices.SortFunc(kernels, func(a, b gokernel.Kernel) int { return strings.Compare(a.Name, b.Name) })
	for _, k := range kernels {
		about := abi.ArchiveKernel{Name: k.Name, Digest: digest(k.Module, index)}
		for _, t := range targets {
			// the checked device reports source positions, which are part of its code
			options.Lines, options.Excerpt = t.Name == abi.Checked, g.inModule
			a := codegen.Compile(k.Module, k.Name, t, &options, &g.list)
			if a == nil {
				continue
			}
			g.relocate(&a.Kernel)
			if a.Coarse != nil {
				g.relocate(&a.Coarse.Artefact.Kernel)
			}
			if a.Tensor != nil {
				g.relocate(&a.Tensor.Artefact.Kernel)
			}
			if t.Name == abi.CPU {
				forCPU = append(forCPU, a)
			}
			if err := archive.Add(&about, builder.Extension(t, targets, true), a); err != nil {
				return nil, err
			}
		}
		index.Kernels = append(index.Kernels, about)
	}
	if g.list.Errors() > 0 {
		return nil, g.report()
	}
	data, err := archive.Marshal(index)
	if err != nil {
		return nil, err
	}
	made.files = append(made.files,
		generatedFile{abi.ArchiveFile, archiveFile, data},
		generatedFile{gokernel.GeneratedFile, launchersFile, launch.Source(p, g.records(p, o), &g.list)})
	if o.native && g.list.Errors() == 0 {
		files, err := g.nativeFiles(p, forCPU)
		if err != nil {
			return nil, err
		}
		made.files = append(made.files, files...)
	}
	return made, g.report()
}

// digest returns the digest of what a kernel's code depends on.
func digest(m *ir.Module, o *abi.ArchiveIndex) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%s\n", o.Gpuc, o.Math, o.Bounds, strings.Join(o.Targets, ","))
	writeSource(h, m, o.Debug)
	return hex.EncodeToString(h.Sum(nil))
}

// writeSource writes a kernel with all that it calls, as IR without source positions.
func writeSource(h hash.Hash, m *ir.Module, debug bool) {
	if debug {
		fmt.Fprintln(h, "debug")
	} else if len(m.Messages) > 0 { // which are removed
		m = m.Clone()
		instrument.RemovePrintf.Run(nil, m)
	}
	h.Write(m.AppendText(nil, ir.PrintOptions{}))
}

// relocate makes the file names of faults and messages relative to their modules, since a program
// runs on other machines, too.
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

// inModule returns the path of a file in its module.
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

// previous returns the index of a package's archive, or nil if there is none that can be read.
func previous(folder string) *abi.ArchiveIndex {
	archive, err := readArchive(folder)
	if err != nil {
		return nil
	}
	index, err := archive.Index()
	if err != nil {
		return nil
	}
	return index
}

// leftOver returns the files of a package, relative to it, that gpuc gen made and would not make
// now.
func (p *generated) leftOver() (names []string) {
	for _, c := range []generatedFile{
		{name: abi.ArchiveFile, kind: archiveFile},
		{name: gokernel.GeneratedFile, kind: launchersFile},
		{name: gokernel.MachineFile, kind: launchersFile},
		{name: gokernel.AssemblyFile, kind: assemblyFile},
	} {
		if slices.ContainsFunc(p.files, func(f generatedFile) bool { return f.name == c.name }) {
			continue
		}
		path := filepath.Join(p.Folder, c.name)
		if info, err := os.Lstat(path); err != nil || info.IsDir() {
			continue
		}
		if data, err := os.ReadFile(path); err == nil && c.kind.Has(unix(data)) {
			names = append(names, c.name)
		}
	}
	return append(names, oldFiles(p.Folder)...)
}

// state says how a file is compared with what it should hold, or "" if it holds that.
func (f *generatedFile) state(folder string) string {
	data, err := os.ReadFile(filepath.Join(folder, f.name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is missing"
	case err == nil && bytes.Equal(unix(data), unix(f.contents)):
		return ""
	case err == nil && f.name == abi.ArchiveFile:
		return staleArchive(string(data), string(f.contents))
	}
	return "is stale"
}

// unix replaces the line ends that git makes on Windows. Data with zero bytes is not text, and is
// not changed.
func unix(data []byte) []byte {
	if bytes.IndexByte(data, 0) >= 0 {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}

// write writes the files of all packages.
func (g *generation) write(packages []*gokernel.Package, options genOptions) error {
	var o outfile.Plan
	var lines []string
	for _, p := range packages {
		made, err := g.generate(p, options)
		if err != nil {
			return err
		}
		written := 0
		for _, f := range made.files {
			if f.state(p.Folder) == "" {
				continue
			}
			path := filepath.Join(p.Folder, f.name)
			to, err := o.Add(filepath.FromSlash(g.displayName(path)), "generated code", f.kind)
			if err != nil {
				return err
			}
			to.Contents = f.contents
			written++
		}
		names := made.leftOver()
		for _, name := range names {
			o.Remove = append(o.Remove, filepath.Join(p.Folder, name))
		}
		if line := summary(len(p.Kernels), written, len(names)); line != "" {
			lines = append(lines, g.displayName(p.Folder)+"  "+line)
		}
	}
	if len(lines) == 0 {
		return fmt.Errorf("%s: no function is a kernel; a function is one with the comment //gpuc:kernel workgroup=64 above it", strings.Join(g.patterns, " "))
	}
	if err := o.Commit(); err != nil {
		return err
	}
	for _, p := range packages {
		_ = os.Remove(filepath.Join(p.Folder, oldFolder)) // if nothing is left in it
	}
	for _, line := range lines {
		fmt.Fprintln(g.Stdout, line)
	}
	g.SetResults(genResults{o.Written(), len(o.Remove)})
	return nil
}

// genResults are the results of gpuc gen for -json, where it writes files.
type genResults struct {
	Files   []outfile.Written `json:"files"`
	Removed int               `json:"removed"`
}

// summary describes what was done for a package; "" if it has no kernels and had none.
func summary(kernels, written, removed int) string {
	if kernels == 0 && removed == 0 {
		return ""
	}
	text := diag.Plural(kernels, "kernel")
	if written+removed == 0 {
		return text + ", up to date"
	}
	if written > 0 {
		text += ", " + diag.Plural(written, "file") + " written"
	}
	if removed > 0 {
		text += ", " + diag.Plural(removed, "file") + " removed"
	}
	return text
}

// asBefore returns a package, and the options that its archive was made with, if that tells. The
// package is loaded again if its IR depends on these.
func (g *generation) asBefore(p *gokernel.Package, given genOptions) (*gokernel.Package, genOptions, error) {
	options := given
	if before := previous(p.Folder); before != nil {
		made := genOptions{before.Math, before.Bounds, strings.Join(before.Targets, ","), before.Debug, before.Native}
		// the manifest of another version may have other options
		if _, _, err := made.parse(); err == nil {
			options = made
		}
	}
	if options.math == given.math || len(p.Kernels) == 0 {
		return p, options, nil
	}
	again, err := g.packages(options, []string{p.Folder})
	if err != nil {
		return nil, options, err
	}
	return again[0], options, nil
}

// complain says that a file of a package is stale or missing.
func (g *generation) complain(p *gokernel.Package, name, state string) {
	fmt.Fprintf(g.Stderr, "%s %s; run `gpuc gen %s`, or `go generate` there\n",
		g.displayName(filepath.Join(p.Folder, name)), state, pattern(g.displayName(p.Folder)))
}

// check reports stale files. The options are those of the earlier run, if its manifest tells.
func (g *generation) check(packages []*gokernel.Package, given genOptions) error {
	stale := false
	for _, p := range packages {
		p, options, err := g.asBefore(p, given)
		if err != nil {
			return err
		}
		made, err := g.generate(p, options)
		if err != nil {
			return err
		}
		for _, f := range made.files {
			if state := f.state(p.Folder); state != "" {
				stale = true
				g.complain(p, f.name, state)
			}
		}
		for _, name := range made.leftOver() {
			stale = true
			g.complain(p, name, "is no longer made")
		}
	}
	if stale {
		return cli.ErrReported
	}
	return nil
}

// pattern returns the go command's pattern for a folder.
func pattern(folder string) string {
	if folder == "." || folder == ".." || strings.HasPrefix(folder, "../") || filepath.IsAbs(folder) {
		return folder
	}
	return "./" + folder
}
