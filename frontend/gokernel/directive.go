package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"regexp"
	"strings"
	"sync"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// directive is the comment that makes a function a kernel.
const directive = "//gpuc:kernel"

// Limits of a workgroup (WebGPU's maximum is 1024 items on most devices).
const (
	maxItems      = 1024
	maxDimensions = 3
)

// directiveOf returns the directive of a kernel, or nil for other functions.
func directiveOf(f *ast.FuncDecl) *ast.Comment {
	if f.Doc == nil {
		return nil
	}
	for _, c := range f.Doc.List {
		if isDirective(c) {
			return c
		}
	}
	return nil
}

// functionsOf iterates over the function declarations of a file, and kernelsOf over those that are
// kernels.
func functionsOf(f *ast.File) iter.Seq[*ast.FuncDecl] {
	return func(yield func(*ast.FuncDecl) bool) {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && !yield(d) {
				return
			}
		}
	}
}

func kernelsOf(f *ast.File) iter.Seq[*ast.FuncDecl] {
	return func(yield func(*ast.FuncDecl) bool) {
		for d := range functionsOf(f) {
			if directiveOf(d) != nil && !yield(d) {
				return
			}
		}
	}
}

func isDirective(c *ast.Comment) bool {
	return c.Text == directive || strings.HasPrefix(c.Text, directive+" ")
}

// misspeltDirective matches comments that seem intended as the directive: with a space, or
// misspelt.
var misspeltDirective = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^//(\s*gpuc:\s*[Kk]ern?[ea]?l?s?|\s+gpuc:kernel)(\s+(workgroup|types)=\S*)*$`)
})

// isMisspelt reports whether a comment looks like a misspelt directive.
func isMisspelt(c *ast.Comment) bool {
	return strings.Contains(c.Text, "gpuc:") && !isDirective(c) && misspeltDirective().MatchString(c.Text)
}

// directives reports the directives of a file that belong to no function.
func (l *loader) directives(f *ast.File) {
	of := map[*ast.Comment]*ast.FuncDecl{}
	for d := range functionsOf(f) {
		if d.Doc != nil {
			for _, c := range d.Doc.List {
				of[c] = d
			}
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			switch {
			case isDirective(c) && of[c] == nil:
				l.problem(l.node(c), "it belongs right above the line that begins with func, without an empty line between them", "%s is above no function", directive)
			case isDirective(c) && directiveOf(of[c]) != c:
				l.problem(l.node(c), "", "%s is a kernel already by the directive above", of[c].Name.Name)
			case isMisspelt(c):
				d := diag.Diagnostic{Code: diag.GoKernel, Span: l.node(c), Message: "the directive of kernels is " + directive, Notes: []diag.Note{{Message: "without a space, and with a small k"}}}
				if of[c] != nil && directiveOf(of[c]) == nil {
					end := misspeltDirective().FindStringSubmatchIndex(c.Text)[3]
					d.Fixes = []diag.Fix{{Kind: diag.FixDirective, Span: l.span(c.Pos(), c.Pos()+token.Pos(end)), Text: directive, Message: "write " + directive}}
				}
				l.list.Add(d)
			}
		}
	}
}

// option is a word of a directive, NAME=text.
type option struct {
	text string
	at   token.Pos   // of the text
	all  source.Span // the directive
}

// extent returns the span of a part of an option's text, given its offset in the text.
func (l *loader) extent(o option, offset int, part string) source.Span {
	from := o.at + token.Pos(offset)
	return l.span(from, from+token.Pos(len(part)))
}

// optionReaders read the options of a directive, by name, and report whether they are valid.
var optionReaders = map[string]func(l *loader, k *kernel, o option) bool{
	"workgroup": (*loader).workgroup,
	"types":     (*loader).types,
	"resident":  (*loader).resident,
}

// readOptions reads the options of a kernel's directive, up to the first error.
func (l *loader) readOptions(k *kernel, c *ast.Comment) {
	all := l.node(c)
	given := map[string]bool{}
	end := 0
	for word := range strings.FieldsSeq(strings.TrimPrefix(c.Text, directive)) {
		begin := end + strings.Index(c.Text[end:], word)
		end = begin + len(word)
		name, text, found := strings.Cut(word, "=")
		read := optionReaders[name]
		if read == nil || !found {
			l.problem(all, workgroupForm, "the options of %s are workgroup=SIZE, types=TYPES and resident=COUNT, found %s", directive, word)
			return
		}
		if given[name] {
			l.problem(all, "", "%s is given twice", name)
			return
		}
		given[name] = true
		if !read(l, k, option{text, c.Pos() + token.Pos(begin+len(name)+1), all}) {
			return
		}
	}
	if !given["workgroup"] {
		l.problem(all, workgroupForm, "a kernel needs the size of its workgroups")
	}
	if parameters := k.object.Signature().TypeParams(); parameters.Len() > 0 && !given["types"] {
		l.problem(l.node(k.declaration.Name), typesForm(parameters), "%s has type parameters, and its directive does not list the types to compile it for", k.object.Name())
	}
}

const workgroupForm = "write " + directive + " workgroup=64, or workgroup=8,8, without spaces in it"

// workgroup reads the option workgroup=X,Y,Z. The sizes are constant expressions in the package's
// scope; omitted ones are 1.
func (l *loader) workgroup(k *kernel, o option) bool {
	k.workgroup, k.sizes = [3]int64{0, 1, 1}, o.text
	sizes := strings.Split(o.text, ",")
	if len(sizes) > maxDimensions {
		l.problem(o.all, workgroupForm, "a workgroup has %d dimensions at most, found %d", maxDimensions, len(sizes))
		return false
	}
	items := int64(1)
	for n, text := range sizes {
		size, why := l.evaluate(k.of.Types, o.at, text)
		if why != "" {
			l.problem(o.all, workgroupForm, "the size of a workgroup is a constant from 1 to %d, and %s", maxItems, why)
			return false
		}
		k.workgroup[n] = size
		items *= size
	}
	if items > maxItems {
		l.problem(o.all, "", "a workgroup has %d items at most, and %s makes %d", maxItems, o.text, items)
	}
	return true
}

// maxResident is the most workgroups that a multiprocessor holds (CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability").
const maxResident = 32

// resident reads the option resident=COUNT, a constant expression: how many workgroups a
// multiprocessor is to hold at once, as the second of CUDA's launch bounds.
func (l *loader) resident(k *kernel, o option) bool {
	n, why := l.evaluate(k.of.Types, o.at, o.text)
	if why == "" && n > maxResident {
		why = fmt.Sprintf("this is %d", n)
	}
	if why != "" {
		l.problem(o.all, "", "resident is a constant from 1 to %d, and %s", maxResident, why)
		return false
	}
	k.resident = n
	return true
}

// evaluate evaluates an expression in a package's scope as a workgroup size, or says why it is
// none.
func (l *loader) evaluate(p *types.Package, at token.Pos, text string) (n int64, why string) {
	if text == "" {
		return 0, "there is none"
	}
	v, err := types.Eval(l.files, p, at, text)
	switch {
	case err != nil:
		return 0, text + " is not known here"
	case v.Value == nil:
		return 0, text + " is no constant"
	}
	whole := constant.ToInt(v.Value)
	if whole.Kind() != constant.Int {
		return 0, text + " is no whole number"
	}
	if n, exact := constant.Int64Val(whole); exact && n >= 1 && n <= maxItems {
		return n, ""
	}
	if text == whole.String() {
		return 0, "this is " + text
	}
	return 0, fmt.Sprintf("%s is %s", text, whole)
}
