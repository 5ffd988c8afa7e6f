import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { DevError } from '../errors.ts'

/** How long a port that was given is given to no one else: a program that starts on it has taken it by then. */
const claimMs = 60_000

/**
 * First port of `count` neighbouring ones that are free on loopback now, in the range 10000..32000: below the ports
 * systems lend to outgoing connections. For a minute, or until this process ends, no other caller on the machine gets
 * them; another program may still take one, so a caller that starts servers on them tries again.
 *
 * @example
 * ```ts
 * import { freePorts } from 'latchkey-dev/testing'
 *
 * const firstOfTwo = await freePorts(2)
 * ```
 */
export async function freePorts(count: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const base = 10_000 + Math.floor(Math.random() * (22_000 - count))
    if (await claimAll(base, count)) return base
  }
  throw new DevError(`No ${count} neighbouring ports are free.`, { code: 'PORT_TAKEN' })
}

/** Claims first and looks then: who claimed before may have begun to listen meanwhile. */
async function claimAll(base: number, count: number): Promise<boolean> {
  const claims: Socket[] = []
  for (let port = base; port < base + count; port++) {
    const claim = await claimPort(port)
    if (claim) claims.push(claim)
    if (claim && (await isPortFree(port))) continue
    for (const socket of claims) socket.close()
    return false
  }
  for (const socket of claims) setTimeout(() => socket.close(), claimMs).unref()
  return true
}

/**
 * Takes a port for oneself: the UDP port of that number, which no server here uses and which the system takes back from
 * a process that ended. Undefined where another has it.
 */
async function claimPort(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4').unref()
  socket.bind({ port, address: '127.0.0.1', exclusive: true })
  try {
    await once(socket, 'listening')
    return socket
  } catch {
    socket.close()
    return undefined
  }
}

/** Whether a server could listen on the port on 127.0.0.1 and, where there is IPv6, on ::1. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'))
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'EADDRINUSE' && error.code !== 'EACCES'),
    )
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
