package interp

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// TestFailureOfTheInterpreter: a panic in a worker, which has its own goroutine, is the launch's
// error; and the program goes on, as do its other launches.
func TestFailureOfTheInterpreter(t *testing.T) {
	m, _, items := ir.ParseString(`kernel @main(%i: u32 [global_invocation_index]) [workgroup 1u, 1u, 1u] {
  %v = construct %i, 1u : vec2<u32>
  %x = extract %v, %i : u32
  return
}
`)
	if m == nil {
		t.Fatal(items)
	}
	p, err := Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	right := p.images[Defined].code
	for _, workers := range []int{1, 4} {
		p.images[Defined].code = nil
		_, err := p.Run(&Launch{Grid: [3]uint32{1000, 1, 1}, Workers: workers})
		var internal *diag.InternalError
		if !errors.As(err, &internal) || !strings.Contains(err.Error(), "internal error while interpreting kernel `main`: runtime error: index out of range") {
			t.Errorf("%d workers: the error is %v", workers, err)
		}
		p.images[Defined].code = right
		if found, err := p.Run(&Launch{Grid: [3]uint32{1000, 1, 1}, Workers: workers}); err != nil || len(found) > 0 {
			t.Errorf("%d workers: afterwards %v, %v", workers, err, found)
		}
	}
}

// TestUnusedTiles: a loop that makes tiles uses no more memory for more iterations, and what it
// keeps in slots and variables stays.
func TestUnusedTiles(t *testing.T) {
	m, _, items := ir.ParseString(`var @a : ptr<storage, array<u32>, read_write> [group 0, binding 0]
kernel @main(%l: u32 [local_invocation_index]) [workgroup 4u, 1u, 1u] {
  %v = var : ptr<function, tile<u32, 256, 256>>
  %x = tile_splat 3u : tile<u32, 256, 256>
  %z = tile_splat 4u : tile<u32, 256, 256>
  store %v, %x
  %y = loop ^k(%n: i32 = 0i, %t: tile<u32, 256, 256> = %z) : tile<u32, 256, 256> {
    %more = lt %n, 600i : bool
    if ^if %more {
      exit ^if()
    } else {
      exit ^k(%t)
    }
    %u = tile_set %t, %n, 5u : tile<u32, 256, 256>
    %w = tile_transpose %u : tile<u32, 256, 256>
    continue ^k(%w)
  } continuing(%last: tile<u32, 256, 256>) {
    %next = add %n, 1i : i32
    next ^k(%next, %last)
  }
  %kept = load %v : tile<u32, 256, 256>
  %g = tile_get %kept, 700i : u32
  %h = tile_get %z, 700i : u32
  %i = tile_get %y, 0i : u32
  %s1 = mul %g, 100u : u32
  %s2 = mul %h, 10u : u32
  %s3 = add %s1, %s2 : u32
  %s = add %s3, %i : u32
  %p = access @a, %l : ptr<storage, u32, read_write>
  store %p, %s
  return
}
`)
	if m == nil {
		t.Fatal(items)
	}
	p, err := Compile(m, m.Kernels()[0])
	if err != nil {
		t.Fatal(err)
	}
	memory := aligned(16)
	e := newExecution()
	defer e.release()
	if err := p.check(e, &Launch{Buffers: [][]byte{memory}, Grid: [3]uint32{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	w := new(worker)
	w.prepare(e)
	w.runGroup(0)
	for n := range 4 {
		if got := binary.NativeEndian.Uint32(memory[4*n:]); got != 345 {
			t.Errorf("invocation %d has %d", n, got)
		}
	}
	if most := minTileLimit/(256*256/4) + 4; len(w.tiles.parts) > most {
		t.Errorf("there are %d parts of tiles, want %d at most", len(w.tiles.parts), most)
	}
}
