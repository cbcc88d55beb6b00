// Command gpuc compiles GPU kernels and runs them. `gpuc help` lists its commands, and
// `gpuc COMMAND -h` explains one, with examples.
//
// This package has the short commands. Longer ones, and what several commands share, are packages
// in internal.
package main

import (
	"os"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/completion"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/explain"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/gogen"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/serve"
)

// gpuc is the program with all of its commands.
var gpuc = cli.App{
	Commands: []*cli.Command{
		&runCommand, &buildCommand, &gogen.Command, &gogen.Tune, &checkCommand, &fmtCommand, &irCommand, &exploreCommand, &playgroundCommand, &layoutCommand, &explain.Command,
		&serve.Command, &lspCommand, &devicesCommand, &cacheCommand, &targetsCommand, &completion.Command, &completion.Man, &versionCommand,
	},
	About: "gpuc compiles GPU kernels: one source, every GPU.",
	Start: `Start with

  gpuc run examples/mandelbrot/mandelbrot.wgsl -bind 'image=zeros(262144)' \
      -extent 512,512 -out image=mandelbrot.png:512x512
`,
}

func main() {
	if isVet(os.Args[1:]) {
		vet()
	}
	growStack(0)
	gpuc.Main()
}

// growStack grows the stack of the calling goroutine to 40 KiB, which suffices to compile most
// programs. Otherwise Go would double it five times from 2 KiB, and copy it each time. That is a
// tenth of the time of a small compilation. The size of the frame is what matters: with n = 0
// nothing is written to it.
//
//go:noinline
func growStack(n int) byte {
	if n == 0 {
		return 0
	}
	var frame [40 << 10]byte
	frame[n-1] = 1
	return frame[n/2]
}
