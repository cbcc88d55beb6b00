// Package gputest tests kernels: it runs them as plain Go and on the devices that are there, and
// compares what they write.
//
//	func TestScale(t *testing.T) {
//		x := []float32{1, 2, 3}
//		plain := func() { GoScale(gpu.D1(1), 2, x) }
//		run := func(ctx context.Context, d *gpu.Device) error {
//			return RunScale(ctx, d, gpu.D1(1), 2, x)
//		}
//		gputest.Compare(t, gputest.Exact, plain, run, x)
//	}
//
// `gpuc gen` makes GoScale and RunScale of a kernel Scale. Whether plain Go computes what was meant
// is for the test to check: after Compare the slices hold its results.
package gputest

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// Open opens a device until the test ends, as gpu.Open does: gputest.Open(t, gpu.Named(gpu.CPU)). A
// device compiles its kernels anew in each test, unless the options have a gpu.KernelCache.
func Open(t testing.TB, options ...gpu.Option) *gpu.Device {
	t.Helper()
	device, err := gpu.Open(append([]gpu.Option{gpu.KernelCache("off")}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := device.Close(); err != nil {
			t.Error(err)
		}
	})
	return device
}

// Tolerance is how far a float may be from Go's: ULP representable values, or Absolute. One of them
// suffices: after cancellation small differences are many representable values.
type Tolerance struct {
	ULP      uint
	Absolute float32
}

// Exact requires equal values.
var Exact Tolerance

// ULP allows a distance of n representable values.
func ULP(n uint) Tolerance { return Tolerance{ULP: n} }

// Compare runs a kernel as plain Go, and then in a subtest for each device that gpu.Devices finds.
// Software devices are among them, and the checked one, which reports accesses out of bounds and
// data races. Written lists the slices that plain and run write, or read and write. An image of
// package image means its Pix. Each run starts with the contents at the call of Compare; at the end
// they are those of plain Go.
//
// If something differs, or run fails, and the generated code is stale, Compare says that instead.
// It runs `gpuc gen -check`, which needs the go command.
//
// A float may differ by the tolerance. It is NaN where Go's is, and +0 equals -0. Everything else
// is equal. Kernels compiled with `gpuc gen -math strict` compute exactly on all devices. In others
// a multiply-add may be rounded once, and denormals may be zero.
//
// A device for whose target the package has no code is skipped, with what to do about it; the
// checked one needs `gpuc gen -target spirv,ptx,cpu,checked`. With -short only the CPU's devices
// run.
func Compare(t *testing.T, tolerance Tolerance, plain func(), run func(context.Context, *gpu.Device) error, written ...any) {
	t.Helper()
	slices := make([]slice, len(written))
	for n, w := range written {
		v, pixels, ok := elements(w)
		if !ok {
			t.Fatalf("argument %d behind run is of type %T; Compare takes the slices that the kernel writes, and images of package image", n+1, w)
		}
		if where := unsupported(v.Type().Elem(), "an element"); where != "" {
			t.Fatalf("%T cannot be compared: %s", w, where)
		}
		slices[n] = slice{name: fmt.Sprintf("written[%d]", n), value: v, before: clone(v), pixels: pixels}
	}
	if len(slices) == 0 {
		t.Fatal("nothing to compare: name the slices that the kernel writes behind run")
	}
	plain()
	for n := range slices {
		slices[n].want = clone(slices[n].value)
	}
	defer func() {
		for n := range slices {
			reflect.Copy(slices[n].value, slices[n].want)
		}
	}()
	var fresh freshness
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails, and its devices are left out: %v", err)
	}
	for _, info := range infos {
		if testing.Short() && info.Target != abi.CPU && info.Target != abi.Checked {
			continue
		}
		t.Run(info.ID(), func(t *testing.T) {
			device := Open(t, gpu.Named(info.ID()))
			for n := range slices {
				reflect.Copy(slices[n].value, slices[n].before)
			}
			err := run(t.Context(), device)
			var wrong []string
			switch {
			case errors.Is(err, gpu.ErrUnsupported):
				t.Skipf("skipped: %s: %v", info.Name, err)
			case err != nil:
				wrong = append(wrong, err.Error())
			default:
				for n := range slices {
					if found := slices[n].differences(tolerance); found.count > 0 {
						wrong = append(wrong, found.String())
					}
				}
			}
			if len(wrong) == 0 {
				return
			}
			if stale := fresh.check(t, device.EmbeddedPackages()); stale != "" {
				t.Fatal(stale)
			}
			for _, text := range wrong {
				t.Errorf("%s: %s", info.Name, text)
			}
		})
	}
}

// slice is one that the kernel writes.
type slice struct {
	name                string
	value, before, want reflect.Value
	pixels              pixels // of an image, or nil
}

// pixels are what images of package image have besides Pix.
type pixels interface {
	image.Image
	PixOffset(x, y int) int
}

// elements returns the slice of an argument.
func elements(w any) (v reflect.Value, _ pixels, ok bool) {
	v = reflect.ValueOf(w)
	if p, isImage := w.(pixels); isImage && v.Kind() == reflect.Pointer && !v.IsNil() {
		if v = v.Elem().FieldByName("Pix"); v.IsValid() && v.Kind() == reflect.Slice {
			return v, p, true
		}
		return v, nil, false
	}
	return v, nil, v.Kind() == reflect.Slice
}

// differences compares what a device wrote with what plain Go wrote.
func (s *slice) differences(tolerance Tolerance) found {
	return differences(func(n int) string {
		if s.pixels == nil {
			return fmt.Sprintf("%s[%d]", s.name, n)
		}
		corner := s.pixels.Bounds().Min
		stride := max(s.pixels.PixOffset(corner.X, corner.Y+1), 1)
		bytes := max(s.pixels.PixOffset(corner.X+1, corner.Y), 1)
		return fmt.Sprintf("%s at (%d, %d), Pix[%d]", s.name, corner.X+n%stride/bytes, corner.Y+n/stride, n)
	}, s.want, s.value, tolerance)
}

func clone(v reflect.Value) reflect.Value {
	c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(c, v)
	return c
}

// unsupported says where a type has what buffers cannot hold, or "".
func unsupported(t reflect.Type, where string) string {
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return ""
	case reflect.Array:
		return unsupported(t.Elem(), "an element of "+where)
	case reflect.Struct:
		for n := range t.NumField() {
			if found := unsupported(t.Field(n).Type, fmt.Sprintf("field %s of %s", t.Field(n).Name, where)); found != "" {
				return found
			}
		}
		return ""
	}
	return fmt.Sprintf("%s is of type %s; buffers have integers and floats of 8 to 64 bits, and arrays and structures of them", where, t)
}

// shownDifferences is how many differences are listed.
const shownDifferences = 5

// found is what differs.
type found struct {
	Tolerance
	lines []string // the first ones
	count int
	worst uint64 // in ULP, of floats
}

// String lists the differences, of which there are some.
func (f *found) String() string {
	text := strings.Join(f.lines, "\n")
	if rest := f.count - len(f.lines); rest > 0 {
		text += fmt.Sprintf("\nand %d more", rest)
		if f.worst > 0 {
			text += fmt.Sprintf(", %d ULP apart at most", f.worst)
		}
	}
	return text
}

// differences compares two slices of the same length.
func differences(name func(n int) string, want, got reflect.Value, tolerance Tolerance) found {
	f := found{Tolerance: tolerance}
	for n := range want.Len() {
		f.compare(func() string { return name(n) }, want.Index(n), got.Index(n))
	}
	return f
}

func (f *found) compare(path func() string, want, got reflect.Value) {
	switch want.Kind() {
	case reflect.Array:
		for n := range want.Len() {
			f.compare(func() string { return fmt.Sprintf("%s[%d]", path(), n) }, want.Index(n), got.Index(n))
		}
	case reflect.Struct:
		for n := range want.NumField() {
			if name := want.Type().Field(n).Name; name != "_" {
				f.compare(func() string { return path() + "." + name }, want.Field(n), got.Field(n))
			}
		}
	case reflect.Float32:
		f.float(path, scalar.F32, want.Float(), got.Float())
	case reflect.Float64:
		f.float(path, scalar.F64, want.Float(), got.Float())
	default:
		if !want.Equal(got) {
			f.add(path, "plain Go has %v, the device %v", want, got)
		}
	}
}

func (f *found) float(path func() string, k scalar.Kind, want, got float64) {
	nan := want != want
	shown := func(x float64) any { return x }
	bits := math.Float64bits
	if k == scalar.F32 {
		shown = func(x float64) any { return float32(x) }
		bits = func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	}
	if nan || got != got {
		if nan != (got != got) {
			f.add(path, "plain Go has %v, the device %v", shown(want), shown(got))
		}
		return
	}
	apart := scalar.Distance(k, bits(want), bits(got))
	if apart <= uint64(f.ULP) || math.Abs(got-want) <= float64(f.Absolute) {
		return
	}
	f.worst = max(f.worst, apart)
	allowed := fmt.Sprintf("%d are allowed", f.ULP)
	if f.Absolute > 0 {
		allowed += fmt.Sprintf(", or a difference of %v", f.Absolute)
	}
	f.add(path, "plain Go has %v, the device %v, %d ULP apart; %s", shown(want), shown(got), apart, allowed)
}

func (f *found) add(path func() string, format string, args ...any) {
	if f.count++; len(f.lines) < shownDifferences {
		f.lines = append(f.lines, path()+": "+fmt.Sprintf(format, args...))
	}
}
