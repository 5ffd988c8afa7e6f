import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = (name: string): string => fileURLToPath(new URL(`../${name}.mjs`, import.meta.url))

const { countTests } = (await import(script('lib/runTests'))) as {
  countTests(json: string, code: number): { passed: number; failed: number; names: string[] }
}

const report = (files: { status: string; tests: string[] }[]): string =>
  JSON.stringify({
    testResults: files.map(({ status, tests }) => ({
      name: fileURLToPath(new URL('a.test.ts', import.meta.url)),
      status,
      assertionResults: tests.map((test) => ({ status: test, fullName: 'it works' })),
    })),
  })

test('counts passed tests', () => {
  const count = countTests(report([{ status: 'passed', tests: ['passed', 'passed'] }]), 0)
  expect(count).toEqual({ passed: 2, failed: 0, names: [] })
})

const named = 'scripts/test/a.test.ts: it works'
const whole = 'the run as a whole: see its log above'

test.each([
  ['a failed test', [{ status: 'failed', tests: ['passed', 'failed'] }], 1, 1, named],
  ['a skipped test', [{ status: 'passed', tests: ['passed', 'skipped'] }], 0, 1, `${named} (skipped)`],
  ['a test to be written', [{ status: 'passed', tests: ['passed', 'todo'] }], 0, 1, `${named} (todo)`],
  ['a file that broke', [{ status: 'failed', tests: [] }], 1, 0, 'scripts/test/a.test.ts: could not be loaded'],
  ['an error outside of tests', [{ status: 'passed', tests: ['passed'] }], 1, 1, whole],
  ['no tests at all', [], 0, 0, whole],
])('counts %s as failed, by its name', (_, files, code, passed, name) => {
  expect(countTests(report(files), code)).toEqual({ passed, failed: 1, names: [name] })
})

test('names the version of a Node that is too old', () => {
  const program = `import { checkNode } from ${JSON.stringify(script('lib/checkNode'))}; checkNode('20.18.3')`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toBe('Latchkey needs Node 20.19 or newer; this is 20.18.3. See https://nodejs.org.\n')
})

test('test:full lists its parts in a clone that has no packages yet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-scripts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(fileURLToPath(new URL('..', import.meta.url)), join(folder, 'scripts'), { recursive: true })
  const list = spawnSync(process.execPath, ['scripts/testFull.mjs', '--list'], { cwd: folder, encoding: 'utf8' })
  expect([list.stderr, list.status]).toEqual(['', 0])
  expect(list.stdout).toMatch(/^load +every flow/m)
})

test('ends child processes when npm is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-scripts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const lines = [
    `import { endWithNpm } from ${JSON.stringify(script('lib/endWithNpm'))}`,
    'endWithNpm({ everyMs: 50 })',
    'console.log("pid " + process.pid)',
    // Keeps the process running for at most a minute, so that it ends even if the test fails.
    'setTimeout(() => {}, 60_000)',
  ]
  writeFileSync(join(folder, 'run.mjs'), lines.join('\n'))
  writeFileSync(join(folder, 'package.json'), '{"scripts":{"start":"node run.mjs"}}')
  const npm = spawn('npm', ['start'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const pid = await new Promise<number>((resolve) => {
    let text = ''
    npm.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const found = /^pid (\d+)$/m.exec(text)
      if (found) resolve(Number(found[1]))
    })
  })
  // Waits, since the child must live as long as npm.
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(isAlive(pid)).toBe(true)
  npm.kill('SIGKILL')
  await expect.poll(() => isAlive(pid)).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a run with more than three retried tests fails, and names them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-retries-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const root = fileURLToPath(new URL('../..', import.meta.url))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const reporter = JSON.stringify(join(root, 'packages/testkit/src/run/retryReporter.ts'))
  const config = `import { RetryReporter } from ${reporter}
export default { test: { retry: 1, include: ['*.check.mjs'], reporters: [new RetryReporter()] } }`
  writeFileSync(join(folder, 'vitest.config.ts'), config)
  const run = (count: number) => {
    const tests = Array.from(
      { length: count },
      (_, at) => `let n${at} = 0; test('${at}', () => expect(++n${at}).toBe(2))`,
    )
    writeFileSync(join(folder, 'flaky.check.mjs'), ["import { expect, test } from 'vitest'", ...tests].join('\n'))
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
    })
    return { status, stdout }
  }
  expect(run(3)).toEqual({ status: 0, stdout: expect.stringContaining('Retried (3):\n  flaky.check.mjs > 0') })
  expect(run(4)).toEqual({ status: 1, stdout: expect.stringContaining('More than 3 tests had to be retried') })
})
