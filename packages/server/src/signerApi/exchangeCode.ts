import { z } from 'zod'
import { ServerError } from '../platform/errors/ServerError.ts'
import { fetchBounded } from '../platform/http/fetchBounded.ts'
import { isPrivateHost, publicLookup } from '../platform/http/publicLookup.ts'
import type { TrustedOidcProvider } from '../store/oidcProviders.ts'

const timeoutMs = 8_000
const what = 'The identity provider'
const tokenSchema = z.object({ id_token: z.string().max(16_384) })

export declare namespace exchangeCode {
  type Parameters = {
    code: string
    /** Secret of the code's challenge (RFC 7636 § 4.5). */
    verifier: string
    callbackUrl: string
  }
}

/**
 * Exchanges a code at the provider's token endpoint (RFC 6749 § 4.1.3) and returns the identity token, unverified.
 *
 * @throws `OIDC_TOKEN_INVALID` for a code that the provider refuses, such as a used one; `NETWORK_UNREACHABLE`,
 * `TIMEOUT`, `RESPONSE_INVALID`.
 */
export async function exchangeCode(
  { client, network }: TrustedOidcProvider,
  { code, verifier, callbackUrl }: exchangeCode.Parameters,
): Promise<string> {
  if (!client) throw new TypeError('a provider without a client')
  const isPublic = network === 'public'
  if (isPublic && isPrivateHost(new URL(client.tokenUrl).hostname))
    throw new ServerError(`${what} is not on the public Internet. Check client.tokenUrl in the projects file.`, {
      code: 'NETWORK_UNREACHABLE',
      status: 502,
    })
  const isBasic = client.secret !== undefined && client.secretIn !== 'body'
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl,
    code_verifier: verifier,
    ...(!isBasic && { client_id: client.id, ...(client.secret !== undefined && { client_secret: client.secret }) }),
  })
  const { status, body: answer } = await fetchBounded(client.tokenUrl, {
    what,
    timeoutMs,
    maxBytes: 64_000,
    connection: isPublic ? { lookup: publicLookup } : undefined,
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(isBasic && { authorization: toBasic(client.id, client.secret ?? '') }),
    },
    body: body.toString(),
  })
  if (status === 400)
    throw new ServerError(`${what} does not accept the code: it was used, or has expired. Sign in with it again.`, {
      code: 'OIDC_TOKEN_INVALID',
      status: 400,
    })
  const parsed = tokenSchema.safeParse(status === 200 ? parse(answer) : undefined)
  if (parsed.success) return parsed.data.id_token
  throw new ServerError(`${what} gave no identity token (status ${status}). Check its client in the projects file.`, {
    code: 'RESPONSE_INVALID',
    status: 502,
  })
}

/** Client id and secret are form-encoded first (RFC 6749 § 2.3.1). */
function toBasic(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
