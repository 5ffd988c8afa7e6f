/** A client that `roundtrips` measures, of any version. */
export type SendClient = {
  sendUserOperation(parameters: {
    uo: { target: `0x${string}`; data: `0x${string}` }
  }): Promise<{ hash: `0x${string}` }>
  waitForUserOperationTransaction(parameters: { hash: `0x${string}` }): Promise<unknown>
}

/** Defines `send()` in the page, which sends a sponsored operation and reports when it was accepted and included. */
export function exposeSend(client: SendClient): void {
  async function send(): Promise<{ accepted: number; included: number }> {
    const start = performance.now()
    const { hash } = await client.sendUserOperation({
      uo: { target: '0x000000000000000000000000000000000000dEaD', data: '0x' },
    })
    const accepted = performance.now() - start
    Object.assign(globalThis, { accepted })
    await client.waitForUserOperationTransaction({ hash })
    return { accepted, included: performance.now() - start }
  }
  Object.assign(globalThis, { send, readyAt: performance.now() })
}
