package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/targetflag"
	"github.com/gpuc/gpuc/internal/testmode"
)

// reported is a kernel with 16 KiB of workgroup memory, which limits occupancy whatever registers
// it has.
const reported = `var<workgroup> tile: array<vec4f, 1024>;
@group(0) @binding(0) var<storage, read_write> x: array<vec4f>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u) {
  for (var n = i; n < 1024; n += 64) { tile[n] = x[w.x * 1024 + n]; }
  workgroupBarrier();
  for (var n = i; n < 1024; n += 64) { x[w.x * 1024 + n] = tile[1023 - n]; }
}
`

// report builds the kernel and returns the lines of the report.
func report(t *testing.T, arguments ...string) (stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	write(t, "tile.wgsl", reported)
	stdout, stderr, code := build(arguments, "-report", "tile.wgsl")
	if code != cli.ExitOK {
		t.Fatalf("ends with %d and says %s", code, stderr)
	}
	return stdout, stderr
}

// first returns the first line of each artefact in a report.
func first(report string) string {
	var b strings.Builder
	for line := range strings.Lines(report) {
		if !strings.HasPrefix(line, " ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestReportWithoutTools: a missing tool is no error, and the report says which it is.
func TestReportWithoutTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	stdout, _ := report(t, "-target", targetflag.All, "-o", "./")
	_, got, _ := strings.Cut(stdout, "structures and constants for C\n")
	const want = `tile.spv         not known: no machine code is made before a device loads it
tile.ptx         not known: ptxas counts registers, and is not on the PATH
tile.out.wgsl    not known: no machine code is made before a device loads it
tile.metal       not known: no machine code is made before a device loads it
tile.ll          not known: …
tile.ir          not known: no machine code is made before a device loads it
tile.checked.ir  not known: no machine code is made before a device loads it
`
	// the line for AMD depends on a library that tests cannot hide
	amd := regexp.MustCompile(`(?m)(^tile\.ll +not known: ).*gfx1100.* clang-19, or llc-19 and ld\.lld-19, .*none is there$`)
	if got := amd.ReplaceAllString(first(got), "${1}…"); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestReport reads the occupancy by ptxas and LLVM.
func TestReport(t *testing.T) {
	testmode.Quick(t, "it assembles kernels")
	for _, test := range []struct{ tool, target, want string }{
		// 13 times 17 KiB are 221 of 228: 26 warps
		{"ptxas", "ptx:sm_90", `^main for ptx:sm_90  sm_90: \d+ registers, no spilled registers, 16384 bytes of workgroup memory, no stack; 26 of 64 warps per multiprocessor, limited by workgroup memory$`},
		// 4 times 16 KiB are 64: 4 waves of 64 invocations on 4 SIMDs
		{"clang-19", "amdgpu:gfx90a", `^main for amdgpu:gfx90a  gfx90a: \d+ VGPRs, \d+ SGPRs, no spilled registers, 16384 bytes of workgroup memory, no scratch memory; 1 of 8 waves per SIMD, limited by workgroup memory$`},
		// 8 times 16 KiB are 128: 16 waves of 32 on 4 SIMDs
		{"clang-19", "amdgpu:gfx1100", `^main for amdgpu:gfx1100  gfx1100: \d+ VGPRs, \d+ SGPRs, no spilled registers, 16384 bytes of workgroup memory, no scratch memory; 4 of 16 waves per SIMD, limited by workgroup memory$`},
	} {
		t.Run(test.target, func(t *testing.T) {
			if _, err := exec.LookPath(test.tool); err != nil {
				t.Skipf("skipped: there is no %s on the PATH (Debian: llvm-19 and lld-19; NVIDIA's wheel nvidia-cuda-nvcc-cu12 has ptxas)", test.tool)
			}
			code, text := report(t, "-target", test.target, "-o", "-")
			if code == "" || !regexp.MustCompile(test.want).MatchString(strings.TrimSpace(first(text))) {
				t.Errorf("%d bytes of code, and\n%s", len(code), text)
			}
		})
	}
}

// guarded has an access for each reason why one is not proved to be in bounds, and others that are.
const guarded = `struct Size { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> size: Size;
@group(0) @binding(1) var<storage> a: array<vec4f>;
@group(0) @binding(2) var<storage> order: array<u32>;
@group(0) @binding(3) var<storage, read_write> b: array<f32>;
@group(0) @binding(4) var<storage, read_write> c: array<f32>;
var<workgroup> tile: array<f32, 64>;
@compute @workgroup_size(8, 16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  tile[l / 2] = a[0].x;
  tile[l] = 1;
  if (id.x >= arrayLength(&b)) { return; }
  b[id.x] += 1;
  c[id.x] = a[order[id.x]].y;
  for (var k = 0u; k < size.width; k++) {
    c[id.y * size.width + k] += tile[k & 63];
  }
  c[l + 2] = tile[u32(a[1].z)];
}
`

// TestReportReasons: the report has each access that is not proved to be in bounds, with the
// reason.
func TestReportReasons(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir())
	write(t, "g.wgsl", guarded)
	const want = `8 accesses are not proved to be in bounds:
  g.wgsl:11:3: ${tile[l]} is tested: l is local_invocation_index, 0 to 127; the index is 0 to 127 as far as is known, and tile has 64 elements
  g.wgsl:14:3: ${c[id.x]} is tested: id.x is global_invocation_id.x, which the launch decides; the index is less than the length of b, which is not known to be at most the length of c
  g.wgsl:14:13: ${a[order[id.x]].y} is clamped: order[id.x] is read from storage buffer order; the index is not known to be less than the length of a
  g.wgsl:14:15: ${order[id.x]} is clamped: id.x is global_invocation_id.x, which the launch decides; the index is less than the length of b, which is not known to be at most the length of order
  g.wgsl:16:5: ${c[id.y * size.width + k]} is clamped where it is read, and tested where it is written: k changes from iteration to iteration of a loop, size.width is read from uniform buffer size, id.y is global_invocation_id.y, which the launch decides; the index is not known to be less than the length of c
  g.wgsl:18:3: ${c[l + 2]} is tested: l is local_invocation_index, 0 to 127; the index is 2 to 129 as far as is known, and not known to be less than the length of c
  g.wgsl:18:14: ${tile[u32(a[1].z)]} is clamped: u32(a[1].z) is converted from a float; no bound of the index is known, and tile has 64 elements
  g.wgsl:18:23: ${a[1].z} is clamped: the index is 1 as far as is known, and not known to be less than the length of a
`
	for _, target := range []string{"spirv", "msl", "ptx"} {
		_, text, code := execute("build", "-target", target, "-o", "-", "-report", "g.wgsl")
		if code != cli.ExitOK {
			t.Fatalf("ends with %d and says %s", code, text)
		}
		_, got, _ := strings.Cut(text, " 8 accesses")
		got = regexp.MustCompile(`(?m)^ +g`).ReplaceAllString("8 accesses"+got, "  g")
		if want := strings.NewReplacer("${", "`", "}", "`").Replace(want); got != want {
			t.Errorf("%s: got\n%swant\n%s", target, got, want)
		}
	}
	_, text, _ := execute("build", "-o", "-", "-bounds", "off", "-report", "g.wgsl")
	if !strings.HasSuffix(text, " accesses are not checked, by -bounds=off\n") {
		t.Errorf("with bounds off it says\n%s", text)
	}
}

// TestReportOfLengths: the report names all lengths that an index is less than.
func TestReportOfLengths(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir())
	write(t, "l.wgsl", `@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> d: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let n = min(arrayLength(&a), arrayLength(&b));
  if i >= n || i >= arrayLength(&d) { return; }
  d[i] = a[i] + b[i] + c[i];
  let s = i32(i) - 1;
  if s < i32(arrayLength(&c)) { d[i] += c[s]; }
}
`)
	const want = `2 accesses are not proved to be in bounds:
  l.wgsl:10:24: "c[i]" is clamped: id.x is global_invocation_id.x, which the launch decides; the index is less than the lengths of a, b and d, none of which is known to be at most the length of c
  l.wgsl:12:41: "c[s]" is clamped: id.x is global_invocation_id.x, which the launch decides; the index is less than the length of c, and not known to be 0 or more
`
	_, text, _ := execute("build", "-target", "ptx", "-o", "-", "-report", "l.wgsl")
	_, got, _ := strings.Cut(text, " 2 accesses")
	got = regexp.MustCompile(`(?m)^ +l`).ReplaceAllString("2 accesses"+got, "  l")
	if strings.ReplaceAll(got, "`", `"`) != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

// TestReportCounts compares the counts of instructions and accesses with counts by hand.
func TestReportCounts(t *testing.T) {
	_, noAssembler := exec.LookPath("ptxas")
	_, noDisassembler := exec.LookPath("nvdisasm")
	t.Chdir(t.TempDir())
	write(t, "m.wgsl", `@group(0) @binding(0) var<storage> a: array<vec4f, 256>;
@group(0) @binding(1) var<storage> b: array<vec2f, 256>;
@group(0) @binding(2) var<storage, read_write> c: array<f32, 256>;
var<workgroup> tile: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32) {
  let x = a[l];
  let y = b[l];
  tile[l] = x.x * y.x + x.y + x.z + x.w;
  workgroupBarrier();
  var sum = 0.0;
  for (var k = l; k < 256; k++) { sum = fma(tile[k], y.y, sum); }
  c[l] = sqrt(sum);
}
`)
	if noAssembler == nil && noDisassembler == nil {
		const want = " of the machine code for sm_90; global memory: 1 load of 16 bytes, 1 load of 8 bytes, 1 store of 4 bytes; workgroup memory: "
		if _, text, _ := execute("build", "-target", "ptx:sm_90", "-o", "-", "-report", "m.wgsl"); !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	} else {
		t.Log("machine code is not counted: there are no ptxas and nvdisasm on the PATH (NVIDIA's wheels nvidia-cuda-nvcc-cu12 and nvidia-cuda-nvdisasm have them)")
	}
	t.Setenv("PATH", t.TempDir())
	for _, test := range []struct{ target, kernel, loop string }{
		{"ptx", " of the PTX; global memory: 1 load of 16 bytes, 1 load of 8 bytes, 1 store of 4 bytes; workgroup memory: 1 load of 4 bytes, 1 store of 4 bytes; ",
			" in the innermost loop; workgroup memory: 1 load of 4 bytes; "},
		{"spirv", " of the IR after all passes; storage buffers: 1 load of 16 bytes, 1 load of 8 bytes, 1 store of 4 bytes; workgroup memory: 1 load of 4 bytes, 1 store of 4 bytes; ",
			" in the innermost loop; workgroup memory: 1 load of 4 bytes; "},
	} {
		_, text, code := execute("build", "-target", test.target, "-o", "-", "-report", "m.wgsl")
		if code != cli.ExitOK {
			t.Fatalf("ends with %d and says %s", code, text)
		}
		for _, want := range []string{test.kernel, test.loop, "fused multiply-adds 1", "divisions and functions of floats 1", "barriers and subgroup operations 1",
			" all accesses are proved to be in bounds\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: there is no %q in\n%s", test.target, want, text)
			}
		}
	}
}
