import type { Page } from 'playwright-core'

export type Credential = {
  /** Base64. */
  credentialId: string
  isResidentCredential: boolean
  rpId?: string
  /** Base64, PKCS #8. */
  privateKey: string
  /** Base64. */
  userHandle?: string
  /** Name that the authenticator would show. */
  userName?: string
  signCount: number
}

export declare namespace addAuthenticator {
  type Options = {
    /** Whether it can verify its user by fingerprint or PIN. @default true */
    hasUserVerification?: boolean | undefined
    /** Whether that verification succeeds. @default true */
    isUserVerified?: boolean | undefined
    /** Whether it supports discoverable passkeys. @default true */
    hasResidentKey?: boolean | undefined
    /** Transport. @default `internal` */
    transport?: 'internal' | 'usb' | 'nfc' | 'ble' | undefined
    /**
     * Whether form autofill can offer its passkeys. Off by default, since a virtual device accepts such an offer
     * without a user's click.
     * @default false
     */
    hasAutofill?: boolean | undefined
  }
  type ReturnType = {
    /** Returns its passkeys. */
    credentials(): Promise<Credential[]>
    /** Adds a passkey, such as one of another page's authenticator. */
    add(credential: Credential): Promise<void>
    /** Removes every passkey. */
    clear(): Promise<void>
    /** Sets whether user verification succeeds from now on. */
    setUserVerified(isUserVerified: boolean): Promise<void>
    /** Sets whether the user touches it; if not, a prompt stays open until closed or timed out. */
    setPresent(isPresent: boolean): Promise<void>
    /** Copies its passkeys to another tab: a virtual authenticator belongs to one page. */
    copyTo(page: Page): Promise<addAuthenticator.ReturnType>
  }
}

/**
 * Gives a page a virtual passkey device that completes each prompt at once (CDP domain WebAuthn; Chromium only). It stays
 * with the page over navigations; another tab needs its own.
 *
 * @example
 * ```ts
 * import { addAuthenticator, launchBrowser } from 'latchkey-dev/testing'
 *
 * const browser = await launchBrowser()
 * const page = await browser.newPage()
 * const device = await addAuthenticator(page)
 * await page.getByRole('button', { name: 'Passkey' }).click()
 * console.log(await device.credentials())
 * ```
 */
export async function addAuthenticator(
  page: Page,
  options: addAuthenticator.Options = {},
): Promise<addAuthenticator.ReturnType> {
  const { hasUserVerification = true, isUserVerified = hasUserVerification } = options
  const { hasResidentKey = true, transport = 'internal', hasAutofill = false } = options
  if (!hasAutofill) {
    await page.addInitScript({ content: withoutAutofill })
    await page.evaluate(withoutAutofill)
  }
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey,
      hasUserVerification,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  })
  const credentials = async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
  return {
    credentials,
    async add(credential) {
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential })
    },
    async clear() {
      await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    },
    async setUserVerified(isUserVerified) {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
    async setPresent(enabled) {
      await cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
    },
    async copyTo(other) {
      const copy = await addAuthenticator(other, options)
      for (const credential of await credentials()) await copy.add(credential)
      return copy
    },
  }
}

/** As text, since this package is compiled without DOM types. */
const withoutAutofill = `if (typeof PublicKeyCredential !== 'undefined')
  PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)`
