import { isHook, listBehind, readThrows } from './readCallErrors.mjs'

// Renders the documentation of an exported name as Markdown lines.

const maxCellLength = 100

/** `context`: `{ codes, names, pages, readMentioned, readMembers }`. */
export function renderPage(each, context) {
  const { name, entry, docstring, types } = each
  const tags = (wanted) => docstring.tags.filter((tag) => tag.name === wanted).map(({ content }) => content)
  const mentioned = context.readMentioned(each)
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
  const [parameters, options, result] = ['Parameters', 'Options', 'ReturnType'].map((type) =>
    context.readMembers(each, type),
  )
  lines.push(...renderOptions(parameters, 'Parameters', context))
  lines.push(...renderOptions(options, 'Options', context))
  lines.push(...renderResult(result, context))
  lines.push(...renderErrors(each, context))
  if (types) {
    const own = mentioned.filter(({ isPrivate }) => isPrivate).map((type) => type.code)
    // Removes comments that the tables above already contain.
    const shown = parameters || options || result ? types.replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '') : types
    lines.push('', '## Its types', '', ...code([shown, ...own].join('\n\n')))
  }
  return [...lines, ...listLinks(each, mentioned, [parameters, options, result], context)]
}

export function renderSection(each, context) {
  const { name, docstring, code: text, types } = each
  const mentioned = context.readMentioned(each)
  const own = mentioned.filter(({ isPrivate }) => isPrivate).map((type) => type.code)
  const lines = [
    '',
    `## ${name}`,
    '',
    ...prose(docstring.text),
    '',
    ...code([text, types, ...own].filter(Boolean).join('\n\n')),
  ]
  const example = docstring.tags.find((tag) => tag.name === 'example')
  if (example) lines.push('', ...prose(example.content))
  // Lists the members of a derived type, because its declaration does not show them.
  const isMade = /&|\b(?:Omit|Pick|Partial|Required)</.test(text) && each.code.startsWith('type ')
  const members = isMade ? context.readMembers(each) : undefined
  if (members) lines.push('', ...table(members, context), ...listOthers(members))
  return [...lines, ...listLinks(each, mentioned, [members], context)]
}

/** Renders a table of all options, and a section with default and example for each option. */
function renderOptions(members, title, context) {
  if (!members) return []
  const lines = ['', `## ${title}`, '', '| name | type | default |', '|---|---|---|']
  for (const { name, type, isRequired, tags } of members.own) {
    const preset = readDefault(tags)
    const without = isRequired ? 'required' : preset ? inline(preset, context) : ''
    const shown = type.length > maxCellLength ? `[see below](#${toAnchor(name)})` : typeCell(type)
    lines.push(`| [\`${name}\`](#${toAnchor(name)}) | ${shown} | ${without} |`)
  }
  lines.push(...listOthers(members))
  return [...lines, ...members.own.flatMap((member) => renderOption(member, context))]
}

function renderOption({ name, type, isRequired, text, tags }, context) {
  const lines = ['', `### ${name} {#${toAnchor(name)}}`, '', typeCode(`${name}${isRequired ? '' : '?'}: ${type}`)]
  if (text) lines.push('', ...prose(text))
  const preset = readDefault(tags)
  if (preset) lines.push('', `Default: ${inline(preset, context)}.`)
  for (const { text } of tags.filter((tag) => tag.name === 'example')) lines.push('', ...prose(text))
  return lines
}

function renderResult(members, context) {
  return members ? ['', '## Returns', '', ...table(members, context), ...listOthers(members)] : []
}

function table({ own }, context) {
  const lines = ['| name | type | description |', '|---|---|---|']
  for (const { name, type, isRequired, text, tags } of own) {
    const preset = readDefault(tags)
    const said = [text, preset && `Default: ${preset}.`].filter(Boolean).join(' ')
    lines.push(`| \`${name}${isRequired ? '' : '?'}\` | ${typeCell(type)} | ${inline(said, context)} |`)
  }
  return lines
}

function listOthers({ others }) {
  const owners = [...new Set(others.map(({ owner }) => owner))]
  return owners.flatMap((owner) => {
    const names = others.filter((other) => other.owner === owner).map(({ name }) => `\`${name}\``)
    return ['', `Also those of \`${owner}\`: ${names.join(', ')}.`]
  })
}

/** Lists the errors that a function throws. For a hook, also lists those of the functions that it calls. */
function renderErrors(each, context) {
  const thrown = readThrows(each).map((text) => `- ${inline(text, context)}`)
  const behind = isHook(each) ? listBehind(each, context.names) : []
  const lines = thrown.length > 0 || behind.length > 0 ? ['', '## Errors', ''] : []
  if (behind.length === 0) return [...lines, ...thrown]
  if (thrown.length > 0) lines.push('The hook itself throws:', '', ...thrown, '')
  lines.push('A failed call sets `error` to what the functions behind it throw:', '')
  for (const used of behind) {
    const texts = readThrows(used).map((text) => inline(text, context))
    lines.push(`- [\`${used.name}\`](${context.pages.get(used.name)}): ${texts.join(' ')}`)
  }
  return lines
}

function listLinks(each, mentioned, tables, { pages }) {
  const types = tables.flatMap((members) => members?.own ?? []).map(({ type }) => type)
  const names = new Set([
    ...mentioned.filter(({ isPrivate }) => !isPrivate).map(({ name }) => name),
    ...types.flatMap((type) => type.match(/\b[A-Z]\w+/g) ?? []),
  ])
  names.delete(each.name)
  const links = [...names].filter((name) => pages.has(name)).map((name) => `[\`${name}\`](${pages.get(name)})`)
  return links.length === 0 ? [] : ['', `See ${links.join(', ')}.`]
}

/** Returns a member's default. Numbers, booleans and quoted text are formatted as code. */
function readDefault(tags) {
  const text = tags.find((tag) => tag.name === 'default')?.text
  return text && /^(?:[\d_.]+n?|true|false|'[^']*'|\{.*\})$/.test(text) ? `\`${text}\`` : text
}

const toAnchor = (name) => `option-${name.toLowerCase()}`
const typeCode = (type) => (type.includes('`') ? `\`\` ${type} \`\`` : `\`${type}\``).replace(/\s*\n\s*/g, ' ')
const typeCell = (type) => typeCode(type).replaceAll('|', '\\|')

/** Renders inline text with links for error codes and functions. */
const inline = (text, { codes, pages }) =>
  cell(text).replace(/`(\w+)`/g, (all, word) => {
    if (codes.has(word)) return `[${all}](/errors#${word.toLowerCase().replaceAll('_', '-')})`
    const isFunction = /^[a-z]+[A-Z]/.test(word) && pages.get(word)?.endsWith(`/${word}`)
    return isFunction ? `[${all}](${pages.get(word)})` : all
  })

export const code = (text) => ['```ts', text.trim(), '```']
export const cell = (text) => escapeProse(text.replace(/\s*\n\s*/g, ' ')).replaceAll('|', '\\|')

/**
 * Converts a docstring to Markdown. Escapes characters that VitePress would interpret as HTML or Vue, except in code.
 */
const prose = (text) =>
  text.split(/(```[\s\S]*?```)/).map((part) => (part.startsWith('```') ? part : escapeProse(part)))

function escapeProse(text) {
  return text
    .replace(/\{@link (\w+)[^}]*\}/g, '`$1`')
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')))
    .join('')
}
