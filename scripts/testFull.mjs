import { parseArgs } from 'node:util'
import { checkNode } from './lib/checkNode.mjs'

const usage = `Usage: npm run test:full [-- [--list] [--part NAME ...]]

Runs the tests that npm test leaves out, part by part. --list prints the parts. --part runs only these.`

checkNode()
const { values } = readArguments()
const { joinParts, parts, runPart } = await import('./lib/parts.mjs')
const { secondsSince } = await import('./lib/checks.mjs')

const widthOf = (list) => Math.max(...list.map(({ name }) => name.length))
if (values.list) {
  for (const { name, what } of parts) console.log(`${name.padEnd(widthOf(parts))}  ${what}`)
  process.exit(0)
}
const wanted = values.part ?? parts.filter(({ isExtra }) => !isExtra).map(({ name }) => name)
const unknown = wanted.filter((name) => !parts.some((part) => part.name === name))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. The parts: ${parts.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

const began = performance.now()
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.log)
const chosen = parts.filter(({ name }) => wanted.includes(name))
const { ensureProgram } = await import('./lib/ensureProgram.mjs')
const { installInBackground } = await import('./lib/installForTests.mjs')
let ensuring = Promise.resolve()
let installed
const results = []
const isChosen = (wantedName) => chosen.some(({ name }) => name === wantedName)
const isHeld = ({ beside }) => isChosen(beside)
// A failed part does not stop the following ones.
for (const part of chosen.filter((each) => !isHeld(each) && !isChosen(each.joins))) {
  // Installs nothing during the checks, since compiler and linter would read packages that are only partly installed.
  if (part.name !== 'check')
    installed ??= installInBackground(
      chosen.flatMap(({ installs = [] }) => installs),
      console.log,
    )
  const joined = joinParts([part, ...chosen.filter(({ joins }) => joins === part.name)])
  await Promise.all([joined, ...chosen.filter(({ beside }) => beside === part.name)].map(measurePart))
}

const failures = results.filter(({ failed }) => failed > 0)
for (const { names } of failures) for (const name of names) console.log(`  failed: ${name}`)
console.log('\nParts:')
for (const { name, time, passed, failed } of results)
  console.log(
    `  ${failed === 0 ? '✓' : '✗'} ${name.padEnd(widthOf(results))}  ${time.padStart(8)}  ${passed} passed, ${failed} failed`,
  )
for (const { name } of failures)
  console.log(`Run the failed part alone: npm run test:full -- --part ${name.replaceAll(' + ', ' --part ')}`)
console.log(`All of it took ${secondsSince(began)}.`)
console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
process.exitCode = failures.length === 0 ? 0 : 1

async function measurePart(part) {
  const partBegan = performance.now()
  console.log(`\n== ${part.name}: ${part.what}`)
  const count = await tryPart(part)
  results.push({ name: part.name, time: secondsSince(partBegan), ...count })
}

/** Installs for one part at a time, since Debian's installer holds a lock. */
async function ensurePrograms(programs) {
  const before = ensuring
  ensuring = (async () => {
    await before.catch(() => undefined)
    for (const program of programs) await ensureProgram(program, console.log)
  })()
  await ensuring
}

async function tryPart(part) {
  try {
    await installed?.(part.installs)
    await ensurePrograms(part.programs ?? [])
    return await runPart(part, { isHeld: isHeld(part) })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { passed: 0, failed: 1, names: [`${part.name}: could not be run`] }
  }
}

function sum(what) {
  return results.reduce((total, count) => total + count[what], 0)
}

function readArguments() {
  try {
    return parseArgs({ options: { list: { type: 'boolean' }, part: { type: 'string', multiple: true } } })
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`)
    process.exit(2)
  }
}
