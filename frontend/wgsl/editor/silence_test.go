package editor_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/editor"
	"github.com/gpuc/gpuc/ir/diag"
)

// TestSilence silences the warnings of the programs that the linter is tested with, one after the
// other, until there are none but those that nothing silences.
func TestSilence(t *testing.T) {
	files, err := filepath.Glob("../lint/testdata/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	silenced, again := map[diag.Code]int{}, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := editor.NewDocument(filepath.Base(file), string(text))
		for range 100 { // there are fewer
			list := slices.Clone(d.Diagnostics())
			i := slices.IndexFunc(list, func(x diag.Diagnostic) bool { return x.Code != diag.UnusedAllow })
			if i < 0 {
				break
			}
			e := d.Silence(&list[i])
			if e == nil {
				t.Errorf("%s: nothing silences %q", file, list[i].Message)
				break
			}
			silenced[list[i].Code]++
			d.SetText(apply(d.Text(), []editor.Edit{*e}))
			if slices.ContainsFunc(d.Diagnostics(), func(x diag.Diagnostic) bool { return x.Message == list[i].Message && x.Code == list[i].Code }) {
				again++
			}
		}
	}
	t.Logf("%v, %d with a message that another has, too", silenced, again)
	if len(silenced) < 8 {
		t.Errorf("warnings of %d codes were silenced: too few", len(silenced))
	}
}
