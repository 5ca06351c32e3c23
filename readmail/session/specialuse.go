package session

import "strings"

// guessSpecialUse names roles by well-known mailbox names, if the server names none. One mailbox per role: the one
// highest in the hierarchy.
func (c *Conn) guessSpecialUse(boxes []Mailbox) {
	if c.HasCap("SPECIAL-USE") {
		return
	}
	for _, b := range boxes {
		if b.SpecialUse != "" && b.SpecialUse != UseInbox {
			return // attributes came without the capability
		}
	}
	best := map[SpecialUse]int{}
	for i, b := range boxes {
		use := useOfName(b.Name, b.Delimiter)
		if use == "" || b.NoSelect || b.SpecialUse != "" {
			continue
		}
		if j, taken := best[use]; !taken || depth(b) < depth(boxes[j]) {
			best[use] = i
		}
	}
	for use, i := range best {
		boxes[i].SpecialUse, boxes[i].Guessed = use, true
	}
}

func depth(b Mailbox) int {
	if b.Delimiter == "" {
		return 0
	}
	return strings.Count(b.Name, b.Delimiter)
}

// useOfName looks at the last component of a name.
func useOfName(name, delimiter string) SpecialUse {
	if delimiter != "" {
		if i := strings.LastIndex(name, delimiter); i >= 0 {
			name = name[i+len(delimiter):]
		}
	}
	name = strings.ToLower(strings.TrimSpace(name))
	for use, names := range knownNames() {
		for n := range strings.SplitSeq(names, "|") {
			if n == name {
				return use
			}
		}
	}
	return ""
}

// knownNames lists the names that mail programs and providers give to the roles, in lower case.
func knownNames() map[SpecialUse]string {
	return map[SpecialUse]string{
		UseSent: "sent|sent items|sent mail|sent messages|gesendet|gesendete elemente|gesendete objekte|gesendete nachrichten|" +
			"envoyés|éléments envoyés|messages envoyés|objets envoyés|enviados|elementos enviados|mensajes enviados|" +
			"posta inviata|inviati|inviata|itens enviados|verzonden|verzonden items|wysłane|elementy wysłane|отправленные|" +
			"надіслані|skickat|skickade objekt|sendt|sendte elementer|lähetetyt|odeslané|odeslaná pošta|elküldött elemek|" +
			"gönderilmiş öğeler|gönderilenler|已发送|已发送邮件|寄件備份|送信済み|送信済みメール|送信済みアイテム|보낸 편지함|보낸메일함|απεσταλμένα",
		UseDrafts: "drafts|draft|entwürfe|brouillons|borradores|bozze|rascunhos|concepten|szkice|kopie robocze|wersje robocze|" +
			"черновики|чернетки|utkast|kladder|luonnokset|koncepty|rozepsané|piszkozatok|taslaklar|草稿|草稿箱|草稿匣|下書き|임시 보관함|임시보관함|πρόχειρα",
		UseTrash: "trash|deleted|deleted items|deleted messages|bin|papierkorb|gelöschte elemente|gelöschte objekte|gelöscht|" +
			"corbeille|éléments supprimés|messages supprimés|papelera|elementos eliminados|eliminados|cestino|posta eliminata|" +
			"eliminata|lixeira|itens excluídos|itens eliminados|prullenbak|verwijderde items|kosz|elementy usunięte|корзина|удаленные|" +
			"удалённые|кошик|papperskorgen|borttaget|papirkurv|slettet post|roskakori|poistetut|koš|odstraněná pošta|törölt elemek|" +
			"çöp kutusu|silinmiş öğeler|已删除|已删除邮件|垃圾桶|刪除的郵件|ゴミ箱|削除済みアイテム|휴지통|지운 편지함|κάδος",
		UseJunk: "junk|junk e-mail|junk email|junk mail|spam|bulk mail|bulk|spamverdacht|unerwünscht|junk-e-mail|werbung|" +
			"indésirables|courrier indésirable|pourriel|correo no deseado|posta indesiderata|lixo eletrônico|lixo eletrónico|" +
			"ongewenste e-mail|wiadomości-śmieci|śmieci|спам|нежелательная почта|skräppost|søppelpost|uønsket e-post|roskaposti|" +
			"nevyžádaná pošta|levélszemét|gereksiz e-posta|önemsiz e-posta|垃圾邮件|垃圾郵件|迷惑メール|迷惑メールフォルダ|스팸메일함|정크 메일|ανεπιθύμητα",
		UseArchive: "archive|archives|archiv|archivo|archivio|arquivo|archief|archiwum|архив|архів|arkiv|arkisto|archív|archívum|arşiv|归档|封存|アーカイブ|보관|αρχείο",
		UseAll:     "all mail|alle nachrichten|tous les messages|todos|tutti i messaggi|todos os e-mails|вся почта|すべてのメール",
	}
}
