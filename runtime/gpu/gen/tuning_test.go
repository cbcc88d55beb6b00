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
)

// tunedKernel is a kernel with variants 16, 8 and 32, whose archive has a digest.
func tunedKernel(t testing.TB, digest string) *Variants {
	t.Helper()
	v := &Variants{Kernel: "k", Constants: []string{"Tile"}}
	file := archive(t, digest, "k16", "k8", "k32")
	for _, tile := range []int{16, 8, 32} {
		v.List = append(v.List, Variant{[]int{tile}, &gpu.Embedded{Name: fmt.Sprint("k", tile), Archive: file}})
	}
	return v
}

// TestMeasure: the samples of variants are interleaved, the median of the samples counts, and what
// a device refuses is left out. Times are given.
func TestMeasure(t *testing.T) {
	v := tunedKernel(t, "")
	times := map[int][]time.Duration{ // the first two of each are for warming up
		16: {9e6, 1e6, 30, 30, 30, 30, 30, 1, 1, 1, 1},
		8:  {9e6, 1e6, 20, 90, 20, 90, 20, 90, 20, 90, 20},
		32: {9e6, 1e6, 90, 90, 90, 10, 90, 90, 10, 10, 10},
	}
	var order []int
	sample := func(variant *Variant, launches int) (time.Duration, error) {
		tile := variant.Values[0]
		order = append(order, tile)
		took := times[tile][0]
		times[tile] = times[tile][1:]
		if len(times[tile]) < samples {
			took *= time.Duration(launches)
		} else if launches != 1 {
			t.Errorf("warming up with %d launches", launches)
		}
		return took, nil
	}
	measured, err := v.measure(t.Context(), sample)
	if err != nil {
		t.Fatal(err)
	}
	want := []gpu.Measured{{Values: []int{16}, Time: 30, Least: 1, Most: 30}, {Values: []int{8}, Time: 20, Least: 20, Most: 90}, {Values: []int{32}, Time: 90, Least: 10, Most: 90}}
	if !slices.EqualFunc(measured, want, func(a, b gpu.Measured) bool {
		return a.Values[0] == b.Values[0] && a.Time == b.Time && a.Least == b.Least && a.Most == b.Most && a.Failure == ""
	}) {
		t.Errorf("got %v, want %v", measured, want)
	}
	if got := fastest(measured); got[0] != 8 {
		t.Errorf("the fastest is %v", got)
	}
	if rest := order[6:]; len(rest) != 3*samples || !slices.Equal(rest[:6], []int{16, 8, 32, 16, 8, 32}) {
		t.Errorf("the order is %v", order)
	}

	refused := func(kind error, tiles ...int) sampler {
		return func(variant *Variant, launches int) (time.Duration, error) {
			if slices.Contains(tiles, variant.Values[0]) {
				return 0, fmt.Errorf("no: %w", kind)
			}
			return time.Duration(launches) * 50, nil
		}
	}
	measured, err = v.measure(t.Context(), refused(gpu.ErrLimit, 16))
	if err != nil || measured[0].Failure != "no: "+gpu.ErrLimit.Error() || fastest(measured)[0] != 8 {
		t.Errorf("one is refused: %v, %v", measured, err)
	}
	if _, err = v.measure(t.Context(), refused(gpu.ErrShape, 8, 16, 32)); !errors.Is(err, gpu.ErrShape) {
		t.Errorf("all are refused: %v", err)
	}
	if _, err = v.measure(t.Context(), refused(gpu.ErrDeviceLost, 32)); !errors.Is(err, gpu.ErrDeviceLost) {
		t.Errorf("the device is lost: %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err = v.measure(ended, refused(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("the context has ended: %v", err)
	}
}

// TestLaunchesOfASample: short kernels are launched more often in one, long ones once.
func TestLaunchesOfASample(t *testing.T) {
	v := tunedKernel(t, "")
	each := map[int]time.Duration{16: time.Second, 8: sampleTime / 4, 32: 0}
	launches := map[int]int{}
	_, err := v.measure(t.Context(), func(variant *Variant, n int) (time.Duration, error) {
		launches[variant.Values[0]] = n
		return each[variant.Values[0]] * time.Duration(n), nil
	})
	if err != nil || launches[16] != 1 || launches[8] != 5 || launches[32] != maxLaunches {
		t.Errorf("%v, %v", launches, err)
	}
}

// remembering puts the cache into a folder of the test.
func remembering(t *testing.T, folder string, err error) {
	was := cacheFolder
	cacheFolder = func() (string, error) { return folder, err }
	t.Cleanup(func() { cacheFolder = was })
}

// TestRemembered: what was found is read back for the same device, configuration and code, and for
// no other; a file that is damaged is not believed, and written anew.
func TestRemembered(t *testing.T) {
	folder := t.TempDir()
	remembering(t, folder, nil)
	d, s := openCPU(t)
	x, y := must(gpu.Alloc[float32](d, 64)), must(gpu.Alloc[float32](d, 64))
	grid := func([]int) gpu.Grid { return gpu.Items1(64) }
	v := tunedKernel(t, "one")
	put := func(v *Variants, at int, times ...time.Duration) gpu.Tuning {
		t.Helper()
		tuning, m, err := v.about(s, grid, []gpu.Bound{x, y})
		check(t, err)
		for n, took := range times {
			measured := gpu.Measured{Values: v.List[n].Values, Time: took}
			if took == 0 {
				measured.Failure = "too large"
			}
			tuning.Measured = append(tuning.Measured, measured)
		}
		tuning.At = time.Unix(int64(at), 0).UTC()
		m.remember(&tuning)
		return tuning
	}
	get := func(v *Variants, grid func([]int) gpu.Grid, tile int, known bool, note string) {
		t.Helper()
		tuning, err := v.TunedOf(s, grid, x, y)
		if err != nil || tuning.Values[0] != tile || tuning.Known() != known || tuning.Remembered != known || !strings.Contains(tuning.Note, note) || note == "" && tuning.Note != "" {
			t.Errorf("got %v, %v, want Tile=%d, known %v, and a note %q", tuning, err, tile, known, note)
		}
	}
	get(v, grid, 16, false, "")
	if tuning := put(v, 100, 30, 20, 0); tuning.Note != "" {
		t.Error(tuning.Note)
	}
	get(v, grid, 8, true, "")
	get(v, func([]int) gpu.Grid { return gpu.Items1(128) }, 16, false, "")
	put(v, 200, 30, 20, 10)
	get(v, grid, 32, true, "")

	files, _ := filepath.Glob(filepath.Join(folder, "gpuc", "tuning", "*"))
	if len(files) != 1 || !strings.HasPrefix(filepath.Base(files[0]), "k16-") {
		t.Fatalf("files %v", files)
	}
	contents := must(os.ReadFile(files[0]))
	if n := strings.Count(string(contents), `"device"`); n != 1 {
		t.Errorf("%d entries for one device and configuration", n)
	}
	other := tunedKernel(t, "two")
	get(other, grid, 16, false, "another version of the kernel")
	for name, damage := range map[string]string{
		"half":       string(contents[:len(contents)/2]),
		"nothing":    "",
		"a variant":  strings.ReplaceAll(string(contents), "32\n", "33\n"),
		"no variant": strings.ReplaceAll(strings.ReplaceAll(string(contents), `"least"`, `"failure":"x","least"`), "\n", ""),
	} {
		check(t, os.WriteFile(files[0], []byte(damage), 0o644))
		tuning, err := v.TunedOf(s, grid, x, y)
		if err != nil || tuning.Known() || tuning.Values[0] != 16 || !strings.Contains(tuning.Note, "damaged") || !strings.Contains(tuning.String(), "the package's own values") {
			t.Errorf("%s: %v, %v", name, tuning, err)
		}
		put(v, 300, 5, 20, 30)
		get(v, grid, 16, true, "")
	}
	if tuning := put(other, 400, 50, 20, 30); !strings.Contains(tuning.Note, "another version of the kernel") || !strings.Contains(tuning.Note, "written anew") {
		t.Error(tuning.Note)
	}
	get(other, grid, 8, true, "")

	// Without a folder for it, there is a note, and no error.
	remembering(t, "", errors.New("no home"))
	if tuning := put(v, 500, 1, 2, 3); tuning.File != "" || !strings.Contains(tuning.Note, "no home") {
		t.Error(tuning.Note)
	}
	get(v, grid, 16, false, "no home")
	blocked := filepath.Join(folder, "file")
	check(t, os.WriteFile(blocked, nil, 0o644))
	remembering(t, blocked, nil)
	if tuning := put(v, 600, 1, 2, 3); !strings.Contains(tuning.Note, "not remembered") {
		t.Error(tuning.Note)
	}
}

// TestTuneLaunches: Tune launches every variant on the stream, with the grid that it is asked for.
func TestTuneLaunches(t *testing.T) {
	remembering(t, t.TempDir(), nil)
	d, s := openCPU(t)
	x, y := must(gpu.Alloc[float32](d, 64)), must(gpu.Alloc[float32](d, 64))
	v := tunedKernel(t, "one")
	tuning, err := v.Tune(t.Context(), s, func(values []int) gpu.Grid { return gpu.D1(uint32(values[0])) }, []uint32{1, 2}, x, y)
	if err != nil || len(tuning.Measured) != 3 || v.find(tuning.Values) == nil {
		t.Fatal(tuning, err)
	}
	// workgroup w has counted the launches of variants with more than w of them
	counts := make([]float32, 64)
	check(t, y.Read(t.Context(), s, counts))
	if least := float32(2 + samples); counts[32] != 0 || counts[31] < least || counts[15] < counts[31]+least || counts[7] < counts[15]+least {
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
	tuning.Values[0], tuning.Measured[1].Values[0], tuning.Constants[0] = 1, 1, "Other" // copies
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
}
