// Layouts: the types of bindings and immediates, parsed from the type names in descriptions, with
// the offset of each part.

package abi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir/scalar"
)

// Layout is a type in memory: a scalar, a vector, an array or a structure. A matrix is an array of
// its columns, and an atomic is its scalar.
type Layout struct {
	// Type is the type as the source spells it.
	Type string
	// Scalar is the kind of a scalar and of a vector's components. It is None for arrays and
	// structures.
	Scalar scalar.Kind
	// Components is how many a vector has. It is 1 for a scalar.
	Components uint32
	// Element, Count and Stride are those of an array. The buffer decides the count of a Runtime
	// array.
	Element *Layout
	Count   uint32
	Stride  uint32
	Runtime bool
	// Members are those of a structure, in their order.
	Members []LayoutMember
	// Vectors says that it is a vector or has some.
	Vectors bool
	// Size is the number of bytes. A runtime array counts as one element.
	Size, Align uint32
}

// LayoutMember is a member of a structure's layout.
type LayoutMember struct {
	Name   string
	Offset uint32
	*Layout
}

// LayoutOf returns the layout of a type in the kernel's description: the Type of a Binding, of
// Immediates or of a Member. It is nil if the description does not tell, as where it has no name
// for the type, or the buffer is a WGSL buffer_view.
func (k *Kernel) LayoutOf(name string) *Layout {
	if k == nil {
		return nil
	}
	r := layoutReader{structs: k.Structs, known: map[string]*Layout{}}
	return r.layout(name, 0)
}

// layoutReader parses types. Each structure is parsed once, since structures may contain each other
// many times.
type layoutReader struct {
	structs []Struct
	known   map[string]*Layout
}

// maxDepth limits how deeply types are nested. WGSL allows 15 (WGSL §2.4), kernels in Go any depth.
const maxDepth = 256

func (r *layoutReader) layout(name string, depth int) *Layout {
	if depth > maxDepth {
		return nil
	}
	if l := r.known[name]; l != nil {
		return l
	}
	if n := slices.IndexFunc(r.structs, func(s Struct) bool { return s.Name == name }); n >= 0 {
		l := r.structure(&r.structs[n], depth)
		r.known[name] = l
		return l
	}
	if kind := scalar.Named(name); kind != scalar.None {
		bytes := uint32(kind.Bytes())
		return &Layout{Type: name, Scalar: kind, Components: 1, Size: bytes, Align: bytes}
	}
	head, rest, ok := strings.Cut(name, "<")
	inner, closed := strings.CutSuffix(rest, ">")
	if !ok || !closed {
		return nil
	}
	parts := splitArguments(inner)
	element := r.layout(parts[0], depth+1)
	if element == nil {
		return nil
	}
	l := &Layout{Type: name, Components: 1, Align: element.Align}
	var columns, rows uint32
	switch digits, isMatrix := strings.CutPrefix(head, "mat"); {
	case head == "atomic" && len(parts) == 1 && element.Components == 1:
		l.Scalar, l.Size = element.Scalar, element.Size
		return l
	case head == "array":
		l.Element, l.Runtime = element, true
		if parts = parts[1:]; len(parts) > 0 && !strings.HasPrefix(parts[0], stridePrefix) {
			count, ok := leadingNumber(parts[0])
			if !ok {
				return nil
			}
			l.Count, l.Runtime, parts = count, false, parts[1:]
		}
	case isMatrix && len(digits) == 3 && digits[1] == 'x' && element.Components == 1:
		columns, rows = uint32(digits[0]-'0'), uint32(digits[2]-'0')
		l.Element, l.Count, parts = vectorOf(element, rows), columns, parts[1:]
		l.Align = l.Element.Align
	case len(head) == 4 && head[:3] == "vec" && len(parts) == 1 && element.Components == 1:
		l = vectorOf(element, uint32(head[3]-'0'))
		return l
	default:
		return nil
	}
	l.Stride = (l.Element.Size + l.Align - 1) / l.Align * l.Align
	if len(parts) == 1 && strings.HasPrefix(parts[0], stridePrefix) {
		stride, ok := leadingNumber(parts[0][len(stridePrefix):])
		if !ok {
			return nil
		}
		l.Stride = stride
	}
	l.Size, l.Vectors = l.Stride, l.Element.Vectors
	if !l.Runtime {
		l.Size *= l.Count
	}
	return l
}

// stridePrefix precedes a stride that does not follow from an array's element or a matrix's column.
const stridePrefix = "stride "

// vectorOf returns a vector of scalars, aligned as WGSL has it (WGSL §14.4.1).
func vectorOf(element *Layout, components uint32) *Layout {
	align := 4 * element.Size
	if components == 2 {
		align = 2 * element.Size
	}
	return &Layout{Type: "vec" + strconv.Itoa(int(components)) + "<" + element.Type + ">", Scalar: element.Scalar, Components: components,
		Vectors: true, Size: components * element.Size, Align: align}
}

func (r *layoutReader) structure(s *Struct, depth int) *Layout {
	l := &Layout{Type: s.Name, Size: s.Size, Align: max(s.Align, 1), Components: 1}
	for _, m := range s.Members {
		member := r.layout(m.Type, depth+1)
		if member == nil {
			return nil
		}
		l.Vectors = l.Vectors || member.Vectors
		l.Members = append(l.Members, LayoutMember{Name: m.Name, Offset: m.Offset, Layout: member})
	}
	return l
}

// splitArguments splits a list of type arguments at its top-level commas.
func splitArguments(s string) (parts []string) {
	depth, from := 0, 0
	for n := range len(s) {
		switch s[n] {
		case '<':
			depth++
		case '>':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, strings.TrimSpace(s[from:n])), n+1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

// leadingNumber parses the digits that a constant such as 16u begins with.
func leadingNumber(s string) (n uint32, ok bool) {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	x, err := strconv.ParseUint(s[:end], 10, 32)
	return uint32(x), err == nil
}
