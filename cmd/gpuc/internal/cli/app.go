package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/termimage"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir/diag"
)

// The exit codes, which scripts may rely on.
const (
	ExitOK          = 0
	ExitDiagnostics = 1 // the program, its input or the device is at fault
	ExitUsage       = 2 // the command line is
	ExitInternal    = 3 // gpuc is

	ExitInterrupted = 130 // -watch was ended, as shells count a process that Ctrl-C ends
)

// Env is what a command may touch of the process, so that tests run
// commands in place.
type Env struct {
	App            *App
	command        *Command // that runs
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// terminal says that stderr is a terminal, where progress may be shown.
	Terminal bool
	// typed says that stdin is one, too, so that a program that waits for messages waits for
	// nobody.
	StdinTerminal bool
	// images is how standard output shows images, if it is a terminal that does.
	Images termimage.Protocol
	// colour says that diagnostics are coloured.
	Colour bool
	// envelope collects what -json writes, or is nil.
	envelope *envelope
	// of -watch: the files that were read, or would have been; that what was read is no file; and,
	// of gpuc playground, too, what tests have for Ctrl-C
	Watching, Unwatchable bool
	Watched               []watchedFile
	Interrupts            <-chan os.Signal
}

// Awaits tells the user of a terminal what a command for programs waits for.
func (e *Env) Awaits(what string) {
	if e.StdinTerminal {
		fmt.Fprintf(e.Stderr, "gpuc %s: waiting for %s on standard input; Ctrl-C ends it, and gpuc %s -h says what it is for\n", e.command.Name, what, e.command.Name)
	}
}

// palette is how diagnostics are shown.
func (e *Env) palette() *diag.Palette {
	if e.Colour {
		return &diag.Coloured
	}
	return new(diag.Palette)
}

// Command is one word behind gpuc.
type Command struct {
	Name    string
	Summary string // one line for the list
	Usage   string // the arguments
	Help    string // explanation and examples
	Run     func(e *Env, args []string) error
	// protocol says that it speaks JSON by itself, and so has no -json.
	Protocol bool
	// watchable says that it has -watch.
	Watchable bool
}

// App is a program whose first argument is a command.
type App struct {
	Commands []*Command // in the order of the list
	About    string     // the first line of the list
	Start    string     // the end of the list
}

// ErrReported says that the diagnostics are already on stderr.
var ErrReported = errors.New("diagnostics were reported")

// errHelp says that help was asked for and shown.
var errHelp = errors.New("help was shown")

// StandardOutput notes that not all could be written, which most commands do not look at: without
// that a full disk would look like success.
type StandardOutput struct {
	To  io.Writer
	err error
}

func (o *StandardOutput) Write(p []byte) (n int, err error) {
	if n, err = o.To.Write(p); err != nil {
		o.err = err
	}
	return n, err
}

// Finish returns the exit code of a command that would end with one, and says what was not written
// if nobody has.
func (o *StandardOutput) Finish(e *Env, code int) int {
	if code != ExitOK || o.err == nil {
		return code
	}
	fmt.Fprintf(e.Stderr, "gpuc: cannot write all of the output: %v\n", o.err)
	return ExitDiagnostics
}

// TakesColours reports whether a terminal is to have colours (https://no-color.org). Those of
// Windows need to be asked first, but for Windows Terminal.
func TakesColours(system string, variable func(name string) string) bool {
	return variable("NO_COLOR") == "" && variable("TERM") != "dumb" && (system != "windows" || variable("WT_SESSION") != "")
}

// Execute runs a command line and returns its exit code.
func (a *App) Execute(e *Env, args []string) (code int) {
	e.App = a
	if len(args) == 0 {
		a.List(e.Stderr)
		return ExitUsage
	}
	name := args[0]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(args) > 1 {
			return a.Execute(e, []string{args[1], "-h"})
		}
		a.List(e.Stdout)
		return ExitOK
	case "-version", "--version", "-v":
		name = "version"
	}
	for _, c := range a.Commands {
		if c.Name != name {
			continue
		}
		e.command = c
		if c.Watchable && hasFlag(args[1:], watchFlag) {
			return e.watch(args[1:])
		}
		return e.once(args[1:])
	}
	fmt.Fprintf(e.Stderr, "gpuc: there is no command `%s`%s\nRun `gpuc help` for the list.\n", name, usage.DidYouMean(name, a.Names(), ""))
	return ExitUsage
}

// once runs the command once, with its output for people or, with -json, for programs.
func (e *Env) once(args []string) int {
	if !e.command.Protocol && hasFlag(args, jsonFlag) {
		return e.answer(args)
	}
	return e.run(args)
}

// run runs the command, reports its error, and returns the exit status.
func (e *Env) run(args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			e.Complain(diag.Caught(r, "running the command"))
			code = ExitInternal
		}
	}()
	err := e.command.Run(e, args)
	var usage *usage.Error
	switch {
	case err == nil, errors.Is(err, errHelp):
		return ExitOK
	case errors.Is(err, ErrReported):
		return ExitDiagnostics
	case errors.As(err, &usage):
		e.Complain(err)
		if e.envelope == nil {
			fmt.Fprintf(e.Stderr, "Run `gpuc %s -h` for help.\n", e.command.Name)
		}
		return ExitUsage
	}
	e.Complain(err)
	return ExitDiagnostics
}

// Names lists the names of the commands.
func (a *App) Names() []string {
	var names []string
	for _, c := range a.Commands {
		names = append(names, c.Name)
	}
	return names
}

// List writes the list of commands.
func (a *App) List(w io.Writer) {
	fmt.Fprintf(w, "%s\n\nUsage: gpuc <command> [flags] [files]\n\n", a.About)
	for _, c := range a.Commands {
		fmt.Fprintf(w, "  %-10s %s\n", c.Name, c.Summary)
	}
	fmt.Fprintf(w, "\n%s\n`gpuc <command> -h` teaches a command by example.\n", a.Start)
}
