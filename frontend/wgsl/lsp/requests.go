package lsp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gpuc/gpuc/frontend/wgsl/editor"
)

// This file answers requests: each is a query to package editor, with its result converted.

// requestRow is a request about a document.
type requestRow struct {
	method string
	answer func(s *server, d *document, p *documentParams) (any, *responseError)
}

var requests = [...]requestRow{
	{"textDocument/hover", (*server).hover},
	{"textDocument/definition", (*server).definition},
	{"textDocument/references", (*server).references},
	{"textDocument/documentHighlight", (*server).highlight},
	{"textDocument/prepareRename", (*server).prepareRename},
	{"textDocument/rename", (*server).rename},
	{"textDocument/completion", (*server).completion},
	{"textDocument/signatureHelp", (*server).signatureHelp},
	{"textDocument/documentSymbol", (*server).documentSymbol},
	{"textDocument/formatting", (*server).formatting},
	{"textDocument/inlayHint", (*server).inlayHint},
	{"textDocument/codeAction", (*server).codeAction},
}

// initialize negotiates the capabilities.
func (s *server) initialize(params json.RawMessage) (any, *responseError) {
	var p initializeParams
	if wrong := decode(params, &p, "initialize"); wrong != nil {
		return nil, wrong
	}
	client := &p.Capabilities
	s.state = running
	if slices.Contains(client.General.PositionEncodings, encodingNames[utf8Bytes]) {
		s.encoding = utf8Bytes
	}
	s.markdown = slices.Contains(client.TextDocument.Hover.ContentFormat, "markdown")
	s.related = client.TextDocument.PublishDiagnostics.RelatedInformation
	s.labelOffsets = client.TextDocument.SignatureHelp.Information.Parameter.LabelOffset
	const incremental = 2
	result := initializeResult{ServerInfo: serverInfo{"gpuc", s.version}}
	c := &result.Capabilities
	c.PositionEncoding = encodingNames[s.encoding]
	c.Sync.OpenClose, c.Sync.Change = true, incremental
	c.Hover, c.Definition, c.References, c.Highlight = true, true, true, true
	c.Symbols, c.Formatting, c.InlayHint, c.Rename.Prepare = true, true, true, true
	c.Completion.Characters = []string{".", "@"}
	c.Signature.Characters = []string{"(", ","}
	c.CodeAction.Kinds = []string{quickFix}
	return result, nil
}

// at returns the offset of a request's position.
func (s *server) at(d *document, p *documentParams) int { return d.text.offset(p.Position, s.encoding) }

func (s *server) hover(d *document, p *documentParams) (any, *responseError) {
	h := d.editor.Hover(s.at(d, p))
	if h == nil {
		return nil, nil
	}
	out := hover{markup{"plaintext", strings.Join(append([]string{h.Code}, h.Text...), "\n\n")}, s.rangeOf(d, h.Range)}
	if s.markdown {
		out.Contents = markup{"markdown", strings.Join(append([]string{"```wgsl\n" + h.Code + "\n```"}, h.Text...), "\n\n")}
	}
	return out, nil
}

func (s *server) definition(d *document, p *documentParams) (any, *responseError) {
	r, ok := d.editor.Definition(s.at(d, p))
	if !ok {
		return nil, nil
	}
	return location{d.uri, s.rangeOf(d, r)}, nil
}

func (s *server) references(d *document, p *documentParams) (any, *responseError) {
	list := []location{}
	for _, r := range d.editor.References(s.at(d, p), p.Context.IncludeDeclaration) {
		list = append(list, location{d.uri, s.rangeOf(d, r)})
	}
	return list, nil
}

func (s *server) highlight(d *document, p *documentParams) (any, *responseError) {
	list := []highlight{}
	for _, r := range d.editor.References(s.at(d, p), true) {
		list = append(list, highlight{s.rangeOf(d, r)})
	}
	return list, nil
}

func (s *server) prepareRename(d *document, p *documentParams) (any, *responseError) {
	r, err := d.editor.Renamable(s.at(d, p))
	if err != nil {
		return nil, errorf(requestFailed, "%v", err)
	}
	return s.rangeOf(d, r), nil
}

func (s *server) rename(d *document, p *documentParams) (any, *responseError) {
	edits, err := d.editor.Rename(s.at(d, p), p.NewName)
	if err != nil {
		return nil, errorf(requestFailed, "%v", err)
	}
	return s.workspaceEdit(d, edits), nil
}

func (s *server) workspaceEdit(d *document, edits []editor.Edit) workspaceEdit {
	list := []textEdit{}
	for _, e := range edits {
		list = append(list, textEdit{s.rangeOf(d, e.Range), e.Text})
	}
	return workspaceEdit{map[string][]textEdit{d.uri: list}}
}

// completionKinds and symbolKinds are the protocol's CompletionItemKind and SymbolKind (LSP 3.17).
var (
	completionKinds = [...]int{
		editor.FunctionItem: 3, editor.VariableItem: 6, editor.ConstantItem: 21, editor.MemberItem: 5, editor.StructItem: 22,
		editor.TypeItem: 25, editor.KeywordItem: 14, editor.WordItem: 20,
	}
	symbolKinds = [...]int{
		editor.FunctionItem: 12, editor.VariableItem: 13, editor.ConstantItem: 14, editor.MemberItem: 8, editor.StructItem: 23,
		editor.TypeItem: 26, editor.KeywordItem: 13, editor.WordItem: 22,
	}
)

func (s *server) completion(d *document, p *documentParams) (any, *responseError) {
	list := completionList{Items: []completionItem{}}
	for _, i := range d.editor.Complete(s.at(d, p)) {
		list.Items = append(list.Items, completionItem{i.Label, completionKinds[i.Kind], i.Detail, i.Text, strconv.Itoa(i.Distance) + i.Label})
	}
	return list, nil
}

func (s *server) signatureHelp(d *document, p *documentParams) (any, *responseError) {
	call := d.editor.Call(s.at(d, p))
	if call == nil {
		return nil, nil
	}
	help := signatureHelp{ActiveSignature: call.Active, ActiveParameter: call.Argument}
	for _, x := range call.Signatures {
		out := signature{x.Label, x.Text, []parameter{}}
		for _, r := range x.Parameters {
			label := any(x.Label[r.Start:r.End])
			if s.labelOffsets {
				label = [2]int{s.units(x.Label[:r.Start]), s.units(x.Label[:r.End])}
			}
			out.Parameters = append(out.Parameters, parameter{label})
		}
		help.Signatures = append(help.Signatures, out)
	}
	return help, nil
}

// units returns the length of a text in units of the agreed encoding.
func (s *server) units(text string) (n int) {
	for _, c := range text {
		n += width(c, utf8.RuneLen(c), s.encoding)
	}
	return n
}

func (s *server) documentSymbol(d *document, _ *documentParams) (any, *responseError) {
	return s.symbols(d, d.editor.Symbols()), nil
}

func (s *server) symbols(d *document, all []editor.Symbol) []documentSymbol {
	list := []documentSymbol{}
	for _, x := range all {
		list = append(list, documentSymbol{x.Name, x.Detail, symbolKinds[x.Kind], s.rangeOf(d, x.Declaration), s.rangeOf(d, x.Range), s.symbols(d, x.Members)})
	}
	return list
}

func (s *server) formatting(d *document, _ *documentParams) (any, *responseError) {
	list := []textEdit{}
	e, err := d.editor.Format()
	if err != nil {
		return nil, errorf(requestFailed, "%v", err)
	}
	if e != nil {
		list = append(list, textEdit{s.rangeOf(d, e.Range), e.Text})
	}
	return list, nil
}

func (s *server) inlayHint(d *document, p *documentParams) (any, *responseError) {
	list := []inlayHint{}
	for _, h := range d.editor.Hints(s.within(d, p)) {
		list = append(list, inlayHint{d.text.position(h.At, s.encoding), h.Label, h.Text, true})
	}
	return list, nil
}

// within returns the range of a request.
func (s *server) within(d *document, p *documentParams) editor.Range {
	return editor.Range{Start: d.text.offset(p.Range.Start, s.encoding), End: d.text.offset(p.Range.End, s.encoding)}
}

// quickFix is the kind of all code actions.
const quickFix = "quickfix"

// codeAction offers the fixes of diagnostics, and comments that silence warnings.
func (s *server) codeAction(d *document, p *documentParams) (any, *responseError) {
	list := []codeAction{}
	if len(p.Context.Only) > 0 && !slices.Contains(p.Context.Only, quickFix) && !slices.Contains(p.Context.Only, "") {
		return list, nil
	}
	within := s.within(d, p)
	for _, x := range d.editor.Diagnostics() {
		at, ok := d.editor.Range(x.Span)
		if !ok || at.End < within.Start || within.End < at.Start {
			continue
		}
		for _, f := range x.Fixes {
			r, _ := d.editor.Range(f.Span)
			list = append(list, codeAction{
				Title: f.Message, Kind: quickFix, Diagnostics: []diagnostic{s.diagnostic(d, &x)}, IsPreferred: len(x.Fixes) == 1,
				Edit: s.workspaceEdit(d, []editor.Edit{{Range: r, Text: f.Text}}),
			})
		}
		if e := d.editor.Silence(&x); e != nil {
			list = append(list, codeAction{
				Title: "allow " + x.Code.String() + " here", Kind: quickFix, Diagnostics: []diagnostic{s.diagnostic(d, &x)},
				Edit: s.workspaceEdit(d, []editor.Edit{*e}),
			})
		}
	}
	return list, nil
}
