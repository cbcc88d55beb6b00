package ptx

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file counts warps by hand for machines of all kinds, and compares with a device's driver for
// one.

// occupancyOf is what a multiprocessor holds of a kernel.
func occupancyOf(machine uint32, registers, shared, threads uint64) string {
	u := new(codegen.Usage)
	for n := range multiprocessors {
		if m := &multiprocessors[n]; m.machine == machine {
			u.Bind(m.warps, "", m.bounds(&takes{registers: registers, shared: shared}, threads)...)
		}
	}
	return fmt.Sprint(u.Running, " ", strings.Join(u.Limits, " and "))
}

// TestOccupancy compares with numbers that were worked out by hand, each as its comment says.
func TestOccupancy(t *testing.T) {
	for _, test := range []struct {
		machine                    uint32
		registers, shared, threads uint64
		want                       string
	}{
		// 32 registers of 32 threads are 1024, of which a part of 16384 has 16: 64 warps
		{90, 32, 0, 256, "64 "},
		// 33 are 1056, given as 1280: 12 in each part, 48 warps, 6 blocks of 8
		{90, 33, 0, 256, "48 registers"},
		// 64: 8 in each part, 32 warps, 4 blocks of 8
		{80, 64, 0, 256, "32 registers"},
		// 72 are 2304: 7 in each part, 28 warps, of which 3 blocks of 8 are 24
		{90, 72, 0, 256, "24 registers"},
		// 255 are 8160, given as 8192: 2 in each part, 8 warps
		{70, 255, 0, 32, "8 registers"},
		// 32 blocks of one warp, and half of the warps are left
		{90, 16, 0, 32, "32 the number of workgroups"},
		// 16 blocks of two warps are all 32 of Turing
		{75, 16, 0, 64, "32 "},
		// 3 warps: 21 blocks are 63 of 64
		{80, 16, 0, 96, "63 the size of workgroups"},
		// 33 threads are two warps
		{80, 16, 0, 33, "64 "},
		// 1024 threads: one block of 32 warps in 48
		{86, 32, 0, 1024, "32 the size of workgroups"},
		// 48 KiB and one of CUDA's own are 49 KiB, of which 228 have 4: 4 blocks of 8 warps
		{90, 32, 48 << 10, 256, "32 workgroup memory"},
		// 227 KiB and one fill it
		{90, 32, 227 << 10, 1024, "32 workgroup memory"},
		// Volta keeps nothing: 96 KiB have two times 48
		{70, 32, 48 << 10, 256, "16 workgroup memory"},
		// 1 byte takes 256 there, and 1152 of 100 KiB on Ada, which is enough for 24 blocks
		{70, 32, 1, 64, "64 "},
		{89, 32, 1, 64, "48 "},
		// 100 KiB have 11 of 9 KiB with their own; 11 blocks of 4 warps
		{86, 32, 8 << 10, 128, "44 workgroup memory"},
		// 40 registers are 1280: 48 warps; 4 KiB and one: 20 of 100 KiB; 16 blocks of one warp
		{86, 40, 4 << 10, 32, "16 the number of workgroups"},
		// 128 registers: 16 warps, 2 blocks; 100 KiB and one: 2 of 228 KiB
		{90, 128, 100 << 10, 256, "16 registers and workgroup memory"},
		// 24 blocks of two warps are all 48
		{120, 40, 0, 64, "48 "},
	} {
		if got := occupancyOf(test.machine, test.registers, test.shared, test.threads); got != test.want {
			t.Errorf("%+v: got %q", test, got)
		}
	}
}

// TestOccupancyOfDriver compares with what the driver says on a device. Kernels have few registers
// and many, blocks of all sizes, and shared memory from none to all there is.
func TestOccupancyOfDriver(t *testing.T) {
	text, err := os.ReadFile("testdata/occupancy_h100.txt")
	if err != nil {
		t.Fatal(err)
	}
	var threads, shared []uint64
	compared := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		var numbers []uint64
		for _, word := range words[1:] {
			if n, err := strconv.ParseUint(word, 10, 64); err == nil {
				numbers = append(numbers, n)
			}
		}
		switch words[0] {
		case "#":
			continue
		case "threads":
			threads = numbers
			continue
		case "shared":
			shared = numbers
			continue
		}
		registers, err := strconv.ParseUint(words[0], 10, 64)
		if err != nil || len(numbers) != len(threads)*len(shared) {
			t.Fatalf("%v, %d numbers: %s", err, len(numbers), line)
		}
		for n, blocks := range numbers {
			threads, shared := threads[n/len(shared)], shared[n%len(shared)]
			running, _, _ := strings.Cut(occupancyOf(90, registers, shared, threads), " ")
			if want := fmt.Sprint(blocks * ((threads + 31) / 32)); running != want {
				t.Errorf("%d registers, %d threads, %d bytes: got %s warps, want %s", registers, threads, shared, running, want)
			}
			compared++
		}
	}
	if compared < 3000 {
		t.Errorf("only %d numbers are compared", compared)
	}
}

// TestMultiprocessors: each profile has a multiprocessor, whose memory is what the profile grants
// and what CUDA keeps.
func TestMultiprocessors(t *testing.T) {
	for _, p := range profiles {
		found := false
		for _, m := range multiprocessors {
			if m.machine == p.Machine {
				found = true
				if p.WorkgroupBytes+m.system != m.shared {
					t.Errorf("%s: %d bytes of %d", p.Name, p.WorkgroupBytes, m.shared)
				}
			}
		}
		if !found {
			t.Errorf("%s has no multiprocessor", p.Name)
		}
	}
}

// TestCounted reads logs of ptxas, of releases that say less and more.
func TestCounted(t *testing.T) {
	for log, want := range map[string]takes{
		"ptxas info    : Used 10 registers, 380 bytes cmem[0]\n": {registers: 10},
		`ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'main' for 'sm_90'
ptxas info    : Function properties for main
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem
ptxas info    : Compile time = 15.526 ms
`: {registers: 32, shared: 2048},
		`ptxas info    : Compiling entry function 'main' for 'sm_90'
ptxas info    : Function properties for main
    128 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads
ptxas info    : Function properties for f
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 144 bytes cumulative stack size, 32 bytes smem
`: {registers: 255, shared: 32, stack: 144, spills: 96},
	} {
		if got, err := counted(log); err != nil || *got != want {
			t.Errorf("%s\ngot %+v, %v, want %+v", log, got, err, want)
		}
	}
	if got, err := counted("ptxas fatal   : \n"); err == nil {
		t.Errorf("got %+v of a log without registers", got)
	}
}

// TestResources has ptxas count, for a profile, and for the least machine where there is none.
func TestResources(t *testing.T) {
	const code = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) .reqntid 64, 1, 1
{
	.reg .u64 %a;
	.shared .align 4 .b8 s[512];
	ld.param.u64 %a, [p];
	st.global.u32 [%a], 7;
	st.shared.u32 [s], 7;
	ret;
}
`
	a := &abi.Artefact{Code: []byte(code), Kernel: abi.Kernel{Name: "k", Workgroup: [3]uint32{64, 1, 1}, WorkgroupBytes: 512}}
	if _, err := exec.LookPath("ptxas"); err == nil {
		for profile, least := range map[string]uint32{"": 70, "sm_86": 86} {
			a.Kernel.Profile = profile
			u, err := resources(a, nil)
			if err != nil {
				t.Fatal(err)
			}
			if profile != "" && u.Device != profile || u.Counts[0].Number == 0 || u.Counts[0].Number > 32 || u.Counts[1].Number != 0 || u.Counts[2].Number != 512 ||
				least == 86 && (u.Running != 32 || u.Most != 48 || u.Limits[0] != "the number of workgroups") {
				t.Errorf("for %q: %s", profile, u)
			}
		}
		a.Code = []byte(".version 6.3\n.target sm_70\nnonsense")
		if u, err := resources(a, nil); err == nil || !strings.Contains(err.Error(), "ptxas does not assemble it") {
			t.Errorf("got %v, %v", u, err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := resources(a, nil); err == nil || err.Error() != "ptxas counts registers, and is not on the PATH" {
		t.Error(err)
	}
}
