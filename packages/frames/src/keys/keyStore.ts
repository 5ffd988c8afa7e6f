export type StoredKey = {
  keyPair: CryptoKeyPair
  /** Milliseconds since 1970. */
  expiresAt: number
}

/** Where a frame keeps its one key. */
export type KeyStore = {
  /**
   * Reads and writes in one step, which no other tab can come between: `decide` gets what is kept (undefined when
   * there is nothing) and answers what is to be kept from now on. Resolves to that.
   */
  change(decide: (kept: unknown) => StoredKey | undefined): Promise<StoredKey | undefined>
}
