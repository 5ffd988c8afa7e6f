import type { CDPSession, Page } from 'playwright-core'

export type Authenticator = {
  id: string
  cdp: CDPSession
  credentials(): Promise<{ credentialId: string; rpId?: string; userName?: string; isResidentCredential: boolean }[]>
  /** The same passkeys in another tab: an authenticator belongs to one page. */
  copyTo(page: Page): Promise<Authenticator>
}

/** Gives a page a virtual authenticator that answers each prompt by itself. */
export async function addAuthenticator(
  page: Page,
  changes: { isUserVerified?: boolean; hasUserVerification?: boolean; transport?: 'internal' | 'usb' } = {},
): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      ...changes,
    },
  })
  const credentials = async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
  return {
    id: authenticatorId,
    cdp,
    credentials,
    async copyTo(other) {
      const copy = await addAuthenticator(other, changes)
      for (const credential of await credentials()) {
        await copy.cdp.send('WebAuthn.addCredential', { authenticatorId: copy.id, credential })
      }
      return copy
    },
  }
}
