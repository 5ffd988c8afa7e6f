import { signerTypes } from 'latchkey-protocol'
import {
  encodeAbiParameters,
  getAddress,
  type Hex,
  hashMessage,
  hashTypedData,
  hexToBigInt,
  keccak256,
  size,
  slice,
  stringToHex,
} from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { SmartAccountOwner } from '../owner.ts'

/** Public key of a passkey: the coordinates of a point on P-256. */
export type PasskeyPoint = { x: bigint; y: bigint }

/**
 * Returns an owner that signs with a passkey, in the encoding of WebAuthnValidationModule. Its address, the last 20
 * bytes of the hash of both coordinates, only identifies the key and does not exist on the chain.
 *
 * @throws `ARGUMENT_INVALID` for a public key that is not a point on P-256.
 */
export function toPasskeyOwner(account: WebAuthnAccount): { owner: SmartAccountOwner; passkey: PasskeyPoint } {
  const length = size(account.publicKey)
  // The first byte of the longer form (0x04) indicates that both coordinates follow (SEC 1).
  const isPrefixed = length === 65 && account.publicKey.startsWith('0x04')
  if (length !== 64 && !isPrefixed) {
    throw new BaseError('The public key of the passkey does not have 64 bytes.', {
      code: 'ARGUMENT_INVALID',
      metaMessages: ['Pass the account that `toWebAuthnAccount` of viem returns.'],
    })
  }
  const point = isPrefixed ? slice(account.publicKey, 1) : account.publicKey
  const sign = async (hash: Hex) => encodeAssertion(await account.sign({ hash }))
  return {
    passkey: { x: hexToBigInt(slice(point, 0, 32)), y: hexToBigInt(slice(point, 32, 64)) },
    owner: {
      signerType: signerTypes.local,
      getAddress: async () => getAddress(slice(keccak256(point), 12)),
      sign: ({ hash }) => sign(hash),
      signMessage: ({ message }) => sign(hashMessage(message)),
      signTypedData: (definition) => sign(hashTypedData(definition)),
      getStubSignature: async () => stubAssertion,
    },
  }
}

type Assertion = Awaited<ReturnType<WebAuthnAccount['sign']>>

const assertionAbi = [
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
] as const

/** Order of P-256. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function encodeAssertion({ signature, webauthn }: Pick<Assertion, 'signature' | 'webauthn'>): Hex {
  const { authenticatorData, clientDataJSON } = webauthn
  const s = hexToBigInt(slice(signature, 32, 64))
  return encodeAbiParameters(assertionAbi, [
    {
      authenticatorData,
      clientDataJSON,
      challengeIndex: BigInt(clientDataJSON.indexOf('"challenge"')),
      typeIndex: BigInt(clientDataJSON.indexOf('"type"')),
      r: hexToBigInt(slice(signature, 0, 32)),
      // Contracts accept only the lower of the two equivalent values of `s`.
      s: s > order / 2n ? order - s : s,
    },
  ])
}

/** Assertion of realistic length: with the longest usual client data, so that no real assertion costs more gas. */
const stubAssertion: Hex = /* @__PURE__ */ encodeAssertion({
  signature: `0x${'7a'.repeat(64)}`,
  webauthn: {
    authenticatorData: `0x${'a5'.repeat(37)}`,
    clientDataJSON: JSON.stringify({
      type: 'webauthn.get',
      challenge: 'c'.repeat(43),
      origin: `https://${'o'.repeat(60)}`,
      crossOrigin: false,
      other_keys_can_be_added_here: stringToHex('e').repeat(25),
    }),
  },
})
