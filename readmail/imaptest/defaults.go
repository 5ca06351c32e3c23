package imaptest

import "strings"

// authOK is what a script says to credentials unless Script.Auth says otherwise.
const authOK = "{tag} OK [CAPABILITY {caps}] logged in"

// answerDefault answers a command that no step matched and reports whether the connection goes on.
func (a *actor) answerDefault(c Command) bool {
	var lines []string
	switch c.Verb {
	case "LOGIN":
		lines = a.authReply()
	case "AUTHENTICATE":
		return a.authenticate(c)
	case "LOGOUT":
		lines = []string{"* BYE good bye", "{tag} OK done"}
	case "CAPABILITY":
		lines = []string{"* CAPABILITY {caps}", "{tag} OK done"}
	case "ID":
		lines = []string{"* ID NIL", "{tag} OK done"}
	case "NOOP", "ENABLE", "UNSELECT", "DONE":
		lines = []string{"{tag} OK done"}
	case "IDLE":
		lines = []string{"+ idling"}
	case "LIST":
		lines = []string{`* LIST () "/" INBOX`, "{tag} OK done"}
	case "STATUS":
		lines = []string{"* STATUS INBOX (MESSAGES 0 UNSEEN 0 UIDNEXT 1 UIDVALIDITY 1)", "{tag} OK done"}
	case "EXAMINE":
		lines = []string{"* 0 EXISTS", "* FLAGS (\\Seen)", "* OK [UIDVALIDITY 1] valid", "* OK [UIDNEXT 1] next",
			"{tag} OK [READ-ONLY] done"}
	case "SEARCH", "UID SEARCH":
		lines = []string{"* SEARCH", "{tag} OK done"}
	case "FETCH", "UID FETCH":
		lines = []string{"{tag} OK done"}
	default:
		if a.script.Strict {
			a.server.violate("command " + c.Verb + " is not in the script")
		}
		lines = []string{"{tag} BAD not in the script"}
	}
	return a.sendLines(lines, c) && c.Verb != "LOGOUT"
}

func (a *actor) sendLines(lines []string, c Command) bool {
	text := strings.ReplaceAll(strings.Join(lines, "\r\n")+"\r\n", "{caps}", a.script.Caps)
	return a.send(text, c) == nil
}

func (a *actor) authReply() []string {
	if len(a.script.Auth) > 0 {
		return a.script.Auth
	}
	return []string{authOK}
}

// authenticate asks for one response if none came with the command, and accepts or refuses it as the script says.
func (a *actor) authenticate(c Command) bool {
	if !strings.Contains(c.Args, redacted) {
		if a.client.write([]byte("+ \r\n")) != nil {
			return false
		}
		if _, err := readLine(a.client.br, maxCommandOctets); err != nil {
			return false
		}
		a.server.command(Command{Conn: a.id, Verb: "AUTHENTICATE", Args: redacted})
	}
	return a.sendLines(a.authReply(), c)
}
