package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"mailgap/shared/addr"
	"mailgap/shared/config"
	"mailgap/shared/provider"
	"mailgap/shared/provider/discover"
)

// address asks for the address.
func (d *dialog) address(ctx context.Context) error {
	var parsed addr.Address
	text, err := d.con.askUntil(ctx, "\nMail address", "", func(s string) error {
		var err error
		if parsed, err = addr.ParseSpec(s); err != nil {
			return errors.New("write an address such as name@example.org")
		}
		return nil
	})
	d.draft.address, d.draft.domain, d.draft.local, d.draft.user = text, parsed.Domain, parsed.LocalPart, text
	return err
}

// server finds the server or asks for it.
func (d *dialog) server(ctx context.Context) error {
	d.con.printf("Looking up the servers of %s …\n", d.draft.domain)
	found := d.Find(ctx, d.draft.domain)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if found.Known {
		return d.take(ctx, found.Preset)
	}
	list := found.IMAP
	if d.sending() {
		list = found.SMTP
	}
	if len(list) == 0 {
		d.con.printf("Nothing was found. The provider's help pages name the server, its port and kind of TLS.\n")
		return d.byHand(ctx)
	}
	return d.suggest(ctx, list[0])
}

// take uses what is known of a provider.
func (d *dialog) take(ctx context.Context, p provider.Preset) error {
	d.draft.preset, d.draft.server = p, p.IMAP
	if d.sending() {
		d.draft.server = p.SMTP
	}
	d.con.printf("\n%s: %s\n%s\n", p.Name, describe(d.draft.server), p.Advice)
	if p.LocalUser && !d.sending() && d.draft.domain != "" {
		d.draft.user = d.draft.local
	}
	if yes, err := d.con.yes(ctx, "Use this server?", true); err != nil || !yes {
		d.draft.preset = provider.Preset{}
		return errors.Join(err, d.unless(ctx, err))
	}
	if _, own := provider.ForDomain(d.draft.domain); own && !p.LocalUser {
		return nil
	}
	return d.askUser(ctx)
}

// unless asks for the server by hand where nothing went wrong.
func (d *dialog) unless(ctx context.Context, err error) error {
	if err != nil {
		return nil
	}
	return d.byHand(ctx)
}

// suggest shows what was looked up, and where; a person says whether it gets the password.
func (d *dialog) suggest(ctx context.Context, s discover.Server) error {
	d.con.printf("\nFound by %s:\n  %s\n", oneLine(s.Source), describe(s.Endpoint))
	if s.Elsewhere {
		d.con.printf("Its name is not within %s. If you do not know it as your provider's, say no.\n", d.draft.domain)
	}
	yes, err := d.con.yes(ctx, "Use this server? Your password will be sent to it", !s.Elsewhere)
	if err != nil {
		return err
	}
	if !yes {
		return d.byHand(ctx)
	}
	d.draft.server = s.Endpoint
	if s.User == discover.UserLocalPart {
		d.draft.user = d.draft.local
	}
	return d.askUser(ctx)
}

// describe says how a server is reached.
func describe(e provider.Endpoint) string {
	return fmt.Sprintf("%s, port %d, TLS %s", e.Host, e.Port, map[string]string{
		"implicit": "from the start", "starttls": "by STARTTLS, required", "none": "none",
	}[e.TLS])
}

// byHand asks for the server. Port and kind of TLS follow from each other where they can.
func (d *dialog) byHand(ctx context.Context) error {
	kind, fallback := "IMAP", "993"
	if d.sending() {
		kind, fallback = "SMTP submission", "465"
	}
	var e provider.Endpoint
	var err error
	if e.Host, err = d.con.askUntil(ctx, kind+" server", d.draft.server.Host, checkHost); err != nil {
		return err
	}
	port, err := d.con.askUntil(ctx, "Port", fallback, checkPort)
	if err != nil {
		return err
	}
	e.Port, _ = strconv.Atoi(port)
	if e.TLS, err = d.con.choose(ctx, "TLS: implicit, starttls, or none (to this machine only)", usualTLS(e.Port), "implicit", "starttls", "none"); err != nil {
		return err
	}
	e.TLS = strings.ToLower(e.TLS)
	if e.Host != d.draft.server.Host { // what was known of the other one does not hold here: its authserv-id, its sign-in
		d.draft.preset, d.draft.oauth, d.draft.clientID, d.draft.tenant, d.draft.clientSecret = provider.Preset{}, "", "", "", config.Secret{}
	}
	d.draft.server, d.draft.pin = e, ""
	return d.askUser(ctx)
}

// usualTLS is what belongs to a port.
func usualTLS(port int) string {
	switch port {
	case 143, 587, 1143, 1025, 25:
		return "starttls"
	}
	return "implicit"
}

func checkHost(s string) error {
	if s == "" || strings.ContainsAny(s, "/ @") || strings.Count(s, ":") == 1 {
		return errors.New("write a host name such as mail.example.org, or an IP address, alone")
	}
	if strings.Contains(s, ":") && net.ParseIP(s) == nil {
		return errors.New("that is no IP address")
	}
	return nil
}

func checkPort(s string) error {
	if n, err := strconv.Atoi(s); err != nil || n < 1 || n > 65535 {
		return errors.New("write a number from 1 to 65535")
	}
	return nil
}

func (d *dialog) askUser(ctx context.Context) error {
	var err error
	d.draft.user, err = d.con.ask(ctx, "User name", d.draft.user)
	return err
}

// recipients asks what only the program that sends wants to know.
func (d *dialog) recipients(ctx context.Context) error {
	name, err := d.con.askUntil(ctx, "\nYour name, as recipients see it (Enter: none)", "", func(s string) error {
		d.draft.from = from(s, d.draft.address)
		return d.valid("write the name in letters, without @ and brackets")
	})
	if err != nil {
		return err
	}
	d.draft.from = from(name, d.draft.address)
	d.con.printf("\nWho may be written to? Addresses and whole domains, such as partner@example.com, @example.org; * is everybody.\n" +
		"Sending stays off if you leave it empty. Each message is put to you before it leaves in any case.\n")
	if _, err := d.con.askUntil(ctx, "Recipients", "", d.setAllowed); err != nil || len(d.draft.allow) == 0 {
		return err
	}
	if err := d.askPath(ctx); err != nil {
		return err
	}
	if d.draft.preset.FilesSent == provider.FilingYes {
		d.con.printf("%s puts a copy of what you send into the Sent mailbox.\n", d.draft.preset.Name)
		return nil
	}
	d.con.printf("smtp-mcp cannot put a copy into the Sent mailbox, and whether the provider does is not known.\n")
	d.draft.bccSelf, err = d.con.yes(ctx, "Send a hidden copy of each message to yourself?", false)
	return err
}

// from joins name and address.
func from(name, address string) string {
	if name == "" {
		return address
	}
	return name + " <" + address + ">"
}

// valid asks the program whether it would start with what is known; else says what to write.
func (d *dialog) valid(otherwise string) error {
	loaded, err := d.load(true)
	if err == nil {
		err = d.Validate(loaded)
	}
	if err != nil {
		return errors.New(otherwise)
	}
	return nil
}

// setAllowed splits the answer.
func (d *dialog) setAllowed(s string) error {
	d.draft.allow = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == ';' })
	return d.valid("write addresses such as name@example.com, domains such as @example.com, or * alone, with commas between them")
}

// askPath asks where messages are put to the person; a file that says it already counts.
func (d *dialog) askPath(ctx context.Context) error {
	if d.file.sets("confirm") {
		return nil
	}
	d.con.printf("\nWhere do you want to be asked? auto: in the client's own form, or, where it has none, on a page in your browser.\n" +
		"page: always on that page, outside of what the client can answer by itself. terminal: with smtp-mcp approve.\n")
	answer, err := d.con.choose(ctx, "auto, page or terminal", "auto", "auto", "page", "terminal")
	d.draft.confirm = strings.ToLower(answer)
	return err
}
