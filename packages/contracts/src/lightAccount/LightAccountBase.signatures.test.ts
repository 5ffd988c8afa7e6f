import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  dummySignature,
  implementationSlot,
  isValid,
  lightAccountVersions,
  signDigest,
  type TestAccount,
  validate,
  vector,
  wrapped,
} from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import {
  concat,
  encodeFunctionData,
  type Hex,
  hashMessage,
  hashTypedData,
  keccak256,
  parseSignature,
  serializeSignature,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { devAccounts } from '../../../dev/src/chain/devAccounts.ts'

const failure = '0xffffffff'
const magic = '0x1626ba7e'
const hash = keccak256(toHex('operation'))
const digest = hashMessage('hello')
const each = test.each(lightAccountVersions)
const eachWithMessages = test.each(lightAccountVersions.filter(({ refusesMessages }) => !refusesMessages))
const eachWithDomain = test.each(
  lightAccountVersions.filter(({ domain, refusesMessages }) => domain && !refusesMessages),
)

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

async function onChain<result>(chainId: number, act: () => Promise<result>): Promise<result> {
  await chain.request('anvil_setChainId', [chainId])
  try {
    return await act()
  } finally {
    await chain.request('anvil_setChainId', [chain.chainId])
  }
}

/** Returns the same signature with the other s, which recovers to the same key. */
function mirrored(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  return serializeSignature({ r, s: toHex(order - BigInt(s), { size: 32 }), yParity: yParity === 0 ? 1 : 0 })
}

each('distinguishes the owner’s signature without a revert ($name)', async (version) => {
  const { byKey } = version
  const it = await createLightAccount(chain, version)
  const right = await it.owner.signMessage({ message: { raw: hash } })
  expect(await validate(it, byKey(right), hash)).toBe(0n)
  expect(await validate(it, byKey(right), keccak256(toHex('another')))).toBe(1n)
  const wrong = [
    await it.stranger.signMessage({ message: { raw: hash } }),
    await it.owner.sign({ hash }),
    dummySignature,
  ] as const
  for (const signature of wrong) expect(await validate(it, byKey(signature), hash)).toBe(1n)
})

eachWithMessages('accepts the signature vectors of public chains ($name)', async (version) => {
  const { abi, byKey, implementation, owned, signature } = version
  const { account: address, message, chainId } = vector
  const other = await createLightAccount(chain, version)
  const { read } = other
  const snapshot = await chain.request('evm_snapshot')
  // A proxy of the same kind is placed at the address of the vectors.
  await chain.request('anvil_setCode', [address, await read.getCode({ address: other.address })])
  const word = `0x${implementation.slice(2).padStart(64, '0')}`
  await chain.request('anvil_setStorageAt', [address, implementationSlot, word])
  const [key] = devAccounts
  const data = encodeFunctionData({ abi, functionName: 'initialize', args: [owned(key.address)] })
  await chain.client(1).transact({ to: address, data })
  const it: TestAccount = { ...other, address, account: { address, abi } }

  await onChain(chainId, async () => {
    const right = byKey(signature ?? '0x')
    expect(await isValid(it, hashMessage(message), right)).toBe(magic)
    expect(await isValid(it, hashMessage(`${message} `), right)).toBe(failure)
    expect(await read.verifyMessage({ address, message, signature: right })).toBe(true)
    // Some clients sign in the domain of another version.
    for (const foreign of lightAccountVersions.filter((one) => one.signature && one.signature !== signature))
      expect(await isValid(it, hashMessage(message), byKey(foreign.signature ?? '0x'))).toBe(failure)

    const typed = {
      domain: { name: 'App', chainId },
      types: { Request: [{ name: 'hello', type: 'string' }] },
      primaryType: 'Request',
      message: { hello: 'devnet' },
    } as const
    const signed = await signDigest(it, privateKeyToAccount(key.privateKey), hashTypedData(typed))
    expect(await read.verifyTypedData({ ...typed, address, signature: signed })).toBe(true)
  })
  await chain.request('evm_revert', [snapshot])
})

eachWithMessages('refuses another digest, signer or form by ERC-1271 ($name)', async (version) => {
  const { byKey, domain } = version
  const it = await createLightAccount(chain, version)
  const right = await signDigest(it, it.owner, digest)
  expect(await isValid(it, digest, right)).toBe(magic)
  expect(await isValid(it, hashMessage('other'), right)).toBe(failure)
  const bare = domain ? [byKey(await it.owner.sign({ hash: digest }))] : []
  const wrong = [
    ...bare,
    await signDigest(it, it.stranger, digest),
    byKey(await it.owner.signMessage({ message: { raw: digest } })),
  ]
  for (const signature of wrong) expect(await isValid(it, digest, signature)).toBe(failure)
})

eachWithDomain('refuses a message for another account, chain or version ($name)', async (version) => {
  const { byKey, domain = { name: '', version: '' } } = version
  const it = await createLightAccount(chain, version)
  const sibling = await createLightAccount(chain, version, it.owner.address, 1n)
  const right = await signDigest(it, it.owner, digest)
  expect(await isValid(it, digest, right)).toBe(magic)
  expect(await isValid(sibling, digest, right)).toBe(failure)
  expect(await isValid(sibling, digest, await signDigest(sibling, it.owner, digest))).toBe(magic)
  // A fork of the chain computes the domain again.
  await onChain(chain.chainId + 1, async () => {
    expect(await isValid(it, digest, right)).toBe(failure)
    expect(await isValid(it, digest, await signDigest(it, it.owner, digest))).toBe(magic)
  })
  for (const other of [
    { ...domain, version: domain.version === '1' ? '2' : '1' },
    { ...domain, name: `${domain.name} ` },
  ]) {
    const signature = byKey(await it.owner.signTypedData(wrapped(it.address, digest, other, chain.chainId)))
    expect(await isValid(it, digest, signature)).toBe(failure)
  }
})

each('asks a contract owner by ERC-1271 ($name)', async (version) => {
  const { byContract, byKey } = version
  // The outer account accepts messages even if the inner account cannot.
  const outerVersion = version.refusesMessages ? lightAccountVersions[0] : version
  const outer = await createLightAccount(chain, outerVersion ?? version)
  const inner = await createLightAccount(chain, version, outer.address)
  const signed = async (by: TestAccount, of: Hex) => byContract(await signDigest(outer, by.owner, of), outer.address)
  if (!version.refusesMessages) {
    const { domain } = version
    const inside = domain ? hashTypedData(wrapped(inner.address, digest, domain, chain.chainId)) : digest
    expect(await isValid(inner, digest, await signed(outer, inside))).toBe(magic)
    expect(await isValid(inner, digest, await signed(inner, inside))).toBe(failure)
  }
  expect(await validate(inner, await signed(outer, hash), hash)).toBe(0n)
  expect(await validate(inner, await signed(inner, hash), hash)).toBe(1n)
  // The inner account is owned by the contract only, not by the contract's owner.
  const key = byKey(await outer.owner.signMessage({ message: { raw: hash } }))
  expect(await validate(inner, key, hash)).toBe(1n)
  // If the owner refuses or reverts, the validation fails but does not revert.
  expect(await validate(inner, byContract('0x', outer.address), hash)).toBe(1n)
})

each('refuses malformed answers of a contract owner ($name)', async (version) => {
  const { byContract } = version
  const codeOf = (answer: Hex): Hex => concat(['0x7f', answer, '0x60005260206000f3'])
  const answers: Record<string, Hex> = {
    'the magic value with a dirty tail': codeOf(`0x${magic.slice(2)}${'00'.repeat(27)}01`),
    'four bytes only': `0x63${magic.slice(2)}60e01b60005260046000f3`,
    nothing: '0x00',
    'a revert': '0x60006000fd',
  }
  const ownedBy = async (code: Hex): Promise<[TestAccount, Hex]> => {
    const { address } = await chain.freshAccount()
    await chain.request('anvil_setCode', [address, code])
    return [await createLightAccount(chain, version, address), byContract('0x', address)]
  }
  for (const [answer, code] of Object.entries(answers)) {
    const [it, signature] = await ownedBy(code)
    expect(await isValid(it, digest, signature), answer).toBe(failure)
    expect(await validate(it, signature, hash), answer).toBe(1n)
  }
  const [it, signature] = await ownedBy(codeOf(`0x${magic.slice(2)}${'00'.repeat(28)}`))
  expect(await isValid(it, digest, signature)).toBe(magic)
  expect(await validate(it, signature, hash)).toBe(0n)
})

each('never asks a contract that is not an owner ($name)', async (version) => {
  const yes = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [yes, `0x63${magic.slice(2)}60e01b60005260206000f3`])
  const it = await createLightAccount(chain, version)
  const signature = version.byContract('0x', yes)
  expect(await validate(it, signature, hash)).toBe(1n)
  expect(await isValid(it, digest, signature)).toBe(failure)
})

each('refuses malformed and mirrored signatures ($name)', async (version) => {
  const { byKey, entryPointVersion } = version
  const it = await createLightAccount(chain, version)
  const right = await it.owner.signMessage({ message: { raw: hash } })
  expect(await validate(it, byKey(right), hash)).toBe(0n)
  const { s } = parseSignature(mirrored(right))
  const cases: [Hex, string, unknown[]][] = [
    ['0x', 'ECDSAInvalidSignatureLength', [0n]],
    [concat([right, '0x00']), 'ECDSAInvalidSignatureLength', [66n]],
    [right.slice(0, -2) as Hex, 'ECDSAInvalidSignatureLength', [64n]],
    [mirrored(right), 'ECDSAInvalidSignatureS', [s]],
    [`${right.slice(0, -2)}1d` as Hex, 'ECDSAInvalidSignature', []],
    [`0x${'00'.repeat(64)}1b`, 'ECDSAInvalidSignature', []],
  ]
  for (const [signature, name, args] of cases) {
    if (entryPointVersion === '0.6') {
      expect(await validate(it, byKey(signature), hash), signature).toBe(1n)
      expect(await isValid(it, hash, byKey(signature)), signature).toBe(failure)
    } else {
      expect(await readRevert(validate(it, byKey(signature), hash)), signature).toEqual({ name, args })
      expect(await readRevert(isValid(it, hash, byKey(signature))), signature).toEqual({ name, args })
    }
  }
})

eachWithDomain('hashes messages as EIP-712 does ($name)', async (version) => {
  const { account, address, read } = await createLightAccount(chain, version)
  for (const message of ['0x', '0x01', keccak256('0x')] as const) {
    const hashed = await read.readContract({ ...account, functionName: 'getMessageHash', args: [message] })
    const domain = version.domain ?? { name: '', version: '' }
    expect(hashed).toBe(hashTypedData(wrapped(address, message, domain, chain.chainId)))
  }
})
