package main

import (
	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/frontend/wgsl/lsp"
)

var lspCommand = cli.Command{
	Name:     "lsp",
	Run:      runLSP,
	Summary:  "serve editors: the language server for WGSL",
	Protocol: true,
	Help: `
Speaks the Language Server Protocol on standard input and output, as editors start it:
what is wrong as you type, with fixes; types, layouts and values on hover; definitions,
references, rename; completion and signatures; formatting; offsets of members. People do
not run it. docs/editor.md has the lines that each editor needs, such as

  Neovim      vim.lsp.config('gpuc', {cmd={'gpuc', 'lsp'}, filetypes={'wgsl'}})
  Helix       [language-server.gpuc]  command = "gpuc"  args = ["lsp"]
  Emacs       (add-to-list 'eglot-server-programs '(wgsl-mode "gpuc" "lsp"))
  VS Code     any extension that starts a language server: command gpuc, argument lsp

The exit code is 0 if the editor said goodbye as the protocol has it, else 1.
`,
}

func runLSP(e *cli.Env, args []string) error {
	f := e.NewFlags()
	f.Bool("stdio", true, "speak on standard input and output, which it does without being told: some editors tell it")
	if err := e.ParseFlags(f, args); err != nil {
		return err
	}
	e.Awaits("an editor")
	version, _ := cli.Version()
	return lsp.Serve(e.Stdin, e.Stdout, version)
}
