package gpu

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuc/gpuc/runtime/tuning"
)

// This file chooses among devices by the size of the work.

// PlainGo is what an Auto has beside devices: the program's own code on the processor, without a
// device. It is compared with what Auto.For returns, and has no other use.
var PlainGo = &plainGo

var plainGo Device // so that nothing is allocated at the start

// Auto chooses a device by the size of the work. Which is the fastest from which size on is
// measured once, when the program asks for it, and kept for later starts. NewAuto makes it.
//
//	auto, err := gpu.NewAuto("example.com/sort.Floats", gpu.PlainGo, device)
//	if !auto.Known() {
//		err = auto.Measure(ctx, 5*time.Second, 1, 1<<24, run)
//	}
//	…
//	if d := auto.For(len(x)); d == gpu.PlainGo {
//		slices.Sort(x)
//	} else {
//		err = sortOn(ctx, d, x)
//	}
//
// All methods may be called by several goroutines at once.
type Auto struct {
	name    string
	devices []*Device
	ways    []tuning.Way
	now     func() time.Time // of tests; nil for the clock
	choice  atomic.Pointer[autoChoice]
	mutex   sync.Mutex // held while measuring
}

// autoChoice is what an Auto chooses by. It does not change.
type autoChoice struct {
	// from are the sizes from which on the next device is chosen, and devices has one more.
	from    []int
	devices []*Device

	sizes  *tuning.Sizes // nil if nothing was measured
	source string        // the file that has the sizes, or ""
	note   string        // what is wrong with files
}

// NewAuto returns what chooses among devices, or PlainGo, for work with a name. The name is unique
// on the user's machine, as one with the import path is; after a change that makes the work slower
// or faster it should change, too. What an earlier process has measured for the name and the same
// devices and drivers is read from the user's cache folder. Otherwise the first device is chosen
// until Measure was called.
func NewAuto(name string, devices ...*Device) (*Auto, error) {
	switch {
	case name == "":
		return nil, fmt.Errorf("choose a device: %w: the work has no name", ErrShape)
	case len(devices) == 0:
		return nil, fmt.Errorf("choose a device: %w: there is none to choose", ErrShape)
	}
	a := &Auto{name: name, devices: slices.Clone(devices)}
	for n, d := range devices {
		switch {
		case slices.Contains(devices[:n], d):
			return nil, fmt.Errorf("choose a device: %w: device %d is there twice", ErrShape, n)
		case d == PlainGo:
			a.ways = append(a.ways, tuning.Way{Name: "plain Go"})
		case !d.valid():
			return nil, invalid("choose a device: device", deviceMaker)
		default:
			a.ways = append(a.ways, tuning.Way{Name: d.info.Name, Driver: d.info.Driver + ", " + d.info.Version})
		}
	}
	kept := tuning.KeptFor(name)
	text, note := kept.Read()
	list, faults := tuning.ParseSizes(kept.Path, text)
	c := &autoChoice{devices: a.devices[:1], note: tuning.NoteOf(faults, note)}
	if n := slices.IndexFunc(list, a.isAbout); n >= 0 {
		c = a.choiceOf(&list[n], kept.Path, c.note)
	}
	a.choice.Store(c)
	return a, nil
}

// isAbout reports whether sizes are about the work and its devices.
func (a *Auto) isAbout(s tuning.Sizes) bool { return s.Name == a.name && slices.Equal(s.Ways, a.ways) }

// choiceOf returns what sizes say.
func (a *Auto) choiceOf(s *tuning.Sizes, source, note string) *autoChoice {
	c := &autoChoice{devices: []*Device{a.devices[s.Points[0].Best]}, sizes: s, source: source, note: note}
	for _, t := range s.Thresholds() {
		c.from, c.devices = append(c.from, t.From), append(c.devices, a.devices[t.Way])
	}
	return c
}

// For returns the device for work of a size. It takes a few nanoseconds and allocates nothing. It
// is nil if the Auto is nil or none that NewAuto made.
func (a *Auto) For(n int) *Device {
	if a == nil {
		return nil
	}
	c := a.choice.Load()
	if c == nil {
		return nil
	}
	k := 0
	for k < len(c.from) && n >= c.from[k] {
		k++
	}
	return c.devices[k]
}

// Known reports whether the choice was measured, by this process or an earlier one.
func (a *Auto) Known() bool {
	if a == nil {
		return false
	}
	c := a.choice.Load()
	return c != nil && c.sizes != nil
}

// Measure finds out which device is the fastest at sizes from least to most, and keeps that for
// later processes. Run does the work of a size on a device, or as plain Go, and waits for it. It is
// called many times, so it leaves its input as it is, or does not depend on it. Work that goes to a
// device includes copies if the program needs them for each call.
//
// It takes up to the budget. Sizes grow by a factor of four at first. Between two of them at which
// different devices are the fastest, sizes are bisected down to a twentieth. Devices alternate, and
// medians count. A device that cannot be the fastest is not measured, as tuning.Search explains.
//
// Other goroutines may choose meanwhile: they get what was chosen before. The error is ErrCoarse if
// the clock is too coarse, ErrBudget if the budget does not suffice to compare the devices once, or
// one of ctx or run. Then nothing changes.
func (a *Auto) Measure(ctx context.Context, budget time.Duration, least, most int, run func(ctx context.Context, d *Device, n int) error) error {
	if a == nil || a.choice.Load() == nil {
		return invalid("measure the choice of a device: it", "NewAuto")
	}
	switch {
	case run == nil || ctx == nil:
		return fmt.Errorf("measure the choice of a device for %s: %w: the context or the function to run is nil", a.name, ErrShape)
	case least < 1 || most < least:
		return fmt.Errorf("measure the choice of a device for %s: %w: there are no sizes from %d to %d; the least is 1", a.name, ErrShape, least, most)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	sizes, err := tuning.Search{Name: a.name, Ways: a.ways, Least: least, Most: most, Budget: budget, Now: a.now,
		Run: func(ctx context.Context, way, n int) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return run(ctx, a.devices[way], n)
		}}.Measure(ctx)
	if err != nil {
		return fmt.Errorf("measure the choice of a device for %s: %w", a.name, err)
	}
	kept := tuning.KeptFor(a.name)
	text, note := kept.Read()
	list, faults := tuning.ParseSizes(kept.Path, text)
	list = append(slices.DeleteFunc(list, a.isAbout), *sizes)
	source := ""
	if note == "" {
		if note = kept.Write(tuning.TextOfSizes(list)); note == "" {
			source = kept.Path
		}
	}
	a.choice.Store(a.choiceOf(sizes, source, tuning.NoteOf(faults, note)))
	return nil
}

// Explain says which device is chosen for work of a size, and why, in words.
func (a *Auto) Explain(n int) string {
	d := a.For(n)
	if d == nil {
		return "no device: the gpu.Auto is nil or none that gpu.NewAuto made"
	}
	c := a.choice.Load()
	text := fmt.Sprintf("%s of size %d: %s, ", a.name, n, a.word(d))
	if d != PlainGo {
		text = fmt.Sprintf("%s of size %d: %s (%s), ", a.name, n, a.word(d), d.info.Name)
	}
	if c.sizes == nil {
		return text + "the first of its devices, as nothing was measured" + inParentheses(c.note)
	}
	var reasons []string
	for _, t := range c.sizes.Thresholds() {
		above, below := a.devices[t.Way], a.devices[t.Below.Best]
		reasons = append(reasons, fmt.Sprintf("%s from size %d on (at %d it takes %s; at %d %s takes %s)",
			a.word(above), t.From, t.Above.N, a.compared(t.Above, t.Below.Best), t.Below.N, a.word(below), a.compared(t.Below, t.Way)))
	}
	points := c.sizes.Points
	switch {
	case len(c.devices) == 1 && len(a.devices) == 1:
		text += "the only one"
	case len(reasons) == 0:
		text += fmt.Sprintf("the fastest at all sizes that were measured, %d to %d", points[0].N, points[len(points)-1].N)
	default:
		text += fmt.Sprintf("as measured: %s for the smallest, %s", a.word(c.devices[0]), strings.Join(reasons, ", "))
	}
	if c.source != "" {
		text += "; in " + c.source
	}
	return text + inParentheses(c.note)
}

// compared returns the time of the best device at a size, and that of another one.
func (a *Auto) compared(s *tuning.Size, other int) string {
	text := fmt.Sprint(s.Times[s.Best][1])
	if t := s.Times[other][1]; t > 0 {
		text += fmt.Sprintf(", and %s %v", a.word(a.devices[other]), t)
	}
	return text
}

// word names a device for people.
func (a *Auto) word(d *Device) string {
	if d == PlainGo {
		return "plain Go"
	}
	return d.info.ID()
}

func inParentheses(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}
