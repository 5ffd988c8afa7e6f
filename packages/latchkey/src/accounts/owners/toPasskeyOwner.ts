import { signerTypes } from 'latchkey-protocol'
import {
  type Address,
  type Client,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hashMessage,
  hashTypedData,
  hexToBigInt,
  isAddressEqual,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { SmartAccountOwner } from '../owner.ts'
import { callView } from '../reads/callView.ts'
import { type PasskeyPoint, readPoint, readScalars, stubAssertion } from './passkeyPoint.ts'

/** Public factory of signer contracts. It deploys one contract per passkey. */
export const passkeySignerFactory: Address = '0x1d31F259eE307358a26dFb23EB365939E8641195'

/** Verifiers of P-256 signatures: the precompile (RIP-7212, EIP-7951), and a contract for chains without it. */
export const passkeyVerifiers: Hex = '0x0100c2b78104907f722dabac4c69f826a522b2754de4'
const verifiers = /* @__PURE__ */ hexToBigInt(passkeyVerifiers)

const abi = /* @__PURE__ */ parseAbi([
  'function createSigner(uint256 x, uint256 y, uint176 verifiers) returns (address)',
  'function getSigner(uint256 x, uint256 y, uint176 verifiers) view returns (address)',
  'function isValidSignatureForSigner(bytes32 message, bytes signature, uint256 x, uint256 y, uint176 verifiers) view returns (bytes4)',
  'function getConfiguration() view returns (uint256 x, uint256 y, uint176 verifiers)',
])

export declare namespace toPasskeyOwner {
  type Parameters = {
    /** Client of the chain, for reads. */
    client: Client
    /** Passkey that signs: the account that viem's `toWebAuthnAccount` returns. */
    passkey: WebAuthnAccount
  }
  type ReturnType = Promise<SmartAccountOwner>
}

/**
 * Creates an owner that signs with a passkey, for accounts whose owners are addresses: LightAccount,
 * MultiOwnerLightAccount and MultiOwnerModularAccount. The owner's address is that of a signer contract, which verifies
 * the passkey's signatures (ERC-1271). `addOwner` deploys the signer contract. The contract requires user verification
 * (WebAuthn Level 3, section 6.1).
 *
 * @throws `ARGUMENT_INVALID` for a public key that is not a point on P-256; `FACTORY_NOT_FOUND` on a chain without the
 * factory of signer contracts.
 *
 * @example
 * ```ts
 * import { toMultiOwnerLightAccount, toPasskeyOwner } from 'latchkey/accounts'
 * import { createWebAuthnCredential, toWebAuthnAccount } from 'viem/account-abstraction'
 * import { publicClient as client } from './config.ts'
 *
 * const credential = await createWebAuthnCredential({ name: 'My wallet' })
 * const owner = await toPasskeyOwner({ client, passkey: toWebAuthnAccount({ credential }) })
 * const account = await toMultiOwnerLightAccount({ client, owner })
 * console.log(account.address)
 * ```
 */
export async function toPasskeyOwner({ client, passkey }: toPasskeyOwner.Parameters): toPasskeyOwner.ReturnType {
  const [address, hasVerifier] = await Promise.all([
    readSignerAddress(client, readPoint(passkey)),
    hasPrecompile(client),
  ])
  const sign = async (hash: Hex) => encodeAssertion(await passkey.sign({ hash }))
  return {
    signerType: signerTypes.local,
    isContract: true,
    getAddress: async () => address,
    sign: ({ hash }) => sign(hash),
    signMessage: ({ message }) => sign(hashMessage(message)),
    signTypedData: (definition) => sign(hashTypedData(definition)),
    getStubSignature: async () => stubSignature,
    ...(!hasVerifier && { minVerificationGas: contractVerificationGas }),
  }
}

/**
 * Verification gas on a chain without the precompile. Bundlers search for the lowest limit at which the verification
 * does not revert. Without enough gas, the verifier contract reports a wrong signature, which they expect of a dummy.
 */
const contractVerificationGas = 800_000n

/** Valid signature: hash, r, s, x and y. */
const validSignature =
  '0x0101010101010101010101010101010101010101010101010101010101010101028f16fc1f5a7b438943d1ab6ada85b82de3c8da0ff8d8e7a43be95e781d2be97736a033dd78baecf54403315a654c7466134ec3290d00e990213a441e6b241a1e18532fd4754c02f3041d9c75ceb33b83ffd81ac7ce4fe882ccb1c98bc5896ea46c311c4e2ff40dd96a3653e6e45445d32dfe486eced75c7a90c6a18881c0a3'

/** Checks whether the chain has the precompile that verifies P-256 signatures (RIP-7212, EIP-7951). */
async function hasPrecompile(client: Client): Promise<boolean> {
  const action = 'Could not read how the chain verifies passkeys.'
  const address = numberToHex(0x0100, { size: 20 })
  return (await callView({ client, address, data: validSignature, action })) !== undefined
}

/** Reads the address of a passkey's signer contract, which may not be deployed yet. @throws `FACTORY_NOT_FOUND`. */
export async function readSignerAddress(client: Client, { x, y }: PasskeyPoint): Promise<Address> {
  const call = { abi, functionName: 'getSigner' } as const
  const data = await callView({
    client,
    address: passkeySignerFactory,
    data: encodeFunctionData({ ...call, args: [x, y, verifiers] }),
    action: 'Could not read the address of the passkey.',
  })
  if (data) return decodeFunctionResult({ ...call, data })
  throw new BaseError('This chain has no factory of signer contracts, so an address cannot stand for a passkey.', {
    code: 'FACTORY_NOT_FOUND',
    metaMessages: [`Factory: ${passkeySignerFactory}`, 'Use a Modular Account v2, or another key, on this chain.'],
  })
}

/** Verifies a passkey's signature, even if its signer contract is not deployed yet. */
export async function isSignedByPasskey(
  client: Client,
  { passkey: { x, y }, hash, signature }: { passkey: PasskeyPoint; hash: Hex; signature: Hex },
): Promise<boolean> {
  const args = [hash, signature, x, y, verifiers] as const
  const data = encodeFunctionData({ abi, functionName: 'isValidSignatureForSigner', args })
  const action = 'Could not verify the signature of a passkey.'
  const result = await callView({ client, address: passkeySignerFactory, data, action })
  return result === '0x1626ba7e'.padEnd(66, '0')
}

/** Encodes the call that deploys a passkey's signer contract. The call has no effect if the contract exists. */
export function encodeCreateSigner({ x, y }: PasskeyPoint): { to: Address; data: Hex; value: bigint } {
  const data = encodeFunctionData({ abi, functionName: 'createSigner', args: [x, y, verifiers] })
  return { to: passkeySignerFactory, data, value: 0n }
}

/** Reads the passkey of a signer contract. Returns undefined for any other contract. */
export async function readPasskeyOf(client: Client, address: Address): Promise<PasskeyPoint | undefined> {
  const call = { abi, functionName: 'getConfiguration' } as const
  const action = 'Could not read an owner of the account.'
  const data = await callView({ client, address, data: encodeFunctionData(call), action })
  if (data?.length !== 2 + 3 * 64) return undefined
  const [x, y] = decodeFunctionResult({ ...call, data })
  // Any contract could return these values, but only the factory's contract has this address.
  const own = await readSignerAddress(client, { x, y }).catch(() => undefined)
  return own && isAddressEqual(own, address) ? { x, y } : undefined
}

export const signatureAbi = /* @__PURE__ */ parseAbiParameters(
  'bytes authenticatorData, string clientDataFields, uint256 r, uint256 s',
)

/** Encodes an assertion for a signer contract. The contract itself adds the beginning of the client data. */
function encodeAssertion(assertion: Parameters<typeof readScalars>[0]): Hex {
  const { authenticatorData, clientDataJSON } = assertion.webauthn
  const fields = /^\{"type":"webauthn\.get","challenge":"[\w-]{43}",(.*)\}$/s.exec(clientDataJSON)?.[1]
  if (fields === undefined) {
    throw new BaseError('The passkey returned client data that a contract cannot verify.', {
      code: 'PASSKEY_UNSUPPORTED',
      metaMessages: ['Use a passkey of another device or password manager.'],
    })
  }
  const { r, s } = readScalars(assertion)
  return encodeAbiParameters(signatureAbi, [authenticatorData, fields, r, s])
}

const stubSignature: Hex = /* @__PURE__ */ encodeAssertion(stubAssertion)
