package cli

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

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
)

// NewFlags returns the command's flag set, with the flags that all commands have.
func (e *Env) NewFlags() *flag.FlagSet {
	c := e.command
	f := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	if !c.Protocol {
		f.Bool(jsonFlag, false, "write one JSON object to standard output, on failure too (docs/reference/output.schema.json)")
	}
	if c.Watchable {
		f.Bool(watchFlag, false, "do it again whenever a file that is read has changed, until Ctrl-C (exit status 130)")
	}
	return f
}

// ColourFlag adds -color to the flags of a command that shows diagnostics.
func (e *Env) ColourFlag(f *flag.FlagSet) {
	f.Func("color", "colour diagnostics, `when`: auto (on terminals, unless NO_COLOR is set), always or never", func(when string) error {
		switch when {
		case "auto": // as it is
		case "always":
			e.Colour = true
		case "never":
			e.Colour = false
		default:
			return fmt.Errorf("want auto, always or never")
		}
		return nil
	})
}

// Parse parses a command line and returns the arguments that are no flags. Flags may come before
// and after them. The errors are *usage.Error, and one that ends the command after -h.
func (e *Env) Parse(f *flag.FlagSet, args []string) ([]string, error) {
	var files []string
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				e.flags = f
				e.command.showHelp(e.Stdout, f)
				return nil, errHelp
			}
			return nil, flagError(f, err)
		}
		if f.NArg() == 0 {
			return files, nil
		}
		args = f.Args()
		consumed := len(args) // after "--" everything is a file
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

// ParseFile is Parse for commands that take one source file.
func (e *Env) ParseFile(f *flag.FlagSet, args []string) (string, error) {
	files, err := e.Parse(f, args)
	if err != nil {
		return "", err
	}
	switch len(files) {
	case 0:
		return "", usage.Errorf("want a source file: gpuc %s saxpy.wgsl, say", e.command.Name)
	case 1:
	default:
		return "", usage.Errorf("takes one source file, and got %d: %s; leave out all but one", len(files), strings.Join(files, ", "))
	}
	return files[0], nil
}

// ParseFlags is Parse for commands that take only flags.
func (e *Env) ParseFlags(f *flag.FlagSet, args []string) error {
	files, err := e.Parse(f, args)
	if err == nil && len(files) > 0 {
		return usage.Errorf("takes no arguments, got `%s`; leave it out", files[0])
	}
	return err
}

// flagError turns an error of package flag into a message that says the way out.
func flagError(f *flag.FlagSet, err error) error {
	message := err.Error()
	if name, found := strings.CutPrefix(message, "flag provided but not defined: -"); found {
		var names []string
		f.VisitAll(func(g *flag.Flag) { names = append(names, g.Name) })
		if near := usage.Nearest(name, names); near != "" {
			return usage.Errorf("there is no flag -%s; did you mean -%s?", name, near)
		}
		return usage.Errorf("there is no flag -%s; a file of this name is ./-%s", name, name)
	}
	if name, found := strings.CutPrefix(message, "flag needs an argument: -"); found {
		what, _ := flag.UnquoteUsage(f.Lookup(name))
		return usage.Errorf("-%s needs a value: -%s %s", name, name, what)
	}
	wrongValue := regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-(\S+): (.*)$`)
	if m := wrongValue.FindStringSubmatch(message); m != nil {
		value, name, why := m[1], m[2], m[3]
		if unquoted, err := strconv.Unquote(value); err == nil {
			value = unquoted
		}
		return usage.Errorf("-%s %s: %s", name, value, expectedValue(f.Lookup(name), why))
	}
	return usage.Errorf("%s", message)
}

// expectedValue says which values a flag accepts, where package flag says only that it cannot parse
// one.
func expectedValue(f *flag.Flag, why string) string {
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

// showHelp writes the answer to -h.
func (c *Command) showHelp(w io.Writer, f *flag.FlagSet) {
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", strings.TrimSpace("gpuc "+c.Name+" "+c.Usage), strings.TrimSpace(c.Help))
	var flags bytes.Buffer
	f.SetOutput(&flags)
	f.PrintDefaults()
	f.SetOutput(io.Discard)
	if flags.Len() > 0 {
		fmt.Fprintf(w, "\nFlags:\n%s", strings.ReplaceAll(flags.String(), "\t", "    "))
	}
}

// ListFlag is the values of a flag that may be repeated.
type ListFlag []string

func (l *ListFlag) String() string { return strings.Join(*l, ",") }

func (l *ListFlag) Set(text string) error {
	*l = append(*l, text)
	return nil
}
