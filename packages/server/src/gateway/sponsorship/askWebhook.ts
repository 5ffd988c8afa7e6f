import { createHmac, hkdfSync } from 'node:crypto'
import { z } from 'zod'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { fetchBounded, isThisMachine } from '../../platform/http/fetchBounded.ts'
import { isPrivateHost, publicLookup } from '../../platform/http/publicLookup.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Policy } from '../../store/ledger/policies.ts'
import { policyRefused } from './refusalErrors.ts'

const responseSchema = z.object({ approved: z.boolean(), reason: z.string().optional() })
const maxReasonLength = 200

export declare namespace askWebhook {
  type Parameters = {
    policy: Policy
    /** 32 bytes from which each policy's secret is derived; undefined if not configured. */
    key: Uint8Array | undefined
    /** Data for the decision, as JSON. */
    request: Record<string, unknown>
    /** Milliseconds since the epoch. */
    now: number
    logger: Logger
  }
}

/**
 * Asks the app's own server whether to pay. Without a timely response, the policy's configured default applies. The
 * request has the header `latchkey-signature: t=<seconds>,v1=<HMAC-SHA256 in hex of "<t>.<body>">` under {@link
 * webhookSecret}.
 *
 * @throws `POLICY_REFUSED` with rule `webhook`.
 */
export async function askWebhook({ policy, key, request, now, logger }: askWebhook.Parameters): Promise<void> {
  const { webhook } = policy.rules
  if (!webhook) return
  if (!key)
    throw configInvalid(`Gas policy ${policy.id} has a webhook. Give gateway.webhookKey (LATCHKEY_WEBHOOK_KEY).`)
  const decision = await decide(policy, webhook, sign({ policy, key, request, now }), (fields, message) =>
    logger.warn({ policyId: policy.id, ...fields }, message),
  )
  if (decision ? decision.approved : webhook.otherwise === 'sponsor') return
  const reason = decision?.reason?.slice(0, maxReasonLength)
  if (decision) throw policyRefused('webhook', reason ?? 'the app’s own server refused it.')
  throw policyRefused('webhook', 'the app’s own server, which decides, did not. Try again in a moment.')
}

type Webhook = NonNullable<Policy['rules']['webhook']>
type Signed = { body: string; signature: string }

async function decide(
  { isDeclared }: Pick<Policy, 'isDeclared'>,
  { url, timeoutMs }: Webhook,
  { body, signature }: Signed,
  warn: (fields: Record<string, unknown>, message: string) => void,
): Promise<z.output<typeof responseSchema> | undefined> {
  try {
    const headers = { 'content-type': 'application/json', 'latchkey-signature': signature }
    if (!isDeclared) assertPublicHost(url)
    const response = await fetchBounded(url, {
      what: 'The webhook',
      timeoutMs,
      maxBytes: 10_000,
      method: 'POST',
      headers,
      body,
      // Only the policies file may name hosts in the gateway's own network.
      connection: isDeclared ? undefined : { lookup: publicLookup },
    })
    if (response.status === 200) return responseSchema.parse(JSON.parse(new TextDecoder().decode(response.body)))
    warn({ status: response.status }, 'A webhook of a gas policy responded without a decision')
  } catch (error) {
    warn({ error }, 'A webhook of a gas policy gave no decision')
  }
  return undefined
}

/**
 * Refuses private addresses. Host names are checked when they resolve (see `publicLookup`); literal addresses never
 * resolve.
 */
function assertPublicHost(url: string): void {
  const { hostname } = new URL(url)
  if (isThisMachine(hostname) || isPrivateHost(hostname))
    throw configInvalid('The webhook is not on the public Internet. Name it in the policies file to allow it.')
}

function sign({
  policy,
  key,
  request,
  now,
}: Required<Pick<askWebhook.Parameters, 'policy' | 'request' | 'now'>> & { key: Uint8Array }): Signed {
  const body = JSON.stringify({ projectId: policy.projectId, policyId: policy.id, ...request })
  const seconds = Math.floor(now / 1000)
  const secret = webhookSecret(key, policy.projectId, policy.id)
  const mac = createHmac('sha256', Buffer.from(secret, 'hex')).update(`${seconds}.${body}`).digest('hex')
  return { body, signature: `t=${seconds},v1=${mac}` }
}

/**
 * Derives the secret with which a policy's webhook verifies requests: 32 bytes, hex. The secret reveals nothing about
 * other policies.
 */
export function webhookSecret(key: Uint8Array, projectId: string, policyId: string): string {
  const info = `latchkey webhook ${JSON.stringify([projectId, policyId])}`
  return Buffer.from(hkdfSync('sha256', key, '', info, 32)).toString('hex')
}
