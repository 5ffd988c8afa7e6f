import { createServer, type Server } from 'node:net'
import { freePorts } from 'latchkey-dev/testing'

export type HeldPorts = Awaited<ReturnType<typeof holdPorts>>

const maxTries = 20

/** Reserves consecutive ports while their servers are being built, so that no other test takes them. */
export async function holdPorts(count: number) {
  for (let tries = 1; ; tries++) {
    const base = await freePorts(count)
    const held = new Map<number, Server[]>()
    const release = async (port?: number) => {
      const ports = port === undefined ? [...held.keys()] : [port]
      const servers = ports.flatMap((each) => held.get(each) ?? [])
      for (const each of ports) held.delete(each)
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    }
    try {
      for (let port = base; port < base + count; port++) {
        const servers: Server[] = []
        held.set(port, servers)
        for (const host of ['127.0.0.1', '::1']) await listen(servers, port, host)
      }
      return { base, release }
    } catch (error) {
      await release()
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === maxTries) throw error
    }
  }
}

/** Listens on a port. Does nothing for IPv6 on a machine without it. */
function listen(servers: Server[], port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT' ? resolve() : reject(error),
    )
    server.listen({ port, host, exclusive: true }, () => {
      servers.push(server)
      resolve()
    })
  })
}
