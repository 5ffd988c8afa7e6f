import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setChain } from '@latchkey/testkit/accounts/setChain'
import { predictLightAccountAddress } from 'latchkey/accounts'
import { defineLatchkeyDevChain, getLightAccountContracts } from 'latchkey/chains'
import { afterEach, expect, test } from 'vitest'

const stage = setChain()
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const ownerA = '0x1111111111111111111111111111111111111111'
const ownerB = '0x2222222222222222222222222222222222222222'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  folders.push(folder)
  const path = join(folder, 'owners.txt')
  writeFileSync(path, text)
  return path
}

function parity(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, 'parity', ...args], { maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    )
  })
}

/** Runs the command and returns the rows. Expects that all addresses match the chain. */
async function readRows(owners: string) {
  const { code, stdout, stderr } = await parity('--owners', owners, '--rpc-url', stage.nodeUrl, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('prints seven addresses for an owner and a count', async () => {
  const { code, stdout, stderr } = await parity('--owners', file(`# people\n\n${ownerA}\n`))
  expect(code).toBe(0)
  const rows = stdout.trim().split('\n')
  expect(rows.map((row) => row.split('\t').slice(1, 3).join(' '))).toEqual([
    'LightAccount v1.0.1',
    'LightAccount v1.0.2',
    'LightAccount v1.1.0',
    'LightAccount v2.0.0',
    'MultiOwnerLightAccount v2.0.0',
    'MultiOwnerModularAccount v1.0.0',
    'ModularAccountV2 v2.0.0',
  ])
  expect(rows[3]).toContain(predictLightAccountAddress({ owner: ownerA, version: 'v2.0.0' }))
  expect(stderr).toContain('1 lines, 0 of them wrong; 7 addresses, 0 compared with the chain, 0 differ.')
})

test('matches the addresses of the factories on a chain', async () => {
  const owners = file(`${ownerA}\n${ownerB}, ${ownerA} # two owners\n`)
  const rows = await readRows(owners)
  expect(rows.pop()).toEqual({ counts: { lines: 2, wrongLines: 0, addresses: 14, checked: 14, different: 0 } })
  for (const row of rows) expect(row.onChain).toBe(row.address)
  expect(rows[7].owners).toEqual([ownerB, ownerA])
})

test('computes other addresses for other salts, except for versions that ignore salts', async () => {
  const owners = file(`${ownerA}\n${ownerA} salt=5\n${ownerA},${ownerB} salt=0x${'f'.repeat(64)}`)
  const rows = await readRows(owners)
  expect(rows.pop()).toEqual({ counts: { lines: 3, wrongLines: 0, addresses: 21, checked: 21, different: 0 } })
  const [plain, salted] = [rows.slice(0, 7), rows.slice(7, 14)]
  expect(salted.map(({ salt }) => salt)).toEqual(Array(7).fill('5'))
  const isSame = plain.map(({ address }, index) => address === salted[index].address)
  expect(isSame).toEqual([true, true, false, false, false, false, false])
  const wrong = await parity('--owners', file(`${ownerA} salt=-1\n${ownerA} salt=0x1${'0'.repeat(64)}\nsalt=1`))
  expect(wrong.stderr).toContain('Line 1: salt=-1 is not a whole number below 2^256.')
  expect(wrong.stderr).toContain('Line 2: salt=0x1')
  expect(wrong.stderr).toContain('Line 3: "" is not an address.')
})

test('names a factory that the chain lacks and still computes its addresses', async () => {
  const chain = defineLatchkeyDevChain({ id: stage.chainId, nodeUrl: stage.nodeUrl })
  const factory = getLightAccountContracts({ version: 'v2.0.0', chain })?.factory ?? ownerA
  const before = await stage.reader.getCode({ address: factory })
  await stage.tester.setCode({ address: factory, bytecode: '0x' })
  try {
    const { code, stdout, stderr } = await parity('--owners', file(ownerA), '--rpc-url', stage.nodeUrl)
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 7])
    expect(stderr).toContain('This chain has no factory of LightAccount v2.0.0: not compared.')
    expect(stderr).toContain('7 addresses, 6 compared with the chain, 0 differ.')
  } finally {
    await stage.tester.setCode({ address: factory, bytecode: before ?? '0x' })
  }
})

test('names both addresses that differ and exits with 1', async () => {
  const chain = defineLatchkeyDevChain({ id: stage.chainId, nodeUrl: stage.nodeUrl })
  const offline = predictLightAccountAddress({ owner: ownerA, version: 'v1.1.0', chain })
  const factory = getLightAccountContracts({ version: 'v1.1.0', chain })?.factory ?? ownerA
  const other = predictLightAccountAddress({ owner: ownerA, version: 'v2.0.0', chain })
  // Factory that returns the same address for every owner: PUSH20 other, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN.
  const before = await stage.reader.getCode({ address: factory })
  await stage.tester.setCode({ address: factory, bytecode: `0x73${other.slice(2)}60005260206000f3` })
  try {
    const { code, stderr } = await parity('--owners', file(ownerA), '--rpc-url', stage.nodeUrl)
    expect(code).toBe(1)
    expect(stderr).toContain(
      `Line 1: LightAccount v1.1.0 of ${ownerA} is ${offline} offline and ${other} on the chain.`,
    )
    expect(stderr).toContain('7 compared with the chain, 1 differ.')
  } finally {
    await stage.tester.setCode({ address: factory, bytecode: before ?? '0x' })
  }
})

test('names wrong lines by number and computes the others', async () => {
  const zero = '0x0000000000000000000000000000000000000000'
  // One letter has the wrong case.
  const wrongChecksum = '0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
  const owners = file(`${ownerA}\nnobody\n${zero}\r\n${ownerA},\n${wrongChecksum}\n${ownerB}`)
  const { code, stdout, stderr } = await parity('--owners', owners)
  expect(code).toBe(1)
  expect(stdout.trim().split('\n')).toHaveLength(14)
  expect(stderr.split('\n').slice(0, 4)).toEqual([
    'Line 2: "nobody" is not an address.',
    'Line 3: the zero address cannot be an owner.',
    'Line 4: "" is not an address.',
    `Line 5: "${wrongChecksum}" is not an address.`,
  ])
})

test.each([
  [[], '--owners FILE is missing.'],
  [['--owners', 'x', '--rpc-url', 'localhost:8545'], '--rpc-url must be an http or https URL.'],
  [['--owner', 'x'], "Unknown option '--owner'. Did you mean --owners?"],
])('refuses the arguments %j', async (args, message) => {
  const { code, stderr } = await parity(...args)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})

test('reports a missing file and a silent node without the URL', async () => {
  const missing = await parity('--owners', '/nowhere/owners.txt')
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be read (ENOENT)') })
  const silent = await parity('--owners', file(ownerA), '--rpc-url', 'http://127.0.0.1:1/v2/secret-key')
  expect(silent.code).toBe(1)
  expect(silent.stderr).not.toContain('secret-key')
  expect(silent.stderr.trim().split('\n').length).toBeLessThan(4)
})
