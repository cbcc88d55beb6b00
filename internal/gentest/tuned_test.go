package gentest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/kernelcache"
	"github.com/gpuc/gpuc/runtime/tuning"
)

// TestGenTuned makes the launchers of kernels with tuned constants and runs the package's own test,
// which runs each variant as plain Go and on all devices. The package names variants, and calls
// functions that measure them, before these are there.
func TestGenTuned(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	folder := module(t, "tuned")
	if got, want := gen(t, folder, "-target", "spirv,ptx,cpu,checked", "."), ".  14 kernels, 2 files written\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, line := range [][]string{{"vet", "."}, {"test", "."}} {
		if text, err := goCommand(t, folder, nil, line...); err != nil {
			t.Errorf("go %s: %v\n%s", line[0], err, text)
		}
	}
	checkTune(t, folder)
	first := files(t, folder)
	put(t, filepath.Join(folder, "gpuc_gen.go"), first["gpuc_gen.go"][:900])
	gen(t, folder, "-target", "spirv,ptx,cpu,checked", ".")
	if diff := cmp.Diff(first, files(t, folder)); diff != "" {
		t.Errorf("made again (-first +second):\n%s", diff)
	}
	// the variant of a value that is gone goes
	source := filepath.Join(folder, "kernels.go")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	put(t, source, strings.Replace(string(text), "//gpuc:tune 8 16 32", "//gpuc:tune 8 16", 1))
	if code, _, stderr := gpuc(t, folder, "gen", "-check", "."); code != 1 || !strings.Contains(stderr, "gpuc_gen.zip is stale (MatMul_Tile32.spv") {
		t.Errorf("-check: code %d\n%s", code, stderr)
	}
	gen(t, folder, "-target", "spirv,ptx,cpu,checked", ".")
	for _, m := range open(t, folder).Members {
		if strings.Contains(m.Name, "Tile32") {
			t.Errorf("%s is still there", m.Name)
		}
	}
}

// checkTune measures the kernels of the package on the CPU device, and looks the records up.
func checkTune(t *testing.T, folder string) {
	t.Helper()
	code, stdout, stderr := gpuc(t, folder, "tune", "-device", "cpu", "-budget", "10m", ".")
	if code != 1 || stderr != "Which is not measured: no test of . with a name like TestTune calls TuneWhich; gpuc tune -h shows one\n"+
		"first_uint32 is not measured: no test of . with a name like TestTune calls tuneFirst; gpuc tune -h shows one\n" {
		t.Fatalf("gpuc tune: code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{"MatMul, 32 x 32 x 1 items, 3 buffers of 1024 elements: Tile=", "MatMul, 64 x 64 x 1 items, 3 buffers of 4096 elements: Tile=",
		"first_int32, 4096 x 1 x 1 items, a buffer of 4096 elements: Unroll=", "gpuc_tuning.jsonl written\ngpuc_gen.go written\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("gpuc tune does not say %q:\n%s", want, stdout)
		}
	}
	records := files(t, folder)[tuning.File]
	if strings.Count(records, "\n") != 3 || !strings.HasPrefix(records, `{"tuning":1,"package":"example.com/tuned","kernel":"MatMul",`) {
		t.Errorf("the records are\n%s", records)
	}
	// programs look them up, and the tests report by themselves
	cache := t.TempDir()
	reports := filepath.Join(cache, "reports")
	task := tuning.Variable + `={"device":"cpu","file":"` + filepath.ToSlash(reports) + `","budget":600000000000}`
	if text, err := goCommand(t, folder, []string{task}, "test", "-vet=off", "-count=1", "-run", "TestTune|TestEmbedded", "."); err != nil {
		t.Errorf("go test with records: %v\n%s", err, text)
	}
	// whose reports are taken; what is damaged, or about other code, is ignored
	put(t, filepath.Join(folder, tuning.File), strings.Replace(records, `"code":"`, `"code":"0`, 1)+"<<<<<<< HEAD\n")
	code, stdout, stderr = gpuc(t, folder, "tune", "-from", reports, ".")
	if taken := files(t, folder)[tuning.File]; code != 0 || !strings.HasSuffix(stdout, "\ngpuc_tuning.jsonl written\n") || strings.Count(taken, "\n") != 3 ||
		!strings.Contains(stderr, "gpuc_tuning.jsonl:4 is ignored: it is damaged") || strings.Contains(taken, `"code":"0`) != strings.Contains(records, `"code":"0`) {
		t.Errorf("gpuc tune -from: code %d\n%s%s%s", code, stdout, stderr, taken)
	}
	// what the user has measured comes first
	kept := tuning.KeptIn(cache, "example.com/tuned")
	first, rest, _ := strings.Cut(records, "\n")
	if note := kept.Write([]byte(strings.Replace(first, `"code":"`, `"code":"0`, 1) + "\n" + rest)); note != "" {
		t.Fatal(note)
	}
	code, stdout, stderr = gpucIn(t, folder, []string{kernelcache.Variable + "=" + cache}, "tune", "-explain", ".")
	for _, want := range []string{"MatMul: Tile=16\n  " + kept.Path + ":1 is ignored: it is about other code of the kernel, measured on ",
		"  cpu:0, 32 x 32 x 1 items, 3 buffers of 1024 elements: Tile=", "by gpuc_tuning.jsonl:1 of this device and driver\n    Tile=16 ",
		"  cpu:0, 64 x 64 x 1 items, 3 buffers of 4096 elements: Tile=", "by " + kept.Path + ":2 of this device and driver\n    Tile=16 ",
		"Which: Tile=16 Unroll=2\n", "  cpu:0: Tile=16 Unroll=2, as the package has it; no record is of "} {
		if code != 0 || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("gpuc tune -explain does not say %q: code %d\n%s%s", want, code, stdout, stderr)
		}
	}
	if err := os.Remove(filepath.Join(folder, tuning.File)); err != nil {
		t.Fatal(err)
	}
	gen(t, folder, "-target", "spirv,ptx,cpu,checked", ".") // which embeds it no more
}

// TestGenTunedTyped: what names a variant wrongly does not compile.
func TestGenTunedTyped(t *testing.T) {
	testmode.Long(t)
	t.Parallel()
	folder := module(t, "tuned")
	gen(t, folder, ".")
	checkWrong(t, folder, `package tuned

import (
	"context"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func wrong(ctx context.Context, s *gpu.Stream, g gpu.Grid, f *gpu.Buffer[float32], u *gpu.Buffer[uint32], i *gpu.Buffer[int32]) {
	_ = LaunchMatMul(s, g, 64, f, f, f, MatMulVariant{Tile: 8})
	_ = LaunchMatMul(s, g, 64, f, f, f, MatMulVariant{Unroll: 8}) // unknown field Unroll
	_ = LaunchMatMul(s, g, 64, f, f, f, WhichVariant{Tile: 8})    // cannot use WhichVariant
	_ = LaunchMatMul(s, g, 64, f, f, f, 8)                        // cannot use 8
	_ = LaunchPlain(s, g, i, MatMulVariant{})                     // too many arguments
	_ = launchFirst(s, g, 1, u, firstVariant{Unroll: 1})
	_ = launchFirst(s, g, 1, f, firstVariant{})                   // float32 does not satisfy
	_, _, _ = TuneMatMul(ctx, s, g, 64, f, f, f)                  // cannot use g
}
`)
}

// TestGenTunedNames: what the package declares under a name that is going to be generated is
// refused.
func TestGenTunedNames(t *testing.T) {
	t.Parallel()
	folder := module(t, "tuned")
	put(t, filepath.Join(folder, "more.go"), "package tuned\n\ntype MatMulVariant int\n\nfunc TunedWhich() {}\n\nvar gpucVariantsOfMatMul int\n")
	code, _, stderr := gpuc(t, folder, "gen", ".")
	for _, name := range []string{"MatMulVariant", "TunedWhich", "gpucVariantsOfMatMul"} {
		if want := "gpuc gen makes a " + name + " for a kernel, and the package has one"; code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("code %d, and it does not say %q:\n%s", code, want, stderr)
		}
	}
}
