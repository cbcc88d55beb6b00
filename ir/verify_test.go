package ir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
)

// brokenRule is a program that breaks a rule.
type brokenRule struct{ name, body string }

// broken holds programs each of which breaks one rule, on the line whose comment says what the
// verifier finds there.
var broken = []brokenRule{
	{"use before definition in a nested block", `
		if ^i true {
			%a = add 1u, 2u : u32
			exit ^i()
		} else {
			exit ^i()
		}
		%b = add %a, 1u : u32 // want "not visible"
		return`},
	{"body value in the continuing block", `
		loop ^l() {
			%a = add 1u, 2u : u32
			continue ^l()
		} continuing {
			%b = add %a, 1u : u32 // want "not visible"
			next ^l() break_if true()
		}
		return`},
	{"operand types differ", `
		%a = add 1u, 2i : u32 // want "operand 2 is i32, want u32"
		return`},
	{"wrong class", `
		%a = sqrt 1u : u32 // want "does not fit"
		return`},
	{"wrong result", `
		%a = lt 1u, 2u : u32 // want "the result is u32, want bool"
		return`},
	{"block without terminator", `
		%a = add 1u, 2u : u32 // want "does not end with a terminator"`},
	{"terminator in the middle", `
		return // want "before the block's end"
		return`},
	{"exit count", `
		%r = scope ^s : u32 {
			exit ^s() // want "0 values for 1 results"
		}
		return`},
	{"exit type", `
		%r = scope ^s : u32 {
			exit ^s(1f) // want "value 1 is f32, want u32"
		}
		return`},
	{"exit to what does not enclose", `
		scope ^s {
			exit ^s()
		}
		exit ^s() // want "does not enclose"`},
	{"exit out of a continuing block", `
		scope ^s {
			loop ^l() {
				continue ^l()
			} continuing {
				exit ^s() // want "beyond a continuing block"
			}
			exit ^s()
		}
		return`},
	{"return out of a continuing block", `
		loop ^l() {
			continue ^l()
		} continuing {
			if ^i true {
				return // want "a return is inside a continuing block"
			} else {
				exit ^i()
			}
			next ^l() break_if true()
		}
		return`},
	{"load of an odd alignment", `
		%p = access @w, 0u : ptr<storage, u32, read_write>
		%v = load %p [align 3] : u32 // want "the alignment 3 is not a power of two"
		return`},
	{"store of an odd alignment", `
		%p = access @w, 0u : ptr<storage, u32, read_write>
		store %p, 1u [align 12] // want "the alignment 12 is not a power of two"
		return`},
	{"next elsewhere", `
		loop ^l() {
			next ^l() // want "does not end the continuing block"
		} continuing {
			next ^l()
		}
		return`},
	{"store to read-only memory", `
		%p = access @r, 0u : ptr<storage, u32>
		store %p, 1u // want "read-only"
		return`},
	{"store of another type", `
		%p = access @w, 0u : ptr<storage, u32, read_write>
		store %p, 1f // want "the value is f32, the memory u32"
		return`},
	{"dynamic member", `
		%n = array_length @r : u32
		%s = construct 1u : S
		%x = extract %s, %n : u32 // want "member index is not constant"
		return`},
	{"array length of a sized array", `
		%n = array_length @a : u32 // want "no runtime-sized array"
		return`},
	{"view of an array", `
		%v = view @r, 0u, 4u : ptr<storage, f32> // want "points to no buffer"
		return`},
	{"view into another space", `
		%v = view @b, 0u, 4u : ptr<workgroup, f32> // want "no pointer like the operand"
		return`},
	{"view that could be written", `
		%v = view @b, 0u, 4u : ptr<storage, f32, read_write> // want "no pointer like the operand"
		return`},
	{"view at a signed offset", `
		%v = view @b, 0i, 4u : ptr<storage, f32> // want "offset and size are u32"
		return`},
	{"load of a buffer", `
		%v = load @b : buffer // want "buffer cannot be loaded"
		return`},
	{"duplicate case", `
		switch ^s 1u { // want "occurs twice"
			case 1u, 1u {
				exit ^s()
			}
			default {
				exit ^s()
			}
		}
		return`},
	{"atomic on plain memory", `
		%p = access @w, 0u : ptr<storage, u32, read_write>
		%o = atomic_rmw %p, 1u [add] : u32 // want "points to no atomic"
		return`},
	{"bitcast of unequal sizes", `
		%a = bitcast 1u : vec2<u32> // want "equal size"
		return`},
	{"call with too few operands", `
		%a = call @helper : u32 // want "0 operands, want 1"
		return`},
}

const brokenHead = `struct S [size 4, align 4] { a: u32 [offset 0] }
override @o : u32 = 4u
override @few : bool = lt @o, 9u
var @r : ptr<storage, array<u32>> [group 0, binding 0]
var @w : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @a : ptr<workgroup, array<u32, 4u>>
var @b : ptr<storage, buffer> [group 0, binding 2]
fn @helper(%x: u32) : u32 {
	return %x
}
kernel @main() [workgroup 1u, 1u, 1u] {`

func TestVerifyFindsBrokenRules(t *testing.T) { findsBrokenRules(t, broken) }

func findsBrokenRules(t *testing.T, tests []brokenRule) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, set, items := ir.ParseString(brokenHead + test.body + "\n}\n")
			if m == nil {
				t.Fatalf("does not parse: %s", items[0].Message)
			}
			var list diag.List
			ir.Verify(m, &list)
			if list.Errors() == 0 {
				t.Fatal("the verifier finds nothing")
			}
			d := list.Items()[0]
			at := set.Position(d.Span.Start)
			line := set.Files()[0].Line(at.Line)
			_, want, found := strings.Cut(line, "// want ")
			if want = strings.Trim(want, "\""); !found || !strings.Contains(d.Message, want) {
				t.Errorf("line %d: %s\n%s", at.Line, d.Message, line)
			}
		})
	}
}

// TestVerifyBlocks makes control instructions that have fewer or more blocks than
// their operation, which the text form cannot say.
func TestVerifyBlocks(t *testing.T) {
	for _, test := range []struct {
		from, to op.Op
	}{{op.If, op.Scope}, {op.Loop, op.Scope}, {op.Scope, op.If}, {op.Scope, op.Loop}, {op.Switch, op.Loop}, {op.Switch, op.Switch}} {
		m, _, items := ir.ParseString(brokenHead + `
			if ^a true { exit ^a() } else { exit ^a() }
			loop ^b() { continue ^b() } continuing { next ^b() break_if true() }
			scope ^c { exit ^c() }
			switch ^d 1u { default { exit ^d() } case 1u { exit ^d() } case 2u { exit ^d() } }
			return
		}`)
		if m == nil {
			t.Fatal(items)
		}
		f := m.Func("main")
		i := f.First(f.Entry)
		for f.Op(i) != test.from {
			i = f.Next(i)
		}
		if f.SetOp(i, test.to); test.from == test.to {
			f.AddCase(i, m.ConstU32(3), 3)
		}
		var list diag.List
		if ir.Verify(m, &list); list.Errors() == 0 || !strings.Contains(list.Items()[0].Message, "the "+test.to.String()+" in @main has a wrong number of blocks") {
			t.Errorf("%s with the blocks of %s: %v", test.to, test.from, list.Items())
		}
	}
}

// TestVerifyKernels breaks rules about a kernel's head.
func TestVerifyKernels(t *testing.T) {
	for head, want := range map[string]string{
		"[workgroup 1u, 1u, 1u] [interface @w]":                     "",
		"[workgroup 1u, 1u, 1u] [subgroup_size 32u] [interface @w]": "",
		"[workgroup 1u, 1u, 1u] [interface @a]":                     "the variable @a is no resource",
		"[workgroup 1u, 1u, 1u] [subgroup_size 3u]":                 "no power of two",
		"[workgroup 1u, 1u, 1u] [check @o, @few]":                   "",
		`[workgroup 1u, 1u, 1u] [check @few "{} is too much" @o]`:   "",
		"[workgroup 1u, 1u, 1u] [check 1u]":                         "a check of @main is no override",
		`[workgroup 1u, 1u, 1u] [check @o "it is wrong"]`:           "a condition of @main is no bool",
		`[workgroup 1u, 1u, 1u] [check @few "{} is wrong" 1f]`:      "shows a value that is not an override-expression",
	} {
		text := strings.Replace(brokenHead, "[workgroup 1u, 1u, 1u]", head, 1) + "\nreturn\n}\n"
		m, _, items := ir.ParseString(text)
		if m == nil {
			t.Fatal(items)
		}
		again, _, _ := ir.ParseString(m.Text())
		if again == nil || again.Text() != m.Text() {
			t.Errorf("%s: does not parse to itself:\n%s", head, m.Text())
		}
		var list diag.List
		ir.Verify(m, &list)
		if found := list.Items(); len(found) > 1 || (len(found) > 0) != (want != "") || want != "" && !strings.Contains(found[0].Message, want) {
			t.Errorf("%s: %v, want %q", head, found, want)
		}
	}
}

// TestVerifyVariables breaks rules about variables that passes made or changed.
func TestVerifyVariables(t *testing.T) {
	const scratch = "var @x : ptr<storage, array<S>, read_write> [group 0, binding 0] [role scratch]"
	for text, want := range map[string]string{
		scratch: "",
		scratch + "\nvar @y : ptr<storage, array<S>, read_write> [group 0, binding 1] [role scratch]": "@y cannot have the role scratch, or another one has it",
		"var @x : ptr<storage, array<u32>, read_write> [group 0, binding 0] [role scratch]":           "@x cannot have the role scratch",
		"var @x : ptr<storage, array<S, 2u>, read_write> [group 0, binding 0] [role scratch]":         "@x cannot have the role scratch",
		"var @x : ptr<private, S> [role fault_record]":                                                "@x cannot have the role fault_record",
		"var @x : ptr<uniform, S> [group 0, binding 0] [role fault_record]":                           "@x cannot have the role fault_record",
		"var @x : ptr<storage, u32> [group 0, binding 0] [role tables] = 1u":                          "",
		"var @x : ptr<storage, u32> [group 0, binding 0] [role tables]":                               "@x cannot have the role tables",
		"var @x : ptr<storage, u32, read_write> [group 0, binding 0] [role tables] = 1u":              "@x cannot have the role tables",
		"var @x : ptr<storage, u32> [group 0, binding 0] = 1u":                                        "the resource @x has an initial value",
	} {
		m, _, items := ir.ParseString("struct S [size 4, align 4] { a: u32 [offset 0] }\n" + text + "\n")
		if m == nil {
			t.Fatalf("%s does not parse: %v", text, items)
		}
		var list diag.List
		ir.Verify(m, &list)
		if found := list.Items(); len(found) > 1 || (len(found) > 0) != (want != "") || want != "" && !strings.Contains(found[0].Message, want) {
			t.Errorf("%s: %v, want %q", text, found, want)
		}
	}
}

// TestVerifySizes holds types against the largest size, 2^32-2 bytes.
func TestVerifySizes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"var @x : ptr<storage, array<u32, 1073741823u>> [group 0, binding 0]", ""},
		{"var @x : ptr<storage, array<u32, 1073741824u>> [group 0, binding 0]", "array<u32, 1073741824u> has 4294967296 bytes"},
		{"var @x : ptr<storage, array<f16, 2147483647u>> [group 0, binding 0]", ""},
		{"var @x : ptr<storage, array<f16, 4u, stride 3000000000>> [group 0, binding 0]", "has 12000000000 bytes"},
		{"var @x : ptr<storage, array<array<u32, 1000000u>, 1000000u>> [group 0, binding 0]", "has 4000000000000 bytes"},
		{"struct S [size 4294967292, align 4] { a: u32 [offset 4294967288] }", ""},
		{"struct S [size 4294967292, align 4] { a: vec2<u32> [offset 4294967288] }", "member `a` ends at byte 4294967296"},
		{"struct S [size 8, align 4] { a: u32 [offset 0], b: array<u32> [offset 8] }", ""},
		{"struct S [size 4294967295, align 4] { a: u32 [offset 0] }", "has 4294967295 bytes or more"},
	} {
		m, _, items := ir.ParseString(test.text + "\n")
		if m == nil {
			t.Fatalf("%s does not parse: %v", test.text, items)
		}
		var list diag.List
		ir.Verify(m, &list)
		if test.want == "" && list.Errors() > 0 || test.want != "" && (list.Errors() != 1 || !strings.Contains(list.Items()[0].Message, test.want)) {
			t.Errorf("%s: %v, want %q", test.text, list.Items(), test.want)
		}
	}
}

func TestParseRefusesNonsense(t *testing.T) {
	for text, want := range map[string]string{
		"kernel":                               "expected `@`, found the end of the file",
		"fn @f() {\n %a = frobnicate 1u : u32": "no operation is called `frobnicate`",
		"fn @f() {\n %a = add %b, 1u : u32":    "%b is not defined before its use",
		"fn @f() {\n return 12":                "the number has no suffix",
		"fn @f() {\n return 4294967296u":       "is not a number of its kind",
		"fn @f() {\n exit ^x()":                "no enclosing instruction has the label ^x",
		"var @a : u32":                         "a ptr",
		"struct S [size 4, align 3] { }":       "not a power of two",
		"kernel @f() [workgroup 1u, 1u, 1u] [interface 1u] { return }": "an interface consists of variables",
		"fn @f() { %a = call @g : u32 return }":                        "no function is called `g`",
		"var @a : ptr<storage, u32> [group 0, binding 0] [role tale]":  "no role is called `tale`",
		"var @a : ptr<storage, u32> [binding 0]":                       "expected `group`",
		"kernel @f(%a: u32 [index]) [workgroup 1u, 1u, 1u] { return }": "no builtin is called `index`",
		"site x": "expected a quoted string",
		"var @a : ptr<storage, array<u32, 4294967296lu>>": "a u32 constant",
	} {
		m, _, items := ir.ParseString(text)
		if m != nil || len(items) == 0 || !strings.Contains(items[0].Message, want) {
			t.Errorf("%q: %v, want %q", text, items, want)
		}
	}
}

func TestBindOverrides(t *testing.T) {
	const text = `override @n : u32 = 4u [id 7]
override @m : u32 = mul @n, 2u
override @unset : f32
override @rest : u32 = rem @m, 16u
override @whole : bool = eq @rest, 0u
override @signed : i32 = bitcast @m
override @few : bool = lt @n, 65u
var @tile : ptr<workgroup, array<u32, @m>>
var @bytes : ptr<workgroup, buffer<@m>>
var @words : ptr<uniform, vec4<u32>> [group 0, binding 0]
kernel @main() [workgroup @n, 1u, 1u] [subgroup_size @n] [interface @words]
  [check @whole "this is {} and must be {} times something" @n, 16u] {
  %p = access @tile, 0u : ptr<workgroup, u32>
  %q = div 100u, @n : u32
  store %p, @m
  %o = access @tile, @m : ptr<workgroup, u32>
  store %o, 1u
  %b = array_length @bytes : u32
  return
}
kernel @whole() [workgroup 1u, 1u, 1u] [check @rest]
  [check @whole "this is {} and must be a multiple of 16" @signed]
  [check @few "there are too many"] {
  call @again
  return
}
fn @again()
  [check @few "there are too many"] {
  return
}
kernel @other() [workgroup 1u, 1u, 1u] {
  %x = add @unset, 1f : f32
  return
}
`
	bind := func(kernel string, settings ...ir.Setting) (*ir.Module, *diag.List) {
		m, _, items := ir.ParseString(text)
		if m == nil {
			t.Fatal(items)
		}
		list := new(diag.List)
		ir.Isolate(m, m.Func(kernel))
		ir.BindOverrides(m, settings, list)
		return m, list
	}
	m, list := bind("main", ir.Setting{Key: "7", Value: 16})
	if list.Errors() > 0 {
		t.Fatal(list.Items())
	}
	got := m.Text()
	if strings.Contains(got, "[check") {
		t.Errorf("there are checks left in\n%s", got)
	}
	for _, want := range []string{"array<u32, 32u>", "buffer<32u>", "[workgroup 16u, 1u, 1u] [subgroup_size 16u]", "div 100u, 16u", "store %p, 32u", "access @tile, 32u"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if m, list := bind("whole", ir.Setting{Key: "n", Value: 64}); list.Errors() > 0 || strings.Contains(m.Text(), "[check") {
		t.Errorf("conditions that hold: %v in\n%s", list.Items(), m.Text())
	}
	// in the order of the checks, and each condition once
	_, list = bind("whole", ir.Setting{Key: "n", Value: 1<<30 + 1})
	if items := list.Items(); len(items) != 2 || items[0].Message != "with the values given, this is -2147483646 and must be a multiple of 16" ||
		items[1].Message != "with the values given, there are too many" || !items[0].Span.Valid() {
		t.Errorf("got %v", items)
	}
	for _, test := range []struct {
		kernel  string
		setting ir.Setting
		want    string
	}{
		{"main", ir.Setting{Key: "n", Value: 66}, "with the values given, this is 66 and must be 16 times something"},
		{"other", ir.Setting{Key: "n", Value: 1}, "override `unset` has no default"},
		{"main", ir.Setting{Key: "size", Value: 1}, "no override `size`"},
		{"main", ir.Setting{Key: "n", Value: -1}, "out of range of u32"},
		{"other", ir.Setting{Key: "unset", Value: 1e300}, "override `unset`"},
		{"main", ir.Setting{Key: "n", Value: 0}, "0 elements"},
		{"main", ir.Setting{Key: "n", Value: 1 << 29}, "1073741824 elements of 4 bytes"},
	} {
		if _, list := bind(test.kernel, test.setting); list.Errors() == 0 || !strings.Contains(list.Items()[0].Message, test.want) {
			t.Errorf("%v: %v, want %q", test.setting, list.Items(), test.want)
		}
	}
}

// TestOverridesOf lists what kernels depend on: in their code, in types, in the workgroup and in
// checks, by way of other overrides too.
func TestOverridesOf(t *testing.T) {
	m, _, items := ir.ParseString(`override @size : u32 = 4u [id 7]
override @half : u32 = div @size, 2u
override @scale : f32
override @count : u32 = 9u
override @unused : bool
var @tile : ptr<workgroup, array<u32, @half>>
var @last : ptr<workgroup, array<u32, 3u>> = zero<array<u32, 3u>>
kernel @a() [workgroup 1u, 1u, 1u] {
  %p = access @tile, 0u : ptr<workgroup, u32>
  store %p, 5u
  return
}
kernel @b() [workgroup @count, 1u, 1u] {
  %x = add @scale, 1f : f32
  return
}
`)
	if m == nil {
		t.Fatal(items)
	}
	before := m.Text()
	for _, test := range []struct {
		kernel   string
		settings []ir.Setting
		want     string
	}{
		{"a", nil, "size=4 "},
		{"a", []ir.Setting{{Key: "7", Value: 16}, {Key: "unused", Value: 1}}, "size=16 "},
		{"b", []ir.Setting{{Key: "scale", Value: 1}}, "scale=1065353216 count=9 "},
		{"b", nil, ""}, // which does not bind
	} {
		got := ""
		for _, o := range ir.OverridesOf(m, test.kernel, test.settings) {
			got += fmt.Sprintf("%s=%d ", o.Name, o.Bits)
		}
		if got != test.want {
			t.Errorf("%s with %v: got %q, want %q", test.kernel, test.settings, got, test.want)
		}
	}
	if m.Text() != before {
		t.Error("the module is changed")
	}
}

// TestBindOverridesKeepsConstantsInterned binds the size of arrays that constants have: those that
// are equal then are one Value, as are those made later. The call has enough operands for a list of
// its own. The text form has no composites of a size to come, and so they replace zeros.
func TestBindOverridesKeepsConstantsInterned(t *testing.T) {
	const text = `override @n : u32 = 2u
var @a : ptr<private, array<u32, @n>>
var @b : ptr<private, array<u32, 2u>> = zero<array<u32, 2u>>
var @c : ptr<private, array<array<u32, @n>, 2u>>
fn @g(%w: array<u32, 2u>, %x: array<u32, @n>, %y: array<u32, 2u>, %z: array<u32, @n>) {
  return
}
fn @f() {
  store @b, zero<array<u32, 2u>>
  store @a, zero<array<u32, @n>>
  store @a, zero<array<u32, @n>>
  store @b, zero<array<u32, 2u>>
  store @c, zero<array<array<u32, @n>, 2u>>
  call @g, zero<array<u32, 2u>>, zero<array<u32, @n>>, zero<array<u32, 2u>>, zero<array<u32, @n>>
  return
}
`
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatal(items)
	}
	f := m.Func("f")
	var insts []ir.Inst
	for i := f.First(f.Entry); f.Op(i) != op.Return; i = f.Next(i) {
		insts = append(insts, i)
	}
	composite := func(t ir.Type) ir.Value {
		return m.ConstComposite(t, []ir.Value{m.ConstU32(7), m.ConstU32(9)})
	}
	array, unsized := m.Element(m.Globals[1].Type), m.Element(m.Globals[0].Type)
	nested := func(t ir.Type) ir.Value {
		return m.ConstComposite(m.ArrayWithStride(t, m.ConstU32(2), 8), []ir.Value{composite(t), m.Zero(t)})
	}
	pair, parent := composite(array), nested(array)
	m.Globals[0].Init = composite(unsized)
	f.SetArg(insts[2], 1, composite(unsized))
	f.SetArg(insts[3], 1, pair)
	f.SetArg(insts[4], 1, nested(unsized))
	f.SetArg(insts[5], 2, pair)
	f.SetArg(insts[5], 3, composite(unsized))
	other := m.ConstComposite(unsized, []ir.Value{m.ConstU32(1), m.ConstU32(2)})
	list := new(diag.List)
	ir.BindOverrides(m, nil, list)
	if list.Errors() > 0 {
		t.Fatal(list.Items())
	}
	var operands [][]ir.Value
	for _, i := range insts {
		args := f.Args(i)
		if f.Op(i) == op.Store {
			args = args[1:]
		}
		operands = append(operands, args)
	}
	zero := m.Zero(array)
	want := [][]ir.Value{{zero}, {zero}, {pair}, {pair}, {parent}, {zero, zero, pair, pair}}
	if d := cmp.Diff(want, operands); d != "" {
		t.Error("operands (-want +got):", d)
	}
	if init := m.Globals[0].Init; init != pair {
		t.Errorf("@a begins with constant %d, its equal is %d", init.Index(), pair.Index())
	}
	for range 2 {
		if again := m.ConstComposite(array, []ir.Value{m.ConstU32(1), m.ConstU32(2)}); again != other {
			t.Errorf("a constant of an array without a size is number %d, one made with it %d", other.Index(), again.Index())
		}
		if z, p := m.Zero(array), composite(array); z != zero || p != pair {
			t.Errorf("constants %d and %d became %d and %d", zero.Index(), pair.Index(), z.Index(), p.Index())
		}
		for n := range uint32(100) { // the index grows
			m.ConstU32(1000 + n)
		}
	}
}
