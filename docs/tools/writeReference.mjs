import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listPublicNames } from '../../scripts/lib/publicNames.mjs'
import { root } from '../../scripts/lib/run.mjs'
import { readCodes } from './readCodes.mjs'

const folder = join(root, 'docs/reference')
const headings = { function: 'Functions', class: 'Classes', value: 'Values', error: 'Errors', type: 'Types' }
const kinds = Object.keys(headings)
/** Kinds that get a page each; the others share one page per kind. */
const hasPage = ({ kind }) => kind === 'function' || kind === 'class'

/** Writes docs/reference from the docstrings: a page a function, one a kind for what else an entry exports. Their list is sidebar.json. */
export function writeReference() {
  rmSync(folder, { recursive: true, force: true })
  const names = listPublicNames()
  const codes = new Set(readCodes().map(({ code }) => code))
  const context = { codes, pages: new Map(names.map((each) => [each.name, toPath(each)])) }
  const entries = [...new Set(names.map(({ entry }) => entry))].toSorted()
  const all = {
    text: 'Entries',
    items: entries.map((entry) => ({ text: entry, link: `/reference/${toSlug(entry)}/` })),
  }
  // A list an entry, so that a page holds only the names beside its own.
  const sidebar = { '/reference/': [all] }
  for (const entry of entries) {
    const items = writeEntry(
      entry,
      names.filter((each) => each.entry === entry),
      context,
    )
    sidebar[`/reference/${toSlug(entry)}/`] = [{ text: entry, link: `/reference/${toSlug(entry)}/`, items }, all]
  }
  write('index', [
    '# Reference',
    '',
    'Every name that the packages export, from their docstrings.',
    ...entries.map(listEntry(names)),
  ])
  writeFileSync(join(folder, 'sidebar.json'), JSON.stringify(sidebar))
}

const toSlug = (entry) => entry.replace('/', '-')
const toPath = (each) =>
  hasPage(each)
    ? `/reference/${toSlug(each.entry)}/${each.name}`
    : `/reference/${toSlug(each.entry)}/${headings[each.kind].toLowerCase()}#${each.name.toLowerCase()}`

const listEntry = (names) => (entry) => {
  const count = names.filter((each) => each.entry === entry).length
  return `- [\`${entry}\`](/reference/${toSlug(entry)}/): ${count} names`
}

function writeEntry(entry, names, context) {
  const slug = toSlug(entry)
  const groups = kinds
    .map((kind) => [kind, names.filter((each) => each.kind === kind)])
    .filter(([, list]) => list.length > 0)
  const lines = [`# ${entry}`, '', '```ts', `import { … } from '${entry}'`, '```']
  const items = []
  for (const [kind, list] of groups) {
    lines.push('', `## ${headings[kind]}`, '', '| name | |', '|---|---|')
    for (const each of list)
      lines.push(`| [\`${each.name}\`](${toPath(each)}) | ${cell(firstSentence(each.docstring.text))} |`)
    if (kind === 'function' || kind === 'class') {
      for (const each of list) write(`${slug}/${each.name}`, renderPage(each, context))
      items.push(...list.map((each) => ({ text: each.name, link: toPath(each) })))
    } else {
      write(`${slug}/${headings[kind].toLowerCase()}`, [
        `# ${headings[kind]} of ${entry}`,
        ...list.flatMap((each) => renderSection(each, context)),
      ])
      items.push({ text: headings[kind], link: `/reference/${slug}/${headings[kind].toLowerCase()}` })
    }
  }
  write(`${slug}/index`, lines)
  return items
}

function renderPage(each, context) {
  const { name, entry, docstring, types } = each
  const tags = (wanted) => docstring.tags.filter((tag) => tag.name === wanted).map(({ content }) => content)
  const lines = [
    `# ${name}`,
    '',
    ...prose(docstring.text),
    '',
    ...code(`import { ${name} } from '${entry}'`),
    ...tags('deprecated').map((text) => `\n::: warning Deprecated\n${escapeProse(text)}\n:::`),
  ]
  for (const example of tags('example')) lines.push('', '## Example', '', ...prose(example))
  lines.push('', '## Signature', '', ...code(each.code))
  if (types) lines.push('', '## Its types', '', ...code(types))
  const thrown = tags('throws')
  if (thrown.length > 0)
    lines.push('', '## Errors', '', ...thrown.map((text) => `- ${linkCodes(escapeProse(text), context.codes)}`))
  lines.push(...listOthers(`${each.code}\n${types}`, each, context))
  return lines
}

function renderSection(each, context) {
  const { name, docstring, code: text, types } = each
  const lines = [
    '',
    `## ${name}`,
    '',
    ...prose(docstring.text),
    '',
    ...code([text, types].filter(Boolean).join('\n\n')),
  ]
  const example = docstring.tags.find((tag) => tag.name === 'example')
  if (example) lines.push('', ...prose(example.content))
  return [...lines, ...listOthers(text, each, context)]
}

/** Links to the exported names that a declaration mentions. */
function listOthers(text, { name }, { pages }) {
  const mentioned = new Set(text.match(/\b[A-Za-z]\w+\b/g))
  const links = [...pages].filter(([other]) => other !== name && mentioned.has(other) && /^[A-Z]|^use/.test(other))
  if (links.length === 0) return []
  return ['', `See ${links.map(([other, path]) => `[\`${other}\`](${path})`).join(', ')}.`]
}

const linkCodes = (text, codes) =>
  text.replace(/`([A-Z][A-Z_]+)`/g, (all, code) =>
    codes.has(code) ? `[${all}](/errors#${code.toLowerCase().replaceAll('_', '-')})` : all,
  )

const code = (text) => ['```ts', text.trim(), '```']
const firstSentence = (text) => /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
const cell = (text) => escapeProse(text.replaceAll('\n', ' ')).replaceAll('|', '\\|')

/** Docstrings as Markdown: what would be an element or an expression of the page is text. Code stays as it is. */
const prose = (text) =>
  text.split(/(```[\s\S]*?```)/).map((part) => (part.startsWith('```') ? part : escapeProse(part)))

function escapeProse(text) {
  return text
    .replace(/\{@link (\w+)[^}]*\}/g, '`$1`')
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('')
}

function write(path, lines) {
  const file = join(folder, `${path}.md`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `---\neditLink: false\n---\n\n${lines.join('\n')}\n`)
}
