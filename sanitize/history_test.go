package sanitize

import (
	"strings"
	"testing"
)

const oldText = "The figures that you asked for are in the table below, and the meeting is moved to Tuesday at ten o'clock in the small room.\n"

func TestFoldHistory(t *testing.T) {
	quotedOld := "> " + strings.Repeat(oldText+"> ", 5) + "\n"
	for _, c := range []struct {
		name, text string
		fold       bool
		kept       string // must be there after folding
	}{
		{"gmail en", "Yes.\n\nOn Mon, 1 May 2026 at 10:00, Anna <a@x.example> wrote:\n" + quotedOld, true, "wrote:"},
		{"gmail en, three lines", "Yes.\n\nOn Mon, 1 May 2026 at 10:00, Anna\nVery Long Name <a@x.example>\nwrote:\n" + quotedOld, true, "wrote:"},
		{"apple de", "Ja.\n\nAm 01.05.2026 um 10:00 schrieb Anna <a@x.example>:\n" + quotedOld, true, "schrieb"},
		{"fr", "Oui.\n\nLe lun. 1 mai 2026 à 10:00, Anna <a@x.example> a écrit :\n" + quotedOld, true, "a écrit"},
		{"es", "Sí.\n\nEl lun, 1 may 2026 a las 10:00, Anna (<a@x.example>) escribió:\n" + quotedOld, true, "escribió"},
		{"it", "Sì.\n\nIl giorno lun 1 mag 2026 alle ore 10:00 Anna ha scritto:\n" + quotedOld, true, "ha scritto"},
		{"pt", "Sim.\n\nEm seg., 1 de mai. de 2026 às 10:00, Anna escreveu:\n" + quotedOld, true, "escreveu"},
		{"nl", "Ja.\n\nOp ma 1 mei 2026 om 10:00 schreef Anna <a@x.example>:\n" + quotedOld, true, "schreef"},
		{"pl", "Tak.\n\npon., 1 maj 2026 o 10:00 Anna <a@x.example> napisał(a):\n" + quotedOld, true, "napisał"},
		{"ru", "Да.\n\nпн, 1 мая 2026 г. в 10:00, Anna <a@x.example>:\n" + quotedOld, true, "Да."},
		{"ru, wrote", "Да.\n\n1 мая 2026 г. Анна написала:\n" + quotedOld, true, "написала"},
		{"zh", "好的。\n\nAnna <a@x.example> 于2026年5月1日周一 10:00写道：\n" + quotedOld, true, "写道"},
		{"ja", "はい。\n\n2026年5月1日(月) 10:00 Anna <a@x.example>:\n" + quotedOld, true, "はい。"},
		{"ko", "네.\n\n2026년 5월 1일 (월) 오전 10:00, Anna <a@x.example>님이 작성:\n" + quotedOld, true, "작성"},
		{"outlook en", "Yes.\n\n-----Original Message-----\nFrom: Anna\nSent: Monday\nTo: B\nSubject: x\n\n" + oldText, true, "Yes."},
		{"outlook header only", "Yes.\n\n________________________________\nFrom: Anna <a@x.example>\nSent: Monday, May 1, 2026\nTo: B\nSubject: x\n\n" + oldText, true, "Yes."},
		{"outlook de", "Ja.\n\nVon: Anna <a@x.example>\nGesendet: Montag, 1. Mai 2026 10:00\nAn: B\nBetreff: x\n\n" + oldText, true, "Ja."},
		{"outlook fr", "Oui.\n\nDe : Anna <a@x.example>\nEnvoyé : lundi 1 mai 2026\nÀ : B\nObjet : x\n\n" + oldText, true, "Oui."},
		{"outlook es", "Sí.\n\nDe: Anna\nEnviado el: lunes\nPara: B\nAsunto: x\n\n" + oldText, true, "Sí."},
		{"outlook zh", "好。\n\n发件人: Anna\n发送时间: 2026年5月1日\n收件人: B\n主题: x\n\n" + oldText, true, "好。"},
		{"outlook ja", "はい\n\n差出人: Anna\n送信日時: 2026年5月1日\n宛先: B\n件名: x\n\n" + oldText, true, "はい"},
		{"long quotation at the end", "Yes.\n\n" + quotedOld, true, "Yes."},
		{"answer below", "> a\n> b\n" + "Yes.\n", false, "> a"},
		{"interleaved", "> One?\nYes.\n\n> Two?\nNo.\n", false, "> Two?"},
		{"forwarded", "See below.\n\n---------- Forwarded message ---------\nFrom: Anna\nDate: x\nSubject: y\n\n" + oldText, false, oldText},
		{"forwarded de", "Siehe unten.\n\n-------- Weitergeleitete Nachricht --------\nVon: Anna\nDatum: x\nBetreff: y\n\n" + oldText, false, oldText},
		{"apple forward", "FYI\n\nBegin forwarded message:\n\nFrom: Anna\nSubject: y\nDate: x\n\n" + oldText, false, oldText},
		{"nothing but a quotation", quotedOld, false, "> The figures"},
		{"nothing but a header block", "From: Anna\nSent: Monday\nTo: B\nSubject: x\n\n" + oldText, false, oldText},
		{"a colon at the end", "On Monday we will discuss 3 points:\n- a\n- b\n", false, "- b"},
		{"a story", "He wrote: nothing.\nFrom: here to there.\n" + oldText, false, oldText},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ForModel(c.text, Options{FoldQuotes: true})
			got := r.Text.String()
			if c.fold != (r.FoldedChars > 0) || c.fold == strings.Contains(got, "figures that you asked for") && strings.Contains(c.text, "figures that") {
				t.Errorf("got %d characters folded in %q, want folding %v", r.FoldedChars, got, c.fold)
			}
			if !strings.Contains(got, c.kept) {
				t.Errorf("%q is gone from %q", c.kept, got)
			}
			if whole := ForModel(c.text, Options{}); whole.FoldedChars != 0 || strings.Contains(whole.Text.String(), foldNote) {
				t.Error("folded without being asked")
			}
		})
	}
}
