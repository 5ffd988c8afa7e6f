import type { ApiKey } from '../store/apiKeys.ts'

/** Who makes a call, for limits and ledger. */
export type Caller = {
  projectId: string
  /** Id of the API key; `project {id}` for the project’s first key and for its issuers’ tokens. */
  keyId: string
  /** The key's own rules. @default all that the project may */
  key?: ApiKey | undefined
  /** See `clientIp`; undefined where it is not known. */
  ip: string | undefined
  /** Aborted when the client is no longer there. */
  signal?: AbortSignal | undefined
}
