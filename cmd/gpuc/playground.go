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
Serves a page on this machine, in which gpuc itself runs: an editor for WGSL with what is wrong
and its fixes as you type, the IR after each pass and the code of each target linked by lines,
and the kernel executed on the CPU device, plain or checked, or on WebGPU where the browser
has it. Nothing that you write leaves the browser; Share puts it into the address.

  gpuc playground                     prints the address, and serves until Ctrl-C
  gpuc playground -addr :8080         on this port of all networks of this machine
  gpuc playground -o site/            writes the files of the page instead, which any server of
                                      static files can serve

A release of gpuc holds the compiler for browsers. Other builds make it of gpuc's source by the
go command, which takes a minute the first time. docs/explore.md says more.
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
	return site.NewPageServer(files).Serve(listener)
}

// writeSite writes the files of the page into a folder, which is to be empty, not there, or one
// that has the page.
func writeSite(e *cli.Env, folder string, say func(string)) error {
	index := filepath.Join(folder, site.SiteName)
	kind := outfile.Kind{Magic: site.SiteStart, Foreign: "is no page of gpuc playground"}
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
