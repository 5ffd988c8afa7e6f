import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type CuttingProxy = Awaited<ReturnType<typeof startCuttingProxy>>

/** Starts a proxy to PostgreSQL that cuts a store's connection at a chosen write. */
export async function startCuttingProxy(
  databaseUrl: string,
  /** Called when the connection is cut, for example to kill the process. */
  onCut: () => void = () => undefined,
  /** Selects the statements that count as writes. @default all that change data, including `commit` */
  counts: (statement: string) => boolean = () => true,
) {
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
      // Any response means that the database has executed the write.
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
    /**
     * Cuts the connection at the n-th write from now on. `before`: the write does not reach the database; `after`: its
     * response is lost.
     */
    cutAt(write: number, cut: 'before' | 'after') {
      left = write
      when = cut
      chosen = undefined
    },
    /** Cuts the connection before the next write with a name that `record` returned. */
    cutBefore(name: string) {
      left = 1
      when = 'before'
      chosen = name
    },
    /** Records the names of writes, including the statement before each commit, until `end` is called. */
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
    /** Stops cutting. Returns whether a cut has happened. */
    disarm() {
      const isSpent = left === 0
      left = 0
      return isSpent
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Statements that change nothing. A select is a write only if it adds a job. */
const reads = /^(?:select(?![\s\S]*add_job)|begin|savepoint|rollback)/i

/**
 * Creates a parser that finds writes in the Query, Parse, Bind and Execute messages of PostgreSQL's protocol 3 (§
 * 54.7).
 */
function createReader(counts: (statement: string) => boolean): (chunk: Buffer) => string[] {
  const statements = new Map<string, string>()
  let bound = ''
  let rest = Buffer.alloc(0)
  let hasStarted = false
  let last: string | undefined

  /** Returns the statement that a message executes, if any. */
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
      // The first message has no type byte.
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
