package lower_test

import (
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/instrument"
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
)

// TestOneBufferEach: a module that has a buffer of the runtime already, as IR text may, gets no
// second one.
func TestOneBufferEach(t *testing.T) {
	const text = `struct S [size 32, align 4] { a: u32 [offset 0] }
var @x : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @has : ptr<storage, array<S>, read_write> [group 0, binding 1] [role fault_record]
var @large : ptr<private, array<u32, 4096u>>
var @zeros : ptr<constant, array<u32, 1024u>>

kernel @main(%i: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] {
  %p = access @large, %i : ptr<private, u32>
  %q = access @zeros, %i : ptr<constant, u32>
  %r = access @x, %i : ptr<storage, u32, read_write>
  %v = load %q : u32
  store %p, %v
  %w = load %p : u32
  store %r, %w
  return
}
`
	for role, pass := range map[string]*opt.Pass{"fault_record": &instrument.Trap, "scratch": &lower.Scratch, "tables": &lower.Tables} {
		declaration := strings.Replace(text, "fault_record]", role+"]", 1)
		if role == "tables" {
			declaration = strings.Replace(declaration, "array<S>, read_write> [group 0, binding 1] [role tables]", "u32> [group 0, binding 1] [role tables] = 1u", 1)
		}
		for _, has := range []bool{false, true} {
			m := irtest.Parse(t, declaration)
			if !has {
				m.Globals[1].Role, m.Globals[1].Init = ir.NoRole, ir.NoValue
			}
			before := m.Text()
			c := &opt.Context{List: new(diag.List), Verify: true}
			if c.Run(m, []opt.Pass{*pass}, pass.Needs); (m.Text() == before) != has {
				t.Errorf("the module has its buffer: %v; pass %s makes\n%s", has, pass.Name, m.Text())
			}
		}
	}
}

// TestDeclaredPrivateBytes counts the variables of all functions and unused private ones.
func TestDeclaredPrivateBytes(t *testing.T) {
	m := irtest.Parse(t, `var @table : ptr<private, array<u32, 16u>>

fn @f() {
  %list = var : ptr<function, array<u32, 5u>>
  %v = var : ptr<function, vec3<u32>>
  return
}

kernel @main() [workgroup 1u, 1u, 1u] {
  %x = var : ptr<function, u32>
  call @f
  %late = var : ptr<function, vec2<u32>>
  return
}
`)
	if got := lower.DeclaredPrivateBytes(m); got != 64+20+12+4+8 {
		t.Errorf("%d bytes, want 108", got)
	}
}
