import { localConfig } from '@latchkey/testkit/wallet/localConfig'
import { memoryPlatform } from '@latchkey/testkit/wallet/memoryPlatform'
import { MutationObserver, QueryClient } from '@tanstack/react-query'
import { createClient, custom } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { latchkeyDev } from '../../core/chains/latchkeyDev.ts'
import * as query from '../../exports/query.ts'
import { latchkeyEndpoints } from '../../signer/endpoints.ts'
import { createSmartAccountClient } from '../../wallet/client/createSmartAccountClient.ts'
import { createConfig } from '../../wallet/createConfig.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'

const common = { chain: latchkeyDev, apiKey: 'key', endpoints: latchkeyEndpoints('http://127.0.0.1:9') }
const server = createConfig(common)
const page = () => createConfig({ ...common, platform: memoryPlatform(), outbox: false })

async function makeClient() {
  const requests: string[] = []
  const request = async ({ method }: { method: string }) => {
    requests.push(method)
    if (method === 'eth_getCode') return '0x'
    throw new TypeError('no node')
  }
  const transport = custom({ request }, { retryCount: 0 })
  const owner = privateKeyToAccount(generatePrivateKey())
  const account = await toLightAccount({ client: createClient({ chain: latchkeyDev, transport }), owner })
  return { requests, client: createSmartAccountClient({ account, transport }) }
}

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const
const hash = `0x${'11'.repeat(32)}` as const
const client = undefined

type Run = (config: LatchkeyConfig) => Promise<unknown>
const ofClient: Record<string, Run> = {
  useClientActions: (config) =>
    query
      .clientActionMutationOptions(config, { client, actions: () => ({ read: async () => 1 }) })
      .mutationFn({ functionName: 'read', args: [] }),
  useDropAndReplaceUserOperation: (config) =>
    query.dropAndReplaceUserOperationMutationOptions(config, { client }).mutationFn({ uoToDrop: {} as never }),
  useOperations: (config) => query.dismissOperationMutationOptions(config, { client }).mutationFn('id'),
  useSendCalls: (config) => query.sendCallsMutationOptions(config, { client }).mutationFn({ calls: [] }),
  useSendTransaction: (config) =>
    query.sendTransactionMutationOptions(config, { client }).mutationFn({ to: uo.target }),
  useSendTransactions: (config) =>
    query.sendTransactionsMutationOptions(config, { client }).mutationFn({ requests: [{ to: uo.target }] }),
  useSendUserOperation: (config) => query.sendUserOperationMutationOptions(config, { client }).mutationFn({ uo }),
  useSignMessage: (config) => query.signMessageMutationOptions(config, { client }).mutationFn({ message: 'a' }),
  useSignTypedData: (config) =>
    query
      .signTypedDataMutationOptions(config, { client })
      .mutationFn({ typedData: { types: {}, primaryType: 'A', message: {} } }),
  useWaitForUserOperationTransaction: (config) =>
    query.waitForUserOperationTransactionMutationOptions(config, { client }).mutationFn({ hash }),
}
const ofSigner: Record<string, Run> = {
  addPasskey: (config) => query.addPasskeyMutationOptions(config).mutationFn(),
  authenticate: (config) =>
    query.authenticateMutationOptions(config).mutationFn({ type: 'email', email: 'a@b.example' }),
  changeAuthMethods: (config) => query.changeAuthMethodsMutationOptions(config).mutationFn({ type: 'endSessions' }),
  changeProviders: (config) =>
    query.changeProvidersMutationOptions(config).mutationFn({ type: 'removeProvider', id: 'id' }),
  exportAccount: (config) => query.exportAccountMutationOptions(config, { iframeContainerId: 'export' }).mutationFn(),
  extendSession: (config) => query.extendSessionMutationOptions(config).mutationFn(),
  getAuthMethods: (config) => query.getAuthMethodsQueryOptions(config, { user: null }).queryFn(),
  getSpendingRules: (config) => query.getSpendingRulesQueryOptions(config, { user: null }).queryFn(),
  setSpendingRules: (config) => query.setSpendingRulesMutationOptions(config).mutationFn({ rules: null }),
  getProviders: (config) => query.getProvidersQueryOptions(config, { user: null }).queryFn(),
  openImport: (config) => query.openImportMutationOptions(config, { iframeContainerId: 'import' }).mutationFn({}),
}

test('provides options that TanStack Query can run', async () => {
  const { client } = await makeClient()
  const options = query.signMessageMutationOptions(page(), { client })
  expect(options).toMatchObject({ mutationKey: ['signMessage'], networkMode: 'always' })
  const observer = new MutationObserver(new QueryClient(), options)
  expect(await observer.mutate({ message: 'hello' })).toMatch(/^0x[0-9a-f]+(?:6492){16}$/)
})

test('gives each mutation its name as key', () => {
  const config = page()
  const given = { client, iframeContainerId: 'frame', actions: () => ({}) }
  const creators = Object.entries(query).filter(([name]) => name.endsWith('MutationOptions'))
  expect(creators).toHaveLength(28)
  for (const [name, create] of creators) {
    const options = (create as (...parameters: unknown[]) => object)(config, given)
    expect(options).toMatchObject({ mutationKey: [name.replace('MutationOptions', '')] })
  }
})

test('signs in and out by its options', async () => {
  const { config, person } = localConfig()
  person.signIn()
  expect(config.clientStore.getState().signerStatus.status).toBe('CONNECTED')
  await new MutationObserver(new QueryClient(), query.logoutMutationOptions(config)).mutate()
  expect(config.clientStore.getState()).toMatchObject({ signerStatus: { status: 'DISCONNECTED' }, user: undefined })
})

test.each(Object.entries(ofClient))('refuses %s without a client and on a server', async (hook, run) => {
  const shortMessage = `client must be defined in ${hook}`
  await expect(run(page())).rejects.toMatchObject({ code: 'CLIENT_MISSING', shortMessage })
  await expect(run(server)).rejects.toMatchObject({ code: 'CLIENT_ONLY' })
})

test.each(Object.entries(ofSigner))('refuses %s before the page is mounted and on a server', async (_, run) => {
  await expect(run(page())).rejects.toMatchObject({ code: 'SIGNER_NOT_CONNECTED' })
  await expect(run(server)).rejects.toMatchObject({ code: 'CLIENT_ONLY' })
})

test('refuses to log out and to change the chain on a server', async () => {
  await expect(query.logoutMutationOptions(server).mutationFn()).rejects.toMatchObject({ code: 'CLIENT_ONLY' })
  const { mutationFn } = query.setChainMutationOptions(server)
  await expect(mutationFn({ chain: latchkeyDev })).rejects.toMatchObject({ code: 'CLIENT_ONLY' })
})

test('never repeats a failed query by itself, and gives equal calls one key', async () => {
  const { client, requests } = await makeClient()
  const options = query.getSimulationQueryOptions({ client, uo })
  await expect(new QueryClient().fetchQuery(options)).rejects.toThrow()
  expect(new Set(requests).size).toBe(requests.length)
  expect(query.getSimulationQueryOptions({ client, uo: { ...uo } }).queryKey).toEqual(options.queryKey)
  expect(query.getSimulationQueryOptions({ client, uo: { ...uo, value: 2n } }).queryKey).not.toEqual(options.queryKey)
})

test('polls the status of calls until they are in a block', async () => {
  const { client } = await makeClient()
  const { refetchInterval, queryKey } = query.getCallsStatusQueryOptions({ client, id: '0x01' })
  const after = (status: number | undefined) =>
    refetchInterval({ state: { data: status === undefined ? undefined : ({ status } as never) } })
  expect([undefined, 100, 200, 500].map(after)).toEqual([1000, 1000, false, false])
  expect(queryKey).toEqual(['latchkey', 'calls', '0x01'])
})
