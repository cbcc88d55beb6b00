package explore

import (
	_ "embed"
	"encoding/json"
	"html"
	"strings"
)

// The parts of the page. The playground uses the style and the script, too.
var (
	//go:embed page.html
	frame string
	//go:embed page.css
	Style string
	//go:embed page.js
	Script string
)

// Signature is how pages begin.
const Signature = "<!doctype html>\n<!-- written by gpuc explore -->\n"

// Page returns an HTML page that shows an exploration, without references to other files.
func Page(x *Exploration, title string) ([]byte, error) {
	// Marshal escapes <, so that nothing in the text ends the element around it
	data, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	parts := strings.NewReplacer("{{title}}", html.EscapeString(title), "{{style}}", Style, "{{script}}", Script, "{{exploration}}", string(data))
	return []byte(Signature + parts.Replace(frame)), nil
}
