import { DevError } from '../errors.ts'
import type { InboxMessage } from '../inbox/createMessageStore.ts'

export declare namespace waitForMail {
  type Options = {
    /** @default 60_000 */
    timeoutMs?: number | undefined
    /** Number of e-mails to this address to skip. @default 0 */
    skip?: number | undefined
    /** Filter. @default all e-mails */
    matching?: ((message: InboxMessage) => boolean) | undefined
  }
  type ReturnType = InboxMessage
}

/**
 * Waits for the next e-mail to an address, using the inbox's HTTP API.
 *
 * @throws `TIMEOUT` with the address
 *
 * @example
 * ```ts
 * import { startTestDevnet, waitForMail } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const mail = await waitForMail(devnet, 'ada@example.org', { matching: ({ subject }) => subject.includes('passkey') })
 * ```
 */
export async function waitForMail(
  devnet: { urls: { inbox: string } },
  to: string,
  options: waitForMail.Options = {},
): Promise<waitForMail.ReturnType> {
  const { timeoutMs = 60_000, skip = 0, matching = () => true } = options
  const deadline = Date.now() + timeoutMs
  const url = `${devnet.urls.inbox}/api/messages?to=${encodeURIComponent(to)}`
  while (Date.now() < deadline) {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    const messages = ((await response.json()) as InboxMessage[]).filter(matching)
    // The list is newest first. The next e-mail is the oldest one after the skipped ones.
    const next = messages.at(-1 - skip)
    if (next) return next
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new DevError(`No email to ${to} arrived within ${timeoutMs / 1000} s.`, {
    code: 'TIMEOUT',
    hint: `See what did arrive at ${devnet.urls.inbox}.`,
  })
}
