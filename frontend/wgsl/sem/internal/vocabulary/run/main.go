// Command run writes vocabulary_gen.go in the current folder; `go generate` in package
// sem calls it.
package main

import (
	"fmt"
	"os"

	"github.com/gpuc/gpuc/frontend/wgsl/sem/internal/vocabulary"
)

func main() {
	source, err := vocabulary.Generate()
	if err == nil {
		err = os.WriteFile("vocabulary_gen.go", source, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "vocabulary:", err)
		os.Exit(1)
	}
}
