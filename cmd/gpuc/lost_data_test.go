package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// lostData lists mistakes that could lose data or give wrong results silently, with the scripts
// that show a refusal or a message instead. Those without a command line have tests, as FILE:NAME.
var lostData = []struct {
	what    string
	scripts []string
	tests   []string
}{
	{"an output replaces the source", []string{"build_over_source", "build_over_ir", "build_wgsl_source"}, nil},
	{"an output replaces an input", []string{"run_over_input"}, nil},
	{"an output replaces a file that gpuc did not make", []string{"build_over_foreign", "build_over_folder", "build_wgsl_over", "run_out_other_kind"}, nil},
	{"files are written without a word", []string{"run_saxpy_out", "build_wgsl"}, []string{"cmd/gpuc/build_all_test.go:TestBuildAll"}},
	{"a result has no folder", []string{"run_out_folder", "build_no_folder"}, nil},
	{"a result has no permission", nil, []string{"cmd/gpuc/internal/outfile/outfile_test.go:TestRefusesToWrite"}},
	{"a result is of no known format", []string{"run_out_extension"}, nil},
	{"a result has no size", []string{"run_out_png_large", "texture_out_layers"}, nil},
	{"a disk is full", nil, []string{"cmd/gpuc/files_unix_test.go:TestFullDisk"}},
	{"rows of three numbers in steps of sixteen bytes", []string{"run_rows", "run_rows_straddle", "run_padding", "run_part_of_element"}, nil},
	{"bits of floats as pixels", []string{"run_out_png_floats"}, nil},
	{"a picture that is cut", []string{"run_out_png_cropped"}, nil},
	{"a grid of nothing", []string{"run_grid_zero", "run_extent_zero"}, []string{"runtime/gpu/plain_test.go:TestGridOfNothing", "runtime/gpu/gpu_test.go:TestArguments", "runtime/gpu/grid_test.go:TestItems"}},
	{"a fraction for an integer override", []string{"run_setting_fraction", "build_setting_fraction", "run_number_fraction"}, nil},
	{"fewer or more elements than a shape says", []string{"run_too_few", "run_array_cut", "run_array_longer", "run_member_count", "run_object_count"}, nil},
	{"numbers of another width", []string{"run_float64", "run_float64_large", "run_int64", "run_int64_floats", "run_records"}, nil},
	{"members that nobody gives a value", []string{"run_member", "run_object_missing", "run_records_missing"}, nil},
	{"two results in one file", []string{"run_out_twice", "build_files_twice", "build_twice"}, nil},
	{"a file with the name of another kind", []string{"build_misnamed", "build_misnamed_assembly", "build_misnamed_description"}, nil},
	{"a uniform that nobody bound", []string{"run_uniform_unbound", "run_immediates_unbound"}, nil},
	{"a binding that the entry point does not use", []string{"run_unused_binding", "run_unused_out"}, nil},
	{"closing drops work under way", nil, []string{"runtime/driver/cpu/cpu_test.go:TestCloseWaits"}},
	{"work that nobody waits for any more goes on", nil, []string{"runtime/driver/cpu/cpu_test.go:TestCloseStopsAbandonedWork"}},
	{"a read that was given up returns no error", nil, []string{"runtime/gpu/gpu_test.go:TestBuffers"}},
	{"a race names one invocation twice", []string{"run_race"}, nil},
	{"a fix that does not compile", nil, []string{"cmd/gpuc/check_test.go:TestFixes", "cmd/gpuc/check_test.go:TestFixesOfWrongPrograms"}},
}

// TestLostData: each script in the list expects an error, a note, or the names of the written
// files, and the tests exist.
func TestLostData(t *testing.T) {
	for _, item := range lostData {
		for _, name := range item.scripts {
			archive, err := txtar.ParseFile(filepath.Join("testdata", "script", name+".txtar"))
			if err != nil {
				t.Errorf("%s: %v", item.what, err)
				continue
			}
			said := map[string]string{}
			for _, f := range archive.Files {
				said[f.Name] = string(f.Data)
			}
			refused := said["code"] != "" && said["stderr"] != ""
			noted := strings.Contains(said["stderr"], "note: ") || strings.Contains(said["stdout"], "\nwrote ") || strings.Contains(said["stdout"], "  the description\n")
			if !refused && !noted {
				t.Errorf("%s: %s neither refuses nor says it", item.what, name)
			}
		}
		for _, test := range item.tests {
			file, name, _ := strings.Cut(test, ":")
			text, err := os.ReadFile(filepath.Join("..", "..", file))
			if err != nil || !strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)") {
				t.Errorf("%s: there is no test %s (%v)", item.what, test, err)
			}
		}
		if len(item.scripts)+len(item.tests) == 0 {
			t.Errorf("nothing shows %s", item.what)
		}
	}
}
