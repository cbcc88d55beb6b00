package site

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// IndexName is the file of the page, and IndexStart is how it begins.
const (
	IndexName  = "index.html"
	IndexStart = "<!doctype html>\n<!-- the page of gpuc playground -->\n"
)

// pageServer has the contents of files by path. It answers GET and HEAD (HTTP/1.1, RFC 9112).
// Package net/http would add 4 MB to the program, and 36 packages that are initialised at each
// start.
type pageServer map[string][]byte

// Serve serves files at a listener until that is closed.
func Serve(listener net.Listener, files []File) error {
	s := pageServer{}
	for _, f := range files {
		s["/"+f.Name] = f.Data
	}
	for {
		c, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot serve any more: %w", err)
		}
		go s.answer(c)
	}
}

// Limits of a request.
const (
	maxRequestBytes = 64 << 10
	requestTime     = time.Minute
)

// pageTypes are the media types of files by extension.
var pageTypes = [...]struct{ ending, kind string }{
	{".html", "text/html; charset=utf-8"}, {".css", "text/css; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"}, {".json", "application/json"}, {".gz", "application/gzip"},
}

// pageType returns the media type of a file.
func pageType(name string) string {
	for _, t := range pageTypes {
		if strings.HasSuffix(name, t.ending) {
			return t.kind
		}
	}
	return "application/octet-stream"
}

// answer answers the request of a connection, unless it is not HTTP/1.
func (s pageServer) answer(c net.Conn) {
	defer c.Close()
	if c.SetDeadline(time.Now().Add(requestTime)) != nil {
		return
	}
	r := bufio.NewReader(io.LimitReader(c, maxRequestBytes))
	request, err := r.ReadString('\n')
	fields := strings.Fields(request)
	if err != nil || len(fields) != 3 || !strings.HasPrefix(fields[2], "HTTP/1.") {
		return
	}
	for header := request; strings.TrimSpace(header) != ""; { // skip the headers
		if header, err = r.ReadString('\n'); err != nil {
			return
		}
	}
	method, name := fields[0], fields[1]
	name, _, _ = strings.Cut(name, "?")
	if name == "/" {
		name += IndexName
	}
	status, kind, data := "200 OK", pageType(name), s[name]
	switch {
	case method != "GET" && method != "HEAD":
		status, kind, data = "405 Method Not Allowed\r\nAllow: GET, HEAD", "text/plain", []byte("these files can be read, and no more\n")
	case data == nil:
		status, kind, data = "404 Not Found", "text/plain", []byte("there is no such file\n")
	}
	w := bufio.NewWriter(c)
	fmt.Fprintf(w, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n", status, kind, len(data))
	if method != "HEAD" {
		w.Write(data)
	}
	w.Flush() // an error means that the browser has gone
}
