// Package cli is the frame of a program with commands: it parses command lines, reports errors, and
// gives each command -h, -json and -watch.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/termimage"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir/diag"
)

// The exit statuses, which scripts may rely on.
const (
	ExitOK          = 0
	ExitDiagnostics = 1 // an error in the program, its input or the device
	ExitUsage       = 2 // an error in the command line
	ExitInternal    = 3 // a bug in gpuc

	ExitInterrupted = 130 // Ctrl-C ended -watch; shells use this number, too
)

// Env is what a command uses of the process. Tests run commands in an Env of their own.
type Env struct {
	App            *App // that the command is one of
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Terminal       bool               // Stderr is a terminal, which can show progress
	StdinTerminal  bool               // Stdin is one, too
	Images         termimage.Protocol // how Stdout shows images
	Colour         bool               // diagnostics are coloured
	Interrupts     <-chan os.Signal   // receives Ctrl-C; nil for the process's own signals

	command  *Command      // that runs
	flags    *flag.FlagSet // of the command, after -h
	envelope *envelope
	watcher
}

// Command is a command of a program.
type Command struct {
	Name    string
	Summary string // one line for the list of commands
	Usage   string // the arguments
	Help    string // explanation and examples
	Run     func(e *Env, args []string) error
	// Protocol says that the command speaks a protocol on standard output, and so has no -json.
	Protocol  bool
	Watchable bool // the command has -watch
}

// App is a program whose first argument is the name of a command.
type App struct {
	Commands []*Command // in the order of the list
	About    string     // the first line of the list
	Start    string     // the end of the list
}

// ErrReported is the error of a command that has shown diagnostics. Nothing more is printed.
var ErrReported = errors.New("diagnostics were reported")

// errHelp is the error of a command that has shown its help.
var errHelp = errors.New("help was shown")

// Main runs the command line of the process, and exits.
func (a *App) Main() {
	out := &checkedWriter{to: os.Stdout}
	e := &Env{Stdin: os.Stdin, Stdout: out, Stderr: os.Stderr}
	isTerminal := func(f *os.File) bool {
		info, err := f.Stat()
		return err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	e.Terminal = isTerminal(os.Stderr) && os.Getenv("TERM") != "dumb" // which cannot erase a line
	e.StdinTerminal = e.Terminal && isTerminal(os.Stdin)
	e.Colour = e.Terminal && takesColours(runtime.GOOS, os.Getenv)
	if isTerminal(os.Stdout) {
		e.Images = termimage.Detect(os.Getenv)
	}
	os.Exit(out.finish(e, a.Execute(e, os.Args[1:])))
}

// checkedWriter keeps the last error of writing to standard output. Most commands do not check it.
type checkedWriter struct {
	to  io.Writer
	err error
}

func (o *checkedWriter) Write(p []byte) (n int, err error) {
	if n, err = o.to.Write(p); err != nil {
		o.err = err
	}
	return n, err
}

// finish returns the exit status of the process, given that of the command. It reports an error of
// writing, unless the command has failed anyway.
func (o *checkedWriter) finish(e *Env, code int) int {
	if code != ExitOK || o.err == nil {
		return code
	}
	fmt.Fprintf(e.Stderr, "gpuc: cannot write all of the output: %v\n", o.err)
	return ExitDiagnostics
}

// takesColours reports whether a terminal is to show colours (https://no-color.org). Of the
// terminals of Windows only Windows Terminal takes them without being asked.
func takesColours(system string, variable func(name string) string) bool {
	return variable("NO_COLOR") == "" && variable("TERM") != "dumb" && (system != "windows" || variable("WT_SESSION") != "")
}

// Awaits tells the user of a terminal what a command waits for on standard input.
func (e *Env) Awaits(what string) {
	if e.StdinTerminal {
		fmt.Fprintf(e.Stderr, "gpuc %s: waiting for %s on standard input; Ctrl-C ends it, and gpuc %s -h says what it is for\n", e.command.Name, what, e.command.Name)
	}
}

// Execute runs a command line and returns its exit status.
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
		return e.runForJSON(args)
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
	var mistake *usage.Error
	switch {
	case err == nil, errors.Is(err, errHelp):
		return ExitOK
	case errors.Is(err, ErrReported):
		return ExitDiagnostics
	case errors.As(err, &mistake):
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
	fmt.Fprintf(w, "\n%s\n`gpuc <command> -h` explains a command, with examples.\n", a.Start)
}
