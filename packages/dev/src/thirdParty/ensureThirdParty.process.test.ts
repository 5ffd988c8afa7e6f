import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { downloadThirdParty } from './downloadThirdParty.ts'
import { ensureThirdParty } from './ensureThirdParty.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-third-party-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const source = fileURLToPath(new URL('../../third-party', import.meta.url))

test('provides a bundler of one file and the contracts, once for several starts at the same time', async () => {
  const cacheDir = join(folder, 'cache')
  const ensure = () => ensureThirdParty({ cacheDir })
  const [first, ...others] = await Promise.all([ensure(), ensure(), ensure()])
  expect(others).toEqual([first, first])
  expect(readdirSync(cacheDir)).toEqual([`third-party-${first.fingerprint}`])
  expect(readdirSync(first.contracts).sort()).toEqual(
    [
      ...['EntryPoint', 'SimpleAccountFactory', 'VerifyingPaymaster'].flatMap((name) => [
        `${name}-v06.json`,
        `${name}-v07.json`,
      ]),
      'EntryPoint-v08.json',
      'Simple7702Account-v08.json',
      '0x433709009B8330FDa32311DF1C2AFA402eD8D009.bytecode',
      '0x0A630a99Df908A81115A3022927Be82f9299987e.bytecode',
      'bundler.mjs',
    ].sort(),
  )
  const { mtimeMs } = statSync(first.bundler)
  expect(await ensure()).toEqual(first)
  expect(statSync(first.bundler).mtimeMs).toBe(mtimeMs)
  const help = execFileSync(process.execPath, [first.bundler, '--help'], { encoding: 'utf8', cwd: '/' })
  expect(help).toContain('--entrypoints')
})

test('downloads the locked packages into the given folder and says so', async () => {
  const target = join(folder, 'target')
  mkdirSync(target)
  const lines: string[] = []
  await downloadThirdParty({ source, folder: target, log: (line) => void lines.push(line) })
  expect(lines).toEqual(['Downloading the bundler and the EntryPoint contracts (GPL-3.0) from npm, once …'])
  expect(readdirSync(join(target, 'node_modules/@pimlico/alto/esm/cli'))).toContain('alto.js')
})

test("names the fix when the project's registry is not reachable", async () => {
  const [project, target] = [join(folder, 'project'), join(folder, 'unreachable')]
  for (const path of [project, target]) mkdirSync(path)
  writeFileSync(join(project, '.npmrc'), 'registry=http://127.0.0.1:1/\nfetch-retries=0\nprefer-online=true\n')
  const before = process.cwd()
  process.chdir(project)
  try {
    await expect(downloadThirdParty({ source, folder: target })).rejects.toMatchObject({
      code: 'CHILD_MISSING',
      message: expect.stringMatching(/ECONNREFUSED[\s\S]*\nConnect this machine .* run `latchkey-dev install`/),
    })
  } finally {
    process.chdir(before)
  }
})
