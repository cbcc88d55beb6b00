package gogen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/textfmt"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/frontend/gokernel/launch"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// Tune is gpuc tune.
var Tune = cli.Command{
	Name:    "tune",
	Run:     runTune,
	Summary: "measure the variants of kernels, for packages to ship",
	Usage:   "[flags] PACKAGES",
	Help: `
Measures which variant of each kernel is the fastest on a device, and writes that to the package's
file gpuc_tuning.jsonl. Programs with the package look it up, and measure nothing. A kernel has
variants if it depends on a constant with the directive

  const Tile = 16 //gpuc:tune 8 16 32

Write a test that calls the generated function for the problems that matter. Its data is what the
kernel is measured with:

  func TestTune(t *testing.T) {
      gputest.Tune(t, func(ctx context.Context, s *gpu.Stream) error {
          for _, n := range []int{256, 1024, 4096} {
              ...                                  make buffers a, b and c of n*n elements
              grid := func(MatMulVariant) gpu.Grid { return gpu.Items2(n, n) }
              if _, _, err := TuneMatMul(ctx, s, grid, n, a, b, c); err != nil {
                  return err
              }
          }
          return nil
      })
  }

  gpuc tune .                          on the first GPU, within 30 seconds
  gpuc tune -budget 5m ./...           all packages; each problem has an equal share of the time
  gpuc tune -device cpu .              on another device; gpuc devices lists them
  gpuc tune -explain .                 measures nothing: which record applies here, and why

On a machine without Go, run the tests themselves, and take what they report:

  go test -c -o tune.test .
  GPUC_TUNE='{"file":"reports","budget":60000000000}' ./tune.test -test.run TestTune
  gpuc tune -from reports .            here, with the file that it has written

If the time is short, the variants that are slow at first are measured less, or not at all, and the
output says so. A kernel that runs too briefly for the device's clock is refused: it needs a larger
problem.

Commit the file. It has a line for each kernel, device, driver and problem, so records of several
machines are merged by git. When a kernel changes, its records no longer apply.
`,
}

// defaultBudget is the time that measuring takes unless -budget says otherwise.
const defaultBudget = 30 * time.Second

// tuneTests is the pattern of the tests that gpuc tune runs.
const tuneTests = "^TestTune"

func runTune(e *cli.Env, args []string) error {
	f := e.NewFlags()
	e.ColourFlag(f)
	budget := f.Duration("budget", defaultBudget, "measure for up to a `time`, such as 90s, beside building the tests")
	device := f.String("device", "", "measure on a `device` instead of the first GPU")
	from := f.String("from", "", "measure nothing; take the reports in a `file`, which the tests have written elsewhere")
	explain := f.Bool("explain", false, "say which records apply on the devices of this machine, and measure nothing")
	patterns, err := e.Parse(f, args)
	if err != nil {
		return err
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	switch {
	case *budget <= 0:
		return usage.Errorf("-budget %v is no time to measure in; want one such as 30s or 5m", *budget)
	case *from != "" && (*explain || *device != ""):
		return usage.Errorf("-from takes what was measured elsewhere, and neither -explain nor -device")
	case *device == "auto":
		*device = ""
	}
	g := &generation{Env: e, patterns: patterns}
	if g.folder, err = os.Getwd(); err != nil {
		return err
	}
	given := genOptions{math: "wgsl", bounds: "robust", targets: genTargets}
	packages, err := g.packages(given, patterns)
	if err != nil {
		return err
	}
	var list []*tunedPackage
	for _, p := range packages {
		p, options, err := g.asBefore(p, given)
		if err != nil {
			return err
		}
		if kernels := tunedKernels(p, options); len(kernels) > 0 {
			list = append(list, &tunedPackage{Package: p, options: options, kernels: kernels, records: g.readRecords(p)})
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("%s: no kernel depends on a tuned constant; one is declared as const Tile = 16 //gpuc:tune 8 16 32", strings.Join(patterns, " "))
	}
	switch {
	case *explain:
		return g.explain(list)
	case *from != "":
		return g.take(list, *from)
	}
	return g.tune(list, *budget, *device)
}

// tunedPackage is a package with kernels that have tuned constants.
type tunedPackage struct {
	*gokernel.Package
	options genOptions
	kernels []tunedKernel
	records []tuning.Record // of its file
}

// tune measures, and writes the files of all packages.
func (g *generation) tune(list []*tunedPackage, budget time.Duration, device string) error {
	for _, p := range list { // before the work
		path := filepath.FromSlash(g.displayName(filepath.Join(p.Folder, tuning.File)))
		if _, err := new(outfile.Plan).Add(path, "records of tuning", recordsFile); err != nil {
			return err
		}
		if err := g.checkFresh(p); err != nil {
			return err
		}
	}
	folder, err := os.MkdirTemp("", "gpuc-tune-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var plan outfile.Plan
	results := tuneResults{Measured: []tunedForm{}}
	failed := false
	for n, p := range list {
		// the time for building is not counted
		task := tuning.Task{Device: device, Progress: g.Terminal}
		started := time.Time{}
		reports, err := g.measure(p, filepath.Join(folder, fmt.Sprint(n)), task, func() time.Duration {
			started = time.Now()
			return budget / time.Duration(len(list)-n)
		})
		if !started.IsZero() {
			budget = max(budget-time.Since(started), 0)
		}
		if err != nil && !errors.Is(err, cli.ErrReported) {
			return err
		}
		failed = g.summary(p, reports, &results) || failed
		if err != nil {
			failed = true // which has been reported
		} else {
			failed = g.untested(p, reports) || failed
		}
		if err := g.planRecords(&plan, p, reports); err != nil {
			return err
		}
	}
	return g.commit(&plan, results, failed)
}

// tuneResults are the results of gpuc tune for -json, where it does not explain.
type tuneResults struct {
	Measured []tunedForm       `json:"measured"`
	Files    []outfile.Written `json:"files"`
}

type tunedForm struct {
	Package     string `json:"package"`
	Kernel      string `json:"kernel"`
	Problem     string `json:"problem"`
	Device      string `json:"device,omitempty"`
	Driver      string `json:"driver,omitempty"`
	Best        string `json:"best,omitempty"` // as Tile=8 Unroll=2
	Nanoseconds int64  `json:"nanoseconds,omitempty"`
	Refused     string `json:"refused,omitempty"` // why nothing was measured
}

// commit writes the files. Failed says that something was not measured, which has been reported.
func (g *generation) commit(plan *outfile.Plan, results tuneResults, failed bool) error {
	if err := plan.Commit(); err != nil {
		return err
	}
	results.Files = plan.Written()
	g.SetResults(results)
	for _, f := range plan.Files {
		fmt.Fprintf(g.Stdout, "%s written\n", filepath.ToSlash(f.Path))
	}
	if failed {
		return cli.ErrReported
	}
	return nil
}

// take writes records of reports that the tests of packages have written elsewhere.
func (g *generation) take(list []*tunedPackage, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("cannot read the reports: %w", err)
	}
	reports, faults := tuning.ParseReports(file, string(text))
	g.warn(faults)
	var plan outfile.Plan
	results := tuneResults{Measured: []tunedForm{}}
	failed, found := len(faults) > 0, false
	for _, p := range list {
		of := slices.DeleteFunc(slices.Clone(reports), func(r tuning.Report) bool { return r.Package != p.Path })
		found = found || len(of) > 0
		failed = g.summary(p, of, &results) || failed
		if err := g.planRecords(&plan, p, of); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s has no reports about %s", file, strings.Join(g.patterns, " "))
	}
	return g.commit(&plan, results, failed)
}

// checkFresh says what is stale of the files that the measurement depends on. The archive may be of
// another version of gpuc, and gpuc_gen.go may lack the records or have them.
func (g *generation) checkFresh(p *tunedPackage) error {
	made, err := g.generate(p.Package, p.options)
	if err != nil {
		return err
	}
	stale := false
	for _, f := range made.files {
		state := f.state(p.Folder)
		if f.name == abi.ArchiveFile && state == sameCode {
			continue
		}
		if f.name == gokernel.GeneratedFile && state != "" {
			records := g.records(p.Package, p.options)
			for _, records.File = range []string{"", tuning.File} {
				other := generatedFile{f.name, f.kind, launch.Source(p.Package, records, &g.list)}
				if other.state(p.Folder) == "" {
					state = ""
				}
			}
		}
		if state != "" {
			stale = true
			g.complain(p.Package, f.name, state)
		}
	}
	if stale {
		return cli.ErrReported
	}
	return nil
}

// measure builds the tests of a package and runs those that tune: to count the problems, and to
// measure them. Begin is called when they are built, and returns the time for measuring.
func (g *generation) measure(p *tunedPackage, program string, task tuning.Task, begin func() time.Duration) ([]tuning.Report, error) {
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Dir = p.Folder
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot build the tests of %s: %w\n%s", g.displayName(p.Folder), err, bytes.TrimSpace(text))
	}
	if _, err := os.Stat(program); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // there are none
	}
	end := time.Now().Add(begin())
	task.File = program + ".counted"
	counted, err := g.runTests(p, program, task)
	if err != nil || len(counted) == 0 {
		return nil, err
	}
	task.File, task.Problems, task.Budget = program+".measured", len(counted), max(time.Until(end), 1)
	return g.runTests(p, program, task)
}

// runTests runs the tests that tune, and returns what they report. If they fail, it shows their
// output and returns cli.ErrReported.
func (g *generation) runTests(p *tunedPackage, program string, task tuning.Task) ([]tuning.Report, error) {
	text, err := json.Marshal(task)
	if err != nil {
		return nil, err
	}
	var output bytes.Buffer
	c := exec.Command(program, "-test.run="+tuneTests, "-test.count=1", "-test.timeout=0")
	c.Dir, c.Stdout = p.Folder, &output
	c.Env = append(os.Environ(), tuning.Variable+"="+string(text))
	if c.Stderr = &output; task.Progress {
		c.Stderr = g.Stderr
	}
	failure := c.Run()
	if failure != nil {
		fmt.Fprintf(g.Stderr, "the tests of %s that tune fail: %v\n%s", g.displayName(p.Folder), failure, output.String())
	}
	reported, err := os.ReadFile(task.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	reports, faults := tuning.ParseReports(task.File, string(reported))
	for _, f := range faults {
		failure = errors.Join(failure, errors.New(f.String()))
		fmt.Fprintf(g.Stderr, "%v\n", f)
	}
	if failure != nil {
		return reports, cli.ErrReported
	}
	return reports, nil
}

// summary prints what was measured for a package and adds it to the results. It reports whether
// something was refused.
func (g *generation) summary(p *tunedPackage, reports []tuning.Report, results *tuneResults) (refused bool) {
	last := tuning.Device{}
	for _, r := range reports {
		n := slices.IndexFunc(p.kernels, func(k tunedKernel) bool { return k.Name == r.Kernel })
		why := r.Refused
		switch {
		case why != "":
		case n < 0:
			why = "it is none of the package's kernels"
		case r.Record == nil:
			why = "it was counted, and not measured"
		case r.Record.Code != p.kernels[n].code:
			why = "the code that ran is other code than the source's"
		}
		if why != "" {
			refused = true
			results.Measured = append(results.Measured, tunedForm{Package: p.Path, Kernel: r.Kernel, Problem: r.Problem.String(), Refused: why})
			fmt.Fprintf(g.Stderr, "%s is not measured for %v: %s\n", r.Kernel, r.Problem, why)
			continue
		}
		k := &p.kernels[n]
		results.Measured = append(results.Measured, tunedForm{Package: p.Path, Kernel: r.Kernel, Problem: r.Problem.String(), Device: r.Record.Name, Driver: r.Record.Driver,
			Best: k.named(r.Record.Best), Nanoseconds: k.timeOf(r.Record, r.Record.Best)[1].Nanoseconds()})
		if r.Record.Device != last {
			last = r.Record.Device
			fmt.Fprintf(g.Stdout, "%s  %s (%s)\n", g.displayName(p.Folder), last.Name, last.Driver)
		}
		fmt.Fprintf(g.Stdout, "%s, %v: %s\n", r.Kernel, r.Problem, k.verdict(r.Record))
	}
	return refused
}

// untested names the kernels of a package that no test has tuned, and reports whether there are
// some.
func (g *generation) untested(p *tunedPackage, reports []tuning.Report) (some bool) {
	for n := range p.kernels {
		k := &p.kernels[n]
		if slices.ContainsFunc(reports, func(r tuning.Report) bool { return r.Kernel == k.Name }) {
			continue
		}
		some = true
		fmt.Fprintf(g.Stderr, "%s is not measured: no test of %s with a name like TestTune calls %s; gpuc tune -h shows one\n",
			k.Name, g.displayName(p.Folder), gokernel.NamesOf(k.Function).Tune)
	}
	return some
}

// timeOf returns the times of a variant, or zeros.
func (k *tunedKernel) timeOf(r *tuning.Record, values []int) tuning.Times {
	if n := slices.IndexFunc(r.Measured, func(m tuning.Measured) bool { return slices.Equal(m.Values, values) }); n >= 0 {
		return r.Measured[n].Times
	}
	return tuning.Times{}
}

// verdict says which variant is the fastest, and what was not measured.
func (k *tunedKernel) verdict(r *tuning.Record) string {
	text := fmt.Sprintf("%s takes %s", k.named(r.Best), textfmt.Duration(k.timeOf(r, r.Best)[1]))
	own := k.timeOf(r, k.own())[1]
	switch {
	case slices.Equal(r.Best, k.own()):
		text += ", as the package has it"
	case own > 0:
		text += fmt.Sprintf(", and %s, the package's own, %s", k.named(k.own()), textfmt.Duration(own))
	}
	var missing []string
	for _, m := range r.Measured {
		if !m.Known() && m.Failure == "" {
			missing = append(missing, k.named(m.Values))
		}
	}
	if len(missing) > 0 {
		text += "; not measured, as the budget ended: " + strings.Join(missing, ", ")
	}
	return text
}

// planRecords plans the files of a package: the records, and the launchers if they did not embed
// such a file before. Records of kernels that are gone or have other code go.
func (g *generation) planRecords(plan *outfile.Plan, p *tunedPackage, reports []tuning.Report) error {
	foreign := func(r tuning.Record) bool {
		return r.Package != p.Path || !slices.ContainsFunc(p.kernels, func(k tunedKernel) bool { return k.Name == r.Kernel && k.code == r.Code })
	}
	var added []tuning.Record
	for _, r := range reports {
		if r.Record != nil && !foreign(*r.Record) {
			added = append(added, *r.Record)
		}
	}
	if len(added) == 0 {
		return nil
	}
	records := slices.DeleteFunc(tuning.Merge(p.records, added), foreign)
	embedding := launch.Records{Codes: g.records(p.Package, p.options).Codes, File: tuning.File}
	for _, f := range []struct {
		generatedFile
		use string
	}{
		{generatedFile{tuning.File, recordsFile, tuning.Text(records)}, "records of tuning"},
		{generatedFile{gokernel.GeneratedFile, launchersFile, launch.Source(p.Package, embedding, &g.list)}, "generated code"},
	} {
		if f.state(p.Folder) == "" {
			continue
		}
		to, err := plan.Add(filepath.FromSlash(g.displayName(filepath.Join(p.Folder, f.name))), f.use, f.kind)
		if err != nil {
			return err
		}
		to.Contents = f.contents
	}
	return nil
}
