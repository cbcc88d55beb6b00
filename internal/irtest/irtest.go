// Package irtest reads modules for tests, which end if a module is not what it should be.
package irtest

import (
	"testing"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
)

// Parse reads a module that must be valid.
func Parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, _, items := ir.ParseString(text)
	if m == nil {
		t.Fatalf("does not parse: %+v\n%s", items, text)
	}
	Verify(t, m, 0)
	return m
}

// Verify ends the test if a module is invalid or lacks a property.
func Verify(t testing.TB, m *ir.Module, holds ir.Property) {
	t.Helper()
	var list diag.List
	ir.Verify(m, &list)
	ir.CheckProperties(m, holds, &list)
	for _, d := range list.Items() {
		t.Errorf("verify: %s %v", d.Message, d.Notes)
	}
	if list.Errors() > 0 {
		t.Fatalf("invalid:\n%s", m.Text())
	}
}
