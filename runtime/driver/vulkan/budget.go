// The memory that is free, by VK_EXT_memory_budget.

package vulkan

import (
	"fmt"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

type memoryProperties2 struct {
	sType      uint32
	next       unsafe.Pointer
	properties memoryProperties
}

// memoryBudget has bytes by heap: what the process may use, and what it uses.
type memoryBudget struct {
	sType         uint32
	next          unsafe.Pointer
	budget, usage [16]uint64
}

// FreeMemory returns what the process may still use of the largest heap of the device's own memory
// (VK_EXT_memory_budget).
func (d *device) FreeMemory() (free uint64, err error) {
	if !d.budget {
		return 0, fmt.Errorf("vulkan: free memory: %w: %s does not tell it", driver.ErrUnsupported, d.info.Name)
	}
	b := &memoryBudget{sType: typeMemoryBudget}
	p := &memoryProperties2{sType: typeMemoryProperties2, next: unsafe.Pointer(b)}
	dl.Call(d.instance.vk.MemoryProperties2, d.physical, uintptr(unsafe.Pointer(p)))
	largest := uint64(0)
	for n, heap := range p.properties.heaps[:p.properties.heapCount] {
		if heap.flags&memoryDeviceLocal != 0 && heap.size > largest {
			largest, free = heap.size, b.budget[n]-min(b.usage[n], b.budget[n])
		}
	}
	return free, nil
}
