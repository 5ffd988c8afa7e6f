import { linkParameters } from 'latchkey-protocol'
import { fallbackStorage } from '../core/storage/fallbackStorage.ts'
import type { Link } from './platform.ts'

const keptKey = 'latchkey:link'
const tabStorage = () => fallbackStorage(() => window.sessionStorage)

/**
 * Reads the data of an e-mail link (`bundle`, `orgId`, `aa-is-signup`) or of an identity provider's answer
 * (`latchkey-oauth`) from the page's address and removes them there, so
 * that neither a bookmark nor a referrer leaks a bundle. The app's own parameters, hash and history state stay; an
 * `orgId` without a `bundle` is the app's own. Without a link in the address, reads the one that `keepLink` has kept.
 */
export function readLink(): Link | null {
  const url = new URL(window.location.href)
  const link = parseLink(url.search)
  const storage = tabStorage()
  const kept = storage.getItem(keptKey)
  storage.removeItem(keptKey)
  if (!link) return parseLink(kept ?? '')
  const ours = new Set<string>([linkParameters.isSignup])
  if (link.bundle !== undefined) ours.add(linkParameters.bundle).add(linkParameters.orgId).add(linkParameters.oauth)
  url.search = withoutParameters(url.search, ours)
  window.history.replaceState(window.history.state, '', url)
  return link
}

/**
 * Keeps the link that `unused` returns whenever the page is left, so that the tab reads it again after a reload. The
 * bundle stays sealed to a key of the auth frame. Returns an unsubscribe function.
 */
export function keepLink(unused: () => Link | null): () => void {
  const keep = () => {
    const link = unused()
    if (link) tabStorage().setItem(keptKey, link.query ?? '')
    else tabStorage().removeItem(keptKey)
  }
  window.addEventListener('pagehide', keep)
  return () => window.removeEventListener('pagehide', keep)
}

function parseLink(query: string): Link | null {
  const values = new URLSearchParams(query)
  const oauth = values.get(linkParameters.oauth)
  const bundle = values.get(linkParameters.bundle) || oauth || undefined
  if (bundle === undefined && !values.has(linkParameters.isSignup)) return null
  const orgId = bundle === undefined ? undefined : values.get(linkParameters.orgId) || undefined
  const isSignup = values.get(linkParameters.isSignup) === 'true'
  return { bundle, orgId, isSignup, query, isOauth: bundle === oauth }
}

/** Edits the text, because `URLSearchParams` would re-encode other parameters. */
function withoutParameters(search: string, names: ReadonlySet<string>): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !names.has(new URLSearchParams(part).keys().next().value ?? ''))
  return kept.length > 0 ? `?${kept.join('&')}` : ''
}
