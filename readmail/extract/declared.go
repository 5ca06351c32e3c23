package extract

import "strings"

// isText reports whether the kind is one that is read as text in this process.
func (k Kind) isText() bool {
	switch k {
	case KindText, KindHTML, KindCSV, KindICS, KindVCard, KindEML, KindReport, KindRTF:
		return true
	}
	return false
}

// inChild reports whether the kind is read in a child process.
func (k Kind) inChild() bool {
	switch k {
	case KindPDF, KindDOCX, KindXLSX, KindPPTX, KindODT, KindODS, KindODP:
		return true
	}
	return false
}

// textTypes is the media type that stands for each text kind.
func textTypes() map[Kind]string {
	return map[Kind]string{KindText: "text/plain", KindHTML: "text/html", KindCSV: "text/csv", KindICS: "text/calendar",
		KindVCard: "text/vcard", KindEML: "message/rfc822", KindReport: "message/delivery-status", KindRTF: "application/rtf"}
}

// bareType returns type/subtype in lower case without parameters.
func bareType(mediaType string) string {
	t, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// declaredKind maps a declared media type; KindUnknown if it says nothing.
func declaredKind(mediaType string) Kind {
	t := bareType(mediaType)
	if k, ok := officeTypes()[t]; ok {
		return k
	}
	switch t {
	case "application/pdf", "application/x-pdf":
		return KindPDF
	case "text/html", "application/xhtml+xml":
		return KindHTML
	case "text/csv", "text/tab-separated-values", "application/csv", "text/x-csv", "text/comma-separated-values":
		return KindCSV
	case "text/calendar", "application/ics", "text/x-vcalendar":
		return KindICS
	case "text/vcard", "text/x-vcard", "text/directory":
		return KindVCard
	case "text/rtf", "application/rtf", "text/richtext", "application/x-rtf":
		return KindRTF
	case "message/rfc822", "message/global", "message/partial":
		return KindEML
	case "message/delivery-status", "message/disposition-notification", "message/feedback-report",
		"message/global-delivery-status", "message/global-disposition-notification":
		return KindReport
	case "image/png", "image/jpeg", "image/jpg", "image/pjpeg", "image/gif", "image/webp":
		return KindImage
	}
	if strings.HasPrefix(t, "text/") {
		return KindText
	}
	return KindUnknown
}

const (
	ooxml = "application/vnd.openxmlformats-officedocument."
	odf   = "application/vnd.oasis.opendocument."
)

// officeTypes maps media types of office documents: registered ones, templates, and those with macros.
func officeTypes() map[string]Kind {
	return map[string]Kind{
		ooxml + "wordprocessingml.document":                          KindDOCX,
		ooxml + "wordprocessingml.template":                          KindDOCX,
		"application/vnd.ms-word.document.macroenabled.12":           KindDOCX,
		ooxml + "spreadsheetml.sheet":                                KindXLSX,
		ooxml + "spreadsheetml.template":                             KindXLSX,
		"application/vnd.ms-excel.sheet.macroenabled.12":             KindXLSX,
		ooxml + "presentationml.presentation":                        KindPPTX,
		ooxml + "presentationml.slideshow":                           KindPPTX,
		"application/vnd.ms-powerpoint.presentation.macroenabled.12": KindPPTX,
		odf + "text":                  KindODT,
		odf + "text-template":         KindODT,
		odf + "spreadsheet":           KindODS,
		odf + "spreadsheet-template":  KindODS,
		odf + "presentation":          KindODP,
		odf + "presentation-template": KindODP,
	}
}
