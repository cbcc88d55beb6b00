package cpubench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/exectest/ondevice"
	"github.com/gpuc/gpuc/internal/peak"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/driver/cpu"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// Measurements of all exec kernels and of the software Vulkan. Their dispatches are small, so they
// are enlarged: a grid with one layer gets many layers that compute the same, and the launch is
// repeated. An invocation does the same as before. The conflicting writes do not matter, since
// results are compared first.

// layers is the number of layers of an enlarged grid.
const layers = 64

// execTime is the smallest duration of a round's launches in the fastest way, and mostLaunches the
// largest number of launches.
const (
	execTime     = 2 * time.Millisecond
	mostLaunches = 64
)

// execWay is a device that runs the exec kernels.
type execWay struct {
	name   string
	device *gpu.Device
}

// execRow is a dispatch and its times, by way: the minimum of the rounds for one launch, or 0 if
// the way does not run it.
type execRow struct {
	name  string
	times []time.Duration
	note  string
}

// against returns the speedup of a way over the last one, Vulkan, or 0 if it is unknown.
func (r *execRow) against(way int) float64 {
	if last := r.times[len(r.times)-1]; r.times[way] > 0 && last > 0 {
		return float64(last) / float64(r.times[way])
	}
	return 0
}

// Exec measures all dispatches of the exec kernels and prints a table, those with the smallest
// speedup first. For each tier of the CPU device it has the processor time in microseconds, and the
// speedup over Vulkan.
func Exec(w io.Writer, root string, o *Options) error {
	var ways []execWay
	open := func(name, id, tier string) error {
		before, was := os.LookupEnv(cpu.Variable)
		os.Setenv(cpu.Variable, tier)
		device, err := gpu.Open(gpu.Named(id))
		if os.Unsetenv(cpu.Variable); was {
			os.Setenv(cpu.Variable, before)
		}
		if err == nil {
			ways = append(ways, execWay{name, device})
		}
		return err
	}
	defer func() {
		for _, x := range ways {
			x.device.Close()
		}
	}()
	for _, tier := range []cpu.Tier{cpu.JIT, cpu.Vector} {
		if err := open(tier.String(), "cpu:0", tier.String()); err != nil {
			return err
		}
	}
	if err := open("vulkan", "vulkan:0", ""); err != nil {
		return err
	}
	var rows []execRow
	for _, c := range exectest.Cases() {
		if len(o.Only) > 0 && !slices.Contains(o.Only, c.Name) {
			continue
		}
		list, err := execCase(&c, root, ways, o)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		rows = append(rows, list...)
	}
	slices.SortStableFunc(rows, func(a, b execRow) int { return cmp.Compare(a.against(0), b.against(0)) })
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "kernel\tjit µs\tvector µs\tVulkan µs\tjit is\tvector is\t")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t", r.name)
		for _, t := range r.times {
			fmt.Fprintf(table, "%.1f\t", float64(t.Nanoseconds())/1e3)
		}
		fmt.Fprintf(table, "%.2f\t%.2f\t%s\n", r.against(0), r.against(1), r.note)
	}
	return table.Flush()
}

// execCase measures the dispatches of a case.
func execCase(c *exectest.Case, root string, ways []execWay, o *Options) (rows []execRow, err error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.File())))
	if err != nil {
		return nil, err
	}
	var options codegen.Options
	if c.Strict {
		options.Math = opt.MathStrict
	}
	program, err := jit.Parse(c.Name+".wgsl", string(text), options)
	if err != nil {
		return nil, err
	}
	sessions := make([]*ondevice.Session, len(ways))
	note := ""
	for n, w := range ways {
		s, err := ondevice.Open(c, w.device)
		if errors.Is(err, ondevice.ErrSkipped) {
			note = err.Error()
			continue
		}
		if err == nil {
			defer s.Close()
			err = s.Run(program)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		got, err := s.Contents()
		if err == nil {
			err = exectest.Compare(c, c.Expected(), got)
		}
		if err != nil { // a driver that is wrong is not to be compared with
			note = fmt.Sprintf("%s: %v", w.name, err)
			continue
		}
		sessions[n] = s
	}
	var timed []string
	for d := range c.Dispatches {
		name := c.Name + "/" + c.Dispatches[d].Entry
		if slices.Contains(timed, name) {
			continue
		}
		timed = append(timed, name)
		r := execRow{name: name, times: make([]time.Duration, len(ways)), note: note}
		if err := execDispatch(c, program, sessions, d, &r, o); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// execDispatch measures a dispatch in all sessions, alternately.
func execDispatch(c *exectest.Case, program *jit.Program, sessions []*ondevice.Session, d int, r *execRow, o *Options) error {
	var launches [3]func(count int) (time.Duration, error)
	g := c.Dispatches[d].Grid
	grid := gpu.Grid{X: g[0], Y: g[1], Z: g[2]}
	if grid.Z == 1 {
		grid.Z = layers
	}
	for n, s := range sessions {
		if s == nil {
			continue
		}
		if err := s.Restore(); err != nil {
			return err
		}
		for k := range d + 1 {
			kernel, err := s.Load(program, k)
			if err != nil {
				return err
			}
			defer kernel.Close()
			arguments, err := s.Args(kernel, k)
			if err == nil {
				err = s.Launch(arguments, k)
			}
			if err == nil {
				err = s.Stream.Wait(context.Background())
			}
			if err != nil {
				return err
			}
			if k < d {
				continue
			}
			launches[n] = func(count int) (spent time.Duration, err error) {
				spent = peak.Processor(func() {
					for range count {
						if err = s.Stream.Launch(arguments, grid); err != nil {
							return
						}
					}
					err = s.Stream.Wait(context.Background())
				})
				return spent / time.Duration(count), err
			}
		}
	}
	count := 1
	// the first one warms up, and says how many launches there are
	for round := 0; round <= o.Rounds; round++ {
		for n, launch := range launches {
			if launch == nil {
				continue
			}
			t, err := launch(count)
			for round == 0 && err != nil && g[2] == 1 && grid.Z > 1 { // too many for the device
				grid.Z /= 2
				t, err = launch(count)
			}
			for n == 0 && round == 0 && err == nil && t*time.Duration(count) < execTime && count < mostLaunches {
				count *= 2
				t, err = launch(count)
			}
			if err != nil {
				return err
			}
			if round > 0 && (r.times[n] == 0 || t < r.times[n]) {
				r.times[n] = t
			}
		}
	}
	return nil
}
