// Command gpuc compiles GPU kernels and runs them. `gpuc help` lists what it
// does, and each command's -h teaches it by example.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/gpuc/gpuc/ir/diag"
)

// The exit codes, which scripts may rely on.
const (
	exitOK          = 0
	exitDiagnostics = 1 // the program, its input or the device is at fault
	exitUsage       = 2 // the command line is
	exitInternal    = 3 // gpuc is

	exitInterrupted = 130 // -watch was ended, as shells count a process that Ctrl-C ends
)

// environment is what a command may touch of the process, so that tests run
// commands in place.
type environment struct {
	app            *app
	command        *command // that runs
	stdin          io.Reader
	stdout, stderr io.Writer
	// terminal says that stderr is a terminal, where progress may be shown.
	terminal bool
	// typed says that stdin is one, too, so that a program that waits for messages waits for
	// nobody.
	typed bool
	// images is how standard output shows images, if it is a terminal that does.
	images imageProtocol
	// colour says that diagnostics are coloured.
	colour bool
	// envelope collects what -json writes, or is nil.
	envelope *envelope
	// of -watch: the files that were read, or would have been; that what was read is no file; and,
	// of gpuc playground, too, what tests have for Ctrl-C
	watching, unwatchable bool
	watched               []watchedFile
	interrupts            <-chan os.Signal
}

// awaits tells the user of a terminal what a command for programs waits for.
func (e *environment) awaits(what string) {
	if e.typed {
		fmt.Fprintf(e.stderr, "gpuc %s: waiting for %s on standard input; Ctrl-C ends it, and gpuc %s -h says what it is for\n", e.command.name, what, e.command.name)
	}
}

// palette is how diagnostics are shown.
func (e *environment) palette() *diag.Palette {
	if e.colour {
		return &diag.Coloured
	}
	return new(diag.Palette)
}

// command is one word behind gpuc.
type command struct {
	name    string
	summary string // one line for the list
	usage   string // the arguments
	help    string // explanation and examples
	run     func(e *environment, args []string) error
	// protocol says that it speaks JSON by itself, and so has no -json.
	protocol bool
	// watchable says that it has -watch.
	watchable bool
}

// app is a program whose first argument is a command.
type app struct {
	commands []*command // in the order of the list
	about    string     // the first line of the list
	start    string     // the end of the list
}

// commands is gpuc with all its commands.
var gpuc = app{
	commands: []*command{
		&runCommand, &buildCommand, &genCommand, &checkCommand, &fmtCommand, &irCommand, &exploreCommand, &playgroundCommand, &layoutCommand, &docCommand,
		&serveCommand, &lspCommand, &devicesCommand, &targetsCommand, &completionCommand, &manCommand, &versionCommand,
	},
	about: "gpuc compiles GPU kernels: one source, every GPU.",
	start: `Start with

  gpuc run examples/mandelbrot/mandelbrot.wgsl -bind 'image=zeros(262144)' \
      -extent 512,512 -out image=mandelbrot.png:512x512
`,
}

// usageError is a mistake on the command line: exit 2, and a hint at -h.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// errReported says that the diagnostics are already on stderr.
var errReported = errors.New("diagnostics were reported")

// errHelp says that help was asked for and shown.
var errHelp = errors.New("help was shown")

func main() {
	if isVet(os.Args[1:]) {
		vet()
	}
	growStack(0)
	out := &standardOutput{to: os.Stdout}
	e := &environment{stdin: os.Stdin, stdout: out, stderr: os.Stderr}
	if info, err := os.Stderr.Stat(); err == nil { // a dumb terminal cannot take back what it shows
		e.terminal = info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	}
	if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		e.images = imagesOf(os.Getenv)
	}
	e.colour = e.terminal && takesColours(runtime.GOOS, os.Getenv)
	if info, err := os.Stdin.Stat(); err == nil {
		e.typed = e.terminal && info.Mode()&os.ModeCharDevice != 0
	}
	os.Exit(out.finish(e, gpuc.execute(e, os.Args[1:])))
}

// standardOutput notes that not all could be written, which most commands do not look at: without
// that a full disk would look like success.
type standardOutput struct {
	to  io.Writer
	err error
}

func (o *standardOutput) Write(p []byte) (n int, err error) {
	if n, err = o.to.Write(p); err != nil {
		o.err = err
	}
	return n, err
}

// finish returns the exit code of a command that would end with one, and says what was not written
// if nobody has.
func (o *standardOutput) finish(e *environment, code int) int {
	if code != exitOK || o.err == nil {
		return code
	}
	fmt.Fprintf(e.stderr, "gpuc: cannot write all of the output: %v\n", o.err)
	return exitDiagnostics
}

// takesColours reports whether a terminal is to have colours (https://no-color.org). Those of
// Windows need to be asked first, but for Windows Terminal.
func takesColours(system string, variable func(name string) string) bool {
	return variable("NO_COLOR") == "" && variable("TERM") != "dumb" && (system != "windows" || variable("WT_SESSION") != "")
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

// execute runs a command line and returns its exit code.
func (a *app) execute(e *environment, args []string) (code int) {
	e.app = a
	if len(args) == 0 {
		a.list(e.stderr)
		return exitUsage
	}
	name := args[0]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(args) > 1 {
			return a.execute(e, []string{args[1], "-h"})
		}
		a.list(e.stdout)
		return exitOK
	case "-version", "--version", "-v":
		name = "version"
	}
	for _, c := range a.commands {
		if c.name != name {
			continue
		}
		e.command = c
		if c.watchable && hasFlag(args[1:], watchFlag) {
			return e.watch(args[1:])
		}
		return e.once(args[1:])
	}
	fmt.Fprintf(e.stderr, "gpuc: there is no command `%s`%s\nRun `gpuc help` for the list.\n", name, didYouMean(name, a.names(), ""))
	return exitUsage
}

// once runs the command once, with its output for people or, with -json, for programs.
func (e *environment) once(args []string) int {
	if !e.command.protocol && hasFlag(args, jsonFlag) {
		return e.answer(args)
	}
	return e.run(args)
}

// run runs the command, reports its error, and returns the exit status.
func (e *environment) run(args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			e.complain(diag.Caught(r, "running the command"))
			code = exitInternal
		}
	}()
	err := e.command.run(e, args)
	var usage *usageError
	switch {
	case err == nil, errors.Is(err, errHelp):
		return exitOK
	case errors.Is(err, errReported):
		return exitDiagnostics
	case errors.As(err, &usage):
		e.complain(err)
		if e.envelope == nil {
			fmt.Fprintf(e.stderr, "Run `gpuc %s -h` for help.\n", e.command.name)
		}
		return exitUsage
	}
	e.complain(err)
	return exitDiagnostics
}

// names lists the names of the commands.
func (a *app) names() []string {
	var names []string
	for _, c := range a.commands {
		names = append(names, c.name)
	}
	return names
}

// list writes the list of commands.
func (a *app) list(w io.Writer) {
	fmt.Fprintf(w, "%s\n\nUsage: gpuc <command> [flags] [files]\n\n", a.about)
	for _, c := range a.commands {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprintf(w, "\n%s\n`gpuc <command> -h` teaches a command by example.\n", a.start)
}
