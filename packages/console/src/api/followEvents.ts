import { adminPath, consoleHeader } from 'latchkey/wire'

const pauseMs = 2_000

/**
 * Calls `onChange` whenever an operation of the project changes, until the signal aborts. The stream is connected again
 * when it ends, from the last event on (WHATWG HTML § 9.2, read by `fetch`, which can send headers).
 */
export async function followEvents(
  projectId: string,
  { signal, onChange, onState }: { signal: AbortSignal; onChange(): void; onState(isLive: boolean): void },
): Promise<void> {
  let lastEventId: string | undefined
  while (!signal.aborted) {
    try {
      const response = await fetch(`${adminPath}/projects/${encodeURIComponent(projectId)}/operations/events`, {
        headers: {
          accept: 'text/event-stream',
          [consoleHeader]: '1',
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        },
        signal,
      })
      if (response.ok && response.body) {
        onState(true)
        for await (const id of readIds(response.body)) {
          lastEventId = id
          onChange()
        }
      }
    } catch {
      // Closed or aborted: the loop decides.
    }
    if (signal.aborted) return
    onState(false)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Ids of events, as they come. What an event says is read from the lists, so that there is one truth. */
async function* readIds(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('id:')) yield line.slice(3).trim()
  }
}
