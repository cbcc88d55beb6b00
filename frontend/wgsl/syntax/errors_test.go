package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestMessages compares the messages for the programs in testdata/*.errors, which lines of dashes
// separate. The output repeats each program after its messages.
func TestMessages(t *testing.T) {
	paths, _ := filepath.Glob("testdata/*.errors")
	if len(paths) == 0 {
		t.Fatal("no files")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for program := range strings.SplitSeq(string(text), "----\n") {
			var set source.Set
			file, err := set.Add("", program)
			if err != nil {
				t.Fatal(err)
			}
			var list diag.List
			Parse(file, &list)
			if list.Errors() == 0 {
				t.Errorf("%s: no error in %q", path, program)
			}
			out.WriteString("----\n")
			if err := diag.Write(&out, &set, list.Items()); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, strings.TrimSuffix(path, ".errors")+".messages", out.String())
	}
}
