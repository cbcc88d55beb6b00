// Device memory as programs see it: statistics, the limit, and what is kept for reuse.

package gpu

import (
	"cmp"
	"fmt"

	"github.com/gpuc/gpuc/runtime/driver"
)

// MemoryStats says what the device's memory is used for. Sizes are in bytes. InUse, Rounding,
// Waiting and Cached add up to Reserved.
type MemoryStats struct {
	// InUse is what open buffers and textures were asked to hold. Arenas count whole, and so does
	// what launches need besides: scratch memory, tables, and the buffers of faults and messages.
	InUse uint64
	// Rounding is what sizes of buffers were rounded up by.
	Rounding uint64
	// Waiting is what closed buffers had, and what work under way or a recording may still use.
	Waiting uint64
	// Cached is kept for later buffers.
	Cached uint64
	// Reserved is what the driver has given.
	Reserved uint64
	// Textures is the part of InUse and Reserved that is for textures.
	Textures uint64
	// Peak is the highest InUse so far, and PeakReserved the highest Reserved.
	Peak, PeakReserved uint64
	// Host is memory of the host that host buffers and reads by ReadAsync have, or that is kept for
	// them. It is not part of the others.
	Host uint64
	// Limit is that of SetMemoryLimit, or 0.
	Limit uint64
	// LargestCached is the largest buffer that Cached has room for in one piece.
	LargestCached uint64

	// Buffers counts what is open, besides textures, and Blocks what the driver was asked for.
	Buffers, Blocks int
	// Allocs and Frees count buffers that were made and closed, BlocksReserved and BlocksFreed
	// requests to the driver, and Waits waits for work to have its memory. Failures counts
	// allocations that found no memory; one that is tried again after a garbage collection is two.
	Allocs, Frees, BlocksReserved, BlocksFreed, Waits, Failures uint64
}

// Fragmentation is the part of Cached that a buffer of its size could not use, from 0, where Cached
// is in one piece or nothing, up to 1.
func (m MemoryStats) Fragmentation() float64 {
	if m.Cached == 0 {
		return 0
	}
	return 1 - float64(m.LargestCached)/float64(m.Cached)
}

// Memory returns what the device's memory is used for at the moment. It is zero for a nil or zero
// Device.
func (d *Device) Memory() MemoryStats {
	if !d.valid() {
		return MemoryStats{}
	}
	d.pool.mutex.Lock()
	defer d.pool.mutex.Unlock()
	m := d.pool.snapshot()
	m.Host = d.hosts.reserved.Load()
	return m
}

// snapshot returns the statistics; the mutex is held.
func (p *pool) snapshot() MemoryStats {
	m := p.stats
	b := &p.blocks
	m.Waiting, m.Cached, m.Reserved = b.waitingBytes, b.idleBytes, b.reserved+m.Textures
	m.Rounding = p.held + m.Textures - m.InUse
	m.Limit, m.Blocks = p.limit, len(b.list)
	if n := len(b.idle); n > 0 {
		m.LargestCached = b.idle[n-1].bytes
	}
	return m
}

// SetMemoryLimit limits what the device's buffers and textures reserve, in bytes; 0 is no limit. An
// allocation beyond it is ErrOutOfMemory, after it has waited for the work that uses closed
// buffers. What is in use already stays. Errors are those of a closed device.
func (d *Device) SetMemoryLimit(bytes uint64) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	d.pool.mutex.Lock()
	defer d.pool.mutex.Unlock()
	d.pool.limit = bytes
	d.pool.allows(0)
	return nil
}

// Trim waits for the work under way and gives back the memory that is kept for reuse, also the
// host's. Programs need it only if others on the machine want the memory: an allocation does the
// same before it fails.
func (d *Device) Trim() error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	d.orphans.reclaim()
	if err := cmp.Or(d.pool.trimAll(), d.hosts.drain(d)); err != nil {
		return err
	}
	d.hosts.trim(0)
	return nil
}

// outOfMemory adds to an error of an allocation what memory there is.
func (d *Device) outOfMemory(what string, bytes uint64, err error) error {
	m := d.Memory()
	limit := ""
	if m.Limit > 0 {
		limit = fmt.Sprintf(" of a limit of %d", m.Limit)
	}
	return fmt.Errorf("%s of %d bytes on %s: %w; reserved are %d bytes%s: %d in use, %d rounded up, %d waiting for work, %d cached",
		what, bytes, d.info.ID(), err, m.Reserved, limit, m.InUse, m.Rounding, m.Waiting, m.Cached)
}

// FreeMemory returns how many bytes of the device's memory no program uses at the moment, as its
// driver says. What this program keeps for later buffers (MemoryStats.Cached) counts as used. It is
// ErrUnsupported where the driver does not say it.
func (d *Device) FreeMemory() (uint64, error) {
	if !d.valid() {
		return 0, invalid("free memory", deviceMaker)
	}
	if err := d.enter(); err != nil {
		return 0, err
	}
	defer d.leave()
	if f, ok := d.driver.(driver.FreeMemory); ok {
		return f.FreeMemory()
	}
	return 0, fmt.Errorf("free memory: %w: the driver does not tell it", ErrUnsupported)
}
