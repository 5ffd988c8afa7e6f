import { BaseError } from './errors/BaseError.ts'
import { ChunkFailedError } from './errors/ChunkFailedError.ts'

/** Code loaded on demand: a bundler splits off the module that `import()` loads. */
export type Chunk<value> = {
  /** Loads the chunk once. A call after a failure retries. Rejects with `CHUNK_FAILED`. */
  load(): Promise<value>
  /** Starts loading the chunk. A failure is reported only when the chunk is used. */
  prefetch(): void
  /** Returns the chunk; undefined until it is loaded. */
  loaded(): value | undefined
}

export declare namespace createChunk {
  type Parameters<value> = {
    /** Name shown in errors. */
    name: string
    import: () => Promise<value>
    /**
     * Timeout in milliseconds.
     * @default 30_000
     */
    timeoutMs?: number | undefined
  }
  type ReturnType<value> = Chunk<value>
}

/** Creates a chunk from a function that imports its module. Works in browsers, Workers and Node. */
export function createChunk<value>(parameters: createChunk.Parameters<value>): createChunk.ReturnType<value> {
  const { name, timeoutMs = 30_000 } = parameters
  let value: value | undefined
  let loading: Promise<value> | undefined
  const load = () => {
    loading ??= withTimeout(parameters.import(), timeoutMs).then(
      (module) => {
        value = module
        return module
      },
      (cause: unknown) => {
        loading = undefined
        throw new ChunkFailedError(name, cause)
      },
    )
    return loading
  }
  return { load, prefetch: () => void load().catch(() => {}), loaded: () => value }
}

async function withTimeout<value>(promise: Promise<value>, timeoutMs: number): Promise<value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BaseError(`Nothing within ${timeoutMs} ms`, { code: 'TIMEOUT' })), timeoutMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
