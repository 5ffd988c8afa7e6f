import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listNamedTypes, readMentioned } from '../../scripts/lib/namedTypes.mjs'
import { listPublicNames } from '../../scripts/lib/publicNames.mjs'
import { root } from '../../scripts/lib/run.mjs'
import { isHook } from './readCallErrors.mjs'
import { readCodes } from './readCodes.mjs'
import { openChecker } from './readMembers.mjs'
import { cell, code, renderPage, renderSection } from './renderNames.mjs'
import { renderSettings } from './renderSettings.mjs'

export { readMentioned }

const folder = join(root, 'docs/reference')
const headings = {
  function: 'Functions',
  class: 'Classes',
  value: 'Values',
  error: 'Errors',
  type: 'Types',
  named: 'Other types',
}
const kinds = Object.keys(headings)
/** Checks for a kind of export with one page per name. Names of other kinds share a page. */
const hasPage = ({ kind }) => kind === 'function' || kind === 'class'

/**
 * Writes docs/reference from docstrings and types: one page per function, one page for each other kind of export, and
 * one for types that these mention but that are not exported. Writes the list of pages to sidebar.json.
 */
export function writeReference() {
  rmSync(folder, { recursive: true, force: true })
  const names = listDocumented()
  const checker = openChecker([...new Set(names.map(({ path }) => path))])
  const context = {
    codes: new Set(readCodes().map(({ code }) => code)),
    names,
    pages: listPages(names),
    readMentioned,
    readMembers: checker.readMembers,
  }
  const entries = [...new Set(names.map(({ entry }) => entry))].toSorted()
  const all = {
    text: 'Entries',
    items: [
      ...entries.map((entry) => ({ text: entry, link: `/reference/${toSlug(entry)}/` })),
      { text: 'Environment variables', link: '/reference/settings' },
    ],
  }
  // One list per entry, so that a page's sidebar contains only the names of the same entry.
  const sidebar = { '/reference/': [all] }
  for (const entry of entries) {
    const items = writeEntry(
      entry,
      names.filter((each) => each.entry === entry),
      context,
    )
    sidebar[`/reference/${toSlug(entry)}/`] = [{ text: entry, link: `/reference/${toSlug(entry)}/`, items }, all]
  }
  checker.close()
  write('index', [
    '# API reference',
    '',
    'Every name that the packages export, from their docstrings.',
    '',
    ...entries.map(listEntry(names)),
    '- [Environment variables](/reference/settings) of `latchkey-server`',
  ])
  write('settings', renderSettings(), 'environment variables, settings, env, configuration')
  writeFileSync(join(folder, 'sidebar.json'), JSON.stringify(sidebar))
}

/** Lists all names with a page or a section: public names, and the types that they mention. */
export function listDocumented() {
  const names = listPublicNames()
  const named = listNamedTypes(names).filter(({ isPrivate }) => !isPrivate)
  return [...names, ...named.map((each) => ({ ...each, kind: 'named' }))]
}

/**
 * Returns the URL of each name. An exported name takes precedence over a mentioned one, and an earlier entry over a
 * later one.
 */
export function listPages(names) {
  return new Map(names.toReversed().map((each) => [each.name, toPath(each)]))
}

/** Returns the folder of an entry. `latchkey/server` gets another name, because `latchkey-server` is a package. */
const toSlug = (entry) => (entry === 'latchkey/server' ? 'latchkey-app-server' : entry.replace('/', '-'))
const toFile = (kind) => headings[kind].toLowerCase().replace(' ', '-')
const toPath = (each) =>
  hasPage(each)
    ? `/reference/${toSlug(each.entry)}/${each.name}`
    : `/reference/${toSlug(each.entry)}/${toFile(each.kind)}#${each.name.toLowerCase()}`

const listEntry = (names) => (entry) => {
  const count = names.filter((each) => each.entry === entry && each.kind !== 'named').length
  return `- [\`${entry}\`](/reference/${toSlug(entry)}/): ${count} names`
}

function writeEntry(entry, names, context) {
  const slug = toSlug(entry)
  const groups = kinds
    .map((kind) => [kind, names.filter((each) => each.kind === kind)])
    .filter(([, list]) => list.length > 0)
  const lines = [`# ${entry}`, '', ...code(`import { … } from '${entry}'`)]
  const items = []
  for (const [kind, list] of groups) {
    lines.push('', `## ${headings[kind]}`, '', '| name | description |', '|---|---|')
    for (const each of list)
      lines.push(`| [\`${each.name}\`](${toPath(each)}) | ${cell(firstSentence(each.docstring.text))} |`)
    if (list.every(hasPage)) {
      for (const each of list) write(`${slug}/${each.name}`, renderPage(each, context), listWords(each))
      items.push(...list.map((each) => ({ text: breakWords(each.name), link: toPath(each) })))
    } else {
      write(`${slug}/${toFile(kind)}`, [
        `# ${headings[kind]} of ${entry}`,
        ...(kind === 'named' ? ['', 'The declarations of this entry mention these types. They have no export.'] : []),
        ...list.flatMap((each) => renderSection(each, context)),
      ])
      items.push({ text: headings[kind], link: `/reference/${slug}/${toFile(kind)}` })
    }
  }
  write(`${slug}/index`, lines)
  return items
}

/** Adds positions at which a long name may break in the sidebar. */
const breakWords = (name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '<wbr>')

/** Returns the words of a hook's name for the search, such as "add passkey" for `useAddPasskey`. */
const listWords = (each) =>
  isHook(each)
    ? each.name
        .replace(/^use/, '')
        .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
        .toLowerCase()
    : undefined

const firstSentence = (text) => /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text

function write(path, lines, keywords) {
  const file = join(folder, `${path}.md`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(
    file,
    `---\neditLink: false\npageClass: reference\n${keywords ? `keywords: ${keywords}\n` : ''}---\n\n${lines.join('\n')}\n`,
  )
}
