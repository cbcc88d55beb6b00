// Package hostdecl declares the structures of a program in the languages of hosts, and writes the C
// header of a build.
package hostdecl

import (
	"fmt"
	"go/format"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/structs"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Language is a language that structures can be declared in. Padding is declared explicitly, and
// assertions check the offsets, so that nothing depends on the host's alignment. The texts have
// $struct and $member for names, and $number for an offset or a size.
type Language struct {
	Name     string
	scalars  [scalar.Count]string // the types for scalars; an f16 is an integer of 16 bits
	octet    string               // the type of a byte of padding
	reserved string               // words that are no names of members
	// member returns the declaration of a member, and end is the text after it.
	member      func(name string, t hostType) string
	end         string
	mark, gap   string // of a comment, and between code and a comment
	indent      string
	head        string // of the file
	open, close string // of a structure
	offset      string // asserts the offset of a member
	size        string // asserts the size of a structure
	after       string // follows the assertions
}

// languages lists all languages.
func languages() []*Language {
	return []*Language{&C, &Go, &Rust, &Python}
}

// Named returns a language by name, or nil.
func Named(name string) *Language {
	for _, l := range languages() {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// Names lists the names of the languages in a sentence.
func Names() string {
	var names []string
	for _, l := range languages() {
		names = append(names, l.Name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// C is the language C and C++.
var C = Language{
	Name: "c",
	scalars: [scalar.Count]string{scalar.F32: "float", scalar.I32: "int32_t", scalar.U32: "uint32_t", scalar.F16: "uint16_t",
		scalar.I64: "int64_t", scalar.U64: "uint64_t", scalar.Bool: "uint32_t", scalar.F64: "double", scalar.I8: "int8_t", scalar.U8: "uint8_t", scalar.I16: "int16_t", scalar.U16: "uint16_t"},
	octet: "uint8_t",
	reserved: `auto break case char class const continue default delete do double else enum extern float for goto if inline int long
		namespace new operator private protected public register restrict return short signed sizeof static struct switch template this
		typedef union unsigned virtual void volatile while`,
	member: func(name string, t hostType) string { return t.base + " " + name + t.brackets() },
	end:    ";", mark: "//", gap: " ", indent: "\t",
	head: "#include <assert.h>\n#include <stddef.h>\n#include <stdint.h>\n",
	open: "\ntypedef struct $struct {\n", close: "} $struct;\n\n",
	offset: "static_assert(offsetof($struct, $member) == $number, \"$struct.$member lies elsewhere\");\n",
	size:   "static_assert(sizeof($struct) == $number, \"$struct has another size\");\n",
}

// Go is the language Go.
var Go = Language{
	Name: "go",
	scalars: [scalar.Count]string{scalar.F32: "float32", scalar.I32: "int32", scalar.U32: "uint32", scalar.F16: "uint16",
		scalar.I64: "int64", scalar.U64: "uint64", scalar.Bool: "uint32", scalar.F64: "float64", scalar.I8: "int8", scalar.U8: "uint8", scalar.I16: "int16", scalar.U16: "uint16"},
	octet:  "byte",
	member: func(name string, t hostType) string { return name + " " + t.brackets() + t.base },
	mark:   "//", gap: " ", indent: "\t",
	head: "package layout\n\nimport \"unsafe\"\n",
	open: "\ntype $struct struct {\n", close: "}\n\n// The compiler refuses these where the memory is another.\nvar (\n",
	offset: "\t_ [$number]struct{} = [unsafe.Offsetof($struct{}.$member)]struct{}{}\n",
	size:   "\t_ [$number]struct{} = [unsafe.Sizeof($struct{})]struct{}{}\n", after: ")\n",
}

// Rust is the language Rust.
var Rust = Language{
	Name: "rust",
	scalars: [scalar.Count]string{scalar.F32: "f32", scalar.I32: "i32", scalar.U32: "u32", scalar.F16: "u16",
		scalar.I64: "i64", scalar.U64: "u64", scalar.Bool: "u32", scalar.F64: "f64", scalar.I8: "i8", scalar.U8: "u8", scalar.I16: "i16", scalar.U16: "u16"},
	octet: "u8",
	reserved: `abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let loop
		macro match mod move mut override priv pub ref return self Self static struct super trait true try type typeof unsafe unsized
		use virtual where while yield`,
	member: func(name string, t hostType) string { return "pub " + name + ": " + t.wrapped("[%s; %d]") },
	end:    ",", mark: "//", gap: " ", indent: "    ",
	open: "\n#[repr(C)]\n#[derive(Clone, Copy)]\npub struct $struct {\n", close: "}\n\n",
	offset: "const _: () = assert!(core::mem::offset_of!($struct, $member) == $number);\n",
	size:   "const _: () = assert!(core::mem::size_of::<$struct>() == $number);\n",
}

// Python is the language Python, with ctypes.
var Python = Language{
	Name: "python",
	scalars: [scalar.Count]string{scalar.F32: "ctypes.c_float", scalar.I32: "ctypes.c_int32", scalar.U32: "ctypes.c_uint32", scalar.F16: "ctypes.c_uint16",
		scalar.I64: "ctypes.c_int64", scalar.U64: "ctypes.c_uint64", scalar.Bool: "ctypes.c_uint32",
		scalar.F64: "ctypes.c_double", scalar.I8: "ctypes.c_int8", scalar.U8: "ctypes.c_uint8", scalar.I16: "ctypes.c_int16", scalar.U16: "ctypes.c_uint16"},
	octet: "ctypes.c_uint8",
	reserved: `False None True and as assert async await break class continue def del elif else except finally for from global if import
		in is lambda nonlocal not or pass raise return try while with yield`,
	member: func(name string, t hostType) string { return fmt.Sprintf("(\"%s\", %s)", name, t.wrapped("%s * %d")) },
	end:    ",", mark: "#", gap: "  ", indent: "        ",
	head: "# numpy.dtype(Structure) makes a type of arrays of them.\nimport ctypes\n",
	open: "\n\nclass $struct(ctypes.Structure):\n    _fields_ = [\n", close: "    ]\n\n\n",
	offset: "assert $struct.$member.offset == $number\n",
	size:   "assert ctypes.sizeof($struct) == $number\n",
}

// hostType is a type of a host: nested arrays of a base type. Counts are the lengths, the outermost
// first. Padding of an element that is an array makes that array longer.
type hostType struct {
	base   string
	counts []uint32
}

// brackets returns the counts as [2][3], as C and Go write them.
func (t hostType) brackets() string {
	text := ""
	for _, n := range t.counts {
		text += fmt.Sprintf("[%d]", n)
	}
	return text
}

// wrapped returns the type by a format for an array, which gets the element and the count.
func (t hostType) wrapped(form string) string {
	text := t.base
	for _, n := range slices.Backward(t.counts) {
		text = fmt.Sprintf(form, text, n)
	}
	return text
}

// declarations are structures with their names in a language.
type declarations struct {
	*Language
	m     *ir.Module
	named map[ir.Type]string // what structures are called
}

// declarationsOf gives structures unique names with a prefix, and adds them to taken. A Go program
// may have several structures of one name: instances of a generic type, or of different packages.
func (l *Language) declarationsOf(m *ir.Module, list []*structs.Struct, prefix string, taken map[string]bool) *declarations {
	d := &declarations{l, m, map[ir.Type]string{}}
	for _, s := range list {
		d.named[s.T] = unique(l.nameOf(prefix+identifier(s.Name)), taken)
	}
	return d
}

// unique returns name, with underscores if it is taken, and adds it to taken.
func unique(name string, taken map[string]bool) string {
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}

// identifier replaces all characters but letters, digits and underscores.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, name)
}

// of returns the type of a member.
func (d *declarations) of(t ir.Type) hostType {
	m := d.m
	switch m.KindOf(t) {
	case ir.StructType:
		return hostType{base: d.named[t]}
	case ir.AtomicType:
		return d.of(m.Element(t))
	case ir.VectorType:
		n, _ := m.Count(t)
		return hostType{d.of(m.Element(t)).base, []uint32{n}}
	case ir.MatrixType, ir.ArrayType:
		n, _ := m.Count(t)
		each := d.of(m.Element(t))
		if padded := m.Stride(t); padded != m.Size(m.Element(t)) {
			each.counts = []uint32{padded / m.Size(scalarOf(m, t))}
		}
		return hostType{each.base, append([]uint32{n}, each.counts...)}
	}
	return hostType{base: d.scalars[t]}
}

// scalarOf returns the scalar type of a vector, matrix or array of scalars.
func scalarOf(m *ir.Module, t ir.Type) ir.Type {
	for !m.IsScalar(t) {
		t = m.Element(t)
	}
	return t
}

// word returns a name that is no reserved word.
func (l *Language) word(name string) string {
	if slices.Contains(strings.Fields(l.reserved), name) {
		name += "_"
	}
	return name
}

// exported returns a name that Go exports.
func exported(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	if upper := unicode.ToUpper(r); unicode.IsUpper(upper) {
		return string(upper) + name[n:]
	}
	return "X" + name
}

// memberNames returns the names of a structure's members in the language, all different.
func (l *Language) memberNames(s *structs.Struct) []string {
	taken := map[string]bool{}
	var list []string
	for n := range s.Fields {
		name := s.Fields[n].Name
		if name == "_" { // blank fields of Go
			name = fmt.Sprint("padding", s.Fields[n].Offset)
		}
		list = append(list, unique(l.nameOf(name), taken))
	}
	return list
}

// nameOf returns the name of a structure or member. In Go it is exported.
func (l *Language) nameOf(name string) string {
	if l == &Go {
		return exported(name)
	}
	return l.word(name)
}

// paddingName returns the name of padding at an offset.
func (l *Language) paddingName(names []string, offset uint32) string {
	if l == &Go {
		return "_"
	}
	name := fmt.Sprint("padding", offset)
	for slices.Contains(names, name) {
		name += "_"
	}
	return name
}

// trailingArray is a comment about a runtime-sized array at the end of a structure.
func (d *declarations) trailingArray(s *structs.Struct, mark string) string {
	if f := &s.Fields[len(s.Fields)-1]; f.Size == 0 {
		return fmt.Sprintf("%s %s: %s begins at byte %d, %s each\n", mark, f.Name, structs.TypeString(d.m, f.T), f.Offset, textfmt.Bytes(d.m.Stride(f.T)))
	}
	return ""
}

// Declare writes a file that declares structures.
func (l *Language) Declare(w io.Writer, m *ir.Module, list []*structs.Struct) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s Declared by gpuc layout: in memory these structures are what devices have.\n%s", l.mark, l.head)
	l.declarationsOf(m, list, "", map[string]bool{}).write(&b, list)
	text := b.String()
	if l == &Go {
		text = formatted(text)
	}
	io.WriteString(w, text)
}

// write declares structures. One that has only a runtime-sized array is a comment.
func (d *declarations) write(b *strings.Builder, list []*structs.Struct) {
	for _, s := range list {
		if s.Size == 0 {
			fmt.Fprintf(b, "\n%s %s is an array whose length the buffer decides.\n%s", d.mark, s.Name, d.trailingArray(s, d.mark))
			continue
		}
		d.structure(b, s)
	}
}

// structure declares a structure.
func (d *declarations) structure(b *strings.Builder, s *structs.Struct) {
	l, m := d.Language, d.m
	name, names := d.named[s.T], l.memberNames(s)
	line := func(member, comment string) {
		if comment != "" {
			comment = l.gap + l.mark + " " + comment
		}
		fmt.Fprintf(b, "%s%s%s%s\n", l.indent, member, l.end, comment)
	}
	fill := func(text, member string, number uint32) {
		b.WriteString(strings.NewReplacer("$struct", name, "$member", member, "$number", fmt.Sprint(number)).Replace(text))
	}
	fill(l.open, "", 0)
	for n := range s.Fields {
		f := &s.Fields[n]
		if f.Size > 0 {
			line(l.member(names[n], d.of(f.T)), structs.TypeString(m, f.T))
		}
		if p := s.Padding(n); p > 0 {
			line(l.member(l.paddingName(names, f.End()), hostType{l.octet, []uint32{p}}), "")
		}
	}
	b.WriteString(d.trailingArray(s, l.indent+l.mark))
	fill(l.close, "", 0)
	for n := range s.Fields {
		if f := &s.Fields[n]; f.Size > 0 {
			fill(l.offset, names[n], f.Offset)
		}
	}
	fill(l.size, "", s.Size)
	b.WriteString(l.after)
}

// formatted formats a Go file, and drops the import if nothing uses it.
func formatted(text string) string {
	if !strings.Contains(text, "unsafe.") {
		text = strings.Replace(text, "\nimport \"unsafe\"\n", "", 1)
	}
	made, err := format.Source([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("a declaration is not valid Go: %v", err))
	}
	return string(made)
}
