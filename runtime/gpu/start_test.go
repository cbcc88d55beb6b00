package gpu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file starts programs with many kernels, with and without the cache of compiled kernels. A
// program is this binary, in another process.

// startVariable makes the binary such a program: it has a startRequest as JSON.
const startVariable = "GPUC_START_TEST"

type startRequest struct {
	Device, Folder, Archive string
}

// startAnswer is what a program prints.
type startAnswer struct {
	Milliseconds         float64 // from the open device to all kernels loaded
	Hits, Stored, Misses int
	Problem              string // of the cache
	Result               []byte // of all kernels
}

func TestMain(m *testing.M) {
	if text := os.Getenv(startVariable); text != "" {
		var r startRequest
		err := json.Unmarshal([]byte(text), &r)
		var a startAnswer
		if err == nil {
			a, err = start(&r)
		}
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(&a)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start loads all kernels of an archive and launches each.
func start(r *startRequest) (a startAnswer, err error) {
	file, err := os.ReadFile(r.Archive)
	if err != nil {
		return a, err
	}
	archive := string(file)
	ctx := context.Background()
	device, err := gpu.Open(gpu.Named(r.Device), gpu.KernelCache(r.Folder))
	if err != nil {
		return a, err
	}
	defer device.Close()
	begin := time.Now()
	if err := device.Preload(ctx, archive).Wait(); err != nil {
		return a, err
	}
	a.Milliseconds = float64(time.Since(begin).Microseconds()) / 1000
	stats := device.CacheStats()
	a.Hits, a.Stored, a.Misses = stats.Hits, stats.Stored, stats.Misses
	if stats.Err != nil {
		a.Problem = stats.Err.Error()
	}
	s, err := device.NewStream()
	if err != nil {
		return a, err
	}
	opened, err := abi.OpenArchive(archive)
	if err != nil {
		return a, err
	}
	index, err := opened.Index()
	if err != nil {
		return a, err
	}
	x := make([]float32, drivertest.ManyElements)
	for _, k := range index.Kernels {
		for n := range x {
			x[n] = float32(n%17) * 0.25
		}
		buffer, err := gpu.Upload(ctx, device, x)
		if err != nil {
			return a, err
		}
		e := gpu.Embedded{Archive: archive, Name: k.Name}
		if err := errors.Join(e.Launch(s, gpu.D1(1), nil, buffer), buffer.Read(ctx, s, x), buffer.Close()); err != nil {
			return a, err
		}
		for _, v := range x {
			a.Result = binary.LittleEndian.AppendUint32(a.Result, math.Float32bits(v))
		}
	}
	return a, nil
}

// manyArchive writes an archive with n kernels for PTX and SPIR-V, and returns its name.
func manyArchive(t testing.TB, n int) string {
	t.Helper()
	var archive abi.Archive
	var index abi.ArchiveIndex
	for target, extension := range map[abi.Target]string{abi.PTX: ".ptx", abi.SPIRV: ".spv"} {
		list, err := drivertest.Many(string(target), n)
		if err != nil {
			t.Fatal(err)
		}
		index.Targets = append(index.Targets, string(target))
		for i, a := range list {
			if i == len(index.Kernels) {
				index.Kernels = append(index.Kernels, abi.ArchiveKernel{Name: a.Kernel.Name})
			}
			if err := archive.Add(&index.Kernels[i], extension, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	file, err := archive.Marshal(&index)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), abi.ArchiveFile)
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// program is a process that start runs in. The drivers' own caches are off, but for CUDA's, which
// is in the folder.
func program(t testing.TB, r startRequest) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), startVariable+"="+string(text), "__GL_SHADER_DISK_CACHE=0", "MESA_SHADER_CACHE_DISABLE=true")
	if r.Folder == "off" {
		command.Env = append(command.Env, "CUDA_CACHE_DISABLE=1")
	} else {
		command.Env = append(command.Env, "CUDA_CACHE_DISABLE=0", "CUDA_CACHE_PATH="+r.Folder)
	}
	out := new(bytes.Buffer)
	command.Stdout, command.Stderr = out, out
	return command, out
}

func run(t testing.TB, r startRequest) (a startAnswer) {
	t.Helper()
	command, out := program(t, r)
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return a
}

// startDevices returns the devices through some drivers.
func startDevices(t testing.TB, drivers ...string) (list []gpu.Info) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range infos {
		if slices.Contains(drivers, i.Driver) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		t.Skip("skipped: no Vulkan device (lavapipe, of Debian's mesa-vulkan-drivers with libvulkan1, is one)")
	}
	return list
}

// TestSecondStart: programs that start at the same time with one folder, and a later one, have the
// results of one without a cache.
func TestSecondStart(t *testing.T) {
	testmode.Long(t)
	const kernels = 3
	archive := manyArchive(t, kernels)
	for _, i := range startDevices(t, gpu.Vulkan) {
		t.Run(i.ID(), func(t *testing.T) {
			folder := t.TempDir()
			want := run(t, startRequest{i.ID(), "off", archive})
			var commands [3]*exec.Cmd
			var outs [3]*bytes.Buffer
			for n := range commands {
				commands[n], outs[n] = program(t, startRequest{i.ID(), folder, archive})
				if err := commands[n].Start(); err != nil {
					t.Fatal(err)
				}
			}
			var answers [4]startAnswer
			for n, c := range commands {
				if err := c.Wait(); err != nil {
					t.Fatalf("%v\n%s", err, outs[n])
				}
				if err := json.Unmarshal(outs[n].Bytes(), &answers[n]); err != nil {
					t.Fatalf("%v\n%s", err, outs[n])
				}
			}
			answers[3] = run(t, startRequest{i.ID(), folder, archive})
			stored := 0
			for n, a := range answers {
				if !bytes.Equal(a.Result, want.Result) || a.Problem != "" || a.Hits+a.Misses != kernels {
					t.Errorf("start %d: %d hits and %d misses, %s; the results differ: %t", n, a.Hits, a.Misses, a.Problem, !bytes.Equal(a.Result, want.Result))
				}
				stored += a.Stored
			}
			if stored == 0 && i.Kind == driver.Software {
				t.Logf("%s keeps nothing in pipeline caches", i.Name)
			} else if answers[3].Hits != kernels {
				t.Errorf("the last start finds %d of %d kernels", answers[3].Hits, kernels)
			}
		})
	}
}

// BenchmarkSecondStart measures how long a program takes to load 50 kernels: without a cache, with
// an empty one, and at the second start. Through CUDA it is the driver's own cache.
//
//	CGO_ENABLED=0 go test -c -o start.test ./runtime/gpu
//	./start.test -test.run '^$' -test.bench SecondStart -test.benchtime 5x
func BenchmarkSecondStart(b *testing.B) {
	const kernels = 50
	archive := manyArchive(b, kernels)
	for _, i := range startDevices(b, gpu.CUDA, gpu.Vulkan) {
		b.Run(i.ID(), func(b *testing.B) {
			var off, cold, warm []float64
			for b.Loop() {
				folder := b.TempDir()
				without := run(b, startRequest{i.ID(), "off", archive})
				first := run(b, startRequest{i.ID(), folder, archive})
				second := run(b, startRequest{i.ID(), folder, archive})
				if first.Stored > 0 && second.Hits != kernels || first.Problem+second.Problem != "" {
					b.Errorf("%d of %d kernels are found: %s", second.Hits, kernels, first.Problem+second.Problem)
				}
				if !bytes.Equal(without.Result, first.Result) || !bytes.Equal(first.Result, second.Result) {
					b.Error("results differ")
				}
				if first.Stored == 0 && i.Driver != gpu.CUDA {
					b.Logf("%s keeps nothing: %d misses, %s", i.Name, first.Misses, first.Problem)
				}
				off, cold, warm = append(off, without.Milliseconds), append(cold, first.Milliseconds), append(warm, second.Milliseconds)
			}
			for name, list := range map[string][]float64{"off-ms": off, "cold-ms": cold, "warm-ms": warm} {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2], name)
			}
			b.Logf("%s: %d kernels load in %.1f ms without a cache, %.1f ms at the first start and %.1f ms at the second (medians of %d)",
				i.Name, kernels, off[len(off)/2], cold[len(cold)/2], warm[len(warm)/2], len(off))
		})
	}
}
