import { listen } from 'latchkey-server'
import { createMessageStore, type InboxMessage } from './createMessageStore.ts'
import { inboxApp } from './inboxApp.ts'
import { startSmtp } from './startSmtp.ts'

export declare namespace startInbox {
  type Parameters = {
    /** Ports on 127.0.0.1. 0 selects a free port. */
    smtpPort: number
    httpPort: number
    /** URL of the page that shows the e-mails. `/` of the inbox redirects there. */
    pageUrl: string
    /** Maximum number of e-mails in memory. @default 200 */
    limit?: number | undefined
    /** Delivers an e-mail from the mail server to the inbox. @default delivers immediately */
    deliver?: ((message: InboxMessage, add: (message: InboxMessage) => void) => Promise<void>) | undefined
  }
  type ReturnType = {
    /** Base URL of the API. */
    url: string
    smtpPort: number
    messages(filter?: { to?: string | undefined }): InboxMessage[]
    /** Stops the mail server, as in an outage. Stored e-mails stay readable. */
    stopSmtp(): Promise<void>
    /** Restarts the mail server on the same port. */
    startSmtp(): Promise<void>
    close(): Promise<void>
  }
}

/** Starts the mail server that receives all e-mails of the devnet, and an API that returns them. */
export async function startInbox(parameters: startInbox.Parameters): Promise<startInbox.ReturnType> {
  const store = createMessageStore({ limit: parameters.limit })
  const { deliver = async (message, add) => add(message) } = parameters
  const onMessage = (message: InboxMessage) => deliver(message, store.add)
  let smtp: startSmtp.ReturnType | undefined = await startSmtp({ port: parameters.smtpPort, onMessage })
  const { port } = smtp
  async function stop(): Promise<void> {
    const running = smtp
    smtp = undefined
    await running?.close()
  }
  try {
    const app = inboxApp(store, parameters)
    const server = await listen((request) => app.fetch(request), { port: parameters.httpPort })
    return {
      url: server.url,
      smtpPort: port,
      messages: store.list,
      stopSmtp: stop,
      async startSmtp() {
        smtp ??= await startSmtp({ port, onMessage })
      },
      async close() {
        await Promise.all([stop(), server.close()])
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
