import { toAsciiDomain } from 'latchkey-protocol'
import { createTransport } from 'nodemailer'
import type { MailPayload } from '../keys/mailSeal.ts'
import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'
import { isThisMachine } from '../platform/http/fetchBounded.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import { renderMail } from './renderMail.ts'
import type { MailTemplate } from './templates/template.ts'

/** Sends mails by SMTP. Rejects with nodemailer's error. */
export type Mailer = { send(mail: Mail): Promise<void>; verify(): Promise<void>; close(): void }

/** `id` becomes the Message-ID (RFC 5322 § 3.6.4), which identifies duplicates. */
export type Mail = { id: string; payload: MailPayload; now: number }

export declare namespace createMailer {
  type Options = {
    /**
     * `smtp://user:password@host:port` or `smtps://…`. Mails contain sign-in codes, so connections to other machines
     * require TLS (STARTTLS, RFC 3207); use `?requireTLS=false` for a relay without TLS in your own network.
     */
    smtpUrl: string
    /** Sender, such as `Example <no-reply@example.com>`. */
    from: string
    /** Custom templates by `templateId`. */
    templates?: Readonly<Record<string, MailTemplate>> | undefined
    /** Maximum milliseconds for one mail. Less than the 30 s of a claim. @default 9000 */
    sendTimeoutMs?: number | undefined
  }
}

/** Returns an SMTP client (RFC 5321) based on nodemailer. Each step and the whole send have time limits. */
export function createMailer(options: createMailer.Options): Mailer {
  const { sendTimeoutMs = 9_000, templates } = options
  const transport = createTransport({
    url: options.smtpUrl,
    // Reuses connections, since greeting, TLS and sign-in take longer than sending the mail. If a connection fails, the
    // mail role retries.
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
 * Parses a sender.
 *
 * @throws `CONFIG_INVALID`.
 */
export function parseSender(from: string): { name: string; address: string; domain: string } {
  const { name = '', address = from.trim() } = /^(?<name>[^<>]*)<(?<address>[^<>]*)>$/.exec(from.trim())?.groups ?? {}
  const { local = '', host = '' } = /^(?<local>[^@\s]+)@(?<host>[^@\s]+)$/.exec(address)?.groups ?? {}
  const domain = toAsciiDomain(host)
  if (domain !== '') return { name: name.trim().replace(/^"(.*)"$/, '$1'), address: `${local}@${domain}`, domain }
  throw configInvalid('The sender of emails must be an address such as Example <no-reply@example.com>.')
}

/**
 * Explains why the mail server's certificate was refused; undefined for any other failure. Debian's Postfix is
 * installed with a self-signed certificate.
 */
export function explainCertificate(error: unknown, smtpUrl = ''): string | undefined {
  const { message } = Object(error) as { message?: unknown }
  const reason = /[^:]*\bcertificate\b[^:]*/i.exec(String(message))?.[0].trim()
  if (reason === undefined) return undefined
  const fix = isOnThisMachine(smtpUrl)
    ? 'add ?ignoreTLS=true to LATCHKEY_SMTP_URL, since the email does not leave this machine'
    : 'give it a certificate for its host name from an authority that this machine trusts'
  return `has a certificate that is not trusted (${reason}), so no email is sent: ${fix}`
}

/** Limits the whole send, since a server that sends data slowly never exceeds the limit of a single step. */
async function within(sending: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new ServerError('The mail server did not accept the email in time.', { code: 'TIMEOUT', status: 504 })
    timer = setTimeout(() => reject(error), timeoutMs)
  })
  try {
    await Promise.race([sending, late])
  } finally {
    clearTimeout(timer)
  }
}
