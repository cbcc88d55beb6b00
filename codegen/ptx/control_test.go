package ptx_test

import (
	"encoding/binary"
	"testing"

	"github.com/gpuc/gpuc/codegen"
)

// TestKnownParts branches on parts of a vector in memory that turn out to be
// constants only when code is written: loads of what was just stored.
func TestKnownParts(t *testing.T) {
	const head = `var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]

kernel @main(%lane: u32 [local_invocation_index]) [workgroup 1u, 1u, 1u] {
  %v = var : ptr<function, vec2<bool>>
  %q = access @out, 1u : ptr<storage, u32, read_write>
  %x = load %q : u32
  %c = eq %x, 7u : bool
  %p = access @out, 0u : ptr<storage, u32, read_write>
  %r = access @out, 2u : ptr<storage, u32, read_write>
  store %v, vec2<bool>(true, false)
  if ^always %c {
    %w = load %v : vec2<bool>
    %yes = extract %w, 0u : bool
    %no = extract %w, 1u : bool
`
	// what the other branch stores keeps the variable in memory
	const tail = `
    store %r, 3u
    exit ^always()
  } else {
    %e = access %v, 1u : ptr<function, bool>
    store %e, true
    exit ^always()
  }
  return
}
`
	for _, test := range []struct {
		name, body string
		want       uint32 // at 0; at 2 is 3 if the end was reached
	}{
		{"blocks", `
  if ^i %no {
    store %p, 1u
    exit ^i()
  } else {
    store %p, 2u
    exit ^i()
  }`, 2},
		{"then", `
  if ^i %yes {
    store %p, 1u
    exit ^i()
  } else {
    exit ^i()
  }`, 1},
		{"else", `
  if ^i %yes {
    exit ^i()
  } else {
    store %p, 2u
    exit ^i()
  }`, 9},
		{"choice", `
  %k = if ^i %no : u32 {
    exit ^i(1u)
  } else {
    exit ^i(%x)
  }
  store %p, %k`, 7},
		{"return", `
  if ^i %no {
    return
  } else {
    exit ^i()
  }
  store %p, 4u`, 4},
		{"loop", `
  loop ^l(%k: u32 = 0u) {
    continue ^l()
  } continuing {
    %n = add %k, 1u : u32
    store %p, %n
    next ^l(%n) break_if %yes()
  }`, 1},
		{"select", `
  %k = select %no, 1u, %x : u32
  store %p, %k`, 7},
		{"nested", `
  if ^o %c {
    if ^i %no {
      store %p, 1u
      exit ^i()
    } else {
      store %p, 5u
      exit ^i()
    }
    exit ^o()
  } else {
    exit ^o()
  }`, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := compile(t, head+test.body[1:]+tail, codegen.Options{NoOptimize: true})
			p, err := read(text)
			if err != nil {
				t.Fatalf("%v\n%s", err, numbered(text))
			}
			out := make([]byte, 32)
			binary.LittleEndian.PutUint32(out, 9)
			binary.LittleEndian.PutUint32(out[4:], 7)
			if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{out}, []int64{8}, nil); err != nil {
				t.Fatal(err)
			}
			if got, end := binary.LittleEndian.Uint32(out), binary.LittleEndian.Uint32(out[8:]); got != test.want || end != 3 {
				t.Errorf("got %d and %d, want %d and 3\n%s", got, end, test.want, numbered(text))
			}
		})
	}
}

// TestResultsAreLastParameters leaves a loop with what its parameters were in the
// last iteration. A result that one exit passes is the parameter's own register,
// which must not have its next value yet.
func TestResultsAreLastParameters(t *testing.T) {
	const text = `var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]

kernel @main() [workgroup 1u, 1u, 1u] {
  %p = access @out, 0u : ptr<storage, u32, read_write>
  %q = access @out, 1u : ptr<storage, u32, read_write>
  %x = load %p : u32
  %last, %other = loop ^l(%k: u32 = %x, %m: u32 = 100u) : u32, u32 {
    continue ^l()
  } continuing {
    %n = add %k, 1u : u32
    %o = sub %m, %k : u32
    %d = ge %n, 5u : bool
    next ^l(%n, %o) break_if %d(%k, %m)
  }
  store %p, %last
  store %q, %other
  return
}
`
	// iterations begin with (1, 100), (2, 99), (3, 97), (4, 94)
	code := compile(t, text, codegen.Options{})
	p, err := read(code)
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(code))
	}
	out := make([]byte, 8)
	binary.LittleEndian.PutUint32(out, 1)
	if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{out}, []int64{2}, nil); err != nil {
		t.Fatal(err)
	}
	if last, other := binary.LittleEndian.Uint32(out), binary.LittleEndian.Uint32(out[4:]); last != 4 || other != 94 {
		t.Errorf("got %d and %d, want 4 and 94\n%s", last, other, numbered(code))
	}
}

// TestLeavingWherePassing leaves a kernel on one side of a branch whose other side passes
// values that cannot be passed ahead of it: the condition is one of the registers.
func TestLeavingWherePassing(t *testing.T) {
	const text = `var @out : ptr<storage, array<u32>, read_write> [group 0, binding 0]

kernel @main() [workgroup 1u, 1u, 1u] {
  %p = access @out, 0u : ptr<storage, u32, read_write>
  %q = access @out, 1u : ptr<storage, u32, read_write>
  %x = load %p : u32
  %a = eq %x, 1u : bool
  %b = eq %x, 2u : bool
  loop ^l(%now: bool = %a, %later: bool = %b, %k: u32 = 5u) {
    store %q, %k
    %n = add %k, 1u : u32
    continue ^l(%n)
  } continuing(%m: u32) {
    next ^l(%later, %now, %m) break_if %now()
  }
  return
}
`
	code := compile(t, text, codegen.Options{})
	p, err := read(code)
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(code))
	}
	for x, want := range map[uint32]uint32{1: 5, 2: 6} {
		out := make([]byte, 8)
		binary.LittleEndian.PutUint32(out, x)
		if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{out}, []int64{2}, nil); err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint32(out[4:]); got != want {
			t.Errorf("%d: got %d, want %d\n%s", x, got, want, numbered(code))
		}
	}
}
