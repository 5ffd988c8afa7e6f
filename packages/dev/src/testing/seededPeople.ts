import { randomBytes } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import type { Address } from 'viem'
import { createSoftwarePasskey } from './createSoftwarePasskey.ts'
import { callKit } from './openKitPage.ts'

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>
type ByMail = { email: string }
type ByPasskey = { passkey: createSoftwarePasskey.ReturnType; state: StorageState }

/** Users shared by a worker's tests, by name. */
export type SeededPeople = { byMail: Map<string, ByMail>; byPasskey: Map<string, ByPasskey> }

/**
 * Creates the empty collection of users that a worker's tests share.
 *
 * @example
 * ```ts
 * import { noPeople } from 'latchkey-dev/testing'
 *
 * const people = noPeople()
 * ```
 */
export const noPeople = (): SeededPeople => ({ byMail: new Map(), byPasskey: new Map() })

export type Person = { email: string | undefined; address: Address }

type Wallet = {
  people: SeededPeople
  context: BrowserContext
  note(text: string): void
  open(): Promise<Page>
  close(): Promise<void>
  signInByMail(email: string): Promise<Person>
  signInByPasskey(username?: string): Promise<Person>
}

export async function signInAgainByMail(name: string, { people, note, signInByMail }: Wallet): Promise<Person> {
  const known = people.byMail.get(name)
  if (known) {
    note(`'${name}' has signed in again by email: the frame's key cannot leave the browser of the first sign-in.`)
    return signInByMail(known.email)
  }
  const email = newAddress(name)
  people.byMail.set(name, { email })
  return signInByMail(email)
}

export async function signInAgainByPasskey(name: string, wallet: Wallet): Promise<Person> {
  const { people, context, note, open, close, signInByPasskey } = wallet
  const known = people.byPasskey.get(name)
  if (known) {
    await close()
    await known.passkey.installIn(context)
    await context.setStorageState(known.state)
    const page = await open()
    if (await callKit(page, 'isSignedIn')) return { email: undefined, address: await callKit(page, 'readAddress') }
    note(`The stored sign-in of '${name}' no longer worked; '${name}' has signed in again by passkey.`)
    return signInByPasskey()
  }
  const passkey = createSoftwarePasskey()
  await passkey.installIn(context)
  const person = await signInByPasskey(name)
  people.byPasskey.set(name, { passkey, state: await context.storageState() })
  return person
}

/** Returns an e-mail address in a reserved domain (RFC 2606), so that no real person receives the e-mail. */
export const newAddress = (name: string): string =>
  `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-${randomBytes(4).toString('hex')}@example.com`
