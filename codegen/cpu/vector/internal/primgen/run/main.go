// Command run writes the primitives of package columns into the current folder; `go generate` there
// calls it.
package main

import (
	"fmt"
	"os"

	"github.com/gpuc/gpuc/codegen/cpu/vector/internal/primgen"
)

func main() {
	for _, f := range primgen.Files {
		source, err := f.Generate()
		if err == nil {
			err = os.WriteFile(f.Name, source, 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "primgen:", err)
			os.Exit(1)
		}
	}
}
