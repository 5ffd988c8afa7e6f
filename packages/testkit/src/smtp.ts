import type { AddressInfo, Socket } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { freePorts } from '../../dev/src/devnet/freePorts.ts'
import { FixtureError } from './FixtureError.ts'

export type TestSmtp = {
  url: string
  mails: { recipients: string[]; raw: string; parsed: Email; isEncrypted: boolean }[]
  /** Response codes for the next AUTH and RCPT commands. If empty, everything is accepted. */
  refusals: number[]
  /** Number of e-mails to accept whose connections are cut before the response. */
  hangUps: number
  /** Delays the responses to accepted e-mails until this resolves. */
  held: Promise<void> | undefined
  connections(): number
  close(): Promise<void>
}

/**
 * Starts an SMTP server that stores its e-mails, on a free loopback port or the given port. `tls` offers STARTTLS with
 * its own certificate, and `auth` requires authentication with any credentials.
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
  // Some tests disconnect during a command.
  server.on('error', () => undefined)
  smtp.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  return smtp
}

/**
 * Listens on a port below the system-assigned range, which another program could take before a restart. Makes up to
 * three attempts, because another process may take a free port first.
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
