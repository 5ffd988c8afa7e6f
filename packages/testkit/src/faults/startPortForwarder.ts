import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { FixtureError } from '../FixtureError.ts'

/** Forwards a port to a target that can be changed, like a load balancer. */
export async function startPortForwarder(first: number, own = 0) {
  let target = first
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1')
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        database.destroy()
      })
    }
    client.pipe(database).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port: number) {
      target = port
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Polls `isSo` until it returns true. Throws `what` after a minute. */
export async function until(
  isSo: () => Promise<boolean>,
  what = 'The standby does not follow the primary.',
): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new FixtureError(what)
}
