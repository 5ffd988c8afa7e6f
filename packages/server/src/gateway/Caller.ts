import type { ApiKey } from '../store/apiKeys.ts'

/** Caller of a request, as rate limits and the ledger identify it. */
export type Caller = {
  projectId: string
  /** Id of the API key; `project {id}` for the project's first key and for its issuers' tokens. */
  keyId: string
  /** Restrictions of the key. @default all permissions of the project */
  key?: ApiKey | undefined
  /** See `clientIp`; undefined if the address is unknown. */
  ip: string | undefined
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined
}
