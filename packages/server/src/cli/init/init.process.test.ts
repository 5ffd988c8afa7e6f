import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

/** The installed program, run in a terminal that `script` creates. */
const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'latchkey-init-terminal-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function typeInto(words: string, input: string) {
  const command = `"${process.execPath}" "${program}" init ${words}`
  return spawnSync('script', ['-qec', command, '/dev/null'], { cwd: folder, input, encoding: 'utf8', timeout: 60_000 })
}

test('asks for what no option gives, and again after an answer that cannot be used', () => {
  const { status, stdout } = typeInto(
    '--smtp smtp://localhost --out typed',
    'nowhere\nshop.example\n\n1\n1,https://n.example,https://b.example\n\n',
  )
  expect([status, stdout]).toEqual([0, expect.stringContaining('typed/NEXT.md')])
  for (const text of ['domain: ', '--domain must be', 'database: ', '[local]', '--chain must be', 'keys: ', '[secret]'])
    expect(stdout).toContain(text)
  expect(stdout).not.toContain('smtp: ')
  expect(readFileSync(join(folder, 'typed/env/common.env'), 'utf8')).toContain('https://custody.shop.example')
})

test.each([
  ['the end of the input', '\x04'],
  ['Ctrl-C', '\x03'],
])('writes nothing after %s', async (_, key) => {
  const command = `"${process.execPath}" "${program}" init --out stopped`
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: folder, timeout: 60_000 })
  let printed = ''
  let isPressed = false
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
    // Before the program's first question, the terminal itself would handle the key.
    if (isPressed || !printed.includes('> ')) return
    isPressed = true
    child.stdin.write(key)
  })
  expect(await once(child, 'close')).toEqual([1, null])
  expect(printed).toContain('Stopped. Nothing was written.')
  expect(existsSync(join(folder, 'stopped'))).toBe(false)
})

test('asks nothing without a terminal or with --json', () => {
  const call = { cwd: folder, encoding: 'utf8', timeout: 60_000 } as const
  const piped = spawnSync(process.execPath, [program, 'init', '--out', 'piped'], { ...call, input: 'shop.example\n' })
  expect(piped).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('Give --domain') })
  const json = typeInto('--json --out piped', '')
  expect([json.status, JSON.parse(json.stdout)]).toMatchObject([2, { ok: false, error: { code: 'ARGUMENT_INVALID' } }])
  expect(readdirSync(folder)).not.toContain('piped')
})
