package ir_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

const sample = `struct Params [size 16, align 8] { n: u32 [offset 0], v: vec2<f32> [offset 8] }
override @count : u32 = 64u [id 0]
override @.0 : u32 = mul @count, 2u
override @few : bool = lt @count, 65u
var @x : ptr<storage, array<f32>> [group 0, binding 0]
var @y : ptr<storage, array<f32>, read_write> [group 0, binding 1]
var @p : ptr<uniform, Params> [group 0, binding 2]
var @pair : ptr<immediate, vec2<u32>>
var @tile : ptr<workgroup, array<f32, @.0>>
var @table : ptr<private, array<u32, 2u>> = array<u32, 2u>(7u, 9u)
var @record : ptr<storage, Params, read_write> [group 0, binding 3] [role fault_record]
var @parts : ptr<storage, array<Params>, read_write> [group 0, binding 4] [role scratch]
var @bytes : ptr<storage, array<u32>> [group 0, binding 5]
var @numbers : ptr<storage, array<u32, 2u>> [group 0, binding 6] [role tables] = array<u32, 2u>(7u, 9u)
var @words : ptr<immediate, vec4<u32>>
site "x"
site "" [signed]

fn @twice(%a: f32) : f32 [check @count, @.0]
  [check @few "this is {} and must be below {}" @count, 65u]
  [check @few "there are too many"] [check @.0] {
  %.0 = add %a, %a [contract] : f32
  return %.0
}

kernel @sum(%id: vec3<u32> [global_invocation_id]) [workgroup @count, 1u, 1u] [subgroup_size @.0] [int_positions] [interface @pair]
  [check @few "this is {} and must be below 65" @count] {
  %v = var : ptr<function, f32>
  %i = extract %id, 0u : u32
  %w = load @pair : vec2<u32>
  %.0, %.1 = loop ^.0(%k: u32 = 0u, %s: f32 = 0f) : f32, u32 {
    %.2 = access @x, %k : ptr<storage, f32>
    %.3 = load %.2 : f32
    %.4 = add %s, %.3 : f32
    %.5 = gt %.4, 1e+06f : bool
    if ^.1 %.5 {
      exit ^.0(%.4, %k)
    } else {
      exit ^.1()
    }
    %.6 = switch ^.2 %k : f32 {
      case 0u, 1u {
        exit ^.2(1.5f)
      }
      default {
        exit ^.2(f32(0x7fc00000))
      }
      case 2u {
        %.7 = scope ^.3 : f32 {
          exit ^.3(%.4)
        }
        exit ^.2(%.7)
      }
    }
    continue ^.0(%.6)
  } continuing(%u: f32) {
    %.8 = add %k, 1u : u32
    %.9 = ge %.8, @count : bool
    next ^.0(%.8, %u) break_if %.9(%u, %.8)
  }
  barrier [workgroup, storage]
  %.10 = splat %.0 : vec3<f32>
  %.11 = shuffle %.10 [zx] : vec2<f32>
  store %v, %.0
  %.12 = call @twice, %.0 : f32
  %.13 = access @y, %i : ptr<storage, f32, read_write>
  store %.13, %.12 [align 4] [inbounds]
  return
}
`

func TestTextRoundTrip(t *testing.T) {
	m, _, items := ir.ParseString(sample)
	if m == nil {
		t.Fatalf("does not parse: %+v", items)
	}
	var list diag.List
	ir.Verify(m, &list)
	for _, d := range list.Items() {
		t.Errorf("verify: %s %v", d.Message, d.Notes)
	}
	got := m.Text()
	if got != sample {
		t.Errorf("printing gives another text:\n%s", got)
	}
	if clone := m.Clone().Text(); clone != got {
		t.Errorf("a clone prints differently:\n%s", clone)
	}
	spans := string(m.AppendText(nil, ir.PrintOptions{Spans: true}))
	again, _, items := ir.ParseString(spans)
	if again == nil {
		t.Fatalf("with spans it does not parse: %+v", items)
	}
	if text := string(again.AppendText(nil, ir.PrintOptions{Spans: true})); text != spans {
		t.Errorf("with spans, printing gives another text:\n%s", cmp.Diff(spans, text))
	}
}

// TestSpecialFloats reads operands that are written by their bits, of all float kinds and as the
// first operand.
func TestSpecialFloats(t *testing.T) {
	for _, k := range []string{"f32(0x7f800000)", "f16(0xfc00)", "f64(0xfff0000000000000)"} {
		kind, _, _ := strings.Cut(k, "(")
		text := "fn @f(%x: " + kind + ") : " + kind + " {\n  %.0 = div " + k + ", %x : " + kind + "\n  return %.0\n}\n"
		m, _, problems := ir.ParseString(text)
		if m == nil {
			t.Errorf("%s: %+v", k, problems)
			continue
		}
		if got := strings.TrimLeft(m.Text(), "\n"); got != text {
			t.Errorf("printing gives another text:\n%s", got)
		}
	}
}

// TestMessages reads and prints messages, and refuses prints that do not fit theirs.
func TestMessages(t *testing.T) {
	const head = "message \"x = %d, \\\"%v\\\"\\n\" (i32, vec3<f32>)\nmessage \"no\" () [assert]\n\nfn @f(%x: i32, %v: vec3<f32>, %b: bool) {\n"
	const good = head + "  print %x, %v [message 0]\n  print %b [message 1]\n  return\n}\n"
	m, _, problems := ir.ParseString(good)
	if m == nil {
		t.Fatal(problems)
	}
	var list diag.List
	if ir.Verify(m, &list); list.Errors() > 0 {
		t.Fatal(list.Items())
	}
	for _, text := range []string{m.Text(), m.Clone().Text()} {
		if text != good {
			t.Errorf("printed\n%s\nwant\n%s", text, good)
		}
	}
	for body, want := range map[string]string{
		"print %x, %v [message 2]":   "the message does not exist",
		"print %x [message 0]":       "1 values for a message of 2",
		"print %v, %x [message 0]":   "value 1 is vec3<f32>, want i32",
		"print [message 1]":          "it is no bool",
		"print %x [message 1]":       "it is no bool",
		"print %b, %x [message 1]":   "1 values for a message of 0",
		"print %b, true [message 1]": "1 values for a message of 0",
	} {
		m, _, problems := ir.ParseString(head + "  " + body + "\n  return\n}\n")
		if m == nil {
			t.Errorf("%s: %v", body, problems)
			continue
		}
		var list diag.List
		if ir.Verify(m, &list); list.Errors() != 1 || !strings.Contains(list.Items()[0].Message, want) {
			t.Errorf("%s: %v, want %s", body, list.Items(), want)
		}
	}
}
