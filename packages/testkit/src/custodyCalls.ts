import { createApiKeyPair } from '../../server/src/keys/createApiKeyPair.ts'
import type { TestCustody, TestUser } from './custody.ts'

export type ApiKey = ReturnType<typeof createApiKeyPair>
export type Who = Pick<TestUser, 'orgId' | 'userId' | 'key'>

/** What users of a custody do with their credentials. */
export function custodyCalls(custody: () => TestCustody) {
  /** Submits as a user does. */
  const submit = (call: string, { orgId, key }: Who, parameters: object, version = '') =>
    custody().call(
      `submit/${call}`,
      custody().activity(`ACTIVITY_TYPE_${call.toUpperCase()}${version}`, orgId, parameters),
      key,
    )
  return {
    submit,
    /** The status of `whoami` with a key. */
    whoami: async (orgId: string, key: ApiKey) =>
      (await custody().call('query/whoami', { organizationId: orgId }, key)).status,
    addKeys: (who: Who, apiKeys: object[]) => submit('create_api_keys', who, { userId: who.userId, apiKeys }),
  }
}

/** A new key, and how `create_api_keys` names it. */
export function newApiKey(changes: object = {}) {
  const key = createApiKeyPair()
  return { key, parameters: { apiKeyName: 'new', publicKey: key.publicKey, ...changes } }
}

/** A refusal in the documented shape, without its sentence. */
export const refusal = (status: number, code: number, turnkeyErrorCode: string) => ({
  status,
  body: { code, details: [{ turnkeyErrorCode }] },
})
