import { checkNode } from './lib/checkNode.mjs'

checkNode()
const began = performance.now()
// Beside our own packages: much of an installation waits for the registry and the disk.
const { beginPublishedClients } = await import('./lib/ensurePublishedClients.mjs')
const ensureClients = beginPublishedClients(console.log)
const { ensureInstalled } = await import('./lib/ensureInstalled.mjs')
await ensureInstalled(console.log)

const { build } = await import('./lib/build.mjs')
const { runChecks, secondsSince } = await import('./lib/checks.mjs')
const { ensureChromium, ensureHeadlessShell } = await import('./lib/ensureChromium.mjs')
const { ensureFirefox } = await import('./lib/ensureFirefox.mjs')
const { runNode } = await import('./lib/run.mjs')
const { runTests } = await import('./lib/runTests.mjs')
const total = { passed: 0, failed: 0, names: [] }
const add = (count) => {
  total.passed += count.passed
  total.failed += count.failed
  total.names.push(...count.names)
}
const addTests = async (project) => {
  const partBegan = performance.now()
  const count = await runTests(project)
  add(count)
  console.log(`${count.failed === 0 ? '✓' : '✗'} ${project} tests (${secondsSince(partBegan)})`)
}
const attempt = async (work) => {
  try {
    await work()
    return { code: 0 }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return { code: 1 }
  }
}

/** What is compiled, downloaded and unpacked, beside the checks; some of it has begun. */
async function prepareTests() {
  const compile = () => runNode(['packages/contracts/build.mjs'], { quiet: true })
  const contracts = runChecks([{ name: 'contracts', run: compile }])
  const chromium = async () => {
    await ensureChromium(console.log)
    await ensureHeadlessShell(console.log)
  }
  const browsers = runChecks([
    { name: 'Chromium', run: () => attempt(chromium) },
    { name: 'Firefox', run: () => attempt(() => ensureFirefox(console.log)) },
  ])
  const clients = runChecks([{ name: 'published clients', run: () => attempt(ensureClients) }])
  return Promise.all([contracts, browsers, clients])
}

// Nothing is left out after a failure: every part that can still say something does.
add(await runChecks([{ name: 'build and types', run: async () => ({ code: (await build(console.log)).length }) }]))
const preparing = prepareTests()
add(await runChecks())
for (const count of await preparing) add(count)
await addTests('unit')
await addTests('e2e')
// Two minutes of every flow on two copies of each role.
await addTests('load')
if (total.names.length > 0) console.log(`Failed:\n${total.names.map((name) => `  ${name}`).join('\n')}`)
console.log(`All parts took ${secondsSince(began)}.`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 ? 0 : 1
