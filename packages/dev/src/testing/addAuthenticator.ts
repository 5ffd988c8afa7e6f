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
  /** User name that an authenticator would show. */
  userName?: string
  signCount: number
}

export declare namespace addAuthenticator {
  type Options = {
    /** Whether the device supports user verification, by fingerprint or PIN. @default true */
    hasUserVerification?: boolean | undefined
    /** Whether user verification succeeds. @default true */
    isUserVerified?: boolean | undefined
    /** Whether the device supports discoverable passkeys. @default true */
    hasResidentKey?: boolean | undefined
    /** Transport. @default `internal` */
    transport?: 'internal' | 'usb' | 'nfc' | 'ble' | undefined
    /**
     * Whether form autofill can offer the device's passkeys. A virtual device accepts such an offer without a user's
     * click.
     * @default false
     */
    hasAutofill?: boolean | undefined
  }
  type ReturnType = {
    /** Returns the device's passkeys. */
    credentials(): Promise<Credential[]>
    /** Adds a passkey, for example from the device of another page. */
    add(credential: Credential): Promise<void>
    /** Removes every passkey. */
    clear(): Promise<void>
    /** Sets whether user verification succeeds from now on. */
    setUserVerified(isUserVerified: boolean): Promise<void>
    /** Sets whether the user touches the device. If not, a prompt stays open until it is closed or times out. */
    setPresent(isPresent: boolean): Promise<void>
    /** Copies the passkeys to another tab, because a virtual device belongs to one page. */
    copyTo(page: Page): Promise<addAuthenticator.ReturnType>
  }
}

/**
 * Adds a virtual passkey device to a page (CDP domain WebAuthn; Chromium only). The device completes prompts
 * immediately. It survives navigations; another tab needs its own device.
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

/** A string, because this package is compiled without DOM types. */
const withoutAutofill = `if (typeof PublicKeyCredential !== 'undefined')
  PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)`
