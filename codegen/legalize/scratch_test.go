package legalize

import "testing"

// TestDeclaredOwnBytes counts the variables of all functions, those that are a
// function's first instruction included, and private ones that nothing uses.
func TestDeclaredOwnBytes(t *testing.T) {
	m := parse(t, `var @table : ptr<private, array<u32, 16u>>

fn @f() {
  %list = var : ptr<function, array<u32, 5u>>
  %v = var : ptr<function, vec3<u32>>
  return
}

kernel @main() [workgroup 1u, 1u, 1u] {
  %x = var : ptr<function, u32>
  call @f
  return
}
`)
	if got := declaredOwnBytes(m); got != 64+20+12+4 {
		t.Errorf("%d bytes, want 100", got)
	}
}
