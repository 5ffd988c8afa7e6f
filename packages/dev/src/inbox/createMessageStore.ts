import { normalizeEmail } from 'latchkey-protocol'

/** E-mail as shown in the inbox. */
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
  /** Sign-in code; null if the e-mail contains none. */
  code: string | null
  /** ISO 8601, UTC. */
  receivedAt: string
}

export declare namespace createMessageStore {
  type Options = {
    /** Maximum number of e-mails. The oldest are dropped first. @default 200 */
    limit?: number | undefined
    /** Maximum number of characters in all e-mails. @default 32 million */
    maxCharacters?: number | undefined
  }
  type ReturnType = {
    add(message: InboxMessage): void
    /**
     * Lists e-mails, newest first. `to` matches the whole address, ignoring case, with the domain in Unicode or ASCII
     * form.
     */
    list(filter?: { to?: string | undefined }): InboxMessage[]
    get(id: string): InboxMessage | undefined
    clear(): void
  }
}

/** Normalizes an address: the mail server receives domains in Unicode form, while the roles use ASCII. */
const toComparable = (address: string) => normalizeEmail(address) ?? address.trim().toLowerCase()

/** Creates an in-memory store of e-mails, limited by number and size. Writes nothing to disk. */
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
