import { headers } from 'latchkey-protocol'
import { CallError, request, setPageToken } from './request.ts'

type Challenge = { challenge: string; rpId: string }

/**
 * Signs in by a passkey of this console.
 *
 * @throws `CallError`: `PASSKEY_CANCELLED` if the user or browser cancelled.
 */
export async function signIn(): Promise<void> {
  const { challenge, rpId } = await request<Challenge>('/session/challenge', { method: 'POST', body: {} })
  const body = { challenge }
  const stamp = await stampWithPasskey(JSON.stringify(body), rpId)
  const begun = await request<{ pageToken: string }>('/session', {
    method: 'POST',
    body,
    headers: { [headers.webauthnStamp]: stamp },
  })
  setPageToken(begun.pageToken)
}

/**
 * Stamps the exact text of a body by a passkey of this console.
 *
 * @throws `CallError`: `PASSKEY_CANCELLED`.
 */
export const stampBody = (body: string): Promise<string> => stampWithPasskey(body, location.hostname)

/** Signs out; the browser drops the session even if the admin API does not respond. */
export async function signOut(): Promise<void> {
  await request('/session', { method: 'DELETE' })
}

/** Returns a stamp in the form that custody and the admin API read. */
async function stampWithPasskey(body: string, rpId: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))
  const found = await askPasskey(() =>
    navigator.credentials.get({
      publicKey: { challenge: new TextEncoder().encode(toHex(digest)), rpId, userVerification: 'required' },
    }),
  )
  const response = found.response as AuthenticatorAssertionResponse
  return JSON.stringify({
    authenticatorData: toBase64Url(response.authenticatorData),
    clientDataJson: toBase64Url(response.clientDataJSON),
    credentialId: toBase64Url(found.rawId),
    signature: toBase64Url(response.signature),
  })
}

/** Content of a `latchkey-server operators invite` link after its `#`. */
export type Invitation = { text: string; id: string; name: string; role: string; until: number }

/** Returns undefined if the URL has no invitation. `operators accept` verifies it. */
export function readInvitation(hash: string): Invitation | undefined {
  const text = hash.slice(1)
  try {
    const [content = ''] = text.split('.')
    const bytes = Uint8Array.from(atob(content.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0))
    const { id, name, role, until } = JSON.parse(new TextDecoder().decode(bytes))
    return { text, id: String(id), name: String(name), role: String(role), until: Number(until) }
  } catch {
    return undefined
  }
}

/**
 * Creates an invitation's passkey. Returns the line for `latchkey-server operators accept`.
 *
 * @throws `CallError`
 */
export async function acceptInvitation({ text, id, name }: Invitation): Promise<string> {
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const made = await askPasskey(() =>
    navigator.credentials.create({
      publicKey: {
        challenge,
        rp: { id: location.hostname, name: 'Latchkey console' },
        user: { id: new TextEncoder().encode(id), name, displayName: name },
        pubKeyCredParams: [
          { type: 'public-key', alg: -7 },
          { type: 'public-key', alg: -257 },
        ],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
      },
    }),
  )
  const response = made.response as AuthenticatorAttestationResponse
  const line = {
    invitation: text,
    credentialId: toBase64Url(made.rawId),
    attestationObject: toBase64Url(response.attestationObject),
    clientDataJson: toBase64Url(response.clientDataJSON),
  }
  return toBase64Url(new TextEncoder().encode(JSON.stringify(line)))
}

async function askPasskey(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  if (!('credentials' in navigator) || typeof PublicKeyCredential === 'undefined')
    throw new CallError('Passkeys don’t work here. Open the console over https in a browser that supports them.', {
      code: 'PASSKEY_UNSUPPORTED',
    })
  const found = await ask().catch((cause: unknown) => {
    throw cancelled(cause)
  })
  // Checks members instead of the class, since password managers return their own objects.
  if (found && 'rawId' in found && 'response' in found) return found as PublicKeyCredential
  throw cancelled()
}

const cancelled = (cause?: unknown) =>
  new CallError('No passkey was used. Try again with the device or security key you set up.', {
    code: 'PASSKEY_CANCELLED',
    cause,
  })

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function toBase64Url(bytes: ArrayBuffer | Uint8Array): string {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
}
