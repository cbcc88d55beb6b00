package main

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TestExamples: each example in the table of diagnostic codes triggers its code.
func TestExamples(t *testing.T) {
	for _, code := range diag.Codes() {
		example := code.Entry().Example
		if example == "" {
			continue
		}
		var set source.Set
		var list diag.List
		file, err := set.Add("example.wgsl", example)
		if err != nil {
			t.Fatal(err)
		}
		m, err := frontend.Load(&set, file, frontend.Options{Warn: true}, &list)
		if err != nil {
			t.Fatal(err)
		}
		if m != nil {
			codegen.Compile(m, "", &spirv.Target, &codegen.Options{}, &list)
		}
		found := false
		for _, d := range list.Items() {
			found = found || d.Code == code
		}
		if !found {
			t.Errorf("%s: the example `%s` gives %v", code, example, list.Items())
		}
	}
}
