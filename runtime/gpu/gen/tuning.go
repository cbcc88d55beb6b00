package gen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// budget is the time that Tune takes at most, unless `gpuc tune` says otherwise.
const budget = 10 * time.Second

// packageFile is how a Tuning names the records that a package embeds.
const packageFile = "the package's " + tuning.File

// Tune measures the variants on the device of a stream, with the values and buffers of
// gpu.Embedded.Launch, and keeps the result in a file for TunedOf. grid returns the grid for the
// values of a variant. Each variant is launched many times, so buffers that the kernel writes do
// not keep their contents. Grids that Find refuses are gpu.ErrShape.
//
// It takes up to ten seconds, or three quarters of the time until the deadline of ctx. The variants
// that are the fastest at first are measured more often, if not all can be.
//
// A variant that the device refuses, or whose grid does not fit it, is left out; it is an error if
// all are. It is gpu.ErrCoarse if the device's clock cannot tell the variants apart. Other
// errors, of launches and of ctx, end the measurement. If the file cannot be written, or the time
// does not suffice for two variants, gpu.Tuning.Note says so.
//
// Under `gpuc tune`, in the function of gputest.Tune, the time is the kernel's share of the budget,
// and the result goes into the package's file instead.
func (v *Variants) Tune(ctx context.Context, s *gpu.Stream, grid func(values []int) gpu.Grid, values []uint32, buffers ...gpu.Bound) (gpu.Tuning, error) {
	w, t, err := v.about(s, grid, buffers)
	if err == nil && ctx == nil {
		err = fmt.Errorf("tune kernel %s: %w: the context is nil", v.Kernel, gpu.ErrShape)
	}
	if err != nil {
		return t, err
	}
	session, limit := tuning.SessionOf(ctx), budget
	report := tuning.Report{Package: v.Package, Kernel: v.Kernel, Problem: w.Problem}
	switch end, ends := ctx.Deadline(); {
	case session != nil && session.Counting():
		return t, session.Add(report)
	case session != nil:
		limit = session.Share()
	case ends:
		limit = min(limit, time.Until(end)*3/4)
	}
	r := tuning.Record{Format: tuning.Format, Package: v.Package, Kernel: v.Kernel, Code: v.Code, Device: w.Device, Problem: w.Problem, Constants: slices.Clone(v.Constants)}
	clock := deviceClock{
		launches: func(variant *Variant, launches int) (time.Duration, error) {
			return variant.sample(ctx, s, grid(slices.Clone(variant.Values)), launches, values, buffers)
		},
		nothing: func() (time.Duration, error) { return between(ctx, s, func() error { return nil }) },
		now:     time.Now,
		progress: func(part float64) {
			if session != nil {
				session.Show(v.Kernel, w.Problem, part)
			}
		},
	}
	r.Measured, r.Best, err = v.measure(ctx, limit, clock)
	refused := "" // why there is no record
	if err == nil {
		known(&t, &r)
		if !tuning.Compared(r.Measured) {
			refused = fmt.Sprintf("its %v end before a second variant was measured", limit.Round(time.Millisecond))
		}
	} else if session != nil && errors.Is(err, tuning.ErrCoarse) { // the others can be measured
		refused, err = err.Error(), nil
	}
	switch {
	case err != nil:
		return t, fmt.Errorf("tune kernel %s: %w", v.Kernel, err)
	case session != nil:
		if report.Refused = refused; refused == "" {
			report.Record = &r
		}
		return t, session.Add(report)
	case refused != "":
		t.Note = "it is not kept: " + refused
	default:
		t.Note = v.keep(r)
	}
	return t, nil
}

// keep adds a record to the package's file in the user's folder, and returns what is wrong with it,
// or "".
func (v *Variants) keep(r tuning.Record) string {
	kept := tuning.KeptFor(v.Package)
	text, note := kept.Read()
	records, faults := tuning.Parse(kept.Path, text, v.Package)
	if note == "" {
		note = kept.Write(tuning.Text(tuning.Merge(records, []tuning.Record{r})))
	}
	return tuning.NoteOf(faults, note)
}

// TunedOf returns what is known about the device of a stream, such a grid and buffers. It is what
// Tune has kept, in this process or another one, or a record that the package embeds. Records of
// the device with its driver come first, then with another driver, then of another device of the
// same profile. Among these the closest problem comes first. None of its numbers is more than four
// times that of the launch, or less than a fourth.
//
// It measures nothing. Without such a record the values are the package's own. gpu.Tuning.Note says
// which files or lines were ignored.
func (v *Variants) TunedOf(s *gpu.Stream, grid func(values []int) gpu.Grid, buffers ...gpu.Bound) (gpu.Tuning, error) {
	w, t, err := v.about(s, grid, buffers)
	if err != nil {
		return t, err
	}
	kept := tuning.KeptFor(v.Package)
	text, note := kept.Read()
	own, faults := tuning.Parse(kept.Path, text, v.Package)
	embedded, others := v.parsed()
	records := slices.DeleteFunc(slices.Concat(own, embedded), func(r tuning.Record) bool {
		return v.find(r.Best) == nil // not of this code, whatever it says
	})
	t.Note = tuning.NoteOf(slices.Concat(faults, others), note)
	r, match := tuning.Choose(records, w)
	if r == nil {
		return t, nil
	}
	known(&t, r)
	t.Reason = match.String()
	if r.Problem.Distance(w.Problem) > 0 {
		t.Reason += fmt.Sprintf(" for another problem, %v", r.Problem)
	}
	t.Source = fmt.Sprintf("%s:%d", r.File, r.Line)
	return t, nil
}

// known adds a record to a Tuning, as copies.
func known(t *gpu.Tuning, r *tuning.Record) {
	t.Values = slices.Clone(r.Best)
	t.Measured = slices.Clone(r.Measured)
	for n := range t.Measured {
		t.Measured[n].Values = slices.Clone(r.Measured[n].Values)
	}
}

// records are those that the package embeds, parsed once.
type records struct {
	once   sync.Once
	list   []tuning.Record
	faults []tuning.Fault
}

func (v *Variants) parsed() ([]tuning.Record, []tuning.Fault) {
	v.records.once.Do(func() { v.records.list, v.records.faults = tuning.Parse(packageFile, v.Records, v.Package) })
	return v.records.list, v.records.faults
}

// about returns what a record is looked for, and a Tuning with the package's own values. It refuses
// the grids that Find refuses, which would compare the times of different work.
func (v *Variants) about(s *gpu.Stream, grid func(values []int) gpu.Grid, buffers []gpu.Bound) (w tuning.Wanted, t gpu.Tuning, err error) {
	if err := v.listed(); err != nil {
		return w, t, err
	}
	d := s.Device()
	if d == nil {
		return w, t, fmt.Errorf("tune kernel %s: %w: the stream is nil or none that Device.NewStream made", v.Kernel, gpu.ErrClosed)
	}
	if grid == nil {
		return w, t, fmt.Errorf("tune kernel %s: %w: the function that returns grids is nil", v.Kernel, gpu.ErrShape)
	}
	w = tuning.Wanted{Package: v.Package, Kernel: v.Kernel, Code: v.Code, Device: gpu.TuningDeviceOf(d.Info())}
	w.Lengths = []int{}
	for n, b := range buffers {
		if b == nil {
			return w, t, fmt.Errorf("tune kernel %s: %w: buffer %d is nil", v.Kernel, gpu.ErrShape, n)
		}
		w.Lengths = append(w.Lengths, b.Len())
	}
	for n := range v.List {
		g := grid(slices.Clone(v.List[n].Values))
		if err := v.fits(g); err != nil {
			return w, t, fmt.Errorf("tune kernel %s: %w", v.Kernel, err)
		}
		if n == 0 {
			w.Grid, w.Items = [3]uint32{g.X, g.Y, g.Z}, g.CountsItems()
		}
	}
	return w, gpu.Tuning{Kernel: v.Kernel, Device: w.Name + ", " + w.Driver, Problem: w.Problem.String(),
		Constants: slices.Clone(v.Constants), Values: slices.Clone(v.List[0].Values)}, nil
}

// deviceClock measures device times. Tests have another one.
type deviceClock struct {
	launches func(v *Variant, launches int) (time.Duration, error) // of a number of launches
	nothing  func() (time.Duration, error)                         // of no work
	now      func() time.Time
	progress func(part float64)
}

// measure measures the variants within a time, and returns the values of the fastest one.
func (v *Variants) measure(ctx context.Context, limit time.Duration, c deviceClock) ([]gpu.Measured, []int, error) {
	step, err := tuning.StepOf(c.nothing)
	if err != nil {
		return nil, nil, err
	}
	if step == 0 {
		return nil, nil, fmt.Errorf("%w: it does not move between two events", tuning.ErrCoarse)
	}
	results, best, err := tuning.Contest{Candidates: len(v.List), Step: step, Budget: limit, Now: c.now, Progress: c.progress, Refused: isRefusal,
		Sample: func(n, launches int) (time.Duration, error) { return c.launches(&v.List[n], launches) }}.Run(ctx)
	if err != nil {
		return nil, nil, err
	}
	measured := make([]gpu.Measured, len(v.List))
	for n, r := range results {
		measured[n] = gpu.Measured{Values: slices.Clone(v.List[n].Values), Times: r.Times, Samples: r.Samples}
		if r.Failure != nil {
			measured[n].Failure = r.Failure.Error()
		}
	}
	return measured, slices.Clone(v.List[best].Values), nil
}

// isRefusal reports whether an error says that a device or a grid does not fit a variant.
func isRefusal(err error) bool {
	return slices.ContainsFunc([]error{gpu.ErrShape, gpu.ErrLimit, gpu.ErrUnsupported}, func(kind error) bool { return errors.Is(err, kind) })
}

// sample launches a variant between two events.
func (v *Variant) sample(ctx context.Context, s *gpu.Stream, grid gpu.Grid, launches int, values []uint32, buffers []gpu.Bound) (time.Duration, error) {
	return between(ctx, s, func() error {
		for range launches {
			if err := v.Embedded.Launch(s, grid, values, buffers...); err != nil {
				return err
			}
		}
		return nil
	})
}

// between returns the device time between two events around work on a stream.
func between(ctx context.Context, s *gpu.Stream, work func() error) (time.Duration, error) {
	from, err := s.Record()
	if err != nil {
		return 0, err
	}
	defer from.Close()
	if err := work(); err != nil {
		return 0, err
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
