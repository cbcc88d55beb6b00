package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// This file reads the directive of tuned constants, and finds the kernels that depend on them. The
// dependence is that of the source: which constants the functions name. The IR for one value says
// nothing about another. variants.go compiles such kernels for each value.

// tuneDirective is the comment after a constant that lists the values to compile kernels for.
const tuneDirective = "//gpuc:tune"

// maxVariants is the maximum number of variants of a kernel, which are all combinations of values.
// Each is compiled, embedded in the program, and measured when the kernel is tuned.
const maxVariants = 32

const (
	tuneForm     = "write const Tile = 16 " + tuneDirective + " 8 16 32"
	tuneLocation = "it follows a constant of the package, on the constant's line: const Tile = 16 " + tuneDirective + " 8 16 32"
	maxTuned     = 1<<31 - 1 // the int of devices
)

// tuned is a constant with the directive.
type tuned struct {
	object   *types.Const
	of       *packages.Package
	spec     *ast.ValueSpec
	at       source.Span // of the directive
	declared int64       // the value in the source
	// values are the listed ones, which include declared.
	values []tunedValue
}

type tunedValue struct {
	value int64
	at    source.Span
}

func isTune(c *ast.Comment) bool {
	values, found := strings.CutPrefix(c.Text, tuneDirective)
	return found && (values == "" || values[0] == ' ' || values[0] == '\t')
}

// isMisspeltTune reports whether a comment looks like a misspelt directive of a tuned constant:
// only numbers follow a similar word, which tells it from prose.
func isMisspeltTune(c *ast.Comment) bool {
	text, found := strings.CutPrefix(strings.ToLower(strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))), "gpuc:")
	if isTune(c) || !found {
		return false
	}
	text, _, _ = strings.Cut(text, "//") // a comment after it
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t,:;=", r) })
	return len(words) > 0 && slices.Contains([]string{"tune", "tuned", "tunes", "tuning"}, words[0]) &&
		!slices.ContainsFunc(words[1:], func(word string) bool {
			_, err := strconv.ParseInt(word, 0, 64)
			return err != nil
		})
}

// readTuned returns the tuned constants of a package, in the order of files and declarations.
func (l *loader) readTuned(p *packages.Package) (list []*tuned) {
	for _, f := range p.Syntax {
		if !slices.ContainsFunc(f.Comments, func(g *ast.CommentGroup) bool {
			return slices.ContainsFunc(g.List, func(c *ast.Comment) bool { return isTune(c) || isMisspeltTune(c) })
		}) {
			continue
		}
		beside := map[*ast.Comment]*ast.ValueSpec{}
		below := map[*ast.ValueSpec]*ast.ValueSpec{} // the next line of a declaration
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				continue
			}
			for n, s := range d.Specs {
				s := s.(*ast.ValueSpec)
				if n > 0 {
					below[d.Specs[n-1].(*ast.ValueSpec)] = s
				}
				if s.Comment != nil {
					for _, c := range s.Comment.List {
						beside[c] = s
					}
				}
			}
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				switch {
				case isMisspeltTune(c):
					l.problem(l.node(c), "without a space before it or a sign after it, in small letters, and as that word", "the directive of tuned constants is %s", tuneDirective)
				case isTune(c) && beside[c] == nil:
					l.problem(l.node(c), tuneLocation, "%s is beside no constant of the package", tuneDirective)
				case isTune(c):
					if made := l.tuned(p, beside[c], below[beside[c]], c); made != nil {
						list = append(list, made)
					}
				}
			}
		}
	}
	for n, c := range list {
		if slices.ContainsFunc(list[:n], func(other *tuned) bool { return FieldOf(other.object.Name()) == FieldOf(c.object.Name()) }) {
			l.problem(c.at, "rename it", "%s is what variants call another tuned constant, too", FieldOf(c.object.Name()))
		}
	}
	return list
}

// tuned reads the directive of a constant; below is the next line of the declaration, or nil. It
// returns nil after adding an error.
func (l *loader) tuned(p *packages.Package, s, below *ast.ValueSpec, c *ast.Comment) *tuned {
	all := l.node(c)
	if len(s.Names) != 1 {
		l.problem(all, "give each a line of its own", "a tuned constant is declared by itself, and these are %d", len(s.Names))
		return nil
	}
	object, ok := p.TypesInfo.Defs[s.Names[0]].(*types.Const)
	if !ok || object.Name() == "_" {
		l.problem(all, "give it a name, which kernels call it by", "a tuned constant has a name")
		return nil
	}
	name := object.Name()
	if len(s.Values) != 1 {
		l.problem(all, tuneForm, "a tuned constant has its value on its line, and %s repeats the line above", name)
		return nil
	}
	if below != nil && len(below.Values) == 0 && below.Type == nil {
		// In a variant another value replaces the expression, which the line below would not
		// repeat.
		l.problem(all, "the line below repeats it; give that line a value of its own", "the value of a tuned constant is its own, and %s repeats that of %s", below.Names[0].Name, name)
		return nil
	}
	own, exact := int64(0), false
	if b, ok := object.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		own, exact = constant.Int64Val(constant.ToInt(object.Val()))
	}
	if !exact || own < 1 || own > maxTuned {
		l.problem(all, tuneForm, "a tuned constant is a whole number from 1 to %d, and %s is %s", maxTuned, name, object.Val())
		return nil
	}
	made := &tuned{object: object, of: p, spec: s, at: all, declared: own}
	end := len(tuneDirective)
	for word := range strings.FieldsSeq(c.Text[end:]) {
		begin := end + strings.Index(c.Text[end:], word)
		end = begin + len(word)
		if strings.HasPrefix(word, "//") {
			break // a comment, such as what is expected in tests
		}
		from := c.Pos() + token.Pos(begin)
		at := l.span(from, from+token.Pos(len(word)))
		n, err := strconv.ParseInt(word, 0, 64)
		switch {
		case err != nil && strings.Contains(word, ","):
			l.problem(at, "put a space between them, and no comma", "%s lists integers, and %s is none", tuneDirective, word)
			return nil
		case err != nil || n < 1 || n > maxTuned:
			l.problem(at, tuneForm, "%s lists whole numbers from 1 to %d, and %s is none", tuneDirective, maxTuned, word)
			return nil
		case slices.ContainsFunc(made.values, func(v tunedValue) bool { return v.value == n }):
			l.problem(at, "list it once", "%d is listed twice", n)
			return nil
		}
		made.values = append(made.values, tunedValue{n, at})
	}
	switch {
	case len(made.values) == 0:
		l.problem(all, tuneForm, "%s lists the values that %s may have, and there is none", tuneDirective, name)
		return nil
	case !slices.ContainsFunc(made.values, func(v tunedValue) bool { return v.value == own }):
		l.problem(all, fmt.Sprintf("list %d, too: it is what plain Go runs, and launches that name no variant", own), "%s is %d, which is not among its values", name, own)
		return nil
	case len(made.values) == 1:
		l.problem(all, "list another value, or leave the directive away", "%d is the only value of %s, which leaves nothing to choose", own, name)
		return nil
	}
	return made
}

// reach finds the tuned constants that a kernel depends on.
type reach struct {
	of        *packages.Package
	constants map[types.Object]*tuned
	// declared are the nodes that declare an object of the package.
	declared map[types.Object][]ast.Node
	seen     map[types.Object]bool
	found    map[*tuned]bool
}

func newReach(p *packages.Package, constants []*tuned) *reach {
	r := &reach{of: p, constants: map[types.Object]*tuned{}, declared: map[types.Object][]ast.Node{}}
	for _, c := range constants {
		r.constants[c.object] = c
	}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				r.declared[p.TypesInfo.Defs[d.Name]] = []ast.Node{d}
			case *ast.GenDecl:
				var repeated *ast.ValueSpec // what a constant without a value repeats
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						r.declared[p.TypesInfo.Defs[s.Name]] = []ast.Node{s}
					case *ast.ValueSpec:
						if len(s.Values) > 0 || s.Type != nil {
							repeated = s
						}
						for _, name := range s.Names {
							r.declared[p.TypesInfo.Defs[name]] = []ast.Node{s}
							if repeated != nil && d.Tok == token.CONST {
								r.declared[p.TypesInfo.Defs[name]] = []ast.Node{s, repeated}
							}
						}
					}
				}
			}
		}
	}
	return r
}

// kernel returns the constants that a kernel depends on, in the order of their declarations.
func (r *reach) kernel(k *kernel, constants []*tuned) (list []*tuned) {
	r.seen, r.found = map[types.Object]bool{}, map[*tuned]bool{}
	r.object(k.object)
	for _, i := range k.instances {
		if i.info != nil {
			for _, o := range i.info.Uses {
				r.object(o)
			}
		}
	}
	for _, text := range strings.Split(k.sizes, ",") {
		if e, err := parser.ParseExpr(text); err == nil {
			ast.Inspect(e, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					r.object(r.of.Types.Scope().Lookup(id.Name))
				}
				return true
			})
		}
	}
	for _, c := range constants {
		if r.found[c] {
			list = append(list, c)
		}
	}
	return list
}

// object visits the declaration of an object of the package. For a type it visits all methods,
// since a call of a type parameter's method names none of them.
func (r *reach) object(o types.Object) {
	if f, ok := o.(*types.Func); ok {
		o = f.Origin()
	}
	if o == nil || o.Pkg() != r.of.Types || r.seen[o] {
		return
	}
	r.seen[o] = true
	if c := r.constants[o]; c != nil {
		r.found[c] = true
		return
	}
	for _, n := range r.declared[o] {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				r.object(r.of.TypesInfo.Uses[id])
			}
			return true
		})
	}
	if t, ok := o.(*types.TypeName); ok {
		if named, ok := types.Unalias(t.Type()).(*types.Named); ok {
			for m := range named.Methods() {
				r.object(m)
			}
		}
	}
}

// FieldOf returns the name of a tuned constant's field in the structure that selects a variant,
// which is exported.
func FieldOf(constant string) string { return titled(constant) }

// atValue returns an error of a variant as one at the value that causes it.
func (k *kernel) atValue(d diag.Diagnostic) diag.Diagnostic {
	at := source.Span{}
	for n, c := range k.tuned {
		for _, v := range c.values {
			if at == (source.Span{}) && v.value == k.setting[n] && v.value != c.declared {
				at = v.at
			}
		}
	}
	notes := []diag.Note{{Span: d.Span, Message: "that is here"}}
	if d.Span == (source.Span{}) {
		notes = nil
	}
	return diag.Diagnostic{Code: d.Code, Span: at, Notes: append(notes, d.Notes...),
		Message: fmt.Sprintf("%s cannot have %s: %s", k.object.Name(), k.shownSetting(), d.Message)}
}

// shownSetting returns a variant's values in words: Tile = 8, Unroll = 2.
func (k *kernel) shownSetting() string {
	var list []string
	for n, c := range k.tuned {
		list = append(list, fmt.Sprintf("%s = %d", c.object.Name(), k.setting[n]))
	}
	return strings.Join(list, ", ")
}
