package gentest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
)

// wrongKernel has mistakes that the checked device reports.
const wrongKernel = `package wrong

import "github.com/gpuc/gpuc/runtime/gpu"

//gpuc:kernel workgroup=4
func Outside(it gpu.Item, x, y []float32) {
	y[it.Index()+1] = x[it.Index()]
}

//gpuc:kernel workgroup=4
func Racing(it gpu.Item, shared *[4]gpu.Vec2f, y []float32) {
	l := it.LocalIndex()
	shared[l].Y = 1
	y[it.Index()] = shared[3-l].Y
}
`

const wrongTest = `package wrong

import (
	"context"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

func TestWrong(t *testing.T) {
	x, y := make([]float32, 8), make([]float32, 8)
	nothing := func() {}
	t.Run("Outside", func(t *testing.T) {
		gputest.Compare(t, gputest.Exact, nothing, func(ctx context.Context, d *gpu.Device) error { return RunOutside(ctx, d, gpu.D1(2), x, y) }, y)
	})
	t.Run("Racing", func(t *testing.T) {
		gputest.Compare(t, gputest.Exact, nothing, func(ctx context.Context, d *gpu.Device) error { return RunRacing(ctx, d, gpu.D1(2), y) }, y)
	})
}
`

// TestCheckedPlaces: what the checked device reports of kernels in Go names their lines, and
// elements.
func TestCheckedPositions(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	folder := t.TempDir()
	makeModule(t, folder, "wrong")
	put(t, filepath.Join(folder, "kernel.go"), wrongKernel)
	put(t, filepath.Join(folder, "kernel_test.go"), wrongTest)
	gen(t, folder, "-target", "cpu,checked", ".")
	text, err := goCommand(t, folder, nil, "test", "-short", "-count=1", ".")
	if err == nil {
		t.Fatalf("nothing is reported:\n%s", text)
	}
	for _, want := range []string{
		"kernel.go:7:3: error: index 8 is outside of the 8 elements in y, in invocation (7, 0, 0) of workgroup (1, 0, 0) [out-of-bounds]",
		"writes shared[2].Y, which another invocation read, and nothing orders the two [data-race]",
		"reads shared[1].Y, which another invocation wrote, and nothing orders the two [data-race]",
		"kernel.go:13:", "kernel.go:14:",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, ".ir:") {
		t.Errorf("it names lines of IR:\n%s", text)
	}
}

// kindsKernel has elements of many types.
const kindsKernel = `package kinds

import "github.com/gpuc/gpuc/runtime/gpu"

type Pair[E any] struct{ P, Q E }

type inner struct {
	A uint8
	B int16
}

type Mixed struct {
	inner
	_ [3]uint16
	V gpu.Vec3i
	C float64
	D [2]uint64
}

//gpuc:kernel workgroup=8
func Kinds(it gpu.Item, a []uint8, b []int8, c []int16, d []uint16, e []int64, f []uint64, g []float64, h []Mixed, p []Pair[float32], q []Pair[[2]int32], v []gpu.Vec2f) {
	i := it.Index()
	if i >= len(a) {
		return
	}
	a[i] += 1
	b[i] -= 1
	c[i] *= -3
	d[i] += 7
	e[i] *= -5
	f[i] += 1 << 40
	g[i] *= 0.5
	h[i].A++
	h[i].B--
	h[i].C += 1
	h[i].D[1] += h[i].D[0]
	h[i].V.Y = h[i].V.Z
	p[i].Q = p[i].P
	q[i].Q[1] = q[i].P[0]
	v[i].X = v[i].Y
}

//gpuc:kernel workgroup=8
func Invert(it gpu.Item, pixels []uint8) {
	if i := it.Index(); i < len(pixels) {
		pixels[i] = 255 - pixels[i]
	}
}
`

const kindsTest = `package kinds

import (
	"context"
	"image"
	"testing"

	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

func TestKinds(t *testing.T) {
	const n = 16
	a, b, c, d := make([]uint8, n), make([]int8, n), make([]int16, n), make([]uint16, n)
	e, f, g, h := make([]int64, n), make([]uint64, n), make([]float64, n), make([]Mixed, n)
	p, q, v := make([]Pair[float32], n), make([]Pair[[2]int32], n), make([]gpu.Vec2f, n)
	for i := range n {
		p[i].P, q[i].P[0], v[i].Y = float32(i), int32(i), float32(i)
		a[i], b[i], c[i], d[i], e[i], f[i], g[i] = uint8(17*i), int8(-17*i), int16(i), uint16(i), int64(i), uint64(i), float64(i)
		h[i] = Mixed{V: gpu.Vec3i{Z: int32(i)}, D: [2]uint64{uint64(i), 1 << 63}}
	}
	gputest.Compare(t, gputest.Exact, func() { GoKinds(gpu.Items1(n), a, b, c, d, e, f, g, h, p, q, v) },
		func(ctx context.Context, device *gpu.Device) error { return RunKinds(ctx, device, gpu.Items1(n), a, b, c, d, e, f, g, h, p, q, v) },
		a, b, c, d, e, f, g, h, p, q, v)
}

func TestImage(t *testing.T) {
	picture := image.NewRGBA(image.Rect(0, 0, 5, 4))
	picture.Pix[19] = 7
	gputest.Compare(t, gputest.Exact, func() { GoInvert(gpu.Items1(len(picture.Pix)), picture.Pix) },
		func(ctx context.Context, d *gpu.Device) error { return RunInvert(ctx, d, gpu.Items1(len(picture.Pix)), picture.Pix) }, picture)
	if picture.Pix[19] != 248 || picture.Pix[0] != 255 {
		t.Error(picture.Pix)
	}
}
`

// TestStaleIsSaid: Compare takes all types that kernels take, and says of a package that was
// changed behind gpuc gen that it is stale, and not that results are wrong. A change that changes
// no kernel is none.
func TestStaleIsSaid(t *testing.T) {
	testmode.LongPart(t, 0)
	t.Parallel()
	folder := t.TempDir()
	makeModule(t, folder, "kinds")
	kernel := filepath.Join(folder, "kernel.go")
	put(t, kernel, kindsKernel)
	put(t, filepath.Join(folder, "kernel_test.go"), kindsTest)
	gen(t, folder, "-target", "cpu,checked", ".")
	run := func(name, text string, stale bool, wants ...string) {
		t.Helper()
		put(t, kernel, text)
		output, err := goCommand(t, folder, nil, "test", "-short", "-count=1", ".")
		if (err == nil) != (len(wants) == 0) {
			t.Errorf("%s: %v\n%s", name, err, output)
		}
		for _, want := range wants {
			if !strings.Contains(output, want) {
				t.Errorf("%s: it does not say %q:\n%s", name, want, output)
			}
		}
		if strings.Contains(output, "run go generate") != stale || stale && strings.Contains(output, "plain Go has") {
			t.Errorf("%s: it says of stale code and of wrong results:\n%s", name, output)
		}
	}
	run("as it is", kindsKernel, false)
	run("another comment", strings.Replace(kindsKernel, "// elements", "//", 1)+"\n// more\n", false)
	archive := open(t, folder)
	index, err := archive.Index()
	if err != nil {
		t.Fatal(err)
	}
	index.Gpuc = "v9.9.9"
	archive.Members = archive.Members[1:] // without the index
	other, err := archive.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, abi.ArchiveFile)
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, string(other))
	wrong := strings.Replace(kindsTest, "picture.Pix) },\n", "picture.Pix); picture.Pix[6] = 1 },\n", 1)
	put(t, filepath.Join(folder, "kernel_test.go"), wrong)
	run("another version of gpuc", kindsKernel, false, "written[0] at (1, 0), Pix[6]: plain Go has 1, the device 255")
	put(t, path, string(old))
	put(t, filepath.Join(folder, "kernel_test.go"), kindsTest)
	changed := strings.Replace(kindsKernel, "255 - pixels[i]", "254 - pixels[i]", 1)
	run("another kernel", changed, true, "the kernels' compiled code is stale", "run go generate in package example.com/kinds", "gpuc_gen.zip is stale (Invert.ir, Invert.checked.ir)", "--- FAIL: TestImage/cpu:0")
	run("another structure", strings.Replace(kindsKernel, "A uint8\n\tB int16", "B int16\n\tA uint8", 1), true, "run go generate in package example.com/kinds", "--- FAIL: TestKinds/cpu:0")
	// what is wrong although nothing is stale
	put(t, filepath.Join(folder, "kernel_test.go"), strings.Replace(kindsTest, "{ GoInvert(gpu.Items1(len(picture.Pix)), picture.Pix) }", "{ picture.Pix[6] = 1 }", 1))
	run("another test", kindsKernel, false, "written[0] at (0, 0), Pix[0]: plain Go has 0, the device 255")
}
