import { normalizeEmail } from 'latchkey-protocol'

/** One mail as the inbox shows it. */
export type InboxMessage = {
  id: string
  /** Envelope recipients, comma-separated. */
  to: string
  from: string
  subject: string
  text: string
  html: string
  /** `http:` and `https:` links in order of appearance, without duplicates. */
  links: string[]
  /** Sign-in code, if the mail carries one. */
  code: string | null
  /** ISO 8601, UTC. */
  receivedAt: string
}

export declare namespace createMessageStore {
  type Options = {
    /** Maximum messages; the oldest are dropped first. @default 200 */
    limit?: number | undefined
    /** Maximum characters of all messages. @default 32 million */
    maxCharacters?: number | undefined
  }
  type ReturnType = {
    add(message: InboxMessage): void
    /** Lists mails, newest first. `to` compares whole addresses, ignoring case, with either form of the domain. */
    list(filter?: { to?: string | undefined }): InboxMessage[]
    get(id: string): InboxMessage | undefined
    clear(): void
  }
}

/** The mail server shows the Unicode form of a domain, and the roles use its ASCII form. */
const toComparable = (address: string) => normalizeEmail(address) ?? address.trim().toLowerCase()

/** Keeps mails in memory, bounded by number and by size: nothing is ever written to disk. */
export function createMessageStore(options: createMessageStore.Options = {}): createMessageStore.ReturnType {
  const { limit = 200, maxCharacters = 32_000_000 } = options
  let messages: InboxMessage[] = []
  let characters = 0
  return {
    add(message) {
      messages.unshift(message)
      characters += countCharacters(message)
      while (messages.length > 1 && (messages.length > limit || characters > maxCharacters)) {
        const dropped = messages.pop()
        if (dropped) characters -= countCharacters(dropped)
      }
    },
    list({ to } = {}) {
      if (to === undefined) return [...messages]
      const wanted = toComparable(to)
      return messages.filter((message) => message.to.split(', ').map(toComparable).includes(wanted))
    },
    get: (id) => messages.find((message) => message.id === id),
    clear() {
      messages = []
      characters = 0
    },
  }
}

function countCharacters(message: InboxMessage): number {
  return message.text.length + message.html.length + message.subject.length
}
