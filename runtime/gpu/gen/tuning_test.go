package gen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/kernelcache"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// tunedKernel is a kernel with variants 16, 8 and 32 and a digest of its code.
func tunedKernel(t testing.TB, code string) *Variants {
	t.Helper()
	v := &Variants{Package: "example.com/p", Kernel: "k16", Code: code, Constants: []string{"Tile"}}
	file := archive(t, code, "k16", "k8", "k32")
	for _, tile := range []int{16, 8, 32} {
		v.List = append(v.List, Variant{[]int{tile}, &gpu.Embedded{Name: fmt.Sprint("k", tile), Archive: file}})
	}
	return v
}

// fakeClock is a clock of its own, which only launches move.
func fakeClock(took map[int]time.Duration, step time.Duration) deviceClock {
	now, at := time.Unix(1_000_000, 0), time.Duration(0)
	pass := func(d time.Duration) time.Duration {
		from := at / step * step
		at, now = at+d, now.Add(d)
		return at/step*step - from
	}
	return deviceClock{
		launches: func(v *Variant, launches int) (time.Duration, error) {
			return pass(took[v.Values[0]] * time.Duration(launches)), nil
		},
		nothing: func() (time.Duration, error) { return pass(1050), nil },
		now:     func() time.Time { return now },
	}
}

// TestMeasure: the variants are measured within the time, and what a device refuses is left out.
// Times are given.
func TestMeasure(t *testing.T) {
	v := tunedKernel(t, "")
	took := map[int]time.Duration{16: 30_000, 8: 20_000, 32: 50_000}
	measured, best, err := v.measure(t.Context(), time.Second, fakeClock(took, 100))
	if err != nil || !slices.Equal(best, []int{8}) || len(measured) != 3 {
		t.Fatal(measured, best, err)
	}
	for n, tile := range []int{16, 8, 32} {
		m, took := measured[n], took[tile]
		if m.Values[0] != tile || m.Samples != 9 || m.Times[0] < took-took/100 || m.Times[2] > took+took/100 || m.Failure != "" {
			t.Errorf("Tile=%d: %+v, want %v", tile, m, took)
		}
	}
	measured, best, err = v.measure(t.Context(), 0, fakeClock(took, 100))
	if err != nil || best[0] != 16 || measured[0].Samples != 1 || measured[1].Known() || measured[2].Known() {
		t.Errorf("without time: %v, %v, %v", measured, best, err)
	}

	refused := func(kind error, tiles ...int) deviceClock {
		c := fakeClock(took, 100)
		launches := c.launches
		c.launches = func(variant *Variant, n int) (time.Duration, error) {
			if slices.Contains(tiles, variant.Values[0]) {
				return 0, fmt.Errorf("no: %w", kind)
			}
			return launches(variant, n)
		}
		return c
	}
	measured, best, err = v.measure(t.Context(), time.Second, refused(gpu.ErrLimit, 8))
	if err != nil || measured[1].Failure != "no: "+gpu.ErrLimit.Error() || measured[1].Known() || best[0] != 16 {
		t.Errorf("one is refused: %v, %v", measured, err)
	}
	if _, _, err = v.measure(t.Context(), time.Second, refused(gpu.ErrShape, 8, 16, 32)); !errors.Is(err, gpu.ErrShape) {
		t.Errorf("all are refused: %v", err)
	}
	if _, _, err = v.measure(t.Context(), time.Second, refused(gpu.ErrDeviceLost, 32)); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("the device is lost: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err = v.measure(ended, time.Second, refused(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("the context has ended: %v", err)
	}
}

// TestCoarse: a device whose clock cannot tell the variants apart is refused.
func TestCoarse(t *testing.T) {
	v := tunedKernel(t, "")
	took := map[int]time.Duration{16: 1000, 8: 2000, 32: 3000}
	if _, _, err := v.measure(t.Context(), time.Second, fakeClock(took, time.Microsecond)); err != nil {
		t.Errorf("steps of a microsecond: %v", err)
	}
	if _, _, err := v.measure(t.Context(), time.Second, fakeClock(took, 10*time.Microsecond)); !errors.Is(err, tuning.ErrCoarse) || !strings.Contains(err.Error(), "measure a larger problem") {
		t.Errorf("steps of ten: %v", err)
	}
	c := fakeClock(took, time.Microsecond)
	c.nothing = func() (time.Duration, error) { return 0, nil }
	if _, _, err := v.measure(t.Context(), time.Second, c); !errors.Is(err, tuning.ErrCoarse) {
		t.Errorf("a clock that does not move: %v", err)
	}
	c.nothing = func() (time.Duration, error) { return 0, gpu.ErrUnsupported }
	if _, _, err := v.measure(t.Context(), time.Second, c); !errors.Is(err, gpu.ErrUnsupported) {
		t.Errorf("a device without timestamps: %v", err)
	}
}

// recordOf is a record of tunedKernel in which one variant is the fastest.
func recordOf(code string, d tuning.Device, items, best int) tuning.Record {
	r := tuning.Record{Format: tuning.Format, Package: "example.com/p", Kernel: "k16", Code: code, Device: d, Constants: []string{"Tile"}, Best: []int{best},
		Problem: tuning.Problem{Grid: [3]uint32{uint32(items), 1, 1}, Items: true, Lengths: []int{64, 64}}}
	for _, tile := range []int{16, 8, 32} {
		m := gpu.Measured{Values: []int{tile}, Times: tuning.Times{20, 30, 40}, Samples: 9}
		if tile == best {
			m.Times = tuning.Times{5, 6, 7}
		}
		r.Measured = append(r.Measured, m)
	}
	return r
}

// TestTunedOf: what this machine has kept comes before what the package embeds, the device before
// the profile, and only records of the code apply.
func TestTunedOf(t *testing.T) {
	t.Setenv(kernelcache.Variable, t.TempDir())
	d, s := openCPU(t)
	x, y := must(gpu.Alloc[float32](d, 64)), must(gpu.Alloc[float32](d, 64))
	device := gpu.TuningDeviceOf(d.Info())
	other, older := device, device
	other.Name, older.Driver = "another processor", "an older driver"
	text := func(records ...tuning.Record) string { return string(tuning.Text(records)) }
	kept := tuning.KeptFor("example.com/p")
	write := func(text string) {
		t.Helper()
		if note := kept.Write([]byte(text)); note != "" {
			t.Fatal(note)
		}
	}
	get := func(name string, records string, tile int, source, reason, note string) {
		t.Helper()
		v := tunedKernel(t, "one")
		v.Records = records
		for range 2 { // the second time the records are parsed already
			got, err := v.TunedOf(s, func([]int) gpu.Grid { return gpu.Items1(64) }, x, y)
			if err != nil || got.Values[0] != tile || got.Known() != (source != "") || got.Source != source || got.Reason != reason || got.Note != note {
				t.Errorf("%s: got %+v, %v, want Tile=%d", name, got, err, tile)
			}
		}
	}
	const embedded = "the package's gpuc_tuning.jsonl:1"
	get("nothing", "", 16, "", "", "")
	get("embedded", text(recordOf("one", device, 64, 8)), 8, embedded, "this device and driver", "")
	get("another driver", text(recordOf("one", older, 64, 8)), 8, embedded, "this device with another driver", "")
	get("the profile", text(recordOf("one", other, 64, 8)), 8, embedded, "another device of this profile", "")
	get("another problem", text(recordOf("one", device, 128, 8)), 8, embedded, "this device and driver for another problem, 128 x 1 x 1 items, 2 buffers of 64 elements", "")
	get("a problem far away", text(recordOf("one", device, 300, 8)), 16, "", "", "")
	get("other code", text(recordOf("two", device, 64, 8)), 16, "", "", "")
	get("no such variant", strings.Replace(text(recordOf("one", device, 64, 8)), `[8]`, `[9]`, 2), 16, "", "", "")
	get("a damaged line", text(recordOf("one", device, 64, 8))+"{}\n", 8, embedded, "this device and driver", "the package's gpuc_tuning.jsonl:2 is ignored: it is of format 0, and this gpuc reads format 1")

	write(text(recordOf("one", device, 64, 32)))
	get("kept", text(recordOf("one", device, 64, 8)), 32, kept.Path+":1", "this device and driver", "")
	write(text(recordOf("one", other, 64, 32)))
	get("kept of another device", text(recordOf("one", device, 64, 8)), 8, embedded, "this device and driver", "")
	write("half a line")
	get("a damaged file", text(recordOf("one", device, 64, 8)), 8, embedded, "this device and driver", kept.Path+":1 is ignored: it is damaged: invalid character 'h' looking for beginning of value")
	t.Setenv(kernelcache.Variable, kernelcache.Off)
	get("nothing is kept", text(recordOf("one", device, 64, 8)), 8, embedded, "this device and driver", "nothing is kept, since the environment variable GPUC_CACHE is off")
}

// TestKept: what Tune finds is read back for the same device, problem and code, replaces what was
// there about it, and errors of the disk are notes.
func TestKept(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(kernelcache.Variable, folder)
	d, s := openCPU(t)
	x, y := must(gpu.Alloc[float32](d, 64)), must(gpu.Alloc[float32](d, 64))
	grid := func([]int) gpu.Grid { return gpu.Items1(64) }
	v := tunedKernel(t, "one")
	first, err := v.Tune(t.Context(), s, grid, []uint32{1, 2}, x, y)
	if err != nil || first.Note != "" || len(first.Measured) != 3 || first.Source != "" {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := v.TunedOf(s, grid, x, y)
	if err != nil || !slices.Equal(again.Values, first.Values) || again.Source != tuning.KeptFor(v.Package).Path+":1" || !strings.Contains(again.String(), "; measured on this device and driver, in "+folder) {
		t.Errorf("%v, %v, want %v", again, err, first)
	}
	if _, err := v.Tune(t.Context(), s, grid, []uint32{1, 2}, x, y); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Tune(t.Context(), s, func([]int) gpu.Grid { return gpu.Items1(32) }, []uint32{1, 2}, x, y); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "tuning", "*"))
	if len(files) != 1 || strings.Count(string(must(os.ReadFile(files[0]))), "\n") != 2 {
		t.Errorf("files %v:\n%s", files, must(os.ReadFile(files[0])))
	}
	if other, err := tunedKernel(t, "two").TunedOf(s, grid, x, y); err != nil || other.Known() || !strings.Contains(other.String(), "k16 runs with Tile=16 on ") || !strings.Contains(other.String(), "the package's own values") {
		t.Errorf("other code: %v, %v", other, err)
	}
	ending, end := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
	defer end()
	if long, err := v.Tune(ending, s, grid, []uint32{1, 2}, x, y); err != nil || len(long.Measured) != 3 || !long.Measured[2].Known() {
		t.Errorf("with a deadline: %v, %v", long, err)
	}
	check(t, os.WriteFile(files[0], []byte("{}\n"), 0o600))
	if anew, err := v.Tune(t.Context(), s, grid, []uint32{1, 2}, x, y); err != nil || !strings.Contains(anew.Note, ":1 is ignored") {
		t.Errorf("a damaged file: %v, %v", anew, err)
	}
	t.Setenv(kernelcache.Variable, filepath.Join(files[0], "x"))
	if unkept, err := v.Tune(t.Context(), s, grid, []uint32{1, 2}, x, y); err != nil || !strings.Contains(unkept.Note, "it is not kept") && !strings.Contains(unkept.Note, "cannot be read") {
		t.Errorf("a folder that cannot be made: %v, %v", unkept, err)
	}
}

// TestSession: for gpuc tune problems are counted first, and then measured into its file and not
// into the user's.
func TestSession(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(kernelcache.Variable, folder)
	d, s := openCPU(t)
	x, y := must(gpu.Alloc[float32](d, 64)), must(gpu.Alloc[float32](d, 64))
	grid := func([]int) gpu.Grid { return gpu.Items1(64) }
	v := tunedKernel(t, "one")
	run := func(task tuning.Task) (gpu.Tuning, []tuning.Report) {
		t.Helper()
		task.File = filepath.Join(t.TempDir(), "reports")
		got, err := v.Tune(tuning.NewSession(task).With(t.Context()), s, grid, []uint32{1, 2}, x, y)
		check(t, err)
		reports, faults := tuning.ParseReports(task.File, string(must(os.ReadFile(task.File))))
		if len(faults) > 0 || len(reports) != 1 || reports[0].Kernel != "k16" || reports[0].Problem.Grid[0] != 64 {
			t.Fatal(reports, faults)
		}
		return got, reports
	}
	if got, reports := run(tuning.Task{}); got.Known() || got.Values[0] != 16 || reports[0].Record != nil {
		t.Errorf("counting: %v, %+v", got, reports)
	}
	counts := make([]float32, 64)
	check(t, y.Read(t.Context(), s, counts))
	if counts[0] != 0 {
		t.Error("counting launches")
	}
	got, reports := run(tuning.Task{Problems: 1, Budget: time.Minute})
	if r := reports[0].Record; !got.Known() || r == nil || !slices.Equal(r.Best, got.Values) || r.Package != v.Package || r.Code != "one" || r.Name != d.Info().Name {
		t.Errorf("measuring: %v, %+v", got, reports)
	}
	_, reports = run(tuning.Task{Problems: 1, Budget: 1})
	if r := reports[0]; r.Record != nil || r.Refused != "its 0s end before a second variant was measured" {
		t.Errorf("with hardly a budget: %+v", r)
	}
	if files, _ := os.ReadDir(folder); len(files) != 0 {
		t.Errorf("the user's folder has %v", files)
	}
}

// TestTuneLaunches: Tune launches every variant on the stream, with the grid that it is asked for.
func TestTuneLaunches(t *testing.T) {
	t.Setenv(kernelcache.Variable, t.TempDir())
	d, s := openCPU(t)
	x, y := must(gpu.Alloc[float32](d, 64)), must(gpu.Alloc[float32](d, 64))
	v := tunedKernel(t, "one")
	tuned, err := v.Tune(t.Context(), s, func(values []int) gpu.Grid { return gpu.D1(uint32(values[0])) }, []uint32{1, 2}, x, y)
	if err != nil || len(tuned.Measured) != 3 || v.find(tuned.Values) == nil {
		t.Fatal(tuned, err)
	}
	// workgroup w has counted the launches of variants with more than w of them
	counts := make([]float32, 64)
	check(t, y.Read(t.Context(), s, counts))
	if least := float32(2 + 9); counts[32] != 0 || counts[31] < least || counts[15] < counts[31]+least || counts[7] < counts[15]+least {
		t.Errorf("launches by workgroup: %v", counts)
	}
	for name, test := range map[string]struct {
		buffers []gpu.Bound
		kind    error
	}{"a buffer is missing": {[]gpu.Bound{x}, gpu.ErrShape}, "a buffer is nil": {[]gpu.Bound{x, nil}, gpu.ErrShape}} {
		if _, err := v.Tune(t.Context(), s, func([]int) gpu.Grid { return gpu.D1(1) }, []uint32{1, 2}, test.buffers...); !errors.Is(err, test.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	tuned.Values[0], tuned.Measured[1].Values[0], tuned.Constants[0] = 1, 1, "Other" // copies
	if v.List[0].Values[0] != 16 || v.List[1].Values[0] != 8 || v.Constants[0] != "Tile" {
		t.Errorf("the caller of Tune has changed the variants to %v and %v of %v", v.List[0].Values, v.List[1].Values, v.Constants)
	}
	v.SizesDiffer = true
	workgroups := func(values []int) gpu.Grid { // of one variant
		if values[0] == 8 {
			return gpu.D1(1)
		}
		return gpu.Items1(128)
	}
	if _, err := v.Tune(t.Context(), s, workgroups, []uint32{1, 2}, x, y); !errors.Is(err, gpu.ErrShape) {
		t.Errorf("a number of workgroups, whose sizes differ: %v", err)
	}
	if _, err := v.TunedOf(s, workgroups, x, y); !errors.Is(err, gpu.ErrShape) {
		t.Errorf("a number of workgroups, whose sizes differ, of what is known: %v", err)
	}
	if _, err := v.TunedOf(nil, func([]int) gpu.Grid { return gpu.D1(1) }); !errors.Is(err, gpu.ErrClosed) {
		t.Error(err)
	}
	if _, err := v.Tune(t.Context(), s, nil, nil); !errors.Is(err, gpu.ErrShape) {
		t.Error(err)
	}
	var none context.Context
	if _, err := tunedKernel(t, "one").Tune(none, s, func([]int) gpu.Grid { return gpu.D1(1) }, nil); !errors.Is(err, gpu.ErrShape) {
		t.Error(err)
	}
}
