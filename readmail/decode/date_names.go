package decode

import "strings"

// monthNumber returns the month that a lower-case name or its abbreviation means in English, German, French, Spanish, Portuguese,
// Italian, Dutch, Danish, Norwegian, Swedish, Finnish, Polish, Czech, Hungarian, Romanian, Turkish, Russian or Ukrainian; 0 if none.
// Czech and Polish share "listopad" with different meanings and it is read as Polish.
func monthNumber(name string) int {
	names := [...]string{
		"jan jän jän. janv ene gen sty stycz led ledna janu ian oca ocak янв января січ jaan tammi tammikuuta januari januar january enero janeiro janvier gennaio",
		"feb fév fev févr lut únor února febr şub şubat фев февраля лют helmi helmikuuta february februar februari fevereiro février febbraio febrero",
		"mar mär mrz mars märz mart maart mrt mac marz marzo március márc března březen март мар марта бер maalis maaliskuuta march março marca marzec",
		"apr abr avr avril abril aprile aprilie ápr április kwi kwietnia dubna duben nis nisan апр апреля квіт huhti huhtikuuta april",
		"may mai mag maj mei mayo maggio maio maja máj május května květen mayıs мая май трав touko toukokuuta maí",
		"jun juin giu giugno junho junio juni june cze czerwca června červen jún június iun iunie haz haziran июн июня черв kesä kesäkuuta juny",
		"jul juil juillet lug luglio julho julio juli july lip lipca července červenec júl július iul iulie tem temmuz июл июля лип heinä heinäkuuta",
		"aug aoû août aou ago agosto augustus august augusti sie sierpnia srpna srpen augusztus ağu ağustos авг августа серп elo elokuuta",
		"sep sept septembre set settembre setembro septiembre september wrz września září szept szeptember eyl eylül сен сент сентября вер syys syyskuuta",
		"oct okt ott ottobre outubro out octubre octobre oktober october oktobra paź października října říjen eki ekim окт октября жовт loka lokakuuta",
		"nov novembre novembro noviembre november listopadu lis listopada listopad kas kasım ноя нояб ноября marras marraskuuta",
		"dec déc dez dic dicembre dezembro diciembre décembre dezember december desember des gru grudnia prosince prosinec ara aralık дек декабря груд joulu joulukuuta",
	}
	for i, list := range names {
		for n := range strings.FieldsSeq(list) {
			if n == name {
				return i + 1
			}
		}
	}
	return 0
}

// namedZone returns the offset in seconds of a zone name.
//
// The American names are RFC 5322 §4.3's. Names that mean several zones (IST, CST outside America, BST in Bangladesh) have the meaning most common
// in mail. Single letters are UTC: RFC 822 gave them with the wrong sign.
func namedZone(name string) (int, bool) {
	const hour = 3600
	if len(name) == 1 && name[0] >= 'a' && name[0] <= 'z' && name != "j" {
		return 0, true
	}
	switch name {
	case "ut", "utc", "gmt", "wet":
		return 0, true
	case "est", "cdt":
		return -5 * hour, true
	case "edt", "ast":
		return -4 * hour, true
	case "cst", "mdt":
		return -6 * hour, true
	case "mst", "pdt":
		return -7 * hour, true
	case "pst", "akdt":
		return -8 * hour, true
	case "akst":
		return -9 * hour, true
	case "hst":
		return -10 * hour, true
	case "adt", "brt", "art":
		return -3 * hour, true
	case "nst":
		return -(3*hour + hour/2), true
	case "ndt":
		return -(2*hour + hour/2), true
	case "cet", "met", "mez", "bst", "west", "wat", "swt":
		return hour, true
	case "cest", "mest", "mesz", "eet", "sast", "cat", "fwt":
		return 2 * hour, true
	case "eest", "msk", "eat", "trt":
		return 3 * hour, true
	case "msd", "gst":
		return 4 * hour, true
	case "pkt":
		return 5 * hour, true
	case "ist":
		return 5*hour + hour/2, true
	case "wib", "ict":
		return 7 * hour, true
	case "hkt", "sgt", "awst", "myt", "pht":
		return 8 * hour, true
	case "jst", "kst":
		return 9 * hour, true
	case "acst":
		return 9*hour + hour/2, true
	case "aest":
		return 10 * hour, true
	case "acdt":
		return 10*hour + hour/2, true
	case "aedt":
		return 11 * hour, true
	case "nzst":
		return 12 * hour, true
	case "nzdt":
		return 13 * hour, true
	}
	return 0, false
}
