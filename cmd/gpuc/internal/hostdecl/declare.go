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

// This file declares structures in the languages of hosts, for `gpuc layout -lang`. Alignment is
// never left to the host's compiler: all padding is declared, and what it makes of that is held
// against WGSL's offsets.

// Language is one that structures can be declared in: what its types are called, and how it writes
// a structure. Its texts have $struct and $member for names, and $number for an offset or a size.
type Language struct {
	Name string
	// scalars are its types by those of the IR, f16 a number of 16 bits, and octet the type of
	// padding.
	scalars [scalar.Count]string
	octet   string
	// reserved are the words that no member can be called.
	reserved string
	// member returns the declaration of a member, and end is what is behind it.
	member      func(name string, t hostType) string
	end         string
	mark, gap   string // of a comment, and between it and code
	indent      string
	head        string // of the file
	open, close string
	offset      string // asserts where a member begins
	size        string // asserts the size
	after       string // what ends assertions
}

// languages lists them.
func languages() []*Language {
	return []*Language{&C, &Go, &Rust, &Python}
}

func Named(name string) *Language {
	for _, l := range languages() {
		if l.Name == name {
			return l
		}
	}
	return nil
}

func Names() string {
	var names []string
	for _, l := range languages() {
		names = append(names, l.Name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

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

// hostType is a type as a host has it: arrays of something. counts are the numbers of elements, the
// outermost first. Where the elements of an array have padding they have more elements themselves.
type hostType struct {
	base   string
	counts []uint32
}

// brackets writes the counts behind a name of C, or in front of an element of Go.
func (t hostType) brackets() string {
	text := ""
	for _, n := range t.counts {
		text += fmt.Sprintf("[%d]", n)
	}
	return text
}

// wrapped writes a type around its base, by a format of an element and a count.
func (t hostType) wrapped(form string) string {
	text := t.base
	for _, n := range slices.Backward(t.counts) {
		text = fmt.Sprintf(form, text, n)
	}
	return text
}

// declarations are structures that are declared in a language.
type declarations struct {
	*Language
	m     *ir.Module
	named map[ir.Type]string // what structures are called
}

// declarationsOf names structures, each differently and as nothing that is taken, with a prefix for
// languages where all names are in one space. A program in Go may have several of one name:
// instances of a generic one, and those of other packages.
func (l *Language) declarationsOf(m *ir.Module, list []*structs.Struct, prefix string, taken map[string]bool) *declarations {
	d := &declarations{l, m, map[ir.Type]string{}}
	for _, s := range list {
		d.named[s.T] = unique(l.nameOf(prefix+identifier(s.Name)), taken)
	}
	return d
}

// unique returns a name that is not taken yet, and takes it.
func unique(name string, taken map[string]bool) string {
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}

// identifier makes a name of letters, digits and underscores.
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

// scalarOf returns the type of the numbers in a type that is no structure.
func scalarOf(m *ir.Module, t ir.Type) ir.Type {
	for !m.IsScalar(t) {
		t = m.Element(t)
	}
	return t
}

// word returns a name that the language takes.
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
		list = append(list, unique(l.nameOf(s.Fields[n].Name), taken))
	}
	return list
}

// nameOf returns what a structure or a member is called: as in the program, but for Go, which
// exports it.
func (l *Language) nameOf(name string) string {
	if l == &Go {
		return exported(name)
	}
	return l.word(name)
}

// paddingName returns what padding that begins at an offset is called: nothing in Go.
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

// trailingArray is a comment that says where a structure's array without a length begins.
func (d *declarations) trailingArray(s *structs.Struct, mark string) string {
	if f := &s.Fields[len(s.Fields)-1]; f.Size == 0 {
		return fmt.Sprintf("%s %s: %s begins at byte %d, %s each\n", mark, f.Name, structs.TypeString(d.m, f.T), f.Offset, textfmt.Bytes(d.m.Stride(f.T)))
	}
	return ""
}

// Declare writes structures as a file.
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

// write writes structures, those that have nothing but an array as a comment.
func (d *declarations) write(b *strings.Builder, list []*structs.Struct) {
	for _, s := range list {
		if s.Size == 0 {
			fmt.Fprintf(b, "\n%s %s is an array whose length the buffer decides.\n%s", d.mark, s.Name, d.trailingArray(s, d.mark))
			continue
		}
		d.structure(b, s)
	}
}

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

// formatted is a file of Go as gofmt has it. Where it has only comments, nothing is imported.
func formatted(text string) string {
	if !strings.Contains(text, "unsafe.") {
		text = strings.Replace(text, "\nimport \"unsafe\"\n", "", 1)
	}
	made, err := format.Source([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("what is declared is no Go: %v", err))
	}
	return string(made)
}
