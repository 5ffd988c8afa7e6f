import { createTransport } from 'nodemailer'
import type { MailPayload } from '../keys/mailSeal.ts'
import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'
import { isThisMachine } from '../platform/http/fetchBounded.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import { renderMail } from './renderMail.ts'
import type { MailTemplate } from './templates/template.ts'

/** Hands a mail to SMTP. Rejects with nodemailer's error. */
export type Mailer = { send(mail: Mail): Promise<void>; verify(): Promise<void>; close(): void }

/** `id` becomes the Message-ID (RFC 5322 § 3.6.4), so that a mail sent twice is known as the same. */
export type Mail = { id: string; payload: MailPayload; now: number }

export declare namespace createMailer {
  type Options = {
    /**
     * `smtp://user:password@host:port` or `smtps://…`. Mails carry codes that sign in, so they leave this machine by TLS
     * only (STARTTLS, RFC 3207); `?requireTLS=false` for a relay on a network of your own that has none.
     */
    smtpUrl: string
    /** Sender, such as `Example <no-reply@example.com>`. */
    from: string
    /** Own templates by `templateId`. */
    templates?: Readonly<Record<string, MailTemplate>> | undefined
    /**
     * Longest time for one mail, below the 30 s that a claim lasts.
     *
     * @default 9000
     */
    sendTimeoutMs?: number | undefined
  }
}

/** SMTP (RFC 5321) by nodemailer; every step has a time limit, and so has the whole. */
export function createMailer(options: createMailer.Options): Mailer {
  const { sendTimeoutMs = 9_000, templates } = options
  const transport = createTransport({
    url: options.smtpUrl,
    // Connections are kept: greeting, TLS and sign-in take longer than the mail. Retries are the mail role's.
    pool: true,
    maxConnections: 10,
    maxRequeues: 0,
    requireTLS: !isOnThisMachine(options.smtpUrl),
    dnsTimeout: 3_000,
    connectionTimeout: 3_000,
    greetingTimeout: 3_000,
    socketTimeout: 6_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const sender = parseSender(options.from)
  return {
    async send({ id, payload, now }) {
      const sending = transport.sendMail({
        from: { name: payload.senderName ?? sender.name, address: sender.address },
        to: { name: '', address: payload.to },
        ...(payload.replyTo && { replyTo: { name: '', address: payload.replyTo } }),
        messageId: `<${id}@${sender.domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        ...renderMail({ payload, now, templates }),
      })
      await within(sending, sendTimeoutMs)
    },
    async verify() {
      await transport.verify()
    },
    close: () => transport.close(),
  }
}

function isOnThisMachine(smtpUrl: string): boolean {
  return isThisMachine(parseUrl(smtpUrl)?.hostname ?? '')
}

/**
 * A sender's parts.
 *
 * @throws `CONFIG_INVALID`.
 */
export function parseSender(from: string): { name: string; address: string; domain: string } {
  const { name = '', address = from.trim() } = /^(?<name>[^<>]*)<(?<address>[^<>]*)>$/.exec(from.trim())?.groups ?? {}
  const domain = /^[^@\s]+@([A-Za-z0-9.-]+)$/.exec(address)?.[1]
  if (domain) return { name: name.trim().replace(/^"(.*)"$/, '$1'), address, domain }
  throw configInvalid('The sender of mails must be an address such as Example <no-reply@example.com>.')
}

/** A server that sends a little now and then never exceeds the limit of a step. */
async function within(sending: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new ServerError('The mail server did not take the mail in time.', { code: 'TIMEOUT', status: 504 })
    timer = setTimeout(() => reject(error), timeoutMs)
  })
  try {
    await Promise.race([sending, late])
  } finally {
    clearTimeout(timer)
  }
}
