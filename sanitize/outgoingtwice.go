package sanitize

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxTagAttributes bounds the attributes of one tag. Limit: more is no HTML that anybody writes.
const maxTagAttributes = 200

// repeatsAttribute reports a tag with two attributes of one name: the parser keeps the first, some readers the last. The
// tokenizer hides the second, so the names are read from the tag as it stands (HTML Standard §13.2.5.32 to §13.2.5.40).
func repeatsAttribute(src string) bool {
	z := html.NewTokenizer(strings.NewReader(src))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.StartTagToken, html.SelfClosingTagToken:
			if repeatsInTag(string(z.Raw())) {
				return true
			}
		}
	}
}

func repeatsInTag(tag string) bool {
	const blanks = " \t\n\f\r"
	k := strings.IndexAny(tag, blanks+"/>")
	if k < 0 {
		return false
	}
	var names []string
	for rest := tag[k:]; ; {
		rest = strings.TrimLeft(rest, blanks+"/")
		if rest == "" || rest[0] == '>' {
			return false
		}
		end := len(rest)
		if i := strings.IndexAny(rest[1:], blanks+"/=>"); i >= 0 { // a name may begin with =
			end = i + 1
		}
		name := strings.ToLower(rest[:end])
		if len(names) >= maxTagAttributes || slices.Contains(names, name) {
			return true
		}
		names = append(names, name)
		rest = skipValue(strings.TrimLeft(rest[end:], blanks))
	}
}

// skipValue skips "=" and what belongs to it.
func skipValue(rest string) string {
	value, ok := strings.CutPrefix(rest, "=")
	if !ok {
		return rest
	}
	value = strings.TrimLeft(value, " \t\n\f\r")
	end := strings.IndexAny(value, " \t\n\f\r>")
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		end = strings.IndexByte(value[1:], value[0])
		if end >= 0 {
			end += 2
		}
	}
	if end < 0 {
		return ""
	}
	return value[end:]
}
