// Waiting for streams and events.

package cudalike

import (
	"context"
	"time"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// wait polls with query until object is ready, then blocks on event. If ctx can end, it polls on,
// at growing intervals that stay a small part of the wait.
func (d *device) wait(ctx context.Context, query, object, event, stream uintptr) error {
	start := time.Now()
	for {
		ready, elapsed, err := d.poll(query, object, start)
		if ready || err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if elapsed < driver.Spin {
			continue
		}
		if ctx.Done() == nil {
			return d.block(event, stream)
		}
		time.Sleep(min(elapsed/16, time.Millisecond))
	}
}

// poll queries once whether object is ready.
func (d *device) poll(query, object uintptr, start time.Time) (bool, time.Duration, error) {
	if err := d.enter(); err != nil {
		return false, 0, err
	}
	defer d.leave()
	code := dl.Call1(query, object)
	if uint32(code) == codeNotReady {
		return false, time.Since(start), nil
	}
	return true, 0, d.check("run", code)
}

// block waits for an event, recording it in a stream first if one is given.
func (d *device) block(event, stream uintptr) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	if stream != 0 {
		if err := d.check("record an event", dl.Call2(d.c.EventRecord, event, stream)); err != nil {
			return err
		}
	}
	return d.check("run", dl.Call1(d.c.EventSynchronize, event))
}
