// Tuning: which variant of a kernel is the fastest on a device. It is measured when a program asks
// for that, and remembered in a file, which programs read back when they ask for that.

package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Tuning is what is known about the variants of a kernel on a device.
type Tuning struct {
	// Kernel and Device are what it is about, and Configuration is the grid and the lengths of the
	// buffers.
	Kernel, Device, Configuration string
	// Constants are the tuned constants. Values are those of the variant that runs: the fastest one
	// or, where nothing is known, the package's own.
	Constants []string
	Values    []int
	// Measured has the variants in the order in which they are listed, and is empty where nothing
	// is known.
	Measured []Measured
	// At is when that was measured. Remembered says that it was read from File, and not measured by
	// this call.
	At         time.Time
	Remembered bool
	File       string
	// Note says why a file was not taken, or could not be written; "" if there is nothing to say.
	Note string
}

// Measured is a variant with what was measured.
type Measured struct {
	Values []int `json:"values"`
	// Time is that of one launch on the device: the median of several samples, which lie between
	// Least and Most.
	Time  time.Duration `json:"time"`
	Least time.Duration `json:"least"`
	Most  time.Duration `json:"most"`
	// Failure says why the device does not run the variant; the times are 0 then.
	Failure string `json:"failure,omitempty"`
}

// Known reports whether there are measurements: whether Values are more than the package's own.
func (t Tuning) Known() bool { return len(t.Measured) > 0 }

// String says in a sentence which variant runs, and why.
func (t Tuning) String() string {
	text := fmt.Sprintf("%s runs with %s on %s: ", t.Kernel, named(t.Constants, t.Values), t.Device)
	if !t.Known() {
		text += "the package's own values, as nothing is known about " + t.Configuration
	} else {
		var list []string
		for _, m := range t.Measured {
			if m.Failure != "" {
				list = append(list, named(t.Constants, m.Values)+" failed: "+m.Failure)
			} else {
				list = append(list, fmt.Sprintf("%s took %v (%v to %v)", named(t.Constants, m.Values), m.Time, m.Least, m.Most))
			}
		}
		text += fmt.Sprintf("the fastest for %s, measured %s; %s", t.Configuration, t.At.Format(time.DateTime), strings.Join(list, ", "))
		if t.Remembered {
			text += "; read from " + t.File
		}
	}
	if t.Note != "" {
		text += " (" + t.Note + ")"
	}
	return text
}

// How variants are measured. A sample is as many launches as take sampleTime, and each variant has
// so many: the variants take turns, so that a device which becomes slower meanwhile does so for
// all.
const (
	samples      = 9
	sampleTime   = 2 * time.Millisecond
	mostLaunches = 256 // in a sample
)

// sampler measures how long a number of launches of a variant take together on a device.
type sampler func(v *Variant, launches int) (time.Duration, error)

// Tune measures all variants on the device of a stream, with the values and buffers of
// Embedded.Launch, and remembers the result in a file for TunedOf. The grid is asked for with the
// values of each variant. Each variant is launched many times, so that buffers which the kernel
// writes do not keep what they hold. Grids that Find refuses are ErrShape.
//
// A variant that the device does not take, or whose grid does not fit it, is left out; it is an
// error if all are. Other errors, of launches and of ctx, end the measurement. That the file cannot
// be written is no error, but said in Tuning.Note.
func (v *Variants) Tune(ctx context.Context, s *Stream, grid func(values []int) Grid, values []uint32, buffers ...Bound) (Tuning, error) {
	t, m, err := v.about(s, grid, buffers)
	if err != nil {
		return t, err
	}
	t.Measured, err = v.measure(ctx, func(variant *Variant, launches int) (time.Duration, error) {
		return variant.sample(ctx, s, grid(slices.Clone(variant.Values)), launches, values, buffers)
	})
	if err != nil {
		return t, fmt.Errorf("tune kernel %s: %w", v.Kernel, err)
	}
	t.Values, t.At = fastest(t.Measured), time.Now().Round(time.Second)
	m.remember(&t)
	return t, nil
}

// TunedOf returns what Tune has found before, in this process or another one, for the device of a
// stream and such a grid and buffers. It measures nothing. Without measurements the values are the
// package's own, and Tuning.Note says if a file is damaged, or about another version of the kernel.
func (v *Variants) TunedOf(s *Stream, grid func(values []int) Grid, buffers ...Bound) (Tuning, error) {
	t, m, err := v.about(s, grid, buffers)
	if err != nil {
		return t, err
	}
	m.recall(&t)
	return t, nil
}

// about returns what a tuning is about, with the package's own values, and where it is remembered.
// It refuses the grids that Find does, which would compare variants by how long they take for
// different work.
func (v *Variants) about(s *Stream, grid func(values []int) Grid, buffers []Bound) (Tuning, *memory, error) {
	if err := v.listed(); err != nil {
		return Tuning{}, nil, err
	}
	if !s.made() {
		return Tuning{}, nil, unmade("tune kernel "+v.Kernel+": stream", streamMaker)
	}
	if grid == nil {
		return Tuning{}, nil, fmt.Errorf("tune kernel %s: %w: the function that returns grids is nil", v.Kernel, ErrShape)
	}
	var lengths []string
	for n, b := range buffers {
		if b == nil || !b.made() {
			return Tuning{}, nil, fmt.Errorf("tune kernel %s: %w: buffer %d is nil or none that Alloc made", v.Kernel, ErrShape, n)
		}
		_, part, _ := b.bound()
		lengths = append(lengths, fmt.Sprint(part.Bytes/max(b.elementBytes(), 1)))
	}
	var own Grid
	for n := range v.List {
		g := grid(slices.Clone(v.List[n].Values))
		if err := v.fits(g); err != nil {
			return Tuning{}, nil, fmt.Errorf("tune kernel %s: %w", v.Kernel, err)
		}
		if n == 0 {
			own = g
		}
	}
	info := &s.device.info
	t := Tuning{Kernel: v.Kernel, Device: info.Name + ", " + info.Driver + " " + info.Version,
		Configuration: fmt.Sprintf("a grid of %v and buffers of %s elements", own, strings.Join(lengths, ", ")),
		Constants:     slices.Clone(v.Constants), Values: slices.Clone(v.List[0].Values)}
	m, err := v.memory(s.device)
	if err != nil {
		return t, nil, err
	}
	t.File = m.file
	return t, m, nil
}

// measure measures all variants.
func (v *Variants) measure(ctx context.Context, sample sampler) ([]Measured, error) {
	measured, times, launches := make([]Measured, len(v.List)), make([][]time.Duration, len(v.List)), make([]int, len(v.List))
	var failures []error
	// to load the kernel, to warm up, and to find out how many launches make a sample
	for n := range v.List {
		measured[n].Values = slices.Clone(v.List[n].Values)
		_, err := sample(&v.List[n], 1)
		var once time.Duration
		if err == nil {
			once, err = sample(&v.List[n], 1)
		}
		switch {
		case err == nil:
			launches[n] = int(min(sampleTime/max(once, 1)+1, mostLaunches))
		case isRefusal(err):
			measured[n].Failure = err.Error()
			failures = append(failures, err)
		default:
			return nil, err
		}
	}
	if len(failures) == len(v.List) {
		return nil, errors.Join(failures...)
	}
	for range samples {
		for n := range v.List {
			if launches[n] == 0 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			took, err := sample(&v.List[n], launches[n])
			if err != nil {
				return nil, err
			}
			times[n] = append(times[n], took/time.Duration(launches[n]))
		}
	}
	for n := range measured {
		if launches[n] > 0 {
			slices.Sort(times[n])
			measured[n].Least, measured[n].Time, measured[n].Most = times[n][0], times[n][len(times[n])/2], times[n][len(times[n])-1]
		}
	}
	return measured, nil
}

// isRefusal reports whether an error says that a device or a grid does not fit a variant.
func isRefusal(err error) bool {
	return slices.ContainsFunc([]error{ErrShape, ErrLimit, ErrUnsupported}, func(kind error) bool { return errors.Is(err, kind) })
}

// fastest returns the values of the fastest variant: of equal ones the first.
func fastest(measured []Measured) []int {
	time := func(m Measured) time.Duration {
		if m.Failure != "" {
			return math.MaxInt64
		}
		return m.Time
	}
	return slices.MinFunc(measured, func(a, b Measured) int { return cmp.Compare(time(a), time(b)) }).Values
}

// sample launches a variant between two events.
func (v *Variant) sample(ctx context.Context, s *Stream, grid Grid, launches int, values []uint32, buffers []Bound) (took time.Duration, err error) {
	from, err := s.Record()
	if err != nil {
		return 0, err
	}
	defer from.Close()
	for range launches {
		if err := v.Embedded.Launch(s, grid, values, buffers...); err != nil {
			return 0, err
		}
	}
	to, err := s.Record()
	if err != nil {
		return 0, err
	}
	defer to.Close()
	if err := s.Wait(ctx); err != nil {
		return 0, err
	}
	return to.Since(from)
}
