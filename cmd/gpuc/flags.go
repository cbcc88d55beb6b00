package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gpuc/gpuc/codegen"
)

// This file parses command lines. Flags may stand before and behind the files,
// as people type them.

// newFlags makes a command's flag set, whose -h prints the command's help.
func (c *command) newFlags() *flag.FlagSet {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	if !c.protocol {
		f.Bool(jsonFlag, false, "write one JSON object to standard output, on failure too (docs/reference/output.schema.json)")
	}
	if c.watchable {
		f.Bool(watchFlag, false, "do it again whenever a file that is read has changed, until Ctrl-C (exit status 130)")
	}
	return f
}

// colourFlag adds -color, for commands that show diagnostics.
func (e *environment) colourFlag(f *flag.FlagSet) {
	f.Func("color", "colour diagnostics, `when`: auto (on terminals, unless NO_COLOR is set), always or never", func(when string) error {
		switch when {
		case "auto": // as it is
		case "always":
			e.colour = true
		case "never":
			e.colour = false
		default:
			return fmt.Errorf("want auto, always or never")
		}
		return nil
	})
}

// parse reads the command line and returns what is not a flag.
func (c *command) parse(e *environment, f *flag.FlagSet, args []string) ([]string, error) {
	var files []string
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				c.showHelp(e.stdout, f)
				return nil, errHelp
			}
			return nil, c.flagError(f, err)
		}
		if f.NArg() == 0 {
			return files, nil
		}
		args = f.Args()
		consumed := len(args) // behind "--" everything is a file
		for n, a := range args {
			if strings.HasPrefix(a, "-") && a != "-" {
				consumed = n
				break
			}
		}
		files = append(files, args[:consumed]...)
		args = args[consumed:]
		if len(args) == 0 {
			return files, nil
		}
	}
}

// parseFile is parse for commands that work on one source file.
func (c *command) parseFile(e *environment, f *flag.FlagSet, args []string) (string, error) {
	files, err := c.parse(e, f, args)
	if err != nil {
		return "", err
	}
	switch len(files) {
	case 0:
		return "", usagef("want a source file: gpuc %s saxpy.wgsl, say", c.name)
	case 1:
	default:
		return "", usagef("takes one source file, and got %d: %s; leave out all but one", len(files), strings.Join(files, ", "))
	}
	return files[0], nil
}

// parseFlags is parse for commands that work on no files.
func (c *command) parseFlags(e *environment, f *flag.FlagSet, args []string) error {
	files, err := c.parse(e, f, args)
	if err == nil && len(files) > 0 {
		return usagef("takes no arguments, got `%s`; leave it out", files[0])
	}
	return err
}

// flagError rewords package flag's errors and offers the flag that was meant.
func (c *command) flagError(f *flag.FlagSet, err error) error {
	message := err.Error()
	if name, found := strings.CutPrefix(message, "flag provided but not defined: -"); found {
		var names []string
		f.VisitAll(func(g *flag.Flag) { names = append(names, g.Name) })
		if near := nearest(name, names); near != "" {
			return usagef("there is no flag -%s; did you mean -%s?", name, near)
		}
		return usagef("there is no flag -%s; a file of this name is ./-%s", name, name)
	}
	if name, found := strings.CutPrefix(message, "flag needs an argument: -"); found {
		what, _ := flag.UnquoteUsage(f.Lookup(name))
		return usagef("-%s needs something behind it: -%s %s", name, name, what)
	}
	if m := wrongValue.FindStringSubmatch(message); m != nil {
		value, name, why := m[1], m[2], m[3]
		if unquoted, err := strconv.Unquote(value); err == nil {
			value = unquoted
		}
		return usagef("-%s %s: %s", name, value, wanted(f.Lookup(name), why))
	}
	return usagef("%s", message)
}

// wrongValue is package flag's message about a value that a flag does not take.
var wrongValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-(\S+): (.*)$`)

// wanted says what a flag takes, where package flag only knows that it did not understand.
func wanted(f *flag.Flag, why string) string {
	if why != "parse error" && why != "value out of range" {
		return why
	}
	getter, ok := f.Value.(flag.Getter)
	if !ok {
		return why
	}
	switch getter.Get().(type) {
	case int:
		return "want a whole number, such as " + cmp.Or(f.DefValue, "1")
	case time.Duration:
		return "want a time with its unit, such as " + f.DefValue
	case bool:
		return "want true or false, or leave out the value"
	}
	return why
}

func (c *command) showHelp(w io.Writer, f *flag.FlagSet) {
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", strings.TrimSpace("gpuc "+c.name+" "+c.usage), strings.TrimSpace(c.help))
	var flags bytes.Buffer
	f.SetOutput(&flags)
	f.PrintDefaults()
	f.SetOutput(io.Discard)
	if flags.Len() > 0 {
		fmt.Fprintf(w, "\nFlags:\n%s", strings.ReplaceAll(flags.String(), "\t", "    "))
	}
}

// compileFlags are the flags that say how to compile.
type compileFlags struct {
	entry, math, bounds string
	debug               bool
	noOptimize          bool
	settings            settingsFlag
}

func (c *compileFlags) register(e *environment, f *flag.FlagSet) {
	e.colourFlag(f)
	f.StringVar(&c.entry, "entry", "", "the entry point's `name`, where the program has several")
	c.registerModes(f)
	f.BoolVar(&c.noOptimize, "O0", false, "leave out the optimising passes")
	f.Var(&c.settings, "D", "`name=value` gives an override its value; repeatable")
}

// registerModes registers those that say what code means.
func (c *compileFlags) registerModes(f *flag.FlagSet) {
	f.StringVar(&c.math, "math", "wgsl", "floating point, by `mode`: wgsl (what WGSL permits), strict (IEEE 754), fast")
	f.BoolVar(&c.debug, "debug", false, "keep what kernels print and assert; without it nothing is left of that")
	f.StringVar(&c.bounds, "bounds", "robust", "what accesses outside of an array do, by `mode`: robust (clamped reads, dropped stores), trap (like robust, and the first one is reported, but not reads whose value a select drops), trap-all (with those) or off (the caller answers for it)")
}

func (c *compileFlags) options() (codegen.Options, error) {
	o := codegen.Options{NoOptimize: c.noOptimize, Debug: c.debug, Lines: true, Settings: c.settings}
	switch c.math {
	case "wgsl":
		o.Math = codegen.MathWGSL
	case "strict":
		o.Math = codegen.MathStrict
	case "fast":
		o.Math = codegen.MathFast
	default:
		return o, usagef("-math is wgsl, strict or fast, not `%s`%s", c.math, didYouMean(c.math, []string{"wgsl", "strict", "fast"}, ""))
	}
	switch c.bounds {
	case "robust":
		o.Bounds = codegen.BoundsRobust
	case "off":
		o.Bounds = codegen.BoundsOff
	case "trap":
		o.Bounds = codegen.BoundsTrap
	case "trap-all":
		o.Bounds = codegen.BoundsTrapAll
	default:
		return o, usagef("-bounds is robust, trap, trap-all or off, not `%s`", c.bounds)
	}
	return o, nil
}

// settingsFlag collects -D name=value.
type settingsFlag []codegen.Setting

func (s *settingsFlag) String() string { return "" }

func (s *settingsFlag) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return fmt.Errorf("want name=value, such as -D size=64")
	}
	x, err := parseNumber(value)
	if err != nil {
		return err
	}
	for _, other := range *s {
		if other.Key == name {
			return fmt.Errorf("`%s` is given twice", name)
		}
	}
	*s = append(*s, codegen.Setting{Key: name, Value: x})
	return nil
}

// listFlag collects a flag that may be repeated.
type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, ",") }

func (l *listFlag) Set(text string) error {
	*l = append(*l, text)
	return nil
}
