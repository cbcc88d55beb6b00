package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// This file reads the reports of builds: without tools, where each line says what is not known and why, and with them, of a kernel whose
// workgroup memory decides what runs at once, so that the numbers do not depend on how tools give registers.

// reported is a kernel whose workgroups of 64 invocations have 16 KiB.
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
	if err := os.WriteFile("turn.wgsl", []byte(reported), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := built(t, append(arguments, "-report", "turn.wgsl")...)
	if code != exitOK {
		t.Fatalf("ends with %d and says %s", code, stderr)
	}
	return stdout, stderr
}

// TestReportWithoutTools: what is not known is no error, and each line says why.
func TestReportWithoutTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	stdout, _ := report(t, "-target", everyTarget)
	_, got, _ := strings.Cut(stdout, "structures and constants for C\n")
	const want = `turn.spv         not known: no machine code is made before a device loads it
turn.ptx         not known: ptxas counts registers, and is not on the PATH
turn.out.wgsl    not known: no machine code is made before a device loads it
turn.metal       not known: no machine code is made before a device loads it
turn.ll          not known: …
turn.ir          not known: no machine code is made before a device loads it
turn.checked.ir  not known: no machine code is made before a device loads it
`
	// What there is to say of AMD's depends on whether its library is there, which tests cannot hide.
	amd := regexp.MustCompile(`(?m)(^turn\.ll +not known: ).*gfx1100.* clang-19, or llc-19 and ld\.lld-19, .*none is there$`)
	if got := amd.ReplaceAllString(got, "${1}…"); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestReport has ptxas and LLVM count: 16 KiB for two warps or waves are what limits, whatever registers they give.
func TestReport(t *testing.T) {
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
			if code == "" || !regexp.MustCompile(test.want).MatchString(strings.TrimSpace(text)) {
				t.Errorf("%d bytes of code, and\n%s", len(code), text)
			}
		})
	}
}
