package main

import (
	"github.com/gpuc/gpuc/frontend/wgsl/lsp"
)

var lspCommand = command{
	name:     "lsp",
	summary:  "serve editors: the language server for WGSL",
	protocol: true,
	help: `
Speaks the Language Server Protocol on standard input and output, as editors start it:
what is wrong as you type, with fixes; types, layouts and values on hover; definitions,
references, rename; completion and signatures; formatting; offsets of members. People do
not run it. docs/guide/editors.md has the lines that each editor needs, such as

  Neovim      vim.lsp.config('gpuc', {cmd={'gpuc', 'lsp'}, filetypes={'wgsl'}})
  Helix       [language-server.gpuc]  command = "gpuc"  args = ["lsp"]
  Emacs       (add-to-list 'eglot-server-programs '(wgsl-mode "gpuc" "lsp"))
  VS Code     any extension that starts a language server: command gpuc, argument lsp

The exit code is 0 if the editor said goodbye as the protocol has it, else 1.
`,
}

func init() { lspCommand.run = runLSP }

func runLSP(e *environment, args []string) error {
	f := lspCommand.newFlags()
	f.Bool("stdio", true, "speak on standard input and output, which it does without being told: some editors tell it")
	if err := lspCommand.parseFlags(e, f, args); err != nil {
		return err
	}
	e.awaits(&lspCommand, "an editor")
	version, _ := builtFrom()
	return lsp.Serve(e.stdin, e.stdout, version)
}
