package opt_test

import (
	"testing"

	"github.com/gpuc/gpuc/ir"
)

func compareRuns(t testing.TB, a, b *ir.Module, seed uint64) {}
