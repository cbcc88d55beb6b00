package explore

import (
	_ "embed"
	"encoding/json"
	"html"
	"strings"
)

// The parts of the page. The playground has the style and the script, too, and a page of its own
// around them.
var (
	//go:embed page.html
	frame string
	//go:embed page.css
	Style string
	//go:embed page.js
	Script string
)

// Signature is what pages begin with.
const Signature = "<!doctype html>\n<!-- written by gpuc explore -->\n"

// Page returns a page that shows an exploration: one file, which asks for nothing else. The title
// is the name of what is explored.
func Page(x *Exploration, title string) ([]byte, error) {
	// whose text has no <, so that nothing in it ends the element around it
	data, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	parts := strings.NewReplacer("{{title}}", html.EscapeString(title), "{{style}}", Style, "{{script}}", Script, "{{exploration}}", string(data))
	return []byte(Signature + parts.Replace(frame)), nil
}
