// Command run writes table_gen.go in the current folder; `go generate` in package op calls it.
package main

import (
	"fmt"
	"os"

	"github.com/gpuc/gpuc/ir/op/internal/tablegen"
)

func main() {
	source, err := tablegen.Generate()
	if err == nil {
		err = os.WriteFile("table_gen.go", source, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tablegen:", err)
		os.Exit(1)
	}
}
