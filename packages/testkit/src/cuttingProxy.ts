import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between a store and its PostgreSQL, and cuts the connection at a chosen write. */
export type CuttingProxy = {
  url: string
  /**
   * Cuts at the n-th write from now on: `before` it reaches the database, or `after`, so that its answer is lost.
   * `commit` counts as well.
   */
  cutAt(write: number, when: 'before' | 'after'): void
  /** Cuts before the next write of that name, as `record` has it. */
  cutBefore(name: string): void
  /** Notes the writes from now on; `end` returns their names, in order: statements, and after which of them a commit is. */
  record(): { end(): string[] }
  /** Whether the write that was chosen has come. Cuts no more. */
  disarm(): boolean
  close(): Promise<void>
}

export async function startCuttingProxy(
  databaseUrl: string,
  /** Called in the moment of the cut: a process that is killed there does nothing more. */
  onCut: () => void = () => undefined,
  /** What counts as a write: of several in a transaction, its `commit` counts, too. @default all that change something */
  counts: (statement: string) => boolean = () => true,
): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let left = 0
  let when: 'before' | 'after' = 'before'
  let chosen: string | undefined
  let recorded: string[] | undefined

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
    const listWrites = createReader(counts)
    client.on('data', (chunk: Buffer) => {
      const found = listWrites(chunk)
      recorded?.push(...found)
      const writes = chosen === undefined ? found.length : found.filter((name) => name === chosen).length
      const isDue = left > 0 && writes >= left
      left = Math.max(0, left - writes)
      if (!isDue) return void database.write(chunk)
      if (when === 'before') {
        onCut()
        return void client.destroy()
      }
      database.unpipe(client)
      // The database has done it once it says anything.
      database
        .once('data', () => {
          onCut()
          client.destroy()
        })
        .resume()
      database.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cutAt(write, cut) {
      left = write
      when = cut
      chosen = undefined
    },
    cutBefore(name) {
      left = 1
      when = 'before'
      chosen = name
    },
    record() {
      const statements: string[] = []
      recorded = statements
      return {
        end() {
          recorded = undefined
          return statements
        },
      }
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

/** What changes nothing, unless it adds a job. */
const reads = /^(?:select(?![\s\S]*add_job)|begin|savepoint|rollback)/i

/** Writes in what a client sends: Query, Parse, Bind and Execute messages of the PostgreSQL protocol 3 (§ 54.7). */
function createReader(counts: (statement: string) => boolean): (chunk: Buffer) => string[] {
  const statements = new Map<string, string>()
  let bound = ''
  let rest = Buffer.alloc(0)
  let hasStarted = false
  /** The last write of the transaction. */
  let last: string | undefined

  /** The statement that a message has done. */
  function read(type: string, [first = '', second = '']: string[]): string | undefined {
    if (type === 'P') statements.set(first, second)
    if (type === 'B') bound = statements.get(second) ?? ''
    if (type === 'E') return bound
    return type === 'Q' ? first : undefined
  }

  function nameWrite(statement: string): string | undefined {
    if (isRead(statement)) return undefined
    const before = last
    const isEnd = /^(?:commit|end)/i.test(statement.trimStart())
    if (isEnd) {
      last = undefined
      return before === undefined && !counts(statement) ? undefined : `commit after ${before ?? 'nothing'}`
    }
    if (!counts(statement)) return undefined
    last = statement
    return statement
  }

  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const found: string[] = []
    for (;;) {
      // The first message has no type.
      const head = hasStarted ? 1 : 0
      if (rest.length < head + 4) return found
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) return found
      const type = hasStarted ? String.fromCharCode(rest[0] ?? 0) : ''
      const statement = read(type, rest.toString('latin1', head + 4, length).split('\0', 2))
      const name = statement === undefined ? undefined : nameWrite(statement)
      if (name !== undefined) found.push(name)
      hasStarted = true
      rest = rest.subarray(length)
    }
  }
}

function isRead(statement: string): boolean {
  return reads.test(statement.trimStart())
}
