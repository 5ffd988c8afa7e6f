import { createApiKeyPair } from '../../server/src/keys/createApiKeyPair.ts'
import type { TestCustody, TestUser } from './custody.ts'

export type ApiKey = ReturnType<typeof createApiKeyPair>
export type Who = Pick<TestUser, 'orgId' | 'userId' | 'key'>

export function custodyCalls(custody: () => TestCustody) {
  const submit = (call: string, { orgId, key }: Who, parameters: object, version = '') =>
    custody().call(
      `submit/${call}`,
      custody().activity(`ACTIVITY_TYPE_${call.toUpperCase()}${version}`, orgId, parameters),
      key,
    )
  return {
    submit,
    whoami: async (orgId: string, key: ApiKey) =>
      (await custody().call('query/whoami', { organizationId: orgId }, key)).status,
    addKeys: (who: Who, apiKeys: object[]) => submit('create_api_keys', who, { userId: who.userId, apiKeys }),
  }
}

export function newApiKey(changes: object = {}) {
  const key = createApiKeyPair()
  return { key, parameters: { apiKeyName: 'new', publicKey: key.publicKey, ...changes } }
}

/** Returns a matcher for a refusal in the documented format, with any message. */
export const refusal = (status: number, code: number, turnkeyErrorCode: string) => ({
  status,
  body: { code, details: [{ turnkeyErrorCode }] },
})
