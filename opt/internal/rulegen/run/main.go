// Command run writes simplify_gen.go from simplify.rules in the current folder;
// `go generate` in package opt calls it.
package main

import (
	"fmt"
	"os"

	"github.com/gpuc/gpuc/opt/internal/rulegen"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "rulegen:", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := os.ReadFile("simplify.rules")
	if err != nil {
		return err
	}
	rules, err := rulegen.Parse(string(text))
	if err != nil {
		return err
	}
	source, err := rulegen.Generate(rules)
	if err != nil {
		return err
	}
	return os.WriteFile("simplify_gen.go", source, 0o644)
}
