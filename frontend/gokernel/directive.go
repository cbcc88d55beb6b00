package gokernel

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// directive is the comment that makes a function a kernel.
const directive = "//gpuc:kernel"

// directiveOf returns the comment of a function that is a kernel, or nil.
func directiveOf(f *ast.FuncDecl) *ast.Comment {
	if f.Doc == nil {
		return nil
	}
	for _, c := range f.Doc.List {
		if c.Text == directive || strings.HasPrefix(c.Text, directive+" ") {
			return c
		}
	}
	return nil
}

// workgroup reads the options of a directive: workgroup=X,Y,Z, where the sizes are constant
// expressions of the package, and those that are missing are 1.
func (l *loader) workgroup(p *types.Package, c *ast.Comment) (size [3]int64) {
	size = [3]int64{0, 1, 1}
	place := l.span(c.Pos(), c.End())
	for word := range strings.FieldsSeq(strings.TrimPrefix(c.Text, directive)) {
		name, value, _ := strings.Cut(word, "=")
		if name != "workgroup" {
			l.problem(place, "expected workgroup=SIZE, found %s", word)
			return size
		}
		sizes := strings.Split(value, ",")
		if len(sizes) > 3 {
			l.problem(place, "a workgroup has three dimensions at most, found %s", value)
			return size
		}
		for n, text := range sizes {
			ok := false
			if size[n], ok = l.evaluate(p, c.Pos(), text); !ok || size[n] < 1 || size[n] > 1024 {
				l.problem(place, "expected a constant from 1 to 1024 as the size of a workgroup, found %s", text)
				return size
			}
		}
	}
	if size[0] == 0 {
		l.problem(place, "a kernel needs the size of its workgroups, as in %s workgroup=64", directive)
	}
	return size
}

// evaluate evaluates an expression of a package.
func (l *loader) evaluate(p *types.Package, at token.Pos, text string) (int64, bool) {
	v, err := types.Eval(l.files, p, at, text)
	if err != nil || v.Value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v.Value))
}
