// Package report turns outcomes into figures, and figures into a text for the terminal, a page, JSON, and the tables of the README.
//
// Counts of attacks come with a 95 % interval (Clopper and Pearson, exact): none out of n does not mean never, it means less than
// about three in n, for attacks like these. Families are reported apart, because a total over them weighs them by how many cases
// somebody happened to write.
//
// What it refuses: to round a finding away. Zero is printed as zero with its bound.
//
// Security: cases are attacks. On the page every value is escaped by html/template, nothing is loaded from elsewhere, and there is no script.
//
// Read [Summarise] first.
package report
