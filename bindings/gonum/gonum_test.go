package gonum

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// onProcessor returns an implementation that runs on the processor.
func onProcessor(t *testing.T) Implementation {
	t.Helper()
	s, err := gputest.Open(t, gpu.Named(gpu.CPU)).NewStream()
	if err != nil {
		t.Fatal(err)
	}
	return New(s)
}

// tests are tests of gonum, by their names in package testblas.
type tests map[string]func(t *testing.T)

// run runs the tests. All of them have to pass, but those that take more than half a second are
// long tests.
func (list tests) run(t *testing.T, long ...string) {
	t.Helper()
	passed, want := 0, len(list)
	if !testmode.IsLong() {
		want -= len(long)
	}
	for name, test := range list {
		t.Run(name, func(t *testing.T) {
			if slices.Contains(long, name) {
				testmode.Long(t)
			}
			if test(t); !t.Failed() && !t.Skipped() {
				passed++
			}
		})
	}
	if passed != want {
		t.Errorf("%d of gonum's tests pass, want %d", passed, want)
	}
}

// doubles are the tests of functions of float64.
func doubles(b Implementation) tests {
	return tests{
		"DdotTest":   func(t *testing.T) { testblas.DdotTest(t, b) },
		"Dnrm2Test":  func(t *testing.T) { testblas.Dnrm2Test(t, b) },
		"DasumTest":  func(t *testing.T) { testblas.DasumTest(t, b) },
		"IdamaxTest": func(t *testing.T) { testblas.IdamaxTest(t, b) },
		"DswapTest":  func(t *testing.T) { testblas.DswapTest(t, b) },
		"DcopyTest":  func(t *testing.T) { testblas.DcopyTest(t, b) },
		"DaxpyTest":  func(t *testing.T) { testblas.DaxpyTest(t, b) },
		"DrotTest":   func(t *testing.T) { testblas.DrotTest(t, b) },
		"DscalTest":  func(t *testing.T) { testblas.DscalTest(t, b) },
		"DgemvTest":  func(t *testing.T) { testblas.DgemvTest(t, b) },
		"DgbmvTest":  func(t *testing.T) { testblas.DgbmvTest(t, b) },
		"DsymvTest":  func(t *testing.T) { testblas.DsymvTest(t, b) },
		"DsbmvTest":  func(t *testing.T) { testblas.DsbmvTest(t, b) },
		"DgerTest":   func(t *testing.T) { testblas.DgerTest(t, b) },
		"DsyrTest":   func(t *testing.T) { testblas.DsyrTest(t, b) },
		"Dsyr2Test":  func(t *testing.T) { testblas.Dsyr2Test(t, b) },
		"DtrmvTest":  func(t *testing.T) { testblas.DtrmvTest(t, b) },
		"DtrsvTest":  func(t *testing.T) { testblas.DtrsvTest(t, b) },
		"DtbmvTest":  func(t *testing.T) { testblas.DtbmvTest(t, b) },
		"DtbsvTest":  func(t *testing.T) { testblas.DtbsvTest(t, b) },
		"TestDgemm":  func(t *testing.T) { testblas.TestDgemm(t, b) },
		"DsymmTest":  func(t *testing.T) { testblas.DsymmTest(t, b) },
		"DsyrkTest":  func(t *testing.T) { testblas.DsyrkTest(t, b) },
		"Dsyr2kTest": func(t *testing.T) { testblas.Dsyr2kTest(t, b) },
		"DtrmmTest":  func(t *testing.T) { testblas.DtrmmTest(t, b) },
		"DtrsmTest":  func(t *testing.T) { testblas.DtrsmTest(t, b) },
		"DtxmvTest":  func(t *testing.T) { testblas.DtxmvTest(t, b) },
	}
}

// TestBLAS runs gonum's tests of the functions of float64 that run on the device.
func TestBLAS(t *testing.T) { doubles(onProcessor(t)).run(t) }

// leftOut are gonum's tests that do not run here, with the reasons.
var leftOut = map[string]string{
	"DspmvTest": packed, "DsprTest": packed, "Dspr2Test": packed, "DtpmvTest": packed, "DtpsvTest": packed,
	"ZhpmvTest": packed, "ZhprTest": packed, "Zhpr2Test": packed, "ZtpmvTest": packed, "ZtpsvTest": packed,
	"ZgbmvTest": banded128, "ZhbmvTest": banded128, "ZtbmvTest": banded128, "ZtbsvTest": banded128,
	// The BLAS and linalg.Rotmg have x/y there.
	"DrotmgTest":                "Drotmg is gonum's own: for a d1 of zero it has a matrix of zeros",
	"TestFlattenBanded":         ownHelper,
	"TestFlattenTriangular":     ownHelper,
	"TestPackUnpackAsHermitian": ownHelper,
}

const (
	packed    = "package linalg has no packed triangles, and gonum's own code does these"
	banded128 = "package linalg has no complex matrices with few diagonals, and gonum's own code does these"
	ownHelper = "it tests what gonum's tests are made of"
)

// TestLeftOut: each of gonum's tests runs or is left out for a reason, and not both.
func TestLeftOut(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "gonum.org/v1/gonum/blas/testblas").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	runs, known := tests{}, map[string]bool{}
	for _, list := range []tests{doubles(Implementation{}), rotations(Implementation{}), complexes(Implementation{})} {
		maps.Copy(runs, list)
	}
	isTest := regexp.MustCompile(`(?m)^func ([A-Z]\w*)\(t \*testing\.T`)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range isTest.FindAllSubmatch(src, -1) {
			name := string(match[1])
			known[name] = true
			if (runs[name] != nil) == (leftOut[name] != "") {
				t.Errorf("%s runs: %v; it is left out for the reason %q", name, runs[name] != nil, leftOut[name])
			}
		}
	}
	for name := range leftOut {
		if !known[name] {
			t.Errorf("%s is left out, and gonum has no such test", name)
		}
	}
	if len(known) != len(runs)+len(leftOut) {
		t.Errorf("gonum has %d tests, of which %d run and %d are left out", len(known), len(runs), len(leftOut))
	}
}

// TestSingle compares functions of float32 with gonum's own, with whole numbers, whose sums are
// exact.
func TestSingle(t *testing.T) {
	device := onProcessor(t)
	const n, k, ld = 7, 3, 9
	for name, call := range map[string]func(b blas.Float32, a, x, y []float32){
		"Sdot":   func(b blas.Float32, a, x, y []float32) { y[0] = b.Sdot(n, x, 2, a, -1) },
		"Snrm2":  func(b blas.Float32, _, x, y []float32) { x[0], y[0] = 0, b.Snrm2(1, x[1:], 3) },
		"Sasum":  func(b blas.Float32, _, x, y []float32) { y[0] = b.Sasum(n, x, 3) },
		"Isamax": func(b blas.Float32, _, x, y []float32) { y[0] = float32(b.Isamax(n, x, 3)) },
		"Sswap":  func(b blas.Float32, _, x, y []float32) { b.Sswap(n, x, 2, y, -3) },
		"Scopy":  func(b blas.Float32, _, x, y []float32) { b.Scopy(n, x, 2, y, 1) },
		"Saxpy":  func(b blas.Float32, _, x, y []float32) { b.Saxpy(n, 3, x, -2, y, 1) },
		"Srot":   func(b blas.Float32, _, x, y []float32) { b.Srot(n, x, -2, y, 1, 2, 3) },
		"Sscal":  func(b blas.Float32, _, x, _ []float32) { b.Sscal(n, 3, x, 2) },
		"Sgemv":  func(b blas.Float32, a, x, y []float32) { b.Sgemv(blas.Trans, n, k, 2, a, ld, x, 2, 3, y, -1) },
		"Sgbmv":  func(b blas.Float32, a, x, y []float32) { b.Sgbmv(blas.NoTrans, n, n, 2, 1, 2, a, ld, x, 2, 3, y, -1) },
		"Ssymv":  func(b blas.Float32, a, x, y []float32) { b.Ssymv(blas.Upper, n, 2, a, ld, x, 2, 3, y, -1) },
		"Ssbmv":  func(b blas.Float32, a, x, y []float32) { b.Ssbmv(blas.Lower, n, k, 2, a, ld, x, 2, 3, y, -1) },
		// gonum v0.17.0 is wrong for an increment of −1 here.
		"Sger":  func(b blas.Float32, a, x, y []float32) { b.Sger(n, k, 2, x, 2, y, 1, a, ld) },
		"Ssyr":  func(b blas.Float32, a, x, _ []float32) { b.Ssyr(blas.Lower, n, 2, x, 2, a, ld) },
		"Ssyr2": func(b blas.Float32, a, x, y []float32) { b.Ssyr2(blas.Lower, n, 2, x, 2, y, -1, a, ld) },
		"Strmv": func(b blas.Float32, a, x, _ []float32) { b.Strmv(blas.Lower, blas.Trans, blas.Unit, n, a, ld, x, 2) },
		"Strsv": func(b blas.Float32, a, x, _ []float32) { b.Strsv(blas.Lower, blas.Trans, blas.Unit, n, a, ld, x, 2) },
		"Stbmv": func(b blas.Float32, a, x, _ []float32) {
			b.Stbmv(blas.Upper, blas.NoTrans, blas.NonUnit, n, k, a, ld, x, 2)
		},
		"Stbsv": func(b blas.Float32, a, x, _ []float32) {
			b.Stbsv(blas.Upper, blas.NoTrans, blas.Unit, n, k, a, ld, x, 2)
		},
		"Sgemm": func(b blas.Float32, a, x, y []float32) {
			b.Sgemm(blas.Trans, blas.NoTrans, k, k, n, 2, a, ld, x, k, 3, y, k)
		},
		"Ssymm": func(b blas.Float32, a, x, y []float32) {
			b.Ssymm(blas.Right, blas.Upper, k, n, 2, a, ld, x, n, 3, y, n)
		},
		"Ssyrk": func(b blas.Float32, a, _, y []float32) { b.Ssyrk(blas.Lower, blas.Trans, k, n, 2, a, ld, 3, y, k) },
		"Ssyr2k": func(b blas.Float32, a, x, y []float32) {
			b.Ssyr2k(blas.Upper, blas.NoTrans, k, k, 2, a, ld, x, k, 3, y, k)
		},
		"Strmm": func(b blas.Float32, a, x, _ []float32) {
			b.Strmm(blas.Right, blas.Upper, blas.NoTrans, blas.Unit, k, n, 2, a, ld, x, n)
		},
		"Strsm": func(b blas.Float32, a, x, _ []float32) {
			b.Strsm(blas.Left, blas.Lower, blas.Trans, blas.Unit, k, k, 2, a, ld, x, k)
		},
	} {
		var results [2][]float32
		for i, b := range []blas.Float32{device, gonum.Implementation{}} {
			numbers := make([]float32, 3*ld*ld)
			for i := range numbers {
				numbers[i] = float32(i*i%7 - 3)
			}
			call(b, numbers[:ld*ld], numbers[ld*ld:2*ld*ld], numbers[2*ld*ld:])
			results[i] = numbers
		}
		if !slices.Equal(results[0], results[1]) {
			t.Errorf("%s: %v, and gonum's %v", name, results[0], results[1])
		}
	}
}

// TestPanics: arguments that are wrong panic as gonum's functions do.
func TestPanics(t *testing.T) {
	device := onProcessor(t)
	x, y, a := make([]float64, 4), make([]float64, 4), make([]float64, 16)
	for name, call := range map[string]func(b blas.Float64){
		"negative length":    func(b blas.Float64) { b.Dcopy(-1, x, 1, y, 1) },
		"no increment":       func(b blas.Float64) { b.Ddot(4, x, 0, y, 1) },
		"short vector":       func(b blas.Float64) { b.Daxpy(5, 1, x, 1, y, 1) },
		"short matrix":       func(b blas.Float64) { b.Dgemv(blas.NoTrans, 4, 4, 1, a, 5, x, 1, 0, y, 1) },
		"short rows":         func(b blas.Float64) { b.Dgemv(blas.NoTrans, 4, 4, 1, a, 3, x, 1, 0, y, 1) },
		"other transpose":    func(b blas.Float64) { b.Dgemv('x', 4, 4, 1, a, 4, x, 1, 0, y, 1) },
		"other triangle":     func(b blas.Float64) { b.Dsyr('x', 4, 1, x, 1, a, 4) },
		"other diagonal":     func(b blas.Float64) { b.Dtrsv(blas.Upper, blas.NoTrans, 'x', 4, a, 4, x, 1) },
		"other side":         func(b blas.Float64) { b.Dtrsm('x', blas.Upper, blas.NoTrans, blas.Unit, 4, 1, 1, a, 4, x, 1) },
		"negative diagonals": func(b blas.Float64) { b.Dsbmv(blas.Upper, 4, -1, 1, a, 4, x, 1, 0, y, 1) },
	} {
		for i, b := range []blas.Float64{device, gonum.Implementation{}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: implementation %d does not panic", name, i)
					}
				}()
				call(b)
			}()
		}
	}
}
