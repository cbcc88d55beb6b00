// What is closed or freed while work may use it: kernels and textures. The driver unloads and frees them at once, so they
// wait here for the work.

package cuda

import (
	"slices"

	"github.com/gpuc/gpuc/runtime/dl"
)

// object is what the driver gives back at once.
type object interface {
	// forget removes the object from those that close with the device; the device's mutex is held.
	forget()
	// unload gives the driver's objects back; no work uses them.
	unload() error
}

// retired is a closed object.
type retired struct {
	object
	unused uintptr // CUevent after the last work that may use it
}

// unload gives the object and its event back.
func (r *retired) unload(d *device) error {
	err := r.object.unload()
	dl.Call(d.cu.EventDestroy, r.unused)
	return err
}

// retire puts a closed object behind those that are to be unloaded.
func (d *device) retire(o object) error {
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
		err = d.check("record an event", dl.Call2(d.cu.EventRecord, unused, d.deaths))
	}
	if err != nil {
		dl.Call(d.cu.EventDestroy, unused)
		return err // the object is unloaded with the device
	}
	o.forget()
	d.retired = append(d.retired, retired{o, unused})
	return nil
}

// unloadUnused unloads the retired objects whose work is done. The driver may take its
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
	for i := range unused {
		if failure := unused[i].unload(d); err == nil {
			err = failure
		}
	}
	return err
}

// takeUnused removes the objects whose work is done from those that are retired. If
// there are any, the device counts an unload, which the caller ends.
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
	for n < len(d.retired) { // whose events are in the order of deaths
		code := dl.Call1(d.cu.EventQuery, d.retired[n].unused)
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

// unloadRetired unloads all retired objects of a device that has no work left; the
// mutex is held.
func (d *device) unloadRetired() {
	for i := range d.retired {
		d.retired[i].unload(d)
	}
	d.retired = nil
}
