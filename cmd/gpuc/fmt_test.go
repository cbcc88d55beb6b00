package main

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
)

// TestFmtWrites: -w keeps a file's permissions, does not write it if nothing changes or if it is
// write-protected, and follows symbolic links.
func TestFmtWrites(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(want int, args ...string) string {
		t.Helper()
		_, said, code := execute(append([]string{"fmt", "-w"}, args...)...)
		if code != want {
			t.Errorf("%q ends with %d: %s", args, code, said)
		}
		return said
	}
	stat := func(name string) fs.FileInfo {
		t.Helper()
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	for name, mode := range map[string]fs.FileMode{"a.wgsl": 0o640, "protected.wgsl": 0o444} {
		if err := os.WriteFile(name, []byte("const a=1;"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.wgsl", "link.wgsl"); err != nil {
		t.Skip("skipped: the system makes no symbolic links in the temporary folder: ", err)
	}
	run(cli.ExitOK, "link.wgsl")
	written := stat("a.wgsl")
	if text, err := os.ReadFile("a.wgsl"); string(text) != "const a = 1;\n" || err != nil {
		t.Errorf("a.wgsl has %q, %v", text, err)
	}
	if stat("link.wgsl").Mode().Type() != fs.ModeSymlink {
		t.Error("the link is none any more")
	}
	if written.Mode().Perm() != 0o640 {
		t.Errorf("a.wgsl has the permissions %v", written.Mode())
	}
	run(cli.ExitOK, "a.wgsl")
	if !os.SameFile(written, stat("a.wgsl")) {
		t.Error("a file that was formatted is written")
	}
	if said := run(cli.ExitDiagnostics, "protected.wgsl"); !strings.Contains(said, "write-protected") {
		t.Errorf("it says %q", said)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 3 {
		t.Errorf("%v is left, %v", entries, err)
	}
}
