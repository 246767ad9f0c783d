package web

import "html/template"

// strokes are the icons: paths in a box of 20 by 20, drawn in the text's colour.
var strokes = map[string]string{
	"bell":     `<path d="M4.5 14.5h11l-1.25-2.25V9a4.25 4.25 0 0 0-8.5 0v3.25zM8.25 17h3.5M10 4.75V3"/>`,
	"chart":    `<path d="M3.5 16.5h13M5.5 13.5v-4M10 13.5v-9M14.5 13.5V7"/>`,
	"search":   `<circle cx="8.75" cy="8.75" r="5.25"/><path d="m12.75 12.75 4 4"/>`,
	"contacts": `<path d="M3 5.5h14v11H3zM3 5.5 4.5 3h4L10 5.5"/><circle cx="7.5" cy="10" r="1.5"/><path d="M5 14c.4-1.2 1.3-1.8 2.5-1.8S9.6 12.8 10 14M12 10h3M12 13h3"/>`,
	"board":    `<path d="M3.5 3.5h3.5v13H3.5zM8.25 3.5h3.5v9h-3.5zM13 3.5h3.5v6H13z"/>`,
	"menu":     `<path d="M4 6h12M4 10h12M4 14h12"/>`,
	"webhook":  `<path d="M3 10h8M8 6.5 11.5 10 8 13.5M11 3.5h5.5v13H11"/>`,
	"key":      `<circle cx="6.5" cy="13.5" r="3.25"/><path d="m9 11 7.5-7.5M13.5 6.5l2.25 2.25M11.5 8.5 13 10"/>`,
	"bolt":     `<path d="M10.75 2.5 4.5 11.25h5l-.75 6.25 6.75-9h-5z"/>`,
	"team":     `<circle cx="7.5" cy="7" r="2.75"/><path d="M2.75 16c.4-3 2.25-4.5 4.75-4.5s4.35 1.5 4.75 4.5M12.5 4.5a2.75 2.75 0 0 1 0 5M14 12c1.8.6 2.9 2 3.25 4"/>`,
	"out":      `<path d="M8 3.5H4v13h4M8.5 10H17M13.5 6.5 17 10l-3.5 3.5"/>`,
	"plus":     `<path d="M10 4v12M4 10h12"/>`,
	"x":        `<path d="m5 5 10 10M15 5 5 15"/>`,
	"check":    `<path d="m4 10.5 4 4 8-9"/>`,
	"redo":     `<path d="M4 8a6.25 6.25 0 0 1 11-1.5M16 12a6.25 6.25 0 0 1-11 1.5M15.5 3v4h-4M4.5 17v-4h4"/>`,
	"down":     `<path d="m4.5 7.5 5.5 5.5 5.5-5.5"/>`,
	"pause":    `<path d="M6.5 4v12M13.5 4v12"/>`,
	"table":    `<path d="M3 4h14v12.5H3zM3 8.2h14M3 12.3h14M8 4v12.5"/>`,
	"play":     `<path d="M6 4v12l10-6z"/>`,
	"off":      `<circle cx="10" cy="10" r="7"/><path d="m5.5 5.5 9 9"/>`,
	"download": `<path d="M10 3v9.5M6 9l4 4 4-4M3.5 16.5h13"/>`,
	"clock":    `<circle cx="10" cy="10" r="7"/><path d="M10 6v4.25l2.75 1.75"/>`,
	"copy":     `<path d="M7 7h9.5v9.5H7zM4 13H3.5V3.5H13V4"/>`,
	"person":   `<circle cx="10" cy="6.75" r="3.25"/><path d="M3.75 17c.5-3.5 3-5.25 6.25-5.25s5.75 1.75 6.25 5.25"/>`,
	"car":      `<path d="M3 14.5v-4l2-1 1.5-4h7l1.5 4 2 1v4zM5.25 14.5v2M14.75 14.5v2M5 9.5h10M5.5 12h1.5M13 12h1.5"/>`,
	"refresh":  `<path d="M16 9a6.25 6.25 0 1 0-1.2 4.75M16.5 4.5V9H12"/>`,
	"alert":    `<circle cx="10" cy="10" r="7"/><path d="M10 6v4.75M10 13.7v.1"/>`,
	"phone":    `<path d="M4 3.5h3l1.5 4-2 1.5a10 10 0 0 0 4.5 4.5l1.5-2 4 1.5v3c-7 1-13.5-5.5-12.5-12.5z"/>`,
	"right":    `<path d="M3.5 10h13M13 6.5l3.5 3.5-3.5 3.5"/>`,
	"shield":   `<path d="M10 2.75 16 5v4.5c0 3.75-2.5 6.5-6 7.75-3.5-1.25-6-4-6-7.75V5zM7.25 9.75l2 2 3.5-4"/>`,
	"lock":     `<path d="M4.5 9h11v7.5h-11zM6.75 9V6.5a3.25 3.25 0 0 1 6.5 0V9"/>`,
	"dots":     `<path d="M5 10h.01M10 10h.01M15 10h.01" stroke-width="2.6"/>`,
	"warn":     `<path d="M10 3 18 16.5H2zM10 8v4M10 14.3v.1"/>`,
	"receipt":  `<path d="M5 3h10v14l-2.5-1.5L10 17l-2.5-1.5L5 17zM7.5 7h5M7.5 10h5"/>`,
	"print":    `<path d="M6 7V3h8v4M6 14H3.5V7h13v7H14M6 11.5h8v5H6z"/>`,
	"link":     `<path d="m8.5 11.5 3-3M9.5 6.5l2-2a2.83 2.83 0 0 1 4 4l-2 2M10.5 13.5l-2 2a2.83 2.83 0 0 1-4-4l2-2"/>`,
	"company":  `<path d="M4 17V3.5h8V17M12 8h4v9M2.5 17h15M6.75 7h2.5M6.75 10h2.5M6.75 13h2.5"/>`,
	"edit":     `<path d="M4 3.5h12v9l-4 4H4zM12 16.5v-4h4M7 7h6M7 10h3.5"/>`,
	"gear":     `<path d="M3 6h5M12 6h5M3 14h8M15 14h2"/><circle cx="10" cy="6" r="2"/><circle cx="13" cy="14" r="2"/>`,
	"up":       `<path d="m4.5 12.5 5.5-5.5 5.5 5.5"/>`,
	"chat":     `<path d="M3.5 4h13v9.5H9L5.5 17v-3.5h-2zM7 7.5h6M7 10h4"/>`,
	"mail":     `<path d="M3 5h14v10.5H3zM3 5.5l7 5.5 7-5.5"/>`,
}

// Icon draws an icon beside words with the same meaning.
func Icon(name string) template.HTML { return draw("i", name) }

// smallIcon draws it small.
func smallIcon(name string) template.HTML { return draw("i i-s", name) }

func draw(class, name string) template.HTML {
	opening := `<svg class="` + class + `" viewBox="0 0 20 20" aria-hidden="true">`
	return template.HTML(opening + strokes[name] + `</svg>`) //nolint:gosec // all of it is written here
}
