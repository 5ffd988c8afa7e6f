export declare namespace writeCookie {
  type Parameters = {
    name: string
    /** Value in characters that cookies allow. An empty value removes the cookie. */
    value: string
    expiresAtMs: number
  }
}

/** Sets a cookie of this host. Does nothing if the browser refuses. */
export function writeCookie({ name, value, expiresAtMs }: writeCookie.Parameters): void {
  const expires = new Date(value ? expiresAtMs : 0).toUTCString()
  try {
    const secure = location.protocol === 'https:' ? '; Secure' : ''
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is asynchronous, and not in every browser
    document.cookie = `${name}=${value}; Path=/; Expires=${expires}; SameSite=Lax${secure}`
  } catch {}
}
