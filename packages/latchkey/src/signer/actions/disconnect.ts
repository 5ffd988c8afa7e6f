import type { SignerRunner } from '../SignerContext.ts'

/** Signs out: here and in other tabs at once; resolves when the session's key is revoked, or that has failed. */
export async function disconnect(runner: SignerRunner): Promise<void> {
  runner.dispatch({ type: 'DISCONNECT' })
  await runner.settled()
}
