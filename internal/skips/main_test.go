package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReport runs go test -json on a module with tests of all outcomes and checks the report.
func TestReport(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: the go command is not on the path")
	}
	const header = "package %\n\nimport \"testing\"\n\n"
	files := map[string]string{
		"go.mod":         "module example.com/ends\n\ngo 1.24\n",
		"good/a_test.go": header + "func TestGood(t *testing.T) { t.Log(\"nobody wants to know\") }\n",
		"lacks/a_test.go": header + "func TestLacks(t *testing.T) {\n\tt.Log(\"before\")\n\tt.Skip(\"skipped: there is no fish (Debian: fish)\")\n}\n" +
			"func TestParts(t *testing.T) {\n\tfor _, n := range []string{\"a\", \"b\"} {\n\t\tt.Run(n, func(t *testing.T) { t.Skip(\"skipped: two\\nlines\") })\n\t}\n}\nfunc TestSilent(t *testing.T) { t.SkipNow() }\n",
		"bad/a_test.go":   header + "func TestBad(t *testing.T) { t.Error(\"it is bad\") }\nfunc TestFine(t *testing.T) { t.Log(\"it is fine\") }\n",
		"ends/a_test.go":  header + "func TestEnds(t *testing.T) { panic(\"it ends here\") }\n",
		"wrong/a_test.go": header + "func TestWrong(t *testing.T) { undefined() }\n",
	}
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(text, "%", filepath.Base(filepath.Dir(path)), 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		packages  []string
		installed []string
		ok        bool
		want, not []string
	}{
		{[]string{"./good", "./lacks"}, []string{"spirv-tools", "fis"}, true, []string{"ok  \texample.com/ends/good", "ok  \texample.com/ends/lacks", "4 tests and parts of tests are skipped:\n",
			"  there is no fish (Debian: fish)\n      example.com/ends/lacks TestLacks\n", "  two lines\n      example.com/ends/lacks TestParts/a, and 1 more\n", "  no reason given\n      example.com/ends/lacks TestSilent\n"},
			[]string{"nobody wants", "before", "=== RUN", "installed here", "\nPASS\n"}},
		{[]string{"./good", "./lacks"}, []string{"gcc", "fish"}, false, []string{"TestLacks\n      but fish is installed here"}, nil},
		{[]string{"./good", "./bad"}, nil, false, []string{"it is bad", "--- FAIL: TestBad", "FAIL\texample.com/ends/bad", "0 tests and parts of tests are skipped:\n", "the longest tests:\n"}, []string{"it is fine", "nobody wants"}},
		{[]string{"./ends"}, nil, false, []string{"panic: it ends here", "TestEnds", "FAIL\texample.com/ends/ends"}, nil},
		{[]string{"./wrong"}, nil, false, []string{"undefined: undefined", "FAIL\texample.com/ends/wrong [build failed]"}, nil},
	} {
		test := exec.Command("go", append([]string{"test", "-json"}, c.packages...)...)
		test.Dir = folder
		test.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		events, _ := test.Output() // with status 1 where something fails
		var got bytes.Buffer
		ok, err := report(&got, bytes.NewReader(events), 1, c.installed)
		if err != nil || ok == !c.ok {
			t.Errorf("%v with %v: %v %v, want %v\n%s", c.packages, c.installed, ok, err, c.ok, got.String())
			continue
		}
		for _, text := range c.want {
			if !strings.Contains(got.String(), text) {
				t.Errorf("%v with %v: %q is missing in\n%s", c.packages, c.installed, text, got.String())
			}
		}
		for _, text := range c.not {
			if strings.Contains(got.String(), text) {
				t.Errorf("%v with %v: %q is in\n%s", c.packages, c.installed, text, got.String())
			}
		}
	}
	if _, err := report(new(bytes.Buffer), strings.NewReader("ok  \tgpuc\t1s\n"), 0, nil); err == nil {
		t.Error("lines that are not JSON are no error")
	}
}
