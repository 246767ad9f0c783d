package web

import (
	"fmt"
	"strconv"
	"strings"
)

// Paged is a page of a list that is read whole, because most are short.
type Paged[T any] struct {
	Items []T
	// From and To are the places of its first and its last item, counted from 1; Total is the length of the list.
	From, To, Total int
	// Here is its own address, Before and After are those of the pages beside it, empty where there is none.
	Here, Before, After string
}

// PageOf returns the page of the list at a path that the request asks for with `pagina`, counted from 1: the first by
// default, the last for a number beyond it. The other pages keep whatever else the address says.
func PageOf[T any](c *Call, path string, all []T, size int) Paged[T] {
	n, err := strconv.Atoi(c.URL.Query().Get("pagina"))
	if err != nil {
		n = 1
	}
	query := c.URL.Query()
	query.Del("pagina")
	if rest := query.Encode(); rest != "" && c.URL.Path == path {
		path += "?" + rest
	}
	return pageAt(path, all, size, n)
}

// PageWith returns the page of the list at a path that has the item at an index.
func PageWith[T any](path string, all []T, size, index int) Paged[T] {
	return pageAt(path, all, size, index/size+1)
}

func pageAt[T any](path string, all []T, size, n int) Paged[T] {
	last := max(1, (len(all)+size-1)/size)
	n = min(max(1, n), last)
	from, to := (n-1)*size, min(n*size, len(all))
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	address := func(n int) string { return fmt.Sprintf("%s%spagina=%d", path, separator, n) }
	p := Paged[T]{Items: all[from:to], From: from + 1, To: to, Total: len(all), Here: address(n)}
	if n > 1 {
		p.Before = address(n - 1)
	}
	if n < last {
		p.After = address(n + 1)
	}
	return p
}
