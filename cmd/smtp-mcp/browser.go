package main

import (
	"context"
	"crypto/rand"
	"os"
	"time"

	"mailgap/confirm"
	"mailgap/sendmail"
)

// noBrowser as SMTP_BROWSER opens no browser.
const noBrowser = "none"

// urlPage returns the page for clients that are given its address, or nil if the operator does not want that.
func (a *app) urlPage(cfg sendmail.Config) (confirm.Path, error) {
	if !cfg.ByURL {
		return nil, nil
	}
	open := func(context.Context, string) error { return confirm.ErrNoBrowser } // the client opens it
	return confirm.NewPage(confirm.PageOptions{Now: time.Now, Random: rand.Reader, Open: open, Logger: a.log})
}

// page returns the path that asks in a browser, or nil if there is none before a person here.
func (a *app) page(cfg sendmail.Config) (confirm.Path, error) {
	if cfg.Browser == noBrowser || cfg.Browser == "" && !confirm.HasDisplay(os.Getenv) {
		return nil, nil
	}
	command := cfg.Browser
	open, err := confirm.OpenBrowser(command)
	if err != nil {
		return nil, err
	}
	return confirm.NewPage(confirm.PageOptions{Now: time.Now, Random: rand.Reader, Open: open, Logger: a.log})
}
