package gokernel

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
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

// Options are what the front end can be told.
type Options struct {
	Math ir.Math
	// Folder is where patterns are looked up; "" is the current folder.
	Folder string
	// Shown, if not nil, says what a file is called in positions. By default that is relative to the folder,
	// for files in it, and the last element of the path for others.
	Shown func(path string) string
}

// loader is one call of Load.
type loader struct {
	options Options
	mode    packages.LoadMode // what is asked of the go command
	set     *source.Set
	list    *diag.List
	files   *token.FileSet
	// packages are those with bodies of functions, the ones asked for first.
	packages []*packages.Package
	asked    int
	program  *ssa.Program
	texts    map[string]*source.File // by name, what is in set already
	// generating says that launchers are going to be generated, for those of the packages matched that have
	// kernels.
	generating bool
	matched    []*packages.Package
	// places are where the parameters of the kernel lie that was translated last.
	places []place
	// exact are generated files with the functions that they are going to have, or nil.
	exact map[string][]byte
}

// Load makes a module of the kernels of Go packages, which patterns name as they do for the go
// command: ./physics, ./..., or a file. It returns nil after adding errors to list. The error is
// for what keeps packages from being loaded at all.
//
// The positions in the module are those of the files, named relative to the folder.
func Load(set *source.Set, options Options, list *diag.List, patterns ...string) (m *ir.Module, err error) {
	l := &loader{options: options, set: set, list: list, texts: map[string]*source.File{}}
	defer diag.Recover(list, source.Span{}, "compiling Go kernels", func() { m = nil })
	before := list.Errors()
	if err := l.load(patterns); err != nil {
		return nil, err
	}
	if list.Errors() > before {
		return nil, nil
	}
	kernels, err := l.passed(patterns)
	if err != nil || list.Errors() > before {
		return nil, err
	}
	if len(kernels) == 0 {
		return nil, fmt.Errorf("%s: no function is a kernel; one is if %s workgroup=64 stands above it", strings.Join(patterns, " "), directive)
	}
	m = ir.NewModule(set)
	l.build()
	for _, k := range kernels {
		l.translate(m, k)
	}
	if list.Errors() > before {
		return nil, nil
	}
	return m, nil
}

// passed returns the kernels if they pass the gate. Where these call functions of packages whose
// bodies have not been loaded, that is done.
func (l *loader) passed(patterns []string) ([]*kernel, error) {
	before := l.list.Errors()
	for {
		kernels := l.kernels()
		missing := l.gate(kernels)
		if len(missing) == 0 || l.list.Errors() > before {
			return kernels, nil
		}
		if err := l.load(append(slices.Clone(patterns), missing...)); err != nil || l.list.Errors() > before {
			return nil, err
		}
	}
}

// mode is what is asked of the go command: sources of the packages named, and the export data of
// what they import.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedExportFile

func (l *loader) load(patterns []string) error {
	l.files = token.NewFileSet()
	if l.mode == 0 { // the first load fills the build cache a little
		l.mode = loadMode()
	}
	config := &packages.Config{Mode: l.mode, Dir: l.options.Folder, Fset: l.files}
	if l.generating {
		config.ParseFile, config.Overlay = l.parse, l.exact
	}
	loaded, err := packages.Load(config, patterns...)
	if l.generating && err == nil {
		loaded, err = l.renamed(loaded, config, patterns)
	}
	if err != nil {
		return fmt.Errorf("loading Go packages: %w", err)
	}
	if l.asked == 0 {
		l.asked = len(loaded)
	}
	// Those that were asked for come first, as Load sorts them by name otherwise.
	if len(l.packages) > 0 {
		rank := func(p *packages.Package) int {
			for n, old := range l.packages[:l.asked] {
				if old.ID == p.ID {
					return n
				}
			}
			return l.asked
		}
		slices.SortStableFunc(loaded, func(p, q *packages.Package) int { return rank(p) - rank(q) })
	}
	l.packages = loaded
	if l.generating {
		return l.relevant()
	}
	for _, p := range loaded {
		checked := slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return e.Kind != packages.ListError })
		for _, e := range p.Errors {
			if e.Kind == packages.ListError {
				if checked { // the go command compiles, too, and finds the same in other words
					continue
				}
				if e.Pos == "" || e.Pos == "-" {
					return fmt.Errorf("loading Go packages: %s", e.Msg)
				}
			}
			l.list.Add(diag.Diagnostic{Code: diag.GoError, Span: l.place(e.Pos), Message: e.Msg})
		}
	}
	return nil
}

// place returns the place that the go command names as file:line:column.
func (l *loader) place(text string) source.Span {
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

// file returns a file of the set, which it adds if it is not there.
func (l *loader) file(name string) *source.File {
	if f := l.texts[name]; f != nil {
		return f
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	f, err := l.set.Add(l.shown(name), string(text))
	if err != nil {
		return nil
	}
	l.texts[name] = f
	return f
}

// shown returns how a file is called: relative to the folder if it lies there.
func (l *loader) shown(name string) string {
	if l.options.Shown != nil {
		return l.options.Shown(name)
	}
	folder, err := filepath.Abs(l.options.Folder)
	if err != nil {
		return name
	}
	if relative, err := filepath.Rel(folder, name); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative)
	}
	return filepath.Base(name)
}

// span returns the span of positions of the Go files.
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

// problem adds an error about a kernel's declaration.
func (l *loader) problem(at source.Span, format string, args ...any) {
	l.list.Add(diag.Diagnostic{Code: diag.GoKernel, Span: at, Message: fmt.Sprintf(format, args...)})
}

// kernel is a function with the directive.
type kernel struct {
	declaration *ast.FuncDecl
	object      *types.Func
	of          *packages.Package
	workgroup   [3]int64
	// function is the function's SSA form, once that is built.
	function *ssa.Function
}

// kernels returns the kernels of the packages that were asked for, in the order of files and
// declarations, whether or not their directives are right.
func (l *loader) kernels() (list []*kernel) {
	for _, p := range l.packages[:min(l.asked, len(l.packages))] {
		for _, f := range p.Syntax {
			for _, d := range f.Decls {
				function, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				c := directiveOf(function)
				if c == nil {
					continue
				}
				if object, ok := p.TypesInfo.Defs[function.Name].(*types.Func); ok {
					list = append(list, &kernel{function, object, p, l.workgroup(p.Types, c), nil})
				}
			}
		}
	}
	return list
}

// build makes SSA of the packages.
func (l *loader) build() {
	l.program, _ = ssautil.Packages(l.packages, ssa.InstantiateGenerics)
	l.program.Build()
}
