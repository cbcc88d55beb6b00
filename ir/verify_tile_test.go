package ir_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// tileHead begins a kernel with tiles that the lines of TestVerifyTiles use.
const tileHead = `var @f : ptr<storage, array<f32>, read_write> [group 0, binding 0]
var @h : ptr<storage, array<f16>> [group 0, binding 1]
var @own : ptr<private, array<f32, 64u>>

kernel @main(%i: u32 [local_invocation_index]) [workgroup 32u, 1u, 1u] {
  %x = tile_load @f, 0i, 8i, 1i, 8i, 8i, 0i, 0i : tile<f32, 8, 4>
  %n = convert %i : i32
  `

// TestVerifyTiles breaks the rules for tiles.
func TestVerifyTiles(t *testing.T) {
	for line, want := range map[string]string{
		"tile_store @f, 0i, 8i, 1i, 8i, 8i, 0i, 0i, %x":                      "",
		"%v = var : ptr<function, tile<f32, 8, 4>>\n  store %v, %x":          "",
		"%v = var : ptr<function, array<tile<f32, 8, 4>, 2u>>":               "tiles are in no arrays",
		"%v = var : ptr<private, tile<f32, 8, 4>>":                           "only variables of functions are tiles",
		"%v = var : ptr<function, tile<u16, 8, 4>>":                          "tiles have no elements of type u16",
		"%v = var : ptr<function, tile<u8, 8, 2000>>":                        "a tile has 1 to 1024 rows and columns",
		"%v = var : ptr<function, tile<u8, 1024, 128>>":                      "a tile has 1 to 1024 rows and columns",
		"tile_store @h, 0i, 8i, 1i, 8i, 8i, 0i, 0i, zero<tile<f16, 2, 2>>":   "the memory is read-only",
		"tile_store @h, 0i, 8i, 1i, 8i, 8i, 0i, 0i, %x":                      "the array has elements of type f16, want f32",
		"tile_store @f, 0u, 8i, 1i, 8i, 8i, 0i, 0i, %x":                      "operand 2 is u32, want i32",
		"%y = tile_transpose %x : tile<f32, 8, 4>":                           "the result is tile<f32, 8, 4>, want tile<f32, 4, 8>",
		"%y = tile_mul_add %x, %x, %x : tile<f32, 8, 4>":                     "a product of 8×4 and 8×4 is not 8×4",
		"%y = tile_mul_add %x, zero<tile<f64, 4, 4>>, %x : tile<f32, 8, 4>":  "there is no product of f32 and f64 in f32",
		"%y = tile_convert %x : tile<f16, 4, 8>":                             "a conversion keeps the shape",
		"%y = tile_broadcast %x : tile<f32, 8, 8>":                           "the operand has neither one column nor one row",
		"%y = tile_reduce %x [add] : tile<f32, 4, 1>":                        "the result has neither one column nor one row",
		"%y = tile_reduce %x [and] : tile<f32, 8, 1>":                        "tiles are reduced by add, min and max",
		"%y = tile_reduce zero<tile<i8, 8, 8>> [add] : tile<i8, 8, 1>":       "tiles of i8 are not reduced",
		"%y = tile_get %x, %i : f32":                                         "operand 2 is u32, want i32",
		"%y = tile_set %x, %n, 1u : tile<f32, 8, 4>":                         "operand 3 is u32, want f32",
		"%y = tile_splat 1u : tile<f32, 8, 4>":                               "the operand is no element of the result",
		"%y = tile_row 1f, %n : i32":                                         "operand 1 is f32, want a tile",
		"%y = add %x, %x : tile<f32, 8, 4>":                                  "operand 1 is tile<f32, 8, 4>",
		"%y = tile_load @own, 0i, 8i, 1i, 8i, 8i, 0i, 0i : tile<f32, 64, 1>": "operand 1 points to no array that invocations share",
		"%y = tile_load %i, 0i, 8i, 1i, 8i, 8i, 0i, 0i : tile<f32, 64, 1>":   "operand 1",
		"%y = tile_load @h, 0i, 8i, 1i, 8i, 8i, 0i, 0i : tile<bf16, 64, 1>":  "the array has elements of type f16, want u16",
		"%y = construct %x, %x : tile<f32, 8, 4>":                            "the result type has no constant number of parts",
		"%y = tile_load_windows @f, 0i, 1i, 8i, 8i, 1i, 64i, 8i, 1i, 1i, 3i, 3i, 1i, 1i, 1i, 1i, 1i, 1i, 8i, 8i, 0i, 0i : tile<f32, 8, 4>": "",
		"%y = tile_load_windows @f, 0i, 1i, 8i, 8i, 1i, 64i, 8i, 1i, 1i, 3i, 3i, 1i, 1i, 1i, 1i, 1i, 1i, 8i, 8i, 0i, 0u : tile<f32, 8, 4>": "operand 22 is u32, want i32",
		"%y = tile_load_windows @f, 0i, 1i, 8i, 8i, 1i, 64i, 8i, 1i, 1i, 3i, 3i, 1i, 1i, 1i, 1i, 1i, 1i, 8i, 8i, 0i : tile<f32, 8, 4>":     "21 operands, want 22",
		"%y = tile_load_windows @f, 0i, 1i, 8i, 8i, 1i, 64i, 8i, 1i, 1i, 3i, 3i, 1i, 1i, 1i, 1i, 1i, 1i, 8i, 8i, 0i, 0i : tile<i32, 8, 4>": "the array has elements of type f32, want i32",
		"%y = tile_load_windows @f, 0i, 1i, 8i, 8i, 1i, 64i, 8i, 1i, 1i, 3i, 3i, 1i, 1i, 1i, 1i, 1i, 1i, 8i, 8i, 0i, 0i : f32":             "f32 is no tile",
		"%y = tile_count %x : u32": "i32",
	} {
		m, _, items := ir.ParseString(tileHead + line + "\n  return\n}\n")
		if m == nil {
			t.Errorf("%s does not parse: %v", line, items)
			continue
		}
		var list diag.List
		ir.Verify(m, &list)
		switch got := list.Items(); {
		case want == "" && len(got) > 0:
			t.Errorf("%s: %s", line, got[0].Message)
		case want != "" && (len(got) == 0 || !strings.Contains(got[0].Message, want)):
			t.Errorf("%s: want %q, found %v", line, want, got)
		}
	}
}

// TestVerifyTileMembers: structures have no tiles.
func TestVerifyTileMembers(t *testing.T) {
	m, _, items := ir.ParseString(`struct S [size 4, align 4] { t: tile<u32, 4, 4> [offset 0] }

kernel @main(%i: u32 [local_invocation_index]) [workgroup 32u, 1u, 1u] {
  %v = var : ptr<function, array<S, 2u>>
  return
}
`)
	if m == nil {
		t.Fatal(items)
	}
	var list diag.List
	ir.Verify(m, &list)
	if got := list.Items(); len(got) == 0 || !strings.Contains(got[0].Message, "tiles are in no structures") {
		t.Errorf("found %v", got)
	}
}
