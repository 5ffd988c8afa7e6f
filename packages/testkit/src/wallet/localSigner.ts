import { type Hex, hashMessage, hashTypedData } from 'viem'
import { generatePrivateKey, privateKeyToAccount, sign, toAccount } from 'viem/accounts'
import { createEmitter } from '../../../latchkey/src/core/createEmitter.ts'
import type { Signer, SignerEvents, SignerStatus, User } from '../../../latchkey/src/signer/types.ts'

/** Creates a signer with a local key. The test sets its status. Without `ownKey`, each user gets a new key. */
export function localSigner(ownKey?: Hex) {
  const emitter = createEmitter<SignerEvents>()
  let privateKey = ownKey ?? generatePrivateKey()
  let status: SignerStatus = 'INITIALIZING'
  let user: User | null = null
  const key = () => privateKeyToAccount(privateKey)
  const to = (next: SignerStatus) => {
    status = next
    emitter.emit('statusChanged', next)
  }

  const signer: Signer = {
    signerType: 'alchemy-signer',
    get status() {
      return status
    },
    get user() {
      return user
    },
    confirmation: null,
    deletion: null,
    expiresAt: null,
    ended: null,
    link: null,
    awaitedEmail: null,
    acceptsCode: false,
    codeLength: null,
    isSignup: false,
    authenticate: () => Promise.reject(new TypeError('the test signs in')),
    addPasskey: async () => [crypto.randomUUID()],
    exportWallet: async () => true,
    sealWallet: () => Promise.reject(new TypeError('the key is here')),
    moveWallet: async () => user as User,
    importWallet: () => Promise.reject(new TypeError('the key is here')),
    createPaperKey: () => Promise.reject(new TypeError('the key is here')),
    setEmail: async () => user as User,
    deleteAccount: async () => {},
    listAuthenticators: async () => [],
    removeAuthenticator: async () => undefined,
    addAgentKey: async () => crypto.randomUUID(),
    getSpendingRules: async () => ({ rules: null, spending: [] }),
    setSpendingRules: async () => {},
    listProviders: async () => [],
    addProvider: async () => [crypto.randomUUID()],
    removeProvider: async () => undefined,
    getMfaFactors: async () => ({ multiFactors: [] }),
    addMfa: () => Promise.reject(new TypeError('no service knows the key')),
    verifyMfa: () => Promise.reject(new TypeError('no service knows the key')),
    removeMfa: async () => ({ multiFactors: [] }),
    validateMultiFactors: () => Promise.reject(new TypeError('the test signs in')),
    listSessions: async () => [],
    revokeSessions: async () => [],
    async disconnect() {
      user = null
      to('DISCONNECTED')
      emitter.emit('disconnected')
    },
    getAuthDetails: async () => user as User,
    lookUpUser: async () => null,
    getUser: async () => null,
    getAddress: async () => key().address,
    signMessage: (message) => sign({ hash: hashMessage(message), privateKey, to: 'hex' }),
    signTypedData: (definition) =>
      sign({ hash: hashTypedData(definition as Parameters<typeof hashTypedData>[0]), privateKey, to: 'hex' }),
    signUserOperation: ({ hash }) => sign({ hash: hashMessage({ raw: hash }), privateKey, to: 'hex' }),
    signTransaction: (transaction, options) => key().signTransaction(transaction, options),
    signRawMessage: (hash) => sign({ hash, privateKey, to: 'hex' }),
    getAccessToken: () => Promise.reject(new TypeError('no service knows the key')),
    stampWhoami: () => Promise.reject(new TypeError('no service knows the key')),
    toViemAccount: () => ({ ...toAccount(key()), source: 'alchemy-signer', type: 'local', publicKey: key().publicKey }),
    on(name, listener) {
      const stop = emitter.on(name, listener)
      if (name === 'statusChanged') (listener as (...values: SignerEvents['statusChanged']) => void)(status)
      return stop
    },
    destroy: () => emitter.clear(),
  }
  return {
    signer,
    to,
    address: () => key().address,
    signIn(changes: Partial<User> = {}) {
      privateKey = ownKey ?? generatePrivateKey()
      const id = crypto.randomUUID()
      user = { orgId: id, userId: id, address: key().address, email: 'ann@example.com', ...changes }
      to('CONNECTED')
      emitter.emit('connected', user)
      return user
    },
  }
}
