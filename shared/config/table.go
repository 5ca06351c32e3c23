package config

import (
	"fmt"
	"strings"
	"time"
)

// Table returns the settings as a Markdown table, for the README.
func Table(s Spec) string {
	var b strings.Builder
	b.WriteString("| Setting | Value | Default | Meaning |\n|---|---|---|---|\n")
	for _, v := range s.Vars {
		names := v.placeNames()
		for i, n := range names {
			names[i] = "`" + n + "`"
		}
		def := ""
		if v.Default != "" {
			def = "`" + v.Default + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.Join(names, "<br>"), v.form(), def, cell(v.Help))
	}
	return b.String()
}

// cell keeps a text inside its table cell.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) }

// form says in a few words what to write.
func (v Var) form() string {
	switch v.Kind {
	case KindInt:
		return "number" + v.rangeText(func(n int64) string { return fmt.Sprint(n) })
	case KindBool:
		return "`true` or `false`"
	case KindDuration:
		return "time" + v.rangeText(func(n int64) string { return time.Duration(n).String() })
	case KindSize:
		return "size" + v.rangeText(sizeText)
	case KindEnum:
		return "`" + strings.Join(v.Choices, "`, `") + "`"
	case KindList:
		return "list, comma-separated"
	case KindPath:
		return "path"
	case KindSecret:
		return "secret, file that holds it, command that prints it"
	default:
		return "text"
	}
}

// Effective returns the settings in force, one line each, for a person who asks the program for them: NAME = value, and where
// it comes from. Secrets print as [redacted] with the place they come from.
func Effective(s Spec, v Values) string {
	var b strings.Builder
	for _, decl := range s.Vars {
		val, src := v.values[decl.Name], v.secrets[decl.Name]
		switch {
		case src != nil && src.IsSet():
			fmt.Fprintf(&b, "%s = %s (%s: %s)\n", decl.Name, redacted, src.origin, src.Name())
		case src != nil && src.IsStored():
			fmt.Fprintf(&b, "%s = %s (%s, if it is there)\n", decl.Name, redacted, OriginStore)
		case decl.Kind == KindSecret || val.text == "":
			fmt.Fprintf(&b, "%s is not set\n", decl.Name)
		default:
			fmt.Fprintf(&b, "%s = %s (%s)\n", decl.Name, val.text, val.origin)
		}
	}
	return b.String()
}
