package main

import (
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/gpuc/gpuc/frontend/gokernel/kernelcheck"
)

// This file makes gpuc a tool of go vet: go vet -vettool=$(which gpuc) ./... Go vet first asks for
// a version and flags. Then it calls the tool for each package, with a file that describes the
// package.

// isVet reports whether a command line comes from go vet.
func isVet(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return args[0] == "-V=full" || args[0] == "-flags" ||
		strings.HasSuffix(last, ".cfg") && (len(args) == 1 || strings.HasPrefix(args[0], "-"))
}

// vet answers go vet, and exits.
func vet() { unitchecker.Main(kernelcheck.Analyzer) }
