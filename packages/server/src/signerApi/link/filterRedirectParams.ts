/** Names the server sets itself, or that could be taken for the target of the link. Compared without case. */
const reserved = new Set(['bundle', 'orgid', 'host'])

/**
 * What an application wants to find in the link again: `URLSearchParams` text without the reserved names, encoded anew,
 * so that it can end neither the query nor the host of the link.
 */
export function filterRedirectParams(redirectParams: string): URLSearchParams {
  const kept = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(redirectParams))
    if (!reserved.has(name.trim().toLowerCase())) kept.append(name, value)
  return kept
}
