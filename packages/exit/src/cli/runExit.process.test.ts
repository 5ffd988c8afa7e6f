import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { readArtifact, startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import { joinProgram } from '@latchkey/testkit/run/joinProgram'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { describeAccount, toModularAccountV2, toMultiOwnerLightAccount } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import {
  type Address,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  parseAbi,
  parseEther,
  toHex,
} from 'viem'
import { english, generateMnemonic, generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { readContract } from 'viem/actions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountKinds } from '../accountKinds.ts'
import { connectChain } from '../connectChain.ts'

// Chain and command run in separate processes, without a bundler, a paymaster or a server of ours.

const to: Address = '0x00000000000000000000000000000000000e0417'
const abi = parseAbi([
  'function give(address to, uint256 id)',
  'function give(address to, uint256 id, uint256 amount)',
  'function ownerOf(uint256 id) view returns (address)',
  'function balanceOf(address owner, uint256 id) view returns (uint256)',
])

let chain: TestChain
let main: string
let sender: ReturnType<typeof connect>
let home: string
let nfts: Address
let items: Address
let gasKey: string

beforeAll(async () => {
  ;[chain, main] = await Promise.all([startTestChain(), joinProgram('exit')])
  sender = connect()
  await chain.request('anvil_setBalance', [sender.account.address, toHex(parseEther('10'))])
  home = mkdtempSync(join(tmpdir(), 'latchkey-exit-test-'))
  ;[nfts, items] = [await deploy('Collection721'), await deploy('Collection1155')]
  gasKey = file('gas-key', (await chain.freshAccount()).privateKey)
})
afterAll(async () => {
  await chain.close()
  rmSync(home, { recursive: true, force: true })
})

const connect = () =>
  createWalletClient({
    account: privateKeyToAccount(generatePrivateKey()),
    chain: defineLatchkeyDevChain({ id: chain.chainId, nodeUrl: chain.nodeUrl }),
    transport: http(chain.nodeUrl),
  })

async function deploy(name: string): Promise<Address> {
  const receipt = await transact({ data: encodeDeployData(readArtifact(name)) })
  return receipt.contractAddress ?? '0x'
}

const transact = async (transaction: { to?: Address; data: Hex }) =>
  waitForTransaction(sender, await sender.sendTransaction(transaction))

function file(name: string, text: string): string {
  const path = join(home, name)
  writeFileSync(path, text)
  return path
}

type Outcome = { code: number; stdout: string; stderr: string }

/** The color settings of this run would make Node print warnings. */
const env = { PATH: process.env.PATH ?? '' }

function exit(args: readonly string[], input = ''): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    )
    child.stdin?.end(input)
  })
}

let count = 0

/** The account holds one ether and is not deployed yet. */
async function newAccount(kind = 'LightAccount@v1.1.0', secret: string = generatePrivateKey()) {
  count += 1
  const secretFile = file(`secret-${count}`, `${secret}\n`)
  const { code, stdout, stderr } = await exit([
    ...['--describe', kind, '--rpc-url', chain.nodeUrl, '--secret-file', secretFile],
  ])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const descriptor = file(`descriptor-${count}.json`, stdout)
  const { address } = JSON.parse(stdout) as { address: Address }
  await chain.request('anvil_setBalance', [address, toHex(parseEther('1'))])
  const args = ['--descriptor', descriptor, '--rpc-url', chain.nodeUrl, '--secret-file', secretFile]
  return { address, secret, descriptor, args: [...args, '--gas-key-file', gasKey, '--to', to] }
}

const etherOf = async (address: Address) => BigInt(await chain.request<Hex>('eth_getBalance', [address, 'latest']))

const kinds = accountKinds.map(({ type, version }) => `${type}@${version}`)

test.each(kinds)('moves all assets of a new %s, and later ether again', async (kind) => {
  const { address, args } = await newAccount(kind)
  const id = BigInt(count)
  await transact(mint(address, 70n))
  await transact({ to: nfts, data: encodeFunctionData({ abi, functionName: 'give', args: [address, id] }) })
  await transact({ to: items, data: encodeFunctionData({ abi, functionName: 'give', args: [address, id, 9n] }) })
  const before = await etherOf(to)

  const assets = ['native', demo, `${nfts}/${id}`, `${items}/${id}/all`]
  const moved = await exit([...args, '--json', ...assets.flatMap((asset) => ['--asset', asset])])
  expect(moved).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(moved.stdout)).toMatchObject({ account: address, to, sent: true })
  // The account pays no gas, so all its ether moves.
  expect([await etherOf(address), (await etherOf(to)) - before]).toEqual([0n, parseEther('1')])
  const tokens = { address: demo, abi: demoAbi, functionName: 'balanceOf' } as const
  expect(await readContract(sender, { ...tokens, args: [address] })).toBe(0n)
  expect(await readContract(sender, { address: nfts, abi, functionName: 'ownerOf', args: [id] })).toBe(getAddress(to))
  expect(await readContract(sender, { address: items, abi, functionName: 'balanceOf', args: [to, id] })).toBe(9n)

  await chain.request('anvil_setBalance', [address, toHex(5n)])
  expect((await exit(args)).stdout).toContain(`Moved 5 of native from ${address} to ${to}.`)
  expect(await etherOf(address)).toBe(0n)
})

test('reads a recovery phrase from standard input and lets the owner pay the gas', async () => {
  const phrase = generateMnemonic(english)
  const { descriptor, address } = await newAccount('LightAccount@v2.0.0', phrase)
  await chain.request('anvil_setBalance', [mnemonicToAccount(phrase).address, toHex(parseEther('1'))])
  const { code, stderr } = await exit(
    ['--descriptor', descriptor, '--rpc-url', chain.nodeUrl, '--to', to],
    `${phrase}\nmore\n`,
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(await etherOf(address)).toBe(0n)
})

test('writes the standalone page once and prints its hash', async () => {
  const page = join(home, 'exit.html')
  const { code, stdout } = await exit(['--page', page, '--json'])
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { page, sha256: createHash('sha256').update(readFileSync(page)).digest('hex') },
  ])
  expect(readFileSync(page, 'utf8')).toContain("default-src 'none'")
  expect(await exit(['--page', page])).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be written') })
  expect(await exit(['--page', page, '--to', to])).toMatchObject({ code: 2 })
})

test('moves nothing in a dry run', async () => {
  const { address, args } = await newAccount()
  expect((await exit([...args, '--dry-run'])).stdout).toBe(
    `Would move ${parseEther('1')} of native from ${address} to ${to}.\n`,
  )
  expect(await etherOf(address)).toBe(parseEther('1'))
})

test("refuses a stranger's key for an undeployed and a deployed account", async () => {
  const { address, args } = await newAccount()
  const strange = ['--secret-file', file('strange', generatePrivateKey())]
  const refused = await exit([...args, ...strange])
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('the key belongs to none of its owners')
  expect((await exit(args)).code).toBe(0)
  await chain.request('anvil_setBalance', [address, toHex(5n)])
  const later = await exit([...args, ...strange])
  expect(later.code).toBe(1)
  expect(later.stderr).toContain('the key belongs to none of its current owners')
  expect(await etherOf(address)).toBe(5n)
})

test('refuses a descriptor that was altered or signed by a stranger', async () => {
  const { descriptor, args } = await newAccount()
  const text = readFileSync(descriptor, 'utf8')
  for (const [from, by] of [
    [/"salt": "0"/, '"salt": "1"'],
    [/"chains": \[/, '"chains": [1, '],
    [/"signature": "0x.{8}/, '"signature": "0x00000000'],
  ] as const) {
    writeFileSync(descriptor, text.replace(from, by))
    const { code, stderr } = await exit(args)
    expect(code).toBe(1)
    expect(stderr).toContain('No owner of the account has signed')
  }
  const { signature: _, ...fields } = JSON.parse(text)
  const signature = await privateKeyToAccount(generatePrivateKey()).signMessage({ message: 'hello' })
  writeFileSync(descriptor, JSON.stringify({ ...fields, signature }))
  expect((await exit(args)).stderr).toContain('No owner of the account has signed')
})

test('sends nothing where a transfer would fail or nothing is held', async () => {
  const { address, args } = await newAccount()
  const empty = await exit([...args, '--asset', demo])
  expect(empty.stderr).toContain(`The account holds nothing of ${demo}.`)
  expect((await exit([...args, '--asset', `${items}/1/5`])).stderr).toContain('holds nothing of')
  expect((await exit([...args, '--asset', sender.account.address])).stderr).toContain(
    'does not return what the account',
  )
  // The receiving contract accepts no ether.
  const refusing = await exit([...args, '--to', nfts])
  expect(refusing.stderr).toContain('The transfer of native')
  expect([refusing.code, await etherOf(address)]).toEqual([1, parseEther('1')])
})

test('reads a descriptor of format 1', async () => {
  const { address, descriptor, secret, args } = await newAccount('MultiOwnerLightAccount@v2.0.0')
  const { firstOwners, format: _, owners: __, signature: ___, ...rest } = JSON.parse(readFileSync(descriptor, 'utf8'))
  const { type, version, salt, factory, entryPoint, chains, implementation } = rest
  const place = { salt, factory, entryPoint, chains, implementation }
  const fields = { format: 'latchkey-account-1', type, version, address, owners: firstOwners, ...place }
  const message = `Latchkey account descriptor\n${JSON.stringify(fields)}`
  const signature = await privateKeyToAccount(secret as Hex).signMessage({ message })
  writeFileSync(descriptor, JSON.stringify({ ...fields, signature }))
  const listed = await exit(['--list-owners', '--descriptor', descriptor])
  expect(listed.stdout).toBe(`Account ${address}\nfirst owner ${firstOwners[0]}\n`)
  expect(await exit(args)).toMatchObject({ code: 0, stderr: '' })
  expect(await etherOf(address)).toBe(0n)
})

test('lists the owners of a descriptor by kind, without a node', async () => {
  const owner = privateKeyToAccount(generatePrivateKey())
  const passkey = newPasskey()
  const account = await toMultiOwnerLightAccount({ client: await connectChain(chain.nodeUrl), owner })
  const point = { x: BigInt(passkey.publicKey.slice(0, 66)), y: BigInt(`0x${passkey.publicKey.slice(66)}`) }
  const owners = [
    { kind: 'key', address: owner.address },
    { kind: 'contract', address: nfts },
    { kind: 'passkey', address: items, passkey: point },
  ] as const
  const signed = await describeAccount({ account, owners, rpId: 'wallet.example' })
  const descriptor = file('owners.json', JSON.stringify(signed))
  const { code, stdout } = await exit(['--list-owners', '--descriptor', descriptor])
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      `Account ${account.address}`,
      `key ${owner.address}`,
      `contract ${getAddress(nfts)}`,
      `passkey of wallet.example, signer contract ${getAddress(items)}; signs on the page only (--page)`,
      '',
    ],
  ])
  const json = await exit(['--list-owners', '--descriptor', descriptor, '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ account: account.address, owners: signed.owners })
  expect(await exit(['--list-owners'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--descriptor FILE') })
  const args = ['--descriptor', descriptor, '--rpc-url', chain.nodeUrl, '--to', to]
  const { stderr } = await exit([...args, '--secret-file', file('strange', generatePrivateKey())])
  expect(stderr).toContain('the key belongs to none of its owners')
  expect(stderr).toContain('A passkey owns the account, too. Write the page with --page')
})

test('refuses to sign with a passkey, and names the page', async () => {
  const account = await toModularAccountV2({ client: await connectChain(chain.nodeUrl), owner: newPasskey() })
  const descriptor = file('passkey.json', JSON.stringify(await describeAccount({ account, rpId: 'localhost' })))
  const listed = await exit(['--list-owners', '--descriptor', descriptor])
  expect(listed.stdout).toContain('passkey of localhost, entity id 0;')
  const refused = await exit(['--descriptor', descriptor, '--rpc-url', chain.nodeUrl, '--to', to])
  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toBe(
    'Only passkeys own this account, and a passkey signs in a browser only.\nWrite the page with --page exit.html, put it on localhost, and open it there.\n',
  )
})

test('names a payer without funds', async () => {
  const { address, args } = await newAccount()
  const poor = generatePrivateKey()
  const { code, stderr } = await exit([...args, '--gas-key-file', file('poor', poor)])
  expect(code).toBe(1)
  expect(stderr).toContain(privateKeyToAccount(poor).address)
  expect(stderr).not.toContain(poor.slice(2))
  expect(await etherOf(address)).toBe(parseEther('1'))
})

test('repeats no secret in an error', async () => {
  const { args, secret } = await newAccount()
  const wrongPhrase = `${'abandon '.repeat(11)}zebra`
  for (const text of [wrongPhrase, `0x${'f'.repeat(64)}`, `${secret}00`, '']) {
    const { code, stdout, stderr } = await exit([...args, '--secret-file', file('wrong', text)])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('neither a private key')
    expect(stderr).not.toMatch(/abandon|zebra|f{64}| {4}at /)
    expect(stderr).not.toContain(secret.slice(2))
  }
  // A user may type the key in place of an option or its value.
  for (const words of [[secret], ['--secret', secret], ['--secret-file', join(home, 'none')]]) {
    const { code, stdout, stderr } = await exit([...args, ...words])
    expect(code).not.toBe(0)
    expect(stdout + stderr).not.toContain(secret.slice(2))
  }
})

test.each([
  [[], '--rpc-url must be'],
  [['--rpc-url', 'http://localhost:1'], 'Give either --descriptor FILE or --describe'],
  [['--descriptr', 'x'], 'The option --descriptr is unknown or has no value. Did you mean --descriptor?'],
  [['--rpc-url', 'http://localhost:1', '--descriptor', 'x', '--to', '0x12'], '--to must be an address, not "0x12".'],
  [
    ['--rpc-url', 'http://localhost:1', '--descriptor', 'x', '--to', demo, '--asset', 'eth'],
    '--asset "eth" is not one of',
  ],
  [['--rpc-url', 'http://localhost:1', '--describe', 'LightAccount@v1.1.0', '--salt', '-1'], '--salt'],
])('refuses the arguments %j', async (args, message) => {
  const { code, stderr } = await exit(args)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
