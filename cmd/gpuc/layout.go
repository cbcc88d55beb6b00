package main

import (
	"fmt"
	"os"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/hostdecl"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/structs"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/opt"
)

var layoutCommand = cli.Command{
	Name:    "layout",
	Run:     runLayout,
	Summary: "show where members of structures lie, and declare them for the host",
	Usage:   "[-lang LANGUAGE] FILE [STRUCT...]",
	Help: `
Draws the structures in the buffers of a program: one row for 16 bytes, with padding as ░.
It says which order of the members would need less memory.

  gpuc layout particles.wgsl            the structures in buffers and immediates
  gpuc layout particles.wgsl Particle   this structure, in a buffer or not
  gpuc layout ./physics                 the kernels of a Go package
  gpuc layout -lang c particles.wgsl    declarations for C; also go, rust (1.77), python

A declaration has all members at their offsets, with padding between them. It asserts the
offsets and the size, at compile time or in Python at load time. Vectors and matrix columns
are arrays, and an f16 is an integer of 16 bits. A runtime-sized array at the end is left
out; a comment has its offset.
`,
}

func runLayout(e *cli.Env, args []string) error {
	f := e.NewFlags()
	e.ColourFlag(f)
	name := f.String("lang", "", "write declarations for a `language`: c, go, rust or python")
	rest, err := e.Parse(f, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return usage.Errorf("want a source file: gpuc layout particles.wgsl, say")
	}
	for _, name := range rest[1:] {
		if _, err := os.Stat(name); err == nil {
			return usage.Errorf("takes one file, and then names of structures; %s is a file", name)
		}
	}
	write := structs.Draw
	if *name != "" {
		l := hostdecl.Named(*name)
		if l == nil {
			return usage.Errorf("-lang takes %s, not %q", hostdecl.Names(), *name)
		}
		write = l.Declare
	}
	p, err := loader.LoadReported(e, rest[0], opt.MathWGSL)
	if err != nil {
		return err
	}
	list, err := structs.Find(p.Module, rest[1:])
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("%s has no structure in a buffer or among immediates; name one to see it: gpuc layout %s NAME", rest[0], rest[0])
	}
	if *name == "" {
		e.SetResults(structs.NewResults(p.Module, list))
	}
	write(e.Stdout, p.Module, list)
	return nil
}
