package gokernel

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// Options are the options of Load and LoadPackages.
type Options struct {
	Math ir.Math
	// Folder is the folder for relative patterns; "" is the current one.
	Folder string
	// DisplayPath, if not nil, returns the name of a file in positions. By default that is the path
	// relative to the folder for files in it, and the last element of the path for others.
	DisplayPath func(path string) string
	// Warn makes Load warn of what is allowed but probably not intended (package lint), if there
	// are no errors.
	Warn bool
	// Stage, if not nil, is called when a stage begins; its result is called when that ends.
	Stage func(name string) (end func())
	// Overlay has the contents of files that replace those on disk, by their absolute paths.
	Overlay map[string][]byte
}

func (o *Options) stage(name string) (end func()) {
	if o.Stage == nil {
		return func() {}
	}
	return o.Stage(name)
}

// loader is the state of a call of Load.
type loader struct {
	options Options
	mode    packages.LoadMode // what is asked of the go command
	set     *source.Set
	list    *diag.List
	files   *token.FileSet
	// packages are those with function bodies, the requested ones first.
	packages       []*packages.Package
	requested      int
	calleePackages []string // packages loaded because kernels call their functions
	program        *ssa.Program
	texts          map[string]*source.File // by name, what is in set already
	// generating says that launchers are generated, for those packages among matched that have
	// kernels.
	generating bool
	matched    []*packages.Package
	// shownInstances are the names of instances in Go syntax, by their names in modules.
	shownInstances map[string]string
	// parameterLocations are the locations of the parameters of the kernel that was translated
	// last.
	parameterLocations []location
	// exact are replacements of generated files that declare the launchers with their types, or
	// nil.
	exact map[string][]byte
	// constants are the tuned constants of packages, and variantErrors the errors reported at their
	// values.
	constants     map[*packages.Package][]*tuned
	variantErrors map[string]bool
	// variants are the kernels of a loader that has a package with other values of its tuned
	// constants.
	variants []*kernel
	// unit, if not nil, is the package to check, which another tool has loaded.
	unit *Unit
	// compiled are the functions that kernels consist of. ordering says of their barriers, by the
	// parenthesis of the call, whether they order memory in some kernel; nil disables warnings.
	compiled map[*types.Func]bool
	ordering map[token.Pos]bool
	// unseen says that the kernel translated last calls a function without a body here.
	unseen bool
	// temporaries are the positions of the temporary variables of evalorder.go.
	temporaries map[token.Pos]bool
}

// Load makes a module of the kernels of Go packages. The patterns are those of the go command:
// ./physics, ./..., or a file. It returns nil after adding errors to list. The error says why
// packages could not be loaded at all.
//
// The positions in the module are those of the files, named relative to the folder.
func Load(set *source.Set, options Options, list *diag.List, patterns ...string) (m *ir.Module, err error) {
	if err := needs(set, list); err != nil {
		return nil, err
	}
	l := &loader{options: options, set: set, list: list, texts: map[string]*source.File{}}
	if options.Warn {
		l.ordering = map[token.Pos]bool{}
	}
	defer diag.Recover(list, source.Span{}, "compiling Go kernels", func() { m = nil })
	before := list.Errors()
	end := options.stage("load packages")
	err = l.load(patterns)
	if end(); err != nil {
		return nil, err
	}
	if list.Errors() > before {
		l.isolated(l.gateOthers)
		return nil, nil
	}
	end = options.stage("check the dialect")
	kernels, err := l.checkedKernels(patterns)
	end()
	if err != nil {
		return nil, err
	}
	if list.Errors() > before {
		l.isolated(func() { l.translateOthers(kernels) })
		return nil, nil
	}
	m = ir.NewModule(set)
	end = options.stage("build SSA")
	l.build(kernels)
	end()
	end = options.stage("lower to IR")
	for _, k := range kernels {
		if k.base == nil {
			l.each(k, func(i *instance) { l.translate(m, i) })
		}
	}
	end()
	end = options.stage("find divergent barriers")
	if list.Errors() == before {
		l.divergent(m)
	} else {
		l.isolated(func() { l.divergentOthers(m) })
	}
	end()
	if list.Errors() == before {
		end = options.stage("lower variants to IR")
		l.translateVariants(m, kernels)
		end()
	}
	if list.Errors() > before {
		return nil, nil
	}
	l.warn()
	return m, nil
}

// needs returns an error if the set or list is nil.
func needs(set *source.Set, list *diag.List) error {
	switch {
	case set == nil:
		return errors.New("load Go packages: the set of sources is nil; new(source.Set) makes one")
	case list == nil:
		return errors.New("load Go packages: the list of diagnostics is nil; new(diag.List) makes one")
	}
	return nil
}

// checkedKernels returns the kernels after the gate has checked them. If they call functions of
// packages whose bodies are not loaded, it loads these and checks again.
func (l *loader) checkedKernels(patterns []string) ([]*kernel, error) {
	list := l.list
	defer func() { l.list = list }()
	for {
		l.list = new(diag.List)
		kernels := l.kernels()
		missing := l.gate(kernels)
		if len(missing) == 0 && l.list.Errors() == 0 {
			kernels, missing = l.vary(kernels)
		}
		if len(missing) == 0 {
			if len(kernels) == 0 && l.list.Errors() == 0 && !l.generating {
				return nil, fmt.Errorf("%s: no function is a kernel; write %s workgroup=64 above one", shownPatterns(patterns), directive)
			}
			for _, d := range l.list.Items() {
				list.Add(d)
			}
			return kernels, nil
		}
		l.calleePackages = append(l.calleePackages, missing...)
		before := list.Errors()
		l.list = list
		if err := l.load(append(slices.Clone(patterns), l.calleePackages...)); err != nil || list.Errors() > before {
			return nil, err
		}
	}
}

// shownPatterns returns patterns for messages.
func shownPatterns(patterns []string) string {
	return strings.ReplaceAll(strings.Join(patterns, " "), filePattern, "")
}

// mode requests the sources of the named packages, and the export data of their imports.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedExportFile

func (l *loader) load(patterns []string) error {
	l.files = token.NewFileSet()
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("kernels in Go need the go command, which finds their packages, and there is none on the PATH (https://go.dev/dl)")
	}
	if l.mode == 0 { // the first load fills the build cache a little
		l.mode = loadMode()
	}
	config := &packages.Config{Mode: l.mode, Dir: l.options.Folder, Fset: l.files, Overlay: l.options.Overlay}
	if l.generating {
		config.ParseFile, config.Overlay = l.parse, l.exact
	}
	loaded, err := packages.Load(config, patterns...)
	if l.generating && err == nil {
		loaded, err = l.renamed(loaded, config, patterns)
	}
	if err != nil {
		return fmt.Errorf("loading Go packages: %s", l.flattened(err.Error()))
	}
	if err := l.found(loaded, patterns); err != nil {
		return err
	}
	if l.requested == 0 {
		l.requested = len(loaded)
	}
	// The requested packages come first; packages.Load sorts them by name.
	if len(l.packages) > 0 {
		rank := func(p *packages.Package) int {
			for n, old := range l.packages[:l.requested] {
				if old.ID == p.ID {
					return n
				}
			}
			return l.requested
		}
		slices.SortStableFunc(loaded, func(p, q *packages.Package) int { return rank(p) - rank(q) })
	}
	l.packages = loaded
	before := l.list.Errors()
	if l.generating {
		if err := l.relevant(); err != nil {
			return err
		}
	} else {
		for _, p := range loaded {
			if err := l.errors(p); err != nil {
				return err
			}
		}
	}
	if l.list.Errors() > before {
		return nil
	}
	return l.broken()
}

// broken returns an error if an import of the packages does not compile. Only export data is loaded
// for it, so that the cause is not known here.
func (l *loader) broken() error {
	for _, p := range l.packages {
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			if i := p.Imports[path]; i.IllTyped && !slices.Contains(l.packages, i) {
				return fmt.Errorf("loading Go packages: %s, which %s imports, does not compile, or something that it needs; `go build %s` says what is wrong",
					i.PkgPath, p.PkgPath, i.PkgPath)
			}
		}
	}
	return nil
}

// errors adds the errors of a package. The go command compiles, too, and reports what Go's type
// checker does in other words. After the first syntax error of a file, the others may follow from
// it.
func (l *loader) errors(p *packages.Package) error {
	kinds := [2]bool{} // whether there are errors of the parser, and of the type checker
	for _, e := range p.Errors {
		switch e.Kind {
		case packages.ParseError:
			kinds[0] = true
		case packages.TypeError:
			kinds[1] = true
		}
	}
	parsed := map[string]bool{}
	for _, e := range p.Errors {
		text := l.flattened(e.Msg)
		file, _, _ := strings.Cut(e.Pos, ".go:")
		switch {
		case e.Kind == packages.ParseError && parsed[file]:
			continue
		case e.Kind == packages.ParseError:
			parsed[file] = true
		case kinds[0]:
			continue
		case e.Kind == packages.ListError && kinds[1]:
			continue
		case e.Kind == packages.ListError && (e.Pos == "" || e.Pos == "-"):
			return fmt.Errorf("loading Go packages: %s", text)
		}
		// The go command's error says why.
		if path, ok := strings.CutPrefix(e.Msg, "could not import "); ok {
			path, _, _ = strings.Cut(path, " ")
			// Then no import of this file was resolved.
			withoutCgo := strings.HasSuffix(e.Msg, "(no metadata for "+path+")")
			if withoutCgo && path != "C" {
				continue
			}
			if withoutCgo {
				text = `the file imports "C", and cgo is off; kernels are in files that do not`
			} else if i := p.Imports[path]; i != nil && len(i.Errors) > 0 {
				text = l.flattened(i.Errors[0].Msg)
			}
		}
		l.list.Add(diag.Diagnostic{Code: diag.GoError, Span: l.location(e.Pos), Message: text})
	}
	return nil
}

// flattened returns an error of the go command as one line: its standard error, with paths relative
// to the folder.
func (l *loader) flattened(text string) string {
	if _, behind, ok := strings.Cut(text, "stderr: "); ok && strings.TrimSpace(behind) != "" {
		text = behind
	}
	if folder, err := filepath.Abs(l.options.Folder); err == nil {
		text = strings.ReplaceAll(text, folder+string(filepath.Separator), "")
		text = strings.ReplaceAll(text, folder, ".")
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
			lines = append(lines, strings.TrimPrefix(line, "go: "))
		}
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
}

// filePattern begins the pattern of the package that a file belongs to.
const filePattern = "file="

// found returns an error if there is no package, or if a requested file belongs to none.
func (l *loader) found(loaded []*packages.Package, patterns []string) error {
	for _, p := range patterns {
		name, ok := strings.CutPrefix(p, filePattern)
		if !ok {
			continue
		}
		wanted, err := filepath.Abs(filepath.Join(l.options.Folder, name))
		if filepath.IsAbs(name) {
			wanted, err = name, nil
		}
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(loaded, func(p *packages.Package) bool {
			return slices.Contains(p.GoFiles, wanted) || len(p.Errors) > 0
		}) {
			return fmt.Errorf("%s is part of no Go package here: its build constraints or its name leave it out, or it uses cgo", name)
		}
	}
	if len(loaded) == 0 {
		if text := l.goCommandError(patterns); text != "" {
			return fmt.Errorf("loading Go packages: %s", text)
		}
		return fmt.Errorf("%s: the go command finds no package there; a folder with Go files belongs to a module, which go mod init begins",
			shownPatterns(patterns))
	}
	return nil
}

// withoutPackages are the go command's messages if a pattern matches nothing.
var withoutPackages = []string{"go.mod file not found", "outside main module", "outside module root", "outside available modules",
	"directory not found", "no Go files in", "matched no packages", "no such file or directory"}

// goCommandError returns the go command's error about patterns, or "". Package packages ignores it
// if go.mod is out of date.
func (l *loader) goCommandError(patterns []string) string {
	var stderr strings.Builder
	command := exec.Command("go", append([]string{"list"}, strings.Fields(shownPatterns(patterns))...)...)
	command.Dir, command.Stderr = l.options.Folder, &stderr
	if err := command.Run(); err == nil {
		return ""
	}
	text := l.flattened(stderr.String())
	if slices.ContainsFunc(withoutPackages, func(known string) bool { return strings.Contains(text, known) }) {
		return ""
	}
	return text
}

// location returns the span for the go command's file:line:column.
func (l *loader) location(text string) source.Span {
	parts := strings.Split(text, ":")
	if len(parts) < 3 {
		return source.Span{}
	}
	line, err := strconv.Atoi(parts[len(parts)-2])
	column, err2 := strconv.Atoi(parts[len(parts)-1])
	f := l.file(strings.Join(parts[:len(parts)-2], ":"))
	if err != nil || err2 != nil || f == nil {
		return source.Span{}
	}
	offset := 0
	for range line - 1 {
		next := strings.IndexByte(f.Text[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	offset = min(offset+column-1, len(f.Text))
	return f.Span(offset, min(offset+1, len(f.Text)))
}

// file returns a file of the set, and adds it if necessary.
func (l *loader) file(name string) *source.File {
	if f := l.texts[name]; f != nil {
		return f
	}
	text, changed := l.options.Overlay[name]
	if !changed {
		read := os.ReadFile
		if l.unit != nil && l.unit.ReadFile != nil {
			read = l.unit.ReadFile
		}
		var err error
		if text, err = read(name); err != nil {
			return nil
		}
	}
	f, err := l.set.Add(l.displayPath(name), string(text))
	if err != nil {
		return nil
	}
	l.texts[name] = f
	return f
}

// displayPath returns the name of a file in positions.
func (l *loader) displayPath(name string) string {
	if l.options.DisplayPath != nil {
		return l.options.DisplayPath(name)
	}
	return DisplayPath(l.options.Folder, name)
}

// DisplayPath returns the default name of a file in positions, for packages in a folder.
func DisplayPath(folder, name string) string {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return name
	}
	if relative, err := filepath.Rel(folder, name); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative)
	}
	return filepath.Base(name)
}

// span returns the span between two positions of the Go files.
func (l *loader) span(from, to token.Pos) source.Span {
	if !from.IsValid() {
		return source.Span{}
	}
	at := l.files.PositionFor(from, false)
	f := l.file(at.Filename)
	if f == nil {
		return source.Span{}
	}
	end := at.Offset + 1
	if to.IsValid() {
		end = max(end, l.files.PositionFor(to, false).Offset)
	}
	return f.Span(min(at.Offset, len(f.Text)), min(end, len(f.Text)))
}

// node returns the span of a node.
func (l *loader) node(n ast.Node) source.Span { return l.span(n.Pos(), n.End()) }

// problem adds an error about a kernel's declaration, with a hint as a note.
func (l *loader) problem(at source.Span, hint, format string, args ...any) {
	d := diag.Diagnostic{Code: diag.GoKernel, Span: at, Message: fmt.Sprintf(format, args...)}
	if hint != "" {
		d.Notes = []diag.Note{{Message: hint}}
	}
	l.list.Add(d)
}

// kernel is a function with the directive.
type kernel struct {
	declaration *ast.FuncDecl
	object      *types.Func
	of          *packages.Package
	workgroup   [3]int64
	sizes       string // the text of workgroup in the directive
	resident    int64
	// tuned are the tuned constants that the kernel depends on, and setting has their values. base
	// is nil for the package's own values; a variant's base is the kernel with these, and loader
	// has the variant's packages.
	tuned   []*tuned
	setting []int64
	base    *kernel
	loader  *loader
	// instances are the kernels that are compiled: the function, or one for each valid list of type
	// arguments.
	instances []*instance
	// refused says that its declaration, or something it calls, has errors.
	refused bool
}

// kernels returns the kernels of the requested packages, in the order of files and declarations,
// whether or not their directives are valid.
func (l *loader) kernels() (list []*kernel) {
	l.constants, l.variantErrors = map[*packages.Package][]*tuned{}, map[string]bool{}
	for _, p := range l.packages[:min(l.requested, len(l.packages))] {
		l.constants[p] = l.readTuned(p)
		for _, f := range p.Syntax {
			if l.isOfCgo(p, f.FileStart) {
				l.withC(p, f)
				continue
			}
			l.directives(f)
			for function := range kernelsOf(f) {
				if object, ok := p.TypesInfo.Defs[function.Name].(*types.Func); ok {
					k := &kernel{declaration: function, object: object, of: p}
					if object.Signature().TypeParams().Len() == 0 {
						k.instances = []*instance{{kernel: k, name: object.Name(), signature: object.Signature()}}
					}
					before := l.list.Errors()
					l.readOptions(k, directiveOf(function))
					k.refused = l.list.Errors() > before
					list = append(list, k)
				}
			}
		}
	}
	return list
}

// isOfCgo reports whether a position is in a file that cgo has generated from one that imports "C".
func (l *loader) isOfCgo(p *packages.Package, at token.Pos) bool {
	return !slices.Contains(p.GoFiles, l.files.PositionFor(at, false).Filename)
}

// withC reports the kernels of a file that imports "C".
func (l *loader) withC(p *packages.Package, f *ast.File) {
	for d := range kernelsOf(f) {
		l.problem(l.beforeCgo(p, d.Name), "move the kernel to a file that does not import it", "%s is in a file that imports \"C\", and kernels call no C", d.Name.Name)
	}
}

// beforeCgo returns the span of a name in the original of a file that cgo has generated.
func (l *loader) beforeCgo(p *packages.Package, name *ast.Ident) source.Span {
	if l.unit != nil {
		return l.node(name) // the tool that loaded the file maps positions
	}
	at := l.files.Position(name.Pos()) // from cgo's line directives
	if !filepath.IsAbs(at.Filename) || !slices.Contains(p.GoFiles, at.Filename) {
		for _, path := range p.GoFiles {
			if filepath.Base(path) == filepath.Base(at.Filename) {
				at.Filename = path
			}
		}
	}
	return l.location(at.String())
}

// build makes SSA of the packages and of the instances of kernels. Variants have packages of their
// own.
func (l *loader) build(kernels []*kernel) {
	if l.unit != nil {
		l.instantiate(l.unit.program(l.packages[0]), kernels)
	} else {
		program, _ := ssautil.Packages(l.packages, ssa.InstantiateGenerics)
		l.inOrder(func() { l.instantiate(program, kernels) })
	}
}
