package all_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
)

// TestConstraints looks for order constraints that concern no pipeline, such as those with a pass
// that is gone. Target.Check tests that pipelines keep to them (TestContracts).
func TestConstraints(t *testing.T) {
	for _, c := range codegen.Constraints {
		applies := false
		for _, target := range all.Targets {
			for _, way := range target.Ways() {
				_, has := c.In(way.Passes)
				applies = applies || has
			}
		}
		if !applies {
			t.Errorf("no pipeline has %s and %s", c.Before, c.After)
		}
	}
}
