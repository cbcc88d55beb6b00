package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/explore"
	"github.com/gpuc/gpuc/runtime/abi"
)

var exploreCommand = command{
	name:      "explore",
	summary:   "write a page with a kernel's source, IR after each pass and code, linked by lines",
	usage:     "[flags] FILE",
	watchable: true,
	help: `
Compiles a kernel for several targets and writes one HTML file that shows its way there: the
source, the IR after each pass that changes something, and the code of each target, side by
side. What belongs to a line of the source lights up in all of them when it is pointed at. The
page asks for nothing else, so that it can be mailed or kept.

  gpuc explore saxpy.wgsl                         saxpy.html, beside the source
  gpuc explore -o page.html saxpy.wgsl            a page of another name
  gpuc explore -target spirv,ptx:sm_90 saxpy.wgsl
                                                  these targets, instead of all
  gpuc explore -O0 saxpy.wgsl                     without the passes that make code faster
  gpuc explore -watch saxpy.wgsl                  again whenever the source is written
  gpuc explore ./physics                          the kernels of a Go package

A program with errors is refused as gpuc build does it, and the page stays as it was. What one
target cannot express stands in the page, in the place of its code. gpuc playground shows the
same while you type. docs/guide/playground.md says more.
`,
}

func init() { exploreCommand.run = runExplore }

// pageFile is a page that gpuc explore has written.
var pageFile = fileKind{beginsWith(explore.Signature), "gpuc explore did not make it"}

func runExplore(e *environment, args []string) error {
	var c compileFlags
	f := exploreCommand.newFlags()
	c.register(e, f)
	targets := f.String("target", "", "comma-separated `targets`, each with a profile if wanted (ptx:sm_90); without it all that make code for a device")
	output := f.String("o", "", "the `page`; without it the source's name with .html")
	name, err := exploreCommand.parseFile(e, f, args)
	if err != nil {
		return err
	}
	chosen := exploredTargets()
	if *targets != "" {
		if chosen, err = chooseTargets(*targets); err != nil {
			return err
		}
	}
	options, err := c.options()
	if err != nil {
		return err
	}
	if e.envelope != nil && *output == "-" {
		return usagef("-json writes to standard output, and so does -o -; name a file, or leave one of them out")
	}
	builds, err := e.startBuilds([]string{name}, &c, &options)
	if err != nil {
		return err
	}
	b := &builds[0]
	folder, base := b.place("")
	if *output == "" {
		*output = filepath.Join(folder, base+pageExtension)
	}
	var to *outputFile
	if *output != "-" {
		if err := misnamed(*output, pageExtension, "a page"); err != nil {
			return err
		}
		var o outputs
		o.reads(name, "the source")
		if to, err = o.plan(*output, "the page", pageFile); err != nil {
			return err
		}
	}
	found := explore.Explore(b.program.module, b.entries, chosen, options)
	for _, k := range found.Kernels {
		for _, t := range k.Targets {
			if t.Code < 0 {
				fmt.Fprintf(e.stderr, "note: there is no code of %s for target %s; the page says why\n", k.Name, t.Title)
			}
		}
	}
	page, err := explore.Page(found, base+filepath.Ext(name))
	if err != nil {
		return err
	}
	if to == nil {
		_, err := e.stdout.Write(page)
		return err
	}
	if err := to.write(page); err != nil {
		return err
	}
	e.answerWith(&buildResults{Files: []writtenFile{{*output, len(page), "the page"}}})
	fmt.Fprintf(e.stdout, "%s  source, IR and code of %s\n", *output, strings.Join(b.entries, ", "))
	return nil
}

const pageExtension = ".html"

// exploredTargets are the targets that a page has unless it is to have others: all but the checked
// CPU device's, which shows the program as it is written.
func exploredTargets() (chosen []*codegen.Target) {
	for _, t := range all.Targets {
		if t.Name != abi.Checked {
			chosen = append(chosen, t)
		}
	}
	return chosen
}
