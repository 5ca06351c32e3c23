// Package chromium drives a headless Chromium over a pair of pipes (Chrome DevTools Protocol), for tests alone: what a
// browser makes of our pages, and what a hostile page can do to them.
//
// It knows processes, tabs, commands and events, and takes no testing.TB, so that a test decides what a failure means. Read
// [Start], [Browser.Open] and [Tab.Call]. Nothing in a tab is trusted; names resolve to nothing unless Options.Hosts says so, so no
// test reaches the network.
package chromium
