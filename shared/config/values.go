package config

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxValueOctets bounds one value. The longest sensible ones are lists of names and paths.
const maxValueOctets = 32 << 10

// value is a setting after parsing; which field counts depends on the kind.
type value struct {
	text   string
	num    int64
	list   []string
	yes    bool
	origin Origin
}

// parse reads s as v's kind. Errors say what to write and never repeat s.
func (v Var) parse(s string) (value, error) {
	if len(s) > maxValueOctets {
		return value{}, fmt.Errorf("the value is longer than %d octets", maxValueOctets)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return value{}, errors.New("the value has control characters or is not UTF-8; check for a stray line break or tab")
	}
	val, err := v.parseKind(s)
	if err != nil {
		return value{}, err
	}
	return val, v.check(val)
}

func (v Var) parseKind(s string) (value, error) {
	switch v.Kind {
	case KindInt:
		return v.parseInt(s)
	case KindBool:
		return parseBool(s)
	case KindDuration:
		return v.parseDuration(s)
	case KindSize:
		return v.parseSize(s)
	case KindEnum:
		return v.parseEnum(s)
	case KindList:
		return v.parseList(s)
	case KindPath:
		return parsePath(s)
	default:
		return value{text: s}, nil
	}
}

// check runs the declaration's own check, on each item of a list.
func (v Var) check(val value) error {
	if v.Check == nil {
		return nil
	}
	if v.Kind == KindList {
		for i, item := range val.list {
			if err := v.Check(item); err != nil {
				return fmt.Errorf("item %d: %w", i+1, err)
			}
		}
		return nil
	}
	return v.Check(val.text)
}

func (v Var) parseInt(s string) (value, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || !v.inRange(n) {
		return value{}, fmt.Errorf("write a whole number%s", v.rangeText(func(n int64) string { return strconv.FormatInt(n, 10) }))
	}
	return value{text: s, num: n}, nil
}

// inRange applies Min and Max; both 0 means no bounds.
func (v Var) inRange(n int64) bool {
	return v.Min == 0 && v.Max == 0 || n >= v.Min && n <= v.Max
}

func (v Var) rangeText(format func(int64) string) string {
	if v.Min == 0 && v.Max == 0 {
		return ""
	}
	return " from " + format(v.Min) + " to " + format(v.Max)
}

// parseBool takes two words only: "0" and "off" mean yes to some programs and no to others.
func parseBool(s string) (value, error) {
	switch s {
	case "true":
		return value{text: s, yes: true}, nil
	case "false":
		return value{text: s}, nil
	}
	return value{}, errors.New("write true or false, in lower case")
}

func (v Var) parseDuration(s string) (value, error) {
	d, err := time.ParseDuration(s)
	if err != nil || !v.inRange(int64(d)) {
		return value{}, fmt.Errorf("write a time with its unit, such as 90s, 5m or 1h30m%s",
			v.rangeText(func(n int64) string { return time.Duration(n).String() }))
	}
	return value{text: s, num: int64(d)}, nil
}

// sizeUnits are powers of 1024, as file managers mean them.
const sizeUnits = "kMG"

func (v Var) parseSize(s string) (value, error) {
	digits, shift := s, 0
	if s != "" {
		if i := strings.IndexByte(sizeUnits, s[len(s)-1]); i >= 0 {
			digits, shift = s[:len(s)-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift || !v.inRange(n<<shift) {
		return value{}, fmt.Errorf("write a number of octets, or one with k, M or G, such as 500k or 25M%s", v.rangeText(sizeText))
	}
	return value{text: s, num: n << shift}, nil
}

// sizeText writes n with the largest unit that divides it.
func sizeText(n int64) string {
	for i := len(sizeUnits); i > 0; i-- {
		if n != 0 && n%(1<<(10*i)) == 0 {
			return strconv.FormatInt(n>>(10*i), 10) + sizeUnits[i-1:i]
		}
	}
	return strconv.FormatInt(n, 10)
}

func (v Var) parseEnum(s string) (value, error) {
	if slices.Contains(v.Choices, s) {
		return value{text: s}, nil
	}
	for _, c := range v.Choices {
		if nearMiss(s, c) {
			return value{}, fmt.Errorf("write %s", c)
		}
	}
	return value{}, fmt.Errorf("write one of %s", strings.Join(v.Choices, ", "))
}

// parseList splits at commas. Spaces around an item do not count; an empty item is refused, because it is a slip.
func (v Var) parseList(s string) (value, error) {
	val := value{text: s}
	if strings.TrimSpace(s) == "" {
		return val, nil
	}
	for i, item := range strings.Split(s, ",") {
		item = strings.TrimSpace(item)
		switch {
		case item == "":
			return value{}, fmt.Errorf("item %d is empty; write items separated by single commas", i+1)
		case slices.Contains(val.list, item):
			return value{}, fmt.Errorf("item %d is listed twice", i+1)
		case len(v.Choices) > 0 && !slices.Contains(v.Choices, item):
			return value{}, v.wrongItem(i, item)
		}
		val.list = append(val.list, item)
	}
	return val, nil
}

func (v Var) wrongItem(i int, item string) error {
	for _, c := range v.Choices {
		if nearMiss(item, c) {
			return fmt.Errorf("item %d: write %s", i+1, c)
		}
	}
	return fmt.Errorf("item %d: write one of %s", i+1, strings.Join(v.Choices, ", "))
}

// parsePath expands ~/ and wants an absolute path: a client starts the program in a directory of its own choice.
func parsePath(s string) (value, error) {
	rest, home := strings.CutPrefix(s, "~/")
	if home {
		dir, err := os.UserHomeDir()
		if err != nil {
			return value{}, errors.New("the home directory is not known; write the whole path")
		}
		s = filepath.Join(dir, rest)
	}
	if !filepath.IsAbs(s) {
		return value{}, errors.New("write the whole path, beginning at the root or with ~/")
	}
	return value{text: filepath.Clean(s)}, nil
}
