import type { SignerContext } from '../SignerContext.ts'

/** Looks a person up by e-mail address; null when nobody has it. */
export async function getUser(context: SignerContext, email: string): Promise<{ orgId: string } | null> {
  const orgId = await context.client.lookup(email)
  return orgId === null ? null : { orgId }
}
