package outfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWritesAllFilesOrNone: a file that cannot be written leaves the others as they were.
func TestWritesAllFilesOrNone(t *testing.T) {
	t.Chdir(t.TempDir())
	mustWrite(t, "a.bin", "old", 0o644)
	if err := os.Mkdir("folder", 0o755); err != nil {
		t.Fatal(err)
	}
	var o Plan
	for _, name := range []string{"a.bin", "new.bin", filepath.Join("folder", "b.bin")} {
		if _, err := o.Add(name, "-out", Kind{}); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, map[string]string{"a.bin": "old", "folder": ""}) // planning leaves nothing
	if err := os.Remove("folder"); err != nil {
		t.Fatal(err)
	}
	for _, f := range o.Files {
		f.Contents = []byte("1")
	}
	err := o.Commit()
	if err == nil || !strings.Contains(err.Error(), "there is no folder folder") {
		t.Errorf("got %v, want an error about the folder", err)
	}
	holds(t, map[string]string{"a.bin": "old"})
}

// TestWritesThroughLinks: an old file keeps its permissions, and symbolic links are followed.
func TestWritesThroughLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	mustWrite(t, "secret.bin", "old", 0o600)
	if err := os.Symlink("secret.bin", "link.bin"); err != nil {
		t.Skip("skipped: the system makes no symbolic links in the temporary folder: ", err)
	}
	if err := os.Symlink("nothing.bin", "dangling.bin"); err != nil {
		t.Fatal(err)
	}
	var o Plan
	f, err := o.Add("link.bin", "-out x", Kind{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.Add("secret.bin", "-out y", Kind{}); err == nil || !strings.Contains(err.Error(), "is to be written twice, as -out x and as -out y") {
		t.Errorf("got %v, want an error about one file under two names", err)
	}
	if _, err := o.Add("dangling.bin", "-out z", Kind{}); err == nil || !strings.Contains(err.Error(), "link to a file that is not there") {
		t.Errorf("got %v, want an error about the link", err)
	}
	if err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink("link.bin"); err != nil || to != "secret.bin" {
		t.Errorf("the link leads to %q (%v)", to, err)
	}
	if data, err := os.ReadFile("secret.bin"); err != nil || string(data) != "new" {
		t.Errorf("the file holds %q (%v)", data, err)
	}
	if info, err := os.Stat("secret.bin"); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file has mode %v (%v), want that of before", info.Mode(), err)
	}
}

// TestRefusesToWrite: an input under another name is not replaced, nor a protected file.
func TestRefusesToWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	mustWrite(t, "in.bin", "in", 0o644)
	mustWrite(t, "protected.bin", "kept", 0o444)
	if err := os.Mkdir("folder.bin", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link("in.bin", "hard.bin"); err != nil {
		t.Skip("skipped: the system makes no hard links in the temporary folder: ", err)
	}
	var o Plan
	o.Reads("in.bin", "bound to `x`")
	for name, want := range map[string]string{
		"./in.bin":      "cannot write ./in.bin: it is bound to `x`; name another file",
		"hard.bin":      "cannot write hard.bin: it is bound to `x`; name another file",
		"protected.bin": "cannot write protected.bin: it is write-protected; allow writing or name another file",
		"folder.bin":    "cannot write folder.bin: it is a folder; name a file in it",
		"none/x.bin":    "cannot write none/x.bin: there is no folder none; make it first",
	} {
		if _, err := o.Add(name, "-out y", Kind{}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	holds(t, map[string]string{"in.bin": "in", "hard.bin": "in", "protected.bin": "kept", "folder.bin": ""})
}

// mustWrite writes a file, or ends the test.
func mustWrite(t *testing.T, name, contents string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(contents), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// holds compares the files of the working folder with those wanted. A folder may hold anything.
func holds(t *testing.T, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("%s is left behind", e.Name())
		}
	}
	for name, contents := range want {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			continue
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != contents {
			t.Errorf("%s holds %q (%v), want %q", name, data, err, contents)
		}
	}
}
