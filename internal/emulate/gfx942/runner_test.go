package gfx942

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/exectest"
)

// servesVariable is the environment variable that makes the test's program a runner. Its value is
// the mistake to make.
const servesVariable = "GPUC_GFX942_SERVES"

func TestMain(m *testing.M) {
	if mode := os.Getenv(servesVariable); mode != "" {
		if err := serve(os.Args[1], mode); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// serve executes a launch of runner.go's protocol.
func serve(folder, mode string) error {
	data, l, err := ReadLaunch(folder)
	if err != nil {
		return err
	}
	o, err := Load(data)
	if err != nil {
		return err
	}
	if err := o.Run(l); err != nil {
		return err
	}
	switch mode {
	case "short":
		l.Buffers[0] = l.Buffers[0][1:]
	case "wrong":
		l.Buffers[len(l.Buffers)-1][3] ^= 0x40 // in the exponent of a number
	}
	return WriteBuffers(folder, l)
}

// elsewhere compiles a case and executes it by a program.
func elsewhere(t *testing.T, c *exectest.Case, program string) error {
	x := compileCase(t, c, "elsewhere", codegen.Options{}, 0, false)
	assembled, err := bench.Assemble(profile, x.programs)
	if err != nil {
		return err
	}
	return x.runBy(0, func(l *Launch) error { return RunElsewhere(program, assembled.Data, l) })
}

// TestRunnerProtocol executes a launch by the test's own program.
func TestRunnerProtocol(t *testing.T) {
	needTools(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cases := exectest.Cases()
	of := func(name string) *exectest.Case {
		return &cases[slices.IndexFunc(cases, func(c exectest.Case) bool { return c.Name == name })]
	}
	for _, test := range []struct{ mode, c, want string }{
		{"right", "immediates", ""},
		{"right", "prime_sieve", ""},
		{"right", "language_overrides", ""},
		{"wrong", "saxpy", "expected"},
		{"short", "saxpy", "bytes of buffer 0"},
	} {
		t.Setenv(servesVariable, test.mode)
		err := elsewhere(t, of(test.c), program)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s %s: got %v, want %q", test.c, test.mode, err, test.want)
		}
	}
	// what is wrong with a launch is what the program prints
	l := &Launch{Kernel: "missing", Grid: [3]uint32{1, 1, 1}, Workgroup: [3]uint32{1, 1, 1}}
	x := compileCase(t, of("saxpy"), "elsewhere", codegen.Options{}, 0, false)
	assembled, err := bench.Assemble(profile, x.programs)
	if err != nil {
		t.Fatal(err)
	}
	if err := RunElsewhere(program, assembled.Data, l); err == nil || !strings.Contains(err.Error(), "there is no kernel missing") {
		t.Errorf("a kernel that there is not: %v", err)
	}
}

// TestReadLaunch reads invalid lines.
func TestReadLaunch(t *testing.T) {
	for _, text := range []string{"kernel k\nroof 1\n", "grid 1 1\n", "bytes 4 0g\n", "address 0\n", "buffer missing.bin\n"} {
		folder := t.TempDir()
		for name, data := range map[string]string{objectFile: "", launchFile: text} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := ReadLaunch(folder); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestRunner executes the exec cases by the program that the environment names.
func TestRunner(t *testing.T) {
	program := os.Getenv(RunnerVariable)
	if program == "" {
		t.Skip("skipped: " + RunnerVariable + " names no program that executes code objects (runner.go says how it is called; a machine with a device of AMD's can have one)")
	}
	needTools(t)
	cases := exectest.Cases()
	for n := range cases {
		if c := &cases[n]; len(c.Textures) == 0 {
			if err := elsewhere(t, c, program); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}
