package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"sync"
)

// directive is the comment that makes a function a kernel.
const directive = "//gpuc:kernel"

// Limits of a workgroup. No device takes more items.
const (
	mostItems      = 1024
	mostDimensions = 3
)

// directiveOf returns the comment of a function that is a kernel, or nil.
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

func isDirective(c *ast.Comment) bool {
	return c.Text == directive || strings.HasPrefix(c.Text, directive+" ")
}

// meant matches comments that were to be the directive: with a space, or misspelt.
var meant = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^//(\s*gpuc:\s*[Kk]ern?[ea]?l?s?|\s+gpuc:kernel)(\s+workgroup=\S*)?$`)
})

// isMeant reports whether a comment was to be the directive, and is not.
func isMeant(c *ast.Comment) bool {
	return strings.Contains(c.Text, "gpuc:") && !isDirective(c) && meant().MatchString(c.Text)
}

// directives refuses the directives of a file that make no function a kernel.
func (l *loader) directives(f *ast.File) {
	of := map[*ast.Comment]*ast.FuncDecl{}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Doc != nil {
			for _, c := range d.Doc.List {
				of[c] = d
			}
		}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			switch {
			case isDirective(c) && of[c] == nil:
				l.problem(l.node(c), "it stands right above the line that begins with func, without an empty line between them", "%s stands above no function", directive)
			case isDirective(c) && directiveOf(of[c]) != c:
				l.problem(l.node(c), "", "%s is a kernel already by the directive above", of[c].Name.Name)
			case isMeant(c):
				l.problem(l.node(c), "without a space, and with a small k", "the directive of kernels is %s", directive)
			}
		}
	}
}

// workgroup reads the options of a directive: workgroup=X,Y,Z, where the sizes are constant
// expressions of the package, and those that are missing are 1.
func (l *loader) workgroup(p *types.Package, c *ast.Comment) (size [3]int64) {
	size = [3]int64{0, 1, 1}
	place := l.node(c)
	const form = "write " + directive + " workgroup=64, or workgroup=8,8, without spaces in it"
	for word := range strings.FieldsSeq(strings.TrimPrefix(c.Text, directive)) {
		name, value, found := strings.Cut(word, "=")
		if name != "workgroup" || !found {
			l.problem(place, form, "the one option of %s is workgroup=SIZE, found %s", directive, word)
			return size
		}
		if size[0] != 0 {
			l.problem(place, "", "workgroup is given twice")
			return size
		}
		sizes := strings.Split(value, ",")
		if len(sizes) > mostDimensions {
			l.problem(place, form, "a workgroup has %d dimensions at most, found %d", mostDimensions, len(sizes))
			return size
		}
		items := int64(1)
		for n, text := range sizes {
			var why string
			if size[n], why = l.evaluate(p, c.Pos(), text); why != "" {
				l.problem(place, form, "the size of a workgroup is a constant from 1 to %d, and %s", mostItems, why)
				return size
			}
			items *= size[n]
		}
		if items > mostItems {
			l.problem(place, "", "a workgroup has %d items at most, and %s makes %d", mostItems, value, items)
		}
	}
	if size[0] == 0 {
		l.problem(place, form, "a kernel needs the size of its workgroups")
	}
	return size
}

// evaluate evaluates an expression of a package as the size of a workgroup, or says what is
// wrong with it.
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
	if n, exact := constant.Int64Val(whole); exact && n >= 1 && n <= mostItems {
		return n, ""
	}
	if text == whole.String() {
		return 0, "this is " + text
	}
	return 0, fmt.Sprintf("%s is %s", text, whole)
}
