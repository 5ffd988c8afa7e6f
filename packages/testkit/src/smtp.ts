import type { AddressInfo, Socket } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { freePorts } from '../../dev/src/devnet/freePorts.ts'
import { FixtureError } from './FixtureError.ts'

export type TestSmtp = {
  url: string
  mails: { recipients: string[]; raw: string; parsed: Email; isEncrypted: boolean }[]
  /** Replies to the next AUTH and RCPT commands; with an empty list, everything is accepted. */
  refusals: number[]
  /** Number of next mails that are accepted but whose connections are cut before the reply. */
  hangUps: number
  /** Accepted mails get no reply until this resolves. */
  held: Promise<void> | undefined
  connections(): number
  close(): Promise<void>
}

/**
 * Starts a real SMTP server that keeps its mails, on a free loopback port or the given one. `tls` offers STARTTLS with
 * an own certificate, and `auth` requires any sign-in.
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
        PostalMime.parse(raw).then(async (parsed) => {
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
  // Some tests hang up in the middle.
  server.on('error', () => undefined)
  smtp.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  return smtp
}

/**
 * Another program could take a system-assigned port before a test restarts the server on it. A free port may be taken
 * before it is used, so three attempts are made.
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
