package jit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
)

// control is a kernel in which lanes diverge in all ways there are: an early return, loops that
// they leave at different times and by different paths, switches and choices. It accesses
// neighbours and others, of 32, 16 and 64 bits, private memory and atomics, with barriers around.
const control = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> shared_words: array<u32, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  let x = in[n];
  shared_words[lane] = x ^ local.x;
  workgroupBarrier();
  var own: array<u32, 5>;
  var sum = shared_words[(lane + 1u) %% %[1]du];
  for (var k = 0u; k < (x & 7u); k++) {
    own[(x + k) %% 5u] += k + 1u;
    if ((x >> (k & 31u)) & 3u) == 3u { continue; }
    if sum > 0xF0000000u { break; }
    sum = sum * 3u + k;
    var j = k;
    loop {
      if j > (x >> 28u) { break; }
      sum += in[(n * 7u + j) %% arrayLength(&in)];
      j += 1u + (x & 1u);
      continuing { break if (sum & 31u) == 31u; }
    }
  }
  switch x %% 5u {
    case 0u: { sum ^= own[x %% 5u]; }
    case 1u, 2u: { if (x & 8u) != 0u { sum += u32(f32(x & 0xFFFFu) * 0.5); } else { sum -= 1u; } }
    case 3u: { atomicAdd(&counts[x & 7u], sum & 255u); }
    default: { sum = select(sum / (1u + (x & 15u)), sum %% 77u, (x & 64u) == 0u); }
  }
  workgroupBarrier();
  shared_words[lane] = sum;
  workgroupBarrier();
  let other = shared_words[(lane * 5u + 3u) %% %[1]du];
  if (x & 0x300u) == 0x300u { out[n] = other; return; }
  for (var k = 0u; k < own[0] + own[1]; k++) {
    if k == 3u { sum ^= other; break; }
    sum = sum * 5u + own[(k + lane) %% 5u];
  }
  out[n] = sum + other;
}`

// leaving has lanes that leave a loop by returning, for code that lies after it in the text.
// Others go round again and return themselves, past those that wait there.
const leaving = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> shared_words: array<u32, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  var k = 3u;
  loop {
    if k == 0u { break; }
    k--;
    shared_words[lane] = shared_words[lane] * 4u + out[n];
    for (var i = 1u; i != 0u; i--) {
      for (var j = 3u; j != 0u; j--) {
        out[n] = out[n] * 3u + in[n];
        if lane %% 5u == 1u {
          shared_words[lane] = shared_words[lane] * 9u + out[n];
        } else {
          out[n] += 6u;
          if lane == 0u || lane == 10u || (shared_words[lane] & 3u) >= 0u { return; }
          shared_words[lane] *= 8u;
        }
      }
    }
  }
  atomicAdd(&counts[lane & 7u], 1u);
}
`

// joined has a branch both of whose ways lead to the next iteration of a loop, so that lanes
// diverge for nothing. After it are the blocks of another branch, where lanes diverge, too, and
// which all lanes take or none.
const joined = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> shared_words: array<u32, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  for (var k = 0u; k < 3u; k++) {
    if ((in[k] & 1u) != 0u) {
      if lane == 2u || lane == 0u { continue; }
    } else {
      switch lane %% 5u {
        case 6u, 7u, 0u: {
          if lane > 12u {
            out[n] = out[n] * 3u + in[n];
          } else {
            shared_words[lane] = shared_words[lane] * 4u + out[n];
            out[n] += 9u;
          }
          out[n] += in[n + 1u] + 2u;
        }
        default: { }
      }
    }
  }
  atomicAdd(&counts[lane & 7u], shared_words[lane]);
}
`

// below has lanes that access what lies before their own element, where the first lane of a block
// has nothing and is not active.
const below = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> shared_words: array<u32, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  shared_words[lane] = in[n];
  workgroupBarrier();
  var x = lane;
  if lane >= 5u { x = shared_words[lane - 5u]; }
  workgroupBarrier();
  if lane >= 3u { shared_words[lane - 3u] = x + lane; }
  workgroupBarrier();
  if lane > 9u && (x & 1u) == 0u { x += shared_words[(lane - 9u) / 1u]; }
  out[n] = shared_words[lane] ^ x;
  atomicAdd(&counts[lane & 7u], x & 255u);
}
`

// tree has phases in which blocks of lanes have nothing to do: those after a number that gets
// smaller or larger, or all but one. What the workgroup has in common changes in them, and in some
// what it has not.
const tree = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> shared_words: array<u32, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  shared_words[lane] = in[n];
  var hash = group.x;
  var mine = lane;
  workgroupBarrier();
  for (var step = %[1]du / 2u; step > 0u; step /= 2u) {
    hash = hash * 3u + step;
    if lane < step { shared_words[lane] += shared_words[lane + step] ^ hash; }
    workgroupBarrier();
  }
  for (var most = 40i; most >= -3i; most -= 7i) {
    if most >= i32(lane * 2u) { shared_words[lane] = shared_words[lane] * 5u + u32(most); }
    hash ^= u32(most);
    workgroupBarrier();
  }
  for (var one = 0u; one < 40u; one += 9u) {
    if lane == one { shared_words[lane] += hash; }
    hash = hash * 3u + one;
    workgroupBarrier();
  }
  for (var one = 0u; one < 40u; one += 9u) {
    if lane == one { shared_words[lane] += hash; }
    mine = mine * 5u + one;
    workgroupBarrier();
  }
  for (var one = 0u; one < 40u; one += 9u) {
    mine = mine * 7u + one;
    workgroupBarrier();
    if lane + 2u == one { shared_words[lane] ^= mine; } else { mine += 5u; }
    workgroupBarrier();
  }
  for (var step = 1u; step < %[1]du; step *= 2u) {
    let x = shared_words[max(lane, step) - step];
    workgroupBarrier();
    if lane >= step { shared_words[lane] += x; }
    workgroupBarrier();
  }
  if lane > 100u { out[n] = 1u; }
  workgroupBarrier();
  if lane <= 11u { atomicAdd(&counts[lane & 7u], hash); }
  workgroupBarrier();
  out[n] = shared_words[lane] ^ mine ^ hash;
  workgroupBarrier();
  if lane == 0u { atomicAdd(&counts[1], shared_words[%[1]du - 1u]); }
}
`

// others has phases in which blocks of lanes have nothing to do at a comparison, but something in
// front of it or after.
const others = `
@group(0) @binding(0) var<storage, read> in: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>, 8>;
var<workgroup> shared_words: array<u32, %[1]d>;
@compute @workgroup_size(%[2]d, %[3]d, %[4]d)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let n = lane + %[1]du * (group.x + groups.x * group.y);
  shared_words[lane] = in[n];
  workgroupBarrier();
  for (var step = %[1]du; step > 0u; step >>= 2u) {
    if (in[n] & 1u) == 0u { shared_words[lane] += 3u; }
    if lane < step { shared_words[lane] += group.x; }
    workgroupBarrier();
  }
  for (var step = %[1]du; step > 0u; step >>= 2u) {
    shared_words[lane] ^= step;
    if lane < step { shared_words[lane] += group.x; }
    workgroupBarrier();
  }
  for (var step = %[1]du; step > 0u; step >>= 2u) {
    if lane < step { shared_words[lane] += group.x; }
    shared_words[lane] *= 3u;
    workgroupBarrier();
  }
  out[n] = shared_words[lane];
  atomicAdd(&counts[lane & 7u], 1u);
}
`

// needCode skips a test where machine code cannot be executed, and says why not.
func needCode(t testing.TB) {
	t.Helper()
	if err := Available(); err != nil {
		t.Skipf("skipped: %v", err)
	}
}

// TestSizes runs those kernels with workgroups whose lanes fill no vectors, or several, and
// compares with package interp.
func TestSizes(t *testing.T) {
	needCode(t)
	for name, text := range map[string]string{"control": control, "leaving": leaving, "joined": joined, "below": below, "tree": tree, "others": others, "meeting": meeting, "sides": sides} {
		t.Run(name, func(t *testing.T) { testSizes(t, text) })
	}
}

func testSizes(t *testing.T, text string) {
	defer func(budget, most uint32) { forced, firstBudget, largestBudget = 0, budget, most }(firstBudget, largestBudget)
	// code returns in front of each block of lanes, and in each iteration of a loop
	firstBudget, largestBudget = 1, 1
	rng := rand.New(rand.NewPCG(3, 4))
	for n, size := range [][3]uint32{{1, 1, 1}, {7, 1, 1}, {8, 1, 1}, {33, 1, 1}, {64, 1, 1}, {255, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 4, 1}, {3, 5, 2}, {32, 2, 1}, {4, 4, 4}, {257, 1, 1}, {1024, 1, 1}} {
		name := fmt.Sprint(size)
		if !testmode.Picked(fmt.Sprint(len(text), name)) {
			continue
		}
		m := parsed(t, fmt.Sprintf(text, size[0]*size[1]*size[2], size[0], size[1], size[2]))
		p, _, err := compiled(t, m, "main", &codegen.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := make([]byte, 4*size[0]*size[1]*size[2]*6)
		for k := 0; k < len(in); k += 4 {
			binary.LittleEndian.PutUint32(in[k:], rng.Uint32())
		}
		launch := interp.Launch{Grid: [3]uint32{3, 2, 1}}
		reference, err := interp.Compile(m, m.Func("main"))
		if err != nil {
			t.Fatal(err)
		}
		want := [][]byte{in, make([]byte, len(in)), make([]byte, 32)}
		for _, b := range reference.Bindings() {
			launch.Buffers = append(launch.Buffers, want[b.Binding])
		}
		if _, err := reference.Run(&launch); err != nil {
			t.Fatal(err)
		}
		for at, together := range [...]int{0, 1, 2, 4} {
			forced = together
			if p.Subgroups && forced != 0 {
				continue // the blocks of a subgroup are executed together in any case
			}
			t.Run(fmt.Sprintf("%s by %d", name, forced), func(t *testing.T) {
				k, err := Load(p, Options{Verify: isVerified(n, at, 0), Machine: machineFor(n + at)})
				if err != nil {
					t.Fatal(err)
				}
				got := [][]byte{in, make([]byte, len(in)), make([]byte, 32)}
				launch := interp.Launch{Grid: launch.Grid}
				for _, b := range p.Bindings {
					launch.Buffers = append(launch.Buffers, got[b.Binding])
				}
				if _, err := k.Run(&launch); err != nil {
					t.Fatal(err)
				}
				for k := range got {
					if !bytes.Equal(got[k], want[k]) {
						t.Errorf("buffer %d differs", k)
					}
				}
			})
		}
	}
}

func parsed(t testing.TB, text string) *ir.Module {
	t.Helper()
	var set source.Set
	var list diag.List
	file, err := set.Add("control.wgsl", text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil || m == nil || list.Errors() > 0 {
		t.Fatal(err, list.Items())
	}
	return m
}
