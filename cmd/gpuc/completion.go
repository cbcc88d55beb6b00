package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/codegen/all"
)

// This file prints what shells and man need to know. All of it comes from the table of
// commands and from what their -h says, so that there is no second list to forget.

var completionCommand = command{
	name:    "completion",
	run:     runCompletion,
	summary: "print completions for bash, zsh or fish",
	usage:   "bash|zsh|fish",
	help: `
Prints what a shell needs to complete commands, flags, and what some flags take.

  source <(gpuc completion bash)                 in ~/.bashrc
  source <(gpuc completion zsh)                  in ~/.zshrc, behind compinit
  gpuc completion fish > ~/.config/fish/completions/gpuc.fish
`,
}

var manCommand = command{
	name:    "man",
	run:     runMan,
	summary: "print the manual page",
	help: `
Prints the manual page, in man's format: what the -h of all commands say.

  gpuc man > /usr/local/share/man/man1/gpuc.1
  gpuc man | man -l -                            to read it at once
`,
}

// helpText is what -h prints.
func (c *command) helpText() string {
	var text bytes.Buffer
	// it ends with errHelp
	c.run(&environment{command: c, stdin: strings.NewReader(""), stdout: &text, stderr: io.Discard}, []string{"-h"})
	return text.String()
}

// flagHelp is a flag as -h shows it.
type flagHelp struct {
	name, doc string
	takes     bool // a value
}

// flagLine is how package flag shows a flag: its name, what it takes, and on the same
// line or the next one what it does.
var flagLine = regexp.MustCompile(`(?m)^  -(\S+)( \S+)?(?:\n   )? {4,}(.+)$`)

// flags lists a command's flags.
func (c *command) flags() (flags []flagHelp) {
	_, text, _ := strings.Cut(c.helpText(), "\nFlags:\n")
	for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
		flags = append(flags, flagHelp{m[1], m[3], m[2] != ""})
	}
	return flags
}

// flagValues lists the values of flags that have a fixed set of them, by name, for all commands.
func flagValues() map[string][]string {
	return map[string][]string{
		"target": all.Names(),
		"device": {"auto", "cpu", "cpu:checked", "vulkan", "cuda"},
		"math":   {"wgsl", "strict", "fast"},
		"count":  {"auto", "always", "never"},
		"bounds": {"robust", "trap", "trap-all", "off"},
		"color":  {"auto", "always", "never"},
	}
}

func runCompletion(e *environment, args []string) error {
	shells, err := e.parse(e.newFlags(), args)
	if err != nil {
		return err
	}
	if len(shells) != 1 {
		return usagef("want the name of a shell: bash, zsh or fish")
	}
	text := completionFor(shells[0], e.app, flagValues())
	if text == "" {
		return usagef("there are completions for bash, zsh and fish, not for `%s`%s", shells[0], didYouMean(shells[0], []string{"bash", "zsh", "fish"}, ""))
	}
	_, err = io.WriteString(e.stdout, text)
	return err
}

// completionFor returns the completions of a program for bash, zsh or fish; "" for other shells.
// Values are the values of flags that have a fixed set of them, by the flag's name.
func completionFor(shell string, a *app, values map[string][]string) string {
	var b strings.Builder
	switch shell {
	case "bash":
		bashCompletion(&b, a, values)
	case "zsh":
		zshCompletion(&b, a, values)
	case "fish":
		fishCompletion(&b, a, values)
	}
	return b.String()
}

func bashCompletion(b *strings.Builder, a *app, values map[string][]string) {
	fmt.Fprintf(b, "# completions of gpuc for bash: source <(gpuc completion bash)\n_gpuc() {\n"+
		"  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"+
		"  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='help %s'\n  else\n    case $before in\n", strings.Join(a.names(), " "))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(b, "    -%s) words='%s' ;;\n", name, strings.Join(values[name], " "))
	}
	fmt.Fprint(b, "    *)\n      case ${COMP_WORDS[1]}:$current in\n")
	for _, c := range a.commands {
		if flags := c.flags(); len(flags) > 0 {
			fmt.Fprintf(b, "      %s:-*) words='", c.name)
			for n, f := range flags {
				if n > 0 {
					b.WriteByte(' ')
				}
				b.WriteString("-" + f.name)
			}
			b.WriteString("' ;;\n")
		}
	}
	fmt.Fprintf(b, "      help:*) words='%s' ;;\n      completion:*) words='bash zsh fish' ;;\n      esac ;;\n    esac\n  fi\n"+
		"  if [ -n \"$words\" ]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"+
		"  else\n    COMPREPLY=($(compgen -f -- \"$current\"))\n  fi\n}\ncomplete -o filenames -F _gpuc gpuc\n", strings.Join(a.names(), " "))
}

// zshWord quotes NAME:DESCRIPTION for _describe.
func zshWord(name, doc string) string {
	return quoted(strings.ReplaceAll(name, ":", `\:`) + ":" + doc)
}

// quoted is text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func zshCompletion(b *strings.Builder, a *app, values map[string][]string) {
	fmt.Fprint(b, "#compdef gpuc\n# completions of gpuc for zsh: source <(gpuc completion zsh)\n_gpuc() {\n  local -a words_of\n"+
		"  if (( CURRENT == 2 )); then\n    words_of=(\n")
	for _, c := range a.commands {
		fmt.Fprintf(b, "      %s\n", zshWord(c.name, c.summary))
	}
	fmt.Fprint(b, "    )\n    _describe command words_of\n    return\n  fi\n  case $words[CURRENT-1] in\n")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(b, "  -%s) compadd -- %s; return ;;\n", name, strings.Join(values[name], " "))
	}
	fmt.Fprint(b, "  esac\n  case $words[2] in\n")
	for _, c := range a.commands {
		if flags := c.flags(); len(flags) > 0 {
			fmt.Fprintf(b, "  %s) words_of=(\n", c.name)
			for _, f := range flags {
				fmt.Fprintf(b, "    %s\n", zshWord("-"+f.name, f.doc))
			}
			fmt.Fprint(b, "  ) ;;\n")
		}
	}
	fmt.Fprintf(b, "  help) compadd -- %s; return ;;\n  completion) compadd -- bash zsh fish; return ;;\n  esac\n"+
		"  if [[ $words[CURRENT] == -* ]]; then\n    _describe flag words_of\n  else\n    _files\n  fi\n}\ncompdef _gpuc gpuc\n",
		strings.Join(a.names(), " "))
}

func fishCompletion(b *strings.Builder, a *app, values map[string][]string) {
	fmt.Fprint(b, "# completions of gpuc for fish: gpuc completion fish > ~/.config/fish/completions/gpuc.fish\n")
	for _, c := range a.commands {
		fmt.Fprintf(b, "complete -c gpuc -n __fish_use_subcommand -f -a %s -d %s\n", c.name, fishQuoted(c.summary))
	}
	for _, c := range a.commands {
		for _, f := range c.flags() {
			fmt.Fprintf(b, "complete -c gpuc -n '__fish_seen_subcommand_from %s' -o %s -d %s", c.name, f.name, fishQuoted(f.doc))
			if v := values[f.name]; v != nil {
				fmt.Fprintf(b, " -x -a %s", fishQuoted(strings.Join(v, " ")))
			} else if f.takes {
				fmt.Fprint(b, " -r")
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(b, "complete -c gpuc -n '__fish_seen_subcommand_from help' -f -a '%s'\n"+
		"complete -c gpuc -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n", strings.Join(a.names(), " "))
}

// fishQuoted is text as one word of fish.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

func runMan(e *environment, args []string) error {
	if err := e.parseFlags(e.newFlags(), args); err != nil {
		return err
	}
	_, err := io.WriteString(e.stdout, manualPage(e.app))
	return err
}

// manualPage returns the manual page of gpuc for man(1): what the -h of all commands say.
func manualPage(a *app) string {
	var overview bytes.Buffer
	a.list(&overview)
	var b strings.Builder
	b.WriteString(".TH GPUC 1\n.SH NAME\ngpuc \\- compile GPU kernels: one source, every GPU\n.SH OVERVIEW\n")
	preformatted(&b, overview.String())
	for _, c := range a.commands {
		fmt.Fprintf(&b, ".SH GPUC %s\n", strings.ToUpper(c.name))
		preformatted(&b, c.helpText())
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%d if all is well, %d if the program, its input or the device is at fault, %d if the command line is, %d if gpuc is; %d if Ctrl-C ended -watch.\n",
		exitOK, exitDiagnostics, exitUsage, exitInternal, exitInterrupted)
	return b.String()
}

// preformatted writes text as it is. Man takes lines that begin with a point or an apostrophe
// for commands, and backslashes and hyphens for something else, and reads ASCII.
func preformatted(b *strings.Builder, text string) {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga").Replace(strings.TrimSpace(text))
	b.WriteString(".nf\n")
	for line := range strings.Lines(text + "\n") {
		if strings.HasPrefix(line, ".") {
			line = `\&` + line
		}
		for _, r := range line {
			if r < utf8.RuneSelf {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(b, "\\[u%04X]", r)
			}
		}
	}
	b.WriteString(".fi\n")
}
