import { type Hex, hashMessage, keccak256, parseSignature, serializeSignature, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createLightAccount,
  isValid,
  lightAccountV1,
  validate,
  wrapped,
} from '../../../../../test/contracts/lightAccounts.ts'
import { lightAccountV1Abi as abi } from '../../../../../test/contracts/lightAccountV1Abi.ts'
import { startTestChain, type TestChain } from '../../../../../test/contracts/testChain.ts'

let chain: TestChain
beforeAll(async () => {
  // The chain of the published signature vectors.
  chain = await startTestChain({ chainId: 80001 })
})
afterAll(() => chain.close())

test('behavior: malformed signatures are wrong ones, in operations and by ERC-1271', async () => {
  const it = await createLightAccount(chain, lightAccountV1)
  const hash = keccak256(toHex('operation'))
  const right = await it.owner.signMessage({ message: { raw: hash } })
  const { r, s, yParity } = parseSignature(right)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const mirrored = serializeSignature({ r, s: toHex(order - BigInt(s), { size: 32 }), yParity: yParity === 0 ? 1 : 0 })
  const malformed = ['0x', '0x1234', right.slice(0, -2), `${right}00`, `${right.slice(0, -2)}1d`, mirrored] as Hex[]
  for (const signature of malformed) expect(await validate(lightAccountV1, it, signature, hash)).toBe(1n)

  const digest = hashMessage('hello')
  const valid = await it.owner.signTypedData(wrapped(it.address, digest, '1'))
  for (const signature of ['0x', `${valid}00`, `0x${'00'.repeat(65)}`] as Hex[])
    expect(await isValid(it, digest, signature)).toBe('0xffffffff')
})

test('behavior: the message and the domain are told apart, and hash to the message’s hash', async () => {
  const { address, read } = await createLightAccount(chain, lightAccountV1)
  for (const message of ['0x', '0x01', keccak256('0x')] as Hex[]) {
    const data = await read.readContract({ address, abi, functionName: 'encodeMessageData', args: [message] })
    const separator = await read.readContract({ address, abi, functionName: 'domainSeparator' })
    expect(data.slice(0, 70)).toBe(`0x1901${separator.slice(2)}`)
    const hash = await read.readContract({ address, abi, functionName: 'getMessageHash', args: [message] })
    expect(hash).toBe(keccak256(data))
  }
})
