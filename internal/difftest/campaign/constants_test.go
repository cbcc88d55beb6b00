package campaign

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
)

// An element is a type of scalars that constants consist of.
type element struct {
	kind   scalar.Kind
	suffix string // of constants in IR text
}

var elements = []element{
	{scalar.Bool, ""}, {scalar.I8, "bi"}, {scalar.U8, "bu"}, {scalar.I16, "si"}, {scalar.U16, "su"}, {scalar.I32, "i"},
	{scalar.U32, "u"}, {scalar.I64, "li"}, {scalar.U64, "lu"}, {scalar.F16, "h"}, {scalar.F32, "f"}, {scalar.F64, "lf"},
}

// number returns scalar n of a constant, as IR text and as memory holds it. Signed types have
// negative numbers, integers use their whole width, and floats are those that f16 has exactly.
func (e element) number(n int) (text string, memory []byte) {
	var bits uint64
	negative := n%2 == 1
	float := float64(n) + 1.25
	if negative {
		float = -float
	}
	switch {
	case e.kind == scalar.Bool:
		bits = uint64(n^n>>1) & 1
		text = fmt.Sprint(bits == 1)
	case e.kind.IsFloat():
		text = fmt.Sprint(float)
		switch e.kind {
		case scalar.F16:
			fraction, exponent := math.Frexp(math.Abs(float))
			bits = uint64(exponent+14)<<10 + uint64((2*fraction-1)*1024)
			if negative {
				bits |= 1 << 15
			}
		case scalar.F32:
			bits = uint64(math.Float32bits(float32(float)))
		default:
			bits = math.Float64bits(float)
		}
	case e.kind.IsSigned():
		integer := int64(1)<<(e.kind.Bits()-2) + int64(n)
		if negative {
			integer = -integer
		}
		text, bits = fmt.Sprint(integer), uint64(integer)
	default:
		bits = 3<<(e.kind.Bits()-2) - uint64(n)
		text = fmt.Sprint(bits)
	}
	return text + e.suffix, binary.LittleEndian.AppendUint64(nil, bits)[:e.kind.Bytes()]
}

// A constant is a scalar, or has parts. What lies in a zero is zero.
type constant struct {
	typ    string
	parts  []*constant
	zero   bool
	text   string // of a scalar
	memory []byte
}

func (c *constant) String() string {
	switch {
	case c.zero:
		return "zero<" + c.typ + ">"
	case c.parts == nil:
		return c.text
	}
	var parts []string
	for _, p := range c.parts {
		parts = append(parts, p.String())
	}
	return c.typ + "(" + strings.Join(parts, ", ") + ")"
}

// clear makes a constant zero.
func (c *constant) clear() *constant {
	c.zero = true
	for _, p := range c.parts {
		p.clear()
	}
	clear(c.memory)
	return c
}

// leaf is a scalar of a constant and the way to it: the parts that lead there, and their indices.
type leaf struct {
	parts   []*constant // the constant itself first, the scalar last
	indices []int
}

func (c *constant) leaves() (list []leaf) {
	if c.parts == nil {
		return []leaf{{parts: []*constant{c}}}
	}
	for n, p := range c.parts {
		for _, l := range p.leaves() {
			list = append(list, leaf{append([]*constant{c}, l.parts...), append([]int{n}, l.indices...)})
		}
	}
	return list
}

// padding is what lies between members in memory.
const padding = 0xA5

// layout is the constant as buffers have it: only vectors of three are followed by padding, in
// arrays.
func (c *constant) layout() (memory []byte) {
	if c.parts == nil {
		return c.memory
	}
	for _, p := range c.parts {
		memory = append(memory, p.layout()...)
		if strings.HasPrefix(c.typ, "array<vec3") {
			memory = append(memory, bytes.Repeat([]byte{padding}, len(p.parts[0].memory))...)
		}
	}
	return memory
}

// maker makes constants and numbers their scalars.
type maker struct {
	element
	next int
}

func (m *maker) scalar() *constant {
	text, memory := m.number(m.next)
	m.next++
	return &constant{typ: m.kind.String(), text: text, memory: memory}
}

func (m *maker) vector(n int) *constant {
	c := &constant{typ: fmt.Sprintf("vec%d<%v>", n, m.kind)}
	for range n {
		c.parts = append(c.parts, m.scalar())
	}
	return c
}

func array(parts ...*constant) *constant {
	return &constant{typ: fmt.Sprintf("array<%s, %du>", parts[0].typ, len(parts)), parts: parts}
}

func (m *maker) array(n int, part func() *constant) *constant {
	var parts []*constant
	for range n {
		parts = append(parts, part())
	}
	return array(parts...)
}

func (m *maker) row() *constant { return m.array(3, m.scalar) }

const record = "S"

func (m *maker) record() *constant {
	return &constant{typ: record, parts: []*constant{m.scalar(), m.row(), m.scalar()}}
}

// shapes are the constants that are made of each type of elements.
var shapes = []struct {
	name string
	make func(m *maker) *constant
}{
	{"scalar", (*maker).scalar},
	{"vec2", func(m *maker) *constant { return m.vector(2) }},
	{"vec3", func(m *maker) *constant { return m.vector(3) }},
	{"vec4", func(m *maker) *constant { return m.vector(4) }},
	{"array", func(m *maker) *constant { return m.array(7, m.scalar) }},
	{"long array", func(m *maker) *constant { return m.array(21, m.scalar) }},
	{"array of vec3", func(m *maker) *constant { return m.array(2, func() *constant { return m.vector(3) }) }},
	{"array of arrays", func(m *maker) *constant { return m.array(2, m.row) }},
	{"array of arrays of arrays", func(m *maker) *constant { return m.array(2, func() *constant { return m.array(2, m.row) }) }},
	{"structure", (*maker).record},
	{"array of structures", func(m *maker) *constant { return m.array(4, m.record) }},
	{"zero part", func(m *maker) *constant { return array(m.row(), m.row().clear(), m.row()) }},
	{"zero structures", func(m *maker) *constant { return array(m.record().clear(), m.record(), m.record().clear()) }},
	{"zero member", func(m *maker) *constant {
		c := m.record()
		c.parts[1].clear()
		return c
	}},
	{"zero", func(m *maker) *constant { return m.array(6, m.scalar).clear() }},
}

// journeys are the ways of a constant to where it is read: what the module declares, and what the
// kernel does first. $T is its type and $C the constant. It is read from memory in a space, or is a
// value.
var journeys = []struct{ name, declare, do, space, from string }{
	{"initial value of a private variable", "var @g : ptr<private, $T> = $C\n", "", "private", "@g"},
	{"constant variable", "var @g : ptr<constant, $T> = $C\n", "", "constant", "@g"},
	{"store to a variable of the function", "", "  %g = var : ptr<function, $T>\n  store %g, $C\n", "function", "%g"},
	{"store to a private variable", "var @g : ptr<private, $T>\n", "  store @g, $C\n", "private", "@g"},
	{"store to a workgroup variable", "var @g : ptr<workgroup, $T>\n", "  store @g, $C\n", "workgroup", "@g"},
	{"stores of its scalars", "var @g : ptr<private, $T>\n", "$STORES", "private", "@g"},
	{"store to a buffer", "var @g : ptr<storage, $T, read_write> [group 0, binding 2]\n", "  store @g, $C\n", "storage", "@g"},
	{"copy of a constant variable", "var @c : ptr<constant, $T> = $C\n", "  %g = var : ptr<function, $T>\n  copy %g, @c\n", "function", "%g"},
	{"load of a constant variable", "var @c : ptr<constant, $T> = $C\n", "  %v = load @c : $T\n", "", "%v"},
	{"value", "", "", "", "$C"},
	{"result of an if", "", "  %v = if ^i %yes : $T {\n    exit ^i($C)\n  } else {\n    exit ^i(zero<$T>)\n  }\n", "", "%v"},
	{"parameter of a loop", "", `  %v = loop ^l(%w: $T = zero<$T>, %n: u32 = %z) : $T {
    %done = ge %n, 2u : bool
    if ^i %done {
      exit ^l(%w)
    } else {
      exit ^i()
    }
    continue ^l()
  } continuing() {
    %next = add %n, 1u : u32
    next ^l($C, %next)
  }
`, "", "%v"},
}

// constantKernel is a kernel that has a constant take a journey, and reads its scalars with indices
// that are known when it is compiled or not. What it must leave is want.
func constantKernel(e element, c *constant, journey int, known bool) (text string, want []byte) {
	j := &journeys[journey]
	out := e.kind.String()
	if e.kind == scalar.Bool {
		out = "u32"
	}
	index := func(l *leaf, n int) string {
		if known || l.parts[n].typ == record {
			return fmt.Sprintf("%du", l.indices[n])
		}
		return fmt.Sprintf("%%z%d", l.indices[n])
	}
	var stores, reads strings.Builder
	for n, l := range c.leaves() {
		path := ""
		for d := range l.indices {
			path += ", " + index(&l, d)
		}
		last := l.parts[len(l.parts)-1]
		address := j.from
		if path != "" && j.space != "" {
			pointer := fmt.Sprintf("ptr<%s, %v>", j.space, e.kind)
			if j.space == "storage" {
				pointer = fmt.Sprintf("ptr<storage, %v, read_write>", e.kind)
			}
			address = fmt.Sprintf("%%p%d", n)
			fmt.Fprintf(&stores, "  %%s%d = access @g%s : %s\n  store %%s%[1]d, %[4]v\n", n, path, pointer, last)
			fmt.Fprintf(&reads, "  %s = access %s%s : %s\n", address, j.from, path, pointer)
		} else {
			fmt.Fprintf(&stores, "  store @g, %v\n", last)
		}
		x := fmt.Sprintf("%%x%d", n)
		switch {
		case j.space != "":
			fmt.Fprintf(&reads, "  %s = load %s : %v\n", x, address, e.kind)
		case path == "":
			x = j.from
		default:
			from := j.from
			for d := range l.indices {
				to := fmt.Sprintf("%%e%d_%d", n, d)
				if d == len(l.indices)-1 {
					to = x
				}
				fmt.Fprintf(&reads, "  %s = extract %s, %s : %s\n", to, from, index(&l, d), l.parts[d+1].typ)
				from = to
			}
		}
		if e.kind == scalar.Bool {
			fmt.Fprintf(&reads, "  %%u%d = select %s, 1u, 0u : u32\n", n, x)
			x = fmt.Sprintf("%%u%d", n)
		}
		fmt.Fprintf(&reads, "  %%q%d = access @out, %[1]du : ptr<storage, %s, read_write>\n  store %%q%[1]d, %[3]s\n", n, out, x)
		want = append(want, last.memory...)
	}
	var b strings.Builder
	if strings.Contains(c.typ, record) {
		size := e.kind.Bytes()
		fmt.Fprintf(&b, "struct S [size %d, align %d] { a: %v [offset 0], b: array<%[3]v, 3u> [offset %[2]d], c: %[3]v [offset %[4]d] }\n", 5*size, size, e.kind, 4*size)
	}
	fill := strings.NewReplacer("$T", c.typ, "$C", c.String(), "$STORES", stores.String()).Replace
	fmt.Fprintf(&b, "var @in : ptr<storage, array<u32>, read> [group 0, binding 0]\nvar @out : ptr<storage, array<%s>, read_write> [group 0, binding 1]\n%s", out, fill(j.declare))
	b.WriteString("kernel @k() [workgroup 1u, 1u, 1u] {\n  %a = access @in, 0u : ptr<storage, u32, read>\n  %z = load %a : u32\n  %yes = eq %z, 0u : bool\n")
	for n := range 21 {
		fmt.Fprintf(&b, "  %%z%d = add %%z, %[1]du : u32\n", n)
	}
	b.WriteString(fill(j.do) + fill(reads.String()) + "  return\n}\n")
	return b.String(), want
}

// cpuWays names the tiers of the CPU device that there are.
func cpuWays(t *testing.T) (names []string) {
	for _, tier := range cpu.Tiers() {
		if tier == cpu.JIT.String() && jit.Available() != nil {
			t.Logf("without machine code: %v", jit.Available())
			continue
		}
		names = append(names, "cpu:"+tier)
	}
	return names
}

// TestConstants runs kernels that read constants of every element type and of many shapes through
// every address space and call. They run in each tier of the CPU device, on the checked device and
// on the emulators of SPIR-V and PTX.
func TestConstants(t *testing.T) {
	for _, name := range append(cpuWays(t), "cpu:checked", "spirv", "ptx") {
		t.Run(name, func(t *testing.T) {
			way, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			ran, lower, failed, at := 0, 0, 0, 0
			for _, e := range elements {
				for _, s := range shapes {
					c := s.make(&maker{element: e})
					for n, j := range journeys {
						if j.space == "storage" && e.kind == scalar.Bool {
							continue // buffers have none
						}
						for _, known := range []bool{false, true} {
							if at++; at%testmode.Count(48, 12, 3) != 0 {
								continue
							}
							text, want := constantKernel(e, c, n, known)
							test := &difftest.Case{Language: "ir", Code: text, Entry: "k", Dispatch: [3]int{1, 1, 1}, Bindings: []difftest.Binding{
								{Name: "in", Kind: "read-only-storage", Binding: 0, Data: make([]byte, 4), Want: make([]byte, 4)},
								{Name: "out", Kind: "storage", Binding: 1, Data: make([]byte, len(want)), Want: want},
							}}
							if j.space == "storage" {
								image := c.layout()
								test.Bindings = append(test.Bindings, difftest.Binding{Name: "g", Kind: "storage", Binding: 2, Data: bytes.Repeat([]byte{padding}, len(image)), Want: image})
							}
							for _, o := range []Configuration{{}, {NoOptimize: true}} {
								tally := &Tally{Lower: map[string]uint64{}}
								if _, err := way.run(test, o, func(string) {}, tally); err != nil {
									t.Errorf("%v, %s, %s, indices known: %v, %+v: %v\n%s", e.kind, s.name, j.name, known, o, err, text)
									if failed++; failed == 20 {
										t.FailNow()
									}
								}
								ran++
								lower += len(tally.Lower)
							}
						}
					}
				}
			}
			if t.Logf("%d kernels", ran); lower > 0 {
				t.Errorf("%d kernels ran in a lower tier", lower)
			}
		})
	}
}
