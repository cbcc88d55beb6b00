package jit

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// sums is a kernel with sums in loops, which begin with patterns that may be NaN, and of which some
// loops have no iteration. Variables of an invocation have numbers that arithmetic makes, and
// others any pattern. Lanes store runs of 16 bits, and four words side by side with distances
// between lanes. Barriers are between all that.
const sums = `
enable f16;
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> halves: array<f16, %[1]d>;
var<workgroup> sevens: array<array<f32, 7>, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  let a = bitcast<f32>(in[n] | 0x7f800000u); // a NaN, mostly
  let b = bitcast<f32>((in[n] & 0x3fffffu) | 0x3f800000u);
  var hash = 0u;
  for (var count = 0u; count < 4u; count++) { // the same for all
    var chain = a;
    var second = b;
    var plain = a;
    var words = in[n];
    var kept = a;
    for (var k = 0u; k < count * group.x; k++) {
      let x = bitcast<f32>((in[k] & 0xffffffu) | 0x3f000000u);
      chain = fma(x, b, chain);
      second = fma(x, b, fma(b, x, second));
      plain += x;
      words += in[k] * 3u;
      if count == 3u { kept = x; }
    }
    hash = hash * 31u + (bitcast<u32>(chain) ^ (bitcast<u32>(second) * 3u) ^ (bitcast<u32>(plain) * 5u) ^ (words * 7u) ^ (bitcast<u32>(kept) * 9u));
  }
  var numbers: array<f32, 8>;
  var patterns: array<f32, 8>;
  for (var k = 0u; k < 8u; k++) {
    numbers[(k + group.x) & 7u] = sqrt(b - 1.5) + f32(k);
    patterns[(k + group.x) & 7u] = bitcast<f32>(in[(n + k) %% arrayLength(&in)] | 0x7f800000u);
  }
  for (var k = 0u; k < 8u; k++) {
    numbers[k] = fma(numbers[(k + 3u) & 7u], b, numbers[k]);
    hash = hash * 31u + bitcast<u32>(numbers[k]) + bitcast<u32>(patterns[(k + 5u) & 7u]) * 3u;
  }
  halves[lane] = f16(b * 2.0 - 3.0);
  sevens[lane][0] = a;
  sevens[lane][1] = b;
  sevens[lane][2] = b * a;
  sevens[lane][3] = numbers[group.x];
  sevens[lane][5] = b + 1.0;
  workgroupBarrier();
  let other = (lane * 5u + 3u) %% %[1]du;
  hash ^= bitcast<u32>(f32(halves[lane])) + bitcast<u32>(f32(halves[other]));
  for (var k = 0u; k < 6u; k++) { hash = hash * 31u + bitcast<u32>(sevens[other][k]); }
  workgroupBarrier();
  halves[lane] = halves[other];
  out[n] = hash ^ u32(halves[lane] > 0.0h);
}
`

// TestSums compares what it leaves with what package interp does.
func TestSums(t *testing.T) {
	needCode(t)
	testSizes(t, sums)
}

// accumulated is a loop with two sums, over a workgroup of one block of lanes.
const accumulated = `
@group(0) @binding(0) var<storage, read> in: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
var<workgroup> shared_words: array<f32, 8>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
  var x = in[lane];
  var y = in[lane + 8u];
  shared_words[lane] = x;
  workgroupBarrier();
  var k = 0u;
  loop {
    let z = shared_words[k & 7u];
    x = fma(z, 0.5, x);
    y = fma(z, 0.25, y);
    continuing {
      k++;
      break if k == 100u;
    }
  }
  out[lane] = x + y;
}
`

// TestSumsInPlace looks at the code of a loop: its sums stay in their registers, and nothing is
// done about NaN. There is no way back for other blocks at the barrier.
func TestSumsInPlace(t *testing.T) {
	p, _, err := compiled(t, parsed(t, accumulated), "main", &codegen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	code, err := Compile(p, Options{List: true})
	if err != nil {
		t.Fatal(err)
	}
	sums, moves, compares := 0, 0, 0 // from the first sum to the end of the loop
	for n := range code.List {
		i := &code.List[n]
		if i.Op != amd64.VFMAdd231PS && sums == 0 {
			continue
		}
		if i.Op == amd64.Jmp {
			break
		}
		switch i.Op {
		case amd64.VFMAdd231PS:
			sums++
		case amd64.VFMAdd213PS:
			t.Error("a sum moves to another register")
		case amd64.VMovUPS:
			if i.Operands[0].IsRegister() && i.Operands[1].IsRegister() {
				moves++
			}
		case amd64.VCmpPS:
			compares++
		}
	}
	if sums != 2 || moves > 0 || compares > 0 {
		t.Errorf("%d sums, %d moves, and %d comparisons with NaN; want 2, 0 and 0", sums, moves, compares)
	}
	if code.Layout.Frames != 1 || code.Layout.FrameBytes != 0 {
		t.Errorf("%d frames of %d bytes for values at the barrier", code.Layout.Frames, code.Layout.FrameBytes)
	}
}
