import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

export type TestSmtp = {
  url: string
  mails: { recipients: string[]; raw: string; parsed: ParsedMail }[]
  /** Answers of the next RCPT commands; an empty list takes everything. */
  refusals: number[]
  connections(): number
  close(): Promise<void>
}

/** A real SMTP server on a free loopback port that keeps what it is sent. */
export async function startTestSmtp(): Promise<TestSmtp> {
  const mails: TestSmtp['mails'] = []
  const refusals: number[] = []
  let connections = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onConnect(_session, callback) {
      connections++
      callback()
    },
    onRcptTo(_address, _session, callback) {
      const responseCode = refusals.shift()
      callback(responseCode ? Object.assign(new Error('not now'), { responseCode }) : undefined)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks)
        const recipients = session.envelope.rcptTo.map((recipient) => recipient.address)
        simpleParser(raw).then((parsed) => {
          mails.push({ recipients, raw: raw.toString('utf8'), parsed })
          callback()
        }, callback)
      })
    },
  })
  // Clients that hang up in the middle are part of some tests.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refusals,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
