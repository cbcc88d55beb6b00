package main

import (
	"github.com/gpuc/gpuc/cmd/gpuc/internal/builder"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/hostdecl"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/loader"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/outfile"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/targetflag"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/opt"
)

var buildCommand = cli.Command{
	Name:      "build",
	Run:       runBuild,
	Summary:   "compile a kernel for a target, or for all of them",
	Usage:     "[flags] FILE...",
	Watchable: true,
	Help: `
Compiles the compute entry points of WGSL files. For each entry point and target
it writes the code and, beside it, a .json description with all that a runtime needs to launch
it: the file and its SHA-256, values of overrides, workgroup size, memory, buffers ("bindings")
with the offsets and sizes of what their structures hold ("structs"), textures and samplers
("handles"), parameters, features of Vulkan. docs/loading.md has programs that load both.
All files are written or none. A build replaces what a build has written; a file that
gpuc did not make stays, and so does the source.

A target that cannot express a kernel is an error, and nothing is written. With -target all
it is a warning, and its reason stands in the manifest: the other targets are written, and
the exit status is 0 as long as each kernel has one.

  gpuc build saxpy.wgsl                          saxpy.spv and saxpy.json
  gpuc build -target spirv,ptx saxpy.wgsl        saxpy.spv and saxpy.json, and
                                                 saxpy.ptx and saxpy.ptx.json
  gpuc build -target ptx:sm_90 saxpy.wgsl        for devices of compute capability 9.0
                                                 and above; gpuc doc ptx lists profiles
  gpuc build -target amdgpu:gfx1100 saxpy.wgsl   a code object for this processor, by clang-19, or
                                                 llc-19 and ld.lld-19; -S writes the LLVM IR
  gpuc build -target amdgpu:gfx942 -direct saxpy.wgsl
                                                 the same by gpuc alone, of slower code. It lacks
                                                 calls that are not inlined and atomic sums of floats
  gpuc build -strip saxpy.wgsl                   without lines and names of the source; -g=false leaves
                                                 out the lines alone
  gpuc build -lang c saxpy.wgsl                  and saxpy.h, for hosts in C and C++: constants, and
                                                 structures whose offsets are asserted
  gpuc build -target all -o out/ saxpy.wgsl      the code of every target, saxpy.manifest.json with
                                                 all descriptions, and saxpy.h for hosts in C
  gpuc build -target all,ptx:sm_90 saxpy.wgsl    likewise, with a profile for one of them
  gpuc build -target spirv -S saxpy.wgsl         readable assembly on standard output
  gpuc build -target cpu -S saxpy.wgsl           the machine code that the CPU device makes, for
                                                 x86-64, with the lines of the source, or why none
  gpuc build -D tile=32 -o out/ matmul.wgsl      with an override set, into a folder
  gpuc build -entry blur -o blur.spv image.wgsl  one of several entry points
  gpuc build -target ptx:sm_90 -report saxpy.wgsl
                                                 registers, by ptxas if it is on the PATH, and how
                                                 many warps run at once; for amdgpu, by LLVM, waves.
                                                 Instructions by class and accesses by width, of the
                                                 machine code if nvdisasm is there too, and accesses
                                                 that are not proved to be in bounds, and why. It
                                                 writes no files; with -o it does
  gpuc build -o - saxpy.wgsl | spirv-dis         the code of one, to standard output
  gpuc build -target ptx -o - - <saxpy.wgsl      a source from standard input
  gpuc build -o out/ *.wgsl                      several files
  gpuc build -watch saxpy.wgsl                   again whenever it is written
  gpuc build ./physics                           the kernels of a Go package, into its folder
  gpuc build -target ptx -dump after:addresses saxpy.wgsl
                                                 and the IR at that point, to standard error
  gpuc build -target ptx -dump after:flat saxpy.wgsl
                                                 and the machine level that PTX is printed from
`,
}

func runBuild(e *cli.Env, args []string) error {
	var c loader.Flags
	f := e.NewFlags()
	c.Register(e, f)
	targets := f.String("target", "spirv", "comma-separated `targets`, each with a profile if wanted (ptx:sm_90), or all; gpuc targets lists them")
	assembly := f.Bool("S", false, "write readable assembly, by default to standard output")
	dump := f.String("dump", "", "`after:PASS` or after:all prints the IR at that point to standard error")
	lines := f.Bool("g", true, "keep lines and the names of values of the source in the code; gpuc doc TARGET says what of them there is")
	strip := f.Bool("strip", false, "leave all names of the source but the entry point's out of the code; the description has them")
	direct := f.Bool("direct", false, "of amdgpu:gfx942 make machine code without LLVM; kernels that it cannot express yet are refused")
	report := f.Bool("report", false, "show of each kernel registers, memory and how much runs at once, what its code consists of, and which indices it keeps in bounds, and why; files are written with -o, -S or -lang alone")
	lang := f.String("lang", "", "write a header for hosts in a `language`, which is c; gpuc layout -lang declares structures for others")
	output := f.String("o", "", "output `path`: a file, or a folder if it ends in / or several files are written")
	sources, err := e.Parse(f, args)
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		return usage.Errorf("want a source file: gpuc build saxpy.wgsl, say")
	}
	chosen, everything, err := targetflag.ChooseWithAll(*targets)
	if err != nil {
		return err
	}
	if *direct {
		if err := targetflag.ChooseDirect(chosen); err != nil {
			return err
		}
	}
	options, err := c.CodegenOptions()
	if err != nil {
		return err
	}
	options.Lines, options.Strip = *lines && !*strip, *strip
	options.Context = &opt.Context{Dump: e.Stderr}
	if options.Context.DumpAfter, err = dumpAfter(*dump, func() []string { return builder.DumpStages(chosen) }); err != nil {
		return err
	}
	withHeader, err := wantsHeader(*lang, *output == "-" || *assembly && *output == "" && !everything)
	if err != nil {
		return err
	}
	if e.WantsJSON() && *output == "-" {
		return usage.Errorf("-json writes to standard output, and so does -o -; name a file, or leave one of them out")
	}
	defer loader.PaceCollector(sources)()
	builds, err := builder.Start(e, sources, &c, &options)
	if err != nil {
		return err
	}
	if err := builder.CheckOutput(builds, chosen, everything, *output); err != nil { // said before all is compiled
		return err
	}
	failed := false
	for n := range builds {
		b := &builds[n]
		if err := b.Compile(chosen, everything, &options, *assembly, *report); err != nil {
			return err
		}
		if err := b.Program.Report(e); err == cli.ErrReported {
			failed = true
		} else if err != nil {
			return err
		}
	}
	if failed {
		return cli.ErrReported // nothing is written unless everything compiled
	}
	for n := range builds {
		if err := builds[n].MakeObjects(chosen, everything); err != nil {
			return err
		}
	}
	reportTo := e.Stdout
	if *report && *output == "" && !*assembly && !withHeader { // nothing else was asked for
		return builder.ReportUsage(e, reportTo, builds, &builder.Results{Files: []outfile.Written{}})
	}
	results := &builder.Results{}
	if *output == "-" || *assembly && *output == "" && !everything {
		reportTo = e.Stderr // standard output has the code
		err = builder.WriteCode(e.Stdout, builds)
	} else {
		w := builder.Writer{Assembly: *assembly, Several: len(builds) > 1, Everything: everything, Header: withHeader, Options: builder.Options{Flags: &c, Targets: chosen}}
		if err = w.Write(e, builds, *output); err == nil {
			results.Files = w.Written()
			e.SetResults(results)
		}
	}
	if err != nil || !*report {
		return err
	}
	return builder.ReportUsage(e, reportTo, builds, results)
}

// wantsHeader reports whether -lang asks for a header, which takes files to stand beside.
func wantsHeader(lang string, toStdout bool) (bool, error) {
	switch {
	case lang == "":
		return false, nil
	case lang != hostdecl.C.Name:
		return false, usage.Errorf("-lang is c, not `%s`; gpuc layout -lang declares structures for %s", lang, hostdecl.Names())
	case toStdout:
		return false, usage.Errorf("-lang writes a header beside the code, which goes to standard output; name a file or a folder with -o")
	}
	return true, nil
}
