package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// This file reads and writes JSON-RPC 2.0 messages with their headers (LSP 3.17, Base Protocol).
// After a malformed message reading continues at the next header.

// message is a request, which has an id, or a notification, which has none.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// isRequest reports whether the message needs an answer.
func (m *message) isRequest() bool { return len(m.ID) > 0 }

// response answers a request.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

// failure answers a request that failed, or a malformed message.
type failure struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *responseError  `json:"error"`
}

// notification is a notification to the client.
type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// responseError is the error of a request.
type responseError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *responseError) Error() string { return e.Message }

// The codes of errors (JSON-RPC 2.0 §5.1, LSP 3.17 ErrorCodes).
const (
	parseError           = -32700
	invalidRequest       = -32600
	methodNotFound       = -32601
	invalidParams        = -32602
	internalError        = -32603
	serverNotInitialized = -32002
	requestFailed        = -32803
	requestCancelled     = -32800
)

func errorf(code int, format string, args ...any) *responseError {
	return &responseError{code, fmt.Sprintf(format, args...)}
}

// maxMessage is the greatest size of a message in bytes.
const maxMessage = 64 << 20

// reader reads messages.
type reader struct {
	in *bufio.Reader
	// lost says that the position of the next header is unknown, which has been reported.
	lost bool
}

func newReader(in io.Reader) *reader { return &reader{in: bufio.NewReaderSize(in, 1<<16)} }

const lengthHeader = "content-length:"

// next returns the next message. A *responseError is about one message, and others may follow; any
// other error is final.
func (r *reader) next() (*message, error) {
	length := -1
	for {
		line, err := r.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) && (len(line) > 0 && !r.lost || length >= 0) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" && length >= 0 {
			break
		}
		at := indexFold(text, lengthHeader)
		switch {
		case at == 0 || at > 0 && r.lost:
			n, err := strconv.Atoi(strings.TrimSpace(text[at+len(lengthHeader):]))
			if err != nil || n < 0 {
				r.lost = true
				return nil, errorf(parseError, "the header %q has no length of a message", clip(text))
			}
			length = n
		case r.lost || text == "":
		case !strings.Contains(text, ":"):
			r.lost = true
			return nil, errorf(parseError, "%q is no header; messages begin with Content-Length: and their number of bytes", clip(text))
		}
	}
	r.lost = false
	if length > maxMessage {
		if _, err := io.CopyN(io.Discard, r.in, int64(length)); err != nil {
			return nil, err
		}
		return nil, errorf(invalidRequest, "the message has %d bytes; at most %d are taken", length, maxMessage)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r.in, body); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return parseMessage(body)
}

// indexFold is strings.Index without regard to case.
func indexFold(text, part string) int {
	for i := 0; i+len(part) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

func parseMessage(body []byte) (*message, error) {
	m := new(message)
	if err := json.Unmarshal(body, m); err != nil {
		if json.Valid(body) {
			return nil, errorf(invalidRequest, "the message is no request or notification: it has another form")
		}
		return nil, errorf(parseError, "the message is no JSON: %v", err)
	}
	if bytes.Equal(m.ID, []byte("null")) {
		m.ID = nil
	}
	if m.Version != "2.0" {
		return m, errorf(invalidRequest, `the message has no "jsonrpc": "2.0"`)
	}
	if m.Method == "" {
		return m, errorf(invalidRequest, "the message has no method")
	}
	if len(m.ID) > 0 && m.ID[0] != '"' && m.ID[0] != '-' && (m.ID[0] < '0' || m.ID[0] > '9') {
		m.ID = nil
		return nil, errorf(invalidRequest, "the id of a request is a number or a string")
	}
	return m, nil
}

// clip shortens a text for a message.
func clip(text string) string {
	if len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// write writes one message.
func write(out io.Writer, m any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // for readable logs
	if err := encoder.Encode(m); err != nil {
		return err
	}
	body.Truncate(body.Len() - 1) // the line break
	_, err := out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", body.Len()), body.Bytes()...))
	return err
}

// decode decodes the parameters of a method. The error names the wrong parameter.
func decode(params json.RawMessage, into any, method string) *responseError {
	err := json.Unmarshal(params, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case len(params) == 0:
		return errorf(invalidParams, "%s has no parameters", method)
	case errors.As(err, &wrong) && wrong.Field != "":
		return errorf(invalidParams, "the parameter %s of %s is of another type than %s", wrong.Field, method, wrong.Value)
	}
	return errorf(invalidParams, "the parameters of %s are not of its form", method)
}
