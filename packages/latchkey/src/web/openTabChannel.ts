import type { TabChannel } from './platform.ts'

/**
 * Opens the tab channel of `Platform`. The browser delivers no messages to other origins, or to pages of this origin
 * that another site embeds.
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
