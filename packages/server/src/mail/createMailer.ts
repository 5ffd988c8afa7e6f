import { createTransport } from 'nodemailer'
import { ServerError } from '../http/ServerError.ts'
import type { MailPayload } from '../keys/mailSeal.ts'
import { renderSignInMail } from './renderSignInMail.ts'

/** Hands a mail to SMTP. Rejects with nodemailer's error. */
export type Mailer = { send(mail: Mail): Promise<void>; verify(): Promise<void>; close(): void }

/** `id` becomes the Message-ID, so that a mail sent twice after a crash is known as the same. */
export type Mail = { id: string; payload: MailPayload; now: number }

/** SMTP (RFC 5321) by nodemailer, one connection a mail; every step has a time limit, and so has the whole. */
export function createMailer(options: createMailer.Options): Mailer {
  const { sendTimeoutMs = 9_000 } = options
  const transport = createTransport({
    url: options.smtpUrl,
    dnsTimeout: 3_000,
    connectionTimeout: 3_000,
    greetingTimeout: 3_000,
    socketTimeout: 6_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = /@([A-Za-z0-9.-]+)/.exec(options.from)?.[1] ?? 'localhost'
  return {
    async send({ id, payload, now }) {
      const minutes = Math.max(1, Math.round((payload.expiresAtMs - now) / 60_000))
      const sending = transport.sendMail({
        from: options.from,
        to: { name: '', address: payload.to },
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        ...renderSignInMail({ appName: payload.appName, link: payload.link, minutes }),
      })
      await within(sending, sendTimeoutMs)
    },
    async verify() {
      await transport.verify()
    },
    close: () => transport.close(),
  }
}

export declare namespace createMailer {
  type Options = {
    /** `smtp://user:password@host:port` or `smtps://…`. */
    smtpUrl: string
    /** Sender, such as `Example <no-reply@example.com>`. */
    from: string
    /** Most a mail may take, below the 30 s that a claim lasts. @default 9000 */
    sendTimeoutMs?: number | undefined
  }
}

/** A server that goes on sending a little now and then never runs into the limit of a step. */
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
