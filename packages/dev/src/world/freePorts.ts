import { createServer } from 'node:net'
import { DevError } from '../errors.ts'

/**
 * First port of `count` neighbouring ones that are free on loopback now, in the range 10000..32000: below the ports
 * systems lend to outgoing connections. Nothing keeps them free until they are used, so a caller that starts servers on
 * them tries again when one was taken meanwhile.
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
    if (await allFree(base, count)) return base
  }
  throw new DevError(`No ${count} neighbouring ports are free.`, { code: 'PORT_TAKEN' })
}

async function allFree(base: number, count: number): Promise<boolean> {
  for (let port = base; port < base + count; port++) if (!(await isPortFree(port))) return false
  return true
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
