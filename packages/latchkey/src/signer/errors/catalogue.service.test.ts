import { isOfText, signerErrors } from '@latchkey/testkit/publishedErrors'
import { person, type Reply, type Script, startScript, type Tab } from '@latchkey/testkit/signer/startScript'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as api from '../../exports/signer.ts'
import { createPasskey } from '../../web/passkey/createPasskey.ts'

// Covers message, class and code of every documented error of signing and signing in.

let script: Script
beforeEach(async () => {
  script = await startScript()
})
afterEach(() => script.close())

const where = { iframeContainerId: 'here' }
const byCode = { type: 'email', code: '123456' } as const
const byLink = { type: 'email', bundle: 'bundle', orgId: 'org' } as const
const byPasskey = { type: 'passkey', createNew: false } as const
const newPasskey = { type: 'passkey', createNew: true, username: 'ann' } as const

const connected = async (request: api.AuthParameters): Promise<Tab> => {
  const tab = script.open()
  await tab.signer.authenticate(request)
  return tab
}
const details = [{ '@type': 'x', turnkeyErrorCode: 'REQUEST_NOT_AUTHORIZED' }]
const refusal: Reply = { status: 403, body: { code: 7, message: 'Sign in again to do this: a passkey.', details } }
const ended = (status: string): Reply => ({
  body: { activity: { id: 'a-1', organizationId: 'org', status: `ACTIVITY_STATUS_${status}`, result: {} } },
})

type Class = abstract new (...given: never[]) => api.BaseError
/** Signer methods with parameters. */
const verbs: { readonly [verb in keyof api.Signer]?: unknown } = {
  getAuthDetails: undefined,
  getAddress: undefined,
  signMessage: 'hello',
  signTypedData: { domain: {}, types: { Note: [] }, primaryType: 'Note', message: {} },
  signTransaction: { chainId: 1, type: 'eip1559' },
  signRawMessage: `0x${'00'.repeat(32)}`,
  toViemAccount: undefined,
  addPasskey: undefined,
  listAuthenticators: undefined,
  removeAuthenticator: 'id',
  addAgentKey: { name: 'bot', publicKey: '02', scope: {} },
  getSpendingRules: undefined,
  setSpendingRules: null,
  listProviders: undefined,
  addProvider: 'dev',
  removeProvider: 'id',
  listSessions: undefined,
  revokeSessions: ['id'],
  exportWallet: where,
  importWallet: where,
  sealWallet: { targetPublicKey: '04' },
  moveWallet: { getAddress: async () => '0x', sealWallet: async () => '' },
}
const signedOut = 'Signer not authenticated. Please authenticate to use this signer'
const catalogue: [text: string, type: Class, code: string, meet: () => Promise<unknown>][] = []
const add = (...row: (typeof catalogue)[number]) => void catalogue.push(row)

for (const [verb, given] of Object.entries(verbs))
  add(signedOut, api.NotAuthenticatedError, 'SIGNER_NOT_AUTHENTICATED', async () =>
    (script.open().signer[verb as 'addPasskey'] as (given?: unknown) => Promise<unknown>)(given),
  )
add('No orgId provided', api.NoOrgIdError, 'NO_ORG_ID', () =>
  script.open({ client: { rootOrgId: '' } }).signer.authenticate(byPasskey),
)
add('Could not find email auth init session!', api.EmailInitSessionMissingError, 'EMAIL_INIT_SESSION_MISSING', () =>
  script.open().signer.authenticate({ type: 'email', bundle: 'bundle' }),
)
add('Could not find email auth init session!', api.EmailInitSessionMissingError, 'EMAIL_INIT_SESSION_MISSING', () =>
  script.open().signer.authenticate(byCode),
)
add('Failed to inject credential bundle', api.BundleInjectionError, 'BUNDLE_INJECTION_FAILED', () => {
  script.frame = (type) => type !== 'INJECT_CREDENTIAL_BUNDLE'
  return script.open().signer.authenticate(byLink)
})
add('No user found', api.NoUserFoundError, 'NO_USER_FOUND', () => {
  script.reply('/signer/v1/whoami', { status: 404, body: { code: 'NO_USER_FOUND', message: 'nobody' } })
  return script.open().signer.authenticate(byPasskey)
})
add(
  `Could not find wallet associated with ${person.address}`,
  api.WalletNotFoundError,
  'WALLET_NOT_FOUND',
  async () => {
    script.reply('/public/v1/query/list_wallets', { body: { wallets: [] } })
    return (await connected(byLink)).signer.exportWallet(where)
  },
)
add('Failed to inject wallet export bundle', api.ExportInjectionError, 'BUNDLE_INJECTION_FAILED', async () => {
  const { signer } = await connected(newPasskey)
  script.frame = (type) => (type.startsWith('INJECT_') ? 'no' : undefined)
  return signer.exportWallet(where)
})
for (const status of ['FAILED', 'REJECTED', 'CONSENSUS_NEEDED', 'AUTHENTICATORS_NEEDED'])
  add(
    `Failed to get activity with id a-1 (status: ACTIVITY_STATUS_${status})`,
    api.ActivityFailedError,
    'ACTIVITY_FAILED',
    async () => {
      script.reply('/public/v1/submit/create_authenticators', ended(status))
      return (await connected(newPasskey)).signer.addPasskey()
    },
  )
add('webauthn is not supported by this browser', api.PasskeyUnsupportedError, 'PASSKEY_UNSUPPORTED', () =>
  script.open({ platform: { passkeys: undefined } }).signer.authenticate(byPasskey),
)
add('webauthn is not supported by this browser', api.PasskeyUnsupportedError, 'PASSKEY_UNSUPPORTED', () =>
  createPasskey({ username: 'ann' }),
)
add(
  `Turnkey error 7: Sign in again to do this: a passkey. (Details: ${JSON.stringify(details)})`,
  api.CustodyError,
  'REQUEST_NOT_AUTHORIZED',
  async () => {
    script.reply('/public/v1/submit/create_authenticators', refusal)
    return (await connected(newPasskey)).signer.addPasskey()
  },
)
add('Turnkey error 16: no', api.CustodyError, 'HTTP_FAILED', async () => {
  script.reply('/public/v1/query/get_authenticators', { status: 401, body: { code: 16, message: 'no' } })
  return (await connected(newPasskey)).signer.listAuthenticators()
})
add('signer is only available on the client', api.ClientOnlyError, 'CLIENT_ONLY', async () =>
  api.createSigner({ client: { connection: {} } }),
)

/** Short messages that differ from the first line of the message. */
const sentences: Record<string, string> = {
  [`Turnkey error 7: Sign in again to do this: a passkey. (Details: ${JSON.stringify(details)})`]:
    'Sign in again to do this: a passkey.',
  'Turnkey error 16: no': 'no',
}
const messages: string[] = []

test.each(catalogue)('throws “%s”', async (text, type, code, meet) => {
  const error: unknown = await meet().catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(type)
  const { shortMessage, name, message } = error as api.BaseError
  expect([(error as api.BaseError).code, name]).toEqual([code, type.name])
  expect(message.split('\n\n')[0]).toBe(text)
  expect(shortMessage).toBe(sentences[text] ?? text)
  messages.push(message)
})

test.each(signerErrors.map((text) => [text[0], text] as const))('covers the published error %s', (_, text) => {
  expect(messages.some((message) => isOfText(message, text))).toBe(true)
})
