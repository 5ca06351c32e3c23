package htmltext

import (
	"slices"
	"strings"
	"testing"
)

// TestUncertain: what only some readers see, or what cannot be judged, is shown and labelled, never withheld.
func TestUncertain(t *testing.T) {
	const words = `<div class="x">some words</div>`
	cases := []struct {
		name, src string
		technique Technique
		otherView bool
	}{
		{"hidden on telephones", `<style>@media (max-width:480px){.x{display:none}}</style>` + words, DisplayNone, true},
		{"hidden in dark colours", `<style>@media (prefers-color-scheme:dark){.x{color:#fff}}</style>` + words, ColourContrast, true},
		{"hidden on wide screens", `<style>@media (min-width:1200px){.x{display:none}}</style>` + words, DisplayNone, true},
		{"nested rule", `<style>.o{& .x{display:none}}</style><div class="o">` + words + `</div>`, DisplayNone, true},
		{"container query", `<style>@container (width > 1px){.x{display:none}}</style>` + words, DisplayNone, true},
		{"unknown feature", `<style>@supports (moon:phase){.x{display:none}}</style>` + words, DisplayNone, true},
		{"first line", `<style>.x::first-line{font-size:0}</style>` + words, SmallFont, true},
		{"nth-child of", `<style>:nth-child(1 of .x){display:none}</style>` + words, DisplayNone, true},
		{"animation that does not hold", `<style>@keyframes v{to{opacity:0}} .x{animation:v 9s}</style>` + words, Opacity, true},
		{"closed details", `<details><summary>Sum</summary><div class="x">some words</div></details>`, ClosedDetails, false},
		{"mask image", `<div style="mask:url(a.png)">some words</div>`, Masked, false},
		{"brightness", `<div style="filter:brightness(0)">some words</div>`, Filtered, false},
		{"four pixels", `<div style="font-size:4px">some words</div>`, SmallFont, false},
		{"pale", `<div style="opacity:.18">some words</div>`, Opacity, false},
		{"pulled up", `<div style="margin-top:-400px">some words</div>`, OffScreen, false},
		{"partly clipped", `<div style="clip-path:inset(10%)">some words</div>`, Clipped, false},
		{"rotated", `<div style="transform:rotate(90deg)">some words</div>`, Transformed, false},
		{"float outside its block", `<div style="background:#000"><div style="float:left;color:#fff">some words</div></div>`, ColourContrast, false},
		{"moved off its background", `<div style="background:#000"><div style="position:relative;top:60px;color:#fff">some words</div></div>`, ColourContrast, false},
		{"background without height", `<div style="background:#000;height:0"><div style="color:#fff">some words</div></div>`, ColourContrast, false},
		{"below its background", `<div style="background:#000;height:20px;color:#fff">one<br>two<br>some words</div>`, ColourContrast, false},
		{"beside its background", `<div style="background:#000;width:1px;color:#fff">some words</div>`, ColourContrast, false},
		{"resized font", `<style>@font-face{font-family:q;src:local(Arial);size-adjust:1%}</style>` + words, StyleDependent, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := mustConvert(t, "<!doctype html><p>Before</p>"+c.src+"<p>After</p>")
			if !strings.Contains(shownText(d), "some words") {
				t.Fatalf("withheld: %+v", d.Hidden)
			}
			found := false
			for _, h := range d.Hidden {
				if strings.Contains(h.Text, "some words") {
					found = true
					if h.Technique != c.technique || !h.Uncertain || h.OtherView != c.otherView {
						t.Errorf("got %+v, want %q uncertain, other view %v", h, c.technique, c.otherView)
					}
				}
			}
			if !found {
				t.Errorf("no label: %+v", d.Hidden)
			}
			checkBalanced(t, d)
		})
	}
}

// TestElsewhere: what is withheld but shown in another view says so.
func TestElsewhere(t *testing.T) {
	cases := map[string]string{
		"telephones":          `<style>.x{display:none} @media (max-width:480px){.x{display:block}}</style><p class="x">some words</p>`,
		"dark colours":        `<style>.x{color:#fff} @media (prefers-color-scheme:dark){body{background:#000}}</style><p class="x">some words</p>`,
		"paper is not a view": `<style>.x{display:none} @media print{.x{display:block}}</style><p class="x">some words</p>`,
	}
	for name, src := range cases {
		t.Run(name, func(t *testing.T) {
			d := mustConvert(t, "<!doctype html><p>Before</p>"+src)
			want := name != "paper is not a view"
			found := slices.ContainsFunc(d.Hidden, func(h Hidden) bool {
				return h.Text == "some words" && h.Elsewhere == want && !h.Uncertain
			})
			if !found {
				t.Errorf("got %+v, want a hidden passage, elsewhere %v", d.Hidden, want)
			}
		})
	}
}

// harmless returns typography, kindness and near misses that hide nothing and must not raise a label.
func harmless() map[string]string {
	cases := map[string]string{
		"print rule":                         `<style>@media print{.x{display:none}}</style><p class="x">some words</p>`,
		"hover rule":                         `<style>.x:hover{display:none}</style><p class="x">some words</p>`,
		"visited rule":                       `<style>a:visited{color:#fff}</style><a href="https://x.example/">some words</a>`,
		"foreign client rule":                `<style>@media yahoo{.x{display:none}}</style><p class="x">some words</p>`,
		"never true":                         `<style>@media (max-width:1px){.x{display:none}}</style><p class="x">some words</p>`,
		"pseudo element":                     `<style>.x::after{display:none} .x::selection{color:transparent}</style><p class="x">some words</p>`,
		"zero height, no cut":                `<div style="height:0">some words</div>`,
		"inline has no height":               `<span style="height:0;width:0;overflow:hidden">some words</span>`,
		"cell grows":                         `<table><tr><td style="height:0;width:0;overflow:hidden">some words</td></tr></table>`,
		"clip without position":              `<p style="clip:rect(0,0,0,0)">some words</p>`,
		"left without position":              `<p style="left:-9999px">some words</p>`,
		"inline transform":                   `<span style="transform:scale(0)">some words</span>`,
		"absolute escapes":                   `<div style="height:0;overflow:hidden"><p style="position:absolute">some words</p></div>`,
		"padding shows":                      `<div style="height:0;overflow:hidden;padding-bottom:40px">some words</div>`,
		"min-height":                         `<div style="height:0;min-height:40px;overflow:hidden">some words</div>`,
		"link has its colour":                `<div style="color:#fff"><a href="https://x.example/">some words</a></div>`,
		"mark has its colours":               `<div style="color:#fff"><mark>some words</mark></div>`,
		"button has its colour":              `<div style="color:#fff"><button>some words</button></div>`,
		"shadow is seen":                     `<div style="color:transparent;text-shadow:0 0 0 #000">some words</div>`,
		"outline is seen":                    `<div style="color:#fff;-webkit-text-stroke:1px #000">some words</div>`,
		"moved back":                         `<div style="position:relative;left:-9999px"><div style="position:relative;left:9999px">some words</div></div>`,
		"display wins over hidden attribute": `<style>[hidden]{display:block}</style><p hidden>some words</p>`,
		"contents has no box":                `<div style="display:contents;opacity:0">some words</div>`,
		"comment in selector":                `<style>.y/**/.x{display:none}</style><p class="x">some words</p>`,
		"unknown property":                   `<p style="displayx:none;-moz-opacity:0">some words</p>`,
		"string is no keyword":               `<p style="display:'none'">some words</p>`,
		"invalid number":                     `<p style="opacity:0x;font-size:0q0">some words</p>`,
		"unitless in standards":              `<p style="font-size:1">some words</p>`,
		"void selector list":                 `<style>.x, .y:::z{display:none}</style><p class="x">some words</p>`,
		"kelvin sign":                        "<style>.x{dis\u212Aplay:none;display:bloc\u212A}</style><p class=\"x\">some words</p>",
		"case in standards":                  `<style>.X{display:none}</style><p class="x">some words</p>`,
		"other script type":                  `<style type="text/less">.x{display:none}</style><p class="x">some words</p>`,
		"template style":                     `<template><style>.x{display:none}</style></template><p class="x">some words</p>`,
	}
	for name, src := range cases {
		cases[name] = "<!doctype html><p>Before</p>" + src
	}
	cases["table without doctype"] = `<div style="font-size:0;color:#fff"><table><tr><td>some words</td></tr></table></div>`
	return cases
}

func TestHarmless(t *testing.T) {
	for name, doc := range harmless() {
		t.Run(name, func(t *testing.T) {
			d := mustConvert(t, doc)
			if !strings.Contains(shownText(d), "some words") || len(d.Hidden) > 0 {
				t.Errorf("got %q, hidden %+v", shownText(d), d.Hidden)
			}
		})
	}
}

// checkBalanced fails if starts and ends of a Doc do not nest.
func checkBalanced(t testing.TB, d Doc) {
	t.Helper()
	var open []Kind
	for i, s := range d.Segments {
		switch s.Kind {
		case LinkStart, UncertainStart, QuoteStart, HistoryStart, HeadingStart, RowStart, CodeStart:
			open = append(open, s.Kind)
		case LinkEnd, UncertainEnd, QuoteEnd, HistoryEnd, HeadingEnd, RowEnd, CodeEnd:
			if len(open) == 0 || endOf(open[len(open)-1]) != s.Kind {
				t.Fatalf("segment %d of kind %d does not close %v", i, s.Kind, open)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Fatalf("left open: %v", open)
	}
}
