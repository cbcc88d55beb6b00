// What the processor is made of, where the system tells it, which is on Linux.

package cpu

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/runtime/driver"
)

// instructionSets are those that people ask for, by Linux's names (cpufeatures.h of x86, hwcap.h of
// arm64).
var instructionSets = [...]struct{ flag, name string }{
	{"avx2", "AVX2"}, {"fma", "FMA"}, {"f16c", "F16C"}, {"avx_vnni", "AVX-VNNI"},
	{"avx512f", "AVX-512"}, {"avx512bw", "AVX-512BW"}, {"avx512vl", "AVX-512VL"}, {"avx512_vnni", "AVX-512VNNI"},
	{"avx512_bf16", "AVX-512BF16"}, {"avx512_fp16", "AVX-512FP16"}, {"amx_tile", "AMX"}, {"amx_bf16", "AMX-BF16"}, {"amx_int8", "AMX-INT8"},
	{"asimd", "NEON"}, {"asimdhp", "FP16"}, {"asimddp", "DotProd"}, {"i8mm", "I8MM"}, {"bf16", "BF16"}, {"sve", "SVE"}, {"sve2", "SVE2"}, {"sme", "SME"},
}

// vendorNames are of the field vendor_id of /proc/cpuinfo.
var vendorNames = [...]struct{ id, name string }{{"AuthenticAMD", "AMD"}, {"GenuineIntel", "Intel"}, {"HygonGenuine", "Hygon"}}

// hardware describes the processor.
func hardware() driver.Hardware {
	h := driver.Hardware{
		Units: uint32(runtime.GOMAXPROCS(0)), UnitName: "core",
		Instructions: instructions(procField("/proc/cpuinfo", "flags") + " " + procField("/proc/cpuinfo", "Features")),
	}
	id := procField("/proc/cpuinfo", "vendor_id")
	for _, v := range vendorNames {
		if v.id == id {
			h.Vendor = v.name
		}
	}
	if text, err := os.ReadFile("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"); err == nil {
		kilohertz, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		h.Clock = kilohertz * 1000
	}
	return h
}

// instructions returns the names of the sets that Linux's flags have.
func instructions(flags string) (list []string) {
	have := strings.Fields(flags)
	for _, s := range instructionSets {
		if slices.Contains(have, s.flag) {
			list = append(list, s.name)
		}
	}
	return list
}

// FreeMemory returns what new programs may use without swapping (MemAvailable of /proc/meminfo).
func (d *Device) FreeMemory() (uint64, error) {
	free := memoryField("MemAvailable")
	if free == 0 {
		return 0, fmt.Errorf("cpu: free memory: %w: the system does not tell it", driver.ErrUnsupported)
	}
	return free, nil
}
