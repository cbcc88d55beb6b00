package driver

import "testing"

// TestHardwareText has lines for people. What is unknown is not in them.
func TestHardwareText(t *testing.T) {
	for want, h := range map[string]Hardware{
		"":      {UnitName: "core"},
		"Intel": {Vendor: Vendor(0x8086)},
		"NVIDIA, 132 multiprocessors, up to 1.98 GHz, memory of 6144 bits at 3.2 GHz, 60 MiB of cache, matrices of f16 f64": {
			Vendor: Vendor(0x10DE), Units: 132, UnitName: "multiprocessor", Clock: 1_980_000_000, MemoryClock: 3_201_000_000,
			BusWidth: 6144, Cache: 60 << 20, Matrices: []string{"f16", "f64"}},
		"1 core, up to 800 MHz, memory of 64 bits, AVX2 FMA": {
			Units: 1, UnitName: "core", Clock: 800_000_000, BusWidth: 64, Instructions: []string{"AVX2", "FMA"}},
		"memory at 1 GHz": {Vendor: Vendor(1), MemoryClock: 1e9},
	} {
		if got := h.String(); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
