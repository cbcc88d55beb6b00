package lower_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

func TestBulkCopies(t *testing.T) {
	const in = `
struct S [size 4004, align 4] { n: u32 [offset 0], a: array<f32, 1000u> [offset 4] }
var @in : ptr<storage, S> [group 0, binding 0]
var @own : ptr<private, S>
var @other : ptr<private, S>

kernel @k() [workgroup 1u, 1u, 1u] {
  copy @own, @in
  copy @other, @own
  return
}
`
	const want = `
struct S [size 4004, align 4] { n: u32 [offset 0], a: array<f32, 1000u> [offset 4] }
var @in : ptr<storage, S> [group 0, binding 0]
var @own : ptr<private, S>
var @other : ptr<private, S>

kernel @k() [workgroup 1u, 1u, 1u] {
  %.0 = access @own, 0u [inbounds] : ptr<private, u32>
  %.1 = access @in, 0u [inbounds] : ptr<storage, u32>
  %.2 = load %.1 : u32
  store %.0, %.2
  %.3 = access @own, 1u [inbounds] : ptr<private, array<f32, 1000u>>
  %.4 = access @in, 1u [inbounds] : ptr<storage, array<f32, 1000u>>
  loop ^.0(%.5: u32 = 0u) {
    %.6 = access %.3, %.5 [inbounds] : ptr<private, f32>
    %.7 = access %.4, %.5 [inbounds] : ptr<storage, f32>
    %.8 = load %.7 : f32
    store %.6, %.8
    continue ^.0()
  } continuing {
    %.9 = add %.5, 1u : u32
    %.10 = ge %.9, 1000u : bool
    next ^.0(%.9) break_if %.10()
  }
  %.11 = access @other, 0u [inbounds] : ptr<private, u32>
  %.12 = access @own, 0u [inbounds] : ptr<private, u32>
  %.13 = load %.12 : u32
  store %.11, %.13
  %.14 = access @other, 1u [inbounds] : ptr<private, array<f32, 1000u>>
  %.15 = access @own, 1u [inbounds] : ptr<private, array<f32, 1000u>>
  loop ^.1(%.16: u32 = 0u) {
    %.17 = access %.14, %.16 [inbounds] : ptr<private, f32>
    %.18 = access %.15, %.16 [inbounds] : ptr<private, f32>
    %.19 = load %.18 : f32
    store %.17, %.19
    continue ^.1()
  } continuing {
    %.20 = add %.16, 1u : u32
    %.21 = ge %.20, 1000u : bool
    next ^.1(%.20) break_if %.21()
  }
  return
}
`
	makes(t, lower.BulkCopies, in, want[1:])
}

// TestBulkCopiesOfPrivate copies and zeroes private variables: by loops from 256 scalars on.
func TestBulkCopiesOfPrivate(t *testing.T) {
	const in = `
kernel @k() [workgroup 1u, 1u, 1u] {
  %a = var : ptr<function, array<u32, 256u>>
  %b = var : ptr<function, array<u32, 255u>>
  %c = var : ptr<function, array<u32, 255u>>
  store %a, zero<array<u32, 256u>>
  store %b, zero<array<u32, 255u>>
  copy %c, %b
  return
}
`
	const want = `
kernel @k() [workgroup 1u, 1u, 1u] {
  %a = var : ptr<function, array<u32, 256u>>
  %b = var : ptr<function, array<u32, 255u>>
  %c = var : ptr<function, array<u32, 255u>>
  loop ^.0(%.0: u32 = 0u) {
    %.1 = access %a, %.0 [inbounds] : ptr<function, u32>
    store %.1, 0u
    continue ^.0()
  } continuing {
    %.2 = add %.0, 1u : u32
    %.3 = ge %.2, 256u : bool
    next ^.0(%.2) break_if %.3()
  }
  store %b, zero<array<u32, 255u>>
  copy %c, %b
  return
}
`
	makes(t, lower.BulkCopies, in, want)
}

// TestBulkCopiesOfCopies copies between layouts with copy itself, with a write between a load and
// its store, and with too few scalars for a loop.
func TestBulkCopiesOfCopies(t *testing.T) {
	const in = `
var @in : ptr<storage, array<u32, 100u>, read_write> [group 0, binding 0]
var @few : ptr<storage, array<u32, 64u>> [group 0, binding 1]
var @own : ptr<private, array<u32, 100u>>
var @ownFew : ptr<private, array<u32, 64u>>

kernel @k() [workgroup 1u, 1u, 1u] {
  copy @own, @in
  copy @ownFew, @few
  %v = load @in : array<u32, 100u>
  %p = access @in, 7u : ptr<storage, u32, read_write>
  store %p, 1u
  store @own, %v
  return
}
`
	const want = `
var @in : ptr<storage, array<u32, 100u>, read_write> [group 0, binding 0]
var @few : ptr<storage, array<u32, 64u>> [group 0, binding 1]
var @own : ptr<private, array<u32, 100u>>
var @ownFew : ptr<private, array<u32, 64u>>

kernel @k() [workgroup 1u, 1u, 1u] {
  loop ^.0(%.0: u32 = 0u) {
    %.1 = access @own, %.0 [inbounds] : ptr<private, u32>
    %.2 = access @in, %.0 [inbounds] : ptr<storage, u32, read_write>
    %.3 = load %.2 : u32
    store %.1, %.3
    continue ^.0()
  } continuing {
    %.4 = add %.0, 1u : u32
    %.5 = ge %.4, 100u : bool
    next ^.0(%.4) break_if %.5()
  }
  copy @ownFew, @few
  %v = load @in : array<u32, 100u>
  %p = access @in, 7u : ptr<storage, u32, read_write>
  store %p, 1u
  store @own, %v
  return
}
`
	makes(t, lower.BulkCopies, in, want[1:])
}

// makes compares the result of a pass with a text.
func makes(t *testing.T, pass opt.Pass, in, want string) {
	t.Helper()
	m, _, items := ir.ParseString(in)
	if m == nil {
		t.Fatalf("does not parse: %+v", items)
	}
	var list diag.List
	c := &opt.Context{List: &list, Verify: true}
	c.Run(m, []opt.Pass{pass}, ir.Initial|ir.Rooted)
	if d := cmp.Diff(want, m.Text()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
