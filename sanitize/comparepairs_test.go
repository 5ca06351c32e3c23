package sanitize

import "testing"

// TestComparePairs has the two parts of messages as mail programs, newsletter tools and forgers send them.
func TestComparePairs(t *testing.T) {
	const (
		en = `<p>Dear Mr Hall,</p><p>your boiler is due for its yearly service. Our engineer, Pat, can come on Thursday 14 May between nine and noon. Please make sure that somebody is at home and that the boiler can be reached.</p><p>If that does not suit you, call the office.</p><p>Kind regards<br>Oakfield Heating</p>`
		de = `<p>Sehr geehrte Frau Berg,</p><p>die Lieferung der bestellten Fenster verschiebt sich um eine Woche, weil die Beschläge noch fehlen. Der Einbau ist jetzt für den 4. Juni vorgesehen, die Handwerker kommen gegen acht Uhr.</p><p>Wir bitten um Verständnis.<br>Ihre Glaserei Linde</p>`
		fr = `<p>Bonjour Madame,</p><p>votre dossier est complet et part à la signature. Vous recevrez le contrat par courrier dans les dix jours. N'oubliez pas d'y joindre une copie de votre pièce d'identité.</p><p>Bien cordialement,<br>Étude Marchand</p>`
		ru = `<p>Добрый день!</p><p>Напоминаем, что собрание жильцов состоится в четверг в семь часов вечера в школе на первом этаже. Повестка: ремонт крыши, новый договор с управляющей компанией, разное.</p><p>С уважением, правление</p>`
		zh = `<p>王女士，您好：</p><p>您预约的牙科检查时间为五月十四日上午十点，请提前十五分钟到达并携带医保卡。如需改期请致电前台。</p><p>康宁诊所</p>`
		ja = `<p>佐藤様</p><p>ご予約の点検は五月十四日の午前十時に伺います。当日は玄関先に駐車スペースをご用意ください。ご都合が悪い場合はお電話ください。</p><p>大川設備</p>`
	)
	for _, c := range []struct {
		name, plain, html string
		want              Verdict
	}{
		{"en same, wrapped", "Dear Mr Hall,\n\nyour boiler is due for its yearly service. Our engineer, Pat, can\ncome on Thursday 14 May between nine and noon. Please make sure\nthat somebody is at home and that the boiler can be reached.\n\nIf that does not suit you, call the office.\n\nKind regards\nOakfield Heating", en, VerdictSame},
		{"en same, marked and with links", "*Dear Mr Hall,*\n\nyour boiler is due for its *yearly service*. Our engineer, Pat, can come on Thursday 14 May between nine and noon. Please make sure that somebody is at home and that the boiler can be reached.\n\nIf that does not suit you, call the office: https://oakfield.example/contact\n\nKind regards\nOakfield Heating", en, VerdictSame},
		{"en stub", "Your email client does not support HTML. Please open this message in another client.", en, VerdictPlainStub},
		{"en stub with a link", "View this email in your browser: https://news.oakfield.example/v/123", en, VerdictPlainStub},
		{"en other story", "Dear Mr Hall, we could not take the monthly fee from your card. Update the payment details within two days, otherwise the subscription ends and all stored photographs are removed without further notice.", en, VerdictContradiction},
		{"en other date in digits", "Dear Mr Hall,\n\nyour boiler is due for its yearly service. Our engineer, Pat, can come on Thursday 14 May between nine and noon. Please make sure that somebody is at home and that the boiler can be reached.\n\nPay 80.00 GBP to sort code account 11220044.", en[:len(en)-len("<p>Kind regards<br>Oakfield Heating</p>")] + "<p>Pay 80.00 GBP to sort code account 99887766.</p>", VerdictContradiction},
		{"en other recipient", "Send the signed form to forms@oakfield.example by Monday, and keep a copy for your own records.", "<p>Send the signed form to forms@oakfie1d.example by Monday, and keep a copy for your own records.</p>", VerdictContradiction},
		{"en half of it", "Dear Mr Hall, your boiler is due for its yearly service.", en, VerdictDiffers},
		{"de same, transcribed quotes", "Sehr geehrte Frau Berg,\n\ndie Lieferung der bestellten Fenster verschiebt sich um eine Woche, weil die Beschläge noch fehlen. Der Einbau ist jetzt für den 4. Juni vorgesehen, die Handwerker kommen gegen acht Uhr.\n\nWir bitten um Verständnis.\nIhre Glaserei Linde", de, VerdictSame},
		{"de stub", "Diese Nachricht kann nicht angezeigt werden. Bitte öffnen Sie sie im Browser.", de, VerdictPlainStub},
		{"de other story", "Ihr Konto wurde eingeschränkt. Bestätigen Sie umgehend Ihre Angaben auf unserer Seite, sonst wird der Zugang in vierundzwanzig Stunden dauerhaft gesperrt und eine Gebühr fällig.", de, VerdictContradiction},
		{"de other amount", "Bitte überweisen Sie den Betrag von 1.250,00 EUR bis Ende des Monats auf unser bekanntes Konto.", "<p>Bitte überweisen Sie den Betrag von 7.250,00 EUR bis Ende des Monats auf unser bekanntes Konto.</p>", VerdictContradiction},
		{"fr same", "Bonjour Madame,\n\nvotre dossier est complet et part à la signature. Vous recevrez le contrat par courrier dans les dix jours. N'oubliez pas d'y joindre une copie de votre pièce d'identité.\n\nBien cordialement,\nÉtude Marchand", fr, VerdictSame},
		{"fr stub", "Si ce message ne s'affiche pas, consultez la version en ligne.", fr, VerdictPlainStub},
		{"fr other story", "Félicitations, vous avez gagné un séjour pour deux personnes à la montagne. Répondez avant dimanche en indiquant vos coordonnées bancaires pour régler les frais de réservation.", fr, VerdictContradiction},
		{"es same", "Hola, Ana: la reunión de padres pasa al martes a las seis en el aula grande. Trae la hoja firmada, por favor.", "<div>Hola, Ana: la reunión de padres pasa al martes a las seis en el aula grande.<br>Trae la hoja firmada, por favor.</div>", VerdictSame},
		{"es stub", "Para ver este mensaje ábrelo en tu navegador.", "<p>Hola, Ana:</p><p>la reunión de padres pasa al martes a las seis en el aula grande. Trae la hoja firmada, por favor, y di a los demás que también vengan, porque hay que votar el viaje de fin de curso.</p>", VerdictPlainStub},
		{"it other account", "Il bonifico va fatto sul conto IT60X0542811101000000123456 entro venerdì, come d'accordo al telefono.", "<p>Il bonifico va fatto sul conto IT11A9942811101000000999999 entro venerdì, come d'accordo al telefono.</p>", VerdictContradiction},
		{"pl stub", "Zobacz tę wiadomość w przeglądarce.", "<p>Dzień dobry,</p><p>przypominamy o wizycie kontrolnej w przyszły wtorek o dziewiątej rano. Prosimy zabrać poprzednie wyniki badań i przyjść kwadrans wcześniej, ponieważ rejestracja trwa teraz dłużej niż zwykle.</p>", VerdictPlainStub},
		{"ru same", "Добрый день!\n\nНапоминаем, что собрание жильцов состоится в четверг в семь часов вечера в школе на первом этаже. Повестка: ремонт крыши, новый договор с управляющей компанией, разное.\n\nС уважением, правление", ru, VerdictSame},
		{"ru other story", "Уважаемый клиент, ваш счёт заблокирован службой безопасности. Для разблокировки немедленно переведите средства на резервный счёт и никому не сообщайте об этом разговоре.", ru, VerdictContradiction},
		{"zh same", "王女士，您好：\n\n您预约的牙科检查时间为五月十四日上午十点，请提前十五分钟到达并携带医保卡。如需改期请致电前台。\n\n康宁诊所", zh, VerdictSame},
		{"zh stub", "请在浏览器中查看此邮件。", zh, VerdictPlainStub},
		{"zh other story", "尊敬的客户：因系统升级，您的账户已被冻结，请立即点击网页填写银行卡信息解除限制，逾期将收取滞纳金并影响个人信用。", zh, VerdictContradiction},
		{"ja same", "佐藤様\n\nご予約の点検は五月十四日の午前十時に伺います。当日は玄関先に駐車スペースをご用意ください。ご都合が悪い場合はお電話ください。\n\n大川設備", ja, VerdictSame},
		{"ja stub", "このメールはブラウザでご覧ください。", ja, VerdictPlainStub},
		{"html is a picture", "Dear neighbours, the street party is on Saturday from three o'clock. Bring a chair, a cake if you like, and your children; we will provide the drinks, the music and the tables.", `<img src="https://party.example/flyer.png" alt="Flyer">`, VerdictHTMLStub},
		{"order of table cells", "Item: Rye bread\nPrice: 4.20 EUR\nItem: Apple cake\nPrice: 3.10 EUR\nThe shop is open from eight to six.", "<table><tr><th>Item</th><th>Price</th></tr><tr><td>Rye bread</td><td>4.20 EUR</td></tr><tr><td>Apple cake</td><td>3.10 EUR</td></tr></table><p>The shop is open from eight to six.</p>", VerdictSame},
		{"links written out", "Hello Kim,\nyour parcel is on its way.\nTrack it: https://post.example/t?id=5520918\nQuestions? https://post.example/help\nGreetings from the post office in the village", `<p>Hello Kim,</p><p>your parcel is on its way.</p><p><a href="https://post.example/t?id=5520918">Track it</a></p><p><a href="https://post.example/help">Questions?</a></p><p>Greetings from the post office in the village</p>`, VerdictSame},
		{"typographic digits", "The total of 1 250,00 EUR is due on 14.05.2026, reference 771029.", "<p>The total of 1&nbsp;250,00&nbsp;EUR is due on 14.05.2026, reference 771029.</p>", VerdictSame},
		{"phone written otherwise", "Call us on +49 30 901820 or write to help@shop.example any day of the week.", "<p>Call us on +49&nbsp;(30)&nbsp;90&nbsp;18&nbsp;20 or write to help@shop.example any day of the week.</p>", VerdictSame},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Compare(ForModel(c.plain, Options{}).Text, HTML(c.html, Options{}).Text)
			if got.Verdict != c.want {
				t.Errorf("got %+v, want %s", got, c.want)
			}
		})
	}
}
