package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestTakesColours(t *testing.T) {
	for _, test := range []struct {
		system    string
		variables map[string]string
		want      bool
	}{
		{"linux", nil, true},
		{"linux", map[string]string{"TERM": "xterm"}, true},
		{"linux", map[string]string{"TERM": "dumb"}, false},
		{"darwin", map[string]string{"NO_COLOR": "1"}, false},
		{"windows", nil, false},
		{"windows", map[string]string{"WT_SESSION": "x"}, true},
		{"windows", map[string]string{"WT_SESSION": "x", "NO_COLOR": "yes"}, false},
	} {
		if got := takesColours(test.system, func(name string) string { return test.variables[name] }); got != test.want {
			t.Errorf("%s, %v: %v", test.system, test.variables, got)
		}
	}
}

// fullDisk refuses all output.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestFullOutput: a command that does not check its output fails if that cannot be written.
func TestFullOutput(t *testing.T) {
	app := App{Commands: []*Command{{Name: "say", Run: func(e *Env, _ []string) error {
		fmt.Fprintln(e.Stdout, "hello")
		return nil
	}}}}
	for _, line := range [][]string{{"say"}, {"help"}, {"say", "-json"}} {
		var stderr bytes.Buffer
		out := &checkedWriter{to: fullDisk{}}
		e := &Env{Stdout: out, Stderr: &stderr}
		if code := out.finish(e, app.Execute(e, line)); code != ExitDiagnostics || strings.Count(stderr.String(), "no space left on device\n") != 1 {
			t.Errorf("%v: exit %d and %q", line, code, stderr.String())
		}
	}
}

// TestReads: a folder is watched for changed and for new Go files.
func TestReads(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name string) {
		if err := os.WriteFile(name, []byte("package a\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Minute) // where clocks are coarse
		if err := os.Chtimes(".", later, later); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go")
	w := watcher{watching: true}
	w.ReadsGo("a.go")
	if len(w.watched) != 2 || w.watched[0].path != "." || w.watched[1].path != "a.go" || w.changed() != "" {
		t.Errorf("watched are %v", w.watched)
	}
	write("b.go")
	if w.changed() != "." {
		t.Error("a new file is no change")
	}
}
