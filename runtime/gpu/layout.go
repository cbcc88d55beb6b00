// Element types of buffers compared with the types of bindings. Each scalar of a binding has to be
// at an offset where the elements of the buffer have a scalar of its type. Equal types do not tell
// two swapped members apart, so the names of members count too.

package gpu

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// errLayout marks errors about types, which Embedded explains by stale code.
var errLayout = errors.New("the layouts differ")

// layoutError is an error about types. It is ErrShape and errLayout.
type layoutError string

func (e layoutError) Error() string   { return ErrShape.Error() + ": " + string(e) }
func (e layoutError) Unwrap() []error { return []error{ErrShape, errLayout} }

// hostKinds says for each kind of Go's numbers which scalars it is, and which wider ones it may be
// a part of. Bytes are raw storage for everything, other narrow integers for wider integers.
var hostKinds = [...]struct{ is, part scalar.Set }{
	reflect.Uint8:   {scalar.Of(scalar.U8, scalar.I8), wideIntegers | scalar.Of(scalar.F16, scalar.F32, scalar.F64, scalar.U16, scalar.I16)},
	reflect.Int8:    {scalar.Of(scalar.I8), wideIntegers | scalar.Of(scalar.U16, scalar.I16)},
	reflect.Uint16:  {scalar.Of(scalar.U16, scalar.F16), wideIntegers},
	reflect.Int16:   {scalar.Of(scalar.I16), wideIntegers},
	reflect.Uint32:  {is: scalar.Of(scalar.U32)},
	reflect.Int32:   {is: scalar.Of(scalar.I32)},
	reflect.Uint64:  {is: scalar.Of(scalar.U64)},
	reflect.Int64:   {is: scalar.Of(scalar.I64)},
	reflect.Float32: {is: scalar.Of(scalar.F32)},
	reflect.Float64: {is: scalar.Of(scalar.F64)},
}

const wideIntegers scalar.Set = 1<<scalar.I32 | 1<<scalar.U32 | 1<<scalar.I64 | 1<<scalar.U64

// comparison compares a binding's type with the type of a buffer's elements.
type comparison struct {
	host reflect.Type
	size uint64 // of host
	// limit is the size of a buffer with one element. Other buffers repeat it indefinitely.
	limit uint64
	// left is how many more scalars are compared. If the periods of both types differ there may be
	// billions.
	left int
}

// maxCompared limits a comparison to some hundredths of a second.
const maxCompared = 1 << 20

// compareLayouts returns what is wrong with a buffer with elements of type host for a binding of
// this layout, or "". One says that the buffer has one element.
func compareLayouts(name string, l *abi.Layout, host reflect.Type, one bool) string {
	if isRaw(host) {
		return ""
	}
	c := comparison{host: host, size: uint64(host.Size()), limit: 1 << 62, left: maxCompared}
	if one {
		c.limit = c.size
	}
	problem := ""
	if l.Runtime { // what one element says is plainer than what a later one does
		problem = c.compare(name+"[0]", l.Element, 0, 0)
	}
	if problem == "" {
		problem = c.compareSizes(name, l)
	}
	if problem == "" {
		problem = c.compare(name, l, 0, 0)
	}
	if problem == "" {
		return ""
	}
	if l.Element == nil || l.Element.Members != nil {
		problem += "; gpuc layout -lang go declares structures as the kernel has them"
	}
	return problem
}

// isRaw reports whether a type consists of bytes.
func isRaw(t reflect.Type) bool {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t.Kind() == reflect.Uint8
}

// compareSizes finds elements whose size differs from the stride, or a structure that is too short.
func (c *comparison) compareSizes(name string, l *abi.Layout) string {
	if k := c.host.Kind(); k != reflect.Struct && k != reflect.Array {
		return ""
	}
	stride := uint64(l.Size)
	if l.Runtime {
		stride = uint64(l.Stride)
	}
	switch {
	case l.Runtime && c.size > stride && c.isLonger(l.Element, stride), l.Runtime && stride%c.size != 0 && c.size%stride != 0:
		return fmt.Sprintf("elements of %s, %s, are %d bytes apart, and those of Go, %v, have %d bytes%s",
			name, l.Element.Type, stride, c.host, c.size, c.difference(l.Element, stride))
	case len(l.Members) > 0 && c.host.Kind() == reflect.Struct && c.size < stride && stride%c.size != 0 && !hasTail(l):
		return fmt.Sprintf("%s, %s, has %d bytes, and Go's %v has %d%s", name, l.Type, stride, c.host, c.size, c.difference(l, stride))
	}
	return ""
}

// isLonger reports whether Go's structure has fields beyond the kernel's, and is not a sequence of
// structures of that size. Plain numbers are: those of one element follow those of another.
func (c *comparison) isLonger(l *abi.Layout, stride uint64) bool {
	if l.Members == nil {
		return false
	}
	t := c.host
	for uint64(t.Size()) > stride {
		switch t.Kind() {
		case reflect.Array:
			t = t.Elem()
		case reflect.Struct:
			f, ok := fieldAt(t, 0)
			if !ok || uint64(f.Type.Size()) < stride {
				return true
			}
			t = f.Type
		default:
			return false
		}
	}
	return false
}

// difference says what Go's elements have in excess, or lack, compared with a layout of so many
// bytes.
func (c *comparison) difference(l *abi.Layout, want uint64) string {
	if c.size > want {
		for _, f := range fields(c.host, nil, 0) {
			if f.offset >= want {
				return fmt.Sprintf(": %s at %d is too much", f.name, f.offset)
			}
		}
		return ""
	}
	for _, m := range l.Members {
		if uint64(m.Offset) >= c.size && m.Name != "_" {
			return fmt.Sprintf(": it lacks %s at %d", m.Name, m.Offset)
		}
	}
	return fmt.Sprintf(": it lacks %d bytes of padding", want-c.size)
}

// hasTail reports whether a structure ends with an array whose length the buffer decides.
func hasTail(l *abi.Layout) bool { return l.Members[len(l.Members)-1].Runtime }

// compare returns what is wrong at an offset, or "". There the kernel has path, a variable or a
// part of one. Several of Go's structures may begin at the offset; the outer ones, taken of them,
// match structures of the kernel around path.
func (c *comparison) compare(path string, l *abi.Layout, at uint64, taken int) string {
	switch {
	case l.Element != nil:
		for n := range c.elements(l, at) {
			if found := c.compare(fmt.Sprintf("%s[%d]", path, n), l.Element, at+n*uint64(l.Stride), taken); found != "" || c.left <= 0 {
				return found
			}
			taken = 0
		}
	case l.Members != nil:
		found, taken := c.compareNames(path, l, at, taken)
		if found != "" {
			return found
		}
		for _, m := range l.Members {
			if m.Name == "_" { // of a kernel in Go, which has no use for it
				continue
			}
			if m.Offset > 0 {
				taken = 0
			}
			if found := c.compare(path+"."+m.Name, m.Layout, at+uint64(m.Offset), taken); found != "" || c.left <= 0 {
				return found
			}
		}
	default:
		bytes := uint64(l.Scalar.Bytes())
		for n := range uint64(l.Components) {
			if c.left--; !c.matches(l.Scalar, at+n*bytes) {
				return c.mismatch(path, l.Type, at, at+n*bytes)
			}
		}
		if l.Components > 1 && c.straddles(at, at+uint64(l.Size)) {
			return c.mismatch(path, l.Type, at, at)
		}
	}
	return ""
}

// elements returns how many elements of an array have to be compared: until Go's type repeats.
func (c *comparison) elements(l *abi.Layout, at uint64) uint64 {
	stride, count, end := uint64(l.Stride), uint64(l.Count), at+uint64(l.Stride)*uint64(l.Count)
	one := c.limit == c.size
	switch {
	case stride == 0:
		return 0
	case l.Runtime && one:
		count = (max(c.limit, at) - at) / stride
		end = at + count*stride
	case l.Runtime:
		count, end = 1<<62, 1<<62
	}
	// Go's type repeats with this period. The repeated elements are of type t, and the one with the
	// offset begins at from.
	period, t, from := c.size, c.host, at/c.size*c.size
	if one && t.Kind() != reflect.Array {
		period = 1 << 62
	}
	for {
		switch t.Kind() {
		case reflect.Array:
			if t.Len() == 0 || t.Size() == 0 {
				return count
			}
			if isNumber(t.Elem()) && l.Vectors { // which vectors may straddle
				return min(count, period/gcd(period, stride))
			}
			t = t.Elem()
			period = uint64(t.Size())
			from += (at - from) / period * period
			continue
		case reflect.Struct:
			if f, ok := fieldAt(t, at-from); ok && end <= from+uint64(f.Offset+f.Type.Size()) {
				t, from = f.Type, from+uint64(f.Offset)
				continue
			}
		}
		return min(count, period/gcd(period, stride))
	}
}

func isNumber(t reflect.Type) bool { return t.Kind() != reflect.Array && t.Kind() != reflect.Struct }

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// scalarAt is what a Go type has at an offset.
type scalarAt struct {
	number reflect.Type // nil for padding
	at     uint64       // where the number begins
	// from and to are where the array or structure begins and ends that the number is an element or
	// a field of.
	from, to uint64
	path     string // if wanted
}

// find returns what the buffer has at an offset.
func (c *comparison) find(at uint64, named bool) (s scalarAt) {
	if at >= c.limit {
		return s
	}
	n := at / c.size
	base, t := n*c.size, c.host
	s.from, s.to = 0, 1<<62
	if named && (n > 0 || t.Kind() != reflect.Struct) {
		s.path = fmt.Sprintf("element %d", n)
	}
	for {
		switch t.Kind() {
		case reflect.Array:
			s.from, s.to = base, base+uint64(t.Size())
			t = t.Elem()
			n := (at - base) / uint64(t.Size())
			base += n * uint64(t.Size())
			if named {
				s.path += fmt.Sprintf("[%d]", n)
			}
		case reflect.Struct:
			f, ok := fieldAt(t, at-base)
			if !ok || f.Name == "_" {
				return s
			}
			s.from, s.to = base, base+uint64(t.Size())
			base, t = base+uint64(f.Offset), f.Type
			if named {
				s.path += "." + f.Name
			}
		case reflect.Complex64, reflect.Complex128: // an array of its two parts
			s.from, s.to = base, base+uint64(t.Size())
			part := reflect.TypeFor[float32]()
			if t.Kind() == reflect.Complex128 {
				part = reflect.TypeFor[float64]()
			}
			if second := base + uint64(part.Size()); at >= second {
				base = second
			}
			t = part
		default:
			s.number, s.at, s.path = t, base, strings.TrimPrefix(s.path, ".")
			return s
		}
	}
}

// fieldAt returns the field of a structure with a byte.
func fieldAt(t reflect.Type, at uint64) (reflect.StructField, bool) {
	for n := range t.NumField() {
		if f := t.Field(n); uint64(f.Offset) <= at && at < uint64(f.Offset+f.Type.Size()) {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// matches reports whether the buffer has a scalar of a kind at an offset.
func (c *comparison) matches(k scalar.Kind, at uint64) bool {
	for end := at + uint64(k.Bytes()); at < end; {
		s := c.find(at, false)
		if s.number == nil || s.at != at {
			return false
		}
		bytes := uint64(s.number.Size())
		fits := hostKinds[s.number.Kind()].part
		if bytes == uint64(k.Bytes()) {
			fits = hostKinds[s.number.Kind()].is
		}
		if !fits.Has(k) {
			return false
		}
		at += bytes
	}
	return true
}

// straddles reports whether a vector begins within an array or a structure of Go's, and ends after
// it: a [3]float32 is no vec3<f32> where another one follows 16 bytes later.
func (c *comparison) straddles(at, end uint64) bool {
	s := c.find(at, false)
	return s.number != nil && s.from < at && at < s.to && s.to < end
}

// of names Go's type in messages.
func (c *comparison) of() string {
	if isNumber(c.host) {
		return "the buffer of " + c.host.String()
	}
	return "Go's " + c.host.String()
}

// mismatch says what the kernel has at an offset, and what Go has there, or at the part of it that
// is wrong.
func (c *comparison) mismatch(path, kind string, at, wrong uint64) string {
	text := fmt.Sprintf("%s is %s at offset %d, where %s ", path, kind, at, c.of())
	s := c.find(wrong, true)
	switch {
	case wrong >= c.limit:
		text += fmt.Sprintf("has ended: it has %d bytes", c.size)
	case s.number == nil && wrong != at:
		text += fmt.Sprintf("has padding at %d", wrong)
	case s.number == nil:
		text += "has padding"
	case wrong != at || s.at != wrong:
		text += fmt.Sprintf("has %s %v at %d", s.path, s.number, s.at)
	case s.number == c.host:
		text += "has " + s.path
	default:
		text += fmt.Sprintf("has %s %v", s.path, s.number)
	}
	if f, ok := fieldNamed(c.host, plainName(path[strings.LastIndexByte(path, '.')+1:])); ok && c.host.Kind() == reflect.Struct && f.offset != at%c.size {
		text += fmt.Sprintf(" (its %s is at %d)", f.name, f.offset)
	}
	return text
}

// member is a field of a structure of Go's.
type member struct {
	name   string
	offset uint64
}

// fields lists the fields of a structure of Go that is at an offset of the kernel's structure l.
// Fields of embedded structures follow, and of structures that hold several of l's members. Without
// l only those of embedded ones do.
func fields(t reflect.Type, l *abi.Layout, at uint64) (list []member) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for n := range t.NumField() {
		f := t.Field(n)
		if f.Name == "_" {
			continue
		}
		offset := at + uint64(f.Offset)
		list = append(list, member{f.Name, offset})
		if f.Anonymous || l != nil && hasSeveral(l, offset, offset+uint64(f.Type.Size())) {
			list = append(list, fields(f.Type, l, offset)...)
		}
	}
	return list
}

// hasSeveral reports whether a member of a structure begins at this offset, and another one before
// end.
func hasSeveral(l *abi.Layout, at, end uint64) bool {
	n := slices.IndexFunc(l.Members, func(m abi.LayoutMember) bool { return uint64(m.Offset) == at })
	return n >= 0 && n+1 < len(l.Members) && uint64(l.Members[n+1].Offset) < end
}

// plainName normalises a name across languages: n_items is nItems and NItems.
func plainName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

func fieldNamed(t reflect.Type, plain string) (member, bool) {
	for _, f := range fields(t, nil, 0) {
		if plainName(f.name) == plain {
			return f, true
		}
	}
	return member{}, false
}

// compareNames compares the names of a structure's members with the fields of one of Go's
// structures at the same offset that is not taken (compare). It is the one with most of the names,
// and with most of them at their offsets. If none has any, the members may be fields of the
// structure around them.
//
// Names may differ. A name counts if Go has a field of that name at another offset that is
// certainly the same. That is so if all members have fields, or if the field at the member's offset
// is another's.
//
// It returns what is wrong, and how many of Go's structures are taken now.
func (c *comparison) compareNames(path string, l *abi.Layout, at uint64, taken int) (string, int) {
	c.left -= 50 // it takes as long as 50 scalars
	list, around, from := c.structures(at)
	var best names
	for n := taken; n < len(list); n++ {
		if found := namesOf(l, list[n], 0, 1<<62); found.known > best.known || found.known == best.known && found.right > best.right {
			best, taken = found, n+1
		}
	}
	if best.known == 0 && around != nil {
		best = namesOf(l, around, from, uint64(l.Size))
	}
	for n, wrong := range best.wrong {
		if wrong != "" {
			m := &l.Members[n]
			return fmt.Sprintf("%s.%s is %s at offset %d, where %s %s", path, m.Name, m.Type, at+uint64(m.Offset), c.of(), wrong), taken
		}
	}
	return "", taken
}

// structures lists Go's structures that begin at an offset, the outermost first. around is the
// innermost one that contains the offset, at from.
func (c *comparison) structures(at uint64) (list []reflect.Type, around reflect.Type, from uint64) {
	if at >= c.limit {
		return nil, nil, 0
	}
	rest, t := at%c.size, c.host
	for {
		switch t.Kind() {
		case reflect.Array:
			t = t.Elem()
			rest %= max(uint64(t.Size()), 1)
		case reflect.Struct:
			if rest == 0 {
				list = append(list, t)
			}
			around, from = t, rest
			f, ok := fieldAt(t, rest)
			if !ok {
				return list, around, from
			}
			rest, t = rest-uint64(f.Offset), f.Type
		default:
			return list, around, from
		}
	}
}

// names compares a structure of Go with the names of members.
type names struct {
	known int      // how many members have a field of their name
	right int      // how many have it at their offset
	wrong []string // by member what is wrong with it
}

// namesOf compares a structure's members with the fields of t in a number of bytes from an offset
// on.
func namesOf(l *abi.Layout, t reflect.Type, from, bytes uint64) (found names) {
	found.wrong = make([]string, len(l.Members))
	byName, byOffset := map[string][]member{}, map[uint64]member{}
	for _, f := range fields(t, l, -from) {
		if f.offset >= bytes { // those before from, too
			continue
		}
		byName[plainName(f.name)] = append(byName[plainName(f.name)], f) // a and A are two
		byOffset[f.offset] = f                                           // the innermost
	}
	known := map[string]bool{}
	all := true
	for _, m := range l.Members {
		known[plainName(m.Name)] = true
		all = all && (len(byName[plainName(m.Name)]) > 0 || m.Name == "_")
	}
	for n, m := range l.Members {
		same := byName[plainName(m.Name)]
		if len(same) == 0 {
			continue
		}
		found.known++
		other, has := byOffset[uint64(m.Offset)]
		switch {
		case slices.ContainsFunc(same, func(f member) bool { return f.offset == uint64(m.Offset) }):
			found.right++
		case has && known[plainName(other.name)]:
			found.wrong[n] = fmt.Sprintf("has %s, and %s at %d", other.name, same[0].name, same[0].offset)
		case all:
			found.wrong[n] = fmt.Sprintf("has %s at %d", same[0].name, same[0].offset)
		}
	}
	return found
}
