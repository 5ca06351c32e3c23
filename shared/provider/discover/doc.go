// Package discover finds the mail servers of a domain: by what provider knows, by SRV records (RFC 6186, RFC 8314 §5) and by
// the autoconfig files that mail programs share. Read Finder.Find first.
//
// # What it refuses
//
// Autoconfig by plain HTTP, and redirects to it; files over 64 KiB, with a document type, nested deeper than twelve elements, or that are not
// well-formed; servers that are addresses or names of this machine, and such without TLS. No address is sent anywhere: the
// question names the domain alone. Names that no public DNS has (RFC 6761) are not asked for.
//
// # Security model
//
// The answers come from whoever runs the domain, or its DNS, or the network on the way to it. They are suggestions: the caller
// shows host and source, and says where the host is not within the domain; a person confirms. What is connected to after
// that is verified by TLS under the name that was confirmed. The words in a file are not shown, only names that are valid host
// names.
//
// Divergence: RFC 6186 §6 wants a client to ask the person if the host of an SRV record is not within the domain; here the
// person is asked always.
package discover
