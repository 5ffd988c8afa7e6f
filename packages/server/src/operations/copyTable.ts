import { once } from 'node:events'
import type { Socket } from 'node:net'
import type pg from 'pg'

/** The part of `pg`'s connection that COPY takes; its types leave it out. */
type Wire = {
  stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

/** Bytes that wait for their reader before the database is asked to pause. */
const highWater = 2 ** 20

/** What `pg` calls on a query of its queue; `callback` ends the time limit it keeps for one. */
abstract class Copy implements pg.Submittable {
  callback: (() => void) | undefined
  protected error: unknown
  protected isDone = false

  private readonly statement: string

  constructor(statement: string) {
    this.statement = statement
  }

  readonly submit = (connection: unknown): void => (connection as Wire).query(this.statement)
  handleCommandComplete(): void {}
  handleReadyForQuery(): void {
    this.end(undefined)
  }
  handleError(error: unknown): void {
    this.end(error)
  }
  protected abstract wake(): void

  private end(error: unknown): void {
    if (this.isDone) return
    // That of the source comes first: the database only repeats that it failed.
    this.error ??= error
    this.isDone = true
    this.callback?.()
    this.wake()
  }
}

class CopyOut extends Copy {
  private parts: Uint8Array[] = []
  private size = 0
  private wire: Wire | undefined
  private resume: () => void = () => undefined

  handleCopyData({ chunk }: { chunk: Uint8Array }, connection: Wire): void {
    this.wire = connection
    this.parts.push(chunk)
    this.size += chunk.length
    if (this.size > highWater) connection.stream.pause()
    this.wake()
  }

  protected override wake(): void {
    this.resume()
  }

  async *read(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      if (this.size > 0) {
        const all = Buffer.concat(this.parts)
        this.parts = []
        this.size = 0
        this.wire?.stream.resume()
        yield all
      } else if (this.isDone) break
      else
        await new Promise<void>((resolve) => {
          this.resume = resolve
        })
    }
    if (this.error) throw this.error
  }
}

/** The rows of `COPY … TO STDOUT`, in its text format; the reader sets the pace. */
export function copyOut(client: pg.PoolClient, statement: string): AsyncGenerator<Uint8Array, void> {
  return client.query(new CopyOut(statement)).read()
}

class CopyIn extends Copy {
  private settle: () => void = () => undefined
  readonly ended = new Promise<void>((resolve, reject) => {
    this.settle = () => (this.error ? reject(this.error) : resolve())
  })

  private readonly rows: AsyncIterable<Uint8Array>

  constructor(statement: string, rows: AsyncIterable<Uint8Array>) {
    super(statement)
    this.rows = rows
  }

  handleCopyInResponse(connection: Wire): void {
    this.pump(connection).catch((error: unknown) => {
      this.error ??= error
      connection.sendCopyFail('The source of the rows failed')
    })
  }

  protected override wake(): void {
    this.settle()
  }

  private async pump(connection: Wire): Promise<void> {
    for await (const chunk of this.rows) {
      if (this.isDone) return
      connection.sendCopyFromChunk(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
      if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
    }
    connection.endCopyFrom()
  }
}

/** Writes rows by `COPY … FROM STDIN`, all or none. */
export function copyIn(client: pg.PoolClient, statement: string, rows: AsyncIterable<Uint8Array>): Promise<void> {
  return client.query(new CopyIn(statement, rows)).ended
}
