package analysis

import (
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
)

// uniformKernel has values whose names say what is expected. The first letter is where a value is
// uniform: w in the workgroup, and so in the subgroup; s in the subgroup only; n in none. The
// second letter is where all execute what defines it; parameters have o.
const uniformKernel = `
override @count : u32 = 4u [id 0]
var @in : ptr<storage, array<u32>> [group 0, binding 0]
var @out : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @params : ptr<uniform, array<vec4<u32>, 4u>> [group 0, binding 2]
var @tile : ptr<workgroup, array<u32, 12u>>
var @own : ptr<private, u32>
var @table : ptr<constant, array<u32, 2u>> = array<u32, 2u>(3u, 4u)

fn @called(%no0: u32) : u32 {
  %wn1 = access @params, 0u, 0u : ptr<uniform, u32>
  %wn2 = load %wn1 : u32
  %nn1 = load @own : u32
  return %no0
}

kernel @main(%wo0: vec3<u32> [workgroup_id], %wo1: u32 [workgroup_index], %wo2: vec3<u32> [num_workgroups], %wo3: u32 [num_subgroups],
    %wo4: u32 [subgroup_size], %so0: u32 [subgroup_id], %no0: u32 [subgroup_invocation_id], %no1: u32 [local_invocation_index],
    %no2: vec3<u32> [local_invocation_id], %no3: vec3<u32> [global_invocation_id], %no4: u32 [global_invocation_index]) [workgroup 12u, 1u, 1u] {
`

// uniformCases are bodies of that kernel, and functions.
var uniformCases = []struct{ name, body string }{
	{"values computed from others", `
  %ww1 = add %wo1, @count : u32
  %sw1 = add %so0, %ww1 : u32
  %nw1 = add %ww1, %no0 : u32
  %nw2 = select false, %no0, %ww1 : u32
  return
`},
	{"memory", `
  %nw0 = var : ptr<function, u32>
  %ww1 = access @in, %wo1 : ptr<storage, u32>
  %ww2 = load %ww1 : u32
  %sw1 = access @in, %so0 : ptr<storage, u32>
  %sw2 = load %sw1 : u32
  %nw1 = access @in, %no0 : ptr<storage, u32>
  %nw2 = load %nw1 : u32
  %ww3 = access @out, 0u : ptr<storage, u32, read_write>
  %nw3 = load %ww3 : u32
  %ww4 = access @params, 0u, 0u : ptr<uniform, u32>
  %ww5 = load %ww4 : u32
  %ww6 = access @tile, 0u : ptr<workgroup, u32>
  %nw4 = load %ww6 : u32
  barrier [workgroup]
  %ww7 = load %ww6 [uniform] : u32
  barrier [workgroup]
  store @own, 1u
  %nw5 = load @own : u32
  store %nw0, 1u
  %nw6 = load %nw0 : u32
  %ww8 = access @table, 1u : ptr<constant, u32>
  %ww9 = load %ww8 : u32
  %ww10 = array_length @out : u32
  return
`},
	{"operations of subgroups", `
  %c = eq %no0, 1u : bool
  %sw1 = subgroup_all %c : bool
  %sw2 = subgroup_ballot %c : vec4<u32>
  %sw3 = subgroup_add %no0 : u32
  %sw4 = subgroup_broadcast_first %no0 : u32
  %nw1 = subgroup_elect : bool
  %nw2 = subgroup_inclusive_add 1u : u32
  %nw3 = subgroup_shuffle %no0, 1u : u32
  %sw5 = subgroup_broadcast %no0, 0u : u32
  %nw4 = subgroup_broadcast %no0, 1u : u32
  if ^i %c {
    %sn1 = subgroup_max %no0 : u32
    %nn1 = subgroup_broadcast %no0, 0u : u32
    exit ^i()
  } else {
    exit ^i()
  }
  return
`},
	{"branches", `
  %ww1 = eq %wo1, 1u : bool
  %sw1 = eq %so0, 1u : bool
  %nw1 = eq %no0, 1u : bool
  %ww2 = if ^i %ww1 : u32 {
    %ww3 = add 1u, 2u : u32
    exit ^i(1u)
  } else {
    exit ^i(%wo1)
  }
  %sw2 = if ^j %sw1 : u32 {
    %ws1 = add 1u, 2u : u32
    exit ^j(1u)
  } else {
    exit ^j(2u)
  }
  %nw2 = if ^k %nw1 : u32 {
    %wn1 = add 1u, 2u : u32
    exit ^k(1u)
  } else {
    %wn2 = add 1u, 2u : u32
    exit ^k(2u)
  }
  %sw4 = switch ^s %so0 : u32 {
    case 1u {
      %ws2 = add 1u, 2u : u32
      exit ^s(1u)
    }
    default {
      exit ^s(2u)
    }
  }
  %ww4 = add 1u, 2u : u32
  return
`},
	{"exits beyond", `
  %nw1 = eq %no0, 1u : bool
  %nw2 = scope ^s : u32 {
    scope ^t {
      if ^k %nw1 {
        exit ^s(1u)
      } else {
        exit ^k()
      }
      %wn1 = add 1u, 2u : u32
      exit ^t()
    }
    %wn2 = add 1u, 2u : u32
    exit ^s(2u)
  }
  %ww1 = add 1u, 2u : u32
  return
`},
	{"returns", `
  %sw1 = eq %so0, 1u : bool
  scope ^s {
    if ^k %sw1 {
      return
    } else {
      exit ^k()
    }
    %ws1 = add 1u, 2u : u32
    exit ^s()
  }
  %ws2 = add 1u, 2u : u32
  %ns1 = subgroup_elect : bool
  return
`},
	{"a loop of as many rounds for all", `
  %ww1 = loop ^l(%wo5: u32 = 0u, %no5: u32 = %no0) : u32 {
    %ww2 = ge %wo5, %wo1 : bool
    if ^i %ww2 {
      exit ^l(%wo5)
    } else {
      exit ^i()
    }
    %ww3 = add 1u, 2u : u32
    continue ^l()
  } continuing {
    %ww4 = add %wo5, 1u : u32
    next ^l(%ww4, %ww4)
  }
  return
`},
	{"a loop that some leave", `
  %nw1 = loop ^l(%wo5: u32 = 0u) : u32 {
    %nn1 = ge %wo5, %no0 : bool
    if ^i %nn1 {
      exit ^l(7u)
    } else {
      exit ^i()
    }
    continue ^l()
  } continuing {
    %wn1 = add %wo5, 1u : u32
    next ^l(%wn1)
  }
  %ww1 = add 1u, 2u : u32
  return
`},
	{"a loop that some subgroups leave at its end", `
  %sw1 = loop ^l(%so5: u32 = 0u) : u32 {
    %ws1 = add 1u, 2u : u32
    continue ^l(%ws1)
  } continuing(%so6: u32) {
    %ss3 = add %so5, %so6 : u32
    %ss2 = gt %ss3, %so0 : bool
    next ^l(%ss3) break_if %ss2(%ss3)
  }
  return
`},
	{"a loop of as many rounds for all who enter it", `
  %nw1 = eq %no0, 1u : bool
  if ^i %nw1 {
    %wn1 = loop ^l(%wo5: u32 = 0u) : u32 {
      continue ^l()
    } continuing {
      %wn2 = add %wo5, 1u : u32
      %wn3 = gt %wn2, %wo1 : bool
      next ^l(%wn2) break_if %wn3(%wn2)
    }
    exit ^i()
  } else {
    exit ^i()
  }
  return
`},
	{"a loop in which some continue early", `
  %nw1 = eq %no0, 1u : bool
  %nw2 = loop ^l(%no5: u32 = 0u) : u32 {
    if ^i %nw1 {
      continue ^l(1u)
    } else {
      exit ^i()
    }
    %wn1 = add 1u, 2u : u32
    continue ^l(2u)
  } continuing(%no6: u32) {
    %ww1 = eq %wo1, 1u : bool
    %nw3 = add %no5, %no6 : u32
    next ^l(%nw3) break_if %ww1(%no6)
  }
  return
`},
	{"a loop within another, left by some for a location beyond both", `
  %nw1 = eq %no0, 1u : bool
  loop ^l() {
    loop ^m() {
      %wn1 = add 1u, 2u : u32
      if ^i %nw1 {
        exit ^l()
      } else {
        exit ^i()
      }
      continue ^m()
    } continuing {
      %wn2 = eq %wo1, 1u : bool
      next ^m() break_if %wn2()
    }
    %wn3 = add 1u, 2u : u32
    continue ^l()
  } continuing {
    %wn4 = eq %wo1, 1u : bool
    next ^l() break_if %wn4()
  }
  %ww1 = add 1u, 2u : u32
  return
`},
	{"calls", `
  %nw1 = call @called, 1u : u32
  %ww1 = add 1u, 2u : u32
  return
`},
}

// TestUniform compares what is found with the names, for subgroups of a size that is not
// known.
func TestUniform(t *testing.T) {
	for _, c := range uniformCases {
		t.Run(c.name, func(t *testing.T) {
			compareNames(t, irtest.Parse(t, uniformKernel+c.body+"}\n"), new(Uniform))
		})
	}
}

// compareNames analyses the functions of a module in each scope.
func compareNames(t *testing.T, m *ir.Module, u *Uniform) {
	for _, f := range m.Funcs {
		for s := range scopeCount {
			u.Analyse(f, s)
			// the letters of claims that hold in the scope
			holds := map[byte]bool{'w': true, 's': s == Subgroup}
			for n := 1; n < f.ValueCount(); n++ {
				v := ir.Value(n)
				name := f.ValueName(v)
				if len(name) < 2 {
					continue
				}
				if u.Varies(v) == holds[name[0]] {
					t.Errorf("scope %d: %%%s of @%s varies: %v", s, name, f.Name, u.Varies(v))
				}
				if i, ok := f.Def(v); ok && u.Partial(i) == holds[name[1]] {
					t.Errorf("scope %d: a part executes %%%s of @%s: %v", s, name, f.Name, u.Partial(i))
				}
			}
		}
	}
}

// TestPresent looks up invocations of subgroups of a known size, of which the last is full or not.
func TestPresent(t *testing.T) {
	for _, c := range []struct {
		name, workgroup, asked string
		size                   uint32
		body                   string
	}{
		{"full subgroups", "12u, 1u, 1u", "", 4, `
  %sw1 = subgroup_broadcast %no0, 3u : u32
  %nw1 = subgroup_broadcast %no0, 4u : u32`},
		{"a last one of two", "3u, 2u, 1u", "", 4, `
  %sw1 = subgroup_broadcast %no0, 1u : u32
  %nw1 = subgroup_broadcast %no0, 2u : u32`},
		{"the kernel's size goes before the target's", "8u, 1u, 2u", " [subgroup_size 8u]", 4, `
  %sw1 = subgroup_broadcast %no0, 7u : u32
  %nw1 = subgroup_broadcast %no0, 8u : u32`},
		{"a workgroup whose size is not known", "@count, 1u, 1u", "", 4, `
  %sw1 = subgroup_broadcast %no0, 0u : u32
  %nw1 = subgroup_broadcast %no0, 1u : u32`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := irtest.Parse(t, "override @count : u32 = 4u [id 0]\nkernel @main(%no0: u32 [subgroup_invocation_id]) [workgroup "+
				c.workgroup+"]"+c.asked+" {"+c.body+"\n  return\n}\n")
			compareNames(t, m, &Uniform{SubgroupSize: c.size})
		})
	}
}
