package referencetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// operator runs a case. There is a function for each type of the first input; it returns a slice
// for each output, in row-major order.
type operator map[string]func(e *env, n *node) []any

// suite is the cases of a file, of which executed run on each device.
type suite struct {
	file      string
	executed  int
	large     int // how many cases the file has by name alone
	operators []map[string]operator
	// leftOut are the cases that the packages have no function for, by patterns of names.
	leftOut []struct{ pattern, reason string }
	// tolerances are the errors that numbers of a type may have, relative to the largest one of
	// the output, and to 1. Those of operators are factors of these, where they are not 1.
	tolerances map[string]float64
	factors    map[string]float64
}

// TestNodes runs ONNX's tests of nodes. The test does what moves elements or applies a function to
// each; the rest is done by the packages.
func TestNodes(t *testing.T) {
	suite{
		file:      "testdata/nodes.json.gz",
		executed:  285,
		large:     16,
		operators: []map[string]operator{products(), reductions(), sequences(), images(), signals()},
		leftOut: []struct{ pattern, reason string }{
			{"cumprod_*", "package seq has no products"},
			{"reduce_prod_*", "package seq has no products"},
			{"reduce_sum_empty_axes_input_noop*", "without an axis nothing is computed"},
			{"unique_sorted_with_*axis*", "package seq compares numbers, not rows"},
			{"gridsample_volumetric_*", "images have two dimensions"},
			{"*pool_3d_*", "images have two dimensions"},
			{"maxpool_with_argmax_*", "Dilate returns no indices"},
			{"hammingwindow*", "ONNX has the coefficients 25/46 and 21/46, and Hamming 0.54 and 0.46, as SciPy"},
			{"resize_downsample_*_antialias", "ONNX counts pixels outside as those at the edge, and Resize leaves them out, as Pillow"},
			{"resize_downsample_scales_cubic_A_n0p5_exclude_outside", "Resize leaves out pixels outside with antialias alone"},
			{"resize_tf_crop_and_resize_extrapolation_value", "Resize has no value for what is outside"},
		},
		tolerances: map[string]float64{"float32": 2e-6, "float64": 1e-14, "bfloat16": 1. / 128},
		// Some inputs and outputs of these are written with four digits.
		factors: map[string]float64{"GridSample": 25, "AveragePool": 50},
	}.run(t)
}

// TestArrays runs what NumPy and SciPy have computed of random arrays.
func TestArrays(t *testing.T) {
	suite{
		file:       "testdata/arrays.json.gz",
		executed:   324,
		operators:  []map[string]operator{arraySequences(), arrayMatrices(), arraySignals(), arrayImages()},
		tolerances: map[string]float64{"float32": 5e-7, "float64": 1e-15, "float16": 1e-3},
		// Errors of solutions are as large as the matrices' condition numbers make them, and those
		// of recursive filters as their poles do. Coordinates of warps are rounded to float32.
		factors: map[string]float64{"affine": 4, "lu": 40, "cholesky": 4, "qr": 2, "sosfilt": 4, "istft": 2, "convolve": 2},
	}.run(t)
}

// cases reads the file.
func (u suite) cases(t *testing.T) []*node {
	t.Helper()
	data, err := os.ReadFile(u.file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if data, err = io.ReadAll(text); err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []*node }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all.Cases
}

// chosen returns the cases that are not left out.
func (u suite) chosen(t *testing.T) (list []*node) {
	t.Helper()
	used, large := map[string]bool{}, 0
	for _, n := range u.cases(t) {
		if n.Inputs == nil {
			large++
			continue
		}
		left := false
		for _, row := range u.leftOut {
			if ok, err := path.Match(row.pattern, n.Name); err != nil {
				t.Fatal(err)
			} else if ok {
				left, used[row.pattern] = true, true
			}
		}
		if !left {
			list = append(list, n)
		}
	}
	for _, row := range u.leftOut {
		if !used[row.pattern] {
			t.Errorf("no case is %s, which is left out", row.pattern)
		}
	}
	if len(list) != u.executed || large != u.large {
		t.Errorf("%d cases run, want %d; %d are too large, want %d", len(list), u.executed, large, u.large)
	}
	return list
}

// run runs all cases on the CPU device, and in long mode on each other device. What devices return
// has the same bits.
func (u suite) run(t *testing.T) {
	functions := map[string]operator{}
	for _, list := range u.operators {
		maps.Copy(functions, list)
	}
	chosen := u.chosen(t)
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails, and its devices are left out: %v", err)
	}
	before := map[string][]any{}
	for _, info := range infos {
		if info.Target == abi.Checked || info.Driver != gpu.CPU && !testmode.IsLong() {
			continue
		}
		t.Run(info.ID(), func(t *testing.T) {
			s, err := gputest.Open(t, gpu.Named(info.ID())).NewStream()
			if err != nil {
				t.Fatal(err)
			}
			for k, n := range chosen {
				if info.Driver != gpu.CPU && !testmode.Sampled(k, 1) {
					continue
				}
				t.Run(n.Name, func(t *testing.T) {
					f := functions[n.Operator][n.Inputs[0].Type]
					if f == nil {
						t.Fatalf("no function for %s of %s", n.Operator, n.Inputs[0].Type)
					}
					got := f(&env{t, s}, n)
					u.compare(t, n, got)
					if want, ok := before[n.Name]; ok {
						for i := range got {
							if fmt.Sprintf("%x", got[i]) != fmt.Sprintf("%x", want[i]) {
								t.Errorf("output %d is %v, and %v on another device", i, got[i], want[i])
							}
						}
					}
					before[n.Name] = got
				})
			}
		})
	}
}

// compare compares results with the outputs of a case.
func (u suite) compare(t *testing.T, n *node, results []any) {
	t.Helper()
	if len(results) != len(n.Outputs) {
		t.Fatalf("%d outputs, want %d", len(results), len(n.Outputs))
	}
	factor := 1.0
	if f, ok := u.factors[n.Operator]; ok {
		factor = f
	}
	for i, output := range n.Outputs {
		got, want := floats(results[i]), numbers(output)
		if len(got) != len(want) {
			t.Fatalf("output %d has %d elements, want %v", i, len(got), output.Shape)
		}
		largest := 1.0
		for _, v := range want {
			if !math.IsInf(v, 0) && !math.IsNaN(v) {
				largest = max(largest, math.Abs(v))
			}
		}
		tolerance := factor * u.tolerances[output.Type] * largest
		for k, v := range want {
			if g := got[k]; g != v && !(math.Abs(g-v) <= tolerance) && !(g != g && v != v) {
				t.Fatalf("element %d of output %d, of %v, is %v, want %v within %.2g", k, i, output.Shape, g, v, tolerance)
			}
		}
	}
}
