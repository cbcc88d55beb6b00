package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/gpuc/gpuc/internal/playground/site"
)

var playgroundCommand = command{
	name:    "playground",
	summary: "serve a page to write kernels in: problems as you type, IR, code, runs",
	usage:   "[flags]",
	help: `
Serves a page on this machine, in which gpuc itself runs: an editor for WGSL with what is wrong
and its fixes as you type, the IR after each pass and the code of each target linked by lines,
and the kernel executed on the CPU device, plain or checked, or on WebGPU where the browser
has it. Nothing that you write leaves the browser; Share puts it into the address.

  gpuc playground                     prints the address, and serves until Ctrl-C
  gpuc playground -addr :8080         on this port of all networks of this machine
  gpuc playground -o site/            writes the files of the page instead, which any server of
                                      static files can serve

A release of gpuc holds the compiler for browsers. Other builds make it of gpuc's source by the
go command, which takes a minute the first time. docs/guide/playground.md says more.
`,
}

func init() { playgroundCommand.run = runPlayground }

// siteName is the file by which a folder with the page is known, and siteStart what it begins with.
const (
	siteName  = "index.html"
	siteStart = "<!doctype html>\n<!-- the page of gpuc playground -->\n"
)

func runPlayground(e *environment, args []string) error {
	f := playgroundCommand.newFlags()
	address := f.String("addr", "127.0.0.1:0", "the `address` to serve at; port 0 is one that is free")
	folder := f.String("o", "", "write the files of the page into a `folder`, and serve nothing")
	if err := playgroundCommand.parseFlags(e, f, args); err != nil {
		return err
	}
	if e.envelope != nil && *folder == "" {
		return usagef("-json goes with -o, which ends by itself; serving does not")
	}
	say := func(text string) { fmt.Fprintln(e.stderr, "gpuc playground: "+text) }
	if *folder != "" {
		return e.writeSite(*folder, say)
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
	interrupts, stop := e.takeInterrupts()
	defer stop()
	go func() {
		<-interrupts
		listener.Close()
	}()
	fmt.Fprintf(e.stdout, "http://%s/\n", listener.Addr())
	return newPageServer(files).serve(listener)
}

// writeSite writes the files of the page into a folder, which is to be empty, not there, or one
// that has the page.
func (e *environment) writeSite(folder string, say func(string)) error {
	index := filepath.Join(folder, siteName)
	kind := fileKind{beginsWith(siteStart), "is no page of gpuc playground"}
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		if contents, err := os.ReadFile(index); err != nil || !kind.recognise(contents) {
			return fmt.Errorf("cannot write to %s: it has files, and is no folder that gpuc playground has made; name another folder", folder)
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return cannotWrite(folder, err)
	}
	files, err := site.Files(say)
	if err != nil {
		return err
	}
	var o outputs
	var contents [][]byte
	results := &buildResults{}
	for _, f := range files {
		path := filepath.Join(folder, f.Name)
		if _, err := o.plan(path, "a file of the page", fileKind{}); err != nil {
			return err
		}
		contents = append(contents, f.Data)
		results.Files = append(results.Files, writtenFile{path, len(f.Data), "a file of the page"})
	}
	if err := o.writeAll(contents); err != nil {
		return err
	}
	e.answerWith(results)
	fmt.Fprintf(e.stdout, "%s  %d files; serve the folder, or put it where static files are served\n", index, len(files))
	return nil
}
