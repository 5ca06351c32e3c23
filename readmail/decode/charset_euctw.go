package decode

import (
	"sort"

	"golang.org/x/text/encoding/traditionalchinese"
)

// EUC-TW holds CNS 11643: plane 1 in two octets, the others behind 0x8E and a plane number in four. Planes 1 and 2 list the characters of
// Big5 in nearly the same order, so runs of equal distance map them to Big5, which x/text decodes. Other planes hold rare characters that Big5
// lacks; they come out as U+FFFD.

// cnsRun maps n cells of a CNS plane, counted row by row from 0, to as many cells of Big5.
type cnsRun struct{ cns, big5, n int }

func cnsPlane1() []cnsRun {
	return []cnsRun{
		{0, 0, 5}, {6, 6, 8}, {15, 15, 6}, {21, 23, 2}, {24, 22, 1}, {29, 29, 44}, {73, 74, 1}, {74, 73, 1},
		{75, 75, 22}, {98, 98, 1}, {100, 100, 27}, {127, 128, 1}, {128, 127, 1}, {129, 129, 19}, {148, 149, 1},
		{149, 148, 1}, {150, 150, 4}, {155, 21, 1}, {156, 156, 2}, {160, 160, 1}, {162, 162, 1}, {165, 165, 69},
		{282, 234, 29}, {312, 264, 1}, {314, 266, 142}, {470, 5872, 20}, {3290, 471, 17}, {3307, 263, 1},
		{3308, 489, 86}, {3394, 265, 1}, {3395, 576, 1307}, {4702, 1884, 424}, {5126, 1883, 1}, {5127, 2308, 1876},
		{7003, 4571, 1}, {7004, 4184, 387}, {7391, 4572, 525}, {7916, 5286, 1}, {7917, 5097, 105},
		{8023, 5203, 83}, {8106, 5287, 84}, {8190, 5517, 1}, {8191, 5371, 54}, {8245, 5426, 1}, {8246, 5425, 1},
		{8247, 5427, 90}, {8337, 5518, 354},
	}
}

func cnsPlane2() []cnsRun {
	return []cnsRun{
		{0, 6280, 10}, {10, 6291, 33}, {43, 6372, 1}, {44, 6324, 48}, {92, 6373, 46}, {138, 6586, 1},
		{139, 6419, 167}, {306, 6587, 1840}, {2146, 9074, 1}, {2147, 8428, 108}, {2255, 8537, 537},
		{2792, 8427, 1}, {2793, 9075, 100}, {2893, 8536, 1}, {2894, 9175, 399}, {3293, 9575, 1637},
		{4930, 11761, 1}, {4931, 11212, 146}, {5077, 11899, 1}, {5078, 11358, 287}, {5365, 12508, 1},
		{5366, 11645, 116}, {5482, 11762, 137}, {5619, 11900, 104}, {5723, 12425, 1}, {5724, 12004, 222},
		{5946, 12227, 198}, {6144, 12426, 82}, {6226, 12509, 86}, {6312, 12226, 1}, {6313, 12595, 8},
		{6321, 12604, 153}, {6474, 12758, 56}, {6530, 13114, 1}, {6531, 12814, 113}, {6644, 12603, 1},
		{6645, 12927, 142}, {6787, 12757, 1}, {6788, 13069, 45}, {6833, 13115, 71}, {6904, 13380, 1},
		{6905, 13186, 194}, {7099, 13381, 490}, {7589, 13914, 1}, {7590, 13871, 43}, {7633, 13915, 1},
		{7634, 13917, 11}, {7645, 13916, 1}, {7646, 13928, 4},
	}
}

// decodeEUCTW reads EUC-TW by way of Big5.
func decodeEUCTW(octets []byte) string {
	planes := [][]cnsRun{1: cnsPlane1(), 2: cnsPlane2()}
	out := make([]byte, 0, len(octets))
	for i := 0; i < len(octets); {
		rest := octets[i:]
		switch {
		case rest[0] < 0x80:
			out = append(out, rest[0])
			i++
		case len(rest) >= 4 && rest[0] == 0x8e && rest[1] > 0xa0 && rest[1] <= 0xb0 && rest[2] > 0xa0 && rest[3] > 0xa0:
			out = appendBig5(out, planes, int(rest[1]-0xa0), rest[2], rest[3])
			i += 4
		case len(rest) >= 2 && rest[0] > 0xa0 && rest[1] > 0xa0:
			out = appendBig5(out, planes, 1, rest[0], rest[1])
			i += 2
		default:
			out = append(out, 0xff)
			i++
		}
	}
	return decodeWith(traditionalchinese.Big5, out)
}

// appendBig5 appends the Big5 code of a CNS cell, or an octet that decodes to U+FFFD.
func appendBig5(out []byte, planes [][]cnsRun, plane int, row, col byte) []byte {
	if plane >= len(planes) || row == 0xff || col == 0xff {
		return append(out, 0xff)
	}
	runs, cell := planes[plane], int(row-0xa1)*94+int(col-0xa1)
	i := sort.Search(len(runs), func(i int) bool { return runs[i].cns+runs[i].n > cell })
	if i == len(runs) || runs[i].cns > cell {
		return append(out, 0xff)
	}
	at := runs[i].big5 + cell - runs[i].cns
	trail := at%157 + 0x40 // Big5 trails run from 0x40 to 0x7E and from 0xA1 to 0xFE
	if trail > 0x7e {
		trail += 0xa1 - 0x7f
	}
	return append(out, byte(0xa1+at/157), byte(trail))
}
