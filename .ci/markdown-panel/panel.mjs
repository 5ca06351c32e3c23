// Reads a JSON list of {id, text} from standard input, renders each text with every renderer of the panel (raw HTML on,
// links found in running text on) and writes, for each, what a browser would fetch and what a reader could click:
// [{id, renderer, fetch: [...], link: [...]}]. Results that are empty on both sides are left out.
// Packages are looked up in MAILGAP_NODE_MODULES.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const modules = process.env.MAILGAP_NODE_MODULES
if (!modules) {
  console.error('MAILGAP_NODE_MODULES is not set')
  process.exit(2)
}
const require = createRequire(path.join(modules, 'panel.cjs'))
const load = async (name) => import(pathToFileURL(require.resolve(name)).href)
const loadESM = async (name) => {
  const dir = path.join(modules, name)
  const pkg = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'))
  const dot = pkg.exports?.['.'] ?? pkg.exports ?? pkg.main
  const entry = typeof dot === 'string' ? dot : (dot.import?.default ?? dot.import ?? dot.default)
  return import(pathToFileURL(path.join(dir, entry)).href)
}

const MarkdownIt = (await load('markdown-it')).default
const { marked } = await loadESM('marked')
const commonmark = (await load('commonmark')).default
const { micromark } = await loadESM('micromark')
const { gfm, gfmHtml } = await loadESM('micromark-extension-gfm')
const { unified } = await loadESM('unified')
const remarkParse = (await loadESM('remark-parse')).default
const remarkGfm = (await loadESM('remark-gfm')).default
const remarkRehype = (await loadESM('remark-rehype')).default
const rehypeRaw = (await loadESM('rehype-raw')).default
const rehypeStringify = (await loadESM('rehype-stringify')).default
const showdown = (await load('showdown')).default
const { parse } = await loadESM('parse5')

const it = new MarkdownIt({ html: true, linkify: true })
const reader = new commonmark.Parser()
const writer = new commonmark.HtmlRenderer()
const show = new showdown.Converter({ simplifiedAutoLink: true, tables: true, ghCodeBlocks: true })
const remark = unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true }).use(rehypeRaw).use(rehypeStringify)

const renderers = {
  'markdown-it': (t) => it.render(t),
  marked: (t) => marked.parse(t),
  commonmark: (t) => writer.render(reader.parse(t)),
  'micromark-gfm': (t) => micromark(t, { allowDangerousHtml: true, allowDangerousProtocol: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
  'remark-gfm': (t) => String(remark.processSync(t)),
  showdown: (t) => show.makeHtml(t),
}

const loading = new Set(['src', 'srcset', 'poster', 'background', 'data', 'code', 'codebase', 'archive', 'lowsrc', 'dynsrc', 'imagesrcset', 'manifest', 'classid', 'action', 'formaction', 'ping', 'srcdoc', 'xlink:href'])
const acting = new Set(['script', 'style', 'iframe', 'frame', 'object', 'embed', 'link', 'meta', 'base', 'svg', 'math', 'form', 'video', 'audio', 'picture', 'img', 'image', 'bgsound', 'applet'])

function inspect(html) {
  const found = { fetch: [], link: [] }
  const walk = (node) => {
    const attrs = Object.fromEntries((node.attrs ?? []).map((a) => [a.name, a.value]))
    const text = () => (node.childNodes ?? []).map((c) => c.value ?? '').join('')
    for (const [name, value] of Object.entries(attrs)) {
      if (loading.has(name) || (name === 'style' && /url|image|src|import|\\/i.test(value)) || name.startsWith('on')) {
        found.fetch.push(`${node.tagName} ${name}=${value}`)
      }
    }
    if (acting.has(node.tagName)) found.fetch.push(`${node.tagName} ${JSON.stringify(attrs)} ${text()}`)
    if ((node.tagName === 'a' || node.tagName === 'area') && attrs.href !== undefined) found.link.push(attrs.href)
    for (const child of node.childNodes ?? []) walk(child)
    if (node.content) walk(node.content)
  }
  walk(parse(html))
  return found
}

const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const out = []
for (const { id, text } of JSON.parse(Buffer.concat(chunks).toString('utf8'))) {
  for (const [renderer, render] of Object.entries(renderers)) {
    const found = inspect(render(text))
    if (found.fetch.length || found.link.length) out.push({ id, renderer, ...found })
  }
}
process.stdout.write(JSON.stringify(out))
