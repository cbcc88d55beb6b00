package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/builder"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/targetflag"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/explore"
	"github.com/gpuc/gpuc/runtime/abi"
)

var exploreCommand = cli.Command{
	Name:      "explore",
	Run:       runExplore,
	Summary:   "write a page with a kernel's source, IR after each pass and code, linked by lines",
	Usage:     "[flags] FILE",
	Watchable: true,
	Help: `
Compiles a kernel for several targets, and writes an HTML page that shows each step side by
side: the source, the IR after each pass that changes something, and the code for each
target. Pointing at a line of the source highlights what it became. The page is one file
without references to others.

  gpuc explore saxpy.wgsl                         saxpy.html, beside the source
  gpuc explore -o page.html saxpy.wgsl            another file
  gpuc explore -target spirv,ptx:sm_90 saxpy.wgsl
                                                  some targets instead of all
  gpuc explore -O0 saxpy.wgsl                     without optimisation
  gpuc explore -watch saxpy.wgsl                  again whenever the source is written
  gpuc explore ./physics                          the kernels of a Go package

If the program has errors, no page is written. If a target cannot express a kernel, the page
says so instead of showing code. gpuc playground shows the same while you type.
docs/guide/playground.md has more.
`,
}

// pageFile is the kind of the pages.
var pageFile = outfile.Kind{Magic: explore.Signature, Foreign: "gpuc explore did not make it"}

func runExplore(e *cli.Env, args []string) error {
	var c loader.Flags
	f := e.NewFlags()
	c.Register(e, f)
	targets := f.String("target", "", "comma-separated `targets`, each with a profile if wanted (ptx:sm_90); without it all that make code for a device")
	output := f.String("o", "", "the `page`; without it the source's name with .html")
	name, err := e.ParseFile(f, args)
	if err != nil {
		return err
	}
	chosen := exploredTargets()
	if *targets != "" {
		if chosen, err = targetflag.Choose(*targets); err != nil {
			return err
		}
	}
	options, err := c.CodegenOptions()
	if err != nil {
		return err
	}
	if e.WantsJSON() && *output == "-" {
		return usage.Errorf("-json writes to standard output, and so does -o -; name a file, or leave one of them out")
	}
	builds, err := builder.Start(e, []string{name}, &c, &options)
	if err != nil {
		return err
	}
	b := &builds[0]
	folder, base := b.Location("")
	if *output == "" {
		*output = filepath.Join(folder, base+pageExtension)
	}
	var o outfile.Plan
	var to *outfile.File
	if *output != "-" {
		if err := builder.CheckExtension(*output, pageExtension, "a page"); err != nil {
			return err
		}
		o.Reads(name, "the source")
		if to, err = o.Add(*output, "the page", pageFile); err != nil {
			return err
		}
	}
	found := explore.Explore(b.Program.Module, b.Entries, chosen, options)
	for _, k := range found.Kernels {
		for _, t := range k.Targets {
			if t.Code < 0 {
				fmt.Fprintf(e.Stderr, "note: there is no code of %s for target %s; the page says why\n", k.Name, t.Title)
			}
		}
	}
	page, err := explore.Page(found, base+filepath.Ext(name))
	if err != nil {
		return err
	}
	if to == nil {
		_, err := e.Stdout.Write(page)
		return err
	}
	if err := to.Write(page); err != nil {
		return err
	}
	e.SetResults(&builder.Results{Files: o.Written()})
	fmt.Fprintf(e.Stdout, "%s  source, IR and code of %s\n", *output, strings.Join(b.Entries, ", "))
	return nil
}

// pageExtension is the extension of pages.
const pageExtension = ".html"

// exploredTargets returns the default targets: all but that of the checked CPU device, which does
// not change the program.
func exploredTargets() (chosen []*codegen.Target) {
	for _, t := range all.Targets {
		if t.Name != abi.Checked {
			chosen = append(chosen, t)
		}
	}
	return chosen
}
