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

// siteName is the file by which a folder with the page is known, and siteStart what it begins with.
const (
	SiteName  = "index.html"
	SiteStart = "<!doctype html>\n<!-- the page of gpuc playground -->\n"
)

// This file serves the page: ten files, by GET, to a browser (HTTP/1.1, RFC 9112). Package net/http
// would do more, for 4 MB more of the command and 36 packages that each start of it initialises:
// 0.4 of 3.2 ms.

// pageServer has the files of the page by their paths.
type pageServer map[string][]byte

func NewPageServer(files []File) pageServer {
	s := pageServer{}
	for _, f := range files {
		s["/"+f.Name] = f.Data
	}
	return s
}

// Serve answers until the listener is closed.
func (s pageServer) Serve(listener net.Listener) error {
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

// Bounds of a request, and of the time that it may take.
const (
	maxRequestBytes = 64 << 10
	requestTime     = time.Minute
)

// pageTypes are the media types of files, by what their names end in.
var pageTypes = [...]struct{ ending, kind string }{
	{".html", "text/html; charset=utf-8"}, {".css", "text/css; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"}, {".json", "application/json"}, {".gz", "application/gzip"},
}

func pageType(name string) string {
	for _, t := range pageTypes {
		if strings.HasSuffix(name, t.ending) {
			return t.kind
		}
	}
	return "application/octet-stream"
}

// answer answers the one request of a connection. Who does not speak HTTP gets none.
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
	for header := request; strings.TrimSpace(header) != ""; { // none of them changes the answer
		if header, err = r.ReadString('\n'); err != nil {
			return
		}
	}
	method, name := fields[0], fields[1]
	name, _, _ = strings.Cut(name, "?")
	if name == "/" {
		name += SiteName
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
	w.Flush() // who has gone does not hear of it
}
