package lower_test

import (
	encoding "encoding/binary"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen/instrument"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
)

// extentModules are kernels that use the extent. They use one dimension beside immediates that a
// called function reads, all dimensions as one value, and none in the end. Each marks the
// invocations within it.
var extentModules = map[string]string{
	"one": `var @o : ptr<storage, array<u32>, read_write> [group 0, binding 0]
kernel @main(%e: vec3<u32> [launch_extent], %g: vec3<u32> [global_invocation_id]) [workgroup 4u, 1u, 1u] {
  %x = extract %g, 0u : u32
  %n = extract %e, 0u : u32
  %in = lt %x, %n : bool
  if ^i %in { exit ^i() } else { return }
  %p = access @o, %x : ptr<storage, u32, read_write>
  store %p, %n
  return
}`,
	"immediates": `var @o : ptr<storage, array<u32>, read_write> [group 0, binding 0]
struct s [size 12, align 4] { a: u32 [offset 0], b: u32 [offset 4], c: u32 [offset 8] }
var @v : ptr<immediate, s>
fn @more(%x: u32) : u32 {
  %p = access @v, 2u : ptr<immediate, u32>
  %c = load %p : u32
  %r = add %c, %x : u32
  return %r
}
kernel @main(%g: vec3<u32> [global_invocation_id], %e: vec3<u32> [launch_extent]) [workgroup 2u, 2u, 1u] {
  %x = extract %g, 0u : u32
  %y = extract %g, 1u : u32
  %n = extract %e, 0u : u32
  %m = extract %e, 1u : u32
  %inx = lt %x, %n : bool
  %iny = lt %y, %m : bool
  %in = and %inx, %iny : bool
  if ^i %in { exit ^i() } else { return }
  %all = load @v : s
  %b = extract %all, 1u : u32
  %row = mul %y, 4u : u32
  %at = add %row, %x : u32
  %value = call @more, %b : u32
  %p = access @o, %at : ptr<storage, u32, read_write>
  store %p, %value
  return
}`,
	"whole": `var @o : ptr<storage, array<u32>, read_write> [group 0, binding 0]
kernel @main(%e: vec3<u32> [launch_extent], %x: u32 [local_invocation_index]) [workgroup 4u, 1u, 1u] {
  %k = rem %x, 3u : u32
  %n = extract %e, %k : u32
  %p = access @o, %x : ptr<storage, u32, read_write>
  store %p, %n
  return
}`,
	"unused": `var @o : ptr<storage, array<u32>, read_write> [group 0, binding 0]
kernel @main(%e: vec3<u32> [launch_extent], %x: u32 [local_invocation_index]) [workgroup 4u, 1u, 1u] {
  %p = access @o, %x : ptr<storage, u32, read_write>
  store %p, %x
  return
}`,
}

// TestLowerLaunchExtent: a kernel has the same results as with the interpreter's own extent, and
// has no dimension that it does not use.
func TestLowerLaunchExtent(t *testing.T) {
	uses := map[string][]int{"one": {0}, "immediates": {0, 1}, "whole": {0, 1, 2}, "unused": nil}
	for name, text := range extentModules {
		before := irtest.Parse(t, text)
		after := before.Clone()
		list := new(diag.List)
		c := &opt.Context{List: list, Verify: true}
		c.Run(after, []opt.Pass{instrument.LowerLaunchExtent}, ir.Initial)
		if ir.Verify(after, list); list.Errors() > 0 {
			t.Fatalf("%s: %v", name, list.Items())
		}
		var dimensions []int
		offset, size := 0, 0
		if v := after.WithRole(ir.ExtentWords); v != ir.NoValue {
			g := after.Global(v)
			for c, member := range after.ExtentMembers(after.WithRole(ir.ExtentWords)) {
				if member >= 0 {
					if dimensions == nil {
						offset = int(after.Members(after.Element(g.Type))[member].Offset)
					}
					dimensions = append(dimensions, c)
				}
			}
			size = int(after.Size(after.Element(g.Type)))
		}
		if !slices.Equal(dimensions, uses[name]) || size != offset+4*len(dimensions) {
			t.Errorf("%s: dimensions %v from byte %d of %d on, want %v", name, dimensions, offset, size, uses[name])
		}
		again := irtest.Parse(t, after.Text()) // its role and all are part of the text
		for _, extent := range [][3]uint32{{3, 2, 1}, {4, 4, 1}, {1, 1, 1}, {7, 3, 1}} {
			values := make([]byte, 12)
			for n := range values {
				values[n] = byte(n)
			}
			run := func(m *ir.Module, extent [3]uint32, immediates []byte) []byte {
				p, err := interp.Compile(m, m.Func("main"))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				out := make([]byte, 64)
				if _, err := p.Run(&interp.Launch{Grid: [3]uint32{2, 2, 1}, Extent: extent, Buffers: [][]byte{out}, Immediates: immediates[:p.Immediates()]}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return out
			}
			want := run(before, extent, values)
			given := append(values[:offset:offset], make([]byte, 12)...)
			for n, dimension := range dimensions {
				encoding.LittleEndian.PutUint32(given[offset+4*n:], extent[dimension])
			}
			if got := run(again, [3]uint32{}, given); !slices.Equal(got, want) {
				t.Errorf("%s over %v: got %v, want %v", name, extent, got, want)
			}
		}
	}
}

// TestLowerWholeLaunchExtent: in a launch of full workgroups, all invocations are within the
// extent.
func TestLowerWholeLaunchExtent(t *testing.T) {
	m := irtest.Parse(t, extentModules["one"])
	c := &opt.Context{List: new(diag.List), Verify: true}
	c.Run(m, []opt.Pass{instrument.LowerWholeLaunchExtent}, ir.Initial)
	if ir.Verify(m, c.List); c.List.Errors() > 0 || len(m.Func("main").Builtins) != 1 || m.WithRole(ir.ExtentWords) != ir.NoValue {
		t.Fatal(m.Text(), c.List.Items())
	}
	p, err := interp.Compile(m, m.Func("main"))
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, 32)
	if _, err := p.Run(&interp.Launch{Grid: [3]uint32{2, 1, 1}, Extent: [3]uint32{1, 1, 1}, Buffers: [][]byte{out}}); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(out, 0) {
		t.Errorf("some did not run: %v", out)
	}
}
