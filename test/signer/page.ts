import { createSigner } from '../../packages/latchkey/src/signer/createSigner.ts'
import { latchkeyEndpoints } from '../../packages/latchkey/src/signer/endpoints/latchkeyEndpoints.ts'
import type { Signer, SignerParameters, User } from '../../packages/latchkey/src/signer/types.ts'
import { openFrame } from '../../packages/latchkey/src/web/frameHost.ts'

// The page the signer is tested in: makes one and keeps what it says.

export type PageConfig = {
  signerApiUrl: string
  expirationTimeMs?: number
  storage?: 'localStorage' | 'sessionStorage'
}

export type SignerPage = {
  signer: Signer
  statuses: string[]
  connected: User[]
  disconnected: number
  errors: { code: string; message: string }[]
  /** How the last `start` ended. */
  outcome: { user?: User; code?: string; message?: string } | undefined
  start(parameters: { email: string; redirectParams?: string }): void
  openFrame: typeof openFrame
}

declare global {
  interface Window {
    page: SignerPage
  }
}

const config = JSON.parse(document.getElementById('config')?.textContent ?? '{}') as PageConfig

function make(): Signer {
  const sessionConfig: NonNullable<SignerParameters['sessionConfig']> = {}
  if (config.expirationTimeMs !== undefined) sessionConfig.expirationTimeMs = config.expirationTimeMs
  if (config.storage !== undefined) sessionConfig.storage = config.storage
  return createSigner({
    client: { connection: { apiKey: 'test-api-key' }, endpoints: latchkeyEndpoints(config.signerApiUrl) },
    sessionConfig,
  })
}

const signer = make()
const page: SignerPage = {
  signer,
  statuses: [],
  connected: [],
  disconnected: 0,
  errors: [],
  outcome: undefined,
  start({ email, redirectParams }) {
    page.outcome = undefined
    const params = redirectParams === undefined ? {} : { redirectParams: new URLSearchParams(redirectParams) }
    signer.authenticate({ type: 'email', email, ...params }).then(
      (user) => {
        page.outcome = { user }
      },
      (error: { code: string; message: string }) => {
        page.outcome = { code: error.code, message: error.message }
      },
    )
  },
  openFrame,
}
signer.on('statusChanged', (status) => page.statuses.push(status))
signer.on('connected', (user) => page.connected.push(user))
signer.on('disconnected', () => {
  page.disconnected += 1
})
signer.on('error', ({ code, message }) => page.errors.push({ code, message }))
window.page = page
