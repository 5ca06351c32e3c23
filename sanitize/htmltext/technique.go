package htmltext

// Technique names how text was hidden. The values are fixed words, safe to show.
type Technique string

// The techniques.
const (
	DisplayNone      Technique = "display:none"
	VisibilityHidden Technique = "visibility:hidden"
	HiddenAttribute  Technique = "hidden attribute"
	Opacity          Technique = "opacity"
	SmallFont        Technique = "tiny letters"
	Squeezed         Technique = "letters on top of each other"
	ColourContrast   Technique = "colour on same colour"
	Transparent      Technique = "transparent letters"
	OffScreen        Technique = "off-screen"
	TextIndent       Technique = "text-indent"
	ZeroBox          Technique = "box without size"
	Overflow         Technique = "cut off by a small box"
	Clipped          Technique = "clipped"
	Transformed      Technique = "transform"
	Filtered         Technique = "filter"
	Masked           Technique = "mask"
	ContentHidden    Technique = "content-visibility"
	MSOHide          Technique = "mso-hide"
	MSOConditional   Technique = "conditional comment"
	Comment          Technique = "comment"
	Template         Technique = "template"
	ClosedDetails    Technique = "closed details"
	NoScript         Technique = "noscript"
	Fallback         Technique = "fallback content"
	SVG              Technique = "svg"
	FormValue        Technique = "form value"
	RawText          Technique = "script or style text"
	Attribute        Technique = "attribute text"
	Generated        Technique = "generated content"
	StyleDependent   Technique = "style-dependent"
)
