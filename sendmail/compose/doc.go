// Package compose turns a Draft into frozen RFC 5322 octets and reads them back.
package compose
