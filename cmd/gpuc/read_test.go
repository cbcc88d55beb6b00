package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/ir/source"
)

// TestWhatIsNoText: sources that are no text are refused with one message, which says what they
// are.
func TestWhatIsNoText(t *testing.T) {
	const kernel = "@compute @workgroup_size(1) fn main() {}\n"
	in16 := func(order binary.AppendByteOrder, text string) string {
		var b []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, unit)
		}
		return string(b)
	}
	const utf16Says = "it is text in UTF-16; save it in UTF-8"
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct{ contents, want string }{
		"fine.wgsl":  {kernel, ""},
		"lines.wgsl": {strings.ReplaceAll("// one\n"+kernel, "\n", "\r\n"), ""},
		// these are text, and the parser reports the position of the error
		"zero.wgsl":         {kernel + "\x00", "zero.wgsl:2:1: error: the file contains a zero code point"},
		"mark.wgsl":         {"\ufeff" + kernel, "mark.wgsl:1:1: error: the file begins with a byte order mark"},
		"little.wgsl":       {in16(binary.LittleEndian, "\ufeff"+kernel), utf16Says},
		"big.wgsl":          {in16(binary.BigEndian, "\ufeff"+kernel), utf16Says},
		"little alone.wgsl": {in16(binary.LittleEndian, kernel), utf16Says},
		"big alone.wgsl":    {in16(binary.BigEndian, kernel), utf16Says},
		"chinese.wgsl":      {in16(binary.LittleEndian, "\ufeff"+strings.Repeat("日本", 300)), utf16Says},
		"program.wgsl":      {"\x7fELF\x02\x01\x01", "it is a program, and no source; name the WGSL, Go or IR text that it was made of"},
		"zeros.wgsl":        {strings.Repeat("\x00\x00\x00\x07", 500), "it is no text: 384 of its first 512 bytes are zero; a source is WGSL, Go or IR text in UTF-8"},
	} {
		write(t, name, c.contents)
		_, got, code := execute("check", name)
		want := c.want
		if want != "" && !strings.Contains(want, "error: ") {
			want = "gpuc check: cannot read " + name + ": " + want + "\n"
		}
		if (code == cli.ExitOK) != (want == "") || !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: exit %d and %q, want %q", name, code, got, want)
		}
	}
	write(t, "k.wgsl", kernel)
	succeed(t, "build", "k.wgsl")
	if _, said, code := execute("check", "k.spv"); code != cli.ExitDiagnostics || !strings.Contains(said, "it is code for spirv, and no source") {
		t.Errorf("exit %d and %q", code, said)
	}
}

// TestWhatIsNoFile: a folder, a link to nothing, and a file that is too large are refused.
func TestWhatIsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("folder.wgsl", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "huge.wgsl", "")
	// a sparse file
	if err := os.Truncate("huge.wgsl", source.MaxBytes+1); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"folder.wgsl": "it is a folder; name a file in it",
		"huge.wgsl":   "it has 1073741825 bytes, and source text is at most 1073741824",
	}
	if err := os.Symlink("nothing.wgsl", "link.wgsl"); err == nil { // not every system makes them
		want["link.wgsl"] = "it is a link to nothing.wgsl: "
	}
	for name, want := range want {
		for _, command := range []string{"check", "build", "ir", "layout"} {
			_, got, code := execute(command, name)
			if want := "gpuc " + command + ": cannot read " + name + ": " + want; code != cli.ExitDiagnostics || !strings.HasPrefix(got, want) {
				t.Errorf("%s %s: exit %d and %q, want %q", command, name, code, got, want)
			}
		}
	}
}

// TestAwaits: on a terminal, gpuc lsp and gpuc serve say what they wait for.
func TestAwaits(t *testing.T) {
	for _, typed := range []bool{true, false} {
		for _, command := range []string{"lsp", "serve"} {
			var stdout, stderr bytes.Buffer
			gpuc.Execute(&cli.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, StdinTerminal: typed}, []string{command})
			if said := strings.Contains(stderr.String(), "waiting for "); said != typed || stdout.Len() > 0 {
				t.Errorf("%s, typed %v: %q and %q", command, typed, stderr.String(), stdout.String())
			}
		}
	}
}
