package analysis

import (
	"testing"

	"github.com/gpuc/gpuc/ir/op"
)

// TestNotes reads what is said of instructions.
func TestNotes(t *testing.T) {
	m := rangeKernel(t, `
  %a = and %n, 15u : u32
  %b = add %a, 1u : u32
  %c = div %n, %b : u32
  %d = div %n, %a : u32
  %k = and %n, 0u : u32
  %p = access @tile, %a, %n : ptr<workgroup, f32>
  %q = access @tile, %a, %a : ptr<workgroup, f32>
  %r = access @tile, %n, %n : ptr<workgroup, f32>
  %e = shl %a, %a : u32
  %f = shl %n, 3u : u32
  %m = min %s, -1i : i32
  %l = loop ^l(%i: u32 = 2u, %free: u32 = %n) : u32 {
    %go = lt %i, %a : bool
    if ^if %go {
      exit ^if()
    } else {
      exit ^l(%a)
    }
    continue ^l()
  } continuing {
    %j = add %i, 1u : u32
    %g = add %free, 1u : u32
    next ^l(%j, %g)
  }
`)
	f := m.Kernels()[0]
	a := Ranges{Arithmetic: true}
	a.Analyse(f)
	notes := map[op.Op][]string{}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		notes[f.Op(i)] = append(notes[f.Op(i)], a.Note(i))
	}
	for o, want := range map[op.Op][]string{
		op.And:    {"0 to 15", "is 0"},
		op.Add:    {"1 to 16, does not wrap", "3 to 16, does not wrap", ""},
		op.Div:    {"divides", ""},
		op.Access: {"1 of 2 indices in bounds", "in bounds", ""},
		op.Shl:    {"0 to 491520, amount in range, does not wrap", ""},
		op.Min:    {"-2147483648 to -1"},
		op.Loop:   {"parameter 0: 2 to 15, result 0: 0 to 15"},
	} {
		if got := notes[o]; len(got) != len(want) {
			t.Errorf("%s: %q, want %q", o, got, want)
		} else {
			for n := range want {
				if got[n] != want[n] {
					t.Errorf("%s: %q, want %q", o, got[n], want[n])
				}
			}
		}
	}
}
