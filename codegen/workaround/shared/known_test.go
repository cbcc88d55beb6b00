package shared

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// TestMayBeKnown checks values whose names say what is expected: k… may be known to a driver, i…
// only if builtins count as known, and u… are not known.
func TestMayBeKnown(t *testing.T) {
	var long strings.Builder
	for n := range 70 {
		fmt.Fprintf(&long, "  %%sum%d = add %%sum%d, %%sum%d : u32\n", n+2, n+1, n+1)
	}
	// The search is bounded. Each of the sums has two operands, which are the same.
	long.WriteString("  %klong = add %sum71, %sum71 : u32\n")
	for name, body := range map[string]string{
		"workgroup 1u, 1u, 1u": `
  %kl = add %index, 1u : u32
  %ks = add %lane, 1u : u32
  %kg = add %subgroup, 1u : u32
  %kz = add %size, 1u : u32
  %ig = add %groups, 1u : u32
  %kx = extract %id, 0u : u32
  %ky = extract %id, %index : u32
  %iw = extract %global, 0u : u32
`,
		"workgroup 8u, 1u, 2u": `
  %il = add %index, 1u : u32
  %is = add %lane, 1u : u32
  %ig = add %subgroup, 1u : u32
  %kz = add %size, 1u : u32
  %ix = extract %id, 0u : u32
  %ky = extract %id, 1u : u32
  %iz = extract %id, 2u : u32
  %kd = extract %id, %size : u32
`,
		"workgroup 8u, 4u, 2u": `
  %ix = extract %id, 0u : u32
  %iz = extract %id, %size : u32
`,
		"workgroup 64u, 1u, 1u": `
  %a = var : ptr<function, array<u32, 4u>>
  %x = var : ptr<function, u32>
  %kx = load %x : u32
  %p2 = access %a, 2u : ptr<function, u32>
  %ka = load %p2 : u32
  %pi = access %a, %size : ptr<function, u32>
  %ua = load %pi : u32
  %aa = var : ptr<function, array<array<u32, 4u>, 2u>>
  %row = access %aa, %size : ptr<function, array<u32, 4u>>
  %cell = access %row, 1u : ptr<function, u32>
  %uz = load %cell : u32
  %kp = load @own : u32
  %up = load @shared : u32
  %ps = access @buffer, 0u : ptr<storage, u32, read_write>
  %us = load %ps : u32
  %uc = subgroup_elect : bool
  %ub = subgroup_add %kx : u32
  %ud = add %kx, %us : u32
  %ue = add %us, %kx : u32
  %kd = add %kx, %ka : u32
  %sum1 = load %ps : u32
` + long.String(),
		"workgroup 32u, 1u, 1u": `
  %ps = access @buffer, 0u : ptr<storage, u32, read_write>
  %us = load %ps : u32
  %kr, %kr2 = loop ^l(%ka: u32 = 0u, %ub: u32 = 0u, %uc: u32 = %us, %kd: u32 = 5u, %ke: u32 = 5u, %ud: u32 = 1u) : u32, u32 {
    %kf = add %ka, 3u : u32
    %kc = ge %ka, 9u : bool
    if ^i %kc {
      exit ^l(%ka, %ka)
    } else {
      exit ^i()
    }
    continue ^l(%kd)
  } continuing(%kg: u32) {
    %ka2 = add %ka, 1u : u32
    %ub2 = add %ub, %us : u32
    %ul = load %ps : u32
    next ^l(%ka2, %ub2, 1u, %ke, %kg, %ul)
  }
`,
	} {
		m := irtest.Parse(t, `var @own : ptr<private, u32>
var @shared : ptr<workgroup, u32>
var @buffer : ptr<storage, array<u32>, read_write> [group 0, binding 0]

kernel @main(%index: u32 [local_invocation_index], %id: vec3<u32> [local_invocation_id], %lane: u32 [subgroup_invocation_id], %subgroup: u32 [subgroup_id], %size: u32 [subgroup_size], %groups: u32 [num_subgroups], %global: vec3<u32> [global_invocation_id]) [`+name+`] {`+body+`  return
}
`)
		for _, inputs := range []bool{false, true} {
			w := lateConstants{inputs: inputs}
			f := m.Funcs[0]
			w.Enter(m, f)
			checked := 0
			check := func(v ir.Value) {
				n := f.ValueName(v)
				if n == "" || !strings.ContainsAny(n[:1], "kiu") || n == "index" || n == "id" {
					return
				}
				checked++
				if got, want := w.MayBeKnown(v, new(Visited)), n[0] == 'k' || n[0] == 'i' && inputs; got != want {
					t.Errorf("[%s], inputs known: %v: %%%s may be known: %v", name, inputs, n, got)
				}
			}
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				if !f.Op(i).Is(op.Control) {
					check(f.Result(i))
					continue
				}
				for _, v := range f.Results(i) {
					check(v)
				}
				for k := range f.Blocks(i) {
					for _, v := range f.Params(f.Region(i, k)) {
						check(v)
					}
				}
			}
			if checked < 2 {
				t.Errorf("[%s]: only %d values were checked about", name, checked)
			}
		}
	}
}
