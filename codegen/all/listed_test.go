package all_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/all"
)

// TestEveryTargetIsListed: all targets that packages declare are in the list, by the source of
// both.
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

// TestTargetsAreComplete: all targets have the required fields.
func TestTargetsAreComplete(t *testing.T) {
	for _, target := range all.Targets {
		for name, missing := range map[string]bool{
			"Name": target.Name == "", "Extension": !strings.HasPrefix(target.Extension, "."), "Doc": target.Doc == "",
			"Names": target.Names == "", "Needs": target.Needs == 0, "Emit": target.Emit == nil, "Recognise": target.Recognise == nil,
		} {
			if missing {
				t.Errorf("target %s has no %s", target.Name, name)
			}
		}
	}
}
