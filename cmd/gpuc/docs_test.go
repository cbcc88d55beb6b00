package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/explain"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestDocs compares the generated pages of the documentation with the tables that they are made
// from. `go test ./cmd/gpuc -update` writes them.
func TestDocs(t *testing.T) {
	for name, text := range map[string]string{
		"operations.md":  operationsPage(),
		"diagnostics.md": diagnosticsPage(),
		"targets.md":     targetsPage(),
	} {
		path := filepath.Join("..", "..", "docs", name)
		if *update {
			write(t, path, text)
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(data), text); diff != "" {
			t.Errorf("docs/%s is stale (-page +table):\n%s", name, diff)
		}
	}
}

func operationsPage() string {
	var b strings.Builder
	b.WriteString("# Operations of the IR\n\nMade from `ir/op/table.go`. A signature gives the class of T, where `*` allows vectors and `+` wants\none, then operands and result. Effects on memory are on what an operand, counted from 0, leads to.\n\n| operation | signature | effects | meaning |\n| --- | --- | --- | --- |\n")
	for o := op.Invalid + 1; o < op.Count; o++ {
		signature := o.Info().Signature
		if op.SignatureOf(o).Special != "" {
			signature = ""
		} else {
			signature = "`" + signature + "`"
		}
		b.WriteString("| `" + o.String() + "` | " + cell(signature) + " | " + explain.Effects(o) + " | " + cell(o.Info().Doc) + " |\n")
	}
	return b.String()
}

func diagnosticsPage() string {
	var b strings.Builder
	b.WriteString("# Diagnostics\n\nMade from `ir/diag/codes_table.go`. `gpuc doc CODE` shows one.\n\n| code | rule | example |\n| --- | --- | --- |\n")
	for _, c := range diag.Codes() {
		example := c.Entry().Example
		if example != "" {
			example = "`" + example + "`"
		}
		b.WriteString("| `" + c.String() + "` | " + cell(c.Entry().Doc) + " | " + cell(example) + " |\n")
	}
	return b.String()
}

func targetsPage() string {
	var b strings.Builder
	b.WriteString("# Targets\n\nMade from the targets' own tables: first each target, then operations and numbers by target.\n")
	for _, t := range all.Targets {
		b.WriteString("\n## " + string(t.Name) + "\n\n" + t.Doc + ". Files end in `" + t.Extension + "`")
		if t.Object != nil {
			b.WriteString(", and what devices load in `" + t.ObjectExtension + "`")
		}
		b.WriteString(".\n")
		if t.AsWritten {
			b.WriteString("\nThe portable passes that only make code faster are left out, whatever the options say.\n")
		}
		if len(t.Profiles) > 0 {
			format := "\nCode runs on all of these unless a profile is asked for (`-target %s:%s`); `gpuc run` and `runtime/jit` take the highest that the device runs:\n\n| profile | devices | workgroup memory |\n| --- | --- | --- |\n"
			if t.Profiles[0].Exact {
				format = "\nCode is for one of these alone, the first unless another is asked for (`-target %s:%s`):\n\n| profile | devices | workgroup memory |\n| --- | --- | --- |\n"
			}
			fmt.Fprintf(&b, format,
				t.Name, t.Profiles[len(t.Profiles)-1].Name)
			for _, p := range t.Profiles {
				memory := "the device's"
				if p.WorkgroupBytes != 0 {
					memory = fmt.Sprintf("%d KiB", p.WorkgroupBytes>>10)
				}
				b.WriteString("| `" + p.Name + "` | " + cell(p.Doc) + " | " + memory + " |\n")
			}
		}
		if len(t.Legalize) > 0 {
			b.WriteString("\nBefore emission these passes run:\n\n| pass | does |\n| --- | --- |\n")
			for _, p := range t.Legalize {
				b.WriteString("| `" + p.Name + "` | " + cell(p.Doc) + " |\n")
			}
		}
		for _, u := range explain.Unsupported(t) {
			b.WriteString("\n`" + strings.Join(u.Ops, "`, `") + "` cannot be expressed: " + u.Reason + ".\n")
		}
		b.WriteString("\nNames and lines of the source: " + t.Names + ".\n")
		if t.Handles != "" {
			b.WriteString("\nTextures and samplers: " + t.Handles + ".\n")
		}
		if t.Name == abi.CPU {
			nativeTable(&b)
		}
	}
	numbersTable(&b)
	operationsTable(&b)
	return b.String()
}

// nativeTable lists the operations that the CPU device makes no machine code for.
func nativeTable(b *strings.Builder) {
	b.WriteString("\nThe CPU device makes machine code of it for x86-64-v3 (`gpuc build -target cpu -S` shows that), unless the kernel has textures, reductions of floats in subgroups, operations of subgroups on 64 bits, or one of these:\n\n" +
		"| operation | of | reason |\n| --- | --- | --- |\n")
	for _, r := range jit.Refusals() {
		var kinds []string
		for _, k := range r.Kinds {
			kinds = append(kinds, "`"+k.String()+"`")
		}
		b.WriteString("| `" + r.Operation.String() + "` | " + strings.Join(kinds, ", ") + " | " + cell(r.Reason) + " |\n")
	}
}

// tableHead begins a table with a column for each target.
func tableHead(b *strings.Builder, what string) {
	b.WriteString("| " + what + " |")
	for _, t := range all.Targets {
		b.WriteString(" " + string(t.Name) + " |")
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(all.Targets)) + "\n")
}

// numbersTable shows which scalar types targets have.
func numbersTable(b *strings.Builder) {
	b.WriteString("\n## Numbers by target\n\nA kernel that has a kind which the target does not is refused where it first stands. Vulkan's devices may lack those of 8, 16 and 64 bits, " +
		"and the description requires them by name.\n\n")
	tableHead(b, "kind")
	for k := scalar.Bool; k < scalar.Count; k++ {
		if k.IsAbstract() {
			continue
		}
		b.WriteString("| `" + k.String() + "` |")
		for _, t := range all.Targets {
			has := "yes"
			if t.Kinds != 0 && !t.Kinds.Has(k) {
				has = "no"
			}
			b.WriteString(" " + has + " |")
		}
		b.WriteString("\n")
	}
}

// operationsTable shows how each target expresses each operation.
func operationsTable(b *strings.Builder) {
	b.WriteString("\n## Operations by target\n\n`+` is written as it is, the name of a pass says what replaces the operation before, and a number is the reason, below, why there is no form. " +
		"What a pass replaces for some types only is written as it is for the others.\n\n")
	tableHead(b, "operation")
	var forms []*[op.Count]codegen.Form
	for _, t := range all.Targets {
		forms = append(forms, t.Forms())
	}
	var reasons []string
	for o := op.Invalid + 1; o < op.Count; o++ {
		b.WriteString("| `" + o.String() + "` |")
		for n := range forms {
			text := "+"
			switch f := forms[n][o]; {
			case f.Passes != nil:
				text = "`" + strings.Join(f.Passes, "`, `") + "`"
			case f.Reason != "":
				if !slices.Contains(reasons, f.Reason) {
					reasons = append(reasons, f.Reason)
				}
				text = fmt.Sprint(slices.Index(reasons, f.Reason) + 1)
			}
			b.WriteString(" " + text + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for n, reason := range reasons {
		fmt.Fprintf(b, "%d. %s.\n", n+1, reason)
	}
}

// cell escapes text for a cell of a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", "\\|"), "\n", " ")
}
