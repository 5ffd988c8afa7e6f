import { BaseError } from './errors/BaseError.ts'
import { ChunkFailedError } from './errors/ChunkFailedError.ts'

/** Code that is loaded when it is needed: a bundler makes a file of its own from what `import()` names. */
export type Chunk<value> = {
  /** Loads it, once; after a failure the next call tries again. Rejects with `CHUNK_FAILED`. */
  load(): Promise<value>
  /** Loads it ahead of its use. A failure shows when it is used. */
  prefetch(): void
  /** Undefined until it is loaded. */
  loaded(): value | undefined
}

export declare namespace createChunk {
  type Parameters<value> = {
    /** Said in errors. */
    name: string
    import: () => Promise<value>
    /**
     * Milliseconds.
     * @default 30_000
     */
    timeoutMs?: number | undefined
  }
  type ReturnType<value> = Chunk<value>
}

/** A chunk by the `import()` of its module: the same in a page, in a Worker and in Node. */
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
