import { AlchemySigner } from '@alchemy/aa-alchemy'
import { getWebAuthnAttestation, TurnkeyClient } from '@turnkey/http'
import { WebauthnStamper } from '@turnkey/webauthn-stamper'
// biome-ignore lint/style/useNodejsImportProtocol: the package of that name, for browsers.
import { Buffer } from 'buffer'

// Uses the published clients according to their documentation.

declare global {
  interface Window {
    published: typeof published
  }
}

Object.assign(globalThis, { Buffer })
const { rootOrgId } = JSON.parse(document.getElementById('config')?.textContent ?? '{}') as { rootOrgId: string }
const signer = new AlchemySigner({
  client: {
    connection: { apiKey: 'test-api-key' },
    iframeConfig: { iframeContainerId: 'alchemy-signer-iframe-container' },
    rootOrgId,
  },
})
const statuses: string[] = []
signer.on('statusChanged', (status) => statuses.push(status))
const published = { signer, statuses, TurnkeyClient, WebauthnStamper, getWebAuthnAttestation }
window.published = published
