// Converts the HTML file FILE to text with html-to-text RUNS times and prints the nanoseconds of one conversion.
//
//	MODULES=.../node_modules node htmltotext.mjs FILE RUNS
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";

const [file, runs] = process.argv.slice(2);
const { convert } = createRequire(path.join(process.env.MODULES, "x.js"))("html-to-text");
const html = readFileSync(file, "utf8");
for (let i = 0; i < 3; i++) convert(html);
const began = process.hrtime.bigint();
for (let i = 0; i < Number(runs); i++) convert(html);
console.log(String((process.hrtime.bigint() - began) / BigInt(runs)));
