package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"fichario/tests/testkit/patience"
)

//go:embed axe.min.js
var axe string

// LAN is a name for 127.0.0.1 that browsers trust no more than any other over http: requests lack headers that browsers
// add for loopback, such as Sec-Fetch-Site.
const LAN = "fichario.lan"

// whole is true in a completely loaded page.
const whole = "document.documentElement !== null && document.readyState === 'complete'"

// Browser is a Chromium with one page and its own cookies.
type Browser struct {
	tb   testing.TB
	ctx  context.Context
	base string

	// Familiar skips axe in Accessible: another browser checks the same pages.
	Familiar bool

	mu       sync.Mutex
	problems []string
}

// StartBrowser starts a browser at the address of the interface. Anything the browser itself reports, such as a script
// refused by the page's policy, fails the test.
func StartBrowser(tb testing.TB, base string) *Browser {
	tb.Helper()
	path, err := Path()
	if err != nil {
		tb.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 900),
		chromedp.Flag("host-resolver-rules", "MAP "+LAN+" 127.0.0.1"))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closePage := chromedp.NewContext(allocator)
	b := &Browser{tb: tb, ctx: ctx, base: base}
	tb.Cleanup(func() {
		closePage()
		stop()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			tb.Errorf("the browser complains: %s", p)
		}
	})
	// The browser lives as long as the context that starts it.
	if err := chromedp.Do(ctx); err != nil {
		tb.Fatal(err)
	}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		tb.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		tb.Logf("log of the browser: %v", err)
	}
	return b
}

// hear records what the browser reports, except for refusals by the service and headers that it ignores without https.
func (b *Browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" && !strings.Contains(e.Entry.Text, "the server responded with a status of") &&
			!strings.Contains(e.Entry.Text, "Cross-Origin-Opener-Policy header has been ignored") {
			b.problems = append(b.problems, e.Entry.Text)
		}
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Text)
	}
}

func (b *Browser) do(what string, action chromedp.Action[chromedp.Void]) {
	b.tb.Helper()
	if err := b.try(action); err != nil {
		b.tb.Fatalf("%s: %v\nthe page says:\n%s", what, err, b.excerpt())
	}
}

func (b *Browser) try(action chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(b.ctx, patience.Limit())
	defer cancel()
	return chromedp.Do(ctx, action)
}

// excerpt is the beginning of the page's text, for a failure message.
func (b *Browser) excerpt() string {
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second)
	defer cancel()
	text, _ := chromedp.Run(ctx,
		chromedp.Evaluate[string]("location.pathname + '\\n' + document.body.innerText.slice(0, 1500)"))
	return text
}

// Visit opens a page of the interface.
func (b *Browser) Visit(path string) {
	b.tb.Helper()
	b.do("visit "+path, chromedp.Navigate(b.base+path))
}

// Back goes back one page, and waits until it has settled.
func (b *Browser) Back() {
	b.tb.Helper()
	_, _ = evaluate[bool](b, "history.back(), true") // the page may be gone before it can reply
	time.Sleep(500 * time.Millisecond)               // a restored page may navigate away by itself
	b.wait("the page before", whole)
}

// Fill replaces the content of a field, in one step like a paste: three messages per letter would take the browser a
// second for a sentence.
func (b *Browser) Fill(css, text string) {
	b.tb.Helper()
	b.wait("find "+css, fmt.Sprintf("(e => e !== null && e.checkVisibility() && (e.value = '', e.focus(), true))"+
		"(document.querySelector(%q))", css))
	b.do("fill "+css, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
		return chromedp.Void{}, err
	})
}

// Attach puts a file into a file field.
func (b *Browser) Attach(css, path string) {
	b.tb.Helper()
	b.do("attach to "+css, chromedp.SetUploadFiles(css, []string{path}))
}

// Choose selects an option of a list by its value.
func (b *Browser) Choose(css, value string) {
	b.tb.Helper()
	b.do("choose "+css, chromedp.SetValue(css, value))
}

// Click clicks on a visible element.
func (b *Browser) Click(css string) {
	b.tb.Helper()
	// While a page is loading, an element that was found may be replaced a moment later.
	b.wait("the whole page before "+css, whole)
	click := chromedp.Click(css, chromedp.NodeVisible)
	if err := b.try(click); err != nil && strings.Contains(err.Error(), "Could not find node") {
		b.do("click "+css+" again", click) // what a script has put in its place is meant
	} else if err != nil {
		b.tb.Fatalf("click %s: %v\nthe page says:\n%s", css, err, b.excerpt())
	}
}

// Hold presses the mouse's button down on an element, and returns what lets it go at the same place.
func (b *Browser) Hold(css string) (up func()) {
	b.tb.Helper()
	at := Eval[[]float64](b, fmt.Sprintf(`(e => (e.scrollIntoView({block: 'center'}), e = e.getBoundingClientRect(),
		[e.x + e.width / 2, e.y + e.height / 2]))(document.querySelector(%q))`, css))
	mouse := func(kind input.DispatchMouseEventType) {
		b.tb.Helper()
		b.do(string(kind)+" on "+css, func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
			_, err := cdp.Call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{
				Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1,
			})
			return chromedp.Void{}, err
		})
	}
	mouse(input.DispatchMouseEventTypeMousePressed)
	return func() { b.tb.Helper(); mouse(input.DispatchMouseEventTypeMouseReleased) }
}

// Press clicks on the first visible button or link with these words in the page's content, once the page is loaded:
// earlier, what a button opens may be missing. Where the click leaves the page, it waits for the whole next one.
func (b *Browser) Press(words string) {
	b.tb.Helper()
	b.wait("a button or link "+words, fmt.Sprintf(`(() => {
		const words = %q
		if (document.readyState !== 'complete') return false
		const find = () => [...document.querySelectorAll('main button, main a, main summary')].find(e => {
			const said = e.cloneNode(true)
			for (const hidden of said.querySelectorAll('.vh, svg, .preco')) hidden.remove()
			return said.textContent.replace(/\s+/g, ' ').trim() === words && e.checkVisibility() && !e.disabled
		})
		const found = find()
		if (!found) return false
		const leaves = event => {
			if (event.defaultPrevented) return
			const link = event.type === 'click' && event.target.closest('a[href]:not([download]):not([target])')
			const form = event.type === 'submit' && event.target.method !== 'dialog'
			if (form || link && link.href.split('#')[0] !== location.href.split('#')[0]) window.leaving = true
		}
		addEventListener('click', leaves, {once: true})
		addEventListener('submit', leaves, {once: true})
		window.pressing = true
		// A page that goes away at once would take this answer along; and a script may put another button in its place.
		setTimeout(() => { delete window.pressing; (find() || found).click() })
		return true
	})()`, words))
	b.wait("the page after "+words,
		"window.pressing === undefined && window.leaving === undefined && document.readyState === 'complete'")
}

// Key presses keys on the focused element.
func (b *Browser) Key(keys string) { b.tb.Helper(); b.do("press keys", chromedp.KeyEvent(keys)) }

// See waits until a loaded page has the words.
func (b *Browser) See(words ...string) {
	b.tb.Helper()
	for _, w := range words {
		b.wait("see "+w,
			whole+fmt.Sprintf(" && document.body.innerText.replace(/\\s+/g, ' ').includes(%q)",
				strings.Join(strings.Fields(w), " ")))
	}
}

// SeeNot fails when the page has the words.
func (b *Browser) SeeNot(words string) {
	b.tb.Helper()
	if Eval[bool](b, fmt.Sprintf("document.body.innerText.includes(%q)", words)) {
		b.tb.Errorf("the page says %q\n%s", words, b.excerpt())
	}
}

// At waits until the browser is at a path.
func (b *Browser) At(path string) {
	b.tb.Helper()
	b.wait("be at "+path, fmt.Sprintf("document.readyState === 'complete' && location.pathname === %q", path))
}

// Path is the path that the browser is at.
func (b *Browser) Path() string { b.tb.Helper(); return Eval[string](b, "location.pathname") }

func (b *Browser) wait(what, expression string) {
	b.tb.Helper()
	deadline := time.Now().Add(patience.Limit())
	for {
		ctx, cancel := context.WithTimeout(b.ctx, patience.Limit())
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		cancel()
		if err == nil && yes {
			return
		}
		if time.Now().After(deadline) {
			b.tb.Fatalf("%s: waited in vain (%v)\nthe page says:\n%s", what, err, b.excerpt())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Eval evaluates an expression in the page.
func Eval[T any](b *Browser, expression string) T {
	b.tb.Helper()
	value, err := evaluate[T](b, expression)
	if err != nil { // a page that reloaded itself meanwhile has nothing for a moment; what fails twice is wrong
		b.wait("the page, reloaded", whole)
		value, err = evaluate[T](b, expression)
	}
	if err != nil {
		b.tb.Fatalf("%s: %v", expression[:min(len(expression), 80)], err)
	}
	return value
}

func evaluate[T any](b *Browser, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience.Limit())
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// SignIn signs in on the sign-in page.
func (b *Browser) SignIn(email, password string) {
	b.tb.Helper()
	b.Visit("/entrar")
	b.Fill("#email", email)
	b.Fill("#senha", password)
	b.Press("Entrar")
	b.wait("come in", "document.querySelector('#conteudo') !== null")
}

// Window sets the size of the page in pixels.
func (b *Browser) Window(width, height int64) {
	b.tb.Helper()
	b.do("size", chromedp.EmulateViewport(width, height))
}

// Size sets the width of the page in pixels; dark requests the dark scheme.
func (b *Browser) Size(width int64, dark bool) {
	b.tb.Helper()
	b.Window(width, 900)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		b.tb.Fatal(err)
	}
}

// WithoutScript keeps the scripts of later pages from running.
func (b *Browser) WithoutScript() {
	b.tb.Helper()
	off := emulation.SetScriptExecutionDisabledParams{Value: true}
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, off); err != nil {
		b.tb.Fatal(err)
	}
}

// Media shows the page as on a medium, such as print, empty for a screen, and with a media feature of a value.
func (b *Browser) Media(medium string, feature ...string) {
	b.tb.Helper()
	media := emulation.SetEmulatedMediaParams{Media: medium}
	if len(feature) == 2 {
		media.Features = []*emulation.MediaFeature{{Name: feature[0], Value: feature[1]}}
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.tb.Fatal(err)
	}
}

// Accessible checks the page with axe-core: no violation of WCAG 2.2 AA, nothing wider than the window, and at most one
// primary action.
func (b *Browser) Accessible() {
	b.tb.Helper()
	b.wait("the whole page", whole)
	if !b.Familiar {
		Eval[bool](b, "scrollTo({behavior: 'instant', top: 0}), true") // what is half under a bar is no smaller for that
		b.axe()
		b.wait("the whole page", whole) // a page that shows what goes on may have been loaded anew meanwhile
	}
	if wide := Eval[bool](b, "document.documentElement.scrollWidth > innerWidth + 1"); wide {
		b.tb.Errorf("%s: the page is wider than its window of %d pixels", b.Path(), Eval[int](b, "innerWidth"))
	}
	principal := Eval[string](b, `[...document.querySelectorAll('main .btn-1')].filter(e => e.checkVisibility())
		.map(e => e.textContent.trim()).join(' | ')`)
	if strings.Contains(principal, " | ") {
		b.tb.Errorf("%s: more than one principal action: %s", b.Path(), principal)
	}
}

func (b *Browser) axe() {
	b.tb.Helper()
	check := axe + `;
		axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})
		.then(r => JSON.stringify(r.violations
			.map(v => v.id + ' (' + v.impact + '): ' + v.nodes.slice(0, 3)
				.map(n => n.target.join(' ') + ' ' + (n.any[0]?.message || '')).join(' | '))))`
	found, err := evaluate[string](b, check)
	if err != nil { // a waiting page gave way to the next one meanwhile
		b.wait("the whole next page", whole)
		found, err = evaluate[string](b, check)
	}
	if err != nil {
		b.tb.Fatalf("axe: %v", err)
	}
	var violations []string
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		b.tb.Fatal(err)
	}
	for _, v := range violations {
		b.tb.Errorf("%s: %s", b.Path(), v)
	}
}
