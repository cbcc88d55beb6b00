package main

import (
	"os"
	"testing"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/serve"
)

// TestMain lets the test binary be a worker process of gpuc serve, which starts its own executable.
func TestMain(m *testing.M) {
	if serve.IsWorker() {
		os.Exit(gpuc.Execute(&cli.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, os.Args[1:]))
	}
	os.Exit(m.Run())
}
