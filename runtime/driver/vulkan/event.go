// Events: a submission's number and the device's time at its end.

package vulkan

import (
	"context"
	"fmt"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

// event is the end of a submission. Its ticks are set when that submission's
// batch retires, which happens before device.completed reaches its number.
type event struct {
	device *device
	number uint64
	ticks  uint64
}

// Done reports whether the moment has passed.
func (e *event) Done() (bool, error) {
	d := e.device
	if d.completed.Load() >= e.number {
		return true, nil
	}
	if err := d.lost(); err != nil {
		return false, err
	}
	if err := d.reap(); err != nil {
		return false, err
	}
	return d.completed.Load() >= e.number, nil
}

// Wait blocks until the moment has passed or ctx ends.
func (e *event) Wait(ctx context.Context) error { return e.device.wait(ctx, e.number) }

// Since returns the device time between two moments.
func (e *event) Since(earlier driver.Event) (time.Duration, error) {
	o, ok := earlier.(*event)
	if !ok || o.device != e.device {
		return 0, fmt.Errorf("vulkan: event: %w: the other event belongs to another device", driver.ErrUnsupported)
	}
	d := e.device
	if d.timestampBits == 0 {
		return 0, fmt.Errorf("vulkan: event: %w: %s has no timestamps", driver.ErrUnsupported, d.info.Name)
	}
	if d.completed.Load() < max(e.number, o.number) {
		return 0, fmt.Errorf("vulkan: event: %w: the time is known when both events are done", driver.ErrUnsupported)
	}
	return d.duration(e.ticks - o.ticks), nil
}

// Close releases nothing: an event is a number.
func (e *event) Close() error { return nil }
