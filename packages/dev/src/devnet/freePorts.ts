import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { DevError } from '../errors.ts'

/** Milliseconds for which a port stays reserved. By then, the caller's program should be listening on the port. */
const claimMs = 60_000

/**
 * Returns the first of `count` consecutive ports that are free on loopback, in the range 10000..32000, below the
 * ephemeral ports of outgoing connections. The ports stay reserved for this machine's devnets for a minute, or until
 * this process exits. Other programs may still take them, so callers should retry.
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

/** Reserves the ports before checking them, because an earlier holder may be listening by now. */
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
 * Reserves a TCP port by binding the UDP port with the same number. No server here uses UDP, and the system releases
 * the port when the process exits. Returns undefined if another process has reserved the port.
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

/** Checks whether a server could listen on the port on 127.0.0.1 and, with IPv6, on ::1. */
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
