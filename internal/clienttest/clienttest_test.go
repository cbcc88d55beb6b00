// Package clienttest tests gpuc with its clients: an editor, a browser, and programs in C, Python
// and Go that load its artefacts.
package clienttest

import (
	"testing"

	"github.com/gpuc/gpuc/internal/commandtest"
)

func TestMain(m *testing.M) { commandtest.Main(m) }
