package gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// How variants are measured. A sample is as many launches as take sampleTime. Each variant has
// several samples, interleaved with those of the others, so that a device that slows down does so
// for all.
const (
	samples     = 9
	sampleTime  = 2 * time.Millisecond
	maxLaunches = 256 // in a sample
)

// sampler measures the device time of a number of launches of a variant.
type sampler func(v *Variant, launches int) (time.Duration, error)

// Tune measures all variants on the device of a stream, with the values and buffers of
// gpu.Embedded.Launch, and stores the result in a file for TunedOf. grid returns the grid for the
// values of a variant. Each variant is launched many times, so buffers that the kernel writes do
// not keep their contents. Grids that Find refuses are gpu.ErrShape.
//
// A variant that the device refuses, or whose grid does not fit it, is left out; it is an error if
// all are. Other errors, of launches and of ctx, end the measurement. If the file cannot be
// written, gpu.Tuning.Note says so.
func (v *Variants) Tune(ctx context.Context, s *gpu.Stream, grid func(values []int) gpu.Grid, values []uint32, buffers ...gpu.Bound) (gpu.Tuning, error) {
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

// TunedOf returns what Tune has stored, in this process or another one, for the device of a stream
// and such a grid and buffers. It measures nothing. Without measurements the values are the
// package's own. gpu.Tuning.Note says if a file is damaged, or of another version of the kernel.
func (v *Variants) TunedOf(s *gpu.Stream, grid func(values []int) gpu.Grid, buffers ...gpu.Bound) (gpu.Tuning, error) {
	t, m, err := v.about(s, grid, buffers)
	if err != nil {
		return t, err
	}
	m.recall(&t)
	return t, nil
}

// about returns an empty Tuning with the package's own values, and the file for it. It refuses the
// grids that Find refuses, which would compare the times of different work.
func (v *Variants) about(s *gpu.Stream, grid func(values []int) gpu.Grid, buffers []gpu.Bound) (gpu.Tuning, *memory, error) {
	if err := v.listed(); err != nil {
		return gpu.Tuning{}, nil, err
	}
	d := s.Device()
	if d == nil {
		return gpu.Tuning{}, nil, fmt.Errorf("tune kernel %s: %w: the stream is nil or none that Device.NewStream made", v.Kernel, gpu.ErrClosed)
	}
	if grid == nil {
		return gpu.Tuning{}, nil, fmt.Errorf("tune kernel %s: %w: the function that returns grids is nil", v.Kernel, gpu.ErrShape)
	}
	var lengths []string
	for n, b := range buffers {
		if b == nil {
			return gpu.Tuning{}, nil, fmt.Errorf("tune kernel %s: %w: buffer %d is nil", v.Kernel, gpu.ErrShape, n)
		}
		lengths = append(lengths, fmt.Sprint(b.Len()))
	}
	var own gpu.Grid
	for n := range v.List {
		g := grid(slices.Clone(v.List[n].Values))
		if err := v.fits(g); err != nil {
			return gpu.Tuning{}, nil, fmt.Errorf("tune kernel %s: %w", v.Kernel, err)
		}
		if n == 0 {
			own = g
		}
	}
	info := d.Info()
	t := gpu.Tuning{Kernel: v.Kernel, Device: info.Name + ", " + info.Driver + " " + info.Version,
		Configuration: fmt.Sprintf("a grid of %v and buffers of %s elements", own, strings.Join(lengths, ", ")),
		Constants:     slices.Clone(v.Constants), Values: slices.Clone(v.List[0].Values)}
	m, err := v.memory(info.Target)
	if err != nil {
		return t, nil, err
	}
	t.File = m.file
	return t, m, nil
}

// measure measures all variants.
func (v *Variants) measure(ctx context.Context, sample sampler) ([]gpu.Measured, error) {
	measured, times, launches := make([]gpu.Measured, len(v.List)), make([][]time.Duration, len(v.List)), make([]int, len(v.List))
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
			launches[n] = int(min(sampleTime/max(once, 1)+1, maxLaunches))
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
	return slices.ContainsFunc([]error{gpu.ErrShape, gpu.ErrLimit, gpu.ErrUnsupported}, func(kind error) bool { return errors.Is(err, kind) })
}

// fastest returns the values of the fastest variant, the first of equal ones.
func fastest(measured []gpu.Measured) []int {
	time := func(m gpu.Measured) time.Duration {
		if m.Failure != "" {
			return math.MaxInt64
		}
		return m.Time
	}
	return slices.MinFunc(measured, func(a, b gpu.Measured) int { return cmp.Compare(time(a), time(b)) }).Values
}

// sample launches a variant between two events.
func (v *Variant) sample(ctx context.Context, s *gpu.Stream, grid gpu.Grid, launches int, values []uint32, buffers []gpu.Bound) (took time.Duration, err error) {
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
