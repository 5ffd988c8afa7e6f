import type { TabChannel } from './platform.ts'

/**
 * Opens the tab channel of `Platform`. Messages do not reach other origins, nor pages of this origin that another site
 * embeds.
 */
export function openTabChannel(name: string, onMessage: (message: unknown) => void): TabChannel | null {
  try {
    const channel = new BroadcastChannel(name)
    channel.onmessage = ({ data }) => onMessage(data)
    return { post: (message) => channel.postMessage(message), close: () => channel.close() }
  } catch {
    return null
  }
}
