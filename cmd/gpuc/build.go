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
Compiles the compute entry points of WGSL files. For each entry point and target, it
writes the code and a .json description with all that a program needs to launch it: the
file and its SHA-256, values of overrides, workgroup size, memory, buffers ("bindings") with
the offsets of their members ("structs"), textures and samplers ("handles"), parameters,
features of Vulkan. docs/guide/artefacts-and-loading.md shows how programs load both.

All files are written, or none. Files of an earlier build are replaced; a file that gpuc did
not make is not.

A target that cannot express a kernel is an error, and nothing is written. With -target all
it is a warning: the other targets are written, and the manifest has the reason. The exit
status is 0 as long as each kernel has a target.

  gpuc build saxpy.wgsl                          saxpy.spv and saxpy.json
  gpuc build -target spirv,ptx saxpy.wgsl        saxpy.spv and saxpy.json, and
                                                 saxpy.ptx and saxpy.ptx.json
  gpuc build -target ptx:sm_90 saxpy.wgsl        for devices of compute capability 9.0
                                                 and above; gpuc doc ptx lists profiles
  gpuc build -target amdgpu:gfx1100 saxpy.wgsl   a code object, by clang-19, or llc-19 and
                                                 ld.lld-19; -S writes the LLVM IR
  gpuc build -target amdgpu:gfx942 -direct saxpy.wgsl
                                                 a code object without LLVM. The code is slower, and
                                                 lacks calls that are not inlined and atomic sums of
                                                 floats
  gpuc build -strip saxpy.wgsl                   without lines and names of the source; -g=false leaves
                                                 out only the lines
  gpuc build -lang c saxpy.wgsl                  and saxpy.h for hosts in C and C++: constants, and
                                                 structures with assertions of their offsets
  gpuc build -target all -o out/ saxpy.wgsl      the code for every target, saxpy.manifest.json with
                                                 all descriptions, and saxpy.h
  gpuc build -target all,ptx:sm_90 saxpy.wgsl    the same, with a profile for one target
  gpuc build -target spirv -S saxpy.wgsl         readable assembly on standard output
  gpuc build -target cpu -S saxpy.wgsl           the machine code of the CPU device for x86-64, with
                                                 the lines of the source, or why there is none
  gpuc build -D tile=32 -o out/ matmul.wgsl      with a value for an override, into a folder
  gpuc build -entry blur -o blur.spv image.wgsl  one of several entry points
  gpuc build -target ptx:sm_90 -report saxpy.wgsl
                                                 registers and occupancy, by ptxas if it is on the PATH
                                                 (for amdgpu, by LLVM); instructions by class and
                                                 accesses by width, of the machine code if nvdisasm is
                                                 there, too; and the accesses that are not proved to be
                                                 in bounds, with the reason. Files are written only
                                                 with -o
  gpuc build -o - saxpy.wgsl | spirv-dis         the code of one kernel, to standard output
  gpuc build -target ptx -o - - <saxpy.wgsl      a source from standard input
  gpuc build -o out/ *.wgsl                      several files
  gpuc build -watch saxpy.wgsl                   again whenever the source is written
  gpuc build ./physics                           the kernels of a Go package, into its folder
  gpuc build -target ptx -dump after:lower-access saxpy.wgsl
                                                 and the IR after that pass, to standard error
  gpuc build -target ptx -dump after:mir saxpy.wgsl
                                                 and the machine IR that PTX is printed from
`,
}

func runBuild(e *cli.Env, args []string) error {
	o := builder.Options{Flags: new(loader.Flags)}
	f := e.NewFlags()
	o.Register(e, f)
	targets := f.String("target", "spirv", "comma-separated `targets`, each with a profile if wanted (ptx:sm_90), or all; gpuc targets lists them")
	f.BoolVar(&o.Assembly, "S", false, "write readable assembly, by default to standard output")
	dump := f.String("dump", "", "`after:PASS` or after:all prints the IR at that point to standard error")
	lines := f.Bool("g", true, "keep lines and names of the source in the code; gpuc doc TARGET says which the target has")
	strip := f.Bool("strip", false, "leave all names of the source but the entry point's out of the code; the description has them")
	direct := f.Bool("direct", false, "for amdgpu:gfx942, make machine code without LLVM; some kernels are refused")
	f.BoolVar(&o.Report, "report", false, "show registers, memory, occupancy, instructions, and the indices that are kept in bounds, of each kernel; files are written only with -o, -S or -lang")
	lang := f.String("lang", "", "write a header for hosts in a `language`, which is c; gpuc layout -lang declares structures in others")
	output := f.String("o", "", "output `path`: a file, or a folder if it ends in / or several files are written")
	sources, err := e.Parse(f, args)
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		return usage.Errorf("want a source file: gpuc build saxpy.wgsl, say")
	}
	if o.Targets, o.AllTargets, err = targetflag.ChooseWithAll(*targets); err != nil {
		return err
	}
	if *direct {
		if err := targetflag.ChooseDirect(o.Targets); err != nil {
			return err
		}
	}
	options, err := o.CodegenOptions()
	if err != nil {
		return err
	}
	options.Lines, options.Strip, options.Tensor = *lines && !*strip, *strip, true
	options.Context = &opt.Context{Dump: e.Stderr}
	if options.Context.DumpAfter, err = dumpAfter(*dump, func() []string { return builder.DumpStages(o.Targets) }); err != nil {
		return err
	}
	toStdout := *output == "-" || o.Assembly && *output == "" && !o.AllTargets
	if o.Header, err = wantsHeader(*lang, toStdout); err != nil {
		return err
	}
	if e.WantsJSON() && *output == "-" {
		return usage.Errorf("-json writes to standard output, and so does -o -; name a file, or leave one of them out")
	}
	defer loader.PaceCollector(sources)()
	builds, err := builder.Start(e, sources, o.Flags, &options)
	if err != nil {
		return err
	}
	// before the time for compiling is spent
	if err := builder.CheckOutput(builds, &o, *output); err != nil {
		return err
	}
	if err := builder.Compile(e, builds, &o, &options); err != nil {
		return err
	}
	results := new(builder.Results)
	reportTo := e.Stdout
	switch {
	case o.Report && *output == "" && !o.Assembly && !o.Header: // only the report
		results.Files = []outfile.Written{}
	case toStdout:
		reportTo = e.Stderr
		err = builder.WriteCode(e.Stdout, builds)
	default:
		if results.Files, err = builder.Write(e, builds, &o, *output); err == nil {
			e.SetResults(results)
		}
	}
	if err != nil || !o.Report {
		return err
	}
	return builder.ReportUsage(e, reportTo, builds, results)
}

// wantsHeader reports whether -lang requests a header, which needs files to be written beside.
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
