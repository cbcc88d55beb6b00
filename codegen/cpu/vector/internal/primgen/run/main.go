// Command run writes the primitives of package vector into the current folder; `go generate` there
// calls it.
package main

import (
	"fmt"
	"os"

	"github.com/gpuc/gpuc/codegen/cpu/vector/internal/primgen"
)

func main() {
	source, err := primgen.Generate()
	if err == nil {
		err = os.WriteFile(primgen.File, source, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "primgen:", err)
		os.Exit(1)
	}
}
