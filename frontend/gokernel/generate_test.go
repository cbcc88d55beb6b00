package gokernel_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gpuc/gpuc/frontend/gokernel"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestLaunchersWithTypes: a package may use launchers that are not there yet with their types, and
// those of another package that are.
func TestLaunchersWithTypes(t *testing.T) {
	for folder, kernels := range map[string]int{"launchers": 2, "launchers/importer": 1} {
		var set source.Set
		var list diag.List
		made, err := gokernel.LoadPackages(&set, gokernel.Options{Folder: filepath.Join("testdata", filepath.FromSlash(folder))}, &list, ".")
		if err != nil || list.Errors() > 0 || len(made) != 1 || len(made[0].Kernels) != kernels {
			t.Error(folder, made, err, list.Items())
		}
	}
}

// TestSignatures compares signatures with what their source says.
func TestSignatures(t *testing.T) {
	var set source.Set
	var list diag.List
	made, err := gokernel.LoadPackages(&set, gokernel.Options{Folder: filepath.Join("testdata", "signature")}, &list, ".")
	if err != nil || list.Errors() > 0 || len(made) != 1 {
		t.Fatal(made, err, list.Items())
	}
	type parameter = gokernel.Parameter
	const folder = "github.com/gpuc/gpuc/frontend/gokernel/testdata/signature"
	pick := func(name string, bytes uint32) gokernel.Signature {
		return gokernel.Signature{Name: name, Function: "Pick", Workgroup: [3]uint32{64, 1, 1}, ValueBytes: bytes + 4, Parameters: []parameter{
			{Name: "a", Kind: gokernel.Value},
			{Name: "last", Kind: gokernel.Value, Offset: bytes},
			{Name: "x", Kind: gokernel.Buffer, Written: true},
		}}
	}
	want := []gokernel.Signature{
		{Name: "Mixed", Workgroup: [3]uint32{8, 4, 1}, Cooperative: true, ValueBytes: 4 + 16 + 4, Parameters: []parameter{
			{Name: "n", Kind: gokernel.Value},
			{Name: "in", Kind: gokernel.Buffer, Binding: 0},
			{Name: "shared", Kind: gokernel.Workgroup},
			{Name: "p", Kind: gokernel.Value, Offset: 4},
			{Name: "out", Kind: gokernel.Buffer, Binding: 1, Written: true},
			{Name: "last", Kind: gokernel.Value, Offset: 20},
		}},
		{Name: "Alone", Workgroup: [3]uint32{64, 1, 1}, Cooperative: true, ValueBytes: 4, Parameters: []parameter{
			{Name: "factor", Kind: gokernel.Value},
			{Name: "x", Kind: gokernel.Buffer, Written: true},
		}},
		{Name: "total", Workgroup: [3]uint32{64, 1, 1}, Cooperative: true, Parameters: []parameter{{Name: "x", Kind: gokernel.Buffer, Written: true}}},
		{Name: "lane", Workgroup: [3]uint32{64, 1, 1}, Parameters: []parameter{{Name: "x", Kind: gokernel.Buffer, Written: true}}},
		{Name: "nothing", Workgroup: [3]uint32{1, 1, 1}, Parameters: []parameter{{Name: "x", Kind: gokernel.Buffer}}},
		pick("Pick_pair_int32", 16),
		pick("Pick_uint32_float32", 4),
	}
	for n := range want {
		if want[n].Function == "" {
			want[n].Function = want[n].Name
		}
		want[n].Base = want[n].Name
	}
	var got []gokernel.Signature
	types := ""
	for _, k := range made[0].Kernels {
		got = append(got, k.Signature)
		if declared := k.Declared.TypeParams().Len(); declared != len(k.Arguments) || (declared > 0) != (k.Function != k.Name) {
			t.Errorf("%s has %d type parameters and %d arguments", k.Name, declared, len(k.Arguments))
		}
		for _, p := range k.Parameters {
			types += p.Type.String() + "; "
		}
		if kernels := k.Module.Kernels(); len(kernels) != 1 || kernels[0].Name != k.Name {
			t.Errorf("the module of %s has %d kernels", k.Name, len(kernels))
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(gokernel.Signature{}, "Span", "Declared", "Arguments", "Doc"), cmpopts.IgnoreFields(parameter{}, "Type")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	const pair = folder + ".pair"
	if want := "int; []float32; *[32]float32; " + pair + "; []int32; float32; uint32; []uint32; []int32; []int32; []uint32; " +
		pair + "; int32; []int32; uint32; float32; []float32; "; types != want {
		t.Errorf("types are %s, want %s", types, want)
	}
}

// TestNames tests that launchers are exported if kernels are.
func TestNames(t *testing.T) {
	for kernel, want := range map[string]gokernel.Names{
		"Scale": {Launch: "LaunchScale", Run: "RunScale", Go: "GoScale", Embedded: "gpucOfScale", Values: "gpucValuesOfScale",
			Tune: "TuneScale", Tuned: "TunedScale", Variant: "ScaleVariant", Variants: "gpucVariantsOfScale"},
		"scale": {Launch: "launchScale", Run: "runScale", Go: "goScale", Embedded: "gpucOfScale", Values: "gpucValuesOfScale",
			Tune: "tuneScale", Tuned: "tunedScale", Variant: "scaleVariant", Variants: "gpucVariantsOfScale"},
		"ärmel": {Launch: "launchÄrmel", Run: "runÄrmel", Go: "goÄrmel", Embedded: "gpucOfÄrmel", Values: "gpucValuesOfÄrmel",
			Tune: "tuneÄrmel", Tuned: "tunedÄrmel", Variant: "ärmelVariant", Variants: "gpucVariantsOfÄrmel"},
		"_x": {Launch: "launch_x", Run: "run_x", Go: "go_x", Embedded: "gpucOf_x", Values: "gpucValuesOf_x",
			Tune: "tune_x", Tuned: "tuned_x", Variant: "_xVariant", Variants: "gpucVariantsOf_x"},
	} {
		if got := gokernel.NamesOf(kernel); got != want {
			t.Errorf("%s: got %v, want %v", kernel, got, want)
		}
	}
}

// TestTunedFields tests that tuned constants are found in a folder of any name, except in test
// files.
func TestTunedFields(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a[b]*")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Skip("skipped: the system has no folder of that name: ", err)
	}
	for name, text := range map[string]string{
		"b.go":      "package k\n\nconst (\n\ttile = 16 //gpuc:tune 8 16\n\tother = 3\n)\n",
		"a.go":      "package k\n\nconst Unroll = 2 //gpuc:tune\t1 2\n",
		"a_test.go": "package k\n\nconst Tested = 2 //gpuc:tune 1 2\n",
		"a.txt":     "package k\n\nconst Text = 2 //gpuc:tune 1 2\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := gokernel.TunedFields(folder), "Tile int; Unroll int"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
