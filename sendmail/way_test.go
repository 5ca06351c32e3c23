package sendmail

import (
	"fmt"
	"testing"

	"mailgap/confirm"
)

// situations are all there are for messages of clients.
func situations() (all []situation) {
	bits := []bool{false, true}
	for _, mode := range []ConfirmMode{"", ConfirmAuto, ConfirmElicitation, ConfirmPage, ConfirmTerminal, ConfirmBoth} {
		for level := confirm.LevelNormal; level <= confirm.LevelSevere; level++ {
			for _, byForm := range bits {
				for _, severe := range bits {
					for _, noPerson := range bits {
						for _, form := range bits {
							for _, page := range bits {
								all = append(all, situation{mode: mode, level: level, byForm: byForm, severe: severe, noPerson: noPerson, hasForm: form, hasPage: page})
							}
						}
					}
				}
			}
		}
	}
	return all
}

// The way that a message goes, for every mode, level, client and machine: each row holds for all situations that fit it.
func TestWayMatrix(t *testing.T) {
	is := func(modes ...ConfirmMode) func(situation) bool {
		return func(s situation) bool {
			for _, m := range modes {
				if s.mode == m || m == ConfirmAuto && s.mode == "" {
					return true
				}
			}
			return false
		}
	}
	careful := func(s situation) bool {
		return s.level == confirm.LevelSevere || s.level == confirm.LevelElevated && !s.byForm
	}
	outside := way{outside: true, page: true, waits: true}
	kept := way{outside: true}
	terminal := way{outside: true, waits: true}
	withForm := func(w way) way { w.form = true; return w }
	rows := []struct {
		name string
		fits func(situation) bool
		want way
		code refusalCode
	}{
		{"severe, not allowed", func(s situation) bool { return s.level == confirm.LevelSevere && !s.severe }, way{}, refusedSevere},
		{"nobody is asked, by the operator's wish", func(s situation) bool { return s.noPerson && !careful(s) }, way{token: true}, ""},
		{"both, form and page", func(s situation) bool { return is(ConfirmBoth)(s) && s.hasForm && !s.noPerson && s.hasPage }, withForm(outside), ""},
		{"both, form and no page", func(s situation) bool { return is(ConfirmBoth)(s) && s.hasForm && !s.noPerson && !s.hasPage }, withForm(kept), ""},
		{"terminal", is(ConfirmTerminal), terminal, ""},
		{"page, or a message that needs care, or both without a form; a browser", func(s situation) bool {
			return s.hasPage && (is(ConfirmPage, ConfirmBoth)(s) || careful(s))
		}, outside, ""},
		{"the same without a browser", func(s situation) bool {
			return !s.hasPage && (is(ConfirmPage, ConfirmBoth)(s) || careful(s))
		}, kept, ""},
		{"the client shows forms", func(s situation) bool { return s.hasForm }, way{form: true}, ""},
		{"only the form, and there is none", is(ConfirmElicitation), way{}, refusedNoPath},
		{"auto, no form, a browser", func(s situation) bool { return s.hasPage }, outside, ""},
		{"auto, no form, no browser", func(s situation) bool { return !s.hasPage }, kept, ""},
	}
	used := map[string]int{}
	for _, s := range situations() {
		for _, r := range rows {
			if !r.fits(s) {
				continue
			}
			used[r.name]++
			if got, code := choose(s); got != r.want || code != r.code {
				t.Errorf("%s: %+v: got %+v %q, want %+v %q", r.name, s, got, code, r.want, r.code)
			}
			break
		}
	}
	for _, r := range rows {
		if used[r.name] == 0 {
			t.Errorf("no situation fits %q", r.name)
		}
	}
}

// What holds whatever the rows above say.
func TestWayInvariants(t *testing.T) {
	for _, s := range situations() {
		w, code := choose(s)
		name := fmt.Sprintf("%+v gives %+v %q", s, w, code)
		switch {
		case code == "" && w == way{}:
			t.Errorf("neither a way nor a refusal: %s", name)
		case code != "" && w != way{}:
			t.Errorf("a refusal with a way: %s", name)
		case w.form && !s.hasForm, w.page && !s.hasPage, w.page && !w.waits, w.token && w.outside:
			t.Errorf("impossible: %s", name)
		case s.level == confirm.LevelSevere && code == "" && (!s.severe || !w.outside):
			t.Errorf("a severe message not asked about outside of the client: %s", name)
		case s.level == confirm.LevelElevated && !s.byForm && code == "" && !w.outside:
			t.Errorf("an elevated message not asked about outside of the client: %s", name)
		}
	}
	for _, s := range situations() { // a client that opens the page stands for a browser
		want := s
		want.hasPage = true
		w, code := choose(want)
		w.url = w.page
		s.hasURL = true
		if got, gotCode := choose(s); got != w || gotCode != code {
			t.Errorf("%+v: got %+v %q, want %+v %q", s, got, gotCode, w, code)
		}
	}
	for _, level := range []confirm.Level{confirm.LevelNormal, confirm.LevelElevated, confirm.LevelSevere} {
		if w, code := choose(situation{direct: true, terminal: true, severe: true, level: level}); w != (way{here: true}) || code != "" {
			t.Errorf("smtp-mcp call on a terminal: got %+v %q", w, code)
		}
		if w, code := choose(situation{direct: true, severe: true, hasForm: true, hasPage: true, level: level}); w != (way{}) || code != refusedNoPath {
			t.Errorf("smtp-mcp call without a terminal: got %+v %q", w, code)
		}
	}
	if _, code := choose(situation{direct: true, terminal: true, level: confirm.LevelSevere}); code != refusedSevere {
		t.Errorf("smtp-mcp call, severe: got %q", code)
	}
}
