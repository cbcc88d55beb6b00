package analysis

import (
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
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
	compareNotes(t, m.Kernels()[0], map[op.Op][]string{
		op.And:    {"0 to 15, uniform in the workgroup", "is 0"},
		op.Add:    {"1 to 16, does not wrap, uniform in the workgroup", "3 to 16, does not wrap, uniform in the workgroup", "uniform in the workgroup"},
		op.Div:    {"divides, uniform in the workgroup", "uniform in the workgroup"},
		op.Access: {"1 of 2 indices in bounds", "in bounds", ""},
		op.Shl:    {"0 to 491520, amount in range, does not wrap, uniform in the workgroup", "a multiple of 8, uniform in the workgroup"},
		op.Min:    {"-2147483648 to -1, uniform in the workgroup"},
		op.Loop: {"parameter 0: 2 to 15, uniform in the workgroup; parameter 1: uniform in the workgroup; " +
			"result 0: 0 to 15, uniform in the workgroup"},
	})
}

// TestNotesOfParts reads what is said of instructions that not all invocations execute.
func TestNotesOfParts(t *testing.T) {
	m := irtest.Parse(t, uniformKernel+`
  %c = eq %so0, 1u : bool
  %d = gt %no0, 1u : bool
  if ^a %c {
    %e = not %c : bool
    %x = subgroup_add %no0 : u32
    if ^b %d {
      %y = subgroup_add %no0 : u32
      scope ^c {
        exit ^c()
      }
      exit ^b()
    } else {
      exit ^b()
    }
    exit ^a()
  } else {
    exit ^a()
  }
  %r = if ^f %c : u32 {
    exit ^f(%wo4)
  } else {
    exit ^f(3u)
  }
  return
}
`)
	compareNotes(t, m.Kernels()[0], map[op.Op][]string{
		op.Eq: {"uniform in the subgroup"},
		op.Gt: {""},
		op.If: {"", "executed by a part of the workgroup", "result 0: 1 to 128, uniform in the subgroup"},
		op.SubgroupAdd: {"uniform in the subgroup, executed by a part of the workgroup",
			"uniform in the subgroup, executed by a part of the subgroup"},
		op.Scope: {"executed by a part of the subgroup"},
		op.Not:   {"uniform in the subgroup"},
	})
	compareNotes(t, m.Func("called"), map[op.Op][]string{op.Load: {"uniform in the workgroup", ""}})
}

// compareNotes compares the notes on operations, in program order.
func compareNotes(t *testing.T, f *ir.Func, wanted map[op.Op][]string) {
	t.Helper()
	var a Facts
	a.Analyse(f)
	notes := map[op.Op][]string{}
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		notes[f.Op(i)] = append(notes[f.Op(i)], a.Note(i))
	}
	for o, want := range wanted {
		if got := notes[o]; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", o, got, want)
		}
	}
}
