package gpu

import (
	"errors"
	"testing"
)

// freeDevice is a device that knows how much of its memory is free.
type freeDevice struct{ *fakeDevice }

func (freeDevice) FreeMemory() (uint64, error) { return 12345, nil }

// TestFreeMemory asks drivers that tell it, and one that does not.
func TestFreeMemory(t *testing.T) {
	d, fake := newFake(t)
	if _, err := d.FreeMemory(); !errors.Is(err, ErrUnsupported) {
		t.Errorf("got %v from a driver that does not tell it, want ErrUnsupported", err)
	}
	d.driver = freeDevice{fake}
	if free, err := d.FreeMemory(); free != 12345 || err != nil {
		t.Errorf("got %d bytes, error %v", free, err)
	}
	check(t, d.Close())
	if _, err := d.FreeMemory(); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v from a closed device, want ErrClosed", err)
	}
}
