import type { ProviderWindow } from './platform.ts'

/**
 * Opens an empty window for an identity provider; null if the browser blocks it. Browsers allow a new window only right
 * after a click, so it opens before the provider's URL is available.
 */
export function openProviderWindow(): ProviderWindow | null {
  const opened = window.open('', '_blank', 'popup,width=480,height=680')
  if (!opened) return null
  return {
    isClosed: () => opened.closed,
    close: () => opened.close(),
    ask: ({ url, origin, signal }) =>
      new Promise((resolve, reject) => {
        const end = () => {
          window.removeEventListener('message', onMessage)
          signal.removeEventListener('abort', onAbort)
        }
        const onAbort = () => {
          end()
          opened.close()
          reject(signal.reason)
        }
        // Any window can post messages to this page, so both origin and source are checked.
        const onMessage = (event: MessageEvent) => {
          if (event.origin !== origin || event.source !== opened) return
          end()
          resolve(event.data)
        }
        if (signal.aborted) return onAbort()
        window.addEventListener('message', onMessage)
        signal.addEventListener('abort', onAbort)
        opened.location.href = url
      }),
  }
}
