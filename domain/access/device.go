package access

import "strings"

// Device names the browser and system in a User-Agent header; "" if it recognises neither.
func Device(agent string) string {
	first := func(of [][2]string) string {
		for _, one := range of {
			if strings.Contains(agent, one[0]) {
				return one[1]
			}
		}
		return ""
	}
	browser := first([][2]string{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox/", "Firefox"},
		{"FxiOS", "Firefox"}, {"CriOS", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	})
	system := first([][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"CrOS", "ChromeOS"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"},
	})
	switch {
	case browser == "":
		return system
	case system == "":
		return browser
	}
	return browser + " em " + system
}
