package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/builder"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/internal/playground/site"
)

var playgroundCommand = cli.Command{
	Name:    "playground",
	Run:     runPlayground,
	Summary: "serve a page to write kernels in: problems as you type, IR, code, runs",
	Usage:   "[flags]",
	Help: `
Serves a web page in which gpuc runs: an editor for WGSL with errors and fixes as you type, the
IR after each pass, the code for each target, and the kernel running on the CPU device or on
WebGPU. Your code does not leave the browser. Share puts it into the address of the page.

  gpuc playground                     prints the address, and serves until Ctrl-C
  gpuc playground -addr :8080         at this port, for all computers of the network
  gpuc playground -o site/            writes the page into a folder instead, for any server of
                                      static files

A release of gpuc contains the compiler for browsers. Other builds compile it from gpuc's
source with the go command, which takes a minute the first time. docs/guide/playground.md has
more.
`,
}

func runPlayground(e *cli.Env, args []string) error {
	f := e.NewFlags()
	address := f.String("addr", "127.0.0.1:0", "the `address` to serve at; port 0 is one that is free")
	folder := f.String("o", "", "write the files of the page into a `folder`, and serve nothing")
	if err := e.ParseFlags(f, args); err != nil {
		return err
	}
	if e.WantsJSON() && *folder == "" {
		return usage.Errorf("-json goes with -o, which ends by itself; serving does not")
	}
	say := func(text string) { fmt.Fprintln(e.Stderr, "gpuc playground: "+text) }
	if *folder != "" {
		return writeSite(e, *folder, say)
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return fmt.Errorf("cannot serve at %s: %w; -addr chooses another address", *address, err)
	}
	defer listener.Close()
	files, err := site.Files(say)
	if err != nil {
		return err
	}
	interrupts, stop := e.CatchInterrupts()
	defer stop()
	go func() {
		<-interrupts
		listener.Close()
	}()
	fmt.Fprintf(e.Stdout, "http://%s/\n", listener.Addr())
	return site.Serve(listener, files)
}

// writeSite writes the files of the page into a folder that is empty, does not exist, or has the
// page.
func writeSite(e *cli.Env, folder string, say func(string)) error {
	index := filepath.Join(folder, site.IndexName)
	kind := outfile.Kind{Magic: site.IndexStart, Foreign: "is no page of gpuc playground"}
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		if contents, err := os.ReadFile(index); err != nil || !kind.Has(contents) {
			return fmt.Errorf("cannot write to %s: it has files, and is no folder that gpuc playground has made; name another folder", folder)
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return outfile.CannotWrite(folder, err)
	}
	files, err := site.Files(say)
	if err != nil {
		return err
	}
	var o outfile.Plan
	for _, f := range files {
		to, err := o.Add(filepath.Join(folder, f.Name), "a file of the page", outfile.Kind{})
		if err != nil {
			return err
		}
		to.Contents = f.Data
	}
	if err := o.Commit(); err != nil {
		return err
	}
	e.SetResults(&builder.Results{Files: o.Written()})
	fmt.Fprintf(e.Stdout, "%s  %d files; serve the folder, or put it where static files are served\n", index, len(files))
	return nil
}
