package campaign

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestBorrow makes cases of a program with three entry points: one that races with more than one
// workgroup, one that takes any number, and one that is never well-defined.
func TestBorrow(t *testing.T) {
	const code = `
struct Numbers { count: u32, offset: f32, list: array<vec2f> }
@group(0) @binding(3) var<storage, read> given: Numbers;
@group(1) @binding(0) var<storage, read_write> twice: array<f32>;
@group(1) @binding(1) var<storage, read_write> total: f32;
override factor: f32;

@compute @workgroup_size(8)
fn each(@builtin(global_invocation_id) id: vec3u) {
  twice[id.x] = given.list[id.x].y * 2 * factor;
}

@compute @workgroup_size(1)
fn sum() {
  total = given.offset + given.list[0].x;
}

@compute @workgroup_size(8)
fn race(@builtin(global_invocation_id) id: vec3u) {
  total = f32(id.x);
}`
	cases, refused := Borrow("numbers.wgsl", code, rand.New(rand.NewPCG(1, 0)))
	if len(cases) != 2 || len(refused) != 1 || !strings.Contains(refused[0].Error(), "race: ") {
		t.Fatalf("%d cases; refused are %v", len(cases), refused)
	}
	float := func(data []byte, at int) float32 {
		return math.Float32frombits(binary.LittleEndian.Uint32(data[at:]))
	}
	each, sum := cases[0], cases[1]
	if each.Dispatch[0] != 2 || each.Constants["factor"] != 1 || sum.Dispatch[0] != 1 {
		t.Errorf("groups %d and %d, constants %v", each.Dispatch[0], sum.Dispatch[0], each.Constants)
	}
	given, twice := each.Bindings[0], each.Bindings[1]
	if given.Group != 0 || given.Binding != 3 || given.Kind != "read-only-storage" || twice.Kind != "storage" || len(given.Floats) != 1+2*64 {
		t.Errorf("binding %d of group %d, %s and %s, %d floats", given.Binding, given.Group, given.Kind, twice.Kind, len(given.Floats))
	}
	different := false
	for i := range 64 {
		want := float(twice.Data, 4*i)
		if i < 16 {
			want = 2 * float(given.Data, 8+8*i+4)
		}
		if got := float(twice.Want, 4*i); got != want {
			t.Errorf("element %d: expected %v, found %v", i, want, got)
		}
		different = different || want != float(twice.Want, 0)
	}
	if !different {
		t.Error("all inputs are alike")
	}
	total := sum.Bindings[1]
	want := float(sum.Bindings[0].Data, 4) + float(sum.Bindings[0].Data, 8)
	if got := float(total.Want, 0); got != want {
		t.Errorf("the sum is %v, want %v", got, want)
	}
	got := [][]byte{sum.Bindings[0].Data, append([]byte{}, total.Want...)}
	for _, test := range []struct {
		by    float32
		right bool
	}{{0, true}, {1e-4, true}, {-1e-4, true}, {1e-1, false}} {
		binary.LittleEndian.PutUint32(got[1], math.Float32bits(want+test.by))
		if err := sum.Compare(got); (err == nil) != test.right {
			t.Errorf("a difference of %v: %v", test.by, err)
		}
	}
}
