import type { Browser } from 'playwright-core'
import type { InboxMessage } from '../inbox/createMessageStore.ts'
import { confirmByMail } from './confirmByMail.ts'
import { waitForMail } from './waitForMail.ts'

export declare namespace createInbox {
  type Wait = Omit<waitForMail.Options, 'skip'>
  type ReturnType = {
    /** Returns the next e-mail to an address, among those that no call has returned yet. @throws `TIMEOUT` */
    waitForMail(to: string, options?: Wait): Promise<InboxMessage>
    /** Returns the sign-in link of the next e-mail that contains one. @throws `TIMEOUT` */
    waitForLink(to: string, options?: Omit<Wait, 'matching'>): Promise<string>
    /** Returns the sign-in code of the next e-mail that contains one. @throws `TIMEOUT` */
    waitForCode(to: string, options?: Omit<Wait, 'matching'>): Promise<string>
    /**
     * Opens the link of a confirmation e-mail without the app's data and clicks the button. Returns the title of the
     * page, which describes what was confirmed.
     * @throws `TIMEOUT`
     */
    confirm(to: string, options?: Omit<confirmByMail.Options, 'browser' | 'skip'>): Promise<string>
    /** Returns all e-mails, newest first; with `to`, only those to that address. */
    messages(to?: string): InboxMessage[]
  }
}

/**
 * Creates a reader of a devnet's e-mails that ignores earlier ones. Each call returns the next unread e-mail, so a test
 * need not count or skip e-mails.
 *
 * @example
 * ```ts
 * import { createInbox, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const inbox = createInbox(devnet)
 * const code = await inbox.waitForCode('ada@example.com')
 * ```
 */
export function createInbox(
  devnet: { urls: { inbox: string }; messages(filter?: { to?: string }): InboxMessage[] },
  browser?: () => Promise<Pick<Browser, 'newContext'>>,
): createInbox.ReturnType {
  const taken = new Set(devnet.messages().map(({ id }) => id))
  const confirmed = new Map<string, number>()
  const take = async (to: string, { matching = () => true, ...wait }: createInbox.Wait = {}) => {
    const mail = await waitForMail(devnet, to, {
      ...wait,
      matching: (message) => !taken.has(message.id) && matching(message),
    })
    taken.add(mail.id)
    return mail
  }
  return {
    waitForMail: take,
    async waitForLink(to, options) {
      const mail = await take(to, { ...options, matching: (message) => findLink(message) !== undefined })
      return findLink(mail) ?? ''
    },
    async waitForCode(to, options) {
      const { code } = await take(to, { ...options, matching: ({ code }) => code !== null })
      return code ?? ''
    },
    async confirm(to, options = {}) {
      const skip = confirmed.get(to) ?? 0
      const opened = await (browser ?? launchOwn)()
      const said = await confirmByMail(devnet, to, { ...options, skip, browser: opened })
      confirmed.set(to, skip + 1)
      return said
    },
    messages: (to) => devnet.messages({ ...(to !== undefined && { to }) }),
  }
}

const findLink = ({ links }: InboxMessage): string | undefined =>
  links.find((url) => new URL(url).searchParams.has('bundle'))

async function launchOwn(): Promise<Browser> {
  const { launchBrowser } = await import('./launchBrowser.ts')
  return launchBrowser()
}
