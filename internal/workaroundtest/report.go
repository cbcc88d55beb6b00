package workaroundtest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Options are what Run runs.
type Options struct {
	Device  string          // as package gpu names it: "vulkan:0"
	Folder  string          // of programs to run instead of this package's, or ""
	Rows    []workaround.ID // the rows to try, or nil for those of the device's compiler
	All     bool            // all rows of the device's target, if Rows is nil
	Workers int             // processes at once; 0 means the number of processors
	Limit   time.Duration   // of one program; 0 means 30 s
	// Progress gets a line for each run if it is not nil.
	Progress io.Writer
}

// Verdict is the result of a row on a device.
type Verdict uint8

// The verdicts, in increasing priority: the verdict of a row with several programs is the largest
// of theirs.
const (
	NotTried  Verdict = iota // see the detail
	Unused                   // the row changes no program's code
	NotNeeded                // all programs have correct results without it
	Needed                   // a program has wrong results or crashes without it
	Broken                   // a program has wrong results with it
)

// String returns the word in the report.
func (v Verdict) String() string {
	return [...]string{"not tried", "unused", "not needed", "needed", "broken"}[v]
}

// Result is the result of a row.
type Result struct {
	Row     workaround.ID
	Verdict Verdict
	// Details are the reasons, at most one for each program and optimisation level.
	Details []string
}

// Report is the result of Run.
type Report struct {
	Info    gpu.Info
	Results []Result
}

// Broken reports whether some row is Broken.
func (r *Report) Broken() bool {
	return slices.ContainsFunc(r.Results, func(x Result) bool { return x.Verdict == Broken })
}

// levels are the levels of optimisation, by Options.NoOptimize.
var levels = map[bool]string{false: "default", true: "-O0"}

// run is a program at one level.
type run struct {
	program    *Program
	noOptimize bool
	verdict    Verdict
	detail     string
}

type runner struct {
	Options
	info  gpu.Info
	lock  sync.Mutex // for wants and progress
	wants map[*Program]want
}

// want is the expected results of a program.
type want struct {
	buffers [][]byte
	err     error
}

// Run tries rows on a device.
func Run(o Options) (*Report, error) {
	o.Limit = cmp.Or(o.Limit, 30*time.Second)
	o.Workers = cmp.Or(o.Workers, runtime.NumCPU())
	programs, err := Load(folderOf(o.Folder))
	if err != nil {
		return nil, err
	}
	device, err := gpu.Open(gpu.Named(o.Device), gpu.KernelCache("off"))
	if err != nil {
		return nil, err
	}
	r := &runner{Options: o, info: device.Info(), wants: map[*Program]want{}}
	if err := device.Close(); err != nil {
		return nil, err
	}
	report := &Report{Info: r.info}
	var runs []*run
	for id := range workaround.Table {
		row := workaround.ID(id)
		if o.Rows != nil && !slices.Contains(o.Rows, row) {
			continue
		}
		why := r.leftOut(row)
		if why == "" {
			mine := r.runsOf(programs, row)
			if runs = append(runs, mine...); mine == nil {
				why = "there is no program for it and this compiler"
			}
		}
		report.Results = append(report.Results, Result{Row: row, Details: details(why)})
	}
	r.runAll(runs)
	for n := range report.Results {
		report.Results[n].judge(runs)
	}
	return report, nil
}

func details(why string) []string {
	if why == "" {
		return nil
	}
	return []string{why}
}

// leftOut returns why a row is not tried on the device, or "".
func (r *runner) leftOut(row workaround.ID) string {
	if t := all.For(r.info.Target, r.info.Profile); t == nil || !slices.Contains(t.Workarounds, row) {
		return fmt.Sprintf("code for %s does not have it", r.info.Target)
	}
	about := slices.ContainsFunc(workaround.Table[row].Faults, func(f workaround.Fault) bool {
		return string(f.Compiler) == r.info.Compiler
	})
	if r.Rows == nil && !r.All && !about {
		return fmt.Sprintf("it is not about the device's compiler (%s)", cmp.Or(r.info.Compiler, "unknown"))
	}
	return ""
}

// runsOf returns the runs of a row's programs.
func (r *runner) runsOf(programs []*Program, row workaround.ID) (runs []*run) {
	for _, p := range programs {
		if p.Row != row || !r.All && !slices.Contains(p.compilers(), workaround.Compiler(r.info.Compiler)) {
			continue
		}
		runs = append(runs, &run{program: p}, &run{program: p, noOptimize: true})
	}
	return runs
}

// runAll judges runs in parallel.
func (r *runner) runAll(runs []*run) {
	next := make(chan *run)
	var wait sync.WaitGroup
	for range r.Workers {
		wait.Go(func() {
			for x := range next {
				r.judge(x)
			}
		})
	}
	for _, x := range runs {
		next <- x
	}
	close(next)
	wait.Wait()
}

// judge runs a program at a level with its row and without it.
func (r *runner) judge(x *run) {
	begin := time.Now()
	defer func() {
		if r.Progress != nil {
			r.lock.Lock()
			defer r.lock.Unlock()
			fmt.Fprintf(r.Progress, "%-32s %-8s %-10s %5.1f s  %s\n", x.program.File, levels[x.noOptimize], x.verdict, time.Since(begin).Seconds(), x.detail)
		}
	}()
	used, err := x.program.uses(r.info.Target, r.info.Profile, x.noOptimize)
	if err != nil {
		x.verdict, x.detail = NotTried, err.Error()
		return
	}
	want := r.want(x.program)
	if want.err != nil {
		x.verdict, x.detail = NotTried, x.program.Reference+" refuses it: "+want.err.Error()
		return
	}
	if fault, unsupported := r.try(x, want.buffers, true); unsupported {
		x.verdict, x.detail = NotTried, fault
		return
	} else if fault != "" {
		x.verdict, x.detail = Broken, fault
		return
	}
	x.verdict = Unused
	if !used {
		return
	}
	x.verdict = NotNeeded
	if fault, _ := r.try(x, want.buffers, false); fault != "" {
		x.verdict, x.detail = Needed, fault
	}
}

// uses reports whether the row changes the program's code.
func (p *Program) uses(target abi.Target, profile uint32, noOptimize bool) (bool, error) {
	with, err := p.compile(target, profile, true, noOptimize)
	if err != nil {
		return false, err
	}
	without, err := p.compile(target, profile, false, noOptimize)
	if err != nil {
		return false, err
	}
	return !bytes.Equal(with.Code, without.Code), nil
}

// want returns the expected results of a program.
func (r *runner) want(p *Program) want {
	r.lock.Lock()
	defer r.lock.Unlock()
	w, ok := r.wants[p]
	if !ok {
		w.buffers, w.err = p.expected()
		r.wants[p] = w
	}
	return w
}

// expected runs the program on its reference device.
func (p *Program) expected() ([][]byte, error) {
	device, err := gpu.Open(gpu.Named(p.Reference), gpu.KernelCache("off"))
	if err != nil {
		return nil, err
	}
	defer device.Close()
	return p.execute(context.Background(), device, true, false)
}

// try runs a program and compares its buffers. The fault is "" if they are correct.
func (r *runner) try(x *run, want [][]byte, with bool) (fault string, unsupported bool) {
	q := request{Device: r.Device, Folder: r.Folder, File: x.program.File, With: with, NoOptimize: x.noOptimize}
	a, problem := q.send(r.Limit)
	if problem != "" {
		return problem, false
	}
	if a.Error != "" {
		return strings.ReplaceAll(a.Error, "\n", " | "), a.Unsupported
	}
	return x.program.difference(a.Buffers, want), false
}

// difference returns the first difference of buffers from the expected ones, or "".
func (p *Program) difference(got, want [][]byte) string {
	for n := range p.Buffers {
		b := &p.Buffers[n]
		size := sizes[b.Type]
		wrong, first := 0, -1
		for k := range len(want[n]) / size {
			if !bytes.Equal(got[n][k*size:(k+1)*size], want[n][k*size:(k+1)*size]) {
				if wrong++; first < 0 {
					first = k
				}
			}
		}
		if first >= 0 {
			return fmt.Sprintf("wrong value: %s[%d] is %s, want %s (%d of %d differ)", b.Name, first,
				b.element(got[n], first), b.element(want[n], first), wrong, len(want[n])/size)
		}
	}
	return ""
}

// judge sets a row's verdict from the runs of its programs.
func (x *Result) judge(runs []*run) {
	var mine []*run
	unused := map[string]int{} // by program: the levels at which the row does not change the code
	for _, n := range runs {
		if n.program.Row != x.Row {
			continue
		}
		mine = append(mine, n)
		if n.verdict == Unused {
			unused[n.program.File]++
		}
		if len(mine) == 1 || n.verdict > x.Verdict {
			x.Verdict = n.verdict
		}
	}
	for _, n := range mine {
		if n.detail != "" && n.verdict != NotNeeded {
			x.Details = append(x.Details, fmt.Sprintf("%s %s: %s", n.program.File, levels[n.noOptimize], n.detail))
		}
		if unused[n.program.File] == len(levels) && n.noOptimize {
			x.Details = append(x.Details, n.program.File+": the program does not use it")
		}
	}
}

// Write writes the report as text: a line for each row, and a summary.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: %s (%s), compiler %s, version %d\n\n", r.Info.ID(), r.Info.Name, r.Info.Version, cmp.Or(r.Info.Compiler, "unknown"), r.Info.CompilerVersion)
	var counts [Broken + 1]int
	for n := range r.Results {
		x := &r.Results[n]
		counts[x.Verdict]++
		fmt.Fprintf(w, "%-22s %-10s  %s\n", workaround.Table[x.Row].Name, x.Verdict, strings.Join(x.Details, "; "))
	}
	fmt.Fprintln(w)
	for v := Broken; ; v-- {
		if counts[v] > 0 {
			var names []string
			for _, x := range r.Results {
				if x.Verdict == v {
					names = append(names, workaround.Table[x.Row].Name)
				}
			}
			fmt.Fprintf(w, "%-10s %2d  %s\n", v, counts[v], strings.Join(names, " "))
		}
		if v == NotTried {
			return
		}
	}
}
