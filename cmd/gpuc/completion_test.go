package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/completion"
)

func printed(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := gpuc.Execute(&cli.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}, args); code != cli.ExitOK {
		t.Fatalf("%q: code %d, %s", args, code, stderr.String())
	}
	return stdout.String()
}

// TestFlagsOfHelp: all flags of -h are found, with what they do and whether they take a value.
func TestFlagsOfHelp(t *testing.T) {
	for _, c := range gpuc.Commands {
		_, text, _ := strings.Cut(c.HelpText(), "\nFlags:\n")
		want := 0
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "  -") {
				want++
			}
		}
		flags := c.Flags()
		if len(flags) != want {
			t.Errorf("%s: %d flags of %d in\n%s", c.Name, len(flags), want, text)
		}
		for _, f := range flags {
			if f.Doc == "" || strings.HasPrefix(f.Doc, " ") {
				t.Errorf("%s -%s: %q", c.Name, f.Name, f.Doc)
			}
		}
	}
	for _, want := range []cli.FlagHelp{
		{Name: "S", Doc: "write readable assembly, by default to standard output", HasValue: false},
		{Name: "o", Doc: "output path: a file, or a folder if it ends in / or several files are written", HasValue: true},
	} {
		if !slices.Contains(buildCommand.Flags(), want) {
			t.Errorf("build has no %+v, but %+v", want, buildCommand.Flags())
		}
	}
	// a flag whose values are completed takes one, and is of some command
	for name, values := range completion.FlagValues() {
		found := false
		for _, c := range gpuc.Commands {
			for _, f := range c.Flags() {
				found = found || f.Name == name && f.HasValue
			}
		}
		if !found || len(values) == 0 {
			t.Errorf("no command has a flag -%s with a value", name)
		}
	}
}

// TestBashCompletes asks bash.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("skipped: bash is not installed (Debian: bash)")
	}
	dir := t.TempDir()
	for _, name := range []string{"kernel.wgsl", "other.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script := printed(t, "completion", "bash")
	for _, test := range []struct{ line, want string }{
		{"bu", "build"},
		{"he", "help"},
		{"build -targ", "-target"},
		{"build -target p", "ptx"},
		{"run -device cpu", "cpu cpu:checked"},
		{"check -", "-Werror -color -fix -json -n -watch"},
		{"version -", "-json"},
		{"help ser", "serve"},
		{"completion z", "zsh"},
		{"build ke", "kernel.wgsl"},
	} {
		words := append([]string{"gpuc"}, strings.Split(test.line, " ")...)
		command := exec.Command(bash, "--norc", "-c", fmt.Sprintf("%s\nCOMP_WORDS=(%s); COMP_CWORD=%d; _gpuc; echo \"${COMPREPLY[@]}\"",
			script, strings.Join(words, " "), len(words)-1))
		command.Dir = dir
		output, err := command.CombinedOutput()
		if got := strings.TrimSpace(string(output)); err != nil || got != test.want {
			t.Errorf("%q becomes %q, not %q (%v)", test.line, got, test.want, err)
		}
	}
}

// TestShells: what other shells get names all commands and flags, and what is there to be asked
// finds no fault in it.
func TestShells(t *testing.T) {
	for shell, flag := range map[string]string{"zsh": "'-%s:", "fish": "-o %s -d "} {
		text := printed(t, "completion", shell)
		for _, c := range gpuc.Commands {
			if !strings.Contains(text, c.Name) {
				t.Errorf("%s has no %s", shell, c.Name)
			}
			for _, f := range c.Flags() {
				if !strings.Contains(text, fmt.Sprintf(flag, f.Name)) {
					t.Errorf("%s has no -%s of %s", shell, f.Name, c.Name)
				}
			}
		}
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("skipped: %s is not installed (Debian: %s)", shell, shell)
			}
			file := filepath.Join(t.TempDir(), "completion")
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if output, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

// TestMan: the page is ASCII, has all commands, and groff, if it is there, shows it as -h does.
func TestMan(t *testing.T) {
	page := printed(t, "man")
	for _, r := range page {
		if r >= 0x80 {
			t.Fatalf("it has %q", r)
		}
	}
	for _, c := range gpuc.Commands {
		if !strings.Contains(page, ".SH GPUC "+strings.ToUpper(c.Name)+"\n") {
			t.Errorf("it has no %s", c.Name)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("skipped: groff, which shows it, is not installed (Debian: groff-base)")
	}
	command := exec.Command(groff, "-man", "-Tutf8", "-ww", "-P-c", "-P-b", "-P-u")
	command.Stdin = strings.NewReader(page)
	var shown, warnings bytes.Buffer
	command.Stdout, command.Stderr = &shown, &warnings
	if err := command.Run(); err != nil || warnings.Len() > 0 {
		t.Fatalf("%v\n%s", err, warnings.String())
	}
	plain := strings.NewReplacer(" ", "", "\n", "")
	for _, c := range gpuc.Commands {
		if !strings.Contains(plain.Replace(shown.String()), plain.Replace(c.HelpText())) {
			t.Errorf("%s is not shown as its -h", c.Name)
		}
	}
}
