import { adminPath } from 'latchkey-protocol/admin'
import { pageHeaders } from './request.ts'

/** Between two tries; what fails again waits longer. */
const pauses = { first: 2_000, most: 30_000 }
/** The server says something every 15 seconds. */
const silenceMs = 45_000

export declare namespace followEvents {
  type Options = {
    signal: AbortSignal
    onChange(): void
    onState(isLive: boolean): void
    /** The session ended, or its operator may not read this. */
    onRefused(): void
  }
}

/**
 * Calls `onChange` once it listens and whenever an operation of the project changes, until the signal aborts. The stream is
 * connected again when it ends, from the last event on (WHATWG HTML § 9.2, read by `fetch`, which can send headers).
 */
export async function followEvents(
  projectId: string,
  { signal, onChange, onState, onRefused }: followEvents.Options,
): Promise<void> {
  let lastEventId: string | undefined
  let pauseMs = pauses.first
  while (!signal.aborted) {
    const silent = createSilence()
    try {
      const response = await fetch(`${adminPath}/projects/${encodeURIComponent(projectId)}/operations/events`, {
        headers: {
          accept: 'text/event-stream',
          ...pageHeaders(),
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        },
        signal: AbortSignal.any([signal, silent.signal]),
      })
      if (response.status === 401 || response.status === 403) onRefused()
      if (response.ok && response.body) {
        pauseMs = pauses.first
        onState(true)
        // What was read before may be older than the stream, which begins with what comes next.
        onChange()
        for await (const id of readIds(response.body, silent.restart)) {
          lastEventId = id
          onChange()
        }
      }
    } catch {
      // Closed, silent or aborted: the loop decides.
    } finally {
      silent.end()
    }
    if (signal.aborted) return
    onState(false)
    const passed = new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauseMs = Math.min(pauseMs * 2, pauses.most)
    await passed
  }
}

/** A signal that aborts once nothing was heard for a while. */
function createSilence() {
  const late = new AbortController()
  const begin = () => setTimeout(() => late.abort(), silenceMs)
  let timer = begin()
  return {
    signal: late.signal,
    restart() {
      clearTimeout(timer)
      timer = begin()
    },
    end: () => clearTimeout(timer),
  }
}

/** Ids of events, as they come. What an event says is read from the lists, so that there is one truth. */
async function* readIds(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    onBytes()
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('id:')) yield line.slice(3).trim()
  }
}
