import type { AuthParameters } from '../../../latchkey/src/signer/AuthParameters.ts'
import { createSigner } from '../../../latchkey/src/signer/createSigner.ts'
import { latchkeyEndpoints } from '../../../latchkey/src/signer/endpoints.ts'
import type { Signer, SignerParameters, User } from '../../../latchkey/src/signer/types.ts'
import { deviceKeyStore } from '../../../latchkey/src/web/deviceKeyStore.ts'
import { openFrame } from '../../../latchkey/src/web/openFrame.ts'
import { createPasskey } from '../../../latchkey/src/web/passkey/createPasskey.ts'
import { stampWithPasskey } from '../../../latchkey/src/web/passkey/stampWithPasskey.ts'
import type { DeviceKeyPort, PasskeyPort } from '../../../latchkey/src/web/platform.ts'

// Page that creates a signer and records its events.

export type PageConfig = {
  signerApiUrl: string
  expirationTimeMs?: number
  storage?: 'localStorage' | 'sessionStorage'
  rpId?: string
  apiKey?: string
  sessionKind?: 'device'
}

export type SignerPage = {
  signer: Signer
  statuses: string[]
  connected: User[]
  disconnected: number
  errors: { code: string; message: string }[]
  outcome: { user?: User; code?: string; message?: string } | undefined
  start(parameters: { email: string; redirectParams?: string }): void
  authenticate(parameters: AuthParameters): void
  openFrame: typeof openFrame
  passkeys: PasskeyPort
  deviceKeys: DeviceKeyPort
  make(session: SignerParameters['sessionConfig'], iframeConfig: SignerParameters['client']['iframeConfig']): Signer
  makeAt(signerApiUrl: string): Signer
}

declare global {
  interface Window {
    page: SignerPage
  }
}

const config = JSON.parse(document.getElementById('config')?.textContent ?? '{}') as PageConfig
// Lets one tab use a different session type from the other tabs.
if (new URLSearchParams(location.search).has('device')) config.sessionKind = 'device'

function make(session?: SignerParameters['sessionConfig'], iframeConfig?: SignerParameters['client']['iframeConfig']) {
  const sessionConfig: NonNullable<SignerParameters['sessionConfig']> = { ...session }
  if (config.expirationTimeMs !== undefined) sessionConfig.expirationTimeMs = config.expirationTimeMs
  if (config.storage !== undefined) sessionConfig.storage = config.storage
  if (config.sessionKind !== undefined) sessionConfig.sessionKind = config.sessionKind
  return createSigner({
    client: {
      connection: { apiKey: config.apiKey ?? 'test-api-key' },
      endpoints: latchkeyEndpoints(config.signerApiUrl),
      rpId: config.rpId,
      iframeConfig,
    },
    sessionConfig,
  })
}

const makeAt = (signerApiUrl: string) =>
  createSigner({
    client: {
      connection: { apiKey: config.apiKey ?? 'test-api-key' },
      endpoints: latchkeyEndpoints(signerApiUrl),
      iframeConfig: { iframeElementId: 'other-iframe', iframeContainerId: 'other-iframe-container' },
    },
    sessionConfig: { sessionKey: 'other-session' },
  })

const signer = make()
const page: SignerPage = {
  signer,
  statuses: [],
  connected: [],
  disconnected: 0,
  errors: [],
  outcome: undefined,
  start({ email, redirectParams }) {
    const params = redirectParams === undefined ? {} : { redirectParams: new URLSearchParams(redirectParams) }
    page.authenticate({ type: 'email', email, ...params })
  },
  authenticate(parameters) {
    page.outcome = undefined
    signer.authenticate(parameters).then(
      (user) => {
        page.outcome = { user }
      },
      (error: { code: string; message: string }) => {
        page.outcome = { code: error.code, message: error.message }
      },
    )
  },
  openFrame,
  passkeys: { create: createPasskey, stamp: stampWithPasskey },
  deviceKeys: deviceKeyStore,
  make,
  makeAt,
}
signer.on('statusChanged', (status) => page.statuses.push(status))
signer.on('connected', (user) => page.connected.push(user))
signer.on('disconnected', () => {
  page.disconnected += 1
})
signer.on('error', ({ code, message }) => page.errors.push({ code, message }))
window.page = page
