// Command gpuc compiles GPU kernels and runs them. `gpuc help` lists what it
// does, and each command's -h teaches it by example.
package main

import (
	"os"
	"runtime"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/completion"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/explain"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/gogen"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/serve"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/termimage"
)

// commands is gpuc with all its commands.
var gpuc = cli.App{
	Commands: []*cli.Command{
		&runCommand, &buildCommand, &gogen.Command, &checkCommand, &fmtCommand, &irCommand, &exploreCommand, &playgroundCommand, &layoutCommand, &explain.Command,
		&serve.Command, &lspCommand, &devicesCommand, &targetsCommand, &completion.Command, &completion.Man, &versionCommand,
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
	out := &cli.StandardOutput{To: os.Stdout}
	e := &cli.Env{Stdin: os.Stdin, Stdout: out, Stderr: os.Stderr}
	if info, err := os.Stderr.Stat(); err == nil { // a dumb terminal cannot take back what it shows
		e.Terminal = info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		e.Images = termimage.Detect(os.Getenv)
	}
	e.Colour = e.Terminal && cli.TakesColours(runtime.GOOS, os.Getenv)
	if info, err := os.Stdin.Stat(); err == nil {
		e.StdinTerminal = e.Terminal && info.Mode()&os.ModeCharDevice != 0
	}
	os.Exit(out.Finish(e, gpuc.Execute(e, os.Args[1:])))
}

// growStack gives the goroutine that compiles a stack that suffices for most programs at
// once. Go would double it five times from 2 KiB, and each time look up in tables all over
// the binary what stands on it, the deeper the more: a tenth of a small compilation. It is
// the size of the frame that counts: nothing is written to it for n = 0.
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
