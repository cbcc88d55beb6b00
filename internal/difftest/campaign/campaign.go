// Package campaign runs generated programs (package difftest) through gpuc and
// compares what they compute with what difftest's evaluator says. The two sides
// share no code: the expected bytes are known before gpuc sees the program.
//
// A campaign is a parent that hands seeds to workers, which are processes: a
// program that hangs a device or takes the process down costs that program, not
// the campaign. What differs is reduced by a process of its own.
package campaign

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/gpuc/gpuc/internal/difftest"
)

// Options are what a campaign runs.
type Options struct {
	Ways           []string
	Configurations int    // how many for each program and way
	First, Count   uint64 // seeds
	// Texts, if not empty, are the configurations of all programs, instead of those that seeds
	// choose.
	Texts []string
	// File, if not empty, holds the cases to run instead of generated ones, in each of the
	// configurations Texts. First and Count are indices into it.
	File string
	// Family, if not empty, names the family of small programs to run.
	Family string
	// Containing, if not empty, leaves out programs without this text.
	Containing string
	Workers    int
	// Worker, if not empty, is the command that runs a worker instead of this program, as an
	// emulator of another processor with the program built for that.
	Worker []string
	// Limit ends the campaign before all seeds are run, if it is not 0.
	Limit time.Duration
	// Silence is how long a worker may take for one program.
	Silence time.Duration
	// Folder takes the programs that fail, reduced, if it is not empty.
	Folder string
	// Reduced is how many failures are reduced, and Patience how long each may take.
	Reduced  int
	Patience time.Duration
	// Progress gets a line now and then if it is not nil.
	Progress io.Writer
}

// Failure is a program that one way does not run right.
type Failure struct {
	Seed               uint64
	Way, Configuration string
	// the way whose bytes are others, if what is wrong is that
	Beside              string `json:",omitempty"`
	Message             string
	Died                bool   // there is no answer, or none but the process's end
	ReducedCode, Reason string `json:",omitempty"` // of the reduced program
}

// Report is what a campaign found.
type Report struct {
	Programs uint64 // run to an end
	// not run: the evaluator found their steps too many, Containing left them out, or they were to
	// run with one that ended the process
	Discarded  uint64
	Executions uint64
	Failures   []Failure
	Ways       tallies
}

// Add adds what another campaign found.
func (r *Report) Add(other *Report) {
	if r.Ways == nil {
		r.Ways = tallies{}
	}
	r.Programs += other.Programs
	r.Discarded += other.Discarded
	r.Executions += other.Executions
	r.Failures = append(r.Failures, other.Failures...)
	r.Ways.add(other.Ways)
}

// line is what a worker prints: one for each step of a program, before it, and one
// behind the program.
type line struct {
	Seed       uint64
	Step       *Failure `json:",omitempty"` // what it was if it is one
	Done       bool
	Discarded  bool
	Executions uint64
	Failures   []Failure
	Ways       tallies
	Error      string // that no program can help
}

func (l *line) tally(way string) *Tally {
	if l.Ways == nil {
		l.Ways = tallies{}
	}
	return l.Ways.of(way)
}

// workerVariable is set in the environment of a worker: its arguments.
const workerVariable = "GPUC_DIFFTEST_WORKER"

// Serve does the work of a worker or a reducer if the process is one, and does
// not return then. Programs that call Run call it first.
func Serve() {
	arguments := os.Getenv(workerVariable)
	if arguments == "" {
		return
	}
	var w work
	if err := json.Unmarshal([]byte(arguments), &w); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	go func() { // a worker that hangs ends with its parent
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	out := json.NewEncoder(os.Stdout)
	if w.Failure != nil {
		w.reduce(out)
	} else {
		w.run(out)
	}
	os.Exit(0)
}

// work is what a worker is to do: every Step-th seed from First on before End, or
// to reduce a failure.
type work struct {
	Ways             []string
	Configurations   int
	First, End, Step uint64
	Family           string   `json:",omitempty"`
	Containing       string   `json:",omitempty"`
	File             string   `json:",omitempty"`
	Texts            []string `json:",omitempty"`
	Failure          *Failure `json:",omitempty"`
}

// program returns what makes the programs of a family, or of the generator if it is empty; nil if
// they are no trees.
func program(family string) func(seed uint64) *difftest.Program {
	if family == "" {
		return difftest.Generate
	}
	for _, f := range difftest.Families {
		if f.Name == family && f.Reducible() {
			return f.Program
		}
	}
	return nil
}

// cases returns the source of cases: the generator, a family or a file.
func (w *work) cases() (func(seed uint64) (*difftest.Case, []Configuration, error), error) {
	var texts []Configuration
	for _, text := range w.Texts {
		o, err := ParseConfiguration(text)
		if err != nil {
			return nil, err
		}
		texts = append(texts, o)
	}
	configured := func(seed uint64, c *difftest.Case) []Configuration {
		if len(texts) > 0 {
			return texts
		}
		return configurations(seed, c.Robust, c.Rounds, w.Configurations)
	}
	if n := slices.IndexFunc(difftest.Families, func(f difftest.Family) bool { return f.Name == w.Family }); n >= 0 {
		return func(seed uint64) (*difftest.Case, []Configuration, error) {
			c := difftest.Families[n].Case(seed)
			return c, configured(seed, c), nil
		}, nil
	} else if w.Family != "" {
		return nil, fmt.Errorf("there is no family %q", w.Family)
	}
	if w.File == "" {
		return func(seed uint64) (*difftest.Case, []Configuration, error) {
			c, err := difftest.Generate(seed).Case()
			if err != nil {
				return nil, nil, err
			}
			return c, configured(seed, c), nil
		}, nil
	}
	cases, err := ReadCases(w.File)
	return func(n uint64) (*difftest.Case, []Configuration, error) { return &cases[n], texts, nil }, err
}

// ReadCases reads a file of cases.
func ReadCases(file string) ([]difftest.Case, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cases []difftest.Case
	if err := json.Unmarshal(data, &cases); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return cases, nil
}

func (w *work) run(out *json.Encoder) {
	debug.SetGCPercent(400)
	var ways []*Way
	for _, name := range w.Ways {
		way, err := Open(name)
		if err != nil {
			out.Encode(line{Error: err.Error()})
			return
		}
		ways = append(ways, way)
	}
	cases, err := w.cases()
	if err != nil {
		out.Encode(line{Error: err.Error()})
		return
	}
	most := 1
	for _, way := range ways {
		if way.together != nil {
			most = programsTogether
		}
	}
	for seed := w.First; seed < w.End; {
		var drawn []*difftest.Case // nil where there is none to run
		var lists [][]Configuration
		var lines []line
		for ; seed < w.End && len(lines) < most; seed += w.Step {
			out.Encode(line{Seed: seed})
			c, list, err := cases(seed)
			l := line{Seed: seed, Done: true, Discarded: err != nil || !strings.Contains(c.Code, w.Containing)}
			if l.Discarded {
				c = nil
			}
			drawn, lists, lines = append(drawn, c), append(lists, list), append(lines, l)
		}
		agreed := make([][]agreement, len(drawn)) // by the case and the configuration
		for _, way := range ways {
			for n, c := range drawn {
				if c != nil && way.takes(c) != "" {
					lines[n].tally(way.Name).LeftOut[way.takes(c)]++
				}
			}
			if way.together != nil {
				way.runTogether(drawn, lists, lines)
				continue
			}
			for n, c := range drawn {
				if c == nil || way.takes(c) != "" {
					continue
				}
				if agreed[n] == nil {
					agreed[n] = make([]agreement, len(lists[n]))
				}
				way.runOne(c, lists[n], &lines[n], agreed[n], out)
			}
		}
		for n := range lines {
			out.Encode(lines[n])
		}
	}
}

// runOne runs a case in its configurations, holds what it leaves against what other tiers of the
// CPU device left, and notes in its line what is wrong.
func (w *Way) runOne(c *difftest.Case, list []Configuration, l *line, agreed []agreement, out *json.Encoder) {
	t := l.tally(w.Name)
	for n, o := range list {
		l.Executions++
		f := Failure{Seed: l.Seed, Way: w.Name, Configuration: o.String()}
		got, err := w.run(c, o, func(what string) {
			f.Message = what
			out.Encode(line{Seed: l.Seed, Step: &f})
		}, t)
		if err == nil {
			var compared bool
			other := agreed[n].way
			if compared, err = agreed[n].hold(w, c, o, got); err != nil {
				f.Beside = other
			} else if compared {
				t.Equal++
			}
		}
		if why := lacking(c, err); why != "" {
			l.Executions--
			t.LeftOut[why]++
		} else if err != nil {
			f.Message = err.Error()
			l.Failures = append(l.Failures, f)
		}
	}
}

// Run runs a campaign in workers, which are processes of this very program.
func Run(o Options) (*Report, error) {
	started := time.Now()
	r := &runner{Options: o, started: started, report: Report{Ways: tallies{}}}
	var group sync.WaitGroup
	for n := range o.Workers {
		group.Go(func() { r.worker(uint64(n)) })
	}
	group.Wait()
	sort.Slice(r.report.Failures, func(a, b int) bool {
		x, y := &r.report.Failures[a], &r.report.Failures[b]
		if x.Seed != y.Seed {
			return x.Seed < y.Seed
		}
		return x.Way+x.Configuration < y.Way+y.Configuration
	})
	r.reduceSome()
	return &r.report, r.failed
}

type runner struct {
	Options
	started time.Time
	mutex   sync.Mutex
	report  Report
	failed  error
}

// worker runs the seeds of one worker, in as many processes as it takes.
func (r *runner) worker(n uint64) {
	w := work{Ways: r.Ways, Configurations: r.Configurations, Family: r.Family, Containing: r.Containing, File: r.File, Texts: r.Texts,
		First: r.First + n, End: r.First + r.Count, Step: uint64(r.Workers)}
	for lost := 0; w.First < w.End && !r.over(); {
		last, started, step := uint64(0), false, Failure{}
		complaint := r.process(&w, r.Silence, func(data []byte) bool {
			var l line
			if json.Unmarshal(data, &l) != nil {
				return true
			}
			if l.Error != "" {
				r.fail(errors.New(l.Error))
				return false
			}
			last, started = l.Seed, true
			if l.Step != nil {
				step = *l.Step
			}
			if l.Done {
				r.add(&l)
				w.First, started = l.Seed+w.Step, false
			}
			return !r.over()
		})
		switch {
		case r.over():
			return
		case started: // the process died of the program
			if step.Seed != last || step.Way == "" {
				step = Failure{Seed: last, Message: "before it ran"}
			}
			step.Message, step.Died = complaint+" while "+step.Message, true
			// that were to run together with it
			for before := w.First; before < last; before += w.Step {
				r.add(&line{Seed: before, Discarded: true})
			}
			r.add(&line{Seed: last, Failures: []Failure{step}})
			w.First = last + w.Step
			lost = 0
		case w.First < w.End && strings.HasPrefix(complaint, silent) && lost < 3:
			lost++ // another worker's program may hold the device
		case w.First < w.End:
			r.fail(fmt.Errorf("a worker ended early: %s", complaint))
			return
		}
	}
}

// silent begins the complaint about a process without an answer.
const silent = "no answer"

// process runs work in a process of its own and hands its lines to take, until
// that returns false, the process ends, or it is silent for too long. It returns
// what the process complained of.
func (r *runner) process(w *work, silence time.Duration, take func([]byte) bool) string {
	arguments, err := json.Marshal(w)
	if err != nil {
		return err.Error()
	}
	program := r.Worker
	if len(program) == 0 {
		self, err := os.Executable()
		if err != nil {
			return err.Error()
		}
		program = []string{self}
	}
	command := exec.Command(program[0], program[1:]...)
	command.Env = append(os.Environ(), workerVariable+"="+string(arguments))
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.StdoutPipe()
	if err != nil {
		return err.Error()
	}
	alive, err := command.StdinPipe()
	if err != nil {
		return err.Error()
	}
	defer alive.Close()
	if err := command.Start(); err != nil {
		return err.Error()
	}
	quiet := false
	watchdog := time.AfterFunc(silence, func() {
		quiet = true
		command.Process.Kill()
	})
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		data, err := lines.ReadBytes('\n')
		if err != nil || !take(data) {
			break
		}
		watchdog.Reset(silence)
	}
	watchdog.Stop()
	command.Process.Kill()
	err = command.Wait()
	if quiet {
		return fmt.Sprintf("%s for %s", silent, silence)
	}
	first, _, _ := strings.Cut(complaint.String(), "\n")
	return fmt.Sprintf("the process ended (%v: %s)", err, first)
}

func (r *runner) over() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.failed != nil || r.Limit != 0 && time.Since(r.started) > r.Limit
}

func (r *runner) fail(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.failed = errors.Join(r.failed, err)
}

func (r *runner) add(l *line) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if l.Discarded {
		r.report.Discarded++
		return
	}
	r.report.Programs++
	r.report.Executions += l.Executions
	r.report.Ways.add(l.Ways)
	r.report.Failures = append(r.report.Failures, l.Failures...)
	if r.Progress != nil {
		for n := range l.Failures {
			fmt.Fprintln(r.Progress, l.Failures[n].String())
		}
		if r.report.Programs%1000 == 0 {
			fmt.Fprintf(r.Progress, "%d programs, %d failures, %s\n", r.report.Programs, len(r.report.Failures),
				time.Since(r.started).Round(time.Second))
		}
	}
}

// String is a line about a failure.
func (f *Failure) String() string {
	message, _, _ := strings.Cut(f.Message, "\n")
	return fmt.Sprintf("seed %d  %s  %s  %s", f.Seed, f.Way, f.Configuration, message)
}

// silences is how many programs without an answer the patience for one reduction is meant for.
const silences = 10
