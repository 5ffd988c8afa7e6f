import { adminPath } from 'latchkey-protocol/admin'
import { pageHeaders } from './request.ts'

/** Milliseconds between tries, growing after each failure. */
const pauses = { first: 2_000, most: 30_000 }
/** Milliseconds without data after which a stream counts as lost. The server sends data every 15 seconds. */
const silenceMs = 45_000

export declare namespace followEvents {
  type Options = {
    signal: AbortSignal
    onChange(): void
    onState(isLive: boolean): void
    /** Called if the session has ended or the operator may not read the project. */
    onRefused(): void
  }
}

/**
 * Calls `onChange` once connected and after each change of the project's operations, until the signal aborts.
 * Reconnects an ended stream from the last event on (WHATWG HTML § 9.2, read by `fetch`, which can send headers).
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
        // Data that was loaded earlier may lack changes from before the stream.
        onChange()
        for await (const id of readIds(response.body, silent.restart)) {
          lastEventId = id
          onChange()
        }
      }
    } catch {
      // The stream is closed, silent or aborted; the loop decides what to do.
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

/** Returns a signal that aborts after a silence. */
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

/** Yields event ids as they arrive. The lists are the only source of event data. */
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
