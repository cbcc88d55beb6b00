package cpu

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

const axpyText = `
var @x : ptr<storage, array<f32>> [group 0, binding 0]
var @y : ptr<storage, array<f32>, read_write> [group 0, binding 1]
var @a : ptr<uniform, f32> [group 2, binding 5]
kernel @axpy(%id: vec3<u32> [global_invocation_id]) [workgroup 64u, 1u, 1u] {
  %i = extract %id, 0u : u32
  %n = array_length @y : u32
  %inside = lt %i, %n : bool
  if ^i %inside {
    %av = load @a : f32
    %px = access @x, %i : ptr<storage, f32>
    %xv = load %px : f32
    %py = access @y, %i : ptr<storage, f32, read_write>
    %yv = load %py : f32
    %ax = mul %av, %xv : f32
    %s = add %ax, %yv : f32
    store %py, %s
    exit ^i()
  } else {
    exit ^i()
  }
  return
}
`

// axpy returns the tests' kernel for this driver.
func axpy() *abi.Artefact {
	a := drivertest.AxpyPTX()
	a.Target, a.Code = abi.CPU, []byte(axpyText)
	return a
}

func TestDriver(t *testing.T) { drivertest.Run(t, &Driver{}, axpy()) }

func BenchmarkDriver(b *testing.B) { drivertest.Bench(b, &Driver{}, axpy()) }

// checkedAxpy returns it for the checked device.
func checkedAxpy() *abi.Artefact {
	a := axpy()
	a.Target = abi.Checked
	return a
}

// checkedDriver offers the checked interpreter alone.
type checkedDriver struct{ Driver }

func (c *checkedDriver) Devices() ([]driver.Info, error) {
	infos, err := c.Driver.Devices()
	return infos[Checked:], err
}

func (c *checkedDriver) Open(index int) (driver.Device, error) { return c.Driver.Open(Checked + index) }

func TestCheckedDeviceRunsCleanKernels(t *testing.T) {
	f := drivertest.New(t, &checkedDriver{}, checkedAxpy())
	x, y, a := f.Upload([]float32{1, 2, 3}), f.Upload([]float32{10, 20, 30}), f.Upload([]float32{2})
	f.Check(f.Stream.Launch(drivertest.Launch(f.Kernel, x, y, a)))
	f.Check(f.Stream.Wait(context.Background()))
	if got := f.Read(y); got[0] != 12 || got[1] != 24 || got[2] != 36 {
		t.Errorf("got %v", got)
	}
}

// TestInMemory: a module in memory is loaded once instead of the text, unless launches can report
// positions, and errors are those of the text.
func TestInMemory(t *testing.T) {
	open := func(d *Driver, index int) driver.Device {
		device, err := d.Open(index)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { device.Close() })
		return device
	}
	inMemory := func(a *abi.Artefact, text string) *abi.Artefact {
		m, _, items := ir.ParseString(text)
		if m == nil {
			t.Fatal(items)
		}
		a.InMemory = abi.NewInMemory(m)
		return a
	}
	wrong := strings.Replace(axpyText, "64u", "32u", 1)
	for _, test := range []struct {
		device driver.Device
		a      *abi.Artefact
		loads  int
	}{
		{open(&Driver{}, Defined), inMemory(axpy(), axpyText), 1},
		{open(&Driver{Fuel: 100}, Defined), inMemory(axpy(), axpyText), 0},
		{open(&Driver{}, Checked), inMemory(checkedAxpy(), axpyText), 0},
		{open(&Driver{}, Defined), inMemory(axpy(), wrong), 0},
		{open(&Driver{}, Defined), inMemory(axpy(), strings.Replace(axpyText, "@axpy", "@other", 1)), 0},
	} {
		test.a.Code = []byte("no IR")
		for n := range 2 {
			_, err := test.device.Load(test.a)
			if n < test.loads && err != nil || n >= test.loads && (err == nil || !strings.Contains(err.Error(), "the IR is not valid")) {
				t.Errorf("load %d of %+v: %v", n, test, err)
			}
		}
	}
	a := inMemory(axpy(), wrong)
	a.Code = []byte(wrong)
	const want = "the workgroup is [32 1 1] in the code and [64 1 1] in the description"
	if _, err := open(&Driver{}, Defined).Load(a); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestReportPositions loads IR that carries its source, as the compiler
// writes it, and expects positions in that source.
func TestReportPositions(t *testing.T) {
	a := checkedAxpy()
	text := strings.Replace(axpyText, "lt %i, %n", "le %i, %n", 1) // one too many
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatal(items)
	}
	a.Code = m.AppendText(nil, ir.PrintOptions{Spans: true})
	f := drivertest.New(t, &checkedDriver{}, a)
	x, y, one := f.Upload([]float32{1, 2, 3}), f.Upload([]float32{10, 20, 30}), f.Upload([]float32{2})
	f.Check(f.Stream.Launch(drivertest.Launch(f.Kernel, x, y, one)))
	err := f.Stream.Wait(context.Background())
	var report *Report
	if !errors.As(err, &report) || !errors.Is(err, ErrReported) {
		t.Fatalf("got %v, want a report", err)
	}
	if len(report.Diagnostics) != 2 { // the accesses to x and y
		t.Errorf("%d diagnostics, want 2", len(report.Diagnostics))
	}
	for _, want := range []string{
		"text.ir:11:5: error: index 3 is outside of the 3 elements in x, in invocation (3, 0, 0) of workgroup (0, 0, 0) [out-of-bounds]",
		"text.ir:13:5: error: index 3 is outside of the 3 elements in y",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	if err := f.Stream.Wait(context.Background()); err != nil {
		t.Errorf("a second wait: %v", err)
	}
}

func TestLoadRefusesCodeThatDoesNotFitItsDescription(t *testing.T) {
	d, err := new(Driver).Open(Defined)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for name, c := range map[string]struct {
		edit func(a *abi.Artefact)
		want string
	}{
		"not IR":        {func(a *abi.Artefact) { a.Code = []byte("spirv") }, "the IR is not valid"},
		"invalid IR":    {func(a *abi.Artefact) { a.Code = []byte(strings.Replace(axpyText, "add %ax, %yv", "add %ax, %i", 1)) }, "the IR is not valid"},
		"entry point":   {func(a *abi.Artefact) { a.Kernel.Name = "saxpy" }, "no entry point"},
		"workgroup":     {func(a *abi.Artefact) { a.Kernel.Workgroup[0] = 32 }, "the workgroup is [64 1 1] in the code and [32 1 1]"},
		"subgroup size": {func(a *abi.Artefact) { a.Kernel.SubgroupSize = 32 }, "the subgroup size is 0 in the code and 32"},
		"binding":       {func(a *abi.Artefact) { a.Kernel.Bindings[2].Binding = 4 }, "the code uses a, 2:5, which the description lacks"},
		"vast value": {func(a *abi.Artefact) {
			a.Code = []byte(strings.Replace(axpyText, "  return", "  %v = var : ptr<function, array<u32, 70000u>>\n  %w = load %v : array<u32, 70000u>\n  return", 1))
		}, "axpy.ir:23:3: interp: kernel @axpy: the interpreter cannot run load: a value has more than 65535 scalars"},
		"binding count": {func(a *abi.Artefact) { a.Kernel.Bindings = a.Kernel.Bindings[:2] }, "the code uses a, 2:5, which the description lacks"},
	} {
		a := axpy()
		a.Kernel.Bindings = append([]abi.Binding{}, a.Kernel.Bindings...)
		c.edit(a)
		if _, err := d.Load(a); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestProgress(t *testing.T) {
	f := drivertest.New(t, &Driver{}, axpy())
	var done atomic.Uint64
	f.Device.(driver.Reporter).OnProgress(func(n, total uint64) {
		if total != 16 {
			t.Errorf("%d workgroups in all", total)
		}
		done.Store(n)
	})
	y := f.Alloc(4096)
	f.Check(f.Stream.Launch(drivertest.Launch(f.Kernel, y, y, f.Alloc(4))))
	f.Check(f.Stream.Wait(context.Background()))
	if done.Load() != 16 {
		t.Errorf("the last progress was %d workgroups", done.Load())
	}
}

// endless returns the kernel with a loop that ends once x holds 7, which it does not.
func endless() *abi.Artefact {
	a := axpy()
	a.Code = []byte(strings.Replace(axpyText, "    store %py, %s\n", `    store %py, %s
    loop ^l() {
      %v = load %px : f32
      %go = eq %v, 7f : bool
      if ^g %go {
        exit ^l()
      } else {
        exit ^g()
      }
      continue ^l()
    } continuing {
      next ^l()
    }
`, 1))
	return a
}

// giveUp waits for a stream with a context that has ended.
func giveUp(t *testing.T, s driver.Stream) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

// TestCloseStopsAbandonedWork closes the stream, or the device, after a wait for a kernel
// that loops for ever was given up; the test would not end if the kernel did not.
func TestCloseStopsAbandonedWork(t *testing.T) {
	for name, closed := range map[string]func(f *drivertest.Fixture) error{
		"the stream": func(f *drivertest.Fixture) error { return f.Stream.Close() },
		"the device": func(f *drivertest.Fixture) error { return f.Device.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			f := drivertest.New(t, &Driver{}, endless())
			for range 3 { // two of which have not begun
				f.Check(f.Stream.Launch(drivertest.Launch(f.Kernel, f.Alloc(4), f.Alloc(4), f.Alloc(4))))
			}
			giveUp(t, f.Stream)
			f.Check(closed(f))
			if err := f.Stream.Wait(context.Background()); !errors.Is(err, driver.ErrClosed) {
				t.Errorf("got %v, want ErrClosed", err)
			}
		})
	}
}

// TestCloseWaits closes the device while a launch is under way and others have not begun.
// All are finished when Close returns, also where a wait was given up and another launch
// says that the work is wanted after all.
func TestCloseWaits(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		f := drivertest.New(t, &Driver{}, axpy())
		device := f.Device.(*Device)
		begun, goOn := make(chan struct{}), make(chan struct{})
		var once sync.Once
		device.OnProgress(func(uint64, uint64) { // which the launch waits for
			once.Do(func() {
				close(begun)
				<-goOn
			})
		})
		x, y, a := f.Upload([]float32{1, 2, 3}), f.Upload([]float32{10, 20, 30}), f.Upload([]float32{2})
		launch := func() { f.Check(f.Stream.Launch(drivertest.Launch(f.Kernel, x, y, a))) }
		for range 3 {
			launch()
		}
		<-begun
		if wanted {
			giveUp(t, f.Stream)
			launch()
		}
		ended := make(chan error)
		go func() { ended <- f.Device.Close() }()
		for device.open() == nil { // until Close has begun
			runtime.Gosched()
		}
		close(goOn)
		f.Check(<-ended)
		want := float32(10 + 3*2)
		if wanted {
			want += 2
		}
		if got := math.Float32frombits(binary.LittleEndian.Uint32(y.(*memory).bytes)); got != want {
			t.Errorf("wanted %v: the launches left %v, want %v", wanted, got, want)
		}
	}
}

// TestStreamCloseReports returns the errors of work that nothing has waited for.
func TestStreamCloseReports(t *testing.T) {
	f := drivertest.New(t, &Driver{Fuel: 1000}, endless())
	f.Check(f.Stream.Launch(drivertest.Launch(f.Kernel, f.Alloc(4), f.Alloc(4), f.Alloc(4))))
	var report *Report
	if err := f.Stream.Close(); !errors.As(err, &report) || !report.Failed() {
		t.Errorf("got %v, want a report", err)
	}
}
