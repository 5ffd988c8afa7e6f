import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { latchkeyDev } from '../core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '../signer/endpoints/latchkeyEndpoints.ts'
import { createConfig } from '../wallet/createConfig.ts'
import { useAccount } from './hooks/useAccount.ts'
import { useAuthenticate } from './hooks/useAuthenticate.ts'
import { useAuthModal } from './hooks/useAuthModal.ts'
import { useBundlerClient } from './hooks/useBundlerClient.ts'
import { useChain } from './hooks/useChain.ts'
import { useLogout } from './hooks/useLogout.ts'
import { useSendUserOperation } from './hooks/useSendUserOperation.ts'
import { useSigner } from './hooks/useSigner.ts'
import { useSignerStatus } from './hooks/useSignerStatus.ts'
import { useSmartAccountClient } from './hooks/useSmartAccountClient.ts'
import { useUser } from './hooks/useUser.ts'
import { LatchkeyProvider } from './LatchkeyProvider.ts'
import { sendUserOperationMutationOptions } from './query/sendUserOperation.ts'

const hooks = {
  useAccount: () => useAccount({ type: 'LightAccount' }),
  useAuthenticate: () => useAuthenticate(),
  useAuthModal: () => useAuthModal(),
  useBundlerClient: () => useBundlerClient(),
  useChain: () => useChain(),
  useLogout: () => useLogout(),
  useSendUserOperation: () => useSendUserOperation({ client: undefined }),
  useSigner: () => useSigner(),
  useSignerStatus: () => useSignerStatus(),
  useSmartAccountClient: () => useSmartAccountClient({ type: 'LightAccount' }),
  useUser: () => useUser(),
}

function Probe({ use, tell }: { use: () => unknown; tell?: (value: unknown) => void }) {
  const value = use()
  tell?.(value)
  return null
}

/** What a hook gives while the server renders. */
function onServer(use: () => unknown): unknown {
  const endpoints = latchkeyEndpoints('http://localhost:4101')
  const config = createConfig({ chain: latchkeyDev, apiKey: 'key', endpoints, ssr: true })
  let seen: unknown
  renderToString(
    <LatchkeyProvider config={config}>
      <Probe
        use={use}
        tell={(value) => {
          seen = value
        }}
      />
    </LatchkeyProvider>,
  )
  return seen
}

describe.each(Object.entries(hooks))('%s', (name, use) => {
  test('error: outside the provider', () => {
    expect(() => renderToString(<Probe use={use} />)).toThrow(`${name} must be used within LatchkeyProvider`)
  })

  test('behavior: renders on a server', () => {
    expect(() => onServer(use)).not.toThrow()
    expect(name).toBe(use.name)
  })
})

test('behavior: on a server nobody is signed in and nothing is loaded', () => {
  expect(onServer(hooks.useSigner)).toBe(null)
  expect(onServer(hooks.useUser)).toBe(null)
  expect(onServer(hooks.useSignerStatus)).toMatchObject({ status: 'INITIALIZING', isInitializing: true })
  expect(onServer(hooks.useAccount)).toEqual({ account: undefined, address: undefined, isLoadingAccount: true })
  expect(onServer(hooks.useSmartAccountClient)).toEqual({
    client: undefined,
    address: undefined,
    isLoadingClient: true,
  })
})

test('behavior: the fields of each hook are the documented ones', () => {
  const fields = Object.fromEntries(
    (['useAuthenticate', 'useAuthModal', 'useChain', 'useLogout', 'useSendUserOperation'] as const).map((name) => [
      name,
      Object.keys(onServer(hooks[name]) as object),
    ]),
  )
  expect(fields).toEqual({
    useAuthenticate: ['authenticate', 'authenticateAsync', 'isPending', 'error'],
    useAuthModal: ['isOpen', 'openAuthModal', 'closeAuthModal'],
    useChain: ['chain', 'setChain', 'isSettingChain'],
    useLogout: ['logout', 'isLoggingOut', 'error'],
    useSendUserOperation: [
      'sendUserOperation',
      'sendUserOperationAsync',
      'sendUserOperationResult',
      'isSendingUserOperation',
      'error',
    ],
  })
})

test('error: sending without a client', async () => {
  const { mutationFn } = sendUserOperationMutationOptions(undefined, false)
  await expect(mutationFn({ uo: '0x' })).rejects.toThrow('client must be defined in useSendUserOperation')
})
