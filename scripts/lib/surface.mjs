import { listPublicNames } from './publicNames.mjs'
import { programPath, run } from './run.mjs'

/**
 * Returns the packages' exports, `{ names: { [entry/name]: declaration }, sizes: { [budget]: bytes } }`. Requires a
 * build.
 */
export async function readSurface() {
  const names = listPublicNames().map(({ entry, name, code, types }) => [
    `${entry}: ${name}`,
    `${code}\n${types}`.trim(),
  ])
  const { code, output } = await run(process.execPath, [programPath('size-limit'), '--json'], { capture: true })
  if (code > 1) throw new Error(`size-limit failed: ${output.slice(-2000)}`)
  const list = JSON.parse(output.slice(output.indexOf('[\n'), output.lastIndexOf(']') + 1))
  return { names: Object.fromEntries(names), sizes: Object.fromEntries(list.map(({ name, size }) => [name, size])) }
}

/** Returns the differences of two surfaces as Markdown. */
export function compareSurfaces(before, after) {
  const names = Object.keys({ ...before.names, ...after.names }).toSorted()
  const changed = names.filter((name) => before.names[name] !== after.names[name])
  const gone = changed.filter((name) => !(name in after.names))
  const added = changed.filter((name) => !(name in before.names))
  const other = changed.filter((name) => name in before.names && name in after.names)
  const list = (title, those) =>
    those.length > 0 ? [`**${title}**`, '', ...those.map((name) => `- \`${name}\``), ''] : []
  return [
    '## Public API',
    '',
    ...(changed.length === 0 ? ['No change.', ''] : []),
    ...list('Removed: breaks apps', gone),
    ...list('Changed', other),
    ...other.flatMap((name) => ['```diff', ...toDiff(before.names[name], after.names[name]), '```', '']),
    ...list('Added', added),
    '## Sizes',
    '',
    ...compareSizes(before.sizes, after.sizes),
  ].join('\n')
}

function compareSizes(before, after) {
  const rows = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name])
  if (rows.length === 0) return ['No change.']
  const text = (size) => (size === undefined ? 'none' : `${size} B`)
  const change = (from, to) => (from === undefined || to === undefined ? '' : `${to > from ? '+' : ''}${to - from} B`)
  return [
    '| | before | after | |',
    '|---|---|---|---|',
    ...rows.map(
      (name) => `| ${name} | ${text(before[name])} | ${text(after[name])} | ${change(before[name], after[name])} |`,
    ),
  ]
}

/** Lists only changed lines. Declarations are short, so order needs no context. */
function toDiff(before, after) {
  const [old, now] = [before.split('\n'), after.split('\n')]
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ]
}
