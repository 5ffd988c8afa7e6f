import { signerTypes } from 'latchkey-protocol'
import { encodeAbiParameters, type Hex, hashMessage, hashTypedData } from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import type { SmartAccountOwner } from '../owner.ts'
import { type PasskeyPoint, readPoint, readScalars, stubAssertion, toIdentifier } from '../owners/passkeyPoint.ts'

/**
 * Creates an owner that signs with a passkey, in the encoding of WebAuthnValidationModule. The owner's address only
 * identifies the passkey.
 *
 * @throws `ARGUMENT_INVALID` for a public key that is not a point on P-256.
 */
export function toModuleOwner(account: WebAuthnAccount): { owner: SmartAccountOwner; passkey: PasskeyPoint } {
  const passkey = readPoint(account)
  const sign = async (hash: Hex) => encodeAssertion(await account.sign({ hash }))
  return {
    passkey,
    owner: {
      signerType: signerTypes.local,
      getAddress: async () => toIdentifier(passkey),
      sign: ({ hash }) => sign(hash),
      signMessage: ({ message }) => sign(hashMessage(message)),
      signTypedData: (definition) => sign(hashTypedData(definition)),
      getStubSignature: async () => stubSignature,
    },
  }
}

export const assertionAbi = [
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

function encodeAssertion(assertion: Parameters<typeof readScalars>[0]): Hex {
  const { authenticatorData, clientDataJSON } = assertion.webauthn
  return encodeAbiParameters(assertionAbi, [
    {
      authenticatorData,
      clientDataJSON,
      challengeIndex: BigInt(clientDataJSON.indexOf('"challenge"')),
      typeIndex: BigInt(clientDataJSON.indexOf('"type"')),
      ...readScalars(assertion),
    },
  ])
}

const stubSignature: Hex = /* @__PURE__ */ encodeAssertion(stubAssertion)
