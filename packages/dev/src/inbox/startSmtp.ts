import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import PostalMime, { type Address } from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { DevError } from '../errors.ts'
import type { InboxMessage } from './createMessageStore.ts'

export declare namespace startSmtp {
  type Parameters = {
    /** Port on 127.0.0.1. 0 selects a free port. */
    port: number
    /** Handles a received e-mail. The sender receives the acceptance once this resolves. */
    onMessage(message: InboxMessage): void | Promise<void>
  }
  type ReturnType = { port: number; close(): Promise<void> }
}

/** Maximum size of an e-mail in bytes, announced by the SIZE extension (RFC 1870). */
const maxBytes = 1_000_000

/**
 * Starts an SMTP server (RFC 5321) on loopback that accepts every e-mail and forwards none. Supports neither TLS nor
 * authentication.
 */
export function startSmtp({ port, onMessage }: startSmtp.Parameters): Promise<startSmtp.ReturnType> {
  const server = new SMTPServer({
    name: 'localhost',
    banner: 'Latchkey inbox',
    size: maxBytes,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    maxClients: 50,
    socketTimeout: 10_000,
    closeTimeout: 500,
    onData(stream, session, callback) {
      receive(stream, session)
        .then(onMessage)
        .then(
          () => callback(),
          (error: Error) => callback(error),
        )
    },
  })
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        cause.code === 'EADDRINUSE'
          ? new DevError(`Port ${port} of the mail server is taken.`, { code: 'PORT_TAKEN', cause })
          : new DevError('The mail server did not start.', { code: 'CONFIG_INVALID', cause }),
      )
    })
    server.listen(port, '127.0.0.1', () => {
      // A client that disconnects while sending must not end the process.
      server.on('error', () => undefined)
      const address = server.server.address()
      resolve({
        port: typeof address === 'object' && address ? address.port : port,
        close: () => new Promise((done) => server.close(() => done())),
      })
    })
  })
}

async function receive(
  stream: Readable & { sizeExceeded?: boolean },
  session: SMTPServerSession,
): Promise<InboxMessage> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Discards the rest of an e-mail that is too large, so that the sender receives the refusal.
    if (bytes <= maxBytes) chunks.push(chunk)
  }
  if (stream.sizeExceeded || bytes > maxBytes) {
    const error = new DevError(`The email is larger than ${maxBytes} bytes.`, { code: 'BODY_TOO_LARGE' })
    throw Object.assign(error, { responseCode: 552 })
  }
  const { from, subject = '', html = '', text = readHtml(html) } = await PostalMime.parse(Buffer.concat(chunks))
  return {
    id: randomUUID(),
    to: session.envelope.rcptTo.map(({ address }) => address).join(', '),
    from: from ? formatAddress(from) : session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
    subject,
    text,
    html,
    links: findLinks({ html, text }),
    code: findCode({ text }),
    receivedAt: new Date().toISOString(),
  }
}

const formatAddress = ({ name, address }: Address): string =>
  name && address ? `"${name}" <${address}>` : address || name

/** Converts HTML to text with one line per element, for e-mails without a text part. */
function readHtml(html: string): string {
  const parts = html.split(/<\/(?:style|script)\s*>/i).map((part) => part.replace(/<(?:style|script)\b[\s\S]*$/i, ''))
  const lines = parts
    .join('')
    .replace(/<[^<>]*>/g, '\n')
    .split('\n')
    .map((line) => decodeEntities(line.trim()))
  return lines.filter(Boolean).join('\n')
}

/**
 * Returns the links of an e-mail: `href`s of its HTML part, then URLs in its text part. Removes duplicates, and returns
 * at most 100.
 */
export function findLinks(parts: { html: string; text: string }): string[] {
  const hrefs = [...parts.html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map((match) =>
    decodeEntities(match[1] ?? match[2] ?? ''),
  )
  const bare = [...parts.text.matchAll(/https?:\/\/[^\s<>"')\]]+/gi)].map((match) => match[0])
  return [...new Set([...hrefs, ...bare])].filter(isWebLink).slice(0, 100)
}

function isWebLink(link: string): boolean {
  return URL.canParse(link) && ['http:', 'https:'].includes(new URL(link).protocol)
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name) return named[name.toLowerCase()] ?? whole
    const point = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}

/**
 * Returns the sign-in code of an e-mail: a line of its text with only six, nine or fifteen digits. Null if there is
 * none.
 */
export function findCode({ text }: { text: string }): string | null {
  return /^[ \t]*(\d{6}|\d{9}|\d{15})[ \t]*$/m.exec(text)?.[1] ?? null
}
