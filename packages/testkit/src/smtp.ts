import type { AddressInfo, Socket } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { freePorts } from '../../dev/src/world/freePorts.ts'
import { FixtureError } from './FixtureError.ts'

export type TestSmtp = {
  url: string
  mails: { recipients: string[]; raw: string; parsed: ParsedMail; isEncrypted: boolean }[]
  /** Replies to the next AUTH and RCPT commands; an empty list takes everything. */
  refusals: number[]
  /** So many of the next mails are taken, and the connection cut before the answer. */
  hangUps: number
  /** Holds mails that are taken until this is over, before the answer. */
  held: Promise<void> | undefined
  connections(): number
  close(): Promise<void>
}

/**
 * A real SMTP server on a free loopback port, or the given one, that keeps what it is sent. With `tls` it offers STARTTLS,
 * with a certificate of its own making; with `auth` it wants a sign-in, any.
 */
export async function startTestSmtp(wantedPort = 0, { tls = false, auth = false } = {}): Promise<TestSmtp> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = new SMTPServer({
    disabledCommands: [...(auth ? [] : ['AUTH']), ...(tls ? [] : ['STARTTLS'])],
    authOptional: !auth,
    allowInsecureAuth: true,
    onAuth({ username }, _session, callback) {
      const responseCode = smtp.refusals.shift()
      if (responseCode) callback(Object.assign(new FixtureError('not now'), { responseCode }))
      else callback(null, { user: username })
    },
    onConnect(_session, callback) {
      connections++
      callback()
    },
    onRcptTo(_address, _session, callback) {
      const responseCode = smtp.refusals.shift()
      callback(responseCode ? Object.assign(new FixtureError('not now'), { responseCode }) : undefined)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks)
        const recipients = session.envelope.rcptTo.map((recipient) => recipient.address)
        simpleParser(raw).then(async (parsed) => {
          smtp.mails.push({ recipients, raw: raw.toString('utf8'), parsed, isEncrypted: session.secure })
          await smtp.held
          if (smtp.hangUps === 0) return callback()
          smtp.hangUps--
          for (const socket of sockets) socket.destroy()
        }, callback)
      })
    },
  })
  const smtp: TestSmtp = {
    url: '',
    mails: [],
    refusals: [],
    hangUps: 0,
    held: undefined,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.removeListener('error', reject)
        resolve()
      })
    })
  if (wantedPort) await listen(wantedPort)
  else await listenOnFreePort(listen)
  // Clients that hang up in the middle are part of some tests.
  server.on('error', () => undefined)
  smtp.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  return smtp
}

/**
 * Not on a port that the system lends: it could be another program's once a test starts the server again on it. A port
 * found free may be taken before it is used: three attempts.
 */
async function listenOnFreePort(listen: (port: number) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listen(await freePorts(1))
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}
