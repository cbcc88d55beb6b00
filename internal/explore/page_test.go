package explore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/browser"
	"github.com/gpuc/gpuc/internal/explore"
)

// lit returns the highlighted rows of a pane, one on each line.
func lit(b *browser.Browser, pane, class string) string {
	return b.Eval(`[...document.querySelectorAll(".pane")[` + pane + `].querySelectorAll(".l.` + class + `")].map(r => r.textContent.trim()).join("\n")`)
}

// TestPage uses a page in a browser.
func TestPage(t *testing.T) {
	hostile := "// </script><b id=broken>\n" + told
	x := explore.Explore(load(t, "told.wgsl", hostile), []string{"main"}, all.Targets, codegen.Options{})
	page, err := explore.Page(x, "<told>.wgsl")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, page, 0o644); err != nil {
		t.Fatal(err)
	}
	b := browser.Start(t, 1280, 800)
	b.OpenFile(path)
	b.Wait(`document.querySelectorAll(".pane").length === 3 && document.querySelectorAll(".pane")[2].querySelectorAll(".l").length > 20`)
	if b.Eval(`document.getElementById("broken") === null`) != "true" {
		t.Error("the source has become a part of the page")
	}
	if asked := b.Asked(); len(asked) != 1 {
		t.Errorf("the page asks for %q", asked)
	}

	// pointing at a line of the source
	b.Point(`.pane:nth-of-type(1) .l[data-n="17"]`, false)
	b.Wait(`document.querySelectorAll(".l.on").length > 2`)
	if got := lit(b, "0", "on"); got != "x[id.x] = n | 7013u;" {
		t.Errorf("in the source %q lights up", got)
	}
	for _, pane := range []string{"1", "2"} {
		if got := lit(b, pane, "on"); !strings.Contains(got, "7013") || strings.Contains(got, "5003") {
			t.Errorf("in pane %s there lights up\n%s", pane, got)
		}
	}
	if got := b.Eval(`document.getElementById("status").textContent`); !strings.HasPrefix(got, "told.wgsl:17") {
		t.Errorf("the status is %q", got)
	}
	b.Picture("explore")

	// and at a line of the code
	b.Point(`.pane:nth-of-type(3) .l.on`, true)
	if got := lit(b, "0", "kept"); got != "x[id.x] = n | 7013u;" {
		t.Errorf("of a line of code that was clicked, the source is %q", got)
	}
	b.Key("Escape")
	b.Wait(`document.querySelectorAll(".l.kept").length === 0`)

	// another target
	b.Eval(`(() => { const s = document.querySelectorAll(".pane")[2].querySelector("select"); s.focus(); s.value = "ptx"; s.dispatchEvent(new Event("change")) })()`)
	if got := b.Eval(`document.querySelectorAll(".pane")[2].querySelector(".rows").textContent`); !strings.Contains(got, ".visible .entry main") {
		t.Error("the code of ptx is not shown")
	}
	if got := b.Eval(`document.querySelectorAll(".pane")[1].querySelector("select").value`); got != "ptx" {
		t.Errorf("the IR is that of %s", got)
	}

	// passes by keys: to the end and back to the front end
	b.Eval(`document.querySelectorAll(".pane")[1].querySelector(".text").focus()`)
	stage := `document.querySelectorAll(".pane")[1].querySelectorAll("select")[1].selectedOptions[0].textContent`
	for range 40 {
		b.Key("ArrowLeft")
	}
	if got := b.Eval(stage); got != "0  front end" {
		t.Errorf("the first stage is %q", got)
	}
	if got := b.Eval(`document.querySelectorAll(".pane")[1].querySelector(".rows").textContent`); !strings.Contains(got, "call @mixed") {
		t.Errorf("the front end's IR has no call of mixed: %s", got)
	}
	b.Key("ArrowRight")
	if got := b.Eval(stage); !strings.Contains(got, "after ") {
		t.Errorf("the second stage is %q", got)
	}
	b.Key("ArrowDown")
	b.Key("ArrowDown")
	if got := b.Eval(`document.querySelectorAll(".l.cursor").length`); got != "1" {
		t.Errorf("%s lines have the cursor", got)
	}

	// one more pane, and none
	b.Point("#add", true)
	b.Wait(`document.querySelectorAll(".pane").length === 4`)
	b.Dark(true)
	b.Picture("explore-dark")
	b.Point(".pane:nth-of-type(4) .close", true)
	b.Wait(`document.querySelectorAll(".pane").length === 3`)

	// a narrow window shows one pane at a time
	b.Dark(false)
	b.Resize(400, 720)
	shown := `[...document.querySelectorAll(".pane")].filter(p => p.offsetParent).length`
	b.Wait(shown + ` === 1`)
	b.Point(`#tabs button:nth-of-type(3)`, true)
	if got := b.Eval(`document.querySelector(".pane.active .rows").textContent`); !strings.Contains(got, ".visible") {
		t.Error("the third tab does not show the code")
	}
	if b.Eval(`document.documentElement.scrollWidth <= 400`) != "true" {
		t.Error("the page is wider than a window of 400 pixels")
	}
	b.Picture("explore-narrow")
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the browser says %q", said)
	}
}
