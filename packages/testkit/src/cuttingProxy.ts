import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between a store and its PostgreSQL, and cuts the connection at a chosen write. */
export type CuttingProxy = {
  url: string
  /**
   * Cuts at the n-th write from now on: `before` it reaches the database, or `after`, so that its answer is lost.
   * `commit` counts as well.
   */
  cutAt(write: number, when: 'before' | 'after'): void
  /** Notes the writes from now on; `end` returns their statements, in order. */
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
      const statements = listWrites(chunk)
      recorded?.push(...statements)
      const writes = statements.length
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
  let hasWritten = false

  /** The statement that a message has done. */
  function read(type: string, [first = '', second = '']: string[]): string | undefined {
    if (type === 'P') statements.set(first, second)
    if (type === 'B') bound = statements.get(second) ?? ''
    if (type === 'E') return bound
    return type === 'Q' ? first : undefined
  }

  function isCounted(statement: string): boolean {
    if (isRead(statement)) return false
    const isEnd = /^(?:commit|end)/i.test(statement.trimStart())
    const isOne = isEnd ? hasWritten || counts(statement) : counts(statement)
    hasWritten = isEnd ? false : hasWritten || isOne
    return isOne
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
      if (statement !== undefined && isCounted(statement)) found.push(statement)
      hasStarted = true
      rest = rest.subarray(length)
    }
  }
}

function isRead(statement: string): boolean {
  return reads.test(statement.trimStart())
}
