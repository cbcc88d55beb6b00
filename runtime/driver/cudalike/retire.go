// What is closed or freed while work under way may use it: kernels, textures, and streams if
// destroying one does not let its work finish.

package cudalike

import (
	"slices"

	"github.com/gpuc/gpuc/runtime/dl"
)

// retired is something that is closed and not yet unloaded.
type retired struct {
	unused uintptr // event after the last work that may use it
	unload func() error
}

// retire calls unload once the work that streams were given before has finished: in a later call,
// or at once if there is none. Forget, called with the mutex held, removes the object from those
// that closing the device unloads.
func (d *device) retire(forget func(), unload func() error) error {
	if err := d.putRetired(forget, unload); err != nil {
		return err
	}
	return d.unloadUnused()
}

// putRetired puts something after what is to be unloaded.
func (d *device) putRetired(forget func(), unload func() error) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed || d.lost() != nil {
		return nil
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	unused, err := d.newEvent(eventWithoutTiming)
	if err != nil {
		return err
	}
	if err = d.awaitStreams(); err == nil {
		err = d.check("record an event", dl.Call2(d.c.EventRecord, unused, d.freeStream))
	}
	if err != nil {
		dl.Call(d.c.EventDestroy, unused)
		return err // it is unloaded with the device
	}
	forget()
	d.retired = append(d.retired, retired{unused, unload})
	return nil
}

// unloadUnused unloads what is retired and whose work is done. The driver may take its
// time for that, so the mutex is free meanwhile.
func (d *device) unloadUnused() error {
	unused, err := d.takeUnused()
	if len(unused) == 0 || err != nil {
		return err
	}
	defer d.unloads.Done()
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	for _, r := range unused {
		if failure := d.unload(r); err == nil {
			err = failure
		}
	}
	return err
}

// takeUnused removes what no work uses any more from what is retired. If
// there is any, the device counts an unload, which the caller ends.
func (d *device) takeUnused() ([]retired, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed || len(d.retired) == 0 || d.lost() != nil {
		return nil, nil
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	n := 0
	for n < len(d.retired) { // whose events are in the order of freeStream
		code := dl.Call1(d.c.EventQuery, d.retired[n].unused)
		if uint32(code) == codeNotReady {
			break
		}
		if err := d.check("run", code); err != nil {
			return nil, err
		}
		n++
	}
	if n == 0 {
		return nil, nil
	}
	unused := slices.Clone(d.retired[:n])
	d.retired = slices.Delete(d.retired, 0, n)
	d.unloads.Add(1)
	return unused, nil
}

// unloadRetired unloads all that is retired of a device that has no work left; the
// mutex is held.
func (d *device) unloadRetired() {
	for _, r := range d.retired {
		d.unload(r)
	}
	d.retired = nil
}

// unload gives the driver's objects back; no work uses them.
func (d *device) unload(r retired) error {
	err := r.unload()
	dl.Call(d.c.EventDestroy, r.unused)
	return err
}
