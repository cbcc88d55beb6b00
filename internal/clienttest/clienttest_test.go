// Package clienttest has other programs use gpuc: an editor, a browser, and programs in C, Python
// and Go that load what was built.
package clienttest

import (
	"testing"

	"github.com/gpuc/gpuc/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
