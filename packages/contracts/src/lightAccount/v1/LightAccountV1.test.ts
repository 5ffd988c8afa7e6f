import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  isValid,
  lightAccountV1_0_1,
  lightAccountV1_0_2,
  lightAccountV1_1_0,
  signDigest,
  wrapped,
} from '@latchkey/testkit/contracts/lightAccounts'
import { test } from '@latchkey/testkit/contracts/test'
import { hashMessage, hashTypedData, keccak256 } from 'viem'
import { expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { demo } = devAddresses
const digest = hashMessage('hello')
const withMessages = [lightAccountV1_0_2, lightAccountV1_1_0]

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

test.each([lightAccountV1_0_1, ...withMessages])('accepts ERC-777 tokens ($name)', async (version) => {
  const { account, read } = await createLightAccount(chain, version)
  const args = [demo, demo, demo, 1n, '0x', '0x']
  expect(await read.readContract({ ...account, functionName: 'tokensReceived', args })).toBeUndefined()
})

test.each(withMessages)('hashes message and domain to the message hash ($name)', async (version) => {
  const { account, read } = await createLightAccount(chain, version)
  for (const message of ['0x', '0x01', keccak256('0x')] as const) {
    const ask = async (functionName: string, args: unknown[]) =>
      (await read.readContract({ ...account, functionName, args })) as `0x${string}`
    const data = await ask('encodeMessageData', [message])
    expect(data.slice(0, 70)).toBe(`0x1901${(await ask('domainSeparator', [])).slice(2)}`)
    expect(await ask('getMessageHash', [message])).toBe(keccak256(data))
  }
})

test('v1.0.2 accepts no signature of a wallet in any domain', async () => {
  const it = await createLightAccount(chain, lightAccountV1_0_2)
  const inDomains = [lightAccountV1_0_2, lightAccountV1_1_0].flatMap(({ domain }) => (domain ? [domain] : []))
  const signatures = [
    await it.owner.signMessage({ message: 'hello' }),
    await it.owner.sign({ hash: digest }),
    ...(await Promise.all(
      inDomains.map((domain) => it.owner.signTypedData(wrapped(it.address, digest, domain, chain.chainId))),
    )),
  ]
  for (const signature of signatures) expect(await isValid(it, digest, signature)).toBe('0xffffffff')
  const hash = await it.read.readContract({ ...it.account, functionName: 'getMessageHash', args: [digest] })
  for (const domain of inDomains)
    expect(hash).not.toBe(hashTypedData(wrapped(it.address, digest, domain, chain.chainId)))
  // Only a key that signs arbitrary bytes can make this signature.
  const bare = await it.owner.sign({ hash: hash as `0x${string}` })
  expect(await isValid(it, digest, bare)).toBe('0x1626ba7e')
})

test('v1.0.1 accepts the bare signature for every account of the owner', async () => {
  const it = await createLightAccount(chain, lightAccountV1_0_1)
  const signature = await signDigest(it, it.owner, digest)
  expect(signature).toBe(await it.owner.signMessage({ message: 'hello' }))
  const sibling = await createLightAccount(chain, lightAccountV1_0_1, it.owner.address, 1n)
  expect(sibling.address).not.toBe(it.address)
  for (const account of [it, sibling]) expect(await isValid(account, digest, signature)).toBe('0x1626ba7e')
})
