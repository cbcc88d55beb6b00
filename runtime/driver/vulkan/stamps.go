// Stamps: timestamps among the commands of batches.

package vulkan

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// stampsPerBatch is how many timestamps a batch has room for: one before and one behind each
// command.
const stampsPerBatch = 2 * commandsPerBatch

// stamps are slots of a stream.
type stamps struct {
	stream *stream
	slots  []stamp
}

// stamp is a slot. Its ticks are set when the batch with its timestamp retires.
type stamp struct {
	ticks  uint64
	passed atomic.Bool
}

// NewStamps makes slots.
func (s *stream) NewStamps(n int) (driver.Stamps, error) {
	if s.device.timestampBits == 0 {
		return nil, fmt.Errorf("vulkan: %w: %s has no timestamps", driver.ErrUnsupported, s.device.info.Name)
	}
	return &stamps{s, make([]stamp, n)}, nil
}

// Put records a timestamp behind the commands so far.
func (t *stamps) Put(slot int) error {
	s := t.stream
	s.mutex.Lock()
	defer s.mutex.Unlock()
	b, err := s.recording()
	if err != nil {
		return err
	}
	if b.times == 0 {
		if err := s.device.createQueries(stampsPerBatch, &b.times); err != nil {
			return s.device.note(err)
		}
		b.resetStamps(stampsPerBatch)
	}
	vk := &s.device.vk
	n := uintptr(len(b.stamped))
	if n == 0 && !s.device.resetsQueries() {
		dl.Call4(vk.CmdResetQueryPool, b.commands, uintptr(b.times), 0, stampsPerBatch)
	}
	dl.Call4(vk.CmdWriteTimestamp, b.commands, pipelineStageBottom, uintptr(b.times), n)
	t.slots[slot].passed.Store(false)
	if b.stamped = append(b.stamped, &t.slots[slot]); len(b.stamped) < stampsPerBatch {
		return nil
	}
	return s.submit()
}

// resetsQueries reports whether the host can reset queries (Vulkan 1.2, hostQueryReset).
func (d *device) resetsQueries() bool {
	return d.enabled.reset.enabled != 0 && d.vk.ResetQueryPool != 0
}

// resetStamps has the host reset the first timestamps of the pool, which are not in use. A device
// that resets them among its commands lets other work wait for that.
func (b *batch) resetStamps(n uintptr) {
	if d := b.device; d.resetsQueries() {
		dl.Call4(d.vk.ResetQueryPool, d.handle, uintptr(b.times), 0, n)
	}
}

// readStamps gives the slots their times, once the batch has finished. The device's mutex is held.
func (b *batch) readStamps() {
	if len(b.stamped) == 0 {
		return
	}
	d := b.device
	var ticks [stampsPerBatch]uint64
	n := uintptr(len(b.stamped))
	dl.Call(d.vk.GetQueryPoolResults, d.handle, uintptr(b.times), 0, n, 8*n,
		uintptr(unsafe.Pointer(&ticks)), 8, queryResult64Bit|queryResultWait)
	b.resetStamps(n)
	for i, slot := range b.stamped {
		slot.ticks = ticks[i]
		slot.passed.Store(true)
	}
	clear(b.stamped)
	b.stamped = b.stamped[:0]
}

// Passed reports whether a slot has its time.
func (t *stamps) Passed(slot int) (bool, error) {
	d := t.stream.device
	if t.slots[slot].passed.Load() {
		return true, nil
	}
	if err := d.lost(); err != nil {
		return false, err
	}
	if err := d.reap(); err != nil {
		return false, err
	}
	return t.slots[slot].passed.Load(), nil
}

// Times returns the times of slots, as event.Since does.
func (t *stamps) Times(from, to int) (at, took time.Duration, err error) {
	d, a, b := t.stream.device, &t.slots[from], &t.slots[to]
	if !a.passed.Load() || !b.passed.Load() {
		return 0, 0, fmt.Errorf("vulkan: %w: a time is not known yet", driver.ErrUnsupported)
	}
	return d.duration(a.ticks), d.duration(b.ticks - a.ticks), nil
}

// duration converts a number of ticks. Only the valid bits count, in units of timestampPeriod
// nanoseconds (Vulkan specification, "Timestamp Queries").
func (d *device) duration(ticks uint64) time.Duration {
	if d.timestampBits < 64 {
		ticks &= 1<<d.timestampBits - 1
	}
	return time.Duration(float64(ticks) * float64(d.limits.timestampPeriod))
}

// Close does nothing: batches have the timestamps.
func (t *stamps) Close() error { return nil }
