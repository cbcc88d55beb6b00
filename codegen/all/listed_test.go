package all_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryTargetIsListed looks for the targets that the packages beside this one declare in the
// source of the list: one that is not in it can be built by nobody.
func TestEveryTargetIsListed(t *testing.T) {
	list, err := os.ReadFile("all.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(`(?m)^var (\w+) = codegen\.Target\{`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			found++
			if name := filepath.Base(filepath.Dir(file)) + "." + m[1]; !strings.Contains(string(list), "&"+name) {
				t.Errorf("the target %s is not in the list of codegen/all", name)
			}
		}
	}
	if found < 4 {
		t.Errorf("found %d targets in the source", found)
	}
}
