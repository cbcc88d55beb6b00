package gpu

import "testing"

// OpenLate opens a device for tests of other packages, whose work is late and in no order but that
// of streams. Launches of the kernel add 1 to all elements. Left says how many parts and blocks
// there are.
func OpenLate(t testing.TB, seed uint64) (d *Device, add *Kernel, left func() (parts, blocks int)) {
	d, late := openLate(t, seed)
	return d, adder(t, d), func() (int, int) {
		late.mutex.Lock()
		defer late.mutex.Unlock()
		return late.parts, len(late.blocks)
	}
}
