package cuda

import (
	"fmt"

	"github.com/gpuc/gpuc/runtime/driver"
)

// This file computes what a device can do at most from what the driver says of its clocks. They are
// the highest that the device is made for; what it runs at while it is hot or limited in power is
// less.

// Attributes of clocks, in kHz, and of what they drive (CUdevice_attribute).
const (
	attributeClock           = 13
	attributeMultiprocessors = 16
	attributeMemoryClock     = 36
	attributeBusWidth        = 37 // bits
)

// lanes are how many operations on f32 a multiprocessor begins in a cycle, from each compute
// capability on (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions").
var lanes = []struct{ machine, count uint32 }{{70, 64}, {86, 128}}

// matrixTypes are the types of elements that mma takes, from each compute capability on (PTX ISA,
// "Warp Level Matrix Multiply-Accumulate Instructions").
var matrixTypes = [...]struct {
	machine uint32
	name    string
}{{70, "f16"}, {75, "i8"}, {80, "bf16"}, {80, "tf32"}, {80, "f64"}, {89, "e4m3"}, {89, "e5m2"}}

// matricesOf returns the types that a device's matrix units multiply.
func matricesOf(machine uint32) (list []string) {
	for _, row := range matrixTypes {
		if machine >= row.machine {
			list = append(list, row.name)
		}
	}
	return list
}

// peakOf computes the peak of a device. What the driver does not say, or says is 0, is not known.
func peakOf(machine uint32, attribute func(uintptr) uint32) (p driver.Peak) {
	if clock, width := attribute(attributeMemoryClock), attribute(attributeBusWidth); clock > 0 && width > 0 {
		p.BytesPerSecond = 2 * float64(clock) * 1e3 * float64(width) / 8 // twice in a cycle
		p.Memory = fmt.Sprintf("a bus of %d bits at twice %d MHz", width, clock/1000)
	}
	each := uint32(0)
	for _, row := range lanes {
		if machine >= row.machine {
			each = row.count
		}
	}
	if clock, count := attribute(attributeClock), attribute(attributeMultiprocessors); clock > 0 && count > 0 && each > 0 {
		// a multiply-add is two
		p.FlopsPerSecond = 2 * float64(each) * float64(count) * float64(clock) * 1e3
		p.Arithmetic = fmt.Sprintf("%d multiprocessors of %d lanes at %d MHz, two operations each", count, each, clock/1000)
	}
	return p
}
