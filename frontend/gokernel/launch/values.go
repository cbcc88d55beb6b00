package launch

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir/diag"
)

// This file writes the function that converts a kernel's values to words. Their layout on devices
// is Go's, except that int, uint, bool and integers of 8 and 16 bits have one word each.

// values writes the function of an instance, if the kernel has values.
func (l *launcher) values(k *gokernel.Signature) {
	var parameters []string
	v := packer{launcher: l, k: k}
	name := gokernel.NamesOf(k.Name).Values
	for n := range k.Parameters {
		p := &k.Parameters[n]
		x := p.Type
		switch p.Kind {
		case gokernel.Value:
		case gokernel.View:
			x = gokernel.ViewLayout(x)
		default:
			continue
		}
		name := fmt.Sprint("a", len(parameters))
		parameters = append(parameters, name+" "+l.spell(x))
		v.put(part{text: name, shown: p.Name, word: int(p.Offset / 4)}, x)
	}
	// The alignment of 64-bit values may leave an unused word at the end.
	if words := int(k.ValueBytes / 4); v.words > words-2 {
		v.words = max(v.words, words)
	}
	if len(parameters) == 0 {
		return
	}
	if v.words*4 != int(k.ValueBytes) {
		panic(fmt.Sprintf("kernel %s has %d bytes of values in the module and %d words in Go", k.Name, k.ValueBytes, v.words))
	}
	fmt.Fprintf(&l.body, "\n// %s returns the values of %s as its launches take them.\nfunc %s(%s) (v [%d]uint32, err error) {\n%s\treturn v, nil\n}\n",
		name, k.Name, name, strings.Join(parameters, ", "), v.words, v.body.String())
}

// packer writes the statements of the function.
type packer struct {
	*launcher
	k     *gokernel.Signature
	body  strings.Builder
	words int // their number so far
	depth int // nesting of loops
}

// part is a part of a value.
type part struct {
	// text is the expression, and shown what messages call it.
	text, shown string
	// word is the index of its first word, and more what the enclosing loops add to that.
	word int
	more string
}

// put writes the conversion of a part.
func (v *packer) put(at part, t types.Type) {
	if size, _ := layout(t); size == 0 {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		v.number(at, t, u.Kind())
		v.words = max(v.words, at.word+words(u))
	case *types.Array:
		index := fmt.Sprint("i", v.depth)
		each := words(u.Elem())
		inner := part{text: at.text + "[" + index + "]", shown: at.shown + "[…]", word: at.word}
		v.depth++
		fmt.Fprintf(&v.body, "for %s := range %s {\n", index, at.text)
		inner.more = fmt.Sprintf("%s+%d*%s", at.more, each, index)
		v.put(inner, u.Elem())
		v.body.WriteString("}\n")
		v.depth--
		v.words = max(v.words, at.word+each*int(u.Len()))
	case *types.Struct:
		v.words = max(v.words, at.word+words(u))
		next := 0
		for f := range u.Fields() {
			size, align := layout(f.Type())
			next = (next + align - 1) / align * align
			inner := part{text: at.text + "." + f.Name(), shown: at.shown + "." + f.Name(), word: at.word + next, more: at.more}
			next += size
			switch {
			case f.Name() == "_":
			case !f.Exported() && f.Pkg().Path() != v.p.Path:
				v.list.Add(diag.Diagnostic{Code: diag.GoKernel, Span: v.k.Span, Message: fmt.Sprintf(
					"the launchers of %s cannot read %s, a field that package %s does not export; pass what the kernel needs of it", v.k.Name, inner.shown, f.Pkg().Name())})
			default:
				v.put(inner, f.Type())
			}
		}
	default:
		panic("no value of a kernel has the type " + t.String())
	}
}

// layout returns the size and the alignment of a type, in words.
func layout(t types.Type) (size, align int) {
	bytes, to := gokernel.Layout(t)
	return int(bytes+3) / 4, int(to+3) / 4
}

// words returns the number of words of a type's values.
func words(t types.Type) int {
	n, _ := layout(t)
	return n
}

// number writes the conversion of a scalar.
func (v *packer) number(at part, t types.Type, kind types.BasicKind) {
	word, second := fmt.Sprintf("v[%d%s]", at.word, at.more), fmt.Sprintf("v[%d%s]", at.word+1, at.more)
	x := at.text
	as := func(name string) string {
		if types.Identical(t, types.Typ[kind]) {
			return x
		}
		return name + "(" + x + ")"
	}
	switch kind {
	case types.Bool:
		fmt.Fprintf(&v.body, "if %s {\n%s = 1\n}\n", x, word)
	case types.Int:
		v.fits(at, as("int"), "int(int32(%s))")
		fmt.Fprintf(&v.body, "%s = uint32(%s)\n", word, x)
	case types.Uint:
		v.fits(at, as("uint"), "uint(uint32(%s))")
		fmt.Fprintf(&v.body, "%s = uint32(%s)\n", word, x)
	case types.Int8, types.Int16, types.Int32, types.Uint8, types.Uint16:
		fmt.Fprintf(&v.body, "%s = uint32(%s)\n", word, x)
	case types.Uint32:
		fmt.Fprintf(&v.body, "%s = %s\n", word, as("uint32"))
	case types.Float32:
		fmt.Fprintf(&v.body, "%s = %s.Float32bits(%s)\n", word, v.use("math", "math"), as("float32"))
	case types.Int64, types.Uint64:
		fmt.Fprintf(&v.body, "%s, %s = uint32(%s), uint32(uint64(%s)>>32)\n", word, second, x, x)
	case types.Float64:
		bits := fmt.Sprintf("%s.Float64bits(%s)", v.use("math", "math"), as("float64"))
		fmt.Fprintf(&v.body, "%s, %s = uint32(%s), uint32(%s>>32)\n", word, second, bits, bits)
	default:
		panic("no value of a kernel has the type " + t.String())
	}
}

// fits writes the check that an integer fits in 32 bits.
func (v *packer) fits(at part, x, cut string) {
	fmt.Fprintf(&v.body, "if "+cut+" != %s {\nreturn v, %s.TooLarge(%q, %q, %s)\n}\n", at.text, x, v.gen, v.k.Name, at.shown, x)
}
