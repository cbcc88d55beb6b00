package gokernel

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file loads packages for which launchers are generated. Their own code already calls these
// launchers, and the file that has them may be missing, stale or broken. So that file is replaced
// by an empty one, and each file with kernels is extended by declarations of its launchers that
// accept any arguments.

// GeneratedFile is the file of a package that has its launchers.
const GeneratedFile = "gpuc_gen.go"

// MachineFile is the file of a package that registers the machine code of its kernels for the CPU,
// and AssemblyFile has that code.
const (
	MachineFile  = "gpuc_gen_amd64.go"
	AssemblyFile = "gpuc_gen_amd64.s"
)

// isGenerated reports whether a file is generated.
func isGenerated(path string) bool {
	base := filepath.Base(path)
	return base == GeneratedFile || base == MachineFile
}

// Package is a package that launchers are generated for.
type Package struct {
	Name, Path string
	// Folder is the folder of its files.
	Folder string
	// Kernels are in the order of files and declarations.
	Kernels []Kernel
	// Declared are the names in the package's scope.
	Declared map[string]bool
}

// Kernel is a kernel of a package, in its own module, so that its artefacts depend on nothing
// else.
type Kernel struct {
	Signature
	Module *ir.Module
}

// Names are the identifiers generated for a kernel.
type Names struct {
	Launch, Run, Go, Embedded, Values string
	// The identifiers for kernels with tuned constants: functions that measure and that read back,
	// the structure that selects a variant, and the variable with all variants.
	Tune, Tuned, Variant, Variants string
}

// ArchiveName is the generated variable with the archive of all kernels of a package, and
// RecordsName the one with its records of tuning.
const (
	ArchiveName = "gpucArchive"
	RecordsName = "gpucTuning"
)

// NamesOf returns the identifiers generated for a kernel. The functions are exported if the kernel
// is.
func NamesOf(kernel string) Names {
	title := titled(kernel)
	n := Names{"Launch" + title, "Run" + title, "Go" + title, "gpucOf" + title, "gpucValuesOf" + title,
		"Tune" + title, "Tuned" + title, title + "Variant", "gpucVariantsOf" + title}
	if first, size := utf8.DecodeRuneInString(kernel); !unicode.IsUpper(first) {
		n.Launch, n.Run, n.Go = "launch"+title, "run"+title, "go"+title
		n.Tune, n.Tuned, n.Variant = "tune"+title, "tuned"+title, string(unicode.ToLower(first))+kernel[size:]+"Variant"
	}
	return n
}

// titled returns a name with a capital first letter.
func titled(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// list returns the identifiers of all kernels, and ofTuned the additional ones of kernels with
// tuned constants.
func (n Names) list() []string    { return []string{n.Launch, n.Run, n.Go, n.Embedded, n.Values} }
func (n Names) ofTuned() []string { return []string{n.Tune, n.Tuned, n.Variant, n.Variants} }

// LoadPackages makes modules of the kernels of packages, one for each kernel, as Load makes one of
// all. It returns nil after adding errors to list. Packages without kernels are in the result, and
// errors in them are not looked for unless kernels need them.
func LoadPackages(set *source.Set, options Options, list *diag.List, patterns ...string) (made []*Package, err error) {
	if err := needs(set, list); err != nil {
		return nil, err
	}
	defer diag.Recover(list, source.Span{}, "compiling Go kernels", func() { made = nil })
	before := list.Errors()
	l, kernels, err := loadGenerating(set, options, list, patterns)
	if err != nil || list.Errors() > before {
		return nil, err
	}
	if len(kernels) > 0 {
		l.build(kernels)
	}
	of := map[*packages.Package]*Package{}
	for _, p := range l.matched {
		made = append(made, &Package{Name: p.Name, Path: p.PkgPath, Folder: p.Dir})
		of[p] = made[len(made)-1]
	}
	// loaded anew if bodies of others were needed
	for _, p := range l.packages[:min(l.requested, len(l.packages))] {
		for _, m := range made {
			if m.Path == p.PkgPath {
				of[p] = m
				m.Declared = declaredNames(p)
			}
		}
	}
	for _, k := range kernels {
		var compiled []Kernel
		if k.base != nil {
			if list.Errors() == before {
				l.translateVariant(k, func(i *instance, separate *ir.Module) {
					compiled = append(compiled, Kernel{k.loader.signature(separate, i), separate})
				})
			}
			of[k.base.of].Kernels = append(of[k.base.of].Kernels, compiled...)
			continue
		}
		l.each(k, func(i *instance) {
			m := ir.NewModule(set)
			if l.translate(m, i); l.list.Errors() == 0 {
				compiled = append(compiled, Kernel{l.signature(m, i), m})
			}
		})
		for _, c := range compiled {
			if list.Errors() == before {
				l.divergent(c.Module)
			}
		}
		of[k.of].Kernels = append(of[k.of].Kernels, compiled...)
	}
	if list.Errors() > before {
		return nil, nil
	}
	l.warn()
	return made, nil
}

// loadGenerating loads packages and returns their kernels. First it declares launchers that accept
// any arguments. If type errors mention launchers, for example because they are used as values of a
// function type, or the archive, it declares them with their types instead. It does so second
// because calls that are about to be changed would not type-check.
func loadGenerating(set *source.Set, options Options, list *diag.List, patterns []string) (*loader, []*kernel, error) {
	load := func(list *diag.List, exact map[string][]byte) (*loader, []*kernel, error) {
		l := &loader{options: options, set: set, list: list, texts: map[string]*source.File{}, generating: true, exact: exact}
		if err := l.load(patterns); err != nil || list.Errors() > 0 {
			return l, nil, err
		}
		kernels, err := l.checkedKernels(patterns)
		return l, kernels, err
	}
	var first, second diag.List
	l, kernels, err := load(&first, nil)
	if err == nil && first.Errors() > 0 {
		if exact := l.exactly(first.Items()); exact != nil {
			if again, kernels, err := load(&second, exact); err == nil && second.Errors() == 0 {
				again.list = list
				return again, kernels, nil
			}
		}
	}
	for _, d := range first.Items() {
		list.Add(d)
	}
	l.list = list
	return l, kernels, err
}

// exactly returns files that declare launchers with their types, and the archive, for the packages
// with kernels. It returns nil if no error mentions a launcher or the archive.
func (l *loader) exactly(errors []diag.Diagnostic) map[string][]byte {
	files, concerned := map[string][]byte{}, false
	for _, p := range l.packages[:min(l.requested, len(l.packages))] {
		for _, d := range errors {
			if d.Code != diag.GoError {
				continue
			}
			for name := range l.launchers(p) {
				concerned = concerned || strings.Contains(d.Message, name)
			}
			// launchers of packages that these import are told by their type
			concerned = concerned || strings.Contains(d.Message, ArchiveName) || strings.Contains(d.Message, "(...any)")
		}
		if hasKernels(p) {
			files[filepath.Join(p.Dir, GeneratedFile)] = l.declarations(p)
		}
	}
	if !concerned {
		return nil
	}
	return files
}

// launchers returns the kernels of a package, by the names of their launchers.
func (l *loader) launchers(p *packages.Package) map[string]*types.Func {
	named := map[string]*types.Func{}
	for _, f := range p.Syntax {
		for d := range kernelsOf(f) {
			if object, ok := p.TypesInfo.Defs[d.Name].(*types.Func); ok {
				named[NamesOf(d.Name.Name).Launch] = object
			}
		}
	}
	return named
}

// declarations returns a file that declares the launchers of a package with their types.
func (l *loader) declarations(p *packages.Package) []byte {
	imports := map[string]string{"context": "gpuc0", gpuPath: "gpuc1"}
	spell := func(t types.Type) string {
		return types.TypeString(t, func(of *types.Package) string {
			if of == p.Types {
				return ""
			}
			if imports[of.Path()] == "" {
				imports[of.Path()] = fmt.Sprint("gpuc", len(imports))
			}
			return imports[of.Path()]
		})
	}
	var body strings.Builder
	fields := tunedFields(p.Dir)
	for _, kernel := range l.launchers(p) {
		buffers, values := "", ""
		var generic []string
		for p := range kernel.Signature().TypeParams().TypeParams() {
			generic = append(generic, p.Obj().Name()+" "+spell(p.Constraint()))
		}
		for v := range kernel.Signature().Params().Variables() {
			switch u := v.Type().Underlying().(type) {
			case *types.Pointer:
			case *types.Slice:
				buffers += ", _ *gpuc1.Buffer[" + spell(u.Elem()) + "]"
				values += ", _ " + spell(v.Type())
			default:
				if isView(v.Type()) {
					buffers += ", _ gpuc1." + types.Unalias(v.Type()).(*types.Named).Obj().Name() + "Buffer[" + spell(ViewElement(v.Type())) + "]"
					values += ", _ " + spell(v.Type())
				} else if !isItem(v.Type()) {
					buffers += ", _ " + spell(v.Type())
					values += ", _ " + spell(v.Type())
				}
			}
		}
		n, with := NamesOf(kernel.Name()), ""
		if len(generic) > 0 {
			with = "[" + strings.Join(generic, ", ") + "]"
		}
		variant := ""
		if fields != "" {
			variant = ", _ ..." + n.Variant
			fmt.Fprintf(&body, "type %s struct {%s}\n", n.Variant, fields)
			fmt.Fprintf(&body, "func %s%s(_ gpuc0.Context, _ *gpuc1.Stream, _ func(%s) gpuc1.Grid%s) (v %s, _ gpuc1.Tuning, _ error) { return }\n", n.Tune, with, n.Variant, buffers, n.Variant)
			fmt.Fprintf(&body, "func %s%s(_ *gpuc1.Stream, _ func(%s) gpuc1.Grid%s) (v %s, _ gpuc1.Tuning, _ error) { return }\n", n.Tuned, with, n.Variant, buffers, n.Variant)
		}
		fmt.Fprintf(&body, "func %s%s(_ *gpuc1.Stream, _ gpuc1.Grid%s%s) error { return nil }\n", n.Launch, with, buffers, variant)
		fmt.Fprintf(&body, "func %s%s(_ gpuc0.Context, _ *gpuc1.Device, _ gpuc1.Grid%s%s) error { return nil }\n", n.Run, with, values, variant)
		fmt.Fprintf(&body, "func %s%s(_ gpuc1.Grid%s) {}\n", n.Go, with, values)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "package %s\n", p.Name)
	for path, name := range imports {
		fmt.Fprintf(&text, "import %s %q\n", name, path)
	}
	return []byte(text.String() + "var _ gpuc0.Context\nvar " + ArchiveName + " string\n" + body.String())
}

// parse parses a file, extended by declarations of its launchers.
func (l *loader) parse(set *token.FileSet, name string, text []byte) (*ast.File, error) {
	const mode = parser.AllErrors | parser.ParseComments | parser.SkipObjectResolution
	if l.exact != nil {
		return parser.ParseFile(set, name, text, mode)
	}
	if isGenerated(name) {
		return parser.ParseFile(set, name, "package "+packageName(name, text)+"\n", mode)
	}
	if !bytes.Contains(text, []byte(directive)) {
		return parser.ParseFile(set, name, text, mode)
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, mode)
	if err != nil {
		return parser.ParseFile(set, name, text, mode)
	}
	longer := slices.Clone(text)
	fields := tunedFields(filepath.Dir(name))
	for d := range kernelsOf(f) {
		if d.Recv == nil && d.Name.Name != "_" {
			n := NamesOf(d.Name.Name)
			longer = append(longer, "\nfunc "+n.Launch+"(...any) error { return nil }"+
				"\nfunc "+n.Run+"(...any) error { return nil }"+
				"\nfunc "+n.Go+"(...any) {}"...)
			if fields != "" {
				longer = append(longer, "\ntype "+n.Variant+" struct {"+fields+"}"...)
				for _, function := range []string{n.Tune, n.Tuned} {
					longer = append(longer, "\nfunc "+function+"(...any) (v "+n.Variant+", _ "+inFile(f, gpuPath)+"Tuning, _ error) { return }"...)
				}
			}
		}
	}
	return parser.ParseFile(set, name, longer, mode)
}

// tunedFields returns the fields of the structure that selects a variant, or "" if a folder's files
// have no tuned constants. Which kernel depends on which constant is not known yet, so it has all.
func tunedFields(folder string) string {
	var list []string
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		name := filepath.Join(folder, entry.Name())
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte(tuneDirective)) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				continue
			}
			for _, s := range d.Specs {
				if s := s.(*ast.ValueSpec); s.Comment != nil && slices.ContainsFunc(s.Comment.List, isTune) {
					list = append(list, FieldOf(s.Names[0].Name)+" int")
				}
			}
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), "; ")
}

// inFile returns the qualifier of an imported package's names in a file.
func inFile(f *ast.File, path string) string {
	for _, s := range f.Imports {
		if s.Path.Value != strconv.Quote(path) {
			continue
		}
		switch {
		case s.Name == nil:
			return "gpu."
		case s.Name.Name == ".":
			return ""
		default:
			return s.Name.Name + "."
		}
	}
	return "gpu."
}

// packageName returns the package name for a generated file: that of the files with kernels in the
// folder or, without any, its own.
func packageName(name string, text []byte) string {
	clause := func(text []byte) string {
		if f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly); err == nil {
			return f.Name.Name
		}
		return ""
	}
	beside := ""
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*.go"))
	for _, other := range others {
		text, err := os.ReadFile(other)
		if err != nil || isGenerated(other) || strings.HasSuffix(other, "_test.go") {
			continue
		}
		found := clause(text)
		if found != "" && bytes.Contains(text, []byte(directive)) {
			return found
		}
		beside = cmp.Or(beside, found)
	}
	return cmp.Or(clause(text), beside, "main")
}

// renamed loads packages again if their generated files mislead the go command: the package has
// been renamed, or the package clause is broken. An overlay then replaces these files, with which
// the go command's export data cannot be used.
func (l *loader) renamed(loaded []*packages.Package, config *packages.Config, patterns []string) ([]*packages.Package, error) {
	if l.exact != nil {
		return loaded, nil
	}
	overlay := map[string][]byte{}
	for _, p := range loaded {
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
			if !isGenerated(name) {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			if right := packageName(name, text); right != p.Name {
				overlay[name] = []byte("package " + right + "\n")
			}
		}
	}
	if len(overlay) == 0 {
		return loaded, nil
	}
	l.files = token.NewFileSet()
	config.Fset, config.Overlay = l.files, overlay
	return packages.Load(config, patterns...)
}

// relevant keeps in l.packages only the packages that have kernels or that those import, and adds
// the errors of these. The first time it records all packages in l.matched. It fails if a pattern
// matches nothing.
//
// Errors of the go command about packages with sources are ignored: it compiles the files on disk,
// and the type checker reports the same errors.
func (l *loader) relevant() error {
	for _, p := range l.packages {
		if len(p.Syntax) == 0 && len(p.IgnoredFiles) == 0 && len(p.Errors) > 0 {
			return fmt.Errorf("loading Go packages: %s", p.Errors[0].Msg)
		}
	}
	first := l.matched == nil
	if first {
		l.matched = l.packages
	}
	needed := map[string]bool{}
	var need func(p *packages.Package)
	need = func(p *packages.Package) {
		if !needed[p.PkgPath] {
			needed[p.PkgPath] = true
			for _, i := range p.Imports {
				need(i)
			}
		}
	}
	for _, p := range l.packages[:min(l.requested, len(l.packages))] {
		if hasKernels(p) {
			need(p)
		}
	}
	l.packages = slices.DeleteFunc(slices.Clone(l.packages), func(p *packages.Package) bool { return !needed[p.PkgPath] })
	if first {
		l.requested = len(l.packages)
	}
	for _, p := range l.packages {
		generated := l.collisions(p)
		for _, e := range p.Errors {
			if name, again := redeclared(e.Msg); e.Kind == packages.ListError || again && generated[name] {
				continue // collisions has reported the latter
			}
			l.list.Add(diag.Diagnostic{Code: diag.GoError, Span: l.location(e.Pos), Message: e.Msg})
		}
		p.IllTyped = false // an error of the go command sets it
	}
	return nil
}

func hasKernels(p *packages.Package) bool {
	for _, f := range p.Syntax {
		for range kernelsOf(f) {
			return true
		}
	}
	return false
}

// isStub reports whether a position is after the end of a file's text on disk.
func (l *loader) isStub(at token.Pos) bool {
	location := l.files.PositionFor(at, false)
	f := l.file(location.Filename)
	return f != nil && location.Offset > len(f.Text)
}

// collisions reports declarations of a package with names that are generated, and returns these
// names. It also reports kernels whose file names are the same on some systems.
func (l *loader) collisions(p *packages.Package) map[string]bool {
	generated, folded := map[string]bool{}, map[string]string{}
	tuned := tunedFields(p.Dir)
	refuse := func(at ast.Node, format string, args ...any) {
		l.list.Add(diag.Diagnostic{Code: diag.GoKernel, Span: l.span(at.Pos(), at.End()), Message: fmt.Sprintf(format, args...)})
	}
	for _, f := range p.Syntax {
		for d := range kernelsOf(f) {
			if d.Name.Name == "_" {
				refuse(d.Name, "a kernel needs a name, which its launchers and files have")
				continue
			}
			for _, n := range NamesOf(d.Name.Name).list() {
				generated[n] = true
			}
			if tuned != "" {
				for _, n := range NamesOf(d.Name.Name).ofTuned() {
					generated[n] = true
				}
			}
			low := strings.ToLower(d.Name.Name)
			if other := folded[low]; other != "" {
				refuse(d.Name, "the files of kernels %s and %s have names that some systems cannot tell apart; rename one", other, d.Name.Name)
			}
			folded[low] = d.Name.Name
			if reserved[low] {
				refuse(d.Name, "the files of a kernel have its name, and Windows has none called %s; rename the kernel", d.Name.Name)
			}
		}
	}
	generated[ArchiveName] = true
	if tuned != "" {
		generated[RecordsName] = true
	}
	for _, f := range p.Syntax {
		if isGenerated(l.files.PositionFor(f.Pos(), false).Filename) {
			continue
		}
		for _, id := range topLevel(f) {
			if generated[id.Name] && !l.isStub(id.Pos()) {
				refuse(id, "gpuc gen makes a %s for a kernel, and the package has one; rename this one or the kernel", id.Name)
			}
		}
	}
	return generated
}

// reserved are names that files cannot have on Windows.
var reserved = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true,
	"com1": true, "com2": true, "com3": true, "com4": true, "com5": true, "com6": true, "com7": true, "com8": true, "com9": true,
	"lpt1": true, "lpt2": true, "lpt3": true, "lpt4": true, "lpt5": true, "lpt6": true, "lpt7": true, "lpt8": true, "lpt9": true}

// topLevel returns the names that a file declares at package level.
func topLevel(f *ast.File) (list []*ast.Ident) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				list = append(list, d.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					list = append(list, s.Name)
				case *ast.ValueSpec:
					list = append(list, s.Names...)
				}
			}
		}
	}
	return list
}

// declaredNames returns the names that a package declares.
func declaredNames(p *packages.Package) map[string]bool {
	names := map[string]bool{}
	for _, f := range p.Syntax {
		for _, id := range topLevel(f) {
			names[id.Name] = true
		}
	}
	return names
}

// redeclared returns the name in a type checker's error about a redeclaration.
func redeclared(message string) (name string, ok bool) {
	if name, ok = strings.CutSuffix(message, " redeclared in this block"); ok {
		return name, true
	}
	return strings.CutPrefix(strings.TrimSpace(message), "other declaration of ")
}
