// Package completion writes shell completions and the manual page. Both are made of the table of
// commands and of the -h of each command, so that there is no second list of flags.
package completion

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen/all"
)

// Command is gpuc completion.
var Command = cli.Command{
	Name:    "completion",
	Run:     runCompletion,
	Summary: "print completions for bash, zsh or fish",
	Usage:   "bash|zsh|fish",
	Help: `
Prints a script for a shell that completes commands, flags, and the values of some flags.

  source <(gpuc completion bash)                 in ~/.bashrc
  source <(gpuc completion zsh)                  in ~/.zshrc, behind compinit
  gpuc completion fish > ~/.config/fish/completions/gpuc.fish
`,
}

// FlagValues lists the values of flags that have a fixed set of them, by name, for all commands.
func FlagValues() map[string][]string {
	return map[string][]string{
		"target": all.Names(),
		"device": {"auto", "cpu", "cpu:checked", "vulkan", "cuda"},
		"math":   {"wgsl", "strict", "fast"},
		"count":  {"auto", "always", "never"},
		"bounds": {"robust", "trap", "trap-all", "off"},
		"color":  {"auto", "always", "never"},
	}
}

func runCompletion(e *cli.Env, args []string) error {
	shells, err := e.Parse(e.NewFlags(), args)
	if err != nil {
		return err
	}
	if len(shells) != 1 {
		return usage.Errorf("want the name of a shell: bash, zsh or fish")
	}
	text := completionFor(shells[0], e.App, FlagValues())
	if text == "" {
		return usage.Errorf("there are completions for bash, zsh and fish, not for `%s`%s", shells[0], usage.DidYouMean(shells[0], []string{"bash", "zsh", "fish"}, ""))
	}
	_, err = io.WriteString(e.Stdout, text)
	return err
}

// completionFor returns the script for bash, zsh or fish, or "" for another shell. Values has the
// possible values of flags, by name.
func completionFor(shell string, a *cli.App, values map[string][]string) string {
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

// bashCompletion writes the script for bash.
func bashCompletion(b *strings.Builder, a *cli.App, values map[string][]string) {
	fmt.Fprintf(b, "# completions of gpuc for bash: source <(gpuc completion bash)\n_gpuc() {\n"+
		"  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"+
		"  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='help %s'\n  else\n    case $before in\n", strings.Join(a.Names(), " "))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(b, "    -%s) words='%s' ;;\n", name, strings.Join(values[name], " "))
	}
	fmt.Fprint(b, "    *)\n      case ${COMP_WORDS[1]}:$current in\n")
	for _, c := range a.Commands {
		if flags := c.Flags(); len(flags) > 0 {
			fmt.Fprintf(b, "      %s:-*) words='", c.Name)
			for n, f := range flags {
				if n > 0 {
					b.WriteByte(' ')
				}
				b.WriteString("-" + f.Name)
			}
			b.WriteString("' ;;\n")
		}
	}
	fmt.Fprintf(b, "      help:*) words='%s' ;;\n      completion:*) words='bash zsh fish' ;;\n      esac ;;\n    esac\n  fi\n"+
		"  if [ -n \"$words\" ]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"+
		"  else\n    COMPREPLY=($(compgen -f -- \"$current\"))\n  fi\n}\ncomplete -o filenames -F _gpuc gpuc\n", strings.Join(a.Names(), " "))
}

// zshWord returns NAME:DESCRIPTION for _describe, quoted.
func zshWord(name, doc string) string {
	return quoted(strings.ReplaceAll(name, ":", `\:`) + ":" + doc)
}

// quoted quotes text for bash and zsh.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// zshCompletion writes the script for zsh.
func zshCompletion(b *strings.Builder, a *cli.App, values map[string][]string) {
	fmt.Fprint(b, "#compdef gpuc\n# completions of gpuc for zsh: source <(gpuc completion zsh)\n_gpuc() {\n  local -a words_of\n"+
		"  if (( CURRENT == 2 )); then\n    words_of=(\n")
	for _, c := range a.Commands {
		fmt.Fprintf(b, "      %s\n", zshWord(c.Name, c.Summary))
	}
	fmt.Fprint(b, "    )\n    _describe command words_of\n    return\n  fi\n  case $words[CURRENT-1] in\n")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(b, "  -%s) compadd -- %s; return ;;\n", name, strings.Join(values[name], " "))
	}
	fmt.Fprint(b, "  esac\n  case $words[2] in\n")
	for _, c := range a.Commands {
		if flags := c.Flags(); len(flags) > 0 {
			fmt.Fprintf(b, "  %s) words_of=(\n", c.Name)
			for _, f := range flags {
				fmt.Fprintf(b, "    %s\n", zshWord("-"+f.Name, f.Doc))
			}
			fmt.Fprint(b, "  ) ;;\n")
		}
	}
	fmt.Fprintf(b, "  help) compadd -- %s; return ;;\n  completion) compadd -- bash zsh fish; return ;;\n  esac\n"+
		"  if [[ $words[CURRENT] == -* ]]; then\n    _describe flag words_of\n  else\n    _files\n  fi\n}\ncompdef _gpuc gpuc\n",
		strings.Join(a.Names(), " "))
}

// fishCompletion writes the script for fish.
func fishCompletion(b *strings.Builder, a *cli.App, values map[string][]string) {
	fmt.Fprint(b, "# completions of gpuc for fish: gpuc completion fish > ~/.config/fish/completions/gpuc.fish\n")
	for _, c := range a.Commands {
		fmt.Fprintf(b, "complete -c gpuc -n __fish_use_subcommand -f -a %s -d %s\n", c.Name, fishQuoted(c.Summary))
	}
	for _, c := range a.Commands {
		for _, f := range c.Flags() {
			fmt.Fprintf(b, "complete -c gpuc -n '__fish_seen_subcommand_from %s' -o %s -d %s", c.Name, f.Name, fishQuoted(f.Doc))
			if v := values[f.Name]; v != nil {
				fmt.Fprintf(b, " -x -a %s", fishQuoted(strings.Join(v, " ")))
			} else if f.HasValue {
				fmt.Fprint(b, " -r")
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(b, "complete -c gpuc -n '__fish_seen_subcommand_from help' -f -a '%s'\n"+
		"complete -c gpuc -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n", strings.Join(a.Names(), " "))
}

// fishQuoted quotes text for fish.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
