import { BaseError } from './BaseError.ts'

/** A lazily loaded chunk of Latchkey failed to load. The next call retries. */
export class ChunkFailedError extends BaseError {
  /** Name of the chunk in the table of chunks. */
  readonly chunk: string

  constructor(chunk: string, cause?: unknown) {
    super('A part of this page could not be loaded.', {
      code: 'CHUNK_FAILED',
      metaMessages: ['Check the connection and try again.'],
      cause,
      name: 'ChunkFailedError',
    })
    this.chunk = chunk
  }
}
