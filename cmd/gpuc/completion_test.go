package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/completion"
)

// TestFlagValues: a flag with completed values has a value, and exists in some command.
func TestFlagValues(t *testing.T) {
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

// TestBashCompletes completes command lines in bash.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("skipped: bash is not installed (Debian: bash)")
	}
	dir := t.TempDir()
	for _, name := range []string{"kernel.wgsl", "other.txt"} {
		write(t, filepath.Join(dir, name), "")
	}
	script, _ := succeed(t, "completion", "bash")
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

// TestShells: the scripts for other shells have all commands and flags. If the shells are
// installed, they check the syntax.
func TestShells(t *testing.T) {
	for shell, flag := range map[string]string{"zsh": "'-%s:", "fish": "-o %s -d "} {
		text, _ := succeed(t, "completion", shell)
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
			write(t, file, text)
			if output, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

// TestMan: the manual page is ASCII and has all commands. If groff is installed, it shows the -h of
// each.
func TestMan(t *testing.T) {
	page, _ := succeed(t, "man")
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
