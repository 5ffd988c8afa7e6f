import type { TestChain } from '@latchkey/testkit/chain'
import { createPasskey, order, type Passkey, signLow } from '@latchkey/testkit/contracts/passkeys'
import { test } from '@latchkey/testkit/contracts/test'
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  keccak256,
  parseAbi,
  toFunctionSelector,
  toHex,
} from 'viem'
import { expect } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { authenticatorData, clientDataJson, flag, sha256 } from '../../../dev/src/testing/webauthn.ts'

const { factory, verifier } = devAddresses.passkeyOwners
const abi = parseAbi([
  'function createSigner(uint256 x, uint256 y, uint176 verifiers) returns (address)',
  'function getSigner(uint256 x, uint256 y, uint176 verifiers) view returns (address)',
  'function isValidSignatureForSigner(bytes32 digest, bytes signature, uint256 x, uint256 y, uint176 verifiers) view returns (bytes4)',
  'function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)',
  'function getConfiguration() view returns (uint256 x, uint256 y, uint176 verifiers)',
])
const precompile = 0x0100n << 160n
const both = precompile | BigInt(verifier)
const digest = keccak256('0x01')

let chain: TestChain
test.beforeAll(({ chain: shared }) => {
  chain = shared
})

type Deviation = { flags?: number; challenge?: Hex; more?: object; isHigh?: boolean; type?: string; short?: boolean }

function encodeSignature(passkey: Passkey, deviation: Deviation = {}): Hex {
  const { flags = flag.userPresent | flag.userVerified, challenge = digest, more, type = 'webauthn.get' } = deviation
  const json = clientDataJson({
    type,
    challenge: Buffer.from(hexToBytes(challenge)).toString('base64url'),
    origin: 'https://app.example',
    more,
  })
  const data = authenticatorData({ rpId: 'app.example', flags, signCount: 0 })
  const signedData = deviation.short ? data.subarray(0, 36) : data
  const { r, s } = signLow(passkey.privateKey, Buffer.concat([signedData, sha256(json)]))
  const fields = json.toString().split('",').slice(2).join('",').slice(0, -1)
  return encodeAbiParameters(
    [{ type: 'bytes' }, { type: 'string' }, { type: 'uint256' }, { type: 'uint256' }],
    [toHex(signedData), fields, r, deviation.isHigh ? order - s : s],
  )
}

const getSigner = (x: bigint, y: bigint, verifiers = both) =>
  chain.client(1).read.readContract({ address: factory, abi, functionName: 'getSigner', args: [x, y, verifiers] })

async function createSigner({ x, y }: Passkey, verifiers = both): Promise<Address> {
  const data = encodeFunctionData({ abi, functionName: 'createSigner', args: [x, y, verifiers] })
  await chain.client(1).transact({ to: factory, data })
  return getSigner(x, y, verifiers)
}

const check = (address: Address, signature: Hex, of = digest) =>
  chain.client(1).read.readContract({ address, abi, functionName: 'isValidSignature', args: [of, signature] })

const accepted = '0x1626ba7e'
const refused = '0x00000000'

test('has the selectors of the public factory', () => {
  expect(abi.slice(0, 3).map(toFunctionSelector)).toEqual(['0x0d2f0489', '0xa541d91a', '0xcb48798b'])
})

test('deploys one signer for a passkey, however often it is called', async () => {
  const passkey = createPasskey()
  const address = await getSigner(passkey.x, passkey.y)
  expect(await chain.client(1).read.getCode({ address })).toBeUndefined()
  expect(await createSigner(passkey)).toBe(address)
  expect(await createSigner(passkey)).toBe(address)
  const call = { address, abi, functionName: 'getConfiguration' } as const
  expect(await chain.client(1).read.readContract(call)).toEqual([passkey.x, passkey.y, both])
  expect(await getSigner(passkey.x, passkey.y, precompile)).not.toBe(address)
})

test.each([
  ['the precompile', precompile],
  ['the verifier of chains without it', BigInt(verifier)],
  ['both', both],
])('accepts signatures by %s', async (_name, verifiers) => {
  const passkey = createPasskey()
  const { x, y } = passkey
  const signature = encodeSignature(passkey, { more: { topOrigin: 'https://shop.example', extra: '"}' } })
  const args = [digest, signature, x, y, verifiers] as const
  const call = { address: factory, abi, functionName: 'isValidSignatureForSigner', args } as const
  expect(await chain.client(1).read.readContract(call)).toBe(accepted)
  expect(await check(await createSigner(passkey, verifiers), signature)).toBe(accepted)
})

test('refuses any other signature', async () => {
  const passkey = createPasskey()
  const address = await createSigner(passkey)
  const wrong: Deviation[] = [
    { flags: flag.userPresent },
    { challenge: keccak256('0x02') },
    { isHigh: true },
    { type: 'webauthn.create' },
    { short: true },
  ]
  for (const deviation of wrong) expect(await check(address, encodeSignature(passkey, deviation))).toBe(refused)
  expect(await check(address, encodeSignature(createPasskey()))).toBe(refused)
  expect(await check(address, encodeSignature(passkey), keccak256('0x02'))).toBe(refused)
  await expect(check(address, '0x1234')).rejects.toThrow(/revert/)
})

test('verifies nothing but whole input without the precompile', async () => {
  const { read } = chain.client(1)
  for (const data of ['0x', '0x01', toHex(new Uint8Array(160)), toHex(new Uint8Array(161))] as const)
    expect((await read.call({ to: verifier, data })).data).toBeUndefined()
})
