package main

import (
	"io/fs"
	"os"
	"testing"
)

// mustWrite makes a file, or ends the test.
func mustWrite(t *testing.T, name, contents string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(contents), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// holds compares a folder's files with those that are wanted, name by name.
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
