package lsp

import "encoding/json"

// This file has the structures of the protocol (LSP 3.17), with the members that the server uses.

type (
	// Position is a line, from 0, and units of the agreed encoding in it.
	Position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}

	// Range excludes its End.
	Range struct {
		Start Position `json:"start"`
		End   Position `json:"end"`
	}

	location struct {
		URI   string `json:"uri"`
		Range Range  `json:"range"`
	}

	textEdit struct {
		Range   Range  `json:"range"`
		NewText string `json:"newText"`
	}

	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}
)

// Parameters from the client.
type (
	initializeParams struct {
		Capabilities struct {
			General struct {
				PositionEncodings []string `json:"positionEncodings"`
			} `json:"general"`
			TextDocument struct {
				Hover struct {
					ContentFormat []string `json:"contentFormat"`
				} `json:"hover"`
				SignatureHelp struct {
					Information struct {
						Parameter struct {
							LabelOffset bool `json:"labelOffsetSupport"`
						} `json:"parameterInformation"`
					} `json:"signatureInformation"`
				} `json:"signatureHelp"`
				PublishDiagnostics struct {
					RelatedInformation bool `json:"relatedInformation"`
				} `json:"publishDiagnostics"`
			} `json:"textDocument"`
		} `json:"capabilities"`
	}

	documentID struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"`
	}

	openParams struct {
		Document struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
			Text    string `json:"text"`
		} `json:"textDocument"`
	}

	changeParams struct {
		Document documentID `json:"textDocument"`
		Changes  []struct {
			Range *Range  `json:"range"` // nil replaces the whole text
			Text  *string `json:"text"`
		} `json:"contentChanges"`
	}

	// documentParams are the parameters of all requests about a document.
	documentParams struct {
		Document documentID `json:"textDocument"`
		Position Position   `json:"position"`
		Range    Range      `json:"range"`
		NewName  string     `json:"newName"`
		Context  struct {
			IncludeDeclaration bool     `json:"includeDeclaration"`
			Only               []string `json:"only"`
		} `json:"context"`
	}

	cancelParams struct {
		ID json.RawMessage `json:"id"`
	}
)

// Results and notifications of the server.
type (
	initializeResult struct {
		Capabilities serverCapabilities `json:"capabilities"`
		ServerInfo   serverInfo         `json:"serverInfo"`
	}

	serverInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}

	serverCapabilities struct {
		PositionEncoding string `json:"positionEncoding"`
		Sync             struct {
			OpenClose bool `json:"openClose"`
			Change    int  `json:"change"`
		} `json:"textDocumentSync"`
		Hover      bool        `json:"hoverProvider"`
		Definition bool        `json:"definitionProvider"`
		References bool        `json:"referencesProvider"`
		Highlight  bool        `json:"documentHighlightProvider"`
		Symbols    bool        `json:"documentSymbolProvider"`
		Formatting bool        `json:"documentFormattingProvider"`
		InlayHint  bool        `json:"inlayHintProvider"`
		Rename     prepare     `json:"renameProvider"`
		Completion triggers    `json:"completionProvider"`
		Signature  triggers    `json:"signatureHelpProvider"`
		CodeAction actionKinds `json:"codeActionProvider"`
	}

	prepare struct {
		Prepare bool `json:"prepareProvider"`
	}

	triggers struct {
		Characters []string `json:"triggerCharacters"`
	}

	actionKinds struct {
		Kinds []string `json:"codeActionKinds"`
	}

	publishParams struct {
		URI         string       `json:"uri"`
		Version     int          `json:"version"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}

	diagnostic struct {
		Range    Range         `json:"range"`
		Severity int           `json:"severity"`
		Code     string        `json:"code"`
		Source   string        `json:"source"`
		Message  string        `json:"message"`
		Tags     []int         `json:"tags,omitempty"`
		Related  []relatedInfo `json:"relatedInformation,omitempty"`
	}

	relatedInfo struct {
		Location location `json:"location"`
		Message  string   `json:"message"`
	}

	codeAction struct {
		Title       string        `json:"title"`
		Kind        string        `json:"kind"`
		Diagnostics []diagnostic  `json:"diagnostics"`
		IsPreferred bool          `json:"isPreferred,omitempty"`
		Edit        workspaceEdit `json:"edit"`
	}

	hover struct {
		Contents markup `json:"contents"`
		Range    Range  `json:"range"`
	}

	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}

	highlight struct {
		Range Range `json:"range"`
	}

	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}

	completionItem struct {
		Label         string `json:"label"`
		Kind          int    `json:"kind"`
		Detail        string `json:"detail,omitempty"`
		Documentation string `json:"documentation,omitempty"`
		SortText      string `json:"sortText"`
	}

	signatureHelp struct {
		Signatures      []signature `json:"signatures"`
		ActiveSignature int         `json:"activeSignature"`
		ActiveParameter int         `json:"activeParameter"`
	}

	signature struct {
		Label         string      `json:"label"`
		Documentation string      `json:"documentation,omitempty"`
		Parameters    []parameter `json:"parameters"`
	}

	parameter struct {
		Label any `json:"label"` // the text, or its start and end in the signature's label
	}

	documentSymbol struct {
		Name           string           `json:"name"`
		Detail         string           `json:"detail,omitempty"`
		Kind           int              `json:"kind"`
		Range          Range            `json:"range"`
		SelectionRange Range            `json:"selectionRange"`
		Children       []documentSymbol `json:"children,omitempty"`
	}

	inlayHint struct {
		Position    Position `json:"position"`
		Label       string   `json:"label"`
		Tooltip     string   `json:"tooltip,omitempty"`
		PaddingLeft bool     `json:"paddingLeft"`
	}

	showParams struct {
		Type    int    `json:"type"`
		Message string `json:"message"`
	}
)
