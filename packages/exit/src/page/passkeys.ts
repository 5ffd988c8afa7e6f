import { concat } from 'viem'
import { toWebAuthnAccount } from 'viem/account-abstraction'
import { CommandError } from '../errors.ts'
import type { OpenedPasskey, OwnerPasskey } from '../openAccount.ts'
import { type Fit, fitsSite } from './fitsSite.ts'

/** Returns whether this page can use a passkey, in this browser. */
export async function fitOf({ rpId }: OwnerPasskey): Promise<Fit> {
  if (typeof PublicKeyCredential === 'undefined') return 'none'
  // Older browsers and TypeScript's types do not have this function.
  const { getClientCapabilities } = PublicKeyCredential as { getClientCapabilities?: () => Promise<object> }
  const known = new Map<string, unknown>(Object.entries((await getClientCapabilities?.call(PublicKeyCredential)) ?? {}))
  return fitsSite({ rpId, place: location, hasRelatedOrigins: known.get('relatedOrigins') !== false })
}

/** Returns a sentence about where a passkey works; undefined if it works here. */
export function explainPlace({ rpId }: OwnerPasskey, fit: Fit): string | undefined {
  if (fit === 'same') return undefined
  const here = location.hostname ? `on ${location.hostname}` : 'a file'
  const start = `The passkey works on ${rpId}, and this page is ${here}.`
  if (fit === 'related') return `${start} Your browser asks ${rpId} whether that is allowed. If not: ${whereTo(rpId)}`
  return typeof PublicKeyCredential === 'undefined'
    ? `This browser has no passkeys. In one that has: ${whereTo(rpId)}`
    : `${start} ${whereTo(rpId)}`
}

function whereTo(rpId: string): string {
  // Related origins need https, which localhost rarely has.
  if (rpId === 'localhost') return 'Serve this file there, such as http://localhost:8000/exit.html, and open it.'
  const origin = location.protocol === 'https:' ? location.origin : 'https://exit.example'
  return [
    `Put this file on that site, such as https://${rpId}/exit.html, and open it there.`,
    `Or let the site allow another: https://${rpId}/.well-known/webauthn with the JSON {"origins":["${origin}"]}.`,
  ].join(' ')
}

/** Returns a passkey that signs with the browser's prompt. It always asks for user verification. */
export function openPasskey(described: OwnerPasskey): OpenedPasskey {
  const { x, y, rpId, credentialId = '' } = described
  const account = toWebAuthnAccount({ rpId, credential: { id: credentialId, publicKey: concat([x, y]) } })
  const sign: typeof account.sign = (parameters) =>
    account.sign(parameters).catch((error: unknown) => {
      throw explainPrompt(error, rpId)
    })
  return { described, account: { ...account, sign } }
}

/** Converts the errors of the browser (WebAuthn Level 3, section 5.1.4). */
function explainPrompt(error: unknown, rpId: string): CommandError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'SecurityError')
    return new CommandError(`${location.hostname} may not use the passkeys of ${rpId}. Nothing was sent.`, {
      code: 'PASSKEY_FAILED',
      cause,
      hint: whereTo(rpId),
    })
  if (name === 'NotAllowedError' || name === 'AbortError')
    return new CommandError(
      'The passkey did not sign: the prompt was closed, or it ran out of time. Nothing was sent.',
      {
        code: 'PASSKEY_CANCELLED',
        cause,
        hint: `Try again, on a device that has your passkey of ${rpId}.`,
      },
    )
  return new CommandError('The passkey did not sign. Nothing was sent.', {
    code: 'PASSKEY_FAILED',
    cause,
    hint: 'Try again, in another browser or on another device that has the passkey.',
  })
}
