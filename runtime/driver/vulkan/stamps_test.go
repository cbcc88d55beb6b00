package vulkan

import (
	"context"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
)

// TestStampResets notes more times than a batch has room for, three times over: with timestamps
// that the host resets, and with those that the device does. Times of a stream never go back.
func TestStampResets(t *testing.T) {
	for _, byHost := range []bool{true, false} {
		f := drivertest.New(t, &testDriver, drivertest.Axpy("spirv"))
		s := f.Stream.(*stream)
		if byHost && !s.device.resetsQueries() {
			t.Log("the host cannot reset queries of this device")
			continue
		}
		if !byHost {
			s.device.enabled.reset.enabled = 0
		}
		const slots = stampsPerBatch + 6
		stamps, err := s.NewStamps(slots)
		f.Check(err)
		last, _, err := stamps.Times(0, 0)
		if err == nil {
			t.Errorf("a time of %v that was not noted", last)
		}
		for range 3 {
			for slot := range slots {
				f.Check(stamps.Put(slot))
				if passed, err := stamps.Passed(slot); passed && slot == slots-1 || err != nil {
					t.Errorf("slot %d of a batch that was not submitted: passed %v, error %v", slot, passed, err)
				}
			}
			f.Check(s.Wait(context.Background()))
			for slot := range slots - 1 {
				at, took, err := stamps.Times(slot, slot+1)
				f.Check(err)
				if at < last || took < 0 {
					t.Fatalf("byHost %v, slot %d: at %v, then %v later; %v before", byHost, slot, at, took, last)
				}
				last = at
			}
		}
	}
}
