import { createHash, type KeyObject, sign } from 'node:crypto'
import {
  type Address,
  bytesToHex,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  numberToHex,
  parseEther,
} from 'viem'
import { authenticatorData, clientDataJson, createCredentialKey, flag } from '../../../dev/src/testing/webauthn.ts'
import type { TestChain } from '../chain.ts'
import { type ModularV2TestAccount, modularAccountV2, view } from './modularAccountsV2.ts'
import { accountFactoryAbi } from './modularAccountV2Abis.ts'

export const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

export type Passkey = { x: bigint; y: bigint; privateKey: KeyObject }

export function createPasskey(): Passkey {
  const { privateKey } = createCredentialKey('ES256')
  const { x = '', y = '' } = privateKey.export({ format: 'jwk' })
  const toBigInt = (text: string) => BigInt(bytesToHex(Buffer.from(text, 'base64url')))
  return { x: toBigInt(x), y: toBigInt(y), privateKey }
}

/** Signs the SHA-256 of `data` with a low s. */
export function signLow(privateKey: KeyObject, data: Uint8Array): { r: bigint; s: bigint } {
  const raw = sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const [r, s] = [raw.subarray(0, 32), raw.subarray(32)].map((part) => BigInt(bytesToHex(part))) as [bigint, bigint]
  return { r, s: s > order / 2n ? order - s : s }
}

export type AssertionDeviation = {
  type?: string
  flags?: number
  challenge?: Hex
  clientDataJSON?: string
  challengeIndex?: bigint
  typeIndex?: bigint
  authenticatorData?: Hex
  highS?: boolean
}

/** Encodes an assertion for the contracts. Deviations are part of the signed data, except the indices and `highS`. */
export function encodeAssertion({ privateKey }: Passkey, challenge: Hex, deviation: AssertionDeviation = {}): Hex {
  const data =
    deviation.authenticatorData === undefined
      ? authenticatorData({
          rpId: 'localhost',
          flags: deviation.flags ?? flag.userPresent | flag.userVerified,
          signCount: 0,
        })
      : Buffer.from(hexToBytes(deviation.authenticatorData))
  const json =
    deviation.clientDataJSON ??
    clientDataJson({
      type: deviation.type ?? 'webauthn.get',
      challenge: Buffer.from(hexToBytes(deviation.challenge ?? challenge)).toString('base64url'),
      origin: 'http://localhost:4100',
    }).toString()
  const signed = Buffer.concat([data, createHash('sha256').update(json).digest()])
  const { r, s } = signLow(privateKey, signed)
  const indexOf = (text: string) => BigInt(Math.max(0, json.indexOf(text)))
  return encodeAbiParameters(
    [
      {
        type: 'tuple',
        components: [
          { name: 'authenticatorData', type: 'bytes' },
          { name: 'clientDataJSON', type: 'string' },
          { name: 'challengeIndex', type: 'uint256' },
          { name: 'typeIndex', type: 'uint256' },
          { name: 'r', type: 'uint256' },
          { name: 's', type: 'uint256' },
        ],
      },
    ],
    [
      {
        authenticatorData: bytesToHex(data),
        clientDataJSON: json,
        challengeIndex: deviation.challengeIndex ?? indexOf('"challenge":"'),
        typeIndex: deviation.typeIndex ?? indexOf('"type":"'),
        r,
        s: deviation.highS ? order - s : s,
      },
    ],
  )
}

export type PasskeyAccount = ModularV2TestAccount & { passkey: Passkey }

/** Creates an account with 10 ether, owned by a passkey. */
export async function createPasskeyAccount(
  chain: TestChain,
  { entityId = 0, factory = modularAccountV2.webAuthnFactory }: { entityId?: number; factory?: Address } = {},
): Promise<PasskeyAccount> {
  const [owner, passkey] = [await chain.freshAccount(), createPasskey()]
  const by = chain.connect(owner.privateKey)
  const contract = { address: factory, abi: accountFactoryAbi } as const
  const args = [passkey.x, passkey.y, 0n, entityId]
  const address = (await by.read.readContract({ ...contract, functionName: 'getAddressWebAuthn', args })) as Address
  const data = encodeFunctionData({ ...contract, functionName: 'createWebAuthnAccount', args })
  await by.transact({ to: factory, data })
  await chain.request('anvil_setBalance', [address, numberToHex(parseEther('10'))])
  return { ...(await view(chain, address, owner, entityId)), passkey }
}

export const encodePasskey = (entityId: number, { x, y }: Passkey): Hex =>
  concat([numberToHex(entityId, { size: 32 }), numberToHex(x, { size: 32 }), numberToHex(y, { size: 32 })])
