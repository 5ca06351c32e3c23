package main

// languages are ordinary letters in English, German, French and Spanish.
func languages() []mail {
	return []mail{
		{name: "language-english", box: "INBOX", date: "2026-11-27T09:12:00+00:00", flags: `\Seen`, shows: "English, plain ASCII",
			from: `"Robin (Facilities)" <robin@example.org>`, subject: "Heating check on Thursday",
			body: text("text/plain; charset=us-ascii", "7bit", []byte(body(`
Hello,

the heating on the second floor is checked on Thursday between 10 and 12.
Please leave the radiators uncovered. You do not need to be present.

If the time does not suit you, answer this message by Wednesday noon.

Robin
Facilities, ext. 214
`)))},
		{name: "language-german", box: "INBOX", date: "2026-11-26T16:40:00+01:00", flags: `\Seen \Answered`, shows: "German, UTF-8",
			from: word("utf-8", "Hausverwaltung Grüner Weg") + " <verwaltung@haus.example>", subject: word("utf-8", "Müllabfuhr: geänderte Termine im Dezember"),
			body: plain(`
Sehr geehrte Bewohnerinnen und Bewohner,

wegen der Feiertage wird der Restmüll in diesem Jahr früher abgeholt:

  - Mittwoch, 23. Dezember, ab 6:30 Uhr
  - Mittwoch, 30. Dezember, ab 6:30 Uhr

Bitte stellen Sie die Tonnen erst am Vorabend an die Straße. Für größere Mengen
steht der Container im Hof (Schlüssel beim Hausmeister).

Mit freundlichen Grüßen
Ihre Hausverwaltung
`)},
		{name: "language-french", box: "INBOX", date: "2026-11-25T11:05:00+01:00", flags: `\Seen`, shows: "French, ISO-8859-1, quoted-printable",
			from: "=?iso-8859-1?Q?Biblioth=E8que_municipale?= <bibliotheque@mairie.example>", subject: "=?iso-8859-1?Q?Votre_r=E9servation_est_arriv=E9e?=",
			body: text("text/plain; charset=iso-8859-1", "quoted-printable", in("iso-8859-1", body(`
Bonjour,

l'ouvrage que vous avez réservé, « Les étés de l'île », est arrivé.
Il vous attend à l'accueil jusqu'au samedi 5 décembre, 17 h.

Pensez à apporter votre carte de lecteur.

La bibliothèque municipale
`)))},
		{name: "language-spanish", box: "INBOX", date: "2026-11-24T19:30:00+01:00", shows: "Spanish, UTF-8 sent as 8bit",
			from: word("utf-8", "Asociación de Vecinos") + " <vecinos@barrio.example>", subject: word("utf-8", "Reunión del jueves: ¿quién trae el café?"),
			body: text("text/plain; charset=utf-8", "8bit", []byte(body(`
Hola a todos:

La reunión será el jueves 3 de diciembre a las 19:00 en el salón pequeño.
Orden del día: iluminación del patio, presupuesto del próximo año y ruegos.

¿Quién puede traer el café? El año pasado lo trajo el grupo del señalamiento.

Un saludo,
La secretaría
`)))},
	}
}

// easternLetters are in Japanese, Chinese and Russian.
func easternLetters() []mail {
	return []mail{
		{name: "language-japanese", box: "INBOX", date: "2026-11-24T08:15:00+09:00", shows: "Japanese, ISO-2022-JP",
			from: word("iso-2022-jp", "受付担当") + " <reception@museum.example>", subject: word("iso-2022-jp", "見学のご予約について"),
			body: text("text/plain; charset=iso-2022-jp", "7bit", in("iso-2022-jp", body(`
ご予約ありがとうございます。

十二月九日（水）午後二時から、館内の見学を承りました。
入口で受付番号「えー十七」をお伝えください。

変更をご希望の場合は、前日までにご返信ください。

受付担当
`)))},
		{name: "language-chinese", box: "INBOX", date: "2026-11-23T10:02:00+08:00", shows: "Chinese, GB18030, base64",
			from: word("gb18030", "会务组") + " <events@conference.example>", subject: word("gb18030", "会议室变更通知"),
			body: text("text/plain; charset=gb18030", "base64", in("gb18030", body(`
各位同事：

原定于十二月二日在三楼会议室举行的会议，改在一楼报告厅举行，时间不变。
请提前十分钟入场，并携带参会证件。

会务组
`)))},
		{name: "language-russian", box: "INBOX", date: "2026-11-20T14:20:00+03:00", flags: `\Seen`, shows: "Russian, KOI8-R sent as 8bit",
			from: "=?koi8-r?B?5MnTxdTe0Ns=?= <desk@telephone.example>", subject: word("koi8-r", "Плановые работы на линии"),
			body: text("text/plain; charset=koi8-r", "8bit", in("koi8-r", body(`
Добрый день!

В ночь с 5 на 6 декабря, с 01:00 до 04:00, на линии пройдут плановые работы.
Связь может прерываться на срок до десяти минут.

Приносим извинения за неудобства.
Диспетчерская служба
`)))},
	}
}

// otherLetters are in scripts that run from right to left, and in Devanagari.
func otherLetters() []mail {
	return []mail{
		{name: "language-arabic", box: "INBOX", date: "2026-11-19T12:45:00+02:00", shows: "Arabic, UTF-8, base64, right to left",
			from: word("utf-8", "مكتب التسجيل") + " <registrar@school.example>", subject: word("utf-8", "موعد التسجيل للفصل القادم"),
			body: text("text/plain; charset=utf-8", "base64", []byte(body(`
السلام عليكم،

يبدأ التسجيل للفصل القادم يوم الأحد 6 ديسمبر الساعة 9:00 صباحا.
يرجى إحضار بطاقة الطالب ونسخة من الجدول.

مكتب التسجيل
`)))},
		{name: "language-hebrew", box: "INBOX", date: "2026-11-18T09:00:00+02:00", flags: `\Seen`, shows: "Hebrew, windows-1255",
			from: word("windows-1255", "מזכירות החוג") + " <office@chorus.example>", subject: word("windows-1255", "שינוי שעת החזרה"),
			body: text("text/plain; charset=windows-1255", "quoted-printable", in("windows-1255", body(`
שלום לכולם,

החזרה ביום שלישי תתחיל בשעה 19:30 במקום 19:00.
נא להביא את התווים החדשים.

להתראות,
מזכירות החוג
`)))},
		{name: "language-hindi", box: "Vorschläge & 提案", date: "2026-11-17T18:10:00+05:30", shows: "Hindi, UTF-8; a mailbox with a non-ASCII name",
			from: word("utf-8", "पुस्तकालय") + " <library@campus.example>", subject: word("utf-8", "नई पुस्तकों के लिए सुझाव"),
			body: text("text/plain; charset=utf-8", "base64", []byte(body(`
नमस्ते,

पुस्तकालय अगले महीने नई पुस्तकें खरीदेगा। कृपया अपने सुझाव 10 दिसंबर तक भेजें।

धन्यवाद,
पुस्तकालय
`)))},
	}
}
