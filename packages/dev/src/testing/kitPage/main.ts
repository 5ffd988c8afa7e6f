import {
  BaseError,
  createAccount,
  createConfig,
  disconnect,
  getSigner,
  getSmartAccountClient,
  hydrate,
  latchkeyDevnet,
  watchSignerStatus,
} from 'latchkey'
import type { KitPage } from './types.ts'

// Runs in a page with the app's origin and storage, so that the app restores the user's session.

/** Longest wait for the signer's initialization, in milliseconds. */
const settleMs = 10_000

const kit: KitPage = {
  async start({ devnetUrl, chainId, type, policyId }) {
    const config = createConfig(latchkeyDevnet(devnetUrl, { chainId }))
    await hydrate(config).onMount()
    const signer = () => {
      const found = getSigner(config)
      if (!found) throw new BaseError('The signer is not ready.', { code: 'SIGNER_NOT_AUTHENTICATED' })
      return found
    }
    return {
      isSignedIn: () =>
        new Promise((resolve) => {
          const read = () => config.clientStore.getState().signerStatus
          const settle = () => !read().isInitializing && done(read().isConnected)
          const timer = setTimeout(() => done(false), settleMs)
          const stop = watchSignerStatus(config)(settle)
          function done(isSignedIn: boolean): void {
            clearTimeout(timer)
            stop()
            resolve(isSignedIn)
          }
          settle()
        }),
      askForCode: (email) =>
        new Promise((resolve, reject) => {
          const settle = () => config.clientStore.getState().signerStatus.status === 'AWAITING_EMAIL_AUTH' && sent()
          const stop = watchSignerStatus(config)(settle)
          function sent(): void {
            stop()
            resolve()
          }
          // `authenticate` resolves only after `enterCode`, so this promise waits for the status. A failure rejects it.
          signer()
            .authenticate({ type: 'email', email })
            .catch((error) => {
              stop()
              reject(error)
            })
        }),
      async enterCode(code) {
        await signer().authenticate({ type: 'email', code })
      },
      async signInByPasskey(username) {
        await signer().authenticate(
          username === undefined
            ? { type: 'passkey', createNew: false }
            : { type: 'passkey', createNew: true, username },
        )
      },
      async readAddress() {
        return (await createAccount({ type }, config)).address
      },
      async send(calls) {
        await createAccount({ type }, config)
        const gasManagerConfig = policyId === undefined ? undefined : { policyId }
        const { client } = getSmartAccountClient({ type, ...(gasManagerConfig && { gasManagerConfig }) }, config)
        if (!client)
          throw new BaseError('There is no account client. Sign in first.', { code: 'SIGNER_NOT_AUTHENTICATED' })
        const uo = calls.map(({ target, data = '0x', value = '0' }) => ({ target, data, value: BigInt(value) }))
        try {
          return { hash: (await client.sendUserOperation({ uo })).hash }
        } catch (error) {
          return { failure: error instanceof Error ? error.message : String(error) }
        }
      },
      signOut: () => disconnect(config),
    }
  },
}

Object.assign(globalThis, { latchkeyKit: kit })
