import type { Devnet } from 'latchkey-dev'
import { type createSoftwarePasskey, readConfirmationMail, readSignInMail } from 'latchkey-dev/testing'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { demand } from '../demand.ts'
import { newEmail } from '../signUp.ts'
import type { Timed } from '../timedSteps.ts'
import type { Engine, Tab, Target } from './tab.ts'

const button = (name: string, more: Partial<Target> = {}): Target => ({ role: 'button', name, ...more })
const box = (name: string, more: Partial<Target> = {}): Target => ({ role: 'textbox', name, ...more })
const heading = (name: string): Target => ({ role: 'heading', name })
const status = (name: string): Target => ({ role: 'status', name })

export declare namespace runJourney {
  type Parameters = {
    devnet: Devnet
    engine: Engine
    /**
     * `none`: the browser stores nothing for frames of another site, so the link must be opened in the tab that
     * requested the e-mail.
     */
    storage: 'kept' | 'none'
    timed: Timed
  }
}

/**
 * Runs the journey that every engine must support: sign-in by link and by code, sponsored operations, signing, export
 * and import. Throws if a result is unexpected.
 */
export async function runJourney({ devnet, engine, storage, timed }: runJourney.Parameters): Promise<void> {
  const { wallet: url } = devnet.urls
  const first = await engine.openTab()
  const email = newEmail('engine')
  await timed('ask for a mail', () => askForMail(first, url, email))
  const { link } = await readSignInMail(devnet, email, { linkTo: url })
  const second = await engine.openTab()
  const address = await timed(`open its link, storage ${storage}`, () =>
    storage === 'kept' ? openLink(first, second, link) : handOver(first, second, link),
  )
  await first.focus()
  await timed('mint and send', () => send(first))
  await timed('sign', () => sign(first))
  await timed('reload', async () => {
    await first.reload()
    demand((await readAddress(first)) === address, 'the same account shows after a reload')
  })
  await timed('a further tab', async () => {
    await second.goto(url)
    demand((await readAddress(second)) === address, 'a second tab shows the same account')
    await first.focus()
  })
  await timed('export, confirmed by mail', () => exportKey(first, second, { devnet, email }))
  await timed('import, confirmed by mail', () => importKey(first, second, { devnet, email }))
  await timed('log out in both tabs', async () => {
    await first.press(button('Log out'))
    for (const tab of [first, second]) await tab.read(button('Sign in'))
  })
  await timed('sign in by a code', () => signInByCode(first, devnet, { url, not: address }))
}

export declare namespace runPasskeyJourney {
  type Parameters = { devnet: Devnet; tab: Tab; passkey: createSoftwarePasskey.ReturnType; timed: Timed }
}

/** Runs the passkey journey with a software device: sign-up, operations, a closed prompt, and sign-in. */
export async function runPasskeyJourney({ devnet, tab, passkey, timed }: runPasskeyJourney.Parameters): Promise<void> {
  const { wallet: url } = devnet.urls
  await tab.goto(url)
  const address = await timed('sign up by a passkey', async () => {
    await tab.press(button('Sign in'))
    await tab.press({ role: 'link', name: 'Create a passkey account' })
    await tab.press(button('Continue'))
    return readAddress(tab)
  })
  demand(passkey.ids().length === 1, 'the device holds the passkey')
  await timed('mint', async () => {
    await tab.press(button('Mint 100 DEMO'))
    await tab.readWhen(status('DEMO balance'), '100.00 DEMO')
  })
  await timed('reload', async () => {
    await tab.reload()
    demand((await readAddress(tab)) === address, 'the same account shows after a reload')
  })
  await timed('a closed prompt', async () => {
    await tab.press(button('Log out'))
    passkey.setMood('cancels')
    await tab.press(button('Sign in'))
    await tab.press(button('Passkey'))
    const closed: Target = { role: 'alert', name: 'The passkey prompt was closed', isPart: true }
    // Some browsers report immediately that they have no passkey. Retry then opens the full prompt.
    const again = button('Retry')
    if ((await tab.readFirst([closed, again])) === again) await tab.press(again)
    await tab.readWhen(closed, 'closed')
  })
  await timed('sign in by the passkey', async () => {
    passkey.setMood('agrees')
    await tab.press(button('Retry'))
    demand((await readAddress(tab)) === address, 'the passkey opens its account')
  })
  await timed('add a passkey as a backup key', () => addBackupKey(tab, passkey))
}

/** Adds an owner to an account that can have several. The session's passkey confirms it, since there is no address. */
async function addBackupKey(tab: Tab, passkey: createSoftwarePasskey.ReturnType): Promise<void> {
  await tab.evaluate(`{
    const select = document.querySelector('select[aria-label="Account type"]')
    select.value = 'MultiOwnerLightAccount'
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }`)
  await tab.press(button('Add a backup key'))
  await tab.press(button('Passkey', { isLast: true }))
  await tab.read(heading('Your new key works'))
  demand(passkey.ids().length === 2, 'the device holds two passkeys')
  await tab.press(button('Done'))
}

async function askForMail(tab: Tab, url: string, email: string): Promise<void> {
  await tab.goto(url)
  await tab.press(button('Sign in'))
  await tab.type(box('Email', { isPart: true }), email)
  await tab.press(button('Continue'))
  await tab.read(heading("You're one click away"))
}

const readAddress = (tab: Tab) => tab.readWhen(status('Account address'), /^0x[\da-fA-F]{40}$/)

async function openLink(first: Tab, second: Tab, link: string): Promise<string> {
  await second.goto(link)
  await second.press(button('Skip'))
  const address = await readAddress(second)
  await first.focus()
  demand((await readAddress(first)) === address, 'both tabs show the same account')
  return address
}

async function handOver(first: Tab, second: Tab, link: string): Promise<string> {
  await second.goto(link)
  await second.read(heading("You're signed in"))
  demand(!/bundle|orgId/.test(await second.evaluate<string>('location.search')), 'the credential is not in the address')
  await first.focus()
  await first.press(button('Skip'))
  const address = await readAddress(first)
  await second.focus()
  await second.press(button('Continue here'))
  demand((await readAddress(second)) === address, 'both tabs show the same account')
  return address
}

async function send(tab: Tab): Promise<void> {
  await tab.press(button('Mint 100 DEMO'))
  await tab.readWhen(status('DEMO balance'), '100.00 DEMO')
  await tab.type(box('To'), '0x00000000000000000000000000000000000000aa')
  await tab.type(box('Amount', { isPart: true }), '5')
  await tab.press(button('Sign and send'))
  await tab.readWhen(status('DEMO balance'), '95.00 DEMO')
}

async function sign(tab: Tab): Promise<void> {
  await tab.type(box('Message'), 'hello from this engine')
  await tab.press(button('Sign message'))
  await tab.readWhen(status('Signature'), /^0x[\da-f]{130,}$/)
  await tab.readWhen(status('Verification'), /./)
}

async function exportKey(tab: Tab, other: Tab, { devnet, email }: { devnet: Devnet; email: string }): Promise<void> {
  await tab.press(button('Export wallet'))
  await other.focus()
  await other.goto(await readConfirmationMail(devnet, email))
  await other.press(button('Show my recovery phrase'))
  await other.read(heading('Recovery phrase'))
  const secret = await other.evaluate<string>("document.querySelector('#secret').textContent.trim()")
  demand(/^([a-z]+ ){11}[a-z]+$/.test(secret), 'the confirmation page shows the secret')
  await other.press(button("I've saved it"))
  await other.read(heading('Done'))
  // Firefox's driver loses a navigation that begins while the page before it still loads.
  await other.goto(devnet.urls.wallet)
  await readAddress(other)
  await tab.focus()
  const page = await tab.evaluate<string>('document.documentElement.outerHTML + JSON.stringify({ ...localStorage })')
  demand(!page.includes(secret), 'the page of the app does not hold the secret')
}

async function importKey(tab: Tab, other: Tab, { devnet, email }: { devnet: Devnet; email: string }): Promise<void> {
  const key = generatePrivateKey()
  await tab.press(button('Import a private key'))
  await other.focus()
  // The first confirmation was that of the export.
  await other.goto(await readConfirmationMail(devnet, email, { skip: 1 }))
  await other.type(box('Private key'), key)
  await other.press(button('Import'))
  await other.read(heading('Imported'))
  // Firefox's driver loses a navigation that begins while the page before it still loads.
  await other.goto(devnet.urls.wallet)
  await readAddress(other)
  await tab.focus()
  await tab.readWhen({ role: 'list', name: 'Imported' }, privateKeyToAccount(key).address)
}

/** Signs in by code with an international domain, which Firefox and WebKit reject in a field of the type `email`. */
async function signInByCode(tab: Tab, devnet: Devnet, { url, not }: { url: string; not: string }): Promise<void> {
  const email = newEmail('code').replace('@example.com', '@bücher.example')
  await askForMail(tab, url, email)
  const { code = '' } = await readSignInMail(devnet, email, { linkTo: url })
  await tab.type(box('Enter the code from the email', { isPart: true }), code)
  await tab.press(button('Skip'))
  demand((await readAddress(tab)) !== not, 'another person has another account')
}
