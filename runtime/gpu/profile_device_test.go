package gpu_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// profiledSteps gives a device work of all kinds: launches of a kernel that adds 1, a recording of
// four, and copies.
func profiledSteps(t testing.TB, d *gpu.Device, steps int) {
	failed := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const words = 1 << 14
	ctx := context.Background()
	program, err := jit.Parse("add.wgsl", addSource, codegen.Options{})
	failed(err)
	k, err := program.Load(d, "main")
	failed(err)
	s, err := d.NewStream()
	failed(err)
	x, err := gpu.Upload(ctx, d, make([]uint32, words))
	failed(err)
	y, err := gpu.Alloc[uint32](d, words)
	failed(err)
	pinned, err := gpu.AllocHost[uint32](d, words)
	failed(err)
	args := k.Args()
	failed(args.Set(0, x))
	launch := func() error { return s.Launch(args, k.Cover(words, 1, 1)) }
	r, err := s.Capture(func() error {
		for range 4 {
			failed(launch())
		}
		return nil
	})
	failed(err)
	got := make([]uint32, words)
	for range steps {
		step := gpu.StartRange(ctx, "step")
		failed(launch())
		failed(r.Replay(s))
		failed(gpu.Copy(s, y, x))
		read, err := y.ReadAsync(s, pinned.Data())
		failed(err)
		failed(read.Wait(ctx))
		failed(y.Read(ctx, s, got))
		step.End()
	}
	if want := uint32(5 * steps); slices.ContainsFunc(got, func(v uint32) bool { return v != want }) {
		t.Errorf("the results are not all %d", want)
	}
}

// TestProfileDevices profiles work on all devices, and compares the counts, and the times with the
// host's clock.
func TestProfileDevices(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Log(err)
	}
	for _, info := range infos {
		if info.Driver == gpu.CPU && info.Index > 0 {
			continue // interpreters, which are no other for a profile
		}
		t.Run(info.ID(), func(t *testing.T) {
			d, err := gpu.Open(gpu.Named(info.ID()))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			p, err := gpu.StartProfile(gpu.ProfileOptions{MaxOverhead: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			const steps, size = 10, 4 << 14
			began := time.Now()
			profiledSteps(t, d, steps)
			took := time.Since(began)
			r := p.Report()
			t.Log(r)
			// other tests may have left devices open
			n := slices.IndexFunc(r.Devices, func(of gpu.DeviceReport) bool { return len(of.Kernels) > 0 })
			if n < 0 {
				t.Fatal("no kernels")
			}
			of := r.Devices[n]
			for _, c := range []struct {
				list            []gpu.WorkReport
				name            string
				count, replayed uint64
				bytes           uint64
			}{
				{of.Kernels, "main", steps, 4 * steps, 2 * size * steps},
				{of.Replays, "replay of 4 × main", steps, 0, 8 * size * steps},
				{of.Transfers, "upload", 1, 0, size},
				{of.Transfers, "copy on the device", steps, 0, size * steps},
				{of.Transfers, "read, asynchronous", steps, 0, size * steps},
				{of.Transfers, "read", steps, 0, size * steps},
				{of.Waits, "Event.Wait", steps, 0, 0},
				{of.Waits, "Buffer.Read", steps, 0, 0},
				{r.Ranges, "step", steps, 0, 0},
			} {
				n := slices.IndexFunc(c.list, func(w gpu.WorkReport) bool { return w.Name == c.name })
				if n < 0 {
					t.Errorf("there is no %q among %+v", c.name, c.list)
					continue
				}
				w := c.list[n]
				if w.Count != c.count || w.Replayed != c.replayed || w.Bytes != c.bytes {
					t.Errorf("%+v, want a count of %d, %d replayed, %d bytes", w, c.count, c.replayed, c.bytes)
				}
				if len(of.Limitations) == 0 && (w.Timed != c.count || w.Total <= 0 || w.Least > w.Most) {
					t.Errorf("%+v is not timed", w)
				}
			}
			if of.Busy > took {
				t.Errorf("the device's work took %v, but all %v", of.Busy, took)
			}
			if of.Memory.Allocs < 2 {
				t.Errorf("%d allocations", of.Memory.Allocs)
			}
			var b bytes.Buffer
			if err := p.WriteTrace(&b); err != nil || !json.Valid(b.Bytes()) || !strings.Contains(b.String(), `"stream 1"`) {
				t.Errorf("error %v, or no trace: %.300s", err, b.String())
			}
		})
	}
}

// TestProfileRegions has runtime/trace see launches, copies and ranges.
func TestProfileRegions(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("skipped: the test's process is traced already, with -trace")
	}
	d, err := gpu.Open(gpu.Named(gpu.CPU))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := gpu.StartProfile(gpu.ProfileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		t.Fatal(err)
	}
	profiledSteps(t, d, 2)
	trace.Stop()
	for _, name := range []string{"main", "step", "copy on the device", "Buffer.Read", "replay of 4 × main"} {
		if !strings.Contains(b.String(), name) {
			t.Errorf("the trace has no %q", name)
		}
	}
}

// TestProfileEnvironment runs this test in a process whose environment asks for profiles.
func TestProfileEnvironment(t *testing.T) {
	const inner = "GPUC_TEST_PROFILED"
	if os.Getenv(inner) != "" {
		for range 2 {
			d, err := gpu.Open(gpu.Named(gpu.CPU))
			if err != nil {
				t.Fatal(err)
			}
			profiledSteps(t, d, 3)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Skip("skipped: the test finds no path to its own program: ", err)
	}
	folder := t.TempDir()
	run := func(value string) string {
		c := exec.Command(program, "-test.run=^TestProfileEnvironment$")
		c.Env = append(os.Environ(), inner+"=1", "GPUC_PROFILE="+value)
		out, err := c.CombinedOutput()
		if strings.Contains(string(out), "FAIL") != (err != nil) {
			t.Fatal(err)
		}
		return string(out)
	}
	table, text := filepath.Join(folder, "t.txt"), filepath.Join(folder, "t.json")
	if out := run("table," + text + "," + table); !strings.Contains(out, "copy on the device") || strings.Count(out, "profile of ") != 2 {
		t.Errorf("the output has no two tables: %s", out)
	}
	if data, err := os.ReadFile(table); err != nil || !strings.Contains(string(data), "main") || strings.Count(string(data), "\ncpu:0") != 2 {
		t.Errorf("error %v, or the table has no two devices: %s", err, data)
	}
	if data, err := os.ReadFile(text); err != nil || !json.Valid(data) {
		t.Errorf("error %v, or the trace is not JSON: %s", err, data)
	}
	if out := run("tables"); !strings.Contains(out, `GPUC_PROFILE=tables: "tables" is neither table nor`) {
		t.Errorf("a value that makes no sense: %s", out)
	}
	if out := run(filepath.Join(folder, "none", "t.json")); !strings.Contains(out, "GPUC_PROFILE: open ") {
		t.Errorf("a folder that is not there: %s", out)
	}
}
