import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between a store and its PostgreSQL, and cuts the connection at a chosen statement. */
export type CuttingProxy = {
  url: string
  /**
   * Cuts at the n-th statement from now on: `before` it reaches the database, or `after`, so that its answer is lost.
   * Every statement counts, `begin` and `commit` as well.
   */
  cutAt(statement: number, when: 'before' | 'after'): void
  /** Whether the statement that was chosen has come. Cuts no more. */
  disarm(): boolean
  close(): Promise<void>
}

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let left = 0
  let when: 'before' | 'after' = 'before'

  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        database.destroy()
      })
    }
    database.pipe(client)
    const countStatements = createCounter()
    client.on('data', (chunk: Buffer) => {
      const statements = countStatements(chunk)
      const isDue = left > 0 && statements >= left
      left = Math.max(0, left - statements)
      if (!isDue) return void database.write(chunk)
      if (when === 'before') return void client.destroy()
      database.unpipe(client)
      // The database has done it once it says anything.
      database.once('data', () => client.destroy()).resume()
      database.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cutAt(statement, cut) {
      left = statement
      when = cut
    },
    disarm() {
      const isSpent = left === 0
      left = 0
      return isSpent
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Statements in what a client sends: Query and Execute messages of the PostgreSQL protocol 3 (§ 54.7). */
function createCounter(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0)
  let hasStarted = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let count = 0
    for (;;) {
      // The first message has no type.
      const head = hasStarted ? 1 : 0
      if (rest.length < head + 4) return count
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) return count
      if (hasStarted && (rest[0] === 0x51 || rest[0] === 0x45)) count++
      hasStarted = true
      rest = rest.subarray(length)
    }
  }
}
