import { BaseError } from './BaseError.ts'

/** A part of Latchkey that the page loads when it is needed did not arrive. The next call loads it again. */
export class ChunkFailedError extends BaseError {
  /** Which part: a name of the table of chunks. */
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
