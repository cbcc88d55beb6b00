package main

import (
	"fmt"
	"go/format"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file declares structures in the languages of hosts, for `gpuc layout -lang`. Alignment is never left to
// the host's compiler: all padding is declared, and what it makes of that is held against WGSL's offsets.

// language is one that structures can be declared in.
type language struct {
	name string
	// scalars are its types by those of the IR. f16 is a number of 16 bits.
	scalars [scalar.Count]string
	// reserved are the words that no member can be called.
	reserved string
	declare  func(w io.Writer, m *ir.Module, list []*structure)
}

// languages lists them.
func languages() []*language {
	return []*language{&languageC, &languageGo, &languageRust, &languagePython}
}

func languageNamed(name string) *language {
	for _, l := range languages() {
		if l.name == name {
			return l
		}
	}
	return nil
}

func languageNames() string {
	var names []string
	for _, l := range languages() {
		names = append(names, l.name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

var languageC = language{
	name: "c",
	scalars: [scalar.Count]string{scalar.F32: "float", scalar.I32: "int32_t", scalar.U32: "uint32_t", scalar.F16: "uint16_t",
		scalar.I64: "int64_t", scalar.U64: "uint64_t", scalar.Bool: "uint32_t"},
	reserved: `auto break case char class const continue default delete do double else enum extern float for goto if inline int long
		namespace new operator private protected public register restrict return short signed sizeof static struct switch template this
		typedef union unsigned virtual void volatile while`,
}

var languageGo = language{
	name: "go",
	scalars: [scalar.Count]string{scalar.F32: "float32", scalar.I32: "int32", scalar.U32: "uint32", scalar.F16: "uint16",
		scalar.I64: "int64", scalar.U64: "uint64", scalar.Bool: "uint32"},
}

var languageRust = language{
	name: "rust",
	scalars: [scalar.Count]string{scalar.F32: "f32", scalar.I32: "i32", scalar.U32: "u32", scalar.F16: "u16",
		scalar.I64: "i64", scalar.U64: "u64", scalar.Bool: "u32"},
	reserved: `abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let loop
		macro match mod move mut override priv pub ref return self Self static struct super trait true try type typeof unsafe unsized
		use virtual where while yield`,
}

var languagePython = language{
	name: "python",
	scalars: [scalar.Count]string{scalar.F32: "ctypes.c_float", scalar.I32: "ctypes.c_int32", scalar.U32: "ctypes.c_uint32", scalar.F16: "ctypes.c_uint16",
		scalar.I64: "ctypes.c_int64", scalar.U64: "ctypes.c_uint64", scalar.Bool: "ctypes.c_uint32"},
	reserved: `False None True and as assert async await break class continue def del elif else except finally for from global if import
		in is lambda nonlocal not or pass raise return try while with yield`,
}

func init() {
	languageC.declare, languageGo.declare = declareC, declareGo
	languageRust.declare, languagePython.declare = declareRust, declarePython
}

// hostType is a type as a host has it: arrays of something. counts are the numbers of elements, the outermost
// first. Where the elements of an array have padding they have more elements themselves.
type hostType struct {
	base   string
	counts []uint32
}

// of returns the type of a member.
func (l *language) of(m *ir.Module, t ir.Type) hostType {
	switch m.KindOf(t) {
	case ir.StructType:
		return hostType{base: l.structName(m.StructName(t))}
	case ir.AtomicType:
		return l.of(m, m.Element(t))
	case ir.VectorType:
		n, _ := m.Count(t)
		return hostType{l.of(m, m.Element(t)).base, []uint32{n}}
	case ir.MatrixType, ir.ArrayType:
		n, _ := m.Count(t)
		each := l.of(m, m.Element(t))
		if padded := m.Stride(t); padded != m.Size(m.Element(t)) {
			each.counts = []uint32{padded / m.Size(scalarOf(m, t))}
		}
		return hostType{each.base, append([]uint32{n}, each.counts...)}
	}
	return hostType{base: l.scalars[t]}
}

// scalarOf returns the type of the numbers in a type that is no structure.
func scalarOf(m *ir.Module, t ir.Type) ir.Type {
	for !m.IsScalar(t) {
		t = m.Element(t)
	}
	return t
}

// structName returns what a structure is called: as in the program, but for Go, which exports it.
func (l *language) structName(name string) string {
	if l == &languageGo {
		return exported(name)
	}
	return l.word(name)
}

// word returns a name that the language takes.
func (l *language) word(name string) string {
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

// names returns what the members of a structure are called, each differently.
func (s *structure) names(of func(name string) string) []string {
	var list []string
	for n := range s.fields {
		name := of(s.fields[n].name)
		for slices.Contains(list, name) {
			name += "_"
		}
		list = append(list, name)
	}
	return list
}

// paddingName returns what padding that begins at an offset is called, where it needs a name.
func paddingName(names []string, offset uint32) string {
	name := fmt.Sprint("padding", offset)
	for slices.Contains(names, name) {
		name += "_"
	}
	return name
}

// behind says where an array without a length begins.
func (s *structure) behind(m *ir.Module, mark string) string {
	if n := len(s.fields) - 1; s.fields[n].size == 0 {
		f := &s.fields[n]
		return fmt.Sprintf("%s %s: %s begins at byte %d, %s each\n", mark, f.name, shownType(m, f.t), f.offset, byteCount(m.Stride(f.t)))
	}
	return ""
}

// declared are the structures that have members with a size.
func declared(list []*structure) []*structure {
	return slices.DeleteFunc(slices.Clone(list), func(s *structure) bool { return s.size == 0 })
}

// alone writes where the arrays begin that are all that their structures have.
func alone(w io.Writer, m *ir.Module, list []*structure, mark string) {
	for _, s := range list {
		if s.size == 0 {
			fmt.Fprintf(w, "\n%s %s is an array whose length the buffer decides.\n%s", mark, s.name, s.behind(m, mark))
		}
	}
}

// writtenBy begins every file.
const writtenBy = "Declared by gpuc layout: in memory these structures are what devices have."

func declareC(w io.Writer, m *ir.Module, list []*structure) {
	l := &languageC
	fmt.Fprintf(w, "// %s\n#include <assert.h>\n#include <stddef.h>\n#include <stdint.h>\n", writtenBy)
	for _, s := range declared(list) {
		name, names := l.structName(s.name), s.names(l.word)
		fmt.Fprintf(w, "\ntypedef struct %s {\n", name)
		for n := range s.fields {
			f := &s.fields[n]
			if f.size > 0 {
				t := l.of(m, f.t)
				fmt.Fprintf(w, "\t%s %s%s; // %s\n", t.base, names[n], brackets(t.counts), shownType(m, f.t))
			}
			if p := s.padding(n); p > 0 {
				fmt.Fprintf(w, "\tuint8_t %s[%d];\n", paddingName(names, f.end()), p)
			}
		}
		fmt.Fprintf(w, "%s} %s;\n\n", s.behind(m, "\t//"), name)
		for n := range s.fields {
			if f := &s.fields[n]; f.size > 0 {
				fmt.Fprintf(w, "static_assert(offsetof(%s, %s) == %d, \"%s.%s lies elsewhere\");\n", name, names[n], f.offset, name, names[n])
			}
		}
		fmt.Fprintf(w, "static_assert(sizeof(%s) == %d, \"%s has another size\");\n", name, s.size, name)
	}
	alone(w, m, list, "//")
}

// brackets writes the counts of an array of C, or of Go in front of its element.
func brackets(counts []uint32) string {
	text := ""
	for _, n := range counts {
		text += fmt.Sprintf("[%d]", n)
	}
	return text
}

func declareGo(w io.Writer, m *ir.Module, list []*structure) {
	l := &languageGo
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\npackage layout\n", writtenBy)
	if len(declared(list)) > 0 {
		fmt.Fprint(&b, "\nimport \"unsafe\"\n")
	}
	for _, s := range declared(list) {
		name, names := l.structName(s.name), s.names(exported)
		fmt.Fprintf(&b, "\ntype %s struct {\n", name)
		for n := range s.fields {
			f := &s.fields[n]
			if f.size > 0 {
				t := l.of(m, f.t)
				fmt.Fprintf(&b, "\t%s %s%s // %s\n", names[n], brackets(t.counts), t.base, shownType(m, f.t))
			}
			if p := s.padding(n); p > 0 {
				fmt.Fprintf(&b, "\t_ [%d]byte\n", p)
			}
		}
		fmt.Fprintf(&b, "%s}\n\n// The compiler refuses these where the memory is another.\nvar (\n", s.behind(m, "\t//"))
		for n := range s.fields {
			if f := &s.fields[n]; f.size > 0 {
				fmt.Fprintf(&b, "\t_ [%d]struct{} = [unsafe.Offsetof(%s{}.%s)]struct{}{}\n", f.offset, name, names[n])
			}
		}
		fmt.Fprintf(&b, "\t_ [%d]struct{} = [unsafe.Sizeof(%s{})]struct{}{}\n)\n", s.size, name)
	}
	alone(&b, m, list, "//")
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		panic(fmt.Sprintf("what is declared is no Go: %v", err))
	}
	w.Write(text)
}

func declareRust(w io.Writer, m *ir.Module, list []*structure) {
	l := &languageRust
	fmt.Fprintf(w, "// %s\n", writtenBy)
	for _, s := range declared(list) {
		name, names := l.structName(s.name), s.names(l.word)
		fmt.Fprintf(w, "\n#[repr(C)]\n#[derive(Clone, Copy)]\npub struct %s {\n", name)
		for n := range s.fields {
			f := &s.fields[n]
			if f.size > 0 {
				t := l.of(m, f.t)
				text := t.base
				for _, count := range slices.Backward(t.counts) {
					text = fmt.Sprintf("[%s; %d]", text, count)
				}
				fmt.Fprintf(w, "    pub %s: %s, // %s\n", names[n], text, shownType(m, f.t))
			}
			if p := s.padding(n); p > 0 {
				fmt.Fprintf(w, "    pub %s: [u8; %d],\n", paddingName(names, f.end()), p)
			}
		}
		fmt.Fprintf(w, "%s}\n\n", s.behind(m, "    //"))
		for n := range s.fields {
			if f := &s.fields[n]; f.size > 0 {
				fmt.Fprintf(w, "const _: () = assert!(core::mem::offset_of!(%s, %s) == %d);\n", name, names[n], f.offset)
			}
		}
		fmt.Fprintf(w, "const _: () = assert!(core::mem::size_of::<%s>() == %d);\n", name, s.size)
	}
	alone(w, m, list, "//")
}

func declarePython(w io.Writer, m *ir.Module, list []*structure) {
	l := &languagePython
	fmt.Fprintf(w, "# %s\n# numpy.dtype(Structure) makes a type of arrays of them.\nimport ctypes\n", writtenBy)
	for _, s := range declared(list) {
		name, names := l.structName(s.name), s.names(l.word)
		fmt.Fprintf(w, "\n\nclass %s(ctypes.Structure):\n    _fields_ = [\n", name)
		for n := range s.fields {
			f := &s.fields[n]
			if f.size > 0 {
				t := l.of(m, f.t)
				text := t.base
				for _, count := range slices.Backward(t.counts) {
					text = fmt.Sprintf("%s * %d", text, count)
				}
				fmt.Fprintf(w, "        (\"%s\", %s),  # %s\n", names[n], text, shownType(m, f.t))
			}
			if p := s.padding(n); p > 0 {
				fmt.Fprintf(w, "        (\"%s\", ctypes.c_uint8 * %d),\n", paddingName(names, f.end()), p)
			}
		}
		fmt.Fprintf(w, "    ]\n%s\n\n", s.behind(m, "    #"))
		for n := range s.fields {
			if f := &s.fields[n]; f.size > 0 {
				fmt.Fprintf(w, "assert %s.%s.offset == %d\n", name, names[n], f.offset)
			}
		}
		fmt.Fprintf(w, "assert ctypes.sizeof(%s) == %d\n", name, s.size)
	}
	alone(w, m, list, "#")
}
