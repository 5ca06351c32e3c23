package office
func (r *reader) odf(kind string) error { return nil }
