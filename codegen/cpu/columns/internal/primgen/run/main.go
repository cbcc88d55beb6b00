// Command run writes the primitives of package columns into the current folder; `go generate` there calls it.
package main

import (
	"fmt"
	"os"

	"github.com/gpuc/gpuc/codegen/cpu/columns/internal/primgen"
)

func main() {
	for name, generate := range map[string]func() ([]byte, error){
		"primitives_gen.go":      primgen.Generate,
		"vector_gen.go":          primgen.GenerateVector,
		"primitives_gen_amd64.s": primgen.GenerateAssembly,
	} {
		source, err := generate()
		if err == nil {
			err = os.WriteFile(name, source, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "primgen:", err)
			os.Exit(1)
		}
	}
}
