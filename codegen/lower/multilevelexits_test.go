package lower_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestLowerMultiLevelExits compares the rewritten text. codegen/spirv (TestRandomControl) runs and
// validates random kernels.
func TestLowerMultiLevelExits(t *testing.T) {
	for _, test := range []struct{ name, in, out string }{
		{"an exit out of two loops stops at the inner one", `
  scope ^outer {
    loop ^a(%k: u32 = 0u) {
      %c = eq %k, %i : bool
      if ^t %c {
        exit ^outer()
      } else {
        exit ^t()
      }
      continue ^a()
    } continuing {
      %n = add %k, 1u : u32
      next ^a(%n)
    }
    exit ^outer()
  }
  return
`, `
  scope ^outer {
    %.0 = loop ^a(%k: u32 = 0u) : u32 {
      %c = eq %k, %i : bool
      if ^t %c {
        exit ^a(1u)
      } else {
        exit ^t()
      }
      continue ^a()
    } continuing {
      %n = add %k, 1u : u32
      next ^a(%n)
    }
    %.1 = eq %.0, 1u : bool
    if ^.0 %.1 {
      exit ^outer()
    } else {
      exit ^.0()
    }
    exit ^outer()
  }
  return
`},
		{"values travel along, and other exits give zeros", `
  %r = scope ^outer : u32 {
    %q = loop ^a(%k: u32 = 0u) : f32 {
      %c = eq %k, %i : bool
      if ^t %c {
        exit ^outer(%k)
      } else {
        exit ^t()
      }
      continue ^a()
    } continuing {
      %n = add %k, 1u : u32
      %e = gt %n, 9u : bool
      next ^a(%n) break_if %e(2f)
    }
    exit ^outer(7u)
  }
  return
`, `
  %r = scope ^outer : u32 {
    %q, %.0, %.1 = loop ^a(%k: u32 = 0u) : f32, u32, u32 {
      %c = eq %k, %i : bool
      if ^t %c {
        exit ^a(0f, 1u, %k)
      } else {
        exit ^t()
      }
      continue ^a()
    } continuing {
      %n = add %k, 1u : u32
      %e = gt %n, 9u : bool
      next ^a(%n) break_if %e(2f, 0u, 0u)
    }
    %.2 = eq %.0, 1u : bool
    if ^.0 %.2 {
      exit ^outer(%.1)
    } else {
      exit ^.0()
    }
    exit ^outer(7u)
  }
  return
`},
		{"a continue of the outer loop leaves the inner one first", `
  loop ^a() {
    loop ^b() {
      continue ^a(%i)
    } continuing {
      next ^b()
    }
    exit ^a()
  } continuing(%x: u32) {
    next ^a()
  }
  return
`, `
  loop ^a() {
    %.0, %.1 = loop ^b() : u32, u32 {
      exit ^b(1u, %i)
    } continuing {
      next ^b()
    }
    %.2 = eq %.0, 1u : bool
    if ^.0 %.2 {
      continue ^a(%.1)
    } else {
      exit ^.0()
    }
    exit ^a()
  } continuing(%x: u32) {
    next ^a()
  }
  return
`},
		{"an if that a nested exit leaves becomes a scope", `
  %c = eq %i, 1u : bool
  %d = eq %i, 2u : bool
  %r = if ^a %c : u32 {
    if ^b %d {
      exit ^a(1u)
    } else {
      exit ^b()
    }
    exit ^a(2u)
  } else {
    exit ^a(3u)
  }
  %s = add %r, 1u : u32
  return
`, `
  %c = eq %i, 1u : bool
  %d = eq %i, 2u : bool
  %.0 = scope ^.0 : u32 {
    if ^a %c {
      if ^b %d {
        exit ^.0(1u)
      } else {
        exit ^b()
      }
      exit ^.0(2u)
    } else {
      exit ^.0(3u)
    }
    unreachable
  }
  %s = add %.0, 1u : u32
  return
`},
		{"a break out of a loop crosses switches, an exit to a scope does not", `
  scope ^outer {
    loop ^a() {
      switch ^s %i {
        case 0u {
          exit ^a()
        }
        default {
          exit ^s()
        }
      }
      exit ^a()
    } continuing {
      next ^a()
    }
    switch ^s2 %i {
      case 0u {
        exit ^outer()
      }
      default {
        exit ^s2()
      }
    }
    exit ^outer()
  }
  return
`, `
  scope ^outer {
    loop ^a() {
      switch ^s %i {
        case 0u {
          exit ^a()
        }
        default {
          exit ^s()
        }
      }
      exit ^a()
    } continuing {
      next ^a()
    }
    %.0 = switch ^s2 %i : u32 {
      case 0u {
        exit ^s2(1u)
      }
      default {
        exit ^s2(0u)
      }
    }
    %.1 = eq %.0, 1u : bool
    if ^.0 %.1 {
      exit ^outer()
    } else {
      exit ^.0()
    }
    exit ^outer()
  }
  return
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			const head, foot = "kernel @k(%i: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {", "}\n"
			m, _, items := ir.ParseString(head + test.in + foot)
			if m == nil {
				t.Fatalf("does not parse: %+v", items)
			}
			var list diag.List
			c := &opt.Context{List: &list, Verify: true}
			c.Run(m, []opt.Pass{lower.LowerMultiLevelExits}, ir.Initial)
			if d := cmp.Diff("\n"+head+test.out+foot, m.Text()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}
