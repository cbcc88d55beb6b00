package main

import (
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/gpuc/gpuc/frontend/gokernel/kernelcheck"
)

// This file lets go vet call gpuc: go vet -vettool=$(which gpuc) ./... It asks for a version and
// for flags, and then has one package checked with each call, which a file describes. No command
// begins like that.

// isVet reports whether go vet has made a command line.
func isVet(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return args[0] == "-V=full" || args[0] == "-flags" ||
		strings.HasSuffix(last, ".cfg") && (len(args) == 1 || strings.HasPrefix(args[0], "-"))
}

// vet does what go vet asks for, and ends the process.
func vet() { unitchecker.Main(kernelcheck.Analyzer) }
