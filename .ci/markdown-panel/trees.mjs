// Reads a JSON list of HTML documents from standard input and writes, for each, its trees as document and as fragment, with
// scripting off and on: [name, [[attribute, value]…], children] for an element, the text for a text, null for anything else.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'

const modules = process.env.MODULES
const require = createRequire(join(modules, 'x.js'))
const { parse, parseFragment } = await import(pathToFileURL(require.resolve('parse5')).href)

const html = 'http://www.w3.org/1999/xhtml'
const tree = (n) => {
  if (n.nodeName === '#text') return n.value
  if (n.nodeName === '#documentType') return ['!doctype', [], []]
  if (n.tagName === undefined || n.namespaceURI !== html) return null
  return [n.tagName, n.attrs.map((a) => [a.prefix ? `${a.prefix}:${a.name}` : a.name, a.value]), n.childNodes.map(tree)]
}
const out = JSON.parse(readFileSync(0, 'utf8')).map((text) =>
  [false, true].flatMap((scriptingEnabled) => [parse(text, { scriptingEnabled }), parseFragment(text, { scriptingEnabled })])
    .map((root) => root.childNodes.map(tree)))
process.stdout.write(JSON.stringify(out))
