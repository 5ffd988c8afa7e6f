import type { OperatorRole } from 'latchkey-protocol/admin'
import { ServerError } from '../platform/errors/ServerError.ts'
import { type Assertion, verifyAssertion } from './verifyAssertion.ts'

/** An operator from the configuration who signs in by passkey. */
export type PasskeyOperator = {
  /** UUID. */
  id: string
  name: string
  role: OperatorRole
  passkeys: readonly {
    /** base64url without padding. */
    credentialId: string
    /** COSE key, hex. */
    publicKey: string
  }[]
}

export declare namespace findPasskeyOperator {
  type Parameters = {
    assertion: Assertion
    /** Challenge that the passkey must have signed. */
    challenge: Uint8Array
    operators: readonly PasskeyOperator[]
    /** Origin of the console, whose host name is the relying party id. */
    consoleUrl: string
  }
}

/**
 * Returns the operator whose passkey signed, on the console's origin and with user verification (WebAuthn L3 § 7.2 step
 * 17): a stolen authenticator alone grants no access. Counters are not compared, since the configuration cannot store
 * them.
 *
 * @throws `CREDENTIAL_NOT_FOUND`, `SIGNATURE_INVALID`.
 */
export function findPasskeyOperator(parameters: findPasskeyOperator.Parameters): PasskeyOperator {
  const { assertion, challenge, operators, consoleUrl } = parameters
  const found = operators.flatMap((operator) =>
    operator.passkeys
      .filter(({ credentialId }) => credentialId === assertion.credentialId)
      .map(({ publicKey }) => ({ operator, publicKey })),
  )[0]
  if (!found)
    throw new ServerError('This passkey belongs to no operator. Ask an admin for an invitation.', {
      code: 'CREDENTIAL_NOT_FOUND',
      status: 401,
    })
  const { origin, hostname } = new URL(consoleUrl)
  const credential = { publicKey: found.publicKey, rpId: hostname }
  const verified = verifyAssertion({ assertion, challenge, allowedOrigins: [origin], credential })
  const problem =
    verified.problem ??
    (verified.userVerified ? undefined : 'The passkey must verify its user, by fingerprint, face or PIN.')
  if (problem !== undefined) throw new ServerError(problem, { code: 'SIGNATURE_INVALID', status: 401 })
  return found.operator
}
