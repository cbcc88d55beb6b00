package ir_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// brokenFragments break the rules for fragments. @r is an array of u32 that is read only, @w one
// that is written, too.
var brokenFragments = []brokenRule{
	{"load of no fragment", `
		%x = fragment_load @r, 0u, false, 8u : u32 // want "u32 is no fragment"
		return`},
	{"load from an element", `
		%p = access @r, 0u : ptr<storage, u32>
		%x = fragment_load %p, 0u, false, 8u : fragment<left, u32, 8, 8> // want "points to no array in storage or workgroup memory"
		return`},
	{"load with a signed offset", `
		%x = fragment_load @r, 0i, false, 8u : fragment<left, u32, 8, 8> // want "the offset and the stride are u32"
		return`},
	{"load in an order that is no constant", `
		%c = lt 0u, 1u : bool
		%x = fragment_load @r, 0u, %c, 8u : fragment<left, u32, 8, 8> // want "the order is a constant bool"
		return`},
	{"load with too few operands", `
		%x = fragment_load @r, 0u, false : fragment<left, u32, 8, 8> // want "3 operands, want 4"
		return`},
	{"store to memory that is read only", `
		fragment_store @r, 0u, zero<fragment<left, u32, 8, 8>>, false, 8u // want "the memory is read-only"
		return`},
	{"splat of another type", `
		%x = fragment_splat 1i : fragment<left, u8, 8, 8> // want "the operand is no element of the result"
		return`},
	{"product of operands that are exchanged", `
		%x = fragment_mul_add zero<fragment<right, u32, 8, 8>>, zero<fragment<left, u32, 8, 8>>, zero<fragment<result, u32, 8, 8>> : fragment<result, u32, 8, 8> // want "operand 1 is fragment<right, u32, 8, 8>, want a left fragment"
		return`},
	{"product of shapes that do not fit", `
		%x = fragment_mul_add zero<fragment<left, u32, 8, 4>>, zero<fragment<right, u32, 8, 8>>, zero<fragment<result, u32, 8, 8>> : fragment<result, u32, 8, 8> // want "a product of 8×4 and 8×8 is not 8×8"
		return`},
	{"product of kinds that differ", `
		%x = fragment_mul_add zero<fragment<left, u32, 8, 8>>, zero<fragment<right, i32, 8, 8>>, zero<fragment<result, u32, 8, 8>> : fragment<result, u32, 8, 8> // want "there is no product of u32 and i32"
		return`},
	{"sum of elements without arithmetic", `
		%x = fragment_add zero<fragment<left, bf16, 8, 8>>, zero<fragment<left, bf16, 8, 8>> : fragment<left, bf16, 8, 8> // want "there is no arithmetic for elements of type bf16"
		return`},
	{"splat of bf16 by no pattern", `
		%x = fragment_splat 1f : fragment<left, bf16, 8, 8> // want "the operand is no element of the result"
		return`},
	{"count of no fragment", `
		%x = fragment_count 1u : u32 // want "operand 1 is u32, want a fragment"
		return`},
	{"signed count", `
		%x = fragment_count zero<fragment<left, u32, 8, 8>> : i32 // want "the result is i32, want u32"
		return`},
	{"row of a signed index", `
		%x = fragment_row zero<fragment<left, u32, 8, 8>>, 1i : u32 // want "operand 2 is i32, want u32"
		return`},
	{"element of another type", `
		%x = fragment_get zero<fragment<left, u8, 8, 8>>, 1u : i32 // want "the result is i32, want u32"
		return`},
	{"element set to another type", `
		%x = fragment_set zero<fragment<left, bf16, 8, 8>>, 1u, 1f : fragment<left, bf16, 8, 8> // want "operand 3 is f32, want u16"
		return`},
	{"sum of fragments of two uses", `
		%x = fragment_add zero<fragment<left, u32, 8, 8>>, zero<fragment<right, u32, 8, 8>> : fragment<left, u32, 8, 8> // want "fragments of one type"
		return`},
}

func TestVerifyFragments(t *testing.T) { findsBrokenRules(t, brokenFragments) }

// TestFragmentTypes refuses types of fragments that there are none of.
func TestFragmentTypes(t *testing.T) {
	for name, want := range map[string]string{
		"fragment<left, i64, 8, 8>":    "fragments have no elements of type i64",
		"fragment<left, bool, 8, 8>":   "fragments have no elements of type bool",
		"fragment<result, bf16, 8, 8>": "results have no elements of type bf16",
		"fragment<result, f32, 0, 8>":  "a fragment has 1 to 128 rows and columns",
		"fragment<right, f32, 8, 129>": "a fragment has 1 to 128 rows and columns",
	} {
		m, _, items := ir.ParseString(brokenHead + "\n\t%x = var : ptr<function, " + name + ">\n\treturn\n}\n")
		if m == nil {
			t.Fatal(items)
		}
		var list diag.List
		ir.Verify(m, &list)
		if found := list.Items(); len(found) == 0 || !strings.Contains(found[0].Message, want) {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// TestFragmentArrays: fragments are in arrays of numbers or vectors whose elements they divide.
func TestFragmentArrays(t *testing.T) {
	for _, c := range []struct{ array, element, want string }{
		{"array<f32>", "f32", ""}, {"array<u32>", "f32", ""}, {"array<u32>", "i8", ""}, {"array<i32, 64u>", "f16", ""},
		{"array<vec4<f32>>", "f16", ""}, {"array<vec3<f16>>", "f32", ""}, {"array<f16>", "u8", ""},
		{"array<f16>", "f32", "array<f16> has no elements of type f32"},
		{"array<f64>", "f32", "array<f64> has no elements of type f32"},
		{"array<array<f32, 4u>>", "f32", "array<array<f32, 4u>> has no elements of type f32"},
		{"array<f32, stride 6>", "f32", "array<f32, stride 6> has no elements of type f32"},
	} {
		m, _, items := ir.ParseString("var @a : ptr<storage, " + c.array + "> [group 0, binding 0]\nkernel @main() [workgroup 1u, 1u, 1u] {\n" +
			"  %x = fragment_load @a, 0u, false, 8u : fragment<left, " + c.element + ", 8, 8>\n  return\n}\n")
		if m == nil {
			t.Errorf("%+v", items)
			continue
		}
		var list diag.List
		ir.Verify(m, &list)
		got := ""
		if list.Errors() > 0 {
			got = list.Items()[0].Message
		}
		if got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.element, c.array, got, c.want)
		}
	}
}
