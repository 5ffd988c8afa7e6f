import type { UserOperationDraft, UserOperationStruct } from '../client/types.ts'

export type SettledDraft = { [name in keyof UserOperationStruct]?: UserOperationStruct[name] }

/** Waits for every value of a draft and leaves out what is absent. */
export async function resolveDraft(draft: UserOperationDraft): Promise<SettledDraft> {
  const entries = await Promise.all(Object.entries(draft).map(async ([name, value]) => [name, await value] as const))
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null))
}
