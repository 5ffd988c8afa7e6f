/** Who makes a call, for limits and books. */
export type Caller = {
  projectId: string
  /** Id of the API key; `project` for the project's own key and for its issuers' tokens. */
  keyId: string
  /** See `clientIp`; undefined where it is not known. */
  ip: string | undefined
  /** Aborted when the client is no longer there. */
  signal?: AbortSignal | undefined
}
