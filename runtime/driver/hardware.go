// What devices are made of, as far as their drivers tell.

package driver

import (
	"fmt"
	"strings"
)

// Hardware says what a device is made of. What its driver does not tell is 0 or empty.
type Hardware struct {
	Vendor string // "NVIDIA"
	// Units is how many processors the device has: multiprocessors of NVIDIA's GPUs, compute units
	// of AMD's, or the cores of a CPU that the program may use. UnitName is what one is called.
	Units    uint32
	UnitName string
	// Clock is the highest of the units, and MemoryClock that of the memory, in Hz. BusWidth is
	// that of the memory's bus, in bits.
	Clock, MemoryClock uint64
	BusWidth           uint32
	// Cache is the size in bytes of the cache that all units share.
	Cache uint64
	// Matrices are the types of elements that matrix units multiply: "f16", "bf16".
	Matrices []string
	// Instructions are the sets of a CPU: "AVX2".
	Instructions []string
}

// FreeMemory is a Device that knows how much of its memory is free.
type FreeMemory interface {
	// FreeMemory returns the bytes that no program uses at the moment.
	FreeMemory() (uint64, error)
}

// String returns a line for people, without what is unknown.
func (h *Hardware) String() string {
	var parts []string
	add := func(known bool, format string, values ...any) {
		if known {
			parts = append(parts, fmt.Sprintf(format, values...))
		}
	}
	add(h.Vendor != "", "%s", h.Vendor)
	unit := h.UnitName
	if h.Units != 1 {
		unit += "s"
	}
	add(h.Units > 0, "%d %s", h.Units, unit)
	add(h.Clock > 0, "up to %s", hertz(h.Clock))
	switch {
	case h.BusWidth > 0 && h.MemoryClock > 0:
		add(true, "memory of %d bits at %s", h.BusWidth, hertz(h.MemoryClock))
	default:
		add(h.BusWidth > 0, "memory of %d bits", h.BusWidth)
		add(h.MemoryClock > 0, "memory at %s", hertz(h.MemoryClock))
	}
	add(h.Cache > 0, "%.3g MiB of cache", float64(h.Cache)/(1<<20))
	add(len(h.Matrices) > 0, "matrices of %s", strings.Join(h.Matrices, " "))
	add(len(h.Instructions) > 0, "%s", strings.Join(h.Instructions, " "))
	return strings.Join(parts, ", ")
}

// hertz formats a clock.
func hertz(clock uint64) string {
	if clock >= 1e9 {
		return fmt.Sprintf("%.3g GHz", float64(clock)/1e9)
	}
	return fmt.Sprintf("%.0f MHz", float64(clock)/1e6)
}

// vendors are by their numbers with the PCI-SIG, and with Khronos (VkVendorId).
var vendors = [...]struct {
	number uint32
	name   string
}{
	{0x1002, "AMD"}, {0x1010, "Imagination"}, {0x106B, "Apple"}, {0x10DE, "NVIDIA"}, {0x13B5, "Arm"},
	{0x14E4, "Broadcom"}, {0x5143, "Qualcomm"}, {0x8086, "Intel"}, {0x10005, "Mesa"},
}

// Vendor returns the vendor of a number, or "".
func Vendor(number uint32) string {
	for _, v := range vendors {
		if v.number == number {
			return v.name
		}
	}
	return ""
}
