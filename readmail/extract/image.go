package extract

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Limits of an image that is handed on. Its receiver decodes it to width times height pixels of some four octets.
const (
	maxImageSide   = 20_000
	maxImagePixels = 64 << 20
)

// readImage checks an image by its header and hands it on without decoding it.
//
// Security: a file of some kB can claim a gigapixel; such an image is refused by what its header says.
func readImage(mediaType string, data []byte, maxOctets int) (Result, error) {
	if len(data) > maxOctets {
		return Result{}, newError(ErrTooLarge, KindImage, fmt.Sprintf("the image has %d octets, the limit is %d", len(data), maxOctets))
	}
	w, h := imageSize(mediaType, data)
	if w <= 0 || h <= 0 {
		return Result{}, newError(ErrDamaged, KindImage, "the image header gives no size")
	}
	if w > maxImageSide || h > maxImageSide || int64(w)*int64(h) > maxImagePixels {
		return Result{}, newError(ErrTooLarge, KindImage, fmt.Sprintf("the image claims %d by %d pixels", w, h))
	}
	return Result{Image: &Image{MediaType: mediaType, Width: w, Height: h, Data: data}}, nil
}

// imageSize reads width and height from the header; 0, 0 if they are not there.
func imageSize(mediaType string, b []byte) (int, int) {
	switch mediaType {
	case "image/png": // PNG specification §11.2.2: IHDR is the first chunk
		if len(b) >= 24 && string(b[12:16]) == "IHDR" {
			return int(binary.BigEndian.Uint32(b[16:])), int(binary.BigEndian.Uint32(b[20:]))
		}
	case "image/gif":
		return gifSize(b)
	case "image/jpeg":
		return jpegSize(b)
	case "image/webp":
		return webpSize(b)
	}
	return 0, 0
}

// gifSize returns the larger of the screen and the first frame: a frame may exceed the screen it is drawn on.
func gifSize(b []byte) (int, int) {
	if len(b) < 13 {
		return 0, 0
	}
	w, h := int(binary.LittleEndian.Uint16(b[6:])), int(binary.LittleEndian.Uint16(b[8:]))
	rest := b[13:]
	if flags := b[10]; flags&0x80 != 0 {
		rest = rest[min(len(rest), 3<<(flags&7+1)):]
	}
	if i := bytes.IndexByte(rest, ','); i == 0 && len(rest) >= 9 {
		w = max(w, int(binary.LittleEndian.Uint16(rest[5:])))
		h = max(h, int(binary.LittleEndian.Uint16(rest[7:])))
	}
	return w, h
}

// jpegSize walks the segments to the first frame header (ITU-T T.81, B.2.2).
func jpegSize(b []byte) (int, int) {
	for i := 2; i+9 < len(b); {
		if b[i] != 0xFF {
			return 0, 0
		}
		marker := b[i+1]
		switch {
		case marker == 0xFF: // fill octet
			i++
			continue
		case marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
			return int(binary.BigEndian.Uint16(b[i+7:])), int(binary.BigEndian.Uint16(b[i+5:]))
		case marker == 0x01 || marker >= 0xD0 && marker <= 0xD8:
			i += 2
			continue
		}
		n := int(binary.BigEndian.Uint16(b[i+2:]))
		if n < 2 {
			return 0, 0
		}
		i += 2 + n
	}
	return 0, 0
}

// webpSize reads the three kinds of WebP headers (RFC 9649 §2.4 to §2.7).
func webpSize(b []byte) (int, int) {
	if len(b) < 30 {
		return 0, 0
	}
	switch string(b[12:16]) {
	case "VP8X":
		return int(uint24(b[24:])) + 1, int(uint24(b[27:])) + 1
	case "VP8L":
		bits := binary.LittleEndian.Uint32(b[21:])
		return int(bits&0x3FFF) + 1, int(bits>>14&0x3FFF) + 1
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(b[26:]) & 0x3FFF), int(binary.LittleEndian.Uint16(b[28:]) & 0x3FFF)
	}
	return 0, 0
}

func uint24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
