import type { Route } from 'playwright-core'

/** Answers a page's requests to public hosts from Latchkey's servers, with the same bytes and headers. */
export function forwardTo(respond: (request: Request) => Response | Promise<Response>, base?: () => string) {
  return async (route: Route): Promise<void> => {
    const request = route.request()
    const { pathname, search, origin } = new URL(request.url())
    const body = request.postDataBuffer()
    const headers = await request.allHeaders()
    for (const name of Object.keys(headers)) if (name.startsWith(':') || name === 'host') delete headers[name]
    const init = { method: request.method(), headers, ...(body && { body: new Uint8Array(body) }) }
    const response = await respond(new Request(`${base?.() ?? origin}${pathname}${search}`, init))
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    })
  }
}
